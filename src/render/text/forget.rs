//! What was forgotten, and blocks that were lifted.

use super::committed;
use super::style::{DIM, ID, WARN, paint, safe};
use crate::ops::forget::{Forgotten, Lifted};

/// As text.
pub fn forgotten(outcome: &Forgotten) -> String {
    let blocked = if outcome.blocked { "blocked by" } else { "blocked already by" };
    let mut text = format!(
        "{}  {}  deprecated, {blocked} {}  {}\n",
        paint(ID, &outcome.id),
        outcome.path,
        paint(ID, &outcome.blocked_by),
        if outcome.changed { committed(outcome.commit.as_deref()) } else { "nothing to change".to_owned() }
    );
    if let Some(anti) = &outcome.inverted_to {
        text += &format!("  {} to {}\n", paint(WARN, "inverted"), paint(ID, anti));
    }
    text
}

/// As text.
pub fn lifted(outcome: &Lifted) -> String {
    let mut text = String::new();
    for (id, path) in outcome.ids.iter().zip(&outcome.paths) {
        let end = committed(outcome.commit.as_deref());
        text += &format!("{}  {}  no longer blocked  {end}\n", paint(ID, id), safe(path));
    }
    if let Some(bullet) = &outcome.bullet {
        let state =
            if outcome.revived { "is a draft again" } else { "stays deprecated (--revive makes it a draft)" };
        text += &format!("  {} {}\n", paint(ID, bullet), paint(DIM, state));
    }
    text
}
