//! Progress reports to the client of a running operation.

use cm_app::{Context, Progress};

/// A callback that reports how many agents' logs have been read.
pub(super) fn report_logs_read(context: &Context) -> impl FnMut(Progress) + '_ {
    |at| context.request.watch.report(at.done as f64, Some(at.total as f64), "reading new log entries")
}
