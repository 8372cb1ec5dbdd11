//! Writes the redacted events of a log to the session index, for the sessions that may be read.

use std::collections::{HashMap, HashSet};

use super::sources::preference_key;
use cm_agents::ingest::{EventSink, LogFormat, LogSource};
use cm_index::sessions::{RedactedEvent, SessionKey, SessionStoreWriter};
use cm_secrets::{Redacted, RedactionRules, redact};
use cm_session::event::SessionEvent;
use cm_session::{SessionId, SessionMeta};

/// Writes the events of one session log to the session index.
pub struct SessionIndexWriter<'a> {
    pub writer: &'a mut SessionStoreWriter,
    pub rules: &'a RedactionRules,
    pub source: &'a LogSource,
    /// Path of the log in the form that the index stores.
    pub path: &'a str,
    /// Formats of all logs that were found, by path.
    pub logs: &'a HashMap<String, LogFormat>,
    /// Sessions of this log that may be read; `None` if all may.
    pub allowed: Option<HashSet<SessionId>>,
    /// Sessions that were read from their first event in this pass.
    pub read_from_start: HashSet<SessionId>,
    /// For each session, whether it is indexed from this log; filled on first use.
    pub decided: HashMap<SessionId, bool>,
    /// First error of the index; further events are dropped.
    pub failed: Option<cm_index::Error>,
    /// Whether the log must be read once more, from its beginning.
    pub must_reread: bool,
    /// Size of the text written to the index, in bytes.
    pub bytes: u64,
}

impl SessionIndexWriter<'_> {
    fn write(
        &mut self,
        session: &SessionId,
        write: impl FnOnce(&mut SessionStoreWriter, &SessionKey) -> Result<u64, cm_index::Error>,
    ) {
        if self.failed.is_some() {
            return;
        }
        let key = SessionKey { agent: self.source.agent, id: session.clone() };
        let written = match self.is_source_of(&key) {
            Ok(true) => write(self.writer, &key),
            Ok(false) => Ok(0),
            Err(error) => Err(error),
        };
        match written {
            Ok(bytes) => self.bytes += bytes,
            Err(error) => self.failed = Some(error),
        }
    }

    /// Returns the sessions that were indexed from this log, sorted.
    pub fn written_sessions(&self) -> Vec<SessionId> {
        let mut written: Vec<SessionId> =
            self.decided.iter().filter(|(_, counts)| **counts).map(|(id, _)| id.clone()).collect();
        written.sort();
        written
    }

    /// Returns whether the session is indexed from this log; the decision is cached for the pass.
    fn is_source_of(&mut self, key: &SessionKey) -> Result<bool, cm_index::Error> {
        if let Some(decision) = self.decided.get(&key.id) {
            return Ok(*decision);
        }
        let allowed = self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&key.id));
        let counts = allowed && self.is_preferred_log(key)?;
        self.decided.insert(key.id.clone(), counts);
        Ok(counts)
    }

    /// Returns whether this log may supply the session. Of several logs with the same session, only
    /// the preferred one is indexed.
    fn is_preferred_log(&mut self, key: &SessionKey) -> Result<bool, cm_index::Error> {
        let teller = self.writer.session(key)?.and_then(|session| session.log.clone());
        let Some(other) = teller.filter(|log| log != self.path) else { return Ok(true) };
        let better = |format: &LogFormat| {
            preference_key(*format, &other) < preference_key(self.source.format, self.path)
        };
        if self.logs.get(&other).is_some_and(better) {
            return Ok(false);
        }
        // Taken over half-way, it would lack what this log told before.
        if !self.read_from_start.contains(&key.id) {
            self.must_reread = true;
            return Ok(false);
        }
        Ok(true)
    }
}

impl EventSink for SessionIndexWriter<'_> {
    fn reset(&mut self, session: &SessionId) {
        self.read_from_start.insert(session.clone());
        self.write(session, |writer, key| writer.clear_events(key).map(|()| 0));
    }

    fn event(&mut self, session: &SessionId, event: SessionEvent) {
        let rules = self.rules;
        self.write(session, |writer, key| {
            let redacted = RedactedEvent::of(&event, |text| redact(text, rules).0);
            writer.event(key, &redacted).map(|()| redacted.bytes())
        });
    }

    fn meta(&mut self, meta: &SessionMeta) {
        let (rules, path) = (self.rules, self.path);
        let clean = |text: &Option<String>| text.as_deref().map(|text| redact(text, rules).0.into_string());
        let title = meta.title.as_deref().map(|title| title_of(title, rules));
        let meta = SessionMeta { branch: clean(&meta.branch), model: clean(&meta.model), ..meta.clone() };
        self.write(&meta.id, |writer, _| writer.meta(&meta, title, path).map(|()| 0));
    }
}

/// Redacts a title. A truncated title loses its last word, which may be part of a secret.
pub fn title_of(title: &str, rules: &RedactionRules) -> Redacted {
    match title.strip_suffix('…') {
        None => redact(title, rules).0,
        Some(cut) => {
            let whole = cut.trim_end_matches(|c: char| c.is_ascii_graphic()).trim_end();
            redact(&format!("{whole} …"), rules).0
        }
    }
}

/// Collects the metadata of the sessions in a log and writes nothing to the index.
#[derive(Default)]
pub struct AllowedSessions {
    pub begun: HashSet<SessionId>,
    pub metas: Vec<SessionMeta>,
}

impl EventSink for AllowedSessions {
    fn reset(&mut self, session: &SessionId) {
        self.begun.insert(session.clone());
    }

    fn event(&mut self, _: &SessionId, _: SessionEvent) {}

    fn meta(&mut self, meta: &SessionMeta) {
        self.metas.push(meta.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_was_cut_within_a_word_loses_the_word() {
        let rules = RedactionRules::default();
        for (title, expected) in [
            ("Fix the build", "Fix the build"),
            ("use the key ghp_0123456789abc…", "use the key …"),
            ("日本語のとても長い題…", "日本語のとても長い題 …"),
            ("export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345", "export TOKEN=[redacted: "),
        ] {
            let shown = title_of(title, &rules);
            assert!(shown.as_str().starts_with(expected), "{title}: {shown}");
        }
    }
}
