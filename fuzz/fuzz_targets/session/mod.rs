//! Properties that hold for any bytes parsed as an agent's log.

use std::collections::BTreeMap;

use cm_session::event::Event;
use cm_session::{Agent, Meta, SessionId};
use cm_agents::ingest::{Format, Limits, Sink, Source, read_bytes};

/// Events by session position, line and part.
#[derive(Default)]
struct Told {
    order: Vec<SessionId>,
    events: BTreeMap<(usize, u64, u32), Event>,
    ours: bool,
}

impl Told {
    fn place(&mut self, session: &SessionId) -> usize {
        self.order.iter().position(|known| known == session).unwrap_or_else(|| {
            self.order.push(session.clone());
            self.order.len() - 1
        })
    }
}

impl Sink for Told {
    fn anew(&mut self, session: &SessionId) {
        let place = self.place(session);
        self.events.retain(|(session, ..), _| *session != place);
    }

    fn event(&mut self, session: &SessionId, event: Event) {
        let place = self.place(session);
        self.events.insert((place, event.line, event.part), event);
    }

    fn meta(&mut self, meta: &Meta) {
        self.ours |= meta.ours;
    }
}

fn told(agent: Agent, format: Format, bytes: &[u8], limits: Limits) -> Told {
    let mut told = Told::default();
    let tally = read_bytes(&Source::new(agent, format, "/w/s.jsonl"), bytes, limits, &mut told);
    assert!(told.events.len() as u64 <= tally.events, "every event is counted");
    told
}

/// Asserts that bytes are parsed as this format without a panic, within any limit, and
/// deterministically.
pub fn any(agent: Agent, format: Format, bytes: &[u8]) {
    let once = told(agent, format, bytes, Limits::default());
    let again = told(agent, format, bytes, Limits::default());
    assert_eq!(once.events, again.events);
    told(agent, format, bytes, Limits { record: 64 });
}

/// Like [`any`], and asserts that the complete log contains the events of its first part.
#[allow(dead_code, reason = "not every target's format is appended to")]
pub fn appended(agent: Agent, format: Format, bytes: &[u8]) {
    any(agent, format, bytes);
    let whole = told(agent, format, bytes, Limits::default());
    if whole.ours {
        return;
    }
    let half = bytes[..bytes.len() / 2].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    for (place, event) in told(agent, format, &bytes[..half], Limits::default()).events {
        let later = whole.events.get(&place).unwrap_or_else(|| panic!("{event:?} is lost"));
        assert_eq!(later.kind.name(), event.kind.name());
    }
}
