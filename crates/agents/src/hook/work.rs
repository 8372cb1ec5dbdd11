//! Plans the work of a hook: which notes are injected into which agent, and at which event.

use super::border::{Injected, Part, injected};
use super::event::When;
use super::record::{Deed, Line, Told};
use super::{Event, Message, Reply};
use cm_note::instant::Instant;

/// Work to do for an event; the default value means none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// Whether the guard must judge `Message::asked`.
    pub guard: bool,
    /// Whether to inject the start text: `CORE.md` and the briefing for the current work.
    pub start: bool,
    /// Text for which to select matching notes.
    pub question: Option<String>,
    /// Notes that were selected earlier and are now injected.
    pub held: Vec<String>,
    /// Whether to read the session log, in the background.
    pub capture: bool,
}

impl Work {
    /// Plans the work for a message in a session with this injection log. A session that cm itself
    /// started (`ours`) needs none, because the memory would feed on itself.
    #[must_use]
    pub fn of(message: &Message, told: &Told, ours: bool, at: Instant) -> Self {
        let (Some(event), false) = (message.event, ours) else { return Self::default() };
        let is_answered = told.answered(message.cause().as_deref());
        let takes_words = event.when_told(message.agent) != When::Never && !is_answered;
        Self {
            guard: event == Event::PreTool
                && message
                    .asked
                    .as_ref()
                    .is_some_and(|asked| asked.command.is_some() || !asked.changes.is_empty()),
            start: event.briefs(message.agent)
                && takes_words
                && told.wants_start(message.source.as_deref(), at),
            question: if takes_words { message.question() } else { None },
            held: if event == Event::PostTool && takes_words { told.held.clone() } else { Vec::new() },
            // An agent that another started has its own log, which is found with the other's.
            capture: (event.captures() && !message.subagent)
                && (event != Event::PreCompact || message.compacts()),
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
pub struct Room<'a> {
    /// Maximum UTF-16 units; capped at [`super::border::LONGEST`].
    pub most: usize,
    /// Command that shows the omitted entries.
    pub more: &'a str,
}

/// Response of a hook, and the lines to append to the injection log.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub reply: Reply,
    /// Lines to append to the injection log, in order.
    pub lines: Vec<Line>,
}

impl Answer {
    /// Builds the response from the parts that were found for a message.
    #[must_use]
    pub fn of(message: &Message, told: &Told, parts: &[Part], room: &Room<'_>, at: Instant) -> Self {
        let Some(event) = message.event else { return Self { reply: Reply::Nothing, lines: Vec::new() } };
        let mut lines = Vec::new();
        let lost = matches!(message.source.as_deref(), Some("compact" | "clear"));
        if message.compacts() || (event == Event::SessionStart && lost && told.begun) {
            lines.push(Line::new(at, event, Deed::Compacted));
        }
        let when = event.when_told(message.agent);
        let cause = message.cause();
        let found = if when == When::Never { None } else { injected(parts, room.more, room.most) };
        let Some(Injected { text, ids, .. }) = found else { return Self { reply: Reply::Nothing, lines } };
        let (reply, deed) = match when {
            When::Now => (Reply::Context(text), Deed::Given(ids)),
            When::At(_) | When::Never => (Reply::Nothing, Deed::Held(ids)),
        };
        lines.push(Line::new(at, event, deed).caused_by(cause));
        Self { reply, lines }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Agent;
    use super::super::border::{Entry, LONGEST};
    use super::*;

    fn message(agent: Agent, event: Event, more: &str) -> Message {
        Message::read(&format!("{{\"session_id\":\"s\"{more}}}"), Some(agent), Some(event))
    }

    fn parts(ids: &[&str]) -> Vec<Part> {
        let entry = |id: &&str| Entry { id: Some((*id).to_owned()), text: format!("- rule {id}") };
        vec![Part { heading: None, entries: ids.iter().map(entry).collect() }]
    }

    const ROOM: Room<'_> = Room { most: LONGEST, more: "cm context" };

    fn at() -> Instant {
        Instant::parse("2026-11-22T10:00:00Z").unwrap()
    }

    fn later() -> Instant {
        Instant::parse("2026-11-22T11:00:00Z").unwrap()
    }

    /// Returns the injection log and the responses of a session with these events, given the notes
    /// found at each.
    fn session(agent: Agent, steps: &[(Event, &str, &[&str])]) -> (String, Vec<Reply>) {
        let (mut record, mut replies) = (String::new(), Vec::new());
        for (event, more, found) in steps {
            let answer =
                Answer::of(&message(agent, *event, more), &Told::read(&record), &parts(found), &ROOM, at());
            for line in &answer.lines {
                record.push_str(&serde_json::to_string(line).unwrap());
                record.push('\n');
            }
            replies.push(answer.reply);
        }
        (record, replies)
    }

    #[test]
    fn a_rule_for_cursor_is_held_at_the_prompt_and_given_after_the_next_tool() {
        let (record, replies) = session(Agent::Cursor, &[(Event::Prompt, "", &["a", "b"])]);
        assert_eq!(replies, [Reply::Nothing]);
        let told = Told::read(&record);
        let work = Work::of(&message(Agent::Cursor, Event::PostTool, ""), &told, false, at());
        assert_eq!(work.held, ["a", "b"]);
        let (record, replies) =
            session(Agent::Cursor, &[(Event::Prompt, "", &["a", "b"]), (Event::PostTool, "", &["a", "b"])]);
        assert!(matches!(&replies[1], Reply::Context(text) if text.contains("- rule a\n- rule b\n")));
        let told = Told::read(&record);
        assert!(Work::of(&message(Agent::Cursor, Event::PostTool, ""), &told, false, at()).is_nothing());
        assert_eq!(told.known().len(), 2);
    }

    #[test]
    fn a_start_is_given_once_and_again_when_the_conversation_lost_it() {
        let start = |more: &str, record: &str| {
            Work::of(&message(Agent::Claude, Event::SessionStart, more), &Told::read(record), false, later())
                .start
        };
        let begun = ",\"source\":\"startup\"";
        let (record, _) = session(Agent::Claude, &[(Event::SessionStart, begun, &["a"])]);
        assert!(
            start(begun, "")
                && !start(",\"source\":\"resume\"", &record)
                && start(",\"source\":\"compact\"", &record)
        );
        let (record, _) = session(
            Agent::Claude,
            &[
                (Event::SessionStart, begun, &["a"]),
                (Event::Prompt, "", &["b"]),
                (Event::SessionStart, ",\"source\":\"compact\"", &["a"]),
            ],
        );
        assert_eq!(Told::read(&record).known(), ["a".to_owned()].into());
    }

    #[test]
    fn a_call_of_our_own_and_an_event_without_words_ask_for_nothing() {
        let prompt = message(Agent::Claude, Event::Prompt, ",\"prompt\":\"why\"");
        assert!(Work::of(&prompt, &Told::default(), true, at()).is_nothing());
        assert_eq!(Work::of(&prompt, &Told::default(), false, at()).question.as_deref(), Some("why"));
        assert!(
            Work::of(&message(Agent::Gemini, Event::PostTool, ""), &Told::default(), false, at())
                .is_nothing()
        );
        let stopped = message(Agent::Claude, Event::Stop, "");
        assert!(Work::of(&stopped, &Told::default(), false, at()).capture);
        assert!(
            !Work::of(
                &message(Agent::Claude, Event::Stop, ",\"agent_id\":\"x\""),
                &Told::default(),
                false,
                at()
            )
            .capture
        );
        assert_eq!(Answer::of(&stopped, &Told::default(), &parts(&["a"]), &ROOM, at()).reply, Reply::Nothing);
    }
}
