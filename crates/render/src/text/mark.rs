//! Text output of `cm mark`.

use super::committed;
use super::style::{BAD, GOOD, ID, WARN, paint, safe};
use cm_app::verbs::mark::MarkResult;
use cm_note::rounding::round_to_four_decimals;

pub fn marked(outcome: &MarkResult) -> String {
    let maturity = outcome.maturity.map(|maturity| format!("{}, ", maturity.name())).unwrap_or_default();
    let score = round_to_four_decimals(outcome.score);
    let counts = format!("{} helpful, {} harmful", outcome.helpful, outcome.harmful);
    let what = if outcome.changed {
        committed(outcome.commit.as_deref())
    } else {
        "this session already gave this feedback".to_owned()
    };
    let mut text = format!("{}  {maturity}score {score} ({counts})  {what}\n", paint(ID, &safe(&outcome.id)));
    if let Some(note) = &outcome.uncounted {
        text += &format!("  {}\n", safe(note));
    }
    if let Some(reason) = &outcome.activation {
        text += &format!("  {} draft → active: {}\n", paint(GOOD, "activated"), safe(reason));
    }
    if let Some(step) = &outcome.promotion {
        text += &format!(
            "  {} {} → {}: {}\n",
            paint(GOOD, "promoted"),
            step.from.name(),
            step.to.name(),
            safe(&step.reason)
        );
    }
    if let Some(step) = &outcome.demotion {
        text += &format!(
            "  {} {} → {}: {}\n",
            paint(BAD, "demoted"),
            step.from.name(),
            step.to.name(),
            safe(&step.reason)
        );
    }
    if let Some(inversion) = &outcome.inversion {
        let content = safe(&inversion.content);
        text += &format!("  {} to {}: {content}\n", paint(WARN, "inverted"), paint(ID, &safe(&inversion.to)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_note_steers_the_terminal() {
        let evil = || "a\u{1b}]0;b\u{7}c".to_owned();
        let step = serde_json::json!({"id": evil(), "content": evil(), "from": "candidate", "to": "proven", "reason": evil()});
        let inversion = serde_json::json!({"from": evil(), "to": evil(), "content": evil()});
        let text = marked(&MarkResult {
            id: evil(),
            path: evil(),
            score: 1.0,
            maturity: None,
            helpful: 1,
            harmful: 0,
            commit: None,
            changed: true,
            uncounted: Some(evil()),
            activation: Some(evil()),
            promotion: serde_json::from_value(step.clone()).unwrap(),
            demotion: serde_json::from_value(step).unwrap(),
            inversion: serde_json::from_value(inversion).unwrap(),
        });
        assert_eq!(text.matches("]0;b").count(), 7, "{text:?}");
        assert!(!text.contains("\u{1b}]") && !text.contains('\u{7}'), "{text:?}");
    }
}
