//! Text output of `cm validate-rule`.

use super::style::{BAD, DIM, GOOD, ID, WARN, count, one_line, paint, safe};
use cm_app::verbs::validate_rule::{AdmissionVerdict, RuleCollision, RuleJudgement, RuleRelation};

/// The verdict, reasons and evidence, then conflicting rules.
pub fn judged(outcome: &RuleJudgement) -> String {
    let style = match outcome.verdict {
        AdmissionVerdict::Accept | AdmissionVerdict::AcceptWithCaution => GOOD,
        AdmissionVerdict::Draft => WARN,
        AdmissionVerdict::Reject => BAD,
    };
    let mut lines = format!("{} {}\n", paint(style, outcome.verdict.name()), safe(&outcome.rule));
    lines.push_str(&outcome.why.iter().map(|why| format!("  {}\n", safe(why))).collect::<String>());
    let evidence = &outcome.evidence;
    lines.push_str(&paint(
        DIM,
        &format!(
            "  confidence {:.2}; {}, {} succeeded, {} failed",
            outcome.confidence,
            count(evidence.sessions, "session"),
            evidence.successes,
            evidence.failures
        ),
    ));
    lines.push('\n');
    let untold = evidence.sessions - evidence.quotes.len().min(evidence.sessions);
    for quote in &evidence.quotes {
        let line = quote.line.map(|line| format!(":{line}")).unwrap_or_default();
        let agent = quote.agent.as_deref().map(|agent| format!(" {}", safe(agent))).unwrap_or_default();
        let ended = match quote.ended.name() {
            name @ "success" => paint(GOOD, name),
            name @ "failure" => paint(BAD, name),
            name => paint(DIM, name),
        };
        lines.push_str(&format!(
            "  {}{line}{agent}, {ended}: “{}”\n",
            paint(ID, &safe(&quote.session)),
            one_line(&quote.text)
        ));
    }
    if untold > 0 && !evidence.quotes.is_empty() {
        lines.push_str(&paint(DIM, &format!("  and {untold} more")));
        lines.push('\n');
    }
    if let Some(refined) = outcome.model.as_ref().and_then(|model| model.refined.as_deref()) {
        lines.push_str(&format!("  better: {}\n", safe(refined)));
    }
    lines.push_str(&outcome.collisions.iter().map(collision).collect::<String>());
    lines
}

fn collision(collision: &RuleCollision) -> String {
    let word = match collision.how {
        RuleRelation::Duplicate => "same as",
        RuleRelation::NearDuplicate => "nearly the same as",
        RuleRelation::Blocked => "blocked by",
        RuleRelation::Deprecated => "deprecated as",
        RuleRelation::Conflict => "contradicts",
        RuleRelation::Refines => "adds to",
        RuleRelation::Similar => "similar to",
    };
    let likeness = collision.likeness.map(|share| format!(" ({:.0} %)", share * 100.0)).unwrap_or_default();
    let reason = collision.reason.as_ref().map(|reason| format!(" ({})", safe(reason))).unwrap_or_default();
    format!(
        "  {word}{likeness} {} {}{reason}\n",
        paint(ID, &safe(&collision.id)),
        one_line(&collision.content)
    )
}
