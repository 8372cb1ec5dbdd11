//! How a long work is called off: after what is in hand, or at once.
//!
//! Surfaces ask for it; a work looks between its pieces, and what waits for a model looks all the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Kind};
use cm_llm::Pace;

/// Whether somebody wants it to end. Clones are one and the same.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    soon: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Stop {
    /// Asks for an end after what is in hand; asked again, at once.
    pub fn ask(&self) {
        if self.soon.swap(true, Ordering::SeqCst) {
            self.at_once.store(true, Ordering::SeqCst);
        }
    }

    /// Asks for an end at once.
    pub fn ask_at_once(&self) {
        self.soon.store(true, Ordering::SeqCst);
        self.at_once.store(true, Ordering::SeqCst);
    }

    /// Asks for an end at once, as the system does.
    pub fn terminate(&self) {
        self.terminated.store(true, Ordering::SeqCst);
        self.ask_at_once();
    }

    /// Whether an end was asked for.
    pub fn is_asked(&self) -> bool {
        self.soon.load(Ordering::SeqCst)
    }

    /// Whether what is in hand is to be dropped.
    pub fn is_at_once(&self) -> bool {
        self.at_once.load(Ordering::SeqCst)
    }

    /// The flag of [`Stop::is_at_once`] itself.
    pub fn at_once(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.at_once)
    }

    /// What kind of end it is.
    pub fn kind(&self) -> Kind {
        if self.terminated.load(Ordering::SeqCst) { Kind::Terminated } else { Kind::Interrupted }
    }

    /// The error of a work that was dropped.
    pub fn error(&self) -> Error {
        Error::new(self.kind(), "interrupted", "stopped before it was done; nothing of it was kept")
    }

    /// How whoever waits for a model waits.
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
