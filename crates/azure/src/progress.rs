//! What a run tells while it runs, and how it is ended from outside.

use std::sync::Arc;
use std::time::Duration;

use pullproof_snapshot::Gap;
use tokio::sync::watch;

/// Where an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Arm,
    Graph,
}

/// Something that happened. Never holds a token or a secret.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The kind of credential that is used.
    Credential(&'a str),
    /// An answer came; `request` is Azure's id of the request.
    Call {
        source: Source,
        method: &'a str,
        path: &'a str,
        status: u16,
        request: &'a str,
        took: Duration,
    },
    /// A call is tried again, after a pause.
    Retry {
        source: Source,
        path: &'a str,
        why: &'a str,
        pause: Duration,
    },
    Resources {
        source: Source,
        count: u64,
    },
    Gap(&'a Gap),
    Note(&'a str),
}

/// Takes events; called often, must not block.
pub type Progress = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// Ends a run from outside; clones end the same run.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Cancel {
    /// From now on nothing new is asked; what was read becomes a valid partial snapshot.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`.
        let _ = receiver.wait_for(|ended| *ended).await;
    }
}
