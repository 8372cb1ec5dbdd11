//! Waiting for the shutdown of the server.

use tokio::sync::watch;

/// Resolves when shutdown is requested.
pub(super) async fn shutdown_requested(stop: &mut watch::Receiver<bool>) {
    // An error says that nobody is left who could tell it, which is the end as well.
    drop(stop.wait_for(|stop| *stop).await);
}
