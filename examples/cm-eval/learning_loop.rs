//! Runs a scorer over a loop corpus, and prints its figures beside the goals.
//!
//! A loop corpus has sessions with labelled lessons, traps, tasks in time order and queries. The
//! scorer is a program that is given by path. It runs cm as a user would: `FILE CM DIR --arms A,B
//! --json OUT`, and writes a JSON list of projects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::fault::{EvalError, Result};
use crate::table::{head, row};

/// What to measure, and with what.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Folder of the corpus
    folder: PathBuf,
    /// Program that scores cm on the corpus
    #[arg(long, value_name = "FILE", env = "CM_EVAL_SCORER")]
    scorer: PathBuf,
    /// The cm to measure
    #[arg(long, value_name = "FILE", default_value = "target/release/cm")]
    cm: PathBuf,
    /// Ways to learn, separated by commas: raw (logs only), plain (nobody accepts), accept (every
    /// draft is accepted), gold (the lessons are typed in)
    #[arg(long, value_name = "A,B", default_value = "raw,plain,accept,gold")]
    arms: String,
}

/// Results of one project.
#[derive(Debug, Deserialize)]
struct ProjectScore {
    arms: BTreeMap<String, ArmScore>,
}

/// Results of one way to learn.
#[derive(Debug, Deserialize)]
struct ArmScore {
    #[serde(default)]
    tasks: Vec<TaskScore>,
    score: Option<LearnedScore>,
    /// Query id, rank of the right session in the briefing if it is there, and text.
    #[serde(default)]
    queries: Vec<(String, Option<usize>, String)>,
}

#[derive(Debug, Deserialize)]
struct TaskScore {
    /// Lesson that the task needs; `-` for none.
    want: String,
    /// Whether a rule, pitfall, memory or warning of the briefing has the lesson.
    lesson: bool,
    items: usize,
    off: usize,
    hist: usize,
    histoff: usize,
    tokens: usize,
}

#[derive(Debug, Deserialize)]
struct LearnedScore {
    /// Lessons found and all lessons, by pattern.
    by: BTreeMap<String, (usize, usize)>,
    /// Learned texts by class: lesson, outdated, trap, noise.
    cls: BTreeMap<String, usize>,
    /// Learned texts by lesson: kind, state, text.
    got: BTreeMap<String, Vec<Value>>,
}

/// Patterns that counting commands and results can see.
const COUNTED: [&str; 4] = ["failfix", "command", "sameerror", "repeated"];

/// Runs the scorer, and returns the table of figures.
///
/// # Errors
///
/// The scorer cannot be run or fails, or its output is not a list of projects.
pub fn report(options: &Options) -> Result<String> {
    let scratch = tempfile::tempdir().map_err(EvalError::file(&std::env::temp_dir()))?;
    let out = scratch.path().join("score.json");
    let cm = options.cm.canonicalize().map_err(EvalError::file(&options.cm))?;
    // A script need not be executable.
    let is_python = options.scorer.extension().is_some_and(|ending| ending == "py");
    let mut command = if is_python { Command::new("python3") } else { Command::new(&options.scorer) };
    if is_python {
        command.arg(&options.scorer);
    }
    command.arg(cm).arg(&options.folder).args(["--arms", &options.arms, "--json"]).arg(&out);
    let ran = command.output().map_err(EvalError::file(&options.scorer))?;
    if !ran.status.success() {
        let scorer_error = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
        return Err(EvalError::Usage(format!("{}: {scorer_error}", options.scorer.display())));
    }
    figures(&out)
}

fn figures(file: &Path) -> Result<String> {
    let text = std::fs::read_to_string(file).map_err(EvalError::file(file))?;
    let projects: Vec<ProjectScore> = serde_json::from_str(&text)
        .map_err(|error| EvalError::Usage(format!("{}: {error}", file.display())))?;
    Ok(table(&projects))
}

fn table(projects: &[ProjectScore]) -> String {
    let arm = |name: &'static str| projects.iter().filter_map(move |project| project.arms.get(name));
    let scores = || arm("plain").filter_map(|arm| arm.score.as_ref());
    let class = |name: &str| scores().filter_map(|score| score.cls.get(name)).sum::<usize>();
    let patterns = |is_counted: &dyn Fn(&str) -> bool| {
        let found = scores().flat_map(|score| &score.by).filter(|(name, _)| is_counted(name));
        found.fold((0, 0), |sum, (_, one)| (sum.0 + one.0, sum.1 + one.1))
    };
    let in_use = |score: &&LearnedScore| {
        let is_active = |learned: &Value| learned.get(1).and_then(Value::as_str) == Some("active");
        score.got.values().filter(|learned| learned.iter().any(is_active)).count()
    };
    let tasks = |name| arm(name).flat_map(|arm| &arm.tasks);
    let recall = |name| {
        let lesson_tasks = || tasks(name).filter(|task| task.want != "-");
        (lesson_tasks().filter(|task| task.lesson).count(), lesson_tasks().count())
    };
    let off = |name| tasks(name).fold((0, 0), |sum, task| (sum.0 + task.off, sum.1 + task.items));
    let history = |name| tasks(name).fold((0, 0), |sum, task| (sum.0 + task.histoff, sum.1 + task.hist));
    let right = |name| {
        let queries = || arm(name).flat_map(|arm| &arm.queries);
        (queries().filter(|(_, rank, _)| rank.is_some()).count(), queries().count())
    };
    let all = patterns(&|_| true);
    let learned: usize = scores().flat_map(|score| score.cls.values()).sum();
    let means: Vec<String> = ["raw", "plain", "accept", "gold"]
        .into_iter()
        .filter_map(|name| {
            let count = tasks(name).count();
            (count > 0).then(|| (tasks(name).map(|task| task.tokens).sum::<usize>() / count).to_string())
        })
        .collect();
    let rows = [
        ("lessons learned without a model, drafts included", share(all), "≥ 50 %"),
        ("… in use, nobody accepts anything", share((scores().map(|score| in_use(&score)).sum(), all.1)), ""),
        ("… of the patterns that counting sees", share(patterns(&|name| COUNTED.contains(&name))), "≥ 80 %"),
        ("precision", share((class("lesson"), learned)), "≥ 85 %"),
        ("traps learned; outdated", format!("{}; {}", class("trap"), class("outdated")), "0"),
        ("task recall, nobody accepts anything", share(recall("plain")), "≥ 50 %"),
        ("task recall, every draft accepted", share(recall("accept")), ""),
        ("task recall, lessons typed in", share(recall("gold")), "all"),
        ("off-topic lines, nobody accepts anything", share(off("plain")), ""),
        ("off-topic lines, lessons typed in", share(off("gold")), "≤ 40 %"),
        ("off-topic history lines", share(history("plain")), "≤ 30 %"),
        ("right past session shown, raw logs", share(right("raw")), ""),
        ("right past session shown, after reflect", share(right("plain")), "≥ 90 %"),
        ("tokens of a briefing, mean, by way to learn", means.join(", "), "≤ 400"),
    ];
    let mut text = head(&["figure", "measured", "goal"], 1);
    for (name, measured, goal) in rows {
        text += &row([name.to_owned(), measured, goal.to_owned()]);
    }
    text
}

/// A part of a whole, with its percentage; a dash if the whole is empty.
fn share((part, whole): (usize, usize)) -> String {
    match whole {
        0 => "–".to_owned(),
        whole => format!("{part} of {whole} ({} %)", 100 * part / whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_scorer() {
        let scored = serde_json::json!([{ "project": "p", "arms": {
            "plain": {
                "tasks": [
                    { "want": "L1", "lesson": true, "items": 4, "off": 1, "hist": 2, "histoff": 1, "tokens": 200 },
                    { "want": "-", "lesson": false, "items": 1, "off": 1, "hist": 0, "histoff": 0, "tokens": 100 },
                ],
                "score": {
                    "by": { "failfix": [1, 2], "fact": [0, 2] },
                    "cls": { "lesson": 1, "noise": 1 },
                    "got": { "L1": [["rule", "active", "text"]], "L2": [] },
                },
                "queries": [["Q1", 2, "text"], ["Q2", null, "text"]],
            },
        } }]);
        let projects: Vec<ProjectScore> = serde_json::from_value(scored).unwrap();
        insta::assert_snapshot!(table(&projects), @"
        | figure | measured | goal |
        |---|---:|---:|
        | lessons learned without a model, drafts included | 1 of 4 (25 %) | ≥ 50 % |
        | … in use, nobody accepts anything | 1 of 4 (25 %) |  |
        | … of the patterns that counting sees | 1 of 2 (50 %) | ≥ 80 % |
        | precision | 1 of 2 (50 %) | ≥ 85 % |
        | traps learned; outdated | 0; 0 | 0 |
        | task recall, nobody accepts anything | 1 of 1 (100 %) | ≥ 50 % |
        | task recall, every draft accepted | – |  |
        | task recall, lessons typed in | – | all |
        | off-topic lines, nobody accepts anything | 2 of 5 (40 %) |  |
        | off-topic lines, lessons typed in | – | ≤ 40 % |
        | off-topic history lines | 1 of 2 (50 %) | ≤ 30 % |
        | right past session shown, raw logs | – |  |
        | right past session shown, after reflect | 1 of 2 (50 %) | ≥ 90 % |
        | tokens of a briefing, mean, by way to learn | 150 | ≤ 400 |
        ");
    }
}
