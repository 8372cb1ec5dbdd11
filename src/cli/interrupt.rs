//! Ctrl-C and the system's wish to end a program, for commands that finish what is in hand first.

use cm_app::stop::Cancellation;

/// What a first Ctrl-C ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// The work after what is in hand.
    #[cfg_attr(not(unix), allow(dead_code, reason = "signals are of unix"))]
    Soon,
    /// The work at once.
    AtOnce,
}

/// Takes Ctrl-C as a wish for an end from here on; `heard` is told of the first one. A third one ends the program itself.
#[cfg(unix)]
pub fn listen(stop: &Cancellation, first: First, heard: impl Fn() + Send + 'static) {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    let (interrupted, terminated) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    // Where signals cannot be heard, they end the program, as ever.
    let _ = flag::register_conditional_default(SIGINT, stop.at_once());
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
                            heard();
                        }
                    }
                }
            }
        }
    });
}

/// Elsewhere, Ctrl-C ends the program; what was finished is kept.
#[cfg(not(unix))]
pub fn listen(_stop: &Cancellation, _first: First, _heard: impl Fn() + Send + 'static) {}
