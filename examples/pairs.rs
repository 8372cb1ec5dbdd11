//! Measures how well contradictions and duplicates are told from other pairs of rules.
//!
//! `cargo run --example pairs -- FILE… [--show]`: each file holds a JSON object a line with the texts `a` and `b` and a
//! `label` (`contradiction` or `conflict`, `duplicate`, anything else), or label, one text and the other between tabs.
//! `--show` lists what was got wrong. It tunes nothing.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a program for developers: it reads what it is given, and prints"
)]

use cm::curate::conflict::{Statement, likeness, opposition};

struct Pair {
    a: String,
    b: String,
    label: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let show = arguments.iter().any(|argument| argument == "--show");
    for file in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let text = std::fs::read_to_string(file).expect("the file can be read");
        measure(file, &text.lines().filter_map(pair).collect::<Vec<_>>(), show);
    }
}

fn pair(line: &str) -> Option<Pair> {
    if line.starts_with('#') || line.trim().is_empty() {
        return None;
    }
    if line.starts_with('{') {
        let value: serde_json::Value = serde_json::from_str(line).expect("a line is a JSON object");
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        return Some(Pair { a: text("a"), b: text("b"), label: text("label") });
    }
    let mut cells = line.split('\t').map(str::to_owned);
    Some(Pair { label: cells.next()?, a: cells.next()?, b: cells.next()? })
}

fn measure(file: &str, pairs: &[Pair], show: bool) {
    println!("{file}: {} pairs", pairs.len());
    let read: Vec<(Statement, Statement)> =
        pairs.iter().map(|pair| (Statement::of(&pair.a), Statement::of(&pair.b))).collect();
    let opposed: Vec<_> = read.iter().map(|(a, b)| opposition(a, b)).collect();
    let contradicts = |pair: &Pair| matches!(pair.label.as_str(), "contradiction" | "conflict");
    let rows = pairs.iter().zip(&opposed);
    report("contradiction", rows.clone().map(|(pair, found)| (contradicts(pair), found.is_some())));
    for least in [0.5, 0.6, 0.7, 0.8, 0.85, 0.9] {
        let rows = pairs.iter().zip(&read).zip(&opposed).map(|((pair, (a, b)), opposed)| {
            (pair.label == "duplicate", opposed.is_none() && likeness(a, b) >= least)
        });
        report(&format!("duplicate {least}"), rows);
    }
    if show {
        for ((pair, (a, b)), opposed) in pairs.iter().zip(&read).zip(&opposed) {
            let found = opposed.is_none() && likeness(a, b) >= 0.85;
            if found != (pair.label == "duplicate") {
                println!(
                    "  likeness {:.2}  [{}]\n    {}\n    {}",
                    likeness(a, b),
                    pair.label,
                    pair.a,
                    pair.b
                );
            }
        }
        for (pair, found) in rows.filter(|(pair, found)| contradicts(pair) != found.is_some()) {
            let why = found
                .as_ref()
                .map_or("missed".to_owned(), |found| format!("{:?} {}", found.ground, found.reason));
            println!("  {why}  [{}]\n    {}\n    {}", pair.label, pair.a, pair.b);
        }
    }
}

/// Prints precision, recall and F1 of (is, was found).
fn report(name: &str, rows: impl Iterator<Item = (bool, bool)>) {
    let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
    for row in rows {
        match row {
            (true, true) => right += 1.0,
            (false, true) => wrong += 1.0,
            (true, false) => missed += 1.0,
            (false, false) => {}
        }
    }
    let share = |of: f64| if of == 0.0 { 0.0 } else { right / of };
    let (precision, recall) = (share(right + wrong), share(right + missed));
    let f1 = share(right + (wrong + missed) / 2.0);
    println!(
        "  {name:<16} precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}  ({right} right, {wrong} wrong, {missed} missed)"
    );
}
