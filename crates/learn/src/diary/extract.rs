//! Extracts the diary of a session from its events, without a model.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::user_statements::{UtteranceKind, utterances};
use super::{
    Diary, DiaryItem, DiaryOrigin, MAX_SECTION_ITEMS, StatementAuthor, agent_statements, changed_files,
    distinct, failures, keywords,
};
pub use crate::outcome::steps::steps;
use crate::outcome::verdict;
use crate::prose::{MessageAuthor, cut, sentences};
use crate::statement::{Certainty, LastingStatement, StatementKind};
use cm_note::markdown::escape::visible;
use cm_session::SessionMeta;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::harness_text::is_scaffold;

/// Hashes the path and content of a session log to the id of its diary.
///
/// ```
/// use cm_learn::diary::id;
/// assert_eq!(id("a.jsonl", b"x"), id("a.jsonl", b"x"));
/// assert_ne!(id("a.jsonl", b"x"), id("a.jsonlx", b""));
/// ```
pub fn id(path: &str, content: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update((path.len() as u64).to_le_bytes());
    hash.update(path.as_bytes());
    hash.update(content);
    HEXLOWER.encode(&hash.finalize()[..16])
}

/// Extracts the diary of a session by rules, without a model and without related sessions.
///
/// User statements are not extracted from subagent sessions, because their prompts come from
/// another agent.
pub fn extract(id: &str, meta: &SessionMeta, events: &[SessionEvent]) -> Diary {
    extract_with(id, meta, events, &[])
}

/// Like [`extract`], with the statements of the user that are meant to last, which the diary holds
/// as standing.
pub fn extract_with(
    id: &str,
    meta: &SessionMeta,
    events: &[SessionEvent],
    lasting: &[LastingStatement],
) -> Diary {
    let steps = steps(events);
    let stated = UserStatements::of(meta, events, lasting);
    let causes = agent_statements::causes(events, &steps);
    let challenges = failures::challenges(events, &steps, &causes);
    let mut decisions = stated.decisions;
    decisions.extend(agent_statements::decisions(events));
    let mut learnings = stated.learnings;
    let quoted = |item: &DiaryItem| {
        challenges.iter().any(|other| other.text.contains(item.text.trim_end_matches('.')))
    };
    learnings.extend(causes.into_iter().map(|cause| cause.item).filter(|item| !quoted(item)));
    learnings.sort_by_key(|item| item.line);
    decisions.sort_by_key(|item| item.line);
    let files = changed_files::files(&steps, meta.workspace.as_deref());
    let duration = meta.started.zip(meta.ended).map(|(start, end)| end.unix().saturating_sub(start.unix()));
    Diary {
        id: id.to_owned(),
        session: meta.id.to_string(),
        agent: meta.agent.to_string(),
        workspace: meta.workspace.clone(),
        started: meta.started,
        duration_s: duration.and_then(|seconds| u64::try_from(seconds).ok()),
        title: title(meta, events),
        verdict: verdict(events, &steps),
        recorded_outcome: None,
        accomplishments: distinct(agent_statements::accomplishments(events, &steps), MAX_SECTION_ITEMS),
        decisions: distinct(decisions, MAX_SECTION_ITEMS),
        challenges: distinct(challenges, MAX_SECTION_ITEMS),
        preferences: distinct(stated.preferences, MAX_SECTION_ITEMS),
        learnings: distinct(learnings, MAX_SECTION_ITEMS),
        tags: keywords::tags(&files, &steps),
        anchors: keywords::anchors(events, &steps, &files),
        commands: changed_files::commands(&steps),
        files,
        related: Vec::new(),
        origin: DiaryOrigin::Extracted,
    }
}

/// Returns the title of a session. If the log's title is only a slash command, the first sentence
/// of a prompt is used instead.
fn title(meta: &SessionMeta, events: &[SessionEvent]) -> String {
    let prose = |text: &str| sentences(text.trim_start_matches(['#', ' ']), MessageAuthor::Person);
    // A title is no message: a date at its end does not make it a line of a log.
    let has_words = |title: &str| !is_scaffold(title) && title.chars().any(char::is_alphabetic);
    let says = |title: &String| !title.starts_with('/') && has_words(title);
    let prompts = events.iter().filter(|event| matches!(event.kind, EventKind::UserPrompt { .. }));
    let own = |event: &SessionEvent| event.kind.text().filter(|text| !text.starts_with('/')).map(prose);
    let mut firsts =
        prompts.filter_map(own).filter_map(|statements| Some(statements.into_iter().next()?.text));
    let title = meta.title.as_deref().map(visible).filter(says).or_else(|| firsts.next());
    cut(&title.unwrap_or_else(|| format!("Session {} of {}", meta.id, meta.agent)), 80)
}

/// Statements of the user that stay valid after the task, sorted into diary sections.
#[derive(Default)]
struct UserStatements {
    preferences: Vec<DiaryItem>,
    decisions: Vec<DiaryItem>,
    learnings: Vec<DiaryItem>,
}

impl UserStatements {
    fn of(meta: &SessionMeta, events: &[SessionEvent], lasting: &[LastingStatement]) -> Self {
        let mut stated = Self::default();
        if meta.subagent {
            return stated;
        }
        for statement in lasting {
            let item = DiaryItem::new(&statement.text, statement.line, StatementAuthor::Person);
            let standing = statement.certainty == Certainty::High;
            let into = match statement.kind {
                StatementKind::Decision => &mut stated.decisions,
                StatementKind::Fact => &mut stated.learnings,
                _ => &mut stated.preferences,
            };
            into.extend(item.map(|item| DiaryItem { standing, ..item }));
        }
        let (mut worked, mut lines) = (false, (0, 0));
        for event in events.iter().filter(|event| !event.side) {
            match &event.kind {
                EventKind::AssistantText { .. } | EventKind::ToolCall { .. } => worked = true,
                EventKind::UserPrompt { text } => {
                    lines = (lines.1, event.line);
                    stated.take(text, worked, event.line, lines.0);
                }
                _ => {}
            }
        }
        stated
    }

    fn take(&mut self, text: &str, worked: bool, line: u64, before: u64) {
        for one in utterances(text, worked) {
            // What is lasting is there already, in whole sentences.
            let is_listed =
                |item: &DiaryItem| item.line == line && item.text.contains(one.text.trim_end_matches('.'));
            if [&self.preferences, &self.decisions, &self.learnings].into_iter().flatten().any(is_listed) {
                continue;
            }
            let into = match one.kind {
                UtteranceKind::Preference => &mut self.preferences,
                UtteranceKind::Decision => &mut self.decisions,
                UtteranceKind::Learning => &mut self.learnings,
                UtteranceKind::Retraction => {
                    // What was said in the prompt before is void; what follows the words that take it back is not.
                    self.decisions.retain(|item| item.line != before);
                    self.preferences.retain(|item| item.line != before);
                    continue;
                }
            };
            into.extend(
                DiaryItem::new(&one.text, line, StatementAuthor::Person)
                    .map(|item| DiaryItem { standing: false, ..item }),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::outcome::test_events::*;
    use cm_session::Agent;
    use cm_session::event::ToolOutcome;

    fn diary(kinds: Vec<EventKind>) -> Diary {
        extract("id", &SessionMeta::new(Agent::ClaudeCode, "s".into()), &log_of(kinds))
    }

    #[test]
    fn a_title_with_a_date_is_the_title() {
        let title = "Build the release of 2026-11-23".to_owned();
        let meta =
            SessionMeta { title: Some(title.clone()), ..SessionMeta::new(Agent::ClaudeCode, "s".into()) };
        assert_eq!(extract("id", &meta, &log_of(vec![person(&title), person("thx")])).title, title);
    }

    #[test]
    fn what_is_taken_back_is_not_reported() {
        let statements = vec![
            agent("Done."),
            person("Let's use python instead of bash"),
            agent("Fine."),
            person("Actually, never mind. Let's continue using bash for the script."),
        ];
        let texts: Vec<String> = diary(statements).decisions.into_iter().map(|item| item.text).collect();
        assert_eq!(texts, ["Let's continue using bash for the script."]);
    }

    #[test]
    fn nothing_is_taken_from_tools_thoughts_injections_or_other_agents() {
        let text =
            "Always use tabs in Makefiles. The root cause is that the cache key leaves out the tenant.";
        let mut kinds = vec![
            EventKind::Injected { text: text.into() },
            EventKind::Thinking { text: text.into() },
            EventKind::System { text: text.into() },
            EventKind::Error { text: text.into() },
            EventKind::Compaction { trigger: None, summary: Some(text.into()) },
            call("1", "Read", json!({"file_path": "a"})),
            result("1", ToolOutcome::Ok, text),
        ];
        assert!(diary(kinds.clone()).is_empty());
        kinds.push(person(text));
        assert_eq!(diary(kinds.clone()).preferences.len(), 1);
        let mut events = log_of(kinds.clone());
        events.iter_mut().for_each(|event| event.side = true);
        let meta = SessionMeta::new(Agent::ClaudeCode, "s".into());
        assert!(extract("id", &meta, &events).is_empty());
        let meta = SessionMeta { subagent: true, ..meta };
        assert!(extract("id", &meta, &log_of(kinds)).is_empty());
    }

    /// Generates events with phrases that the patterns match.
    pub(crate) fn any_events() -> impl Strategy<Value = Vec<SessionEvent>> {
        let text = prop::collection::vec(
            prop::sample::select(vec![
                "always ",
                "never ",
                "no, ",
                "use ",
                "x instead of y ",
                "é",
                "`",
                "```\n",
                "\n",
                ". ",
                "- ",
                "# ",
                "> ",
                "The issue is that the cache is stale ",
                "I've added a retry to the client",
                "\"",
                "b-mt2ssunl-jq6d8j ",
                "[cm: helpful b-mt2ssunl-jq6d8j] ",
                "still broken",
                "thanks",
                "<system-reminder>",
                "</system-reminder>",
                "FAILED",
                "git commit -m 'x'",
                "cargo test ",
                "*** Begin Patch\n*** Update File: a\n+x",
                "\u{202e}",
                "日本",
            ]),
            0..12,
        )
        .prop_map(|parts| parts.concat());
        let kind = (0..12_u8, text.clone(), text, 0..4_u8).prop_map(|(kind, text, other, id)| {
            let id = (id > 0).then(|| id.to_string().as_str().into());
            let outcome = [ToolOutcome::Ok, ToolOutcome::Error, ToolOutcome::Unknown][usize::from(kind % 3)];
            match kind {
                0 | 1 => EventKind::UserPrompt { text },
                2 | 3 => EventKind::AssistantText { text },
                4 => EventKind::ToolCall { id, name: "Bash".into(), input: json!({"command": text}) },
                5 => EventKind::ToolCall {
                    id,
                    name: "Edit".into(),
                    input: json!({"file_path": text, "new_string": other}),
                },
                6..=8 => EventKind::ToolResult { id, outcome, exit_code: None, text },
                9 => EventKind::Interrupt,
                10 => EventKind::PersonCommand { command: text, output: Some(other), exit_code: Some(1) },
                _ => EventKind::System { text },
            }
        });
        prop::collection::vec(kind, 0..24).prop_map(log_of)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_item_of_any_session_has_a_line_of_it_and_fits(events in any_events()) {
            let diary = extract("id", &SessionMeta::new(Agent::Codex, "s".into()), &events);
            let lines: Vec<u64> = events.iter().map(|event| event.line).collect();
            for (_, items) in diary.sections() {
                for item in items {
                    prop_assert!(lines.contains(&item.line));
                    prop_assert!(item.text.chars().count() <= super::super::MAX_ITEM_CHARS && !item.text.contains('\n'));
                }
            }
            for sign in &diary.verdict.signs {
                prop_assert!(lines.contains(&sign.line));
            }
        }
    }
}
