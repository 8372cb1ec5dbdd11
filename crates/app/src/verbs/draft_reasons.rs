//! Says in a few words why a rule is still a draft, from what its note records. No session is read.

use std::collections::BTreeSet;

use cm_learn::diary::StatementAuthor;
use cm_learn::evidence_quote::EvidenceQuote;
use cm_learn::reflect::grounding::missing_parts;
use cm_note::bullet::Bullet;
use cm_note::note::suspicion::payload;
use cm_note::note::{Feedback, FeedbackSignal, Note};
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

/// Returns why these quotes do not activate a rule.
fn reason_of_quotes(bullet: &Bullet, quotes: &[EvidenceQuote]) -> String {
    let is_by = |author: StatementAuthor| quotes.iter().any(|quote| quote.author == author);
    let agent = bullet.fields.sources.iter().find_map(|source| source.agent.as_deref()).unwrap_or("an agent");
    let sessions: BTreeSet<&str> = quotes.iter().map(|quote| quote.session.as_str()).collect();
    if is_by(StatementAuthor::Person) {
        let texts: Vec<&str> = quotes.iter().map(|quote| quote.text.as_str()).collect();
        let beyond = missing_parts(bullet.content(), &texts, &[]);
        let words: Vec<_> = beyond.iter().take(MAX_NAMED_WORDS).map(|word| format!("`{word}`")).collect();
        return match (words.is_empty(), sessions.len()) {
            (false, _) => format!("the quoted words do not contain {}", words.join(", ")),
            (true, 1) => "a person typed it in one session, perhaps for that task only".to_owned(),
            (true, times) => format!("a person typed it in {}", count(times, "session")),
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
