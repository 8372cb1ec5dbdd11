//! The guard against labelled commands: those that its rules were made with, and those that it had not seen.

use cm::curate::trauma::{Ground, Judgement, decide};

const GROUND: Ground<'static> = Ground::new("/home/ada/shop", "/home/ada");

fn judgement(name: &str) -> Judgement {
    match name {
        "block" => Judgement::Block,
        "warn" => Judgement::Warn,
        "allow" => Judgement::Allow,
        other => panic!("no judgement: {other}"),
    }
}

fn wrong(lines: &[&str]) -> Vec<String> {
    let judge = |line: &&str| {
        let (name, command) = line.split_once('\t').unwrap();
        let command =
            command.replace("\\\\", "\u{0}").replace("\\n", "\n").replace("\\t", "\t").replace('\u{0}', "\\");
        let decision = decide(&command, &GROUND, &[], &[]);
        (decision.judgement != judgement(name))
            .then(|| format!("{line}: {:?}, {}", decision.judgement, decision.reason))
    };
    lines.iter().filter_map(judge).collect()
}

#[test]
fn labelled_commands_are_judged_as_they_should() {
    let file = include_str!("../golden/guard.tsv");
    let (table, unseen) = file.split_once("# Unseen").unwrap();
    let lines = |text: &'static str| {
        text.lines().filter(|line| line.contains('\t') && !line.starts_with('#')).collect::<Vec<_>>()
    };
    let (table, unseen) = (lines(table), lines(unseen));
    let (bad, missed) = (wrong(&table), wrong(&unseen));
    println!(
        "table {} of {}, unseen {} of {}",
        table.len() - bad.len(),
        table.len(),
        unseen.len() - missed.len(),
        unseen.len()
    );
    assert!(bad.is_empty() && missed.is_empty(), "{}\nunseen:\n{}", bad.join("\n"), missed.join("\n"));
}
