//! Where a connector puts what it reads.

use cm_session::event::Event;
use cm_session::{Meta, SessionId};

/// Takes what a log tells, one event at a time.
///
/// An event is known by its line and part. The same may be told again, in one run or a later one, when more of it is
/// known: a summary that came in a later record, a block of text that was not at its end. The last word counts.
pub trait Sink {
    /// This session is told from its beginning: what an earlier run told of it is void.
    fn anew(&mut self, session: &SessionId);

    /// Something happened.
    fn event(&mut self, session: &SessionId, event: Event);

    /// What is known of a session now; comes last. Of a session that is read on, it holds what earlier runs saw too.
    fn meta(&mut self, meta: &Meta);

    /// A record that is understood and tells no event.
    fn skipped(&mut self, line: u64, kind: &str, why: Skip) {
        let _ = (line, kind, why);
    }
}

/// Why an understood record is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// The program's own accounts: settings, counters, snapshots of files.
    Bookkeeping,
    /// It says of the session, not what happened: title, folder, branch, model.
    About,
    /// Another record tells the same.
    Duplicate,
    /// The log marks it as not shown to anybody.
    Hidden,
    /// It was taken back: a branch that was left, a turn that was rolled back.
    TakenBack,
    /// There is nothing in it.
    Empty,
    /// `cm` put it there.
    Ours,
}

impl Skip {
    /// In a word or two.
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
