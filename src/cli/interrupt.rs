//! Ctrl-C and SIGTERM, for commands that finish the current work first.

use cm_app::context::cancellation::Cancellation;

/// What the first Ctrl-C stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// Everything after the current piece of work.
    #[cfg_attr(not(unix), allow(dead_code, reason = "signals are of unix"))]
    Soon,
    /// The current work immediately.
    AtOnce,
}

/// Handles Ctrl-C and SIGTERM from now on. `heard` is called at the first one; the third one ends the process.
#[cfg(unix)]
pub fn listen(stop: &Cancellation, first: First, on_interrupt: impl Fn() + Send + 'static) {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    let (interrupted, terminated) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    // If the handlers cannot be installed, signals end the process as usual.
    let _ = flag::register_conditional_default(SIGINT, stop.immediate_flag());
    let registered = flag::register(SIGINT, Arc::clone(&interrupted))
        .and_then(|_| flag::register(SIGTERM, Arc::clone(&terminated)));
    if registered.is_err() {
        return;
    }
    let stop = stop.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(20));
            if terminated.swap(false, Ordering::SeqCst) {
                stop.terminate();
            }
            if interrupted.swap(false, Ordering::SeqCst) {
                match first {
                    First::AtOnce => stop.request_now(),
                    First::Soon => {
                        stop.request();
                        if !stop.is_immediate() {
                            on_interrupt();
                        }
                    }
                }
            }
        }
    });
}

/// Without Unix signals, Ctrl-C ends the process. Finished work is kept.
#[cfg(not(unix))]
pub fn listen(_stop: &Cancellation, _first: First, _heard: impl Fn() + Send + 'static) {}
