//! Text output of `cm curate`, delta by delta.

use super::committed;
use super::style::{BAD, DIM, GOOD, ID, WARN, count, paint, safe, safe_lines};
use cm_app::verbs::curate::CurationOutcome;

pub fn curated(outcome: &CurationOutcome) -> String {
    let report = &outcome.report;
    let mut text = String::new();
    for one in &report.applied {
        let draft = if one.adds_draft() { " (draft)" } else { "" };
        let op = paint(GOOD, &format!("{:>10}", one.op.name()));
        text += &format!("{op}  {}{draft}  {}\n", paint(ID, &safe(&one.id)), safe(&one.content));
        if let Some(note) = &one.note {
            text += &format!("{:>12}{}\n", "", paint(DIM, &safe(note)));
        }
    }
    for (name, colour, list) in [("skipped", DIM, &report.skipped), ("refused", BAD, &report.refused)] {
        for one in list {
            let label = paint(colour, &format!("{name:>10}"));
            let about = one.id.as_ref().map(|id| format!("{}: ", paint(ID, &safe(id)))).unwrap_or_default();
            let credited = if one.credited { "; feedback added" } else { "" };
            text += &format!(
                "{label}  delta {} ({})  {about}{}{credited}\n",
                one.delta,
                one.op,
                safe(&one.reason)
            );
        }
    }
    for one in &report.conflicts {
        let label = paint(WARN, &format!("{:>10}", "conflict"));
        text += &format!(
            "{label}  {}  {} {}: {}\n",
            paint(ID, &safe(&one.id)),
            "with",
            paint(ID, &safe(&one.with)),
            safe(&one.with_content)
        );
    }
    let steps = report.promotions.iter().map(|step| (GOOD, "promoted", step));
    for (colour, name, step) in steps.chain(report.demotions.iter().map(|step| (BAD, "demoted", step))) {
        let label = paint(colour, &format!("{name:>10}"));
        let (from, to) = (step.from.name(), step.to.name());
        text += &format!("{label}  {}  {from} → {to}: {}\n", paint(ID, &safe(&step.id)), safe(&step.reason));
    }
    for one in &report.activations {
        let label = paint(GOOD, &format!("{:>10}", "activated"));
        text += &format!("{label}  {}  draft → active: {}\n", paint(ID, &safe(&one.id)), safe(&one.reason));
    }
    for one in &report.inversions {
        let label = paint(WARN, &format!("{:>10}", "inverted"));
        text += &format!(
            "{label}  {}  to {}: {}\n",
            paint(ID, &safe(&one.from)),
            paint(ID, &safe(&one.to)),
            safe(&one.content)
        );
    }
    for one in &report.replaced {
        let label = paint(WARN, &format!("{:>10}", "replaced"));
        text += &format!(
            "{label}  {}  by {}: {}\n",
            paint(ID, &safe(&one.from)),
            paint(ID, &safe(&one.to)),
            safe(&one.reason)
        );
    }
    for path in &outcome.notes {
        text += &format!("{}  {}\n", paint(GOOD, &format!("{:>10}", "note")), safe(path));
    }
    if let Some(diff) = &outcome.diff {
        text += &format!("\n{}", safe_lines(diff));
    }
    text + &summary(outcome)
}

fn summary(outcome: &CurationOutcome) -> String {
    let report = &outcome.report;
    let counts = format!(
        "{} applied, {} skipped, {} refused",
        count(report.applied.len(), "delta"),
        report.skipped.len(),
        report.refused.len()
    );
    let end = match (outcome.dry_run, outcome.commit.as_deref()) {
        (true, _) => "nothing was written (--dry-run)".to_owned(),
        (false, None)
            if report.applied.is_empty() && report.skipped.iter().all(|passed| !passed.credited) =>
        {
            "nothing to commit".to_owned()
        }
        (false, commit) => committed(commit),
    };
    format!("{counts}  {end}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_note_steers_the_terminal() {
        let evil = "a\u{1b}]0;b\u{7}c";
        let step = serde_json::json!({"id": evil, "content": evil, "from": "candidate", "to": "proven", "reason": evil});
        let report = serde_json::json!({
            "applied": [], "skipped": [], "refused": [], "conflicts": [],
            "promotions": [step], "demotions": [step],
            "inversions": [{"from": evil, "to": evil, "content": evil}],
        });
        let report = serde_json::from_value(report).unwrap();
        let text = curated(&CurationOutcome {
            report,
            commit: None,
            dry_run: false,
            diff: None,
            notes: Vec::new(),
            files: Vec::new(),
            playbook: Default::default(),
        });
        assert_eq!(text.matches("]0;b").count(), 7, "{text:?}");
        assert!(!text.contains("\u{1b}]") && !text.contains('\u{7}'), "{text:?}");
    }
}
