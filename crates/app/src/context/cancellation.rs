//! Cancels long-running work: after the current step, or immediately.
//!
//! Surfaces request the stop. The work checks for it between steps; a request to a model checks
//! continuously.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind};
use cm_llm::RetrySleeper;

/// A flag that stops long operations; clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Cancellation {
    is_requested: Arc<AtomicBool>,
    is_immediate: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Cancellation {
    /// Requests a stop after the current step; the second request stops immediately.
    pub fn request(&self) {
        if self.is_requested.swap(true, Ordering::SeqCst) {
            self.is_immediate.store(true, Ordering::SeqCst);
        }
    }

    /// Requests an immediate stop.
    pub fn request_now(&self) {
        self.is_requested.store(true, Ordering::SeqCst);
        self.is_immediate.store(true, Ordering::SeqCst);
    }

    /// Requests an immediate stop because the system terminates the program.
    pub fn terminate(&self) {
        self.terminated.store(true, Ordering::SeqCst);
        self.request_now();
    }

    pub fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::SeqCst)
    }

    /// Returns whether the current step must be aborted.
    pub fn is_immediate(&self) -> bool {
        self.is_immediate.load(Ordering::SeqCst)
    }

    /// Returns the atomic flag that becomes true on an immediate stop, for use in a signal handler.
    pub fn immediate_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_immediate)
    }

    /// Returns `Terminated` after [`Self::terminate`], else `Interrupted`.
    pub fn kind(&self) -> ErrorKind {
        if self.terminated.load(Ordering::SeqCst) { ErrorKind::Terminated } else { ErrorKind::Interrupted }
    }

    /// Returns the error that reports an interrupted operation.
    pub fn error(&self) -> Error {
        Error::new(self.kind(), "interrupted", "stopped; nothing was saved")
    }

    /// Returns the wait between retries of a model request; an immediate stop ends it early.
    pub(crate) fn retry_pause(&self) -> RetrySleeper {
        let stop = self.clone();
        RetrySleeper::until(move || stop.is_immediate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asked_once_it_ends_after_what_is_in_hand_and_asked_twice_at_once() {
        let stop = Cancellation::default();
        assert!(!stop.is_requested() && !stop.is_immediate());
        stop.request();
        assert!(stop.is_requested() && !stop.is_immediate() && !stop.retry_pause().is_cancelled());
        stop.clone().request();
        assert!(stop.is_immediate() && stop.retry_pause().is_cancelled());
        assert_eq!(stop.kind(), ErrorKind::Interrupted);
        stop.terminate();
        assert_eq!(stop.kind(), ErrorKind::Terminated);
    }
}
