//! Text output of `cm playbook export`.

use crate::text::style::{DIM, STRONG, count, paint, safe};
use cm_app::verbs::playbook::export::PlaybookExport;

pub fn exported(outcome: &PlaybookExport) -> String {
    let place = safe(outcome.out.as_deref().unwrap_or("standard output"));
    let bullets = paint(STRONG, &count(outcome.bullets, "rule"));
    let patterns = count(outcome.patterns, "deprecated pattern");
    let same = if outcome.written { "" } else { ", unchanged" };
    let mut lines = format!("exported {bullets} and {patterns} to {place}{same}\n");
    if outcome.left_out > 0 {
        let toxic = count(outcome.left_out, "toxic pattern");
        let why = "the format does not support permanent blocks";
        lines.push_str(&format!("{}\n", paint(DIM, &format!("skipped {toxic}: {why}"))));
    }
    lines
}
