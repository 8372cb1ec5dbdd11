//! Statistics over many sessions: by source, project and day, the best and worst session, and a
//! verdict on the signals.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::analysis::SessionReport;
use super::config::{FrictionConfig, FrictionRules, FrictionThresholds, SignalWeights};
use super::observed::is_reaction;
use super::record::stamp;
use super::score::{SessionQuality, SignalPattern, rounded};
use super::signal::{SignalKind, SignalSource};
use cm_note::instant::Instant;
use cm_text::named_enum;
use cm_text::plural::count;

/// Content of `friction_summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FrictionSummary {
    /// Time of the analysis, RFC 3339 with milliseconds.
    pub analyzed_at: String,
    pub sessions_analyzed: usize,
    /// Weights and thresholds that were applied.
    pub config_used: ConfigUsed,
    /// Signals in all sessions, by source.
    pub aggregate_by_source: BTreeMap<SignalSource, SourceAggregate>,
    pub by_project: BTreeMap<String, SessionStatistics>,
    pub overall: SessionStatistics,
    /// Statistics of each day on which a session started, in UTC, oldest first.
    pub daily_stats: Vec<DayStatistics>,
    /// Interactive session with the least friction, preferably one of quality `OK`.
    pub best_session: Option<ExtremeSession>,
    /// Interactive session with the most friction.
    pub worst_session: Option<ExtremeSession>,
    /// Relation between high friction and interventions.
    pub correlations: Correlations,
    /// Always empty; the field exists for compatibility with other tools.
    pub common_sequences: Vec<SignalPattern>,
    /// Verdict on whether the signals are meaningful.
    pub verdict: SignalVerdict,
}

/// Weights and thresholds of an analysis.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConfigUsed {
    /// Weight of each kind of signal.
    pub weights: SignalWeights,
    /// Thresholds of the rules.
    pub thresholds: FrictionThresholds,
    /// Description of each kind of signal.
    pub notes: BTreeMap<SignalKind, String>,
}

/// Signals of one source in all sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct SourceAggregate {
    /// Number of sessions with at least one signal of the source.
    pub sessions_with_signals: usize,
    /// Total weight of the signals.
    pub total_friction: f64,
    /// Average weight per session with such signals.
    pub avg_friction_per_session: f64,
    /// Number of signals of each kind.
    pub top_signals: BTreeMap<SignalKind, u32>,
}

/// Statistics of a group of sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct SessionStatistics {
    /// Number of sessions.
    pub total_sessions: usize,
    /// Number of sessions with more than one turn.
    pub interactive_sessions: usize,
    /// Number of sessions of quality `BAD`.
    pub bad_sessions: usize,
    /// `bad_sessions` divided by `interactive_sessions`, rounded to hundredths.
    pub bad_rate: f64,
    /// Average peak friction, rounded to tenths.
    pub avg_friction: f64,
    /// Average duration in minutes, rounded to tenths.
    pub avg_duration_min: f64,
    /// Average number of turns, rounded to tenths.
    pub avg_turns: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DayStatistics {
    /// Date such as `2026-10-01`.
    pub date: String,
    /// Number of sessions that started on this day.
    pub total: usize,
    /// Number of sessions with more than one turn.
    pub interactive: usize,
    /// Number of sessions of quality `BAD`.
    pub bad: usize,
    /// `bad` divided by `interactive`, rounded to hundredths.
    pub bad_rate: f64,
    /// Average peak friction, rounded to tenths.
    pub avg_friction: f64,
}

/// The best or the worst session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExtremeSession {
    pub session_id: String,
    pub quality: SessionQuality,
    pub peak_friction: f64,
    /// Number of user messages.
    pub turns: usize,
    /// Duration in whole minutes.
    pub duration_min: i64,
}

/// Relation between high friction and interventions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Correlations {
    /// Number of sessions with high friction.
    pub high_friction_sessions: usize,
    /// Number of stashed sessions plus number of abandoned sessions.
    pub intervention_sessions: usize,
    /// `intervention_sessions` divided by `high_friction_sessions`, rounded to hundredths; 0 if
    /// there are none.
    pub intervention_predictability: f64,
}

/// Verdict on whether the signals are meaningful.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SignalVerdict {
    pub status: VerdictStatus,
    /// Measured values and their thresholds.
    pub reasons: Vec<String>,
    /// Suggested changes of weights and rules.
    pub recommended_actions: Vec<String>,
}

named_enum! {
    /// Usefulness of the signals.
    pub enum VerdictStatus {
        /// Too much friction comes from agents rather than users and tools.
        Bloat = "BLOAT",
        /// Friction does not predict interventions.
        Inconclusive = "INCONCLUSIVE",
        /// Friction predicts interventions.
        Useful = "USEFUL",
    }
}

/// Computes the summary of some sessions.
pub fn summary(sessions: &[SessionReport], config: &FrictionConfig, now: Instant) -> FrictionSummary {
    let aggregate_by_source = by_source(sessions);
    let high = sessions.iter().filter(|session| session.peak() >= config.thresholds.friction_peak).count();
    let interventions = sessions.iter().map(interventions).sum();
    let predictability = if high > 0 { interventions as f64 / high as f64 } else { 0.0 };
    let verdict = match config.rules {
        FrictionRules::Classic => verdict(sessions, &aggregate_by_source, predictability, &config.thresholds),
        FrictionRules::Observed => observed_verdict(sessions),
    };
    let notes = config.weights.keys().map(|kind| (*kind, kind.meaning().to_owned())).collect();
    let (best_session, worst_session) = extremes(sessions);
    FrictionSummary {
        analyzed_at: stamp(Some(now)),
        sessions_analyzed: sessions.len(),
        config_used: ConfigUsed {
            weights: config.weights.clone(),
            thresholds: config.thresholds.clone(),
            notes,
        },
        aggregate_by_source,
        by_project: by_project(sessions),
        overall: statistics(&sessions.iter().collect::<Vec<_>>()),
        daily_stats: daily(sessions),
        best_session,
        worst_session,
        correlations: Correlations {
            high_friction_sessions: high,
            intervention_sessions: interventions,
            intervention_predictability: rounded(predictability, 100.0),
        },
        common_sequences: Vec::new(),
        verdict,
    }
}

fn by_source(sessions: &[SessionReport]) -> BTreeMap<SignalSource, SourceAggregate> {
    let mut all: BTreeMap<SignalSource, SourceAggregate> = BTreeMap::new();
    for (source, shown) in sessions.iter().flat_map(|session| &session.by_source) {
        let aggregate = all.entry(*source).or_default();
        aggregate.sessions_with_signals += 1;
        aggregate.total_friction += shown.total_friction;
        for (kind, shown) in &shown.signals {
            *aggregate.top_signals.entry(*kind).or_default() += shown.count;
        }
    }
    for aggregate in all.values_mut() {
        aggregate.avg_friction_per_session =
            aggregate.total_friction / aggregate.sessions_with_signals as f64;
    }
    all
}

fn interventions(session: &SessionReport) -> usize {
    let has = |source: SignalSource, kind: SignalKind| {
        session.by_source.get(&source).is_some_and(|shown| shown.signals.contains_key(&kind))
    };
    usize::from(has(SignalSource::User, SignalKind::UserIntervention))
        + usize::from(has(SignalSource::Session, SignalKind::SessionAbandoned))
}

fn by_project(sessions: &[SessionReport]) -> BTreeMap<String, SessionStatistics> {
    let mut groups: BTreeMap<String, Vec<&SessionReport>> = BTreeMap::new();
    for session in sessions {
        groups.entry(session.project.clone()).or_default().push(session);
    }
    groups.into_iter().map(|(project, sessions)| (project, statistics(&sessions))).collect()
}

/// Divides `part` by `whole` and rounds the result to multiples of 1/`parts`; 0 if `whole` is 0.
fn share(part: f64, whole: usize, parts: f64) -> f64 {
    if whole > 0 { rounded(part / whole as f64, parts) } else { 0.0 }
}

fn statistics(sessions: &[&SessionReport]) -> SessionStatistics {
    let total = sessions.len();
    let interactive = sessions.iter().filter(|session| session.is_interactive()).count();
    let bad = sessions.iter().filter(|session| session.quality == SessionQuality::Bad).count();
    let average = |of: &dyn Fn(&SessionReport) -> f64| {
        share(sessions.iter().map(|session| of(session)).sum(), total, 10.0)
    };
    SessionStatistics {
        total_sessions: total,
        interactive_sessions: interactive,
        bad_sessions: bad,
        bad_rate: share(bad as f64, interactive, 100.0),
        avg_friction: average(&|session| session.peak()),
        avg_duration_min: average(&|session| session.session_metadata.duration_min as f64),
        avg_turns: average(&|session| session.session_metadata.turn_count as f64),
    }
}

fn daily(sessions: &[SessionReport]) -> Vec<DayStatistics> {
    let mut days: BTreeMap<String, Vec<&SessionReport>> = BTreeMap::new();
    for session in sessions {
        if let Some(started) = session.started {
            days.entry(started.day()).or_default().push(session);
        }
    }
    let day = |(date, sessions): (String, Vec<&SessionReport>)| {
        let all = statistics(&sessions);
        DayStatistics {
            date,
            total: all.total_sessions,
            interactive: all.interactive_sessions,
            bad: all.bad_sessions,
            bad_rate: all.bad_rate,
            avg_friction: all.avg_friction,
        }
    };
    days.into_iter().map(day).collect()
}

/// Returns the interactive sessions with the least and the most friction; on ties, the first one.
fn extremes(sessions: &[SessionReport]) -> (Option<ExtremeSession>, Option<ExtremeSession>) {
    let interactive = || sessions.iter().filter(|session| session.is_interactive());
    let least = |a: &SessionReport, b: &SessionReport| b.peak() < a.peak();
    let most = |a: &SessionReport, b: &SessionReport| b.peak() > a.peak();
    let best = first_by(interactive().filter(|session| session.quality == SessionQuality::Ok), least);
    let best = best.or_else(|| first_by(interactive(), least));
    (best.map(extreme), first_by(interactive(), most).map(extreme))
}

fn first_by<'s>(
    sessions: impl Iterator<Item = &'s SessionReport>,
    better: impl Fn(&SessionReport, &SessionReport) -> bool,
) -> Option<&'s SessionReport> {
    sessions.reduce(|best, next| if better(best, next) { next } else { best })
}

fn extreme(session: &SessionReport) -> ExtremeSession {
    ExtremeSession {
        session_id: session.session_id.clone(),
        quality: session.quality,
        peak_friction: session.peak(),
        turns: session.session_metadata.turn_count,
        duration_min: session.session_metadata.duration_min,
    }
}

fn verdict(
    sessions: &[SessionReport],
    sources: &BTreeMap<SignalSource, SourceAggregate>,
    predictability: f64,
    thresholds: &FrictionThresholds,
) -> SignalVerdict {
    let of = |source: SignalSource| sources.get(&source).map_or(0.0, |aggregate| aggregate.total_friction);
    let noise = if of(SignalSource::Llm) > 0.0 { of(SignalSource::Llm) } else { 1.0 };
    let ratio = ((of(SignalSource::Tool) + of(SignalSource::User)) / noise).abs();
    let telling = format!("Signal/noise ratio: {ratio:.1} (threshold: {})", thresholds.signal_noise_ratio);
    let predicting = format!(
        "Intervention predictability: {:.0}% (threshold: {:.0}%)",
        rounded(predictability * 100.0, 1.0),
        rounded(thresholds.intervention_predictability * 100.0, 1.0)
    );
    let (status, reasons) = if ratio < thresholds.signal_noise_ratio {
        (VerdictStatus::Bloat, vec![telling])
    } else if predictability < thresholds.intervention_predictability {
        (VerdictStatus::Inconclusive, vec![predicting])
    } else {
        (VerdictStatus::Useful, vec![predicting, telling])
    };
    let recommended_actions =
        if status == VerdictStatus::Useful { recommended(sessions, sources) } else { Vec::new() };
    SignalVerdict { status, reasons, recommended_actions }
}

/// Returns the verdict of the observed rules: they are meaningful where a person reacted or harm was done.
fn observed_verdict(sessions: &[SessionReport]) -> SignalVerdict {
    let with = |is_wanted: &dyn Fn(SignalKind) -> bool| {
        let kinds = |session: &&SessionReport| {
            session.by_source.values().flat_map(|source| source.signals.keys()).any(|kind| is_wanted(*kind))
        };
        sessions.iter().filter(kinds).count()
    };
    let harmed = with(&|kind| kind == SignalKind::HarmDone);
    let reacted = with(&|kind| is_reaction(kind) || kind == SignalKind::RequestInterrupted);
    let mut reasons = Vec::new();
    if harmed > 0 {
        reasons.push(format!("a destructive command did harm in {}", count(harmed, "session")));
    }
    if reacted > 0 {
        reasons.push(format!(
            "a person corrected or stopped the agent in {reacted} of {}",
            count(sessions.len(), "session")
        ));
    }
    let status = if reasons.is_empty() { VerdictStatus::Inconclusive } else { VerdictStatus::Useful };
    if reasons.is_empty() {
        reasons.push("no person corrected or stopped the agent, and no command did harm".to_owned());
    }
    SignalVerdict { status, reasons, recommended_actions: Vec::new() }
}

fn recommended(sessions: &[SessionReport], sources: &BTreeMap<SignalSource, SourceAggregate>) -> Vec<String> {
    let curses = sources
        .get(&SignalSource::User)
        .and_then(|user| user.top_signals.get(&SignalKind::UserCurse))
        .copied();
    let is_loop = |pattern: &&SignalPattern| matches!(pattern, SignalPattern::FalseSuccessLoop { .. });
    let loops = sessions.iter().flat_map(|session| &session.patterns_detected).filter(is_loop).count();
    let mut actions = Vec::new();
    if curses.unwrap_or_default() > 5 {
        actions.push("give user_curse more weight: it is frequent".to_owned());
    }
    if loops > 3 {
        actions.push("add a rule against claiming success before the check has run".to_owned());
    }
    actions
}
