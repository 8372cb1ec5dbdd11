//! Measures how long it takes to merge 1,000 notes that both sides changed, in one process.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a measurement: it reads the clock and prints"
)]

use std::time::Instant;

use cm_merge::{Clash, Versions, Vocabulary, merge_file};
use cm_note::note::{RelationTable, TypeTable};
use cm_note::path::NotePath;
use cm_note::score::Scoring;

/// Number of notes.
const NOTES: usize = 1_000;
/// Number of runs; the median is printed.
const RUNS: usize = 7;

fn main() {
    let notes: Vec<[String; 3]> = (0..NOTES).map(versions).collect();
    let (types, relations, scoring) = (TypeTable::default(), RelationTable::default(), Scoring::default());
    let vocabulary = Vocabulary { types: &types, relations: &relations, scoring: &scoring };
    let path = NotePath::parse("playbook/ci/a.md").expect("the path is sound");
    let mut times = Vec::new();
    let mut bytes = 0;
    for _ in 0..RUNS {
        let begun = Instant::now();
        bytes = notes
            .iter()
            .map(|[base, ours, theirs]| {
                let versions = Versions {
                    base: Some(base.as_bytes()),
                    ours: ours.as_bytes(),
                    theirs: theirs.as_bytes(),
                };
                merge_file(&path, &versions, &vocabulary, Clash::Leftover).bytes.len()
            })
            .sum();
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    println!("{NOTES} notes, {} KB: {:.1} ms", bytes / 1024, times[RUNS / 2].as_secs_f64() * 1000.0);
}

/// A rule of about 200 words with feedback, and both sides with feedback, tags and a paragraph of their own.
fn versions(number: usize) -> [String; 3] {
    let event = |day: usize, session: &str| {
        format!("  - at: 2026-10-{day:02}T09:00:00Z\n    signal: helpful\n    session: {session}\n")
    };
    let text = |events: &str, tags: &str, end: &str, day: usize| {
        let words = format!("The worker of queue {number} waits for the gateway without a limit. ").repeat(4);
        let paragraphs = format!("{words}\n\n").repeat(4);
        format!(
            "---\nid: b-mwnpvin0-{number:06}\ncategory: ci\nstate: active\nmaturity: candidate\ntags: [ci{tags}]\n\
             feedback:\n{}{events}created: 2026-09-01T08:00:00Z\nupdated: 2026-10-{day:02}T09:00:00Z\n---\n\n\
             Give every request of queue {number} a limit.\n\n## Why\n\n{paragraphs}{end}",
            event(1, "base")
        )
    };
    let base = text("", "", "", 1);
    let ours = text(&event(5, "ours"), ", ours", "Ours measured it.\n", 5);
    let theirs = text(&event(6, "theirs"), ", theirs", "Theirs did too.\n", 6);
    [base, ours, theirs]
}
