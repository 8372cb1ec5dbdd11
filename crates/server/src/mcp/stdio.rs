//! The server on standard streams: one client, and nothing but messages on standard output.

use std::io;
use std::time::Duration;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::signal;

use super::{Lines, Server};

/// How long, after the client is gone, work that writes may take to its end.
const LAST: Duration = Duration::from_secs(10);
/// How long the last answers may take to be read.
const READ: Duration = Duration::from_secs(2);

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client is gone.
    Done,
    /// The person interrupted it.
    Interrupted,
    /// The system asked it to end.
    Terminated,
}

/// Serves the client on standard input and output until it is gone, or a signal comes.
///
/// # Errors
/// What the system refuses: a runtime, or to hear of signals.
pub fn stdio(server: &Server) -> io::Result<End> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(async {
        let (read, write) = rmcp::transport::stdio_pipes();
        let signal = signalled(server);
        tokio::pin!(signal);
        let serving = serve(server, read, write);
        tokio::pin!(serving);
        tokio::select! {
            served = &mut serving => served.map(|()| End::Done),
            end = &mut signal => {
                server.closing().cancel();
                serving.await?;
                end
            }
        }
    });
    // A thread may still wait for standard input, which nothing but the end of the program ends.
    runtime.shutdown_background();
    end
}

/// Serves one client over these streams until it is gone or the server is closed. What is at work then is given a
/// moment, so that nothing is left half done.
///
/// # Errors
/// What went wrong with the handshake, other than that the client is gone.
pub async fn serve<R, W>(server: &Server, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let session = server.session();
    let ended = session.ended().clone();
    let (lines, written) = Lines::new(read, write, server.limits().message, ended);
    let begun = serve_server_with_ct(session, lines, server.closing().child_token()).await;
    let served = match begun {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that only looks who is there, or nobody at all.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(ServerInitializeError::TransportError { .. }) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    };
    let _ = tokio::time::timeout(LAST, server.calls().empty()).await;
    // Who does not read to the end misses the end.
    let _ = tokio::time::timeout(READ, written).await;
    served
}

#[cfg(unix)]
async fn signalled(_: &Server) -> io::Result<End> {
    let mut terminate = signal::unix::signal(signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = signal::ctrl_c() => interrupted.map(|()| End::Interrupted),
        _ = terminate.recv() => Ok(End::Terminated),
    }
}

#[cfg(not(unix))]
async fn signalled(_: &Server) -> io::Result<End> {
    signal::ctrl_c().await.map(|()| End::Interrupted)
}
