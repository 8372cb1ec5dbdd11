//! Sleeping with cancellation, injected so that tests need not wait.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Interval of checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Sleeps, and reports whether the operation was cancelled.
#[derive(Clone)]
pub struct RetrySleeper {
    sleep: Arc<dyn Fn(Duration) + Send + Sync>,
    called_off: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl RetrySleeper {
    /// Creates a value from a sleep function and a cancellation check.
    pub fn new(
        sleep: impl Fn(Duration) + Send + Sync + 'static,
        called_off: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { sleep: Arc::new(sleep), called_off: Arc::new(called_off) }
    }

    /// Really sleeps, but stops early on cancellation.
    pub fn until(called_off: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let called_off = Arc::new(called_off);
        let checks = Arc::clone(&called_off);
        let sleep = move |mut left: Duration| {
            while !left.is_zero() && !checks() {
                let step = left.min(POLL_INTERVAL);
                thread::sleep(step);
                left -= step;
            }
        };
        Self { sleep: Arc::new(sleep), called_off }
    }

    /// Sleeps for `time`, or until the operation is cancelled.
    pub fn sleep(&self, time: Duration) {
        (self.sleep)(time);
    }

    /// Whether the operation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        (self.called_off)()
    }
}

/// Really sleeps, and is never cancelled.
impl Default for RetrySleeper {
    fn default() -> Self {
        Self::new(thread::sleep, || false)
    }
}

impl fmt::Debug for RetrySleeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pace")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_long_wait_ends_when_it_is_called_off() {
        let checks = AtomicUsize::new(0);
        let retry_sleeper = RetrySleeper::until(move || checks.fetch_add(1, Ordering::SeqCst) >= 2);
        retry_sleeper.sleep(Duration::MAX);
        assert!(retry_sleeper.is_cancelled());
    }

    #[test]
    fn nobody_is_called_off_by_default() {
        assert!(!RetrySleeper::default().is_cancelled());
        RetrySleeper::until(|| false).sleep(Duration::ZERO);
    }
}
