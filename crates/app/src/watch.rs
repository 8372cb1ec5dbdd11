//! Progress reports and cancellation of long operations.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Kind, Result};

/// A progress report.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Amount done; greater than in the previous report.
    pub done: f64,
    /// Total amount, if known.
    pub total: Option<f64>,
    /// Short description of the current step.
    pub message: String,
}

/// Receives progress reports and can cancel the operation.
#[derive(Clone, Default)]
pub struct Watch {
    called_off: Arc<AtomicBool>,
    listener: Option<Arc<dyn Fn(Step) + Send + Sync>>,
}

impl Watch {
    /// Creates a watch that passes every report to `listener`.
    pub fn told(listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self { called_off: Arc::default(), listener: Some(Arc::new(listener)) }
    }

    /// Creates a watch without a listener that is cancelled by this flag.
    pub fn called_off_by(flag: Arc<AtomicBool>) -> Self {
        Self { called_off: flag, listener: None }
    }

    /// Reports progress.
    pub fn tell(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(listener) = &self.listener {
            listener(Step { done, total, message: message.into() });
        }
    }

    /// Requests cancellation, because the caller no longer waits for the result.
    pub fn call_off(&self) {
        self.called_off.store(true, Ordering::Relaxed);
    }

    /// Returns whether cancellation was requested.
    pub fn is_called_off(&self) -> bool {
        self.called_off.load(Ordering::Relaxed)
    }

    /// Checks for cancellation; operations call it where they can stop without partial results.
    ///
    /// # Errors
    /// Returns `called-off` if cancellation was requested.
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
