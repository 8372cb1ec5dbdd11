//! How far an operation is, told to who waits for it.

use cm_app::Memory;
use cm_app::sessions::Progress;

/// Tells how many agents' logs were looked at.
pub(super) fn logs_read(memory: &Memory) -> impl FnMut(Progress) + '_ {
    |at| memory.call.watch.tell(at.done as f64, Some(at.of as f64), "reading what is new in agents' logs")
}
