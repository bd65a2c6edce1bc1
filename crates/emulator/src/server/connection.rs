//! One connection: HTTP/1.1 over whatever stream it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::Answer;
use super::body::ReplyBody;
use crate::reply::Reply;
use crate::request::Request;

/// The largest request body that is read. A Graph query over a thousand subscriptions has 40 kB.
const MAX_BODY: usize = 4 << 20;

/// Serves a connection until either side ends it. Returns the stream where the fault plan wants it reset.
pub(super) async fn serve<S>(stream: S, answer: Arc<dyn Answer>) -> Option<S>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let reset = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&reset);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (answer, flag) = (Arc::clone(&answer), Arc::clone(&flag));
        Box::pin(async move {
            let reply = respond(request, answer).await;
            if reply.wire.reset {
                flag.store(true, Ordering::Relaxed);
                return Err(Reset);
            }
            Ok(response(reply))
        })
    });
    let mut connection = hyper::server::conn::http1::Builder::new()
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    // What goes wrong on a connection is the client's to see, not ours to tell.
    let _ended = std::future::poll_fn(|cx| connection.poll_without_shutdown(cx)).await;
    let stream = connection.into_parts().io.into_inner();
    reset.load(Ordering::Relaxed).then_some(stream)
}

#[derive(Debug, thiserror::Error)]
#[error("reset by the fault plan")]
struct Reset;

async fn respond(request: hyper::Request<Incoming>, answer: Arc<dyn Answer>) -> Reply {
    let (head, body) = request.into_parts();
    let Ok(body) = Limited::new(body, MAX_BODY).collect().await else {
        return Reply::arm_error(400, "RequestContentInvalid", "The request body could not be read.");
    };
    let headers = head.headers.iter().filter_map(|(name, value)| {
        Some((name.as_str().to_owned(), String::from_utf8(value.as_bytes().to_vec()).ok()?))
    });
    let query_text = head.uri.query().unwrap_or_default().to_owned();
    let request = Request {
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query: form_urlencoded::parse(query_text.as_bytes()).into_owned().collect(),
        query_text,
        headers: headers.collect(),
        body: body.to_bytes().to_vec(),
    };
    let head_only = request.method == "HEAD";
    // Answers are computed, some out of megabytes of JSON: not on the threads that serve sockets.
    let mut reply = match tokio::task::spawn_blocking(move || answer.answer(request)).await {
        Ok(reply) => reply,
        Err(_) => {
            Reply::arm_error(500, "InternalServerError", "The emulator failed; this is a bug of its own.")
        }
    };
    if head_only {
        reply.body.clear();
    }
    if !reply.wire.delay.is_zero() {
        tokio::time::sleep(reply.wire.delay).await;
    }
    reply
}

fn response(reply: Reply) -> Response<ReplyBody> {
    let mut out = Response::new(ReplyBody::new(reply.body, reply.wire.cut_after));
    *out.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(&value))
        {
            out.headers_mut().append(name, value);
        }
    }
    out
}
