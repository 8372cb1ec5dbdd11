//! Text output of `cm forget`.

use super::committed;
use super::style::{DIM, ID, WARN, paint, safe};
use cm_app::verbs::forget::{ForgottenRule, LiftedBlock};

pub fn forgotten(outcome: &ForgottenRule) -> String {
    let blocked = if outcome.blocked { "blocked by" } else { "already blocked by" };
    let mut text = format!(
        "{}  {}  deprecated, {blocked} {}  {}\n",
        paint(ID, &safe(&outcome.id)),
        safe(&outcome.path),
        paint(ID, &safe(&outcome.blocked_by)),
        if outcome.changed { committed(outcome.commit.as_deref()) } else { "nothing to change".to_owned() }
    );
    if let Some(anti) = &outcome.inverted_to {
        text += &format!("  {} to {}\n", paint(WARN, "inverted"), paint(ID, &safe(anti)));
    }
    text
}

/// Output after blocks were lifted.
pub fn lifted(outcome: &LiftedBlock) -> String {
    let mut text = String::new();
    for (id, path) in outcome.ids.iter().zip(&outcome.paths) {
        let end = committed(outcome.commit.as_deref());
        text += &format!("{}  {}  no longer blocked  {end}\n", paint(ID, &safe(id)), safe(path));
    }
    if let Some(bullet) = &outcome.bullet {
        let state = if outcome.revived {
            "is a draft again"
        } else {
            "stays deprecated (add --revive to make it a draft)"
        };
        text += &format!("  {} {}\n", paint(ID, &safe(bullet)), paint(DIM, state));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_note_steers_the_terminal() {
        let evil = || "a\u{1b}]0;b\u{7}c".to_owned();
        let told = forgotten(&ForgottenRule {
            id: evil(),
            path: evil(),
            blocked_by: evil(),
            blocked: true,
            inverted_to: Some(evil()),
            commit: None,
            changed: true,
        });
        let lifted = lifted(&LiftedBlock {
            ids: vec![evil()],
            paths: vec![evil()],
            bullet: Some(evil()),
            revived: false,
            commit: None,
        });
        for text in [told, lifted] {
            assert!(
                text.contains("]0;b") && !text.contains("\u{1b}]") && !text.contains('\u{7}'),
                "{text:?}"
            );
        }
    }
}
