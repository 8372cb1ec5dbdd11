//! The server on standard streams: one client; standard output carries only messages.

use std::io;
use std::time::Duration;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{LineTransport, McpServer};
use crate::serving::{StopSignal, TerminationSignals};

/// Grace period for writing operations after the client is gone.
const WRITE_GRACE: Duration = Duration::from_secs(10);
/// Maximum time to flush the last responses.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves the client on standard input and output until it disconnects or a signal arrives. Returns
/// the signal; `None` if the client disconnected.
///
/// # Errors
/// The runtime or the signal handlers cannot be created, or the handshake fails.
pub fn stdio(server: &McpServer) -> io::Result<Option<StopSignal>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(async {
        let (read, write) = rmcp::transport::stdio_pipes();
        let mut signals = TerminationSignals::new()?;
        let serving = serve(server, read, write);
        tokio::pin!(serving);
        tokio::select! {
            served = &mut serving => served.map(|()| None),
            signal = signals.recv() => {
                server.closing().cancel();
                serving.await?;
                Ok(signal)
            }
        }
    });
    // A thread may still wait for standard input, which nothing but the end of the program ends.
    runtime.shutdown_background();
    end
}

/// Serves one client over these streams until it disconnects or the server shuts down. Running
/// calls get a grace period.
///
/// # Errors
/// The handshake fails for a reason other than a disconnect.
pub async fn serve<R, W>(server: &McpServer, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let session = server.session();
    let ended = session.ended().clone();
    let (lines, written) = LineTransport::new(read, write, server.limits().message, ended);
    let begun = serve_server_with_ct(session, lines, server.closing().child_token()).await;
    let served = match begun {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that only looks who is there, or nobody at all.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(ServerInitializeError::TransportError { .. }) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    };
    let _ = tokio::time::timeout(WRITE_GRACE, server.calls().empty()).await;
    // Who does not read to the end misses the end.
    let _ = tokio::time::timeout(FLUSH_TIMEOUT, written).await;
    served
}
