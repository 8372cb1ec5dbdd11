//! Emitter of the connectors: numbers and counts events, collects session metadata, and drops
//! content that cm itself created.

use std::collections::BTreeSet;
use std::mem;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rejected_calls;
use super::sink::{EventSink, SkipReason};
use super::source::LogSource;
use super::tally::RecordCounts;
use cm_note::instant::Instant;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::harness_text::{is_scaffold, is_summary, without_hook_context};
use cm_session::{CallId, RecordId, SessionId, SessionMeta, injected_markers, title, typed_reply};

/// Maximum number of events that wait until the session's id is known and it is clear that cm did
/// not cause the session.
const MAX_PENDING_EVENTS: usize = 256;

/// Maximum size of the text in waiting events, in bytes.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// State of a session between two readings of its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    meta: SessionMeta,
    identified: bool,
    #[serde(rename = "verdict")]
    origin: SessionOrigin,
    /// Calls by which the agent asked the user a question and that have no result yet.
    #[serde(default)]
    questions: BTreeSet<CallId>,
}

/// Maximum number of open questions; a log with more of them never contains answers.
const MAX_OPEN_QUESTIONS: usize = 64;

impl SessionState {
    /// Returns the session's title, if it has one.
    pub fn title_mut(&mut self) -> Option<&mut String> {
        self.meta.title.as_mut()
    }
}

/// Whether cm caused a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum SessionOrigin {
    /// Unknown, because there was no prompt yet.
    Open,
    Foreign,
    Ours,
}

struct CurrentSession {
    state: SessionState,
    pending: Vec<SessionEvent>,
    /// Size of the text in pending events, in bytes.
    pending_bytes: usize,
    /// Whether the sink must still be notified to discard earlier events of the session.
    must_reset: bool,
}

/// Receives the events that a connector reads.
pub struct Emitter<'s> {
    sink: &'s mut dyn EventSink,
    tally: RecordCounts,
    current: Option<CurrentSession>,
    line: u64,
    part: u32,
}

impl<'s> Emitter<'s> {
    /// Creates an emitter for `sink`, without a session.
    pub fn new(sink: &'s mut dyn EventSink) -> Self {
        Self { sink, tally: RecordCounts::default(), current: None, line: 0, part: 0 }
    }

    /// Starts a session and ends the previous one. Its events wait until [`Emitter::identify`] sets the
    /// id.
    pub fn begin(&mut self, meta: SessionMeta) {
        self.close();
        let state =
            SessionState { meta, identified: false, origin: SessionOrigin::Open, questions: BTreeSet::new() };
        self.current =
            Some(CurrentSession { state, pending: Vec::new(), pending_bytes: 0, must_reset: true });
    }

    /// Starts a session with the final id, as given in `meta`.
    pub fn begin_named(&mut self, meta: SessionMeta) {
        self.begin(meta);
        if let Some(current) = &mut self.current {
            current.state.identified = true;
        }
    }

    /// Starts the session of a source whose id is known from the path of its log.
    pub fn begin_with_id(&mut self, source: &LogSource, id: &str) {
        let mut meta = source.initial_meta();
        meta.id = id.into();
        self.begin_named(meta);
    }

    /// Continues a session of an earlier reading.
    pub fn resume(&mut self, state: SessionState) {
        self.close();
        let anew = !state.identified;
        self.current =
            Some(CurrentSession { state, pending: Vec::new(), pending_bytes: 0, must_reset: anew });
    }

    /// Returns the metadata of the current session.
    pub fn meta(&mut self) -> Option<&mut SessionMeta> {
        self.current.as_mut().map(|current| &mut current.state.meta)
    }

    /// Sets the session's id as given in the log; the first one applies.
    pub fn identify(&mut self, id: &str) {
        if let Some(current) = &mut self.current
            && !current.state.identified
            && !id.is_empty()
        {
            current.state.meta.id = SessionId::from(id);
            current.state.identified = true;
            self.flush(false);
        }
    }

    /// Sets a title from the log; the last one applies, and takes precedence over the first prompt.
    pub fn title(&mut self, text: &str) {
        if let (Some(title), Some(meta)) = (title::of_line(text), self.meta()) {
            meta.title = Some(title);
        }
    }

    /// Sets the working directory; the first one applies.
    pub fn workspace(&mut self, folder: &str) {
        if let Some(meta) = self.meta()
            && meta.workspace.is_none()
            && !folder.is_empty()
        {
            meta.workspace = Some(folder.to_owned());
        }
    }

    /// Sets the Git branch; the first one applies.
    pub fn branch(&mut self, branch: &str) {
        if let Some(meta) = self.meta()
            && meta.branch.is_none()
            && !branch.is_empty()
        {
            meta.branch = Some(branch.to_owned());
        }
    }

    /// Sets the model; a change emits an event.
    pub fn model(&mut self, at: Option<Instant>, record: Option<&str>, model: &str) {
        let Some(meta) = self.meta().filter(|_| !model.is_empty()) else { return };
        let before = meta.model.replace(model.to_owned());
        if before.is_some_and(|before| before != model) {
            self.emit(at, record, false, EventKind::ModelChange { model: model.to_owned() });
        }
    }

    /// Includes the time of a record without events in the session's time range.
    pub fn extend_time_range(&mut self, at: Option<Instant>) {
        if let Some(meta) = self.meta() {
            meta.extend_time_range(at);
        }
    }

    /// Starts the next record, with its line or ordinal.
    pub fn record(&mut self, line: u64) {
        self.move_to_line(line);
        self.tally.records += 1;
    }

    /// Moves to a line without counting a record, for data of a record that was counted.
    pub fn move_to_line(&mut self, line: u64) {
        self.line = line;
        self.part = 0;
    }

    /// Moves to a part of a line, for lines with many records.
    pub fn move_to_part(&mut self, line: u64, part: u32) {
        self.line = line;
        self.part = part;
    }

    /// Counts a record that is recognized but has no event.
    pub fn skip(&mut self, kind: &str, why: SkipReason) {
        *self.tally.skipped.entry(why.name().to_owned()).or_default() += 1;
        self.sink.skipped(self.line, kind, why);
    }

    /// Counts a record, or part of one, of an unknown kind.
    pub fn count_unknown(&mut self, kind: &str) {
        self.tally.unknown(kind);
    }

    /// Counts a record that is invalid JSON or has an unexpected structure.
    pub fn count_invalid(&mut self) {
        self.tally.bad.at(self.line);
    }

    /// Counts a record that exceeds the size limit.
    pub fn count_oversized(&mut self) {
        self.tally.oversized.at(self.line);
    }

    /// Marks the log as truncated within a record.
    pub fn mark_truncated(&mut self) {
        self.tally.torn = true;
    }

    /// Checks instructions for the model for the marker of cm's own sessions; they are not an
    /// event.
    pub fn instructions(&mut self, text: &str) {
        if let Some(current) = &mut self.current
            && current.state.origin == SessionOrigin::Open
            && injected_markers::is_model_call(text)
        {
            current.state.origin = SessionOrigin::Ours;
        }
    }

    /// Emits text in the user role: a prompt, an agent's summary of the session, or injected text if
    /// it has the form of program output.
    pub fn emit_prompt(&mut self, at: Option<Instant>, record: Option<&str>, text: &str) {
        let text = without_hook_context(text).to_owned();
        let kind = if is_summary(&text) {
            EventKind::Compaction { trigger: None, summary: Some(text) }
        } else if is_scaffold(&text) {
            EventKind::Injected { text }
        } else {
            EventKind::UserPrompt { text }
        };
        self.emit(at, record, false, kind);
    }

    /// Emits an event at the current record. Blank text is skipped. Text that the user typed into a
    /// tool result becomes a separate event after it.
    pub fn emit(&mut self, at: Option<Instant>, record: Option<&str>, side: bool, kind: EventKind) {
        let kind = rejected_calls::recognize(kind);
        let words = self.typed_words(&kind);
        self.push(at, record, side, kind);
        if let Some(words) = words {
            self.emit_prompt(at, record, &words);
        }
    }

    /// Returns the text that the user typed when rejecting a call, or in answer to a question of
    /// the agent.
    fn typed_words(&mut self, kind: &EventKind) -> Option<String> {
        let state = &mut self.current.as_mut()?.state;
        match kind {
            EventKind::ToolCall { id: Some(id), name, .. } => {
                if typed_reply::is_question(name) && state.questions.len() < MAX_OPEN_QUESTIONS {
                    state.questions.insert(id.clone());
                }
                None
            }
            EventKind::ToolRejected { id, text } => {
                id.as_ref().map(|id| state.questions.remove(id));
                typed_reply::in_refusal(text).map(str::to_owned)
            }
            EventKind::ToolResult { id, outcome, text, .. } => {
                let is_answer = id.as_ref().is_some_and(|id| state.questions.remove(id));
                match outcome {
                    ToolOutcome::Error => typed_reply::in_refusal(text).map(str::to_owned),
                    _ if is_answer => typed_reply::in_answer(text),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn push(&mut self, at: Option<Instant>, record: Option<&str>, side: bool, mut kind: EventKind) {
        if is_blank(&kind) {
            return self.skip(kind.name(), SkipReason::Empty);
        }
        let Some(current) = &mut self.current else { return };
        current.state.meta.extend_time_range(at);
        decide_origin(&mut current.state, &kind);
        if current.state.origin == SessionOrigin::Ours {
            return self.skip(kind.name(), SkipReason::OwnContent);
        }
        if strip(&mut kind) && is_blank(&kind) {
            return self.skip(kind.name(), SkipReason::OwnContent);
        }
        if let EventKind::UserPrompt { text } = &kind
            && current.state.meta.title.is_none()
        {
            current.state.meta.title = title::of_prompt(text);
        }
        let event = SessionEvent {
            at,
            line: self.line,
            part: self.part,
            record: record.map(RecordId::from),
            side,
            kind,
        };
        self.part += 1;
        self.tally.events += 1;
        current.pending_bytes += event.kind.text().map_or(0, str::len);
        current.pending.push(event);
        let wait = current.pending.len() < MAX_PENDING_EVENTS && current.pending_bytes < MAX_WAITING_BYTES;
        self.flush(!wait);
    }

    /// Returns the line of the current record.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Emits the first event of an earlier line again, with additional data.
    pub fn emit_again(&mut self, line: u64, at: Option<Instant>, record: Option<&str>, kind: EventKind) {
        let (now, part, events) = (self.line, self.part, self.tally.events);
        self.move_to_line(line);
        self.emit(at, record, false, kind);
        self.tally.events = events;
        self.move_to_part(now, part);
    }

    /// Passes waiting events to the sink if the session's id is known and cm did not cause the
    /// session, or if `must` is set. The id is final from then on.
    fn flush(&mut self, must: bool) {
        let Some(current) = &mut self.current else { return };
        let SessionState { meta, identified, origin, .. } = &mut current.state;
        let settled = *identified && *origin == SessionOrigin::Foreign;
        let nothing = !*identified && current.pending.is_empty();
        if nothing || (!must && !settled) {
            return;
        }
        *identified = true;
        current.pending_bytes = 0;
        if mem::take(&mut current.must_reset) {
            self.sink.reset(&meta.id);
        }
        for event in current.pending.drain(..) {
            self.sink.event(&meta.id, event);
        }
    }

    /// Ends the session. A session without an id and without events is dropped.
    fn close(&mut self) {
        let Some(current) = &mut self.current else { return };
        if current.state.origin == SessionOrigin::Ours {
            current.state.meta.ours = true;
            self.tally.events = self.tally.events.saturating_sub(current.pending.len() as u64);
            for event in mem::take(&mut current.pending) {
                *self.tally.skipped.entry(SkipReason::OwnContent.name().to_owned()).or_default() += 1;
                self.sink.skipped(event.line, event.kind.name(), SkipReason::OwnContent);
            }
        }
        self.flush(true);
        if let Some(current) = self.current.as_ref().filter(|current| !current.must_reset) {
            self.sink.meta(&current.state.meta);
        }
    }

    /// Returns the state of the session, so that a later run can continue it.
    pub fn session_state(&mut self) -> Option<SessionState> {
        self.current.as_ref().map(|current| current.state.clone())
    }

    /// Ends the reading, and returns the tally and the state of the last session.
    pub fn finish(mut self) -> (RecordCounts, Option<SessionState>) {
        self.close();
        (self.tally, self.current.map(|current| current.state))
    }
}

/// Decides whether cm caused the session, by a marker in or before the first prompt.
fn decide_origin(state: &mut SessionState, kind: &EventKind) {
    if state.origin != SessionOrigin::Open {
        return;
    }
    let first_text = match kind {
        EventKind::UserPrompt { text } | EventKind::Injected { text } | EventKind::System { text } => text,
        _ => return,
    };
    if injected_markers::is_model_call(first_text) {
        state.origin = SessionOrigin::Ours;
    } else if matches!(kind, EventKind::UserPrompt { .. }) {
        state.origin = SessionOrigin::Foreign;
    }
}

/// Returns whether a text event is blank. An empty tool result is a valid event.
fn is_blank(kind: &EventKind) -> bool {
    !matches!(
        kind,
        EventKind::ToolResult { .. } | EventKind::ToolRejected { .. } | EventKind::Compaction { .. }
    ) && kind.text().is_some_and(|text| text.trim().is_empty())
}

/// Removes text that cm inserted into an event; returns whether there was any.
fn strip(kind: &mut EventKind) -> bool {
    match kind {
        EventKind::UserPrompt { text }
        | EventKind::Injected { text }
        | EventKind::AssistantText { text }
        | EventKind::Thinking { text }
        | EventKind::ToolResult { text, .. }
        | EventKind::ToolRejected { text, .. }
        | EventKind::Error { text }
        | EventKind::System { text }
        | EventKind::Compaction { summary: Some(text), .. }
        | EventKind::PersonCommand { output: Some(text), .. } => strip_text(text),
        EventKind::ToolCall { input, .. } => strip_value(input),
        EventKind::Compaction { summary: None, .. }
        | EventKind::PersonCommand { output: None, .. }
        | EventKind::ModelChange { .. }
        | EventKind::Interrupt => false,
    }
}

fn strip_text(text: &mut String) -> bool {
    let Some(left) = injected_markers::strip_injected(text) else { return false };
    *text = left;
    true
}

fn strip_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => strip_text(text),
        Value::Array(items) => items.iter_mut().map(strip_value).filter(|stripped| *stripped).count() > 0,
        Value::Object(fields) => {
            fields.values_mut().map(strip_value).filter(|stripped| *stripped).count() > 0
        }
        _ => false,
    }
}
