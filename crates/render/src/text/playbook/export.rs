//! Text output of `cm playbook export`.

use crate::text::style::{DIM, STRONG, count, paint, safe};
use cm_app::playbook::export::PlaybookExport;

pub fn exported(outcome: &PlaybookExport) -> String {
    let place = safe(outcome.out.as_deref().unwrap_or("standard output"));
    let bullets = paint(STRONG, &count(outcome.bullets, "bullet"));
    let patterns = count(outcome.patterns, "deprecated pattern");
    let same = if outcome.written { "" } else { ", which held them already" };
    let mut lines = format!("exported {bullets} and {patterns} to {place}{same}\n");
    if outcome.left_out > 0 {
        let toxic = count(outcome.left_out, "toxic pattern");
        let why = "the format has no place for what is kept out for ever";
        lines.push_str(&format!("{}\n", paint(DIM, &format!("left out {toxic}: {why}"))));
    }
    lines
}
