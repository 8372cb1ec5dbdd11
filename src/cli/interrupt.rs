//! Ctrl-C and SIGTERM, for commands that finish the current work first.

use cm_app::context::cancellation::Cancellation;

/// Effect of the first Ctrl-C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptMode {
    /// Stops after the current piece of work. The second Ctrl-C stops immediately.
    #[cfg_attr(not(unix), allow(dead_code, reason = "signals are of unix"))]
    AfterCurrent,
    /// Stops the current work immediately.
    Immediately,
}

/// Handles Ctrl-C and SIGTERM from now on. `on_interrupt` is called at the first Ctrl-C of
/// [`InterruptMode::AfterCurrent`]. A Ctrl-C after an immediate stop ends the process.
#[cfg(unix)]
pub fn listen(stop: &Cancellation, mode: InterruptMode, on_interrupt: impl Fn() + Send + 'static) {
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
                match mode {
                    InterruptMode::Immediately => stop.request_now(),
                    InterruptMode::AfterCurrent => {
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
pub fn listen(_stop: &Cancellation, _mode: InterruptMode, _on_interrupt: impl Fn() + Send + 'static) {}
