//! Store and search index of agent sessions.
//!
//! Every event is stored as documents of one stretch (a piece of one speaker's text) each. Sessions
//! and logs have one document each; that of a log holds the cursor where reading continues.
//! Stretches, session and cursor are written in one commit, so that a crash can neither lose nor
//! duplicate an event. This module reads no logs and accepts only redacted text. The store can be
//! deleted and rebuilt from the logs.

mod collect;
mod columns;
mod conversations;
mod evidence;
mod filter;
mod list;
mod meaning;
mod opened;
mod passage_ranges;
mod passages;
mod record;
mod redacted_event;
mod schema;
mod search;
mod store;
mod stretches;
mod writer;

#[cfg(test)]
mod tests;

pub use evidence::ConversationEvidence;
pub use filter::SessionIndexFilter;
pub use list::{IndexedSessionPage, SessionLookup, SessionSummary};
pub use meaning::{ModelScan, SessionMeaning};
pub use passages::SessionPassage;
pub use record::{Log, ParseCounts, Session, SessionKey};
pub use redacted_event::{RedactedEvent, Speaker};
pub use schema::Weights;
pub use search::{ConversationHit, SessionHits, SessionSearchRequest};
pub use store::Sessions;
pub use stretches::{Counts, Stretch};
pub use writer::SessionStoreWriter;
