//! Interface through which connectors pass on events.

use cm_session::event::SessionEvent;
use cm_session::{SessionId, SessionMeta};
use cm_text::named_enum;

/// Receives the events of a log, one at a time.
///
/// An event is identified by its line and part. It can be sent again, in the same run or a later
/// one, when more of it is known, such as a summary in a later record. The last version applies.
pub trait EventSink {
    /// Discards earlier events of this session, because it is read from its beginning.
    fn reset(&mut self, session: &SessionId);

    fn event(&mut self, session: &SessionId, event: SessionEvent);

    /// Receives the session's metadata at the end of a reading. It includes the data of earlier
    /// runs.
    fn meta(&mut self, meta: &SessionMeta);

    /// Receives a record that is recognized but has no event.
    fn skipped(&mut self, line: u64, kind: &str, why: SkipReason) {
        let _ = (line, kind, why);
    }
}

named_enum! {
    /// Why a recognized record has no event.
    pub enum SkipReason {
        /// Internal data of the program: settings, counters, file snapshots.
        Bookkeeping = "bookkeeping",
        /// Session metadata: title, folder, branch, model.
        Metadata = "about the session",
        /// Another record contains the same data.
        Duplicate = "duplicate",
        /// The log marks the record as hidden.
        Hidden = "hidden",
        /// The record was reverted: an abandoned branch, or a turn that was rolled back.
        Reverted = "taken back",
        Empty = "empty",
        /// cm created the content.
        OwnContent = "ours",
    }
}
