//! The quotes from sessions that rules carry as evidence, with what is found of them here.

use schemars::JsonSchema;
use serde::Serialize;

pub use cm_learn::diary::StatementAuthor;
use cm_learn::evidence_quote::EvidenceQuote;

/// A quote with its place. The place is null where the quote names none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuoteDetails {
    /// The quoted words.
    pub text: String,
    pub author: Option<StatementAuthor>,
    /// Session id.
    pub session: Option<String>,
    /// Line in the session's log, from 1.
    pub line: Option<u64>,
    /// Day, as `2026-11-01`.
    pub date: Option<String>,
    /// Whether a log or a receipt of the session is known here, so that it can be shown.
    pub is_session_known: bool,
    /// Whether the log of the session has the quote on this line as words that a person typed.
    pub is_typed: bool,
}

impl QuoteDetails {
    /// Parses a quote. A text of another form is a quote without a place. Nothing is looked up.
    pub fn parse(quote: &str) -> Self {
        let without_place = Self {
            text: quote.to_owned(),
            author: None,
            session: None,
            line: None,
            date: None,
            is_session_known: false,
            is_typed: false,
        };
        match EvidenceQuote::parse(quote) {
            Some(EvidenceQuote { author, session, line, day, text }) => {
                Self { text, author: Some(author), session: Some(session), line, date: day, ..without_place }
            }
            None => without_place,
        }
    }
}
