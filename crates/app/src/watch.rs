//! What a long operation tells while it runs, and asks before it goes on. It knows nothing of who listens.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Kind, Result};

/// How far an operation is.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// How much is done; more than at the step before.
    pub done: f64,
    /// Of how much, where that is known.
    pub total: Option<f64>,
    /// What it is at, in a few words.
    pub message: String,
}

/// The one who waits for an operation: hears its steps, and may call it off.
#[derive(Clone, Default)]
pub struct Watch {
    called_off: Arc<AtomicBool>,
    listener: Option<Arc<dyn Fn(Step) + Send + Sync>>,
}

impl Watch {
    /// One who hears each step.
    pub fn told(listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self { called_off: Arc::default(), listener: Some(Arc::new(listener)) }
    }

    /// One who hears no step, and calls off by this flag.
    pub fn called_off_by(flag: Arc<AtomicBool>) -> Self {
        Self { called_off: flag, listener: None }
    }

    /// Tells a step.
    pub fn tell(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(listener) = &self.listener {
            listener(Step { done, total, message: message.into() });
        }
    }

    /// Asks for an end: nobody waits for the answer any more.
    pub fn call_off(&self) {
        self.called_off.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_called_off(&self) -> bool {
        self.called_off.load(Ordering::Relaxed)
    }

    /// To be asked where an operation can stop with nothing half done.
    ///
    /// # Errors
    /// Where it was called off.
    pub fn go_on(&self) -> Result<()> {
        match self.is_called_off() {
            true => Err(Error::new(Kind::Failed, "called-off", "called off by the one who asked")),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("called_off", &self.is_called_off()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_was_called_off_does_not_go_on() {
        let watch = Watch::default();
        assert!(watch.go_on().is_ok());
        watch.clone().call_off();
        assert_eq!(watch.go_on().unwrap_err().code, "called-off");
    }
}
