//! How a session ended.

use cm_text::named_enum;

named_enum! {
    /// Outcome of a session.
    #[derive(Default)]
    pub enum SessionStatus {
        /// The session reached its goal.
        Success = "success",
        /// The session did not reach its goal.
        Failure = "failure",
        /// The session reached something, but its end is open.
        Partial = "partial",
        /// The evidence is contradictory.
        Mixed = "mixed",
        /// The log contains no evidence.
        #[default]
        Unknown = "unknown",
    }
}
