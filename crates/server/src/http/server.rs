//! The lifecycle of the server: listening, jobs, and graceful shutdown.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant as MonotonicInstant, sleep, timeout_at};

use super::jobs::{self, Job};
use super::nested::NestedService;
use super::schedule::JobInterval;
use super::state::{HttpSetup, ServerState};
use super::tls::ServerTls;
use super::{connections, listen, router, token_ends};
use crate::serving::{StopSignal, TerminationSignals};
use cm_app::{Error, ErrorKind, Result};

/// Polling interval while waiting for nested services at shutdown.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A server with an open listening socket.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    state: Arc<ServerState>,
    router: Router,
    jobs: Vec<Job>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShutdownResult {
    /// The signal that caused it; `None` if the server ended by itself.
    pub signal: Option<StopSignal>,
    /// Number of connections aborted after the grace period.
    pub aborted_connections: usize,
    /// Number of operations and jobs still running after the grace period; the vault's journal
    /// recovers them.
    pub unfinished_operations: usize,
}

impl HttpServer {
    /// Opens the listening socket.
    ///
    /// # Errors
    /// The address is in use, or reachable by other machines while no token is valid.
    pub async fn bind(address: SocketAddr, setup: HttpSetup) -> Result<Self> {
        let mut setup = HttpSetup { limits: setup.limits.capped_by_file_limit(), ..setup };
        let token_store = (setup.tokens)()?;
        let needs_token = setup.web.as_ref().is_none_or(|web| web.needs_token());
        let is_open =
            needs_token && listen::needs_no_token(address, &setup.hosts, &token_store, (setup.clock)())?;
        let listener = listen::bind(address).map_err(|error| listen::bind_error(address, &error))?;
        let address = listener.local_addr().map_err(|error| listen::bind_error(address, &error))?;
        let jobs = std::mem::take(&mut setup.jobs);
        let state = Arc::new(ServerState::new(setup, address, is_open));
        let router = router(&state);
        Ok(Self { listener, address, state, router, jobs })
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Certificate of encrypted connections.
    pub fn tls(&self) -> Option<&ServerTls> {
        self.state.setup.tls.as_ref()
    }

    /// Whether requests need no token.
    pub fn is_open(&self) -> bool {
        self.state.is_open
    }

    /// Serves until `stop` resolves with a signal, then shuts down gracefully.
    pub async fn run(self, stop: impl Future<Output = Option<StopSignal>>) -> ShutdownResult {
        let (stop_sender, stop_receiver) = watch::channel(false);
        let state = Arc::clone(&self.state);
        let serving = tokio::spawn(connections::serve(
            self.listener,
            Arc::clone(&state),
            self.router,
            stop_receiver.clone(),
        ));
        tokio::spawn(token_ends::watch(Arc::clone(&state), stop_receiver.clone()));
        // A job of seconds does not wait for one of minutes.
        let (frequent, daily) =
            self.jobs.into_iter().partition(|job| matches!(job.interval, JobInterval::Every { .. }));
        let working = [frequent, daily]
            .map(|jobs| tokio::spawn(jobs::run_jobs(Arc::clone(&state), jobs, stop_receiver.clone())));
        let signal = stop.await;
        state.stopping.store(true, Ordering::Relaxed);
        state.notice("stopping", "no new connections; running requests are answered first".to_owned());
        // Both tasks hold a receiver, and one that is gone needs no telling.
        let _ = stop_sender.send(true);
        let end = MonotonicInstant::now() + state.setup.limits.grace;
        let nested = NestedServices(&state.setup.mounted);
        // What is at work is answered first; then answers that would stay open are ended.
        let _ = timeout_at(end - state.setup.limits.grace / 2, nested.idle()).await;
        nested.end();
        state.web.iter().for_each(|web| web.closing.cancel());
        let cut = serving.await.unwrap_or(0);
        let all_jobs = async {
            for jobs in working {
                // A job that panicked has ended too.
                let _ = jobs.await;
            }
        };
        let jobs_ended = timeout_at(end, all_jobs).await.is_ok();
        // An operation whose client left is no connection any more, and is waited for all the same.
        let rest = async { (state.reads.empty().await, state.writes.empty().await, nested.idle().await) };
        let _ = timeout_at(end, rest).await;
        let running = state.reads.running() + state.writes.running() + nested.running();
        let left = running + usize::from(!jobs_ended);
        let ended = ShutdownResult { signal, aborted_connections: cut, unfinished_operations: left };
        state.notice(
            "stopped",
            format!("{cut} connections closed, {} operations left", ended.unfinished_operations),
        );
        state.log.close();
        ended
    }
}

/// The nested services during shutdown.
struct NestedServices<'s>(&'s [NestedService]);

impl NestedServices<'_> {
    fn running(&self) -> usize {
        self.0.iter().map(|service| (service.at_work)()).sum()
    }

    async fn idle(&self) {
        while self.running() > 0 {
            sleep(IDLE_POLL_INTERVAL).await;
        }
    }

    fn end(&self) {
        self.0.iter().for_each(|service| (service.end)());
    }
}

/// Runs the server on this thread until a signal arrives. `started` is called once it listens.
///
/// # Errors
/// The errors of [`HttpServer::bind`], and failures to start the runtime.
pub fn serve(
    address: SocketAddr,
    setup: HttpSetup,
    started: impl FnOnce(&HttpServer),
) -> Result<ShutdownResult> {
    let failed =
        |error: std::io::Error| Error::new(ErrorKind::Failed, "threads", format!("cannot start: {error}"));
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let runtime = threads.worker_threads(2).thread_name("http").enable_all().build().map_err(failed)?;
    let ended = runtime.block_on(async {
        let (first, second) = signals().map_err(failed)?;
        let server = HttpServer::bind(address, setup).await?;
        started(&server);
        tokio::select! {
            ended = server.run(first) => Ok(ended),
            // Whoever asks twice does not want to wait.
            signal = second => Ok(ShutdownResult { signal, ..ShutdownResult::default() }),
        }
    });
    // What did not end in time must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(100));
    ended
}

/// Futures that resolve on the first and on the second termination signal.
fn signals()
-> std::io::Result<(impl Future<Output = Option<StopSignal>>, impl Future<Output = Option<StopSignal>>)> {
    let mut termination = TerminationSignals::new()?;
    let (first, one) = oneshot::channel();
    let (second, two) = oneshot::channel();
    tokio::spawn(async move {
        for sender in [first, second] {
            // Nobody waits any more where the server has ended by itself.
            let _ = sender.send(termination.recv().await);
        }
    });
    Ok((async { one.await.ok().flatten() }, async { two.await.ok().flatten() }))
}
