//! How well contradictions are told from other pairs of rules, on pairs that people labelled.
//!
//! The first file was at hand while the comparison was made; the second was not looked at, and tells how it does on rules
//! that it has not met.

use cm::curate::conflict::{Statement, opposition};

struct Figures {
    precision: f64,
    recall: f64,
    wrong: Vec<String>,
}

fn measure(pairs: &str) -> Figures {
    let (mut right, mut found, mut wanted) = (0.0, 0.0, 0.0);
    let mut wrong = Vec::new();
    for line in pairs.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [label, a, b] = cells[..] else { panic!("a line has a label and two rules: {line}") };
        assert!(matches!(label, "conflict" | "agree" | "duplicate" | "unrelated"), "{line}");
        let is = label == "conflict";
        let seen = opposition(&Statement::of(a), &Statement::of(b)).is_some();
        wanted += f64::from(is);
        found += f64::from(seen);
        right += f64::from(is && seen);
        if is != seen {
            wrong.push(line.to_owned());
        }
    }
    Figures { precision: right / found, recall: right / wanted, wrong }
}

#[test]
fn contradictions_among_the_labelled_pairs_are_found() {
    let figures = measure(include_str!("../golden/conflict-pairs.tsv"));
    assert!(figures.precision >= 0.97 && figures.recall >= 0.96, "{:#?}", figures.wrong);
}

#[test]
fn contradictions_among_pairs_that_nothing_was_tuned_on_are_found() {
    let figures = measure(include_str!("../golden/conflict-pairs-unseen.tsv"));
    assert!(figures.precision >= 0.95 && figures.recall >= 0.9, "{:#?}", figures.wrong);
}
