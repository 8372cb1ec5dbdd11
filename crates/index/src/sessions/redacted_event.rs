//! Converts events for the index: redacted texts by speaker, split into stretches.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::number_of;
use cm_note::instant::Instant;
use cm_secrets::Redacted;
use cm_session::event::{EventKind, EventName, SessionEvent};
use cm_session::fork::is_identifying;

/// Maximum length of a stretch in bytes.
const MAX_STRETCH_BYTES: usize = 2048;

/// Returns the kind of event with this number in the index; `None` if another version wrote it.
pub(super) fn event_name(number: u64) -> Option<EventName> {
    EventName::ALL.get(usize::try_from(number).ok()?).copied()
}

/// Author of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Person,
    /// An agent, to the person, to itself or to another agent.
    Agent,
    /// A program: tool inputs and results, notices, and text injected into prompts.
    Tool,
}

impl Speaker {
    /// All speakers, in the order of their numbers in the index.
    pub const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::Tool];

    /// Returns the speaker of an event's main text.
    fn of(event: &SessionEvent) -> Self {
        match &event.kind {
            EventKind::UserPrompt { .. } if event.side => Self::Agent,
            EventKind::UserPrompt { .. } | EventKind::PersonCommand { .. } => Self::Person,
            EventKind::AssistantText { .. } | EventKind::Thinking { .. } | EventKind::Compaction { .. } => {
                Self::Agent
            }
            EventKind::Injected { .. }
            | EventKind::ToolCall { .. }
            | EventKind::ToolResult { .. }
            | EventKind::Interrupt
            | EventKind::ToolRejected { .. }
            | EventKind::ModelChange { .. }
            | EventKind::Error { .. }
            | EventKind::System { .. } => Self::Tool,
        }
    }
}

/// An event with redacted texts, ready for indexing.
#[derive(Debug, Clone, PartialEq)]
pub struct RedactedEvent {
    pub(super) at: Option<Instant>,
    pub(super) place: u64,
    pub(super) kind: u64,
    /// Hash of the record's id, if copies of the record identify forked sessions.
    pub(super) record: Option<u64>,
    pub(super) texts: Vec<(Speaker, Redacted)>,
}

impl RedactedEvent {
    /// Returns the speaker in whose field the words of `speaker` are indexed. A summary repeats what
    /// the person wanted and what came of it, so that its words count like the person's.
    pub(super) fn indexed_as(&self, speaker: Speaker) -> Speaker {
        let is_summary = event_name(self.kind) == Some(EventName::Compaction);
        if is_summary && speaker == Speaker::Agent { Speaker::Person } else { speaker }
    }

    /// Converts an event, passing each of its texts through `redact`.
    pub fn of(event: &SessionEvent, mut redact: impl FnMut(&str) -> Redacted) -> Self {
        let mut texts = Vec::new();
        let mut add = |speaker, text: &str| {
            if !text.trim().is_empty() {
                texts.push((speaker, redact(text)));
            }
        };
        match &event.kind {
            EventKind::ToolCall { name, input, .. } => add(Speaker::Tool, &call(name, input)),
            kind => add(Speaker::of(event), kind.text().unwrap_or_default()),
        }
        if let EventKind::PersonCommand { output: Some(output), .. } = &event.kind {
            add(Speaker::Tool, output);
        }
        let name = event.kind.event_name();
        let kind = EventName::ALL.iter().position(|other| *other == name).unwrap_or(EventName::ALL.len());
        let prompt = matches!(event.kind, EventKind::UserPrompt { .. }) && !event.side;
        let record = event.record.as_ref().map(|id| id.as_str());
        Self {
            at: event.at,
            place: place(event.line, event.part),
            kind: kind as u64,
            record: record.filter(|id| prompt && is_identifying(id)).map(|id| number_of(&[id])),
            texts,
        }
    }

    /// Total length of the texts in bytes.
    pub fn bytes(&self) -> u64 {
        self.texts.iter().map(|(_, text)| text.as_str().len() as u64).sum()
    }
}

/// Number of low bits of a place that encode the part; the other bits encode the log line.
const PART_BITS: u32 = 20;

/// Encodes a log line and the event's part within it as one number, its place, with the same order.
/// Larger values are clamped.
pub(super) fn place(line: u64, part: u32) -> u64 {
    line.min(u64::MAX >> PART_BITS) << PART_BITS | u64::from(part).min((1 << PART_BITS) - 1)
}

/// Returns the log line that a place encodes.
pub(super) fn line_of(place: u64) -> u64 {
    place >> PART_BITS
}

/// Returns the event's part within its log line that a place encodes.
pub(super) fn part_of(place: u64) -> u32 {
    (place & ((1 << PART_BITS) - 1)) as u32
}

/// Renders a tool call as text: the name and one line per argument, without JSON punctuation.
fn call(name: &str, input: &Value) -> String {
    let mut text = name.to_owned();
    append_text("", input, &mut text);
    text
}

fn append_text(key: &str, value: &Value, out: &mut String) {
    let mut line = |value: &str| {
        out.push('\n');
        if !key.is_empty() {
            out.push_str(key);
            out.push_str(": ");
        }
        out.push_str(value);
    };
    match value {
        Value::Null => {}
        Value::String(text) => line(text),
        Value::Bool(_) | Value::Number(_) => line(&value.to_string()),
        Value::Array(values) => values.iter().for_each(|value| append_text(key, value, out)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| append_text(key, value, out)),
    }
}

/// Splits a text into stretches at the end of a paragraph, line, word or at least character. Their
/// concatenation is the text.
pub(super) fn cut(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (stretch, rest) = text.split_at(end_of_stretch(text));
        text = rest;
        (!stretch.is_empty()).then_some(stretch)
    })
}

fn end_of_stretch(text: &str) -> usize {
    if text.len() <= MAX_STRETCH_BYTES {
        return text.len();
    }
    let window = &text[..text.floor_char_boundary(MAX_STRETCH_BYTES)];
    let behind = |end: Option<usize>| end.filter(|end| *end > MAX_STRETCH_BYTES / 3);
    behind(window.rfind("\n\n").map(|at| at + 2))
        .or_else(|| behind(window.rfind('\n').map(|at| at + 1)))
        .or_else(|| behind(window.rfind(' ').map(|at| at + 1)))
        .unwrap_or(window.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use cm_secrets::{RedactionRules, redact};

    fn redacted(kind: EventKind, side: bool) -> RedactedEvent {
        let event = SessionEvent { at: None, line: 3, part: 1, record: Some("record-id".into()), side, kind };
        RedactedEvent::of(&event, |text| redact(text, &RedactionRules::default()).0)
    }

    fn speaker_texts(redacted: &RedactedEvent) -> Vec<(Speaker, &str)> {
        redacted.texts.iter().map(|(speaker, text)| (*speaker, text.as_str())).collect()
    }

    #[test]
    fn words_are_theirs_who_said_them() {
        let prompt = || EventKind::UserPrompt { text: "fix it".into() };
        assert_eq!(speaker_texts(&redacted(prompt(), false)), [(Speaker::Person, "fix it")]);
        assert_eq!(speaker_texts(&redacted(prompt(), true)), [(Speaker::Agent, "fix it")]);
        assert!(redacted(prompt(), false).record.is_some() && redacted(prompt(), true).record.is_none());
        let command = EventKind::PersonCommand {
            command: "cargo test".into(),
            output: Some("ok".into()),
            exit_code: Some(0),
        };
        assert_eq!(
            speaker_texts(&redacted(command, false)),
            [(Speaker::Person, "cargo test"), (Speaker::Tool, "ok")]
        );
        assert_eq!(speaker_texts(&redacted(EventKind::Interrupt, false)), []);
    }

    #[test]
    fn a_tool_call_is_said_in_words() {
        let input = serde_json::json!({"command": "ls\nrm -rf x", "options": {"deep": true}, "n": null});
        let call = EventKind::ToolCall { id: None, name: "Bash".into(), input };
        assert_eq!(
            speaker_texts(&redacted(call, false)),
            [(Speaker::Tool, "Bash\ncommand: ls\nrm -rf x\ndeep: true")]
        );
    }

    #[test]
    fn secrets_do_not_come_through() {
        let text = "use AKIAIOSFODNN7EXAMPLQ and password = hunter2hunter2".to_owned();
        let redacted = redacted(EventKind::UserPrompt { text }, false);
        assert!(!redacted.texts[0].1.as_str().contains("AKIAIOSFODNN7"), "{redacted:?}");
    }

    #[test]
    fn every_kind_of_event_has_a_number() {
        for kind in [
            EventKind::Interrupt,
            EventKind::ModelChange { model: "m".into() },
            EventKind::System { text: "s".into() },
            EventKind::Thinking { text: "t".into() },
        ] {
            let name = kind.event_name();
            assert_eq!(event_name(redacted(kind, false).kind), Some(name));
        }
    }

    #[test]
    fn stretches_end_where_paragraphs_do() {
        let paragraph = format!("{}\n\n", "word ".repeat(200));
        let stretches: Vec<String> = cut(&paragraph.repeat(3)).map(str::to_owned).collect();
        assert_eq!(stretches, [paragraph.repeat(2), paragraph]);
    }

    proptest! {
        #[test]
        fn stretches_together_are_the_text(text in "([a-zé日 \n]{0,900}){0,9}") {
            let stretches: Vec<&str> = cut(&text).collect();
            prop_assert!(stretches.iter().all(|stretch| stretch.len() <= MAX_STRETCH_BYTES && !stretch.is_empty()));
            prop_assert_eq!(stretches.concat(), text);
        }

        #[test]
        fn places_are_in_the_order_of_lines_and_parts(a in (0u64..1 << 40, 0u32..1 << 20), b in (0u64..1 << 40, 0u32..1 << 20)) {
            prop_assert_eq!(place(a.0, a.1).cmp(&place(b.0, b.1)), a.cmp(&b));
            prop_assert_eq!(line_of(place(a.0, a.1)), a.0);
        }
    }
}
