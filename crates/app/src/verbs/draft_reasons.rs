//! Says in a few words why a rule or a memory is still a draft, from what its note records. No session is read.

use std::collections::BTreeSet;

use crate::context::open_vault::OpenVault;
use cm_learn::diary::StatementAuthor;
use cm_learn::evidence_quote::{EvidenceQuote, quotes_in_body};
use cm_learn::reflect::grounding::missing_parts;
use cm_note::bullet::Bullet;
use cm_note::frontmatter::split::Split;
use cm_note::note::suspicion::{order, payload};
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_text::plural::count;

/// Maximum number of words that a reason names.
const MAX_NAMED_WORDS: usize = 3;

/// Returns why a rule is a draft, for display; `None` if the note is not a rule.
pub(super) fn draft_reason(note: &Note) -> Option<String> {
    let bullet = Bullet::of(note)?;
    let is_harm = |event: &Feedback| event.signal == FeedbackSignal::Harmful && event.weight > 0.0;
    let has_tag = |tag: &str| bullet.tags.iter().any(|other| other == tag);
    if bullet.fields.incident.is_some() {
        return Some("an incident; the guard blocks the command once this is accepted".to_owned());
    }
    if bullet.feedback.iter().any(is_harm) {
        return Some("it was reported as harmful".to_owned());
    }
    if let Some(doubt) = payload(bullet.content()) {
        return Some(doubt.to_owned());
    }
    if has_tag("inverted") {
        return Some("it was made from a harmful rule, and its wording is unsure".to_owned());
    }
    let evidence = &bullet.fields.derived_from.evidence;
    let quotes: Vec<EvidenceQuote> =
        evidence.iter().filter_map(|quote| EvidenceQuote::parse(quote)).collect();
    Some(match quotes.as_slice() {
        [] if has_tag("imported") => "imported from a rule file".to_owned(),
        [] => match bullet.fields.sources.first() {
            Some(source) => {
                let agent = source.agent.as_deref().unwrap_or("an agent");
                format!("proposed by {agent}; no person stated it and no other session supports it")
            }
            None => "no session supports it".to_owned(),
        },
        quotes => reason_of_quotes(&bullet, quotes),
    })
}

/// Returns why a memory is a draft, for display; `None` if it is not one, or if the note does not say why.
pub(super) fn draft_memory_reason(open: &OpenVault, note: &Note) -> Option<String> {
    if note.kind != NoteKind::Memory || note.state.as_deref() != Some(Note::DRAFT) {
        return None;
    }
    if let Some(doubt) = order(&note.title).or_else(|| order(&note.summary)) {
        return Some(doubt.to_owned());
    }
    let bytes = open.vault.read(&note.path).unwrap_or_default();
    let quotes = quotes_in_body(Split::of(&String::from_utf8_lossy(&bytes)).body());
    let quotes: Vec<EvidenceQuote> = quotes.iter().filter_map(|quote| EvidenceQuote::parse(quote)).collect();
    let typed = quotes.iter().filter(|quote| quote.author == StatementAuthor::Person);
    let sessions: BTreeSet<&str> = typed.map(|quote| quote.session.as_str()).collect();
    match sessions.len() {
        0 if note.agent.is_some() || note.session.is_some() => {
            Some(format!("by {}, confirmed by no person", note.origin()))
        }
        0 => None,
        times => Some(reason_of_typed(times)),
    }
}

/// Says that what a person typed in this number of sessions is a draft.
fn reason_of_typed(sessions: usize) -> String {
    match sessions {
        1 => "a person typed it in one session, perhaps for that task only".to_owned(),
        times => format!("a person typed it in {}", count(times, "session")),
    }
}

/// Returns why these quotes do not activate a rule.
fn reason_of_quotes(bullet: &Bullet, quotes: &[EvidenceQuote]) -> String {
    let is_by = |author: StatementAuthor| quotes.iter().any(|quote| quote.author == author);
    let agent = bullet.fields.sources.iter().find_map(|source| source.agent.as_deref()).unwrap_or("an agent");
    let sessions: BTreeSet<&str> = quotes.iter().map(|quote| quote.session.as_str()).collect();
    if is_by(StatementAuthor::Person) {
        let texts: Vec<&str> = quotes.iter().map(|quote| quote.text.as_str()).collect();
        let beyond = missing_parts(bullet.content(), &texts, &[]);
        let words: Vec<_> = beyond.iter().take(MAX_NAMED_WORDS).map(|word| format!("`{word}`")).collect();
        return match words.is_empty() {
            false => format!("the quoted words do not contain {}", words.join(", ")),
            true => reason_of_typed(sessions.len()),
        };
    }
    if is_by(StatementAuthor::Sender) {
        return "the quoted words were not typed at an interactive prompt".to_owned();
    }
    if is_by(StatementAuthor::Log) {
        return format!("counted in commands of {}; no person stated it", count(sessions.len(), "session"));
    }
    format!("proposed by {agent}; no person stated it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::note::{RelationTable, TypeTable, read};
    use cm_note::path::NotePath;

    fn reason(keys: &str, rule: &str) -> Option<String> {
        let text = format!("---\nid: b-1-aaaaaa\ntype: rule\nstate: draft\n{keys}\n---\n\n{rule}\n");
        let path = NotePath::parse("playbook/a/1.md").unwrap();
        let note = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        draft_reason(&note)
    }

    #[test]
    fn a_draft_says_who_proposed_it_and_what_it_lacks() {
        let evidence = |quotes: &[&str]| format!("derived_from:\n  evidence: {quotes:?}");
        let sources = "sources:\n  - session: s-1\n    agent: codex";
        let person = evidence(&["the user in s-1 line 3: use pnpm"]);
        let counted = evidence(&["the log of s-1 line 3: `a` failed", "the log of s-2 line 4: `a` failed"]);
        for (keys, rule, expected) in [
            ("tags: []", "Use pnpm.", "no session supports it"),
            ("tags: [imported]", "Use pnpm.", "imported from a rule file"),
            (sources, "Use pnpm.", "proposed by codex; no person stated it and no other session supports it"),
            (&person, "Use pnpm.", "a person typed it in one session, perhaps for that task only"),
            (&person, "Use pnpm 9.", "the quoted words do not contain `9`"),
            (&counted, "Run `a`.", "counted in commands of 2 sessions; no person stated it"),
        ] {
            assert_eq!(reason(keys, rule).as_deref(), Some(expected), "{keys}");
        }
    }
}
