//! The listener: connections, TLS, HTTP/1.1, and what a fault plan does to the wire.
//!
//! What lives here: sockets and hyper. What may not: anything that knows Azure; a request goes in, a reply comes out.
//!
//! Read in this order: [`listen`](listen()), [`connection`], [`body`], [`tls`].

mod body;
mod connection;
mod listen;
mod tls;

pub(crate) use listen::{Listening, listen};
pub(crate) use tls::Certificate;

use crate::reply::Reply;
use crate::request::Request;

/// Whoever answers requests.
pub(crate) trait Answer: Send + Sync + 'static {
    fn answer(&self, request: Request) -> Reply;
}
