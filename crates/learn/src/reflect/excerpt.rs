//! Renders a session as text of limited length, one event per line.
//!
//! It shortens tool output first, then arguments, agent messages and user messages; then it drops
//! whole events from the middle, in the same order. Thinking, injected text and notices of programs
//! are never included.

use crate::prose::without_injected;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::injected_markers;

/// Maximum length of a session that is put into a model's prompt, in characters.
pub const MAX_EXCERPT_CHARS: usize = 50_000;

/// Kind of text in a session, from the first to the last to be shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Output,
    Argument,
    Agent,
    Person,
}

struct ExcerptPiece {
    head: String,
    text: String,
    sort: TextKind,
}

/// Steps for shortening a session: each limits the length of one kind of text, in characters. They
/// are applied in order until the session fits.
const STAGES: [(TextKind, usize); 12] = [
    (TextKind::Output, 4_000),
    (TextKind::Output, 1_500),
    (TextKind::Output, 600),
    (TextKind::Output, 200),
    (TextKind::Output, 0),
    (TextKind::Argument, 1_000),
    (TextKind::Argument, 200),
    (TextKind::Agent, 2_000),
    (TextKind::Agent, 600),
    (TextKind::Agent, 200),
    (TextKind::Person, 2_000),
    (TextKind::Person, 500),
];

/// Renders a session in at most `most` characters. Each event starts with its log line, as in `L12
/// person: …`.
pub fn excerpt(events: &[SessionEvent], most: usize) -> String {
    let mut pieces: Vec<ExcerptPiece> = events.iter().filter_map(piece).collect();
    for (sort, length) in STAGES {
        if size(&pieces) <= most {
            break;
        }
        for piece in pieces.iter_mut().filter(|piece| piece.sort == sort) {
            piece.text = without_middle(&piece.text, length);
        }
    }
    if size(&pieces) > most {
        drop_middle(&mut pieces, most);
    }
    let text = pieces.iter().map(ExcerptPiece::written).collect::<String>();
    without_middle(text.trim_end(), most)
}

fn size(pieces: &[ExcerptPiece]) -> usize {
    pieces.iter().map(|piece| piece.head.chars().count() + piece.text.chars().count() + 3).sum()
}

impl ExcerptPiece {
    fn written(&self) -> String {
        format!("{}: {}\n", self.head, self.text.trim())
    }
}

fn piece(event: &SessionEvent) -> Option<ExcerptPiece> {
    let line = event.line;
    let side = if event.side { " (sub-agent)" } else { "" };
    let own = |text: &str| injected_markers::strip_injected(text).unwrap_or_else(|| text.to_owned());
    let (who, text, sort) = match &event.kind {
        EventKind::UserPrompt { text } => ("person".to_owned(), without_injected(text), TextKind::Person),
        EventKind::AssistantText { text } => ("agent".to_owned(), own(text), TextKind::Agent),
        EventKind::ToolCall { name, input, .. } => {
            let text = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
            (format!("call of {name}"), own(&text), TextKind::Argument)
        }
        EventKind::ToolResult { outcome, text, .. } => {
            let how = match outcome {
                ToolOutcome::Ok => "result",
                ToolOutcome::Error => "error",
                ToolOutcome::Unknown => "output",
            };
            (how.to_owned(), own(text), TextKind::Output)
        }
        EventKind::PersonCommand { command, output, .. } => {
            let output = output.as_deref().unwrap_or("");
            ("person ran".to_owned(), own(&format!("{command}\n{output}")), TextKind::Output)
        }
        EventKind::Interrupt => ("person".to_owned(), "(interrupted the agent)".to_owned(), TextKind::Person),
        EventKind::ToolRejected { .. } => {
            ("person".to_owned(), "(did not allow the tool call)".to_owned(), TextKind::Person)
        }
        EventKind::Error { .. } => {
            ("program".to_owned(), "(the agent's program failed)".to_owned(), TextKind::Person)
        }
        EventKind::Injected { .. }
        | EventKind::Thinking { .. }
        | EventKind::Compaction { .. }
        | EventKind::ModelChange { .. }
        | EventKind::System { .. } => return None,
    };
    Some(ExcerptPiece { head: format!("L{line} {who}{side}"), text, sort })
}

/// Cuts the middle out of a text that is longer than `most` characters, with a note on the number
/// of omitted characters if it fits.
///
/// ```
/// use cm_learn::reflect::excerpt::without_middle;
/// assert_eq!(without_middle("short", 10), "short");
/// assert_eq!(without_middle(&"x".repeat(100), 0), "");
/// ```
pub fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let gap = format!("\n[… {} characters left out …]\n", length - most);
    let room = most.saturating_sub(gap.chars().count());
    if room == 0 {
        return text.chars().take(most).collect();
    }
    let tail = room / 3;
    let head = room - tail;
    let begin: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{begin}{gap}{end}")
}

/// Drops whole events, from the middle outward, until `most` characters are left. Messages of the
/// user are dropped last.
fn drop_middle(pieces: &mut Vec<ExcerptPiece>, most: usize) {
    for sort in [TextKind::Output, TextKind::Argument, TextKind::Agent, TextKind::Person] {
        let mut excess = size(pieces).saturating_sub(most);
        let middle = pieces.len() / 2;
        let mut order: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].sort == sort).collect();
        order.sort_by_key(|at| at.abs_diff(middle));
        let mut out = std::collections::HashSet::new();
        for at in order {
            if excess == 0 {
                break;
            }
            excess =
                excess.saturating_sub(pieces[at].head.chars().count() + pieces[at].text.chars().count() + 3);
            out.insert(at);
        }
        let mut at = 0;
        pieces.retain(|_| (!out.contains(&at), at += 1).0);
        if size(pieces) <= most {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::test_events::*;

    #[test]
    fn the_middle_of_what_tools_printed_goes_first() {
        let output = format!("begin {} end", "x".repeat(60_000));
        let events = log_of([
            person(&"p".repeat(3_000)),
            agent(&"a".repeat(3_000)),
            result("1", ToolOutcome::Error, &output),
        ]);
        let text = excerpt(&events, 20_000);
        assert!(text.contains(&"p".repeat(3_000)) && text.contains(&"a".repeat(3_000)));
        assert!(text.contains("L3 error: begin") && text.contains("left out") && text.ends_with("end"));
    }

    #[test]
    fn what_nobody_stated_is_not_in_it() {
        let hidden = "secret words";
        let events = log_of([
            EventKind::Thinking { text: hidden.into() },
            EventKind::Injected { text: hidden.into() },
            EventKind::System { text: hidden.into() },
            person(&format!("hello <system-reminder>{hidden}</system-reminder>")),
        ]);
        assert_eq!(excerpt(&events, MAX_EXCERPT_CHARS), "L4 person: hello");
    }

    proptest! {
        #[test]
        fn a_session_is_never_over_its_measure(
            texts in prop::collection::vec("[aé日\n]{0,300}", 0..30), most in 0_usize..2_000
        ) {
            let kinds = texts.iter().enumerate().map(|(at, text)| match at % 3 {
                0 => person(text),
                1 => agent(text),
                _ => result("1", ToolOutcome::Ok, text),
            });
            prop_assert!(excerpt(&log_of(kinds), most).chars().count() <= most);
        }
    }
}
