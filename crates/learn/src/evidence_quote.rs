//! The quotes from sessions that rules and memories carry as evidence, as text such as
//! `the user in 0b9c1f0e line 12 on 2026-11-01: never push to main`. No session is looked up.

use std::fmt;

use crate::diary::StatementAuthor;
use crate::diary::read::unescaped;

/// Beginnings of quotes, each with its author. Of several for one author, the first is written.
const AUTHOR_LEADS: [(&str, StatementAuthor); 5] = [
    ("the user in ", StatementAuthor::Person),
    ("the sender of the session in ", StatementAuthor::Sender),
    ("the agent in ", StatementAuthor::Agent),
    ("the log of ", StatementAuthor::Log),
    ("the log in ", StatementAuthor::Log),
];

/// Words of a session with the place where they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceQuote {
    pub author: StatementAuthor,
    /// Session id, without white space.
    pub session: String,
    /// Line in the session's log, from 1; `None` if unknown.
    pub line: Option<u64>,
    /// Day, as `2026-11-01`; `None` if unknown.
    pub day: Option<String>,
    /// The quoted words.
    pub text: String,
}

impl EvidenceQuote {
    /// A quote without a day.
    pub fn new(author: StatementAuthor, session: &str, line: u64, text: &str) -> Self {
        Self { author, session: session.to_owned(), line: Some(line), day: None, text: text.to_owned() }
    }

    /// Parses a quote; `None` if the text does not begin with an author and a session.
    ///
    /// ```
    /// use cm_learn::evidence_quote::EvidenceQuote;
    /// let quote = EvidenceQuote::parse("the log of s-1 line 7: cargo test failed").unwrap();
    /// assert_eq!((&*quote.session, quote.line, &*quote.text), ("s-1", Some(7), "cargo test failed"));
    /// assert_eq!(EvidenceQuote::parse("the user in the room: hello"), None);
    /// ```
    pub fn parse(quote: &str) -> Option<Self> {
        let (author, rest) =
            AUTHOR_LEADS.iter().find_map(|(lead, author)| Some((*author, quote.strip_prefix(lead)?)))?;
        let (place, text) = rest.split_once(": ")?;
        let (place, day) = match place.split_once(" on ") {
            Some((place, day)) => (place, Some(day.to_owned())),
            None => (place, None),
        };
        let (session, line) = match place.split_once(" line ") {
            Some((session, line)) => (session, Some(line.parse().ok()?)),
            None => (place, None),
        };
        let is_id = !session.is_empty() && !session.contains(char::is_whitespace);
        is_id.then(|| Self { author, session: session.to_owned(), line, day, text: text.to_owned() })
    }

    /// Beginning of the quotes of an author, up to the session id.
    pub fn lead(author: StatementAuthor) -> &'static str {
        AUTHOR_LEADS.iter().find(|(_, other)| *other == author).map_or("", |(lead, _)| lead)
    }
}

/// Returns the quotes that the body of a memory lists as evidence, without their Markdown escapes.
pub fn quotes_in_body(body: &str) -> Vec<String> {
    let items = body.lines().filter_map(|line| line.strip_prefix("- ")).map(unescaped);
    items.filter(|item| EvidenceQuote::parse(item).is_some()).collect()
}

impl fmt::Display for EvidenceQuote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::lead(self.author), self.session)?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        if let Some(day) = &self.day {
            write!(f, " on {day}")?;
        }
        write!(f, ": {}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_place_of_a_quote_is_parsed_and_other_text_is_not_a_quote() {
        let quote = EvidenceQuote::parse("the user in s-1 line 3 on 2026-11-01: use pnpm: always");
        let expected = EvidenceQuote {
            day: Some("2026-11-01".to_owned()),
            ..EvidenceQuote::new(StatementAuthor::Person, "s-1", 3, "use pnpm: always")
        };
        assert_eq!(quote, Some(expected));
        let without_line = EvidenceQuote::parse("the user in s-1: use pnpm").unwrap();
        assert_eq!((without_line.session.as_str(), without_line.line), ("s-1", None));
        for text in ["it answers: yes", "the user in the room: hello", "the user in s-1 line x: y", ""] {
            assert_eq!(EvidenceQuote::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_quotes_of_a_memory_are_the_items_of_its_body_that_name_their_place() {
        let body = "# A\n\n- an item\n\n## Evidence\n\n- the user in s-1 line 3: use \\#main, `a_b`\n- the log of s-2: x\n";
        assert_eq!(quotes_in_body(body), ["the user in s-1 line 3: use #main, `a_b`", "the log of s-2: x"]);
    }

    #[test]
    fn both_forms_of_a_quote_of_the_log_are_parsed() {
        let quote = EvidenceQuote::new(StatementAuthor::Log, "s-1", 3, "`make` failed");
        for text in ["the log of s-1 line 3: `make` failed", "the log in s-1 line 3: `make` failed"] {
            assert_eq!(EvidenceQuote::parse(text).as_ref(), Some(&quote));
        }
    }

    proptest! {
        #[test]
        fn a_written_quote_is_parsed_to_the_same(
            author in prop::sample::select(AUTHOR_LEADS.map(|(_, author)| author).to_vec()),
            session in "[a-zA-Z0-9_.-]{1,40}",
            line in prop::option::of(any::<u64>()),
            day in prop::option::of("20[0-9]{2}-[01][0-9]-[0-3][0-9]"),
            text in "(\\PC|: | on | line ){0,40}",
        ) {
            let quote = EvidenceQuote { author, session, line, day, text };
            prop_assert_eq!(EvidenceQuote::parse(&quote.to_string()), Some(quote));
        }
    }
}
