//! Result of examining one log: its signals and candidates, without its texts, so that many logs
//! fit in memory.

use super::antigen::{self, AntigenCandidate};
use super::config::{FrictionConfig, FrictionRules};
use super::record::SessionLog;
use super::signal::{FrictionSignal, SignalKind};
use super::{classic, observed};
use cm_note::instant::Instant;
use cm_session::RecordId;

/// Result of examining one session log: its signals, candidates and metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct ExaminedLog {
    pub(super) project: String,
    pub(super) name: String,
    pub(super) folder: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) started: Option<Instant>,
    pub(super) ended: Option<Instant>,
    pub(super) unread: u32,
    pub(super) records: Vec<RecordMark>,
    pub(super) signals: Vec<FrictionSignal>,
    pub(super) candidates: Vec<AntigenCandidate>,
}

/// Id and time of a log record, and whether it is a user message; used to detect forks and count
/// turns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecordMark {
    pub(super) id: Option<RecordId>,
    pub(super) at: Option<Instant>,
    pub(super) turn: bool,
}

/// Finds the friction signals of a log, and collects the candidates around them.
pub fn examine(log: &SessionLog, config: &FrictionConfig) -> ExaminedLog {
    let signals = match config.rules {
        FrictionRules::Classic => classic::signals(log, &config.thresholds),
        FrictionRules::Observed => observed::signals(log, &config.thresholds),
    };
    let candidates = antigen::candidates(log, &signals, config.rules);
    let mark = |record: &super::record::LogRecord| RecordMark {
        id: record.id.clone(),
        at: record.at,
        turn: record.is_user_message,
    };
    ExaminedLog {
        project: log.project.clone(),
        name: log.name.clone(),
        folder: log.folder.clone(),
        branch: log.branch.clone(),
        started: log.started,
        ended: log.ended,
        unread: log.unread,
        records: log.records.iter().map(mark).collect(),
        signals,
        candidates,
    }
}

/// A destructive command that did harm.
#[derive(Debug, Clone, PartialEq)]
pub struct HarmDone {
    /// Time of the command.
    pub at: Option<Instant>,
    /// The command and its effect, redacted.
    pub details: String,
}

impl ExaminedLog {
    /// Adds a signal for each destructive command of the session that did harm.
    #[must_use]
    pub fn with_harm(mut self, harm: Vec<HarmDone>) -> Self {
        for HarmDone { at, details } in harm {
            let record = self.records.iter().position(|record| at.is_some() && record.at == at);
            let place = self.signals.iter().position(|signal| record.is_some() && signal.record >= record);
            let signal = FrictionSignal::new(SignalKind::HarmDone, at, record, details);
            self.signals.insert(place.unwrap_or(self.signals.len()), signal);
        }
        self
    }

    /// Number of user messages in the log.
    pub fn turns(&self) -> usize {
        self.records.iter().filter(|record| record.turn).count()
    }

    /// Ids of the log's records, in order; records without an id are skipped.
    pub(super) fn ids(&self) -> Vec<RecordId> {
        self.records.iter().filter_map(|record| record.id.clone()).collect()
    }

    /// Removes the signals, candidates and turns of records for which `seen` returns true, because
    /// another log contains them. The start time moves to the first remaining record.
    pub(super) fn retain_unseen(&mut self, seen: impl Fn(&RecordId) -> bool) {
        let is_seen = |record: &RecordMark| record.id.as_ref().is_some_and(&seen);
        let last_seen = self.records.iter().rposition(is_seen);
        // A record without an id is a copy if it stands among copies.
        let new = |(at, record): (usize, &RecordMark)| match record.id {
            Some(_) => !is_seen(record),
            None => last_seen.is_none_or(|last| at > last),
        };
        let new: Vec<bool> = self.records.iter().enumerate().map(new).collect();
        let is_new = |record: Option<usize>| record.is_none_or(|at| new.get(at).copied().unwrap_or(true));
        self.signals.retain(|signal| is_new(signal.record));
        self.candidates.retain(|candidate| is_new(candidate.record));
        let fresh =
            || self.records.iter().zip(&new).filter(|(_, new)| **new).filter_map(|(record, _)| record.at);
        self.started = fresh().min().or(self.started);
        for (record, new) in self.records.iter_mut().zip(&new) {
            record.turn &= *new;
        }
    }
}
