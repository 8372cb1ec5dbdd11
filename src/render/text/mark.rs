//! Feedback that was taken.

use super::committed;
use super::style::{BAD, GOOD, ID, WARN, paint, safe};
use crate::ops::mark::Marked;

/// As text.
pub fn marked(outcome: &Marked) -> String {
    let maturity = outcome.maturity.map(|maturity| format!("{}, ", maturity.name())).unwrap_or_default();
    let score = (outcome.score * 10_000.0).round() / 10_000.0;
    let counts = format!("{} helpful, {} harmful", outcome.helpful, outcome.harmful);
    let what = if outcome.changed {
        committed(outcome.commit.as_deref())
    } else {
        "this session said so already".to_owned()
    };
    let mut text = format!("{}  {maturity}score {score} ({counts})  {what}\n", paint(ID, &outcome.id));
    if let Some(step) = &outcome.promotion {
        text += &format!(
            "  {} {} → {}: {}\n",
            paint(GOOD, "promoted"),
            step.from.name(),
            step.to.name(),
            step.reason
        );
    }
    if let Some(step) = &outcome.demotion {
        text += &format!(
            "  {} {} → {}: {}\n",
            paint(BAD, "demoted"),
            step.from.name(),
            step.to.name(),
            step.reason
        );
    }
    if let Some(inversion) = &outcome.inversion {
        let content = safe(&inversion.content);
        text += &format!("  {} to {}: {content}\n", paint(WARN, "inverted"), paint(ID, &inversion.to));
    }
    text
}
