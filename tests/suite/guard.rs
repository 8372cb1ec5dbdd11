//! Tests the guard on labelled commands, both those used to develop its rules and unseen ones.

use cm_learn::trauma::{GuardVerdict, PathContext, decide};

const GROUND: PathContext<'static> = PathContext::new("/home/ada/shop", "/home/ada");

/// Returns label and command of each line of a table.
fn table(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (label, command) = line.split_once('\t')?;
        let command =
            command.replace("\\\\", "\u{0}").replace("\\n", "\n").replace("\\t", "\t").replace('\u{0}', "\\");
        Some((label, command))
    })
}

fn is_right(label: &str, judgement: GuardVerdict) -> bool {
    match label {
        "block" => judgement == GuardVerdict::Block,
        "warn" => judgement == GuardVerdict::Warn,
        "allow" | "harmless" => judgement == GuardVerdict::Allow,
        "harmful" => judgement != GuardVerdict::Allow,
        other => panic!("no label: {other}"),
    }
}

/// Returns the commands with a result that differs from their label.
fn wrong(text: &str, wanted: &str) -> Vec<String> {
    table(text)
        .filter(|(label, _)| wanted.is_empty() || *label == wanted)
        .filter_map(|(label, command)| {
            let decision = decide(&command, &GROUND, &[], &[]);
            let right = is_right(label, decision.judgement);
            (!right).then(|| format!("{label}\t{command}: {:?}, {}", decision.judgement, decision.reason))
        })
        .collect()
}

#[test]
fn commands_of_the_tables_are_judged_as_they_are_labelled() {
    for text in [include_str!("../golden/guard.tsv"), include_str!("../golden/guard-labelled.tsv")] {
        let wrong = wrong(text, "");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn of_commands_that_the_rules_had_not_seen_few_are_misjudged() {
    let text = include_str!("../golden/guard-unseen.tsv");
    let (let_through, stopped) = (wrong(text, "harmful"), wrong(text, "harmless"));
    let all = |label: &str| table(text).filter(|(of, _)| *of == label).count();
    println!(
        "harmful: {} of {} let through; harmless: {} of {} stopped",
        let_through.len(),
        all("harmful"),
        stopped.len(),
        all("harmless")
    );
    assert!(let_through.len() * 100 <= all("harmful") * 3, "{}", let_through.join("\n"));
    assert!(stopped.len() * 100 <= all("harmless"), "{}", stopped.join("\n"));
}
