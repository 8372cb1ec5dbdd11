//! Combines the examined logs into one analysis: session reports, a summary, candidates and
//! clusters.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::antigen::AntigenCandidate;
use super::antigen::by_pattern;
use super::antigen::by_words::{self, CandidateContext};
use super::config::{FrictionConfig, FrictionRules};
use super::examined_log::ExaminedLog;
use super::forks::group_by_conversation;
use super::record::{head, seconds, stamp};
use super::score::{CommandCounts, FrictionTotals, SessionQuality, SignalPattern, SourceFriction, score};
use super::signal::{FrictionSignal, SignalKind, SignalSource};
use super::summary::{FrictionSummary, summary};
use cm_note::instant::Instant;

/// Number of characters of the log's name in a session id; more are used if the id would not be
/// unique.
const SHORT_NAME_CHARS: usize = 8;

/// The report of one session in `friction_analysis.json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionReport {
    /// `<project>/<MMDD-HHMM>-<name>`, the time in UTC.
    pub session_id: String,
    /// Id of the session that this one was forked from; observed rules only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub session_metadata: SessionMetadata,
    pub friction_summary: FrictionTotals,
    /// Number of commands that succeeded and failed.
    pub momentum: CommandCounts,
    pub quality: SessionQuality,
    pub by_source: BTreeMap<SignalSource, SourceFriction>,
    /// Cumulative friction after each signal; never decreases.
    pub friction_trajectory: Vec<f64>,
    /// Notable sequences of signals.
    pub patterns_detected: Vec<SignalPattern>,
    #[serde(skip)]
    pub(super) project: String,
    #[serde(skip)]
    pub(super) started: Option<Instant>,
    #[serde(skip)]
    pub(super) ended: Option<Instant>,
}

impl SessionReport {
    /// Highest cumulative friction of the session.
    pub fn peak(&self) -> f64 {
        self.friction_summary.peak
    }

    /// Returns `true` if the user sent more than one message.
    pub fn is_interactive(&self) -> bool {
        self.session_metadata.turn_count > 1
    }
}

/// Facts about a session that its log contains.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    /// Working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Time of the first record, RFC 3339 with milliseconds; empty if the log has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// Time of the last record, RFC 3339 with milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Number of messages that the user sent.
    pub turn_count: usize,
    /// Whole minutes from the first record to the last; 0 if a time is missing.
    pub duration_min: i64,
}

/// Clusters of candidates, as produced by the selected rule set.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CandidateClusters {
    /// Candidates with the same signal and tools.
    Classic(Vec<by_pattern::PatternCluster>),
    /// Conversations with similar wording.
    Observed(Vec<by_words::WordCluster>),
}

impl CandidateClusters {
    pub fn len(&self) -> usize {
        match self {
            Self::Classic(clusters) => clusters.len(),
            Self::Observed(clusters) => clusters.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Friction of a set of sessions: reports, signals, statistics and clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionAnalysis {
    /// Rule set that was applied.
    pub rules: FrictionRules,
    /// Sessions, sorted by project, start time and log name.
    pub sessions: Vec<SessionReport>,
    /// Signals of each session, in the order of `sessions`.
    pub signals: Vec<Vec<FrictionSignal>>,
    /// Statistics over all sessions.
    pub summary: FrictionSummary,
    /// Excerpts around the strongest signals, which may lead to new rules. Those of the session
    /// with the highest friction come first.
    pub candidates: Vec<AntigenCandidate>,
    /// Groups of similar candidates.
    pub clusters: CandidateClusters,
    /// Number of logs that were dropped because other logs contain all of their records.
    pub copies: usize,
    /// Number of log lines that could not be parsed.
    pub unread: u32,
    /// Time of the analysis.
    pub now: Instant,
}

/// Combines the examined logs into an analysis; their order does not matter.
pub fn conclude(mut logs: Vec<ExaminedLog>, config: &FrictionConfig, now: Instant) -> FrictionAnalysis {
    logs.sort_by(|a, b| (&a.project, a.started, &a.name).cmp(&(&b.project, b.started, &b.name)));
    let (given, unread) = (logs.len(), logs.iter().map(|log| log.unread).sum());
    let conversations = match config.rules {
        FrictionRules::Classic => logs.into_iter().map(|log| vec![log]).collect(),
        FrictionRules::Observed => group_by_conversation(logs),
    };
    let mut scored_sessions = sessions(conversations, config);
    scored_sessions.sort_by(|a, b| {
        (&a.session.project, a.session.started, &a.name).cmp(&(
            &b.session.project,
            b.session.started,
            &b.name,
        ))
    });
    let candidates = candidates(&mut scored_sessions, config.rules);
    let clusters = clusters(&scored_sessions, &candidates, config);
    let (sessions, signals): (Vec<SessionReport>, Vec<Vec<FrictionSignal>>) = scored_sessions
        .into_iter()
        .map(|scored_sessions| (scored_sessions.session, scored_sessions.signals))
        .unzip();
    FrictionAnalysis {
        rules: config.rules,
        summary: summary(&sessions, config, now),
        copies: given - sessions.len(),
        sessions,
        signals,
        candidates,
        clusters,
        unread,
        now,
    }
}

/// A session report with the signals and candidates of its log.
struct ScoredSession {
    session: SessionReport,
    name: String,
    signals: Vec<FrictionSignal>,
    candidates: Vec<AntigenCandidate>,
}

fn sessions(conversations: Vec<Vec<ExaminedLog>>, config: &FrictionConfig) -> Vec<ScoredSession> {
    let all = || conversations.iter().flatten();
    let mut taken: HashMap<String, usize> = HashMap::new();
    all().for_each(|log| *taken.entry(session_id(log, SHORT_NAME_CHARS)).or_default() += 1);
    let id = |log: &ExaminedLog| {
        let short = session_id(log, SHORT_NAME_CHARS);
        if taken.get(&short).is_some_and(|count| *count > 1) { session_id(log, usize::MAX) } else { short }
    };
    let mut scored = Vec::new();
    for group in &conversations {
        let first = group.first().map(&id);
        for (at, log) in group.iter().enumerate() {
            let fork = (at > 0).then(|| first.clone()).flatten();
            scored.push(session_report(log, id(log), fork, config));
        }
    }
    scored
}

/// Formats a session id such as `demo/1001-1000-aaaa1111`: project, start time, and at most
/// `characters` UTF-16 units of the log's name.
fn session_id(log: &ExaminedLog, characters: usize) -> String {
    let began = match log.started {
        Some(at) => at.to_chrono().format("%m%d-%H%M").to_string(),
        None => "unknown".to_owned(),
    };
    format!("{}/{began}-{}", log.project, head(&log.name, characters))
}

fn session_report(
    log: &ExaminedLog,
    session_id: String,
    conversation: Option<String>,
    config: &FrictionConfig,
) -> ScoredSession {
    let turns = log.turns();
    let score = score(&log.signals, turns, config);
    let minutes = log.started.zip(log.ended).map(|(from, to)| (seconds(from, to) / 60.0).floor() as i64);
    let session = SessionReport {
        session_id,
        conversation,
        session_metadata: SessionMetadata {
            git_branch: log.branch.clone(),
            cwd: log.folder.clone(),
            started_at: log.started.map(|at| stamp(Some(at))),
            ended_at: log.ended.map(|at| stamp(Some(at))),
            turn_count: turns,
            duration_min: minutes.unwrap_or(0),
        },
        friction_summary: score.friction,
        momentum: score.momentum,
        quality: score.quality,
        by_source: score.by_source,
        friction_trajectory: score.trajectory,
        patterns_detected: score.patterns,
        project: log.project.clone(),
        started: log.started,
        ended: log.ended,
    };
    ScoredSession {
        session,
        name: log.name.clone(),
        signals: log.signals.clone(),
        candidates: log.candidates.clone(),
    }
}

/// Collects the candidates of all sessions, those of the session with the highest friction first.
/// The classic rules use only sessions of quality `BAD`.
fn candidates(scored: &mut [ScoredSession], rules: FrictionRules) -> Vec<AntigenCandidate> {
    let mut order: Vec<usize> = (0..scored.len()).collect();
    order.sort_by(|a, b| scored[*b].session.peak().total_cmp(&scored[*a].session.peak()));
    let mut all = Vec::new();
    for at in order {
        let ScoredSession { session, candidates, .. } = &mut scored[at];
        if rules == FrictionRules::Classic && session.quality != SessionQuality::Bad {
            continue;
        }
        for candidate in candidates.drain(..) {
            let (session_id, peak_friction) = (session.session_id.clone(), session.peak());
            all.push(AntigenCandidate { session_id, peak_friction, ..candidate });
        }
    }
    all
}

fn clusters(
    scored: &[ScoredSession],
    candidates: &[AntigenCandidate],
    config: &FrictionConfig,
) -> CandidateClusters {
    if config.rules == FrictionRules::Classic {
        return CandidateClusters::Classic(by_pattern::clusters(candidates));
    }
    let sessions: HashMap<&str, &SessionReport> =
        scored.iter().map(|scored| (scored.session.session_id.as_str(), &scored.session)).collect();
    let scored_sessions = candidates.iter().filter_map(|candidate| {
        let session = sessions.get(candidate.session_id.as_str())?;
        let conversation = session.conversation.as_deref().unwrap_or(&session.session_id);
        Some(CandidateContext { candidate, conversation, project: &session.project, ended: session.ended })
    });
    CandidateClusters::Observed(by_words::clusters(
        &scored_sessions.collect::<Vec<_>>(),
        config.thresholds.recurring,
    ))
}

impl FrictionAnalysis {
    /// Counts the signals of each kind, the most frequent first; ties are in the order of [`SignalKind`].
    pub fn signal_counts(&self) -> Vec<(SignalKind, u32)> {
        let mut counted: BTreeMap<SignalKind, u32> = BTreeMap::new();
        for aggregate in self.summary.aggregate_by_source.values() {
            for (kind, count) in &aggregate.top_signals {
                *counted.entry(*kind).or_default() += count;
            }
        }
        let mut counted: Vec<(SignalKind, u32)> = counted.into_iter().collect();
        counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counted
    }

    /// Returns `true` if the sessions belong to more than one project.
    pub(crate) fn spans_projects(&self) -> bool {
        self.sessions.iter().map(|session| &session.project).collect::<BTreeSet<_>>().len() > 1
    }
}
