//! The body of a reply, whole or cut short.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// What stands before a cut is given this long to reach the client.
const FLUSH: Duration = Duration::from_millis(50);

/// A body that announces `length` bytes and may hold fewer: then the connection breaks after the last.
pub(super) struct ReplyBody {
    data: Option<Bytes>,
    length: u64,
    /// Of a body that is cut: the wait before the end.
    cut: Option<Pin<Box<Sleep>>>,
}

/// The fault plan ends the body here.
#[derive(Debug, thiserror::Error)]
#[error("cut short by the fault plan")]
pub(super) struct Cut;

impl ReplyBody {
    pub fn new(body: Vec<u8>, cut_after: Option<usize>) -> Self {
        let length = body.len() as u64;
        let mut data = Bytes::from(body);
        let cut = cut_after.is_some_and(|n| n < data.len());
        if let Some(n) = cut_after.filter(|_| cut) {
            data.truncate(n);
        }
        let cut = cut.then(|| Box::pin(sleep(FLUSH)));
        Self { data: Some(data).filter(|d| !d.is_empty()), length, cut }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        if let Some(data) = self.data.take() {
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        let Some(wait) = &mut self.cut else { return Poll::Ready(None) };
        ready!(wait.as_mut().poll(cx));
        Poll::Ready(Some(Err(Cut)))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none() && self.cut.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}
