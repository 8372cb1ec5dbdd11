//! Lets the fine model read on beside the answers of a long-lived process.
//!
//! It refreshes nothing: what the index holds is read, and calls bring the index up to the folder.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::error::Result;
use crate::memory::Call;
use crate::warm::Warm;

/// How long vaults are read before they are opened anew.
const SLICE: Duration = Duration::from_secs(2);
/// The pause between a few passages, which leaves the processor to those who wait for an answer.
const BREATH: Duration = Duration::from_millis(20);
/// How often it is asked whether there is anything to read.
const PAUSE: Duration = Duration::from_secs(2);
/// The pause after a failure: a model out of reach, a vault that cannot be opened or written.
const AFTER_FAILURE: Duration = Duration::from_secs(60);

/// Reads in a thread of its own what the fine model lacks in the vaults of a call, as long as anything is kept.
pub fn read_in_background(warm: &Arc<Warm>, call: &Call) {
    let (keeper, call) = (Arc::downgrade(warm), call.clone());
    std::thread::spawn(move || {
        while let Some(more) = read(&keeper, &call) {
            std::thread::sleep(match more {
                Ok(true) => BREATH,
                Ok(false) => PAUSE,
                Err(_) => AFTER_FAILURE,
            });
        }
    });
}

/// Reads for a slice of time: whether there is more; none where nothing is kept any more.
fn read(keeper: &Weak<Warm>, call: &Call) -> Option<Result<bool>> {
    let memory = keeper.upgrade()?.open(call.clone());
    Some(memory.and_then(|memory| memory.read_beside(SLICE, BREATH)))
}
