//! Waiting for the shutdown of the server.

use tokio::sync::watch;

/// Resolves when shutdown is requested.
pub(super) async fn shutdown_requested(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which is a shutdown as well.
    drop(stop.wait_for(|stop| *stop).await);
}
