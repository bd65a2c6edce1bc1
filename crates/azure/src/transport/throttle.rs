//! How many calls at once, and when to hold back: grows by one while all goes well, halves when Azure says too many.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Calls at once at the start.
const FIRST: f64 = 8.0;
/// Below this many calls left, as Azure counts them, fewer are made at once.
const FEW_LEFT: u64 = 20;

pub(crate) struct Throttle {
    state: Mutex<State>,
    changed: Notify,
    most: f64,
}

struct State {
    limit: f64,
    running: usize,
    closed_until: Option<Instant>,
}

/// One call that is under way.
pub(crate) struct Permit<'a>(&'a Throttle);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running = state.running.saturating_sub(1);
        drop(state);
        self.0.changed.notify_one();
    }
}

impl Throttle {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1) as f64;
        let state = State { limit: FIRST.min(most), running: 0, closed_until: None };
        Self { state: Mutex::new(state), changed: Notify::new(), most }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a call may be made.
    pub(crate) async fn permit(&self) -> Permit<'_> {
        loop {
            let wait = {
                let mut state = self.lock();
                let closed =
                    state.closed_until.and_then(|until| until.checked_duration_since(Instant::now()));
                match closed.filter(|wait| !wait.is_zero()) {
                    Some(wait) => Some(wait),
                    None if (state.running as f64) < state.limit.floor() => {
                        state.closed_until = None;
                        state.running += 1;
                        return Permit(self);
                    }
                    None => None,
                }
            };
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => self.changed.notified().await,
            }
        }
    }

    /// A call went well.
    pub(crate) fn well(&self) {
        let mut state = self.lock();
        state.limit = (state.limit + 1.0 / state.limit).min(self.most);
        drop(state);
        self.changed.notify_one();
    }

    /// Azure said too many: half as many at once, and none before `pause` is over.
    pub(crate) fn too_many(&self, pause: Duration) {
        let mut state = self.lock();
        state.limit = (state.limit / 2.0).max(1.0);
        state.closed_until = state.closed_until.max(Instant::now().checked_add(pause));
    }

    /// Azure said how many calls are left.
    pub(crate) fn left(&self, calls: u64, resets_after: Option<Duration>) {
        if calls == 0
            && let Some(pause) = resets_after
        {
            let mut state = self.lock();
            state.closed_until = state.closed_until.max(Instant::now().checked_add(pause));
        } else if calls < FEW_LEFT {
            let mut state = self.lock();
            state.limit = state.limit.min((calls as f64 / 2.0).max(1.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_grows_within_bounds() {
        let throttle = Throttle::new(16);
        for _ in 0..1000 {
            throttle.well();
        }
        assert!((throttle.lock().limit - 16.0).abs() < f64::EPSILON);
        for _ in 0..10 {
            throttle.too_many(Duration::ZERO);
        }
        assert!((throttle.lock().limit - 1.0).abs() < f64::EPSILON);
        throttle.left(0, Some(Duration::from_secs(3)));
        assert!(throttle.lock().closed_until.is_some_and(|until| until > Instant::now()));
    }
}
