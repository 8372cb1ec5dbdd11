//! Converts the session events of any agent to records, one per source record.
//!
//! Thinking, subagent events and notices of programs are left out.

use super::record::{LogRecord, RecordPart, RecordRole, SessionLog};
use cm_note::instant::Instant;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::{RecordId, SessionMeta, harness_text};
use cm_text::path::last_component;

/// Converts a parsed session to the log format of the friction analysis.
pub fn log<'e>(meta: &SessionMeta, events: impl IntoIterator<Item = &'e SessionEvent>) -> SessionLog {
    let mut reader = EventLogReader::default();
    for event in events {
        reader.event(event);
    }
    reader.finish(meta)
}

/// Converts a session to the log format of the friction analysis, event by event.
#[derive(Debug, Default)]
pub struct EventLogReader {
    records: Vec<LogRecord>,
    /// Line of the last event that became part of a record.
    line: Option<u64>,
    /// Latest timestamp so far, which events without a timestamp get.
    at: Option<Instant>,
}

impl EventLogReader {
    /// Adds the next event; events must arrive in log order.
    pub fn event(&mut self, event: &SessionEvent) {
        self.at = event.at.or(self.at);
        let Some((role, part)) = (!event.side).then(|| record_part(&event.kind)).flatten() else { return };
        if let (RecordPart::Compaction(summary), Some(last)) = (&part, self.records.last_mut())
            && let [RecordPart::Compaction(earlier)] = last.parts.as_mut_slice()
        {
            // The mark of a compaction and its summary are two records of one act.
            *earlier = earlier.take().or_else(|| summary.clone());
            return;
        }
        let turn = role == RecordRole::Person && matches!(part, RecordPart::Text(_));
        match self.records.last_mut().filter(|last| self.line == Some(event.line) && last.role == role) {
            Some(last) => {
                last.is_user_message |= turn;
                last.parts.push(part);
            }
            None => {
                let (at, id) = (event.at.or(self.at), id(event));
                self.records.push(LogRecord { at, id, role, is_user_message: turn, parts: vec![part] });
            }
        }
        self.line = Some(event.line);
    }

    /// Returns the converted log, completed with the session's metadata.
    pub fn finish(self, meta: &SessionMeta) -> SessionLog {
        let project = meta.workspace.as_deref().and_then(last_component).unwrap_or(meta.agent.name());
        SessionLog {
            project: project.to_owned(),
            name: meta.id.as_str().to_owned(),
            folder: meta.workspace.clone(),
            branch: meta.branch.clone(),
            started: meta.started,
            ended: meta.ended,
            records: self.records,
            unread: 0,
        }
    }
}

/// Returns the record id of an event. `None` for a compaction: its summary carries the id of the
/// last summarized record, which may belong to another session.
fn id(event: &SessionEvent) -> Option<RecordId> {
    match event.kind {
        EventKind::Compaction { .. } => None,
        _ => event.record.clone(),
    }
}

fn record_part(kind: &EventKind) -> Option<(RecordRole, RecordPart)> {
    Some(match kind {
        EventKind::UserPrompt { text } => {
            let role = if harness_text::is_scaffold(text) { RecordRole::Program } else { RecordRole::Person };
            (role, RecordPart::Text(text.clone()))
        }
        EventKind::Injected { text } => (RecordRole::Program, RecordPart::Text(text.clone())),
        EventKind::AssistantText { text } => (RecordRole::Agent, RecordPart::Text(text.clone())),
        EventKind::ToolCall { id, name, input } => {
            (RecordRole::Agent, RecordPart::Call { id: id.clone(), tool: name.clone(), input: input.clone() })
        }
        EventKind::ToolResult { id, outcome, exit_code, text } => {
            let part = RecordPart::Result {
                id: id.clone(),
                outcome: *outcome,
                exit_code: *exit_code,
                text: text.clone(),
            };
            (RecordRole::Program, part)
        }
        EventKind::Interrupt => (RecordRole::Person, RecordPart::Interrupt),
        EventKind::Compaction { summary, .. } => {
            (RecordRole::System, RecordPart::Compaction(summary.clone()))
        }
        EventKind::Thinking { .. }
        | EventKind::PersonCommand { .. }
        | EventKind::ToolRejected { .. }
        | EventKind::ModelChange { .. }
        | EventKind::Error { .. }
        | EventKind::System { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_session::Agent;

    fn event(line: u64, kind: EventKind) -> SessionEvent {
        SessionEvent { at: None, line, part: 0, record: Some("record-1".into()), side: false, kind }
    }

    fn read(events: &[SessionEvent]) -> SessionLog {
        let mut meta = SessionMeta::new(Agent::Codex, "s".into());
        meta.workspace = Some("C:\\work\\demo\\".into());
        log(&meta, events)
    }

    #[test]
    fn events_of_one_line_and_role_are_one_record() {
        let text = |text: &str| EventKind::AssistantText { text: text.into() };
        let log = read(&[event(1, text("a")), event(1, text("b")), event(2, text("c"))]);
        assert_eq!(log.records.iter().map(|record| record.parts.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(log.project, "demo");
    }

    #[test]
    fn what_agents_did_for_agents_and_thoughts_are_left_out() {
        let mut side = event(1, EventKind::UserPrompt { text: "no".into() });
        side.side = true;
        assert!(read(&[side, event(2, EventKind::Thinking { text: "no".into() })]).records.is_empty());
    }

    #[test]
    fn only_a_person_makes_a_turn() {
        let log = read(&[
            event(1, EventKind::UserPrompt { text: "fix it".into() }),
            event(2, EventKind::Injected { text: "no".into() }),
            event(3, EventKind::UserPrompt { text: "<task-notification>no".into() }),
            event(4, EventKind::Interrupt),
        ]);
        assert_eq!(
            log.records.iter().map(|record| record.is_user_message).collect::<Vec<_>>(),
            [true, false, false, false]
        );
    }

    #[test]
    fn what_has_no_time_is_no_earlier_than_what_came_before() {
        let mut first = event(1, EventKind::UserPrompt { text: "go".into() });
        first.at = Some(Instant::from_unix(5));
        let log = read(&[first, event(2, EventKind::Interrupt)]);
        assert_eq!(log.records[1].at, Some(Instant::from_unix(5)));
    }

    #[test]
    fn the_mark_of_a_compaction_and_its_summary_are_one() {
        let compaction =
            |summary: Option<&str>| EventKind::Compaction { trigger: None, summary: summary.map(Into::into) };
        let log = read(&[event(1, compaction(None)), event(2, compaction(Some("s")))]);
        assert_eq!(log.records.len(), 1);
        assert_eq!(log.records[0].parts, [RecordPart::Compaction(Some("s".into()))]);
        assert_eq!(log.records[0].id, None, "its id may be that of another session's record");
    }
}
