//! The quotes from sessions that rules carry as evidence, with the place that each names.

use schemars::JsonSchema;
use serde::Serialize;

use cm_learn::diary::StatementAuthor;

/// Author of a quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuoteAuthor {
    /// A person, at a prompt.
    Person,
    /// The program or agent that started the session.
    Sender,
    Agent,
    /// The log: a command, its result, or an edit.
    Log,
}

impl QuoteAuthor {
    /// The author as quotes name it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Person => "the user",
            Self::Sender => "the sender of the session",
            Self::Agent => "the agent",
            Self::Log => "the log",
        }
    }

    pub(crate) fn of(author: StatementAuthor) -> Self {
        match author {
            StatementAuthor::Person => Self::Person,
            StatementAuthor::Sender => Self::Sender,
            StatementAuthor::Agent => Self::Agent,
            StatementAuthor::Log => Self::Log,
        }
    }
}

/// A quote with its place. The place is null where the quote names none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EvidenceQuote {
    /// The quoted words.
    pub text: String,
    pub author: Option<QuoteAuthor>,
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

/// Beginnings of quotes, each with the author that it stands for.
const AUTHORS: [(&str, QuoteAuthor); 5] = [
    ("the user in ", QuoteAuthor::Person),
    ("the sender of the session in ", QuoteAuthor::Sender),
    ("the agent in ", QuoteAuthor::Agent),
    ("the log in ", QuoteAuthor::Log),
    ("the log of ", QuoteAuthor::Log),
];

impl EvidenceQuote {
    /// Parses a quote such as `the user in 0b9c1f0e line 12 on 2026-11-01: never push to main`. A
    /// text of another form is a quote without a place. Nothing is looked up.
    ///
    /// ```
    /// use cm_app::sessions::evidence_quote::EvidenceQuote;
    /// let quote = EvidenceQuote::parse("the log of s-1 line 7: cargo test failed");
    /// assert_eq!((quote.session.as_deref(), quote.line, &*quote.text), (Some("s-1"), Some(7), "cargo test failed"));
    /// ```
    pub fn parse(quote: &str) -> Self {
        Self::with_place(quote).unwrap_or_else(|| Self {
            text: quote.to_owned(),
            author: None,
            session: None,
            line: None,
            date: None,
            is_session_known: false,
            is_typed: false,
        })
    }

    fn with_place(quote: &str) -> Option<Self> {
        let (author, rest) =
            AUTHORS.iter().find_map(|(begin, author)| Some((*author, quote.strip_prefix(begin)?)))?;
        let (place, text) = rest.split_once(": ")?;
        let (place, date) = match place.split_once(" on ") {
            Some((place, date)) => (place, Some(date.to_owned())),
            None => (place, None),
        };
        let (session, line) = match place.split_once(" line ") {
            Some((session, line)) => (session, Some(line.parse().ok()?)),
            None => (place, None),
        };
        let is_id = !session.is_empty() && !session.contains(char::is_whitespace);
        is_id.then(|| Self {
            text: text.to_owned(),
            author: Some(author),
            session: Some(session.to_owned()),
            line,
            date,
            is_session_known: false,
            is_typed: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_quote_is_read_and_other_text_is_only_text() {
        let quote = EvidenceQuote::parse("the user in s-1 line 3 on 2026-11-01: use pnpm: always");
        let expected = EvidenceQuote {
            text: "use pnpm: always".to_owned(),
            author: Some(QuoteAuthor::Person),
            session: Some("s-1".to_owned()),
            line: Some(3),
            date: Some("2026-11-01".to_owned()),
            is_session_known: false,
            is_typed: false,
        };
        assert_eq!(quote, expected);
        let without_line = EvidenceQuote::parse("the user in s-1: use pnpm");
        assert_eq!((without_line.session.as_deref(), without_line.line), (Some("s-1"), None));
        for text in ["it answers: yes", "the user in the room: hello", "the user in s-1 line x: y", ""] {
            let quote = EvidenceQuote::parse(text);
            assert_eq!((quote.text.as_str(), quote.session), (text, None), "{text}");
        }
    }
}
