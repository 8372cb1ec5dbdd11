//! A note in the inbox as a person reads it before a decision: text, evidence, score and problems.

use crate::web::words::{ShownTime, note_address, type_name, without_title};
use cm_app::sessions::evidence_quote::{QuoteDetails, StatementAuthor};
use cm_app::verbs::inbox::InboxNote;
use cm_app::verbs::inbox_details::ReviewedText;
use cm_note::finding::Severity;
use cm_note::instant::Instant;
use cm_render::html;

/// Length in characters up to which a text is shown without a click.
const MAX_OPEN_CHARS: usize = 700;

/// A note to decide on.
pub(super) struct Reviewed {
    pub(super) id: String,
    pub(super) address: String,
    pub(super) title: String,
    pub(super) kind: String,
    /// State, step, category, score and feedback, in words.
    pub(super) facts: Vec<String>,
    pub(super) times: Vec<(&'static str, ShownTime)>,
    /// The text as HTML, without a first paragraph that repeats the title.
    pub(super) body: String,
    pub(super) is_short: bool,
    pub(super) quotes: Vec<Quote>,
    /// Problems in the note, with their line.
    pub(super) findings: Vec<String>,
}

/// A quote with its author and place.
pub(super) struct Quote {
    pub(super) text: String,
    /// Such as `a person, line 12`; empty if the quote names no place.
    pub(super) place: String,
    pub(super) date: Option<String>,
    /// Address of the session, if it is known here.
    pub(super) session: Option<String>,
}

/// Prepares a note of an entry for the page.
pub(super) fn reviewed(note: InboxNote, text: ReviewedText, now: Instant) -> Reviewed {
    let body = without_title(&text.text, &note.title);
    let at = |name, at| ShownTime::maybe(at, now).map(|at| (name, at));
    let times = [at("created", text.created), at("changed", text.updated), at("checked", text.last_checked)];
    Reviewed {
        facts: facts(&text),
        times: times.into_iter().flatten().collect(),
        is_short: body.chars().count() <= MAX_OPEN_CHARS,
        body: if body.is_empty() { String::new() } else { html::note(body, &note.path) },
        quotes: text.evidence.into_iter().map(quote).collect(),
        findings: text
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error || text.has_hidden_characters)
            .map(|finding| match finding.line {
                Some(line) => format!("line {line}: {}", finding.message),
                None => finding.message.clone(),
            })
            .collect(),
        address: note_address(&note.id),
        id: note.id,
        title: note.title,
        kind: type_name(&note.note_type),
    }
}

fn facts(text: &ReviewedText) -> Vec<String> {
    let feedback = |n, word: &str| (n > 0).then(|| format!("{n} {word}"));
    let origin = (!text.origin.is_empty()).then(|| format!("by {}", text.origin));
    let score = text.score.map(|score| format!("score {score:.2}"));
    let words = [text.state.clone(), text.maturity.clone(), text.category.clone(), score];
    let hidden = text.has_hidden_characters.then(|| "hidden characters, shown by code".to_owned());
    let counts = [feedback(text.helpful, "helpful"), feedback(text.harmful, "harmful"), origin, hidden];
    let tags = text.tags.iter().map(|tag| format!("#{tag}"));
    words.into_iter().chain(counts).flatten().chain(tags).collect()
}

fn quote(quote: QuoteDetails) -> Quote {
    let author = quote.author.map(|author| match author {
        StatementAuthor::Person if quote.is_typed => "a person",
        // Nothing here shows that a person typed it.
        StatementAuthor::Person => "a person, as the note says",
        StatementAuthor::Sender => "the sender of the session",
        StatementAuthor::Agent => "the agent",
        StatementAuthor::Log => "the log",
    });
    let line = quote.line.map(|line| format!("line {line}"));
    let place = author.map(str::to_owned).into_iter().chain(line);
    let session = quote.session.filter(|_| quote.is_session_known);
    Quote {
        text: quote.text,
        place: place.collect::<Vec<_>>().join(", "),
        date: quote.date,
        session: session.map(|session| format!("/sessions/{}", html::encode(&session))),
    }
}
