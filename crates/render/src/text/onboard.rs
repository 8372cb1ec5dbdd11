//! Text output of `cm onboard`.

use super::sessions::head;
use super::style::{BAD, DIM, GOOD, ID, STRONG, WARN, count, one_line, pad, paint, safe};
use cm_app::verbs::onboard::done::ProcessedSession;
use cm_app::verbs::onboard::read::Excerpt;
use cm_app::verbs::onboard::sample::{Sample, SampledSession};
use cm_app::verbs::onboard::{CoverageLevel, Gaps, OnboardingStatus};

/// One line for each category, then sessions to read.
pub fn status(outcome: &OnboardingStatus) -> String {
    let mut lines = String::new();
    for covered in &outcome.categories {
        let drafts = match covered.drafts {
            0 => String::new(),
            n => format!(", {}", count(n, "draft")),
        };
        let rules = format!("{}{drafts}", count(covered.rules, "rule"));
        lines.push_str(&line(covered.category.name(), covered.coverage, &rules));
    }
    if outcome.elsewhere > 0 {
        let elsewhere = format!("{} in other categories", count(outcome.elsewhere, "rule"));
        lines.push_str(&format!("{}\n", paint(DIM, &elsewhere)));
    }
    let sessions = count(outcome.sessions, "session");
    lines.push_str(&format!("{sessions}: {} processed, {} left\n", outcome.done, outcome.left));
    lines
}

fn line(name: &str, coverage: CoverageLevel, more: &str) -> String {
    let style = match coverage {
        CoverageLevel::Critical => BAD,
        CoverageLevel::Underrepresented => WARN,
        CoverageLevel::Adequate | CoverageLevel::WellCovered => GOOD,
    };
    format!("{}  {}  {more}\n", pad(name, 13), paint(style, &pad(coverage.words(), 16)))
}

/// One line for each gap, with search terms.
pub fn gaps(outcome: &Gaps) -> String {
    if outcome.gaps.is_empty() {
        return "every category is covered\n".to_owned();
    }
    let mut lines = String::new();
    for gap in &outcome.gaps {
        lines.push_str(&line(
            gap.category.name(),
            gap.coverage,
            &format!("{} wanted", count(gap.wanted, "rule")),
        ));
        lines.push_str(&format!("{}{}\n", " ".repeat(15), paint(DIM, &gap.look_for)));
    }
    lines.push_str("`cm onboard sample` selects sessions that may fill them\n");
    lines
}

/// One line for each session, with the categories that it may cover.
pub fn sample(outcome: &Sample) -> String {
    if outcome.sessions.is_empty() {
        return "all sessions are processed\n".to_owned();
    }
    let mut lines: String = outcome.sessions.iter().map(fitting).collect();
    if outcome.left > outcome.sessions.len() {
        let of = format!("{} of {} left", outcome.sessions.len(), count(outcome.left, "session"));
        lines.push_str(&format!("{}\n", paint(DIM, &of)));
    }
    lines.push_str("`cm onboard read SESSION --template` prints a work package for an agent\n");
    lines
}

fn fitting(one: &SampledSession) -> String {
    let info = &one.info;
    let day = info.ended.map(|at| at.day()).unwrap_or_default();
    let fills: Vec<&str> = one.fills.iter().map(|category| category.name()).collect();
    let fills = if fills.is_empty() { "fills no gap".to_owned() } else { fills.join(", ") };
    let title = one_line(info.title.as_deref().unwrap_or("(no title)"));
    let facts = format!(
        "{} {day} · {:.2}, {}, {}",
        info.agent,
        one.score,
        count(one.prompts, "prompt"),
        count(one.corrections, "correction")
    );
    format!(
        "{}  {}  {}\n{}{fills}\n",
        paint(ID, &one_line(&info.prefix)),
        paint(STRONG, &title),
        paint(DIM, &facts),
        " ".repeat(10)
    )
}

/// The session and its excerpt.
pub fn read(outcome: &Excerpt) -> String {
    let done =
        if outcome.done { format!("{}\n", paint(DIM, "it is already processed")) } else { String::new() };
    format!("{}{done}{}\n", head(&outcome.session), safe(&outcome.excerpt))
}

/// Confirmation that a session is done.
pub fn done(outcome: &ProcessedSession) -> String {
    let by = outcome.by.as_deref().map(|by| format!(" by {}", one_line(by))).unwrap_or_default();
    let session = paint(ID, &one_line(&outcome.session));
    if outcome.added {
        format!("{session} is marked as processed\n")
    } else {
        format!("{session} was already processed on {}{by}\n", outcome.at.day())
    }
}
