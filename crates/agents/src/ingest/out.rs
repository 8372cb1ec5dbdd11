//! What connectors tell through: it numbers and counts events, gathers what is known of the session, and leaves out what
//! is ours.

use std::collections::BTreeSet;
use std::mem;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::refusal;
use super::sink::{Sink, Skip};
use super::tally::Tally;
use cm_note::instant::Instant;
use cm_session::event::{Event, EventKind, ToolOutcome};
use cm_session::scaffold::{is_scaffold, without_hook_context};
use cm_session::{CallId, Meta, RecordId, SessionId, ours, title, typed_reply};

/// The most events that wait until a session has its name and is known not to be ours.
const MOST_PENDING: usize = 256;

/// The most bytes of text in them.
const MOST_WAITING: usize = 4 << 20;

/// A session between two readings of its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    meta: Meta,
    identified: bool,
    verdict: Verdict,
    /// Calls by which the agent asked the person something, and that have no result yet.
    #[serde(default)]
    questions: BTreeSet<CallId>,
}

/// The most questions that wait for an answer; more of them are a log that never has any.
const MOST_QUESTIONS: usize = 64;

impl Carried {
    /// The session's title, if it has one.
    pub fn title_mut(&mut self) -> Option<&mut String> {
        self.meta.title.as_mut()
    }
}

/// Whether `cm` caused a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Verdict {
    /// No person has spoken yet.
    Open,
    Foreign,
    Ours,
}

struct Current {
    carried: Carried,
    pending: Vec<Event>,
    /// Bytes of text in what is pending.
    waiting: usize,
    /// The sink has still to hear that the session is told from its beginning.
    anew: bool,
}

/// Where a connector tells what it reads.
pub struct Out<'s> {
    sink: &'s mut dyn Sink,
    tally: Tally,
    current: Option<Current>,
    line: u64,
    part: u32,
}

impl<'s> Out<'s> {
    /// Tells to `sink`; no session has begun.
    pub fn new(sink: &'s mut dyn Sink) -> Self {
        Self { sink, tally: Tally::default(), current: None, line: 0, part: 0 }
    }

    /// A session begins, and the one before is over. Its events wait until [`Out::identify`] has named it.
    pub fn begin(&mut self, meta: Meta) {
        self.close();
        let carried = Carried { meta, identified: false, verdict: Verdict::Open, questions: BTreeSet::new() };
        self.current = Some(Current { carried, pending: Vec::new(), waiting: 0, anew: true });
    }

    /// A session begins whose id is known to be the one in `meta`.
    pub fn begin_named(&mut self, meta: Meta) {
        self.begin(meta);
        if let Some(current) = &mut self.current {
            current.carried.identified = true;
        }
    }

    /// A session goes on where an earlier reading left it.
    pub fn resume(&mut self, carried: Carried) {
        self.close();
        let anew = !carried.identified;
        self.current = Some(Current { carried, pending: Vec::new(), waiting: 0, anew });
    }

    /// What is known of the session.
    pub fn meta(&mut self) -> Option<&mut Meta> {
        self.current.as_mut().map(|current| &mut current.carried.meta)
    }

    /// The format's own id of the session; the first one counts.
    pub fn identify(&mut self, id: &str) {
        if let Some(current) = &mut self.current
            && !current.carried.identified
            && !id.is_empty()
        {
            current.carried.meta.id = SessionId::from(id);
            current.carried.identified = true;
            self.flush(false);
        }
    }

    /// A title that the log holds; the last one counts, and goes before the person's words.
    pub fn title(&mut self, text: &str) {
        if let (Some(title), Some(meta)) = (title::of_line(text), self.meta()) {
            meta.title = Some(title);
        }
    }

    /// The folder that is worked in; the first one counts.
    pub fn workspace(&mut self, folder: &str) {
        if let Some(meta) = self.meta()
            && meta.workspace.is_none()
            && !folder.is_empty()
        {
            meta.workspace = Some(folder.to_owned());
        }
    }

    /// The branch; the first one counts.
    pub fn branch(&mut self, branch: &str) {
        if let Some(meta) = self.meta()
            && meta.branch.is_none()
            && !branch.is_empty()
        {
            meta.branch = Some(branch.to_owned());
        }
    }

    /// The model that answers; a change of it is an event.
    pub fn model(&mut self, at: Option<Instant>, record: Option<&str>, model: &str) {
        let Some(meta) = self.meta().filter(|_| !model.is_empty()) else { return };
        let before = meta.model.replace(model.to_owned());
        if before.is_some_and(|before| before != model) {
            self.tell(at, record, false, EventKind::ModelChange { model: model.to_owned() });
        }
    }

    /// A record's time, where the record tells no event.
    pub fn saw(&mut self, at: Option<Instant>) {
        if let Some(meta) = self.meta() {
            meta.saw(at);
        }
    }

    /// The next record, with its line or ordinal.
    pub fn record(&mut self, line: u64) {
        self.at(line);
        self.tally.records += 1;
    }

    /// Goes to a line without counting a record: what belongs to a record that was counted.
    pub fn at(&mut self, line: u64) {
        self.line = line;
        self.part = 0;
    }

    /// Goes to a part of a line, where a line holds many records.
    pub fn at_part(&mut self, line: u64, part: u32) {
        self.line = line;
        self.part = part;
    }

    /// The record is understood and tells no event.
    pub fn skip(&mut self, kind: &str, why: Skip) {
        *self.tally.skipped.entry(why.name().to_owned()).or_default() += 1;
        self.sink.skipped(self.line, kind, why);
    }

    /// The record, or a part of it, is of a kind that is not known.
    pub fn unknown(&mut self, kind: &str) {
        self.tally.unknown(kind);
    }

    /// The record is no JSON, or not of a record's shape.
    pub fn bad(&mut self) {
        self.tally.bad.at(self.line);
    }

    /// The record is longer than the limit.
    pub fn oversized(&mut self) {
        self.tally.oversized.at(self.line);
    }

    /// The log ends within a record.
    pub fn torn(&mut self) {
        self.tally.torn = true;
    }

    /// Text that the model was given and that is no event; it may say that the session is ours.
    pub fn instructions(&mut self, text: &str) {
        if let Some(current) = &mut self.current
            && current.carried.verdict == Verdict::Open
            && ours::is_model_call(text)
        {
            current.carried.verdict = Verdict::Ours;
        }
    }

    /// Words in the person's role: theirs, unless a program's scaffolding is known by its form.
    pub fn person(&mut self, at: Option<Instant>, record: Option<&str>, text: &str) {
        let text = without_hook_context(text).to_owned();
        let kind =
            if is_scaffold(&text) { EventKind::Injected { text } } else { EventKind::UserPrompt { text } };
        self.tell(at, record, false, kind);
    }

    /// Something happened in the record at hand. Text without a word in it is no event. What the person typed into a
    /// tool's result is an event of its own behind it.
    pub fn tell(&mut self, at: Option<Instant>, record: Option<&str>, side: bool, kind: EventKind) {
        let kind = refusal::recognise(kind);
        let words = self.typed_words(&kind);
        self.push(at, record, side, kind);
        if let Some(words) = words {
            self.person(at, record, &words);
        }
    }

    /// What the person typed at a refusal, or as the answer to a question of the agent.
    fn typed_words(&mut self, kind: &EventKind) -> Option<String> {
        let carried = &mut self.current.as_mut()?.carried;
        match kind {
            EventKind::ToolCall { id: Some(id), name, .. } => {
                if typed_reply::is_question(name) && carried.questions.len() < MOST_QUESTIONS {
                    carried.questions.insert(id.clone());
                }
                None
            }
            EventKind::ToolRejected { id, text } => {
                id.as_ref().map(|id| carried.questions.remove(id));
                typed_reply::in_refusal(text).map(str::to_owned)
            }
            EventKind::ToolResult { id, outcome, text, .. } => {
                let is_answer = id.as_ref().is_some_and(|id| carried.questions.remove(id));
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
        if says_nothing(&kind) {
            return self.skip(kind.name(), Skip::Empty);
        }
        let Some(current) = &mut self.current else { return };
        current.carried.meta.saw(at);
        judge(&mut current.carried, &kind);
        if current.carried.verdict == Verdict::Ours {
            return self.skip(kind.name(), Skip::Ours);
        }
        if strip(&mut kind) && says_nothing(&kind) {
            return self.skip(kind.name(), Skip::Ours);
        }
        if let EventKind::UserPrompt { text } = &kind
            && current.carried.meta.title.is_none()
        {
            current.carried.meta.title = title::of_prompt(text);
        }
        let event =
            Event { at, line: self.line, part: self.part, record: record.map(RecordId::from), side, kind };
        self.part += 1;
        self.tally.events += 1;
        current.waiting += event.kind.text().map_or(0, str::len);
        current.pending.push(event);
        let wait = current.pending.len() < MOST_PENDING && current.waiting < MOST_WAITING;
        self.flush(!wait);
    }

    /// The line of the record at hand.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Tells the first event of an earlier line again, now that more of it is known.
    pub fn tell_again(&mut self, line: u64, at: Option<Instant>, record: Option<&str>, kind: EventKind) {
        let (now, part, events) = (self.line, self.part, self.tally.events);
        self.at(line);
        self.tell(at, record, false, kind);
        self.tally.events = events;
        self.at_part(now, part);
    }

    /// Hands on what waits, if the session is named and known to be foreign, or it must be. The name under which events
    /// were told stays.
    fn flush(&mut self, must: bool) {
        let Some(current) = &mut self.current else { return };
        let Carried { meta, identified, verdict, .. } = &mut current.carried;
        let settled = *identified && *verdict == Verdict::Foreign;
        let nothing = !*identified && current.pending.is_empty();
        if nothing || (!must && !settled) {
            return;
        }
        *identified = true;
        current.waiting = 0;
        if mem::take(&mut current.anew) {
            self.sink.anew(&meta.id);
        }
        for event in current.pending.drain(..) {
            self.sink.event(&meta.id, event);
        }
    }

    /// The session is over, as far as this log tells. One without a name and without events was none.
    fn close(&mut self) {
        let Some(current) = &mut self.current else { return };
        if current.carried.verdict == Verdict::Ours {
            current.carried.meta.ours = true;
            self.tally.events = self.tally.events.saturating_sub(current.pending.len() as u64);
            for event in mem::take(&mut current.pending) {
                *self.tally.skipped.entry(Skip::Ours.name().to_owned()).or_default() += 1;
                self.sink.skipped(event.line, event.kind.name(), Skip::Ours);
            }
        }
        self.flush(true);
        if let Some(current) = self.current.as_ref().filter(|current| !current.anew) {
            self.sink.meta(&current.carried.meta);
        }
    }

    /// The session as it stands, with what waits handed on, to go on from here in a later run.
    pub fn carried(&mut self) -> Option<Carried> {
        self.current.as_ref().map(|current| current.carried.clone())
    }

    /// Ends the reading: what was counted, and the session that may go on.
    pub fn finish(mut self) -> (Tally, Option<Carried>) {
        self.close();
        (self.tally, self.current.map(|current| current.carried))
    }
}

/// Finds out whose session it is: ours is known by a marker in what the model is given before or as the first prompt.
fn judge(carried: &mut Carried, kind: &EventKind) {
    if carried.verdict != Verdict::Open {
        return;
    }
    let given = match kind {
        EventKind::UserPrompt { text } | EventKind::Injected { text } | EventKind::System { text } => text,
        _ => return,
    };
    if ours::is_model_call(given) {
        carried.verdict = Verdict::Ours;
    } else if matches!(kind, EventKind::UserPrompt { .. }) {
        carried.verdict = Verdict::Foreign;
    }
}

/// Text events without text. A tool's empty answer is an answer.
fn says_nothing(kind: &EventKind) -> bool {
    !matches!(
        kind,
        EventKind::ToolResult { .. } | EventKind::ToolRejected { .. } | EventKind::Compaction { .. }
    ) && kind.text().is_some_and(|text| text.trim().is_empty())
}

/// Takes out of an event what `cm` put there; whether there was any.
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
    let Some(left) = ours::stripped(text) else { return false };
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
