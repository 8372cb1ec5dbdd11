//! What is to be done at an event, and what comes of it: the one place that says which agent is told what, and when.

use super::border::{Injected, Part, injected};
use super::event::When;
use super::record::{Deed, Line, Told};
use super::{Event, Message, Reply};
use cm_note::instant::Instant;

/// What is to be done; nothing of it where all is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// A command is to be judged: `Message::asked` has it.
    pub guard: bool,
    /// The memory's start text is to be given: CORE.md and the briefing for where the work stands.
    pub start: bool,
    /// Notes that fit these words are to be chosen.
    pub question: Option<String>,
    /// These notes were chosen earlier and are to be given now.
    pub held: Vec<String>,
    /// What was said in the session is to be read, by somebody who does not keep the agent waiting.
    pub capture: bool,
}

impl Work {
    /// What a message asks for at this moment, in a session that was told this. A call that we make of a model ourselves
    /// (`ours`) asks for nothing, or memory would feed on itself.
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

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// How much an agent is given at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room<'a> {
    /// In UTF-16 units; more than [`super::border::LONGEST`] counts as that.
    pub most: usize,
    /// The command that shows what found no room.
    pub more: &'a str,
}

/// What is printed, and what the session's record gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What is printed.
    pub reply: Reply,
    /// What is appended to the record, in this order.
    pub lines: Vec<Line>,
}

impl Answer {
    /// What comes of the parts that were found for a message.
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

    /// The record of a session after these events with what was found at each.
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
