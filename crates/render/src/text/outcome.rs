//! Text output of `cm outcome`.

use super::committed;
use super::style::{BAD, DIM, GOOD, ID, WARN, one_line, paint, safe};
use cm_app::verbs::outcome::{CreditReason, CreditedRule, OutcomeResult, UncreditedRule};
use cm_note::note::FeedbackSignal;

/// The session with its outcome, then rules with and without credit.
pub fn recorded(outcome: &OutcomeResult) -> String {
    let ended = match outcome.outcome.name() {
        name @ "success" => paint(GOOD, name),
        name @ "failure" => paint(BAD, name),
        name => paint(WARN, name),
    };
    let before = match outcome.before.filter(|before| *before != outcome.outcome) {
        Some(before) => paint(DIM, &format!(" (was {})", before.name())),
        None => String::new(),
    };
    let what = match outcome.changed {
        true => committed(outcome.commit.as_deref()),
        false => paint(DIM, "already recorded, nothing changed"),
    };
    let mut lines = format!("{}  {ended}{before}  {what}\n", paint(ID, &safe(&outcome.session)));
    let made = if outcome.created { "made" } else { "in" };
    lines.push_str(&format!("  {made} {}\n", safe(&outcome.diary)));
    outcome.credited.iter().for_each(|one| lines.push_str(&credited(one)));
    outcome.passed.iter().for_each(|one| lines.push_str(&passed(one)));
    for step in outcome.promotions.iter().chain(&outcome.demotions) {
        lines.push_str(&format!(
            "  {} {} → {}: {}\n",
            paint(ID, &safe(&step.id)),
            step.from.name(),
            step.to.name(),
            safe(&step.reason)
        ));
    }
    for inversion in &outcome.inversions {
        lines.push_str(&format!(
            "  {} inverted to {}\n",
            safe(&inversion.from),
            paint(ID, &safe(&inversion.to))
        ));
    }
    lines
}

fn credited(credited: &CreditedRule) -> String {
    let word = match credited.signal {
        FeedbackSignal::Helpful => paint(GOOD, "helpful"),
        FeedbackSignal::Harmful => paint(BAD, "harmful"),
        other => paint(DIM, other.name()),
    };
    let why = match (credited.why, credited.line) {
        (CreditReason::Named, _) => "named".to_owned(),
        (CreditReason::Cited, Some(line)) => format!("cited on line {line}, weight {}", credited.weight),
        (CreditReason::Cited, None) => format!("cited, weight {}", credited.weight),
    };
    format!(
        "  {word} {} {} {}\n",
        paint(ID, &safe(&credited.id)),
        one_line(&credited.content),
        paint(DIM, &why)
    )
}

fn passed(passed: &UncreditedRule) -> String {
    format!("  {} {}: {}\n", paint(DIM, "skipped"), paint(ID, &safe(&passed.id)), safe(&passed.reason))
}
