//! Progress reports to the client of a running operation.

use cm_app::Memory;
use cm_app::sessions::Progress;

/// A callback that reports how many agents' logs have been read.
pub(super) fn logs_read(memory: &Memory) -> impl FnMut(Progress) + '_ {
    |at| memory.call.watch.tell(at.done as f64, Some(at.of as f64), "reading what is new in agents' logs")
}
