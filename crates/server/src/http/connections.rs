//! Accepts connections, limits their number in total and per address, and applies timeouts.
//!
//! An address has a share of the connections, so that there is room for others. Connections that take the
//! second half of a share must send their request sooner. A connection over the limit gets a 503 response and is closed at once without queueing, so that
//! idle connections cannot delay the response.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower::ServiceExt as _;

use super::middleware::Peer;
use super::rate::rate_limit_key;
use super::shutdown::shutdown_requested;
use super::state::ServerState;
use super::write_timeout::WriteTimeout;

/// Timeout for the response to a rejected connection.
const REJECTION_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum number of such responses in progress; further connections are closed without one.
const MAX_REJECTIONS: usize = 128;
/// The response body for rejected connections. It is written out because their requests are not
/// parsed.
const TOO_MANY_CONNECTIONS: &str = "{\"error\":{\"code\":\"connections\",\"message\":\"too many connections are open\",\
    \"hint\":\"close some, or try again after the seconds that `Retry-After` says\"}}";

/// Number of open connections in total and per address.
#[derive(Debug, Default)]
struct ConnectionCounts {
    all: usize,
    each: HashMap<IpAddr, usize>,
}

/// A slot for a connection; dropping it frees the slot.
struct ConnectionSlot {
    shared_counts: Arc<Mutex<ConnectionCounts>>,
    of: IpAddr,
    state: Arc<ServerState>,
    /// Timeout for the head of a request on this connection.
    head_timeout: Duration,
}

impl ConnectionSlot {
    fn take(
        shared_counts: &Arc<Mutex<ConnectionCounts>>,
        of: IpAddr,
        state: &Arc<ServerState>,
    ) -> Option<Self> {
        let mut counts = shared_counts.lock();
        let own = counts.each.get(&of).copied().unwrap_or(0);
        if counts.all >= state.setup.limits.connections || own >= state.setup.limits.connections_each {
            return None;
        }
        counts.all += 1;
        counts.each.insert(of, own + 1);
        state.metrics.connections.fetch_add(1, Ordering::Relaxed);
        let limits = &state.setup.limits;
        let is_crowded = own >= limits.connections_each / 2 || counts.all > limits.connections / 2;
        let crowded = limits.crowded_head_timeout.min(limits.head_timeout);
        let head_timeout = if is_crowded { crowded } else { limits.head_timeout };
        Some(Self { shared_counts: Arc::clone(shared_counts), of, state: Arc::clone(state), head_timeout })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut counts = self.shared_counts.lock();
        counts.all = counts.all.saturating_sub(1);
        let own = counts.each.get(&self.of).map_or(0, |own| own.saturating_sub(1));
        if own == 0 {
            counts.each.remove(&self.of);
        } else {
            counts.each.insert(self.of, own);
        }
        self.state.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Accepts connections until shutdown is requested, then waits for open ones within the grace
/// period. Returns how many were aborted.
pub(super) async fn serve(
    listener: TcpListener,
    state: Arc<ServerState>,
    router: Router,
    mut stop: watch::Receiver<bool>,
) -> usize {
    let connection_counts = Arc::new(Mutex::new(ConnectionCounts::default()));
    let rejection_permits = Arc::new(Semaphore::new(MAX_REJECTIONS));
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown_requested(&mut stop) => break,
            accepted = listener.accept() => accepted,
            Some(_) = open.join_next() => continue,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                pause_after(&state, &error).await;
                continue;
            }
        };
        match ConnectionSlot::take(&connection_counts, rate_limit_key(from.ip()), &state) {
            Some(place) => {
                open.spawn(connection(stream, from, place, router.clone(), stop.clone()));
            }
            None => reject_connection(&state, stream, &rejection_permits),
        }
    }
    // From here on the system refuses new ones.
    drop(listener);
    let ended = timeout(state.setup.limits.grace, async { while open.join_next().await.is_some() {} }).await;
    let cut = if ended.is_ok() { 0 } else { open.len() };
    open.shutdown().await;
    cut
}

async fn connection(
    stream: TcpStream,
    from: SocketAddr,
    place: ConnectionSlot,
    router: Router,
    stop: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting for more to send would only delay them.
    let _ = stream.set_nodelay(true);
    match place.state.setup.tls.clone() {
        None => serve_requests(stream, from, place, router, stop).await,
        Some(tls) => {
            let accepted = timeout(place.head_timeout, tls.acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = accepted {
                serve_requests(stream, from, place, router, stop).await;
            }
        }
    }
}

async fn serve_requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    from: SocketAddr,
    place: ConnectionSlot,
    router: Router,
    mut stop: watch::Receiver<bool>,
) {
    let limits = place.state.setup.limits;
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(from.ip()));
        router.clone().oneshot(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(place.head_timeout)
        .max_headers(limits.headers)
        .max_header_size(limits.head)
        .max_buf_size(limits.head.max(64 << 10));
    let served =
        http.serve_connection(TokioIo::new(WriteTimeout::new(stream, limits.write_timeout)), service);
    let mut served = pin!(served);
    let mut stopping = false;
    loop {
        tokio::select! {
            // A connection that fails has nobody left to tell.
            _ = served.as_mut() => break,
            () = shutdown_requested(&mut stop), if !stopping => {
                stopping = true;
                served.as_mut().graceful_shutdown();
            }
        }
    }
    drop(place);
}

/// Rejects a connection with a 503 response, without reading the request.
fn reject_connection(state: &ServerState, stream: TcpStream, rejection_permits: &Arc<Semaphore>) {
    state.metrics.rejected_connections.fetch_add(1, Ordering::Relaxed);
    // A response without encryption would not be understood.
    if state.setup.tls.is_some() {
        return;
    }
    let Ok(permit) = Arc::clone(rejection_permits).try_acquire_owned() else { return };
    tokio::spawn(async move {
        let text = format!(
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Retry-After: 2\r\nConnection: close\r\n\r\n{TOO_MANY_CONNECTIONS}",
            TOO_MANY_CONNECTIONS.len()
        );
        let mut stream = WriteTimeout::new(stream, REJECTION_TIMEOUT);
        let rejection = async { (stream.write_all(text.as_bytes()).await, stream.shutdown().await) };
        // Whether it hears it or not, it is gone after that.
        let _ = timeout(REJECTION_TIMEOUT, rejection).await;
        drop(permit);
    });
}

/// Pauses after a failed accept if the system is out of resources, to avoid a busy loop.
async fn pause_after(state: &ServerState, error: &io::Error) {
    let client_left = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted
    );
    if !client_left {
        state.notice("accept", format!("the system refuses a connection: {error}"));
        sleep(Duration::from_millis(100)).await;
    }
}
