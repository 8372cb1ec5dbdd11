//! Renders a session as the body of a stash: the user's messages, the outcome, and the sections of
//! a diary.
//!
//! A stash records a session in more detail than a diary and without selecting.

use std::fmt::Write as _;

use crate::diary::note::render_item;
use crate::diary::{Diary, DiaryItem, StatementAuthor, extract};
use crate::outcome::OutcomeVerdict;
use crate::prose::{cut, without_injected};
use cm_note::markdown::escape::{escape_inline, visible};
use cm_session::SessionMeta;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::harness_text::is_scaffold;
use cm_session::status::SessionStatus;

/// Maximum length of a user message in a stash, in characters.
const MAX_MESSAGE_CHARS: usize = 600;
/// Maximum number of user messages in a stash; the middle ones are left out.
const MAX_MESSAGES: usize = 60;

/// Returns the default title for the stash of a session.
pub fn title(meta: &SessionMeta, events: &[SessionEvent]) -> String {
    extract("", meta, events).title
}

/// Renders the Markdown body of a session's stash. Secrets must already be removed from the events.
/// The sections have the names of diary sections. A recorded outcome stands in place of the one that
/// the session shows, without signs for another one.
pub fn body(
    title: &str,
    meta: &SessionMeta,
    events: &[SessionEvent],
    recorded: Option<SessionStatus>,
) -> String {
    let mut diary = extract("", meta, events);
    if let Some(status) = recorded.filter(|status| *status != diary.verdict.status) {
        diary.verdict = OutcomeVerdict { status, ..OutcomeVerdict::default() };
    }
    let mut text = format!(
        "# {}\n\n{}\n\nOutcome: {}\n",
        escape_inline(title),
        opening(meta),
        diary.verdict.status.name()
    );
    for sign in &diary.verdict.signs {
        let mark = if sign.good { "for" } else { "against" };
        let item = DiaryItem {
            text: format!("{mark}: {}", sign.what),
            line: sign.line,
            voice: StatementAuthor::Log,
            standing: false,
        };
        let _ = writeln!(text, "{}", render_item(&item));
    }
    append_user_messages(&mut text, events);
    for (heading, items) in ordered_sections(&diary) {
        section(&mut text, heading, items);
    }
    text
}

/// Returns the non-empty sections of a diary with their headings, decisions and preferences first.
fn ordered_sections(diary: &Diary) -> impl Iterator<Item = (&'static str, &Vec<DiaryItem>)> {
    let mut sections = diary.sections();
    let first = |heading: &str| !matches!(heading, "Decisions" | "Preferences");
    sections.sort_by_key(|(heading, _)| first(heading));
    sections.into_iter().filter(|(_, items)| !items.is_empty())
}

fn section(text: &mut String, heading: &str, items: &[DiaryItem]) {
    let _ = writeln!(text, "\n## {heading}\n");
    for item in items {
        let _ = writeln!(text, "{}", render_item(item));
    }
}

fn opening(meta: &SessionMeta) -> String {
    let mut line = format!("Session {} of {}", escape_inline(meta.id.as_str()), meta.agent);
    if let Some(workspace) = &meta.workspace {
        let _ = write!(line, " in {}", escape_inline(workspace));
    }
    if let Some(branch) = &meta.branch {
        let _ = write!(line, ", branch {}", escape_inline(branch));
    }
    if let Some(started) = meta.started {
        let _ = write!(line, ", {} {}", started.day(), started.minute());
    }
    if let Some(ended) = meta.ended {
        let _ = write!(line, " to {} {}", ended.day(), ended.minute());
    }
    line + "."
}

/// Appends the user's messages as a section; the middle ones are left out if there are too many.
fn append_user_messages(text: &mut String, events: &[SessionEvent]) {
    let prompts: Vec<DiaryItem> = events.iter().filter(|event| !event.side).filter_map(prompt).collect();
    if prompts.is_empty() {
        return;
    }
    text.push_str("\n## What the user said\n\n");
    let gone = prompts.len().saturating_sub(MAX_MESSAGES);
    let head = if gone > 0 { MAX_MESSAGES / 2 } else { prompts.len() };
    for item in &prompts[..head] {
        let _ = writeln!(text, "{}", render_item(item));
    }
    if gone > 0 {
        let _ = writeln!(text, "- … {gone} messages left out");
        for item in &prompts[head + gone..] {
            let _ = writeln!(text, "{}", render_item(item));
        }
    }
}

fn prompt(event: &SessionEvent) -> Option<DiaryItem> {
    let EventKind::UserPrompt { text } = &event.kind else { return None };
    if is_scaffold(text) {
        return None;
    }
    let text = cut(&visible(&without_injected(text)), MAX_MESSAGE_CHARS);
    let says = text.chars().any(char::is_alphanumeric);
    says.then_some(DiaryItem { text, line: event.line, voice: StatementAuthor::Person, standing: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::test_events::{agent, log_of, person};
    use cm_session::Agent;

    fn meta() -> SessionMeta {
        SessionMeta { workspace: Some("/src/shop".into()), ..SessionMeta::new(Agent::Codex, "s-1".into()) }
    }

    #[test]
    fn a_session_is_reported_with_what_the_person_stated_and_wants() {
        let events = log_of(vec![
            person("Fix the *login* test"),
            agent("Done."),
            person("From now on use pnpm instead of npm.\n[[x]] #tag"),
        ]);
        let body = body("Login", &meta(), &events, None);
        assert!(body.starts_with("# Login\n\nSession s-1 of codex in /src/shop.\n\nOutcome: "), "{body}");
        assert!(
            body.contains("## What the user said\n\n- Fix the *login* test (person, line 1)\n"),
            "{body}"
        );
        assert!(body.contains("\\[\\[x\\]\\] \\#tag"), "{body}");
        assert!(body.contains("## Preferences\n\n- From now on use pnpm instead of npm."), "{body}");
        let recorded = super::body("Login", &meta(), &events, Some(SessionStatus::Failure));
        assert!(recorded.contains("\n\nOutcome: failure\n\n## "), "{recorded}");
    }

    #[test]
    fn of_very_many_messages_the_first_and_the_last_are_reported() {
        let body =
            body("Long", &meta(), &log_of((0..100).map(|n| person(&format!("Step {n} please")))), None);
        assert!(body.contains("- Step 0 please") && body.contains("- Step 99 please"), "{body}");
        assert!(body.contains("- … 40 messages left out") && !body.contains("Step 50 "), "{body}");
    }
}
