//! How waiting is done, and how somebody who waits is called off; passed in, so that a test need not wait.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The longest sleep without a look at whether one was called off.
const STEP: Duration = Duration::from_millis(50);

/// Sleeps, and knows whether the work was called off.
#[derive(Clone)]
pub struct Pace {
    sleep: Arc<dyn Fn(Duration) + Send + Sync>,
    called_off: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Pace {
    /// Sleeps by the first, and asks the second whether to go on.
    pub fn new(
        sleep: impl Fn(Duration) + Send + Sync + 'static,
        called_off: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { sleep: Arc::new(sleep), called_off: Arc::new(called_off) }
    }

    /// Sleeps for real, but not on when called off.
    pub fn until(called_off: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let called_off = Arc::new(called_off);
        let asked = Arc::clone(&called_off);
        let sleep = move |mut left: Duration| {
            while !left.is_zero() && !asked() {
                let step = left.min(STEP);
                thread::sleep(step);
                left -= step;
            }
        };
        Self { sleep: Arc::new(sleep), called_off }
    }

    /// Sleeps for so long, or until called off.
    pub fn sleep(&self, time: Duration) {
        (self.sleep)(time);
    }

    /// Whether the work was called off.
    pub fn is_called_off(&self) -> bool {
        (self.called_off)()
    }
}

/// Sleeps for real, and is never called off.
impl Default for Pace {
    fn default() -> Self {
        Self::new(thread::sleep, || false)
    }
}

impl fmt::Debug for Pace {
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
        let asked = AtomicUsize::new(0);
        let pace = Pace::until(move || asked.fetch_add(1, Ordering::SeqCst) >= 2);
        pace.sleep(Duration::MAX);
        assert!(pace.is_called_off());
    }

    #[test]
    fn nobody_is_called_off_by_default() {
        assert!(!Pace::default().is_called_off());
        Pace::until(|| false).sleep(Duration::ZERO);
    }
}
