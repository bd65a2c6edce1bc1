//! How an emulator is started.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

pub use crate::identity::Credentials;

/// A limit on Resource Graph calls, as Azure sets one for each user: 15 in 5 seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    pub calls: u32,
    pub window: Duration,
}

impl Quota {
    pub const AZURE: Self = Self { calls: 15, window: Duration::from_secs(5) };
}

/// How an emulator is started.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 is any free one.
    pub listen: SocketAddr,
    /// HTTPS, with a certificate made at start.
    pub tls: bool,
    /// Elements on a page of an ARM list, where the client does not say.
    pub page_size: usize,
    /// How long a token is good.
    pub token_lifetime: Duration,
    pub credentials: Credentials,
    /// Resource Graph calls beyond it are refused with 429. `None`: the headers count down, nothing is refused.
    pub graph_quota: Option<Quota>,
    /// The largest answer of Resource Graph, in bytes; a larger one is refused, as Azure does.
    pub graph_payload_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: false,
            page_size: 100,
            token_lifetime: Duration::from_secs(3600),
            credentials: Credentials::default(),
            graph_quota: None,
            graph_payload_limit: 16 << 20,
        }
    }
}
