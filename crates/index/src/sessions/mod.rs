//! The sessions of agents as they were told: a store of what was said, and an index to find it by.
//!
//! What a session told is one document for each stretch of what one speaker said; beside them stand one record for each
//! session and one for each log that was read, with the place where reading goes on. A stretch, its session and its log's
//! cursor are written in one commit, so that a crash can neither lose an event nor tell one twice. It reads no logs, takes
//! only text that went through redaction, and all of it can be deleted and told again from the logs.

mod collect;
mod columns;
mod conversations;
mod evidence;
mod filter;
mod list;
mod opened;
mod record;
mod schema;
mod search;
mod store;
mod stretches;
mod told;
mod writer;

#[cfg(test)]
mod tests;

pub use evidence::Witness;
pub use filter::Filter;
pub use list::{Listed, Listing, Lookup};
pub use record::{Log, Session, SessionKey, Understanding};
pub use search::{Asked, Found, Hit, Weights};
pub use store::Sessions;
pub use stretches::{Counts, Stretch};
pub use told::{Speaker, Told};
pub use writer::Writer;
