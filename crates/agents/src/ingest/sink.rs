//! Interface through which connectors pass on events.

use cm_session::event::Event;
use cm_session::{Meta, SessionId};

/// Receives the events of a log, one at a time.
///
/// An event is identified by its line and part. It can be sent again, in the same run or a later
/// one, when more of it is known, such as a summary in a later record. The last version applies.
pub trait Sink {
    /// Discards earlier events of this session, because it is read from its beginning.
    fn anew(&mut self, session: &SessionId);

    fn event(&mut self, session: &SessionId, event: Event);

    /// Receives the session's metadata at the end of a reading. It includes the data of earlier
    /// runs.
    fn meta(&mut self, meta: &Meta);

    /// Receives a record that is recognized but has no event.
    fn skipped(&mut self, line: u64, kind: &str, why: Skip) {
        let _ = (line, kind, why);
    }
}

/// Why a recognized record has no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// Internal data of the program: settings, counters, file snapshots.
    Bookkeeping,
    /// Session metadata: title, folder, branch, model.
    About,
    /// Another record contains the same data.
    Duplicate,
    /// The log marks the record as hidden.
    Hidden,
    /// The record was reverted: an abandoned branch, or a turn that was rolled back.
    TakenBack,
    /// The record is empty.
    Empty,
    /// cm created the content.
    Ours,
}

impl Skip {
    /// Returns a short name for display.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bookkeeping => "bookkeeping",
            Self::About => "about the session",
            Self::Duplicate => "duplicate",
            Self::Hidden => "hidden",
            Self::TakenBack => "taken back",
            Self::Empty => "empty",
            Self::Ours => "ours",
        }
    }
}
