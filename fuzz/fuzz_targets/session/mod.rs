//! Properties that hold for any bytes parsed as an agent's log.

use std::collections::BTreeMap;

use cm_agents::ingest::{EventSink, IngestLimits, LogFormat, LogSource, SkipReason, read_bytes};
use cm_session::event::SessionEvent;
use cm_session::{Agent, SessionId, SessionMeta};

/// Events by session position, line and part.
#[derive(Default)]
struct EventRecorder {
    order: Vec<SessionId>,
    events: BTreeMap<(usize, u64, u32), SessionEvent>,
    ours: bool,
    /// Events that were left out because cm caused them.
    own: usize,
}

impl EventRecorder {
    fn place(&mut self, session: &SessionId) -> usize {
        self.order.iter().position(|other| other == session).unwrap_or_else(|| {
            self.order.push(session.clone());
            self.order.len() - 1
        })
    }
}

impl EventSink for EventRecorder {
    fn reset(&mut self, session: &SessionId) {
        let place = self.place(session);
        self.events.retain(|(session, ..), _| *session != place);
    }

    fn event(&mut self, session: &SessionId, event: SessionEvent) {
        let place = self.place(session);
        self.events.insert((place, event.line, event.part), event);
    }

    fn skipped(&mut self, _: u64, _: &str, reason: SkipReason) {
        self.own += usize::from(reason == SkipReason::OwnContent);
    }

    fn meta(&mut self, meta: &SessionMeta) {
        self.ours |= meta.ours;
    }
}

fn check_session(agent: Agent, format: LogFormat, bytes: &[u8], limits: IngestLimits) -> EventRecorder {
    let mut recorder = EventRecorder::default();
    let tally = read_bytes(&LogSource::new(agent, format, "/w/s.jsonl"), bytes, limits, &mut recorder);
    assert!(recorder.events.len() as u64 <= tally.events, "every event is counted");
    recorder
}

/// Asserts that bytes are parsed as this format without a panic, within any limit, and
/// deterministically.
pub fn any(agent: Agent, format: LogFormat, bytes: &[u8]) {
    let once = check_session(agent, format, bytes, IngestLimits::default());
    let again = check_session(agent, format, bytes, IngestLimits::default());
    assert_eq!(once.events, again.events);
    check_session(agent, format, bytes, IngestLimits { max_record_bytes: 64 });
}

/// Like [`any`], and asserts that the complete log contains the events of its first part.
#[allow(dead_code, reason = "not every target's format is appended to")]
pub fn appended(agent: Agent, format: LogFormat, bytes: &[u8]) {
    any(agent, format, bytes);
    let whole = check_session(agent, format, bytes, IngestLimits::default());
    // A session that cm caused and that has no id is dropped without metadata.
    if whole.ours || whole.own > 0 && whole.order.is_empty() {
        return;
    }
    let half = bytes[..bytes.len() / 2].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    for (place, event) in check_session(agent, format, &bytes[..half], IngestLimits::default()).events {
        let later = whole.events.get(&place).unwrap_or_else(|| panic!("{event:?} is lost"));
        assert_eq!(later.kind.name(), event.kind.name());
    }
}
