//! The socket, the threads behind it, and their end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use super::{Answer, connection};

/// Threads that serve sockets; answers are computed on others.
const SOCKET_THREADS: usize = 2;

/// A listener at work. Dropping it ends it, with every connection.
pub(crate) struct Listening {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    fn end(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.end();
    }
}

/// Binds `address` (port 0: any free one), then asks `answer` for whom to serve; `answer` gets the address in use.
pub(crate) fn listen(
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    answer: impl FnOnce(SocketAddr) -> Arc<dyn Answer>,
) -> io::Result<Listening> {
    let socket = std::net::TcpListener::bind(address)?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    let answer = answer(address);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(SOCKET_THREADS)
        .thread_name("emulator")
        .enable_all()
        .build()?;
    let (stop, stopped) = oneshot::channel::<()>();
    let thread = std::thread::Builder::new().name("emulator".into()).spawn(move || {
        runtime.block_on(async move {
            let Ok(listener) = TcpListener::from_std(socket) else { return };
            let accept = accept_all(listener, tls, answer);
            let mut accept = std::pin::pin!(accept);
            let mut stopped = std::pin::pin!(stopped);
            std::future::poll_fn(|cx| {
                if stopped.as_mut().poll(cx).is_ready() {
                    return std::task::Poll::Ready(());
                }
                accept.as_mut().poll(cx)
            })
            .await;
        });
        runtime.shutdown_background();
    })?;
    Ok(Listening { address, stop: Some(stop), thread: Some(thread) })
}

async fn accept_all(listener: TcpListener, tls: Option<TlsAcceptor>, answer: Arc<dyn Answer>) {
    loop {
        // An error here is about one connection (reset before it was accepted) or passes (no descriptor left).
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            continue;
        };
        tokio::spawn(one(stream, tls.clone(), Arc::clone(&answer)));
    }
}

async fn one(stream: TcpStream, tls: Option<TlsAcceptor>, answer: Arc<dyn Answer>) {
    let _ = stream.set_nodelay(true);
    let reset = match tls {
        None => connection::serve(stream, answer).await,
        Some(tls) => match tls.accept(stream).await {
            Ok(stream) => connection::serve(stream, answer).await.map(|stream| stream.into_inner().0),
            Err(_) => None,
        },
    };
    if let Some(stream) = reset {
        // Closing a socket that lingers for no time sends a reset.
        let _ = stream.set_zero_linger();
    }
}
