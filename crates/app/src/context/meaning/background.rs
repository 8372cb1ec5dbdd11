//! Embeds notes with the fine model in the background of a long-lived process.
//!
//! Only notes in the index are embedded; other requests refresh the index.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::context::process_cache::ProcessCache;
use crate::context::request::Request;
use crate::error::Result;

/// Duration of one slice of work, after which the vaults are opened again.
const SLICE_DURATION: Duration = Duration::from_secs(2);
/// Pause between batches, which leaves processor time to requests.
const BATCH_PAUSE: Duration = Duration::from_millis(20);
/// Polling interval when there is nothing to embed.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Pause after a failure, such as an unreachable model or a vault that cannot be opened.
const FAILURE_PAUSE: Duration = Duration::from_secs(60);

/// Starts a thread that embeds missing passages with the fine model until
/// `process_cache` is dropped.
pub fn read_in_background(process_cache: &Arc<ProcessCache>, request: &Request) {
    let (keeper, request) = (Arc::downgrade(process_cache), request.clone());
    std::thread::spawn(move || {
        while let Some(more) = read(&keeper, &request) {
            std::thread::sleep(match more {
                Ok(true) => BATCH_PAUSE,
                Ok(false) => IDLE_POLL_INTERVAL,
                Err(_) => FAILURE_PAUSE,
            });
        }
    });
}

/// Embeds passages for [`SLICE_DURATION`]. Returns whether passages remain; `None` if the process cache was
/// dropped.
fn read(keeper: &Weak<ProcessCache>, request: &Request) -> Option<Result<bool>> {
    let context = keeper.upgrade()?.open(request.clone());
    Some(context.and_then(|context| context.embed_slice(SLICE_DURATION, BATCH_PAUSE)))
}
