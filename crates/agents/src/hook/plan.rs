//! Plans the work of a hook: which notes are injected into which agent, and at which event.

use super::event::InjectionTiming;
use super::injection::{Injection, InjectionPart, ShownPart, build_injection};
use super::injection_log::{InjectionLog, InjectionLogLine, InjectionStep};
use super::{HookEvent, HookMessage, HookReply};
use cm_note::instant::Instant;

/// Work to do for an event; the default value means none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookPlan {
    /// Whether the guard must check [`HookMessage::guard_request`].
    pub guard: bool,
    /// Whether to inject the start text: `CORE.md` and the briefing for the current work.
    pub start: bool,
    /// Text for which to select matching notes.
    pub question: Option<String>,
    /// Notes that were selected earlier and are now injected.
    pub pending: Vec<String>,
    /// Whether to read the session log, in the background.
    pub capture: bool,
}

impl HookPlan {
    /// Plans the work for a message in a session with this injection log. A session that cm itself
    /// started (`ours`) needs none, because the memory would feed on itself.
    #[must_use]
    pub fn of(message: &HookMessage, log: &InjectionLog, ours: bool, at: Instant) -> Self {
        let (Some(event), false) = (message.event, ours) else { return Self::default() };
        let is_answered = log.answered(message.cause().as_deref());
        let takes_words = message.agent.injection_timing(event) != InjectionTiming::Never && !is_answered;
        Self {
            guard: event == HookEvent::PreTool
                && message
                    .guard_request
                    .as_ref()
                    .is_some_and(|request| request.command.is_some() || !request.changes.is_empty()),
            start: message.agent.injects_start_text(event)
                && takes_words
                && log.needs_start_text(message.source.as_deref(), at),
            question: if takes_words { message.question() } else { None },
            pending: if event == HookEvent::PostTool && takes_words {
                log.pending.clone()
            } else {
                Vec::new()
            },
            // An agent that another started has its own log, which is found with the other's.
            capture: (event.reads_session() && !message.subagent)
                && (event != HookEvent::PreCompact || message.is_compaction()),
        }
    }

    /// Returns `true` if there is nothing to do.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Size limit of an injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectionLimit<'a> {
    /// Maximum UTF-16 units; capped at [`super::injection::MAX_INJECTION_UNITS`].
    pub most: usize,
    /// Command that shows the omitted entries.
    pub more: &'a str,
}

/// Response of a hook, and the lines to append to the injection log.
#[derive(Debug, Clone, PartialEq)]
pub struct HookAnswer {
    pub reply: HookReply,
    /// Lines to append to the injection log, in order.
    pub lines: Vec<InjectionLogLine>,
    /// What the reply shows, by kind.
    pub shown: Vec<ShownPart>,
}

impl HookAnswer {
    /// Builds the response from the parts that were found for a message.
    #[must_use]
    pub fn of(
        message: &HookMessage,
        log: &InjectionLog,
        parts: &[InjectionPart],
        room: &InjectionLimit<'_>,
        at: Instant,
    ) -> Self {
        let nothing = |lines| Self { reply: HookReply::Nothing, lines, shown: Vec::new() };
        let Some(event) = message.event else { return nothing(Vec::new()) };
        let mut lines = Vec::new();
        let lost = matches!(message.source.as_deref(), Some("compact" | "clear"));
        if message.is_compaction() || (event == HookEvent::SessionStart && lost && log.has_injections) {
            lines.push(InjectionLogLine::new(at, event, InjectionStep::Compacted));
        }
        let when = message.agent.injection_timing(event);
        let cause = message.cause();
        let found =
            if when == InjectionTiming::Never { None } else { build_injection(parts, room.more, room.most) };
        let Some(Injection { text, ids, shown, .. }) = found else { return nothing(lines) };
        let (reply, step, shown) = match when {
            InjectionTiming::Now => (HookReply::Context(text), InjectionStep::Given(ids), shown),
            InjectionTiming::At(_) | InjectionTiming::Never => {
                (HookReply::Nothing, InjectionStep::Pending(ids), Vec::new())
            }
        };
        lines.push(InjectionLogLine::new(at, event, step).caused_by(cause));
        Self { reply, lines, shown }
    }
}

#[cfg(test)]
mod tests {
    use super::super::HookAgent;
    use super::super::injection::{InjectionEntry, MAX_INJECTION_UNITS, PartKind};
    use super::*;
    use crate::agents::claude_code::ClaudeCode;
    use crate::agents::cursor::Cursor;
    use crate::agents::gemini::Gemini;

    fn message(agent: HookAgent, event: HookEvent, more: &str) -> HookMessage {
        HookMessage::read(&format!("{{\"session_id\":\"s\"{more}}}"), Some(agent), Some(event))
    }

    fn parts(ids: &[&str]) -> Vec<InjectionPart> {
        let entry = |id: &&str| InjectionEntry {
            id: Some((*id).to_owned()),
            text: format!("- rule {id}"),
            relevance: Some(0.5),
        };
        vec![InjectionPart { kind: PartKind::Notes, heading: None, entries: ids.iter().map(entry).collect() }]
    }

    const ROOM: InjectionLimit<'_> = InjectionLimit { most: MAX_INJECTION_UNITS, more: "cm context" };

    fn at() -> Instant {
        Instant::parse("2026-11-22T10:00:00Z").unwrap()
    }

    fn later() -> Instant {
        Instant::parse("2026-11-22T11:00:00Z").unwrap()
    }

    /// Returns the injection log and the responses of a session with these events, given the notes
    /// found at each.
    fn session(agent: HookAgent, steps: &[(HookEvent, &str, &[&str])]) -> (String, Vec<HookReply>) {
        let (mut record, mut replies) = (String::new(), Vec::new());
        for (event, more, found) in steps {
            let answer = HookAnswer::of(
                &message(agent, *event, more),
                &InjectionLog::read(&record),
                &parts(found),
                &ROOM,
                at(),
            );
            for line in &answer.lines {
                record.push_str(&serde_json::to_string(line).unwrap());
                record.push('\n');
            }
            replies.push(answer.reply);
        }
        (record, replies)
    }

    #[test]
    fn a_rule_for_cursor_waits_at_the_prompt_and_given_after_the_next_tool() {
        let (record, replies) = session(&Cursor, &[(HookEvent::Prompt, "", &["a", "b"])]);
        assert_eq!(replies, [HookReply::Nothing]);
        let log = InjectionLog::read(&record);
        let work = HookPlan::of(&message(&Cursor, HookEvent::PostTool, ""), &log, false, at());
        assert_eq!(work.pending, ["a", "b"]);
        let (record, replies) =
            session(&Cursor, &[(HookEvent::Prompt, "", &["a", "b"]), (HookEvent::PostTool, "", &["a", "b"])]);
        assert!(matches!(&replies[1], HookReply::Context(text) if text.contains("- rule a\n- rule b\n")));
        let log = InjectionLog::read(&record);
        assert!(HookPlan::of(&message(&Cursor, HookEvent::PostTool, ""), &log, false, at()).is_nothing());
        assert_eq!(log.excluded_ids().len(), 2);
    }

    #[test]
    fn a_start_is_given_once_and_again_when_the_conversation_lost_it() {
        let start = |more: &str, record: &str| {
            HookPlan::of(
                &message(&ClaudeCode, HookEvent::SessionStart, more),
                &InjectionLog::read(record),
                false,
                later(),
            )
            .start
        };
        let begun = ",\"source\":\"startup\"";
        let (record, _) = session(&ClaudeCode, &[(HookEvent::SessionStart, begun, &["a"])]);
        assert!(
            start(begun, "")
                && !start(",\"source\":\"resume\"", &record)
                && start(",\"source\":\"compact\"", &record)
        );
        let (record, _) = session(
            &ClaudeCode,
            &[
                (HookEvent::SessionStart, begun, &["a"]),
                (HookEvent::Prompt, "", &["b"]),
                (HookEvent::SessionStart, ",\"source\":\"compact\"", &["a"]),
            ],
        );
        assert_eq!(InjectionLog::read(&record).excluded_ids(), ["a".to_owned()].into());
    }

    #[test]
    fn a_call_of_our_own_and_an_event_without_words_ask_for_nothing() {
        let prompt = message(&ClaudeCode, HookEvent::Prompt, ",\"prompt\":\"why\"");
        assert!(HookPlan::of(&prompt, &InjectionLog::default(), true, at()).is_nothing());
        assert_eq!(
            HookPlan::of(&prompt, &InjectionLog::default(), false, at()).question.as_deref(),
            Some("why")
        );
        assert!(
            HookPlan::of(&message(&Gemini, HookEvent::PostTool, ""), &InjectionLog::default(), false, at())
                .is_nothing()
        );
        let stopped = message(&ClaudeCode, HookEvent::Stop, "");
        assert!(HookPlan::of(&stopped, &InjectionLog::default(), false, at()).capture);
        assert!(
            !HookPlan::of(
                &message(&ClaudeCode, HookEvent::Stop, ",\"agent_id\":\"x\""),
                &InjectionLog::default(),
                false,
                at()
            )
            .capture
        );
        assert_eq!(
            HookAnswer::of(&stopped, &InjectionLog::default(), &parts(&["a"]), &ROOM, at()).reply,
            HookReply::Nothing
        );
    }
}
