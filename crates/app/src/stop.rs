//! Cancels long-running work: after the current step, or immediately.
//!
//! Surfaces request the stop. The work checks for it between steps; a request to a model checks
//! continuously.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Kind};
use cm_llm::Pace;

/// Cancellation flag; clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    soon: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Stop {
    /// Requests a stop after the current step; the second request stops immediately.
    pub fn ask(&self) {
        if self.soon.swap(true, Ordering::SeqCst) {
            self.at_once.store(true, Ordering::SeqCst);
        }
    }

    /// Requests an immediate stop.
    pub fn ask_at_once(&self) {
        self.soon.store(true, Ordering::SeqCst);
        self.at_once.store(true, Ordering::SeqCst);
    }

    /// Requests an immediate stop because the system terminates the program.
    pub fn terminate(&self) {
        self.terminated.store(true, Ordering::SeqCst);
        self.ask_at_once();
    }

    /// Returns whether a stop was requested.
    pub fn is_asked(&self) -> bool {
        self.soon.load(Ordering::SeqCst)
    }

    /// Returns whether the current step must be aborted.
    pub fn is_at_once(&self) -> bool {
        self.at_once.load(Ordering::SeqCst)
    }

    /// Returns the shared flag for an immediate stop.
    pub fn at_once(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.at_once)
    }

    /// Returns the error kind: terminated or interrupted.
    pub fn kind(&self) -> Kind {
        if self.terminated.load(Ordering::SeqCst) { Kind::Terminated } else { Kind::Interrupted }
    }

    /// Returns the error of aborted work.
    pub fn error(&self) -> Error {
        Error::new(self.kind(), "interrupted", "stopped before it was done; nothing of it was kept")
    }

    /// Returns a cancellation check for requests to a model.
    pub(super) fn pace(&self) -> Pace {
        let stop = self.clone();
        Pace::until(move || stop.is_at_once())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asked_once_it_ends_after_what_is_in_hand_and_asked_twice_at_once() {
        let stop = Stop::default();
        assert!(!stop.is_asked() && !stop.is_at_once());
        stop.ask();
        assert!(stop.is_asked() && !stop.is_at_once() && !stop.pace().is_called_off());
        stop.clone().ask();
        assert!(stop.is_at_once() && stop.pace().is_called_off());
        assert_eq!(stop.kind(), Kind::Interrupted);
        stop.terminate();
        assert_eq!(stop.kind(), Kind::Terminated);
    }
}
