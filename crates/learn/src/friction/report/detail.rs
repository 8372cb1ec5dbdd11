//! `report.md`: the whole analysis as tables.

use std::fmt::Write;

use super::inert_line;
use crate::friction::analysis::{FrictionAnalysis, SessionReport};
use crate::friction::config::FrictionRules;
use crate::friction::score::SessionQuality;
use crate::friction::signal::SignalKind;

/// Minimum peak friction of a session with medium friction.
const MIN_MEDIUM_PEAK: f64 = 15.0;
/// Minimum peak friction of a session with high friction.
const MIN_HIGH_PEAK: f64 = 50.0;
/// Maximum number of sessions that the report lists.
const MAX_LISTED_SESSIONS: usize = 20;
/// Number of days that the report's trend shows.
const TREND_DAYS: usize = 14;

pub fn report(analysis: &FrictionAnalysis) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_opening(&mut text, analysis)
        .and_then(|()| write_signs(&mut text, analysis))
        .and_then(|()| write_levels(&mut text, analysis))
        .and_then(|()| top_sessions(&mut text, analysis))
        .and_then(|()| write_qualities(&mut text, analysis))
        .and_then(|()| write_projects(&mut text, analysis))
        .and_then(|()| write_recommendations(&mut text, analysis))
        .and_then(|()| write_days(&mut text, analysis));
    text
}

fn format_percent(rate: f64) -> String {
    format!("{:.0}%", (rate * 100.0 + 0.5).floor())
}

fn write_opening(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    let overall = &analysis.summary.overall;
    let rules = match analysis.rules {
        FrictionRules::Classic => "classic",
        FrictionRules::Observed => "observed",
    };
    let now = analysis.now.to_chrono().format("%Y-%m-%d %H:%M:%S");
    writeln!(text, "# Friction Analysis - Detailed Report\n\n**Generated:** {now} UTC, rules: {rules}\n")?;
    writeln!(text, "**Sessions Analyzed:** {}", overall.total_sessions)?;
    writeln!(text, "**Interactive Sessions:** {} (more than one turn)", overall.interactive_sessions)?;
    writeln!(
        text,
        "**BAD Sessions:** {} ({} of interactive)",
        overall.bad_sessions,
        format_percent(overall.bad_rate)
    )?;
    if analysis.copies > 0 {
        writeln!(text, "**Copies left out:** {} (logs without content of their own)", analysis.copies)?;
    }
    if analysis.unread > 0 {
        writeln!(text, "**Lines not read:** {}", analysis.unread)?;
    }
    let level = match overall.bad_rate {
        rate if rate > 0.5 => "CRITICAL",
        rate if rate > 0.3 => "WARNING",
        _ => "HEALTHY",
    };
    writeln!(text, "\n## Executive Summary\n")?;
    writeln!(
        text,
        "**{level}**: {} of interactive sessions end badly. An average session has {:.1} turns, {:.1} friction, {:.0} min.\n",
        format_percent(overall.bad_rate),
        overall.avg_turns,
        overall.avg_friction,
        overall.avg_duration_min
    )?;
    let verdict = &analysis.summary.verdict;
    writeln!(text, "**Verdict:** {}: {}\n", verdict.status.name(), verdict.reasons.join("; "))
}

fn write_signs(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    let weights = &analysis.summary.config_used.weights;
    writeln!(text, "## Signal Breakdown\n\n| Signal | Count | Weight | Total Friction | What It Means |")?;
    writeln!(text, "|--------|-------|--------|----------------|---------------|")?;
    for (kind, count) in analysis.signal_counts() {
        let weight = weights.get(&kind).copied().unwrap_or(0.0);
        let total = f64::from(count) * weight;
        writeln!(text, "| {kind} | {count} | +{weight:.1} | {total:.1} | {} |", kind.meaning())?;
    }
    writeln!(text)
}

fn write_levels(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    let count = |range: std::ops::Range<f64>| {
        analysis
            .sessions
            .iter()
            .filter(|session| session.peak() > 0.0 && range.contains(&session.peak()))
            .count()
    };
    writeln!(text, "### Friction Level Breakdown\n")?;
    writeln!(text, "**Low Friction (0-15):** {} sessions", count(0.0..MIN_MEDIUM_PEAK))?;
    writeln!(text, "**Medium Friction (15-50):** {} sessions", count(MIN_MEDIUM_PEAK..MIN_HIGH_PEAK))?;
    writeln!(text, "**High Friction (50+):** {} sessions\n", count(MIN_HIGH_PEAK..f64::INFINITY))
}

fn top_sessions(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    let many = analysis.spans_projects();
    let mut top: Vec<&SessionReport> =
        analysis.sessions.iter().filter(|session| session.peak() > 0.0).collect();
    top.sort_by(|a, b| b.peak().total_cmp(&a.peak()));
    writeln!(
        text,
        "## Top Friction Sessions\n\n| Session | Quality | Peak | Turns | Duration | Top Signals |"
    )?;
    writeln!(text, "|---------|---------|------|-------|----------|-------------|")?;
    for session in top.into_iter().take(MAX_LISTED_SESSIONS) {
        let id = session.session_id.as_str();
        let shown = if many { id } else { id.rsplit('/').next().unwrap_or(id) };
        let about = &session.session_metadata;
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            inert_line(shown, 80).replace('|', "/"),
            session.quality.name(),
            session.peak(),
            about.turn_count,
            format_duration(about.duration_min),
            top_signs(session)
        )?;
    }
    writeln!(text)
}

fn top_signs(session: &SessionReport) -> String {
    let of_kinds = session.by_source.values().flat_map(|source| &source.signals);
    let mut signs: Vec<(&SignalKind, u32, f64)> =
        of_kinds.map(|(kind, of)| (kind, of.count, of.total_weight)).collect();
    signs.sort_by(|a, b| b.2.total_cmp(&a.2));
    let labels = signs.iter().take(3).map(|(kind, count, _)| format!("{kind}:{count}"));
    labels.collect::<Vec<_>>().join(", ")
}

fn format_duration(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        _ if minutes <= 0 => "-".to_owned(),
        (0, minutes) => format!("{minutes}m"),
        (hours, 0) => format!("{hours}h"),
        (hours, minutes) => format!("{hours}h{minutes}m"),
    }
}

fn write_qualities(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    writeln!(
        text,
        "## Session Quality Breakdown\n\n| Quality | Count | Description |\n|---------|-------|-------------|"
    )?;
    let annoyed = match analysis.rules {
        FrictionRules::Classic => "swearing, or a false claim of success",
        FrictionRules::Observed => "the user corrected, swore at or interrupted the agent repeatedly",
    };
    for (quality, description) in [
        (SessionQuality::Bad, "the user gave up"),
        (SessionQuality::Friction, annoyed),
        (SessionQuality::Rough, "much friction, but completed"),
        (SessionQuality::Ok, "almost no friction"),
        (SessionQuality::OneShot, "a single turn"),
    ] {
        let count = analysis.sessions.iter().filter(|session| session.quality == quality).count();
        if count > 0 {
            writeln!(text, "| {} | {count} | {description} |", quality.name())?;
        }
    }
    writeln!(text)
}

fn write_projects(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    writeln!(
        text,
        "## Per-Project Statistics\n\n| Project | Interactive | BAD | BAD % | Avg Friction | Avg Turns | Avg Duration |"
    )?;
    writeln!(text, "|---------|-------------|-----|-------|--------------|-----------|-------------|")?;
    for (project, of) in &analysis.summary.by_project {
        let rate = if of.interactive_sessions > 0 { format_percent(of.bad_rate) } else { "-".to_owned() };
        writeln!(
            text,
            "| {} | {} | {} | {rate} | {:.1} | {:.1} | {} |",
            inert_line(project, 60).replace('|', "/"),
            of.interactive_sessions,
            of.bad_sessions,
            of.avg_friction,
            of.avg_turns,
            format_duration((of.avg_duration_min + 0.5).floor() as i64)
        )?;
    }
    writeln!(text)
}

fn write_recommendations(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    let counted = analysis.signal_counts();
    let count =
        |kind: SignalKind| counted.iter().find(|(other, _)| *other == kind).map_or(0, |(_, count)| *count);
    let interactive = analysis.summary.overall.interactive_sessions;
    let gave_up = f64::from(count(SignalKind::UserIntervention)) > 0.4 * interactive as f64;
    let advice = [
        (
            count(SignalKind::FalseSuccess) > 10,
            "**High:** add a rule to check the exit code before claiming success",
        ),
        (count(SignalKind::RequestInterrupted) > 20, "**High:** find commands that take too long or hang"),
        (gave_up, "**Critical:** more than 40% of sessions end with /stash; see the review for reasons"),
        (count(SignalKind::ToolLoop) > 3, "**Medium:** add a rule against repeating the same call"),
        (
            count(SignalKind::RepeatedQuestion) > 20,
            "**Medium:** questions are repeated; check whether context is lost",
        ),
    ];
    writeln!(text, "## Recommendations\n")?;
    let mut number = 0;
    for (_, advice) in advice.iter().filter(|(fits, _)| *fits) {
        number += 1;
        writeln!(text, "{number}. {advice}")?;
    }
    if number == 0 {
        writeln!(text, "No critical problems.")?;
    }
    writeln!(text)
}

fn write_days(text: &mut String, analysis: &FrictionAnalysis) -> std::fmt::Result {
    let days = &analysis.summary.daily_stats;
    if days.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "## Daily Trend (Last {TREND_DAYS} Days, UTC)\n\n| Date | Interactive | BAD | Rate | Trend |"
    )?;
    writeln!(text, "|------|-------------|-----|------|-------|")?;
    for day in &days[days.len().saturating_sub(TREND_DAYS)..] {
        let rate = if day.interactive > 0 { day.bad_rate } else { 0.0 };
        let shown = if day.interactive > 0 { format_percent(rate) } else { "-".to_owned() };
        let full = ((rate * 10.0 + 0.5).floor() as usize).min(10);
        let bar = "█".repeat(full) + &"░".repeat(10 - full);
        writeln!(text, "| {} | {} | {} | {shown} | {bar} |", day.date, day.interactive, day.bad)?;
    }
    writeln!(text)
}
