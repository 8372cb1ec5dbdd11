//! The signals that end a server.

/// A signal that ended a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT, as by Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// Handlers of the signals that stop a server.
pub(crate) struct TerminationSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl TerminationSignals {
    #[cfg(unix)]
    pub(crate) fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for a signal; `None` if the handlers were lost.
    #[cfg(unix)]
    pub(crate) async fn recv(&mut self) -> Option<StopSignal> {
        tokio::select! {
            _ = self.interrupt.recv() => Some(StopSignal::Interrupt),
            _ = self.terminate.recv() => Some(StopSignal::Terminate),
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn recv(&mut self) -> Option<StopSignal> {
        tokio::signal::ctrl_c().await.ok().map(|()| StopSignal::Interrupt)
    }
}
