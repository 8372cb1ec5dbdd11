//! Progress reports and cancellation of long operations.

use std::fmt;
use std::sync::Arc;

use super::cancellation::Cancellation;
use crate::error::{Error, ErrorKind, Result};

/// Number of finished items and the total number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub done: usize,
    pub total: usize,
}

/// A progress report of an operation to its client.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressStep {
    /// Amount done; greater than in the previous report.
    pub done: f64,
    /// Total amount, if known.
    pub total: Option<f64>,
    /// Short description of the current step.
    pub message: String,
}

/// Passes progress reports to a listener and carries the request to cancel the operation.
#[derive(Clone, Default)]
pub struct ProgressWatch {
    cancellation: Cancellation,
    listener: Option<Arc<dyn Fn(ProgressStep) + Send + Sync>>,
}

impl ProgressWatch {
    /// Creates a watch that passes every progress report to `listener`.
    pub fn with_listener(listener: impl Fn(ProgressStep) + Send + Sync + 'static) -> Self {
        Self { cancellation: Cancellation::default(), listener: Some(Arc::new(listener)) }
    }

    /// Creates a watch without a listener that is cancelled when `stop` demands an immediate stop.
    pub fn cancelled_by(stop: &Cancellation) -> Self {
        Self { cancellation: stop.clone(), listener: None }
    }

    pub fn report(&self, done: f64, total: Option<f64>, message: impl Into<String>) {
        if let Some(listener) = &self.listener {
            listener(ProgressStep { done, total, message: message.into() });
        }
    }

    /// Requests cancellation, because the caller no longer waits for the result.
    pub fn cancel(&self) {
        self.cancellation.request_now();
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_immediate()
    }

    /// Checks for cancellation; operations call it where they can stop without partial results.
    ///
    /// # Errors
    /// Returns `called-off` if cancellation was requested.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::new(ErrorKind::Failed, "called-off", "cancelled by the caller"))
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for ProgressWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("called_off", &self.is_cancelled()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_was_called_off_does_not_go_on() {
        let watch = ProgressWatch::default();
        assert!(watch.check_cancelled().is_ok());
        watch.clone().cancel();
        assert_eq!(watch.check_cancelled().unwrap_err().code, "called-off");
    }
}
