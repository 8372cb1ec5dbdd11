//! The `sh` blocks of README.md and docs/ run as written: the blocks of a page in order, in one shell
//! with an empty home. Each succeeds and prints something.
//!
//! A comment in the line before a block changes how it runs:
//!
//! - `<!-- in an empty folder -->`, which is also where a page starts
//! - `<!-- in the example vault -->`, a new committed copy, trusted
//! - `<!-- with a session -->`, after an agent's log was put into the home
//! - `<!-- not run: REASON -->`

use std::fmt::Write as _;
use std::path::Path;

use super::{pages, root};
use crate::support::Sandbox;

/// Where and whether a block runs.
#[derive(Debug, Clone, PartialEq)]
enum Placement {
    Continued,
    EmptyFolder,
    ExampleVault,
    WithSession,
    NotRun,
}

#[derive(Debug)]
struct Block {
    /// Line of the opening fence.
    line: usize,
    placement: Placement,
    script: String,
}

/// Separates the outputs of blocks.
const MARK: &str = "-- block at line ";

#[cfg(unix)]
#[test]
fn every_example_of_the_documents_runs_and_finds_something() {
    let pages = pages();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> =
            pages.iter().map(|(page, text)| scope.spawn(move || run(page, &blocks(text)))).collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let all: Vec<Block> = pages.iter().flat_map(|(_, text)| blocks(text)).collect();
    let skipped = all.iter().filter(|block| block.placement == Placement::NotRun).count();
    assert!(all.len() > 20 && skipped * 4 < all.len(), "{skipped} of {} blocks are not run", all.len());
}

/// Runs the blocks of a page and returns what is wrong with them.
fn run(page: &str, blocks: &[Block]) -> Vec<String> {
    if blocks.iter().all(|block| block.placement == Placement::NotRun) {
        return Vec::new();
    }
    let sandbox = Sandbox::new();
    let ran = sandbox.shell(&script(blocks));
    let mut failures = Vec::new();
    let (stdout, stderr) = (parts(&ran.stdout), parts(&ran.stderr));
    for (line, printed) in &stdout {
        let notes = stderr.iter().find(|(other, _)| other == line).map_or("", |(_, text)| text);
        if printed.trim().is_empty() || notes.contains("nothing found") {
            failures.push(format!("{page}:{line} finds nothing\n{printed}{notes}"));
        }
    }
    if ran.code != 0 {
        let (line, notes) = stderr.last().cloned().unwrap_or_default();
        let printed = stdout.last().map_or("", |(_, text)| text);
        failures.push(format!("{page}:{line} fails with {}\n{printed}{notes}", ran.code));
    }
    failures
}

fn script(blocks: &[Block]) -> String {
    let example = root().join("example-vault");
    let log = root().join("tests/golden/sessions/claude_code/projects");
    let mut script = "set -e\n".to_owned();
    for (number, block) in blocks.iter().enumerate() {
        match block.placement {
            Placement::NotRun => continue,
            Placement::EmptyFolder => {
                writeln!(script, "mkdir \"$PLAYGROUND\"/folder-{number}; cd \"$PLAYGROUND\"/folder-{number}")
                    .unwrap();
            }
            Placement::ExampleVault => {
                let folder = format!("\"$PLAYGROUND\"/example-{number}");
                writeln!(script, "cp -R {} {folder}; cd {folder}", quoted(&example)).unwrap();
                script.push_str("rm -rf _index _state _embeddings; git init -q; git add -A\n");
                script.push_str("git commit -qm Begin; cm trust >/dev/null\n");
            }
            Placement::WithSession => {
                writeln!(script, "mkdir -p ~/.claude; cp -R {} ~/.claude/", quoted(&log)).unwrap();
            }
            Placement::Continued => {}
        }
        let line = block.line;
        write!(script, "echo '{MARK}{line}'; echo '{MARK}{line}' >&2\n{}", block.script).unwrap();
    }
    script
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// Splits output into the outputs of blocks, each with its line.
fn parts(output: &str) -> Vec<(usize, String)> {
    let split = output.split(MARK).skip(1).filter_map(|part| part.split_once('\n'));
    split.map(|(line, text)| (line.parse().unwrap(), text.to_owned())).collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(text.lines()).peekable();
    let mut before = "";
    while let Some((line, opening)) = lines.next() {
        if opening == "```sh" {
            let inner = std::iter::from_fn(|| lines.next_if(|(_, inner)| *inner != "```"));
            let script = inner.map(|(_, inner)| format!("{inner}\n")).collect();
            found.push(Block { line, placement: placement(before), script });
        }
        if !opening.is_empty() {
            before = opening;
        }
    }
    found
}

fn placement(comment: &str) -> Placement {
    match comment.strip_prefix("<!-- ").and_then(|comment| comment.strip_suffix(" -->")) {
        Some("in an empty folder") => Placement::EmptyFolder,
        Some("in the example vault") => Placement::ExampleVault,
        Some("with a session") => Placement::WithSession,
        Some(reason) if reason.starts_with("not run: ") => Placement::NotRun,
        _ => Placement::Continued,
    }
}

#[test]
fn a_block_that_fails_or_finds_nothing_is_reported_with_its_line() {
    let text = "Text\n\n```sh\necho a\n```\n\n<!-- not run: no -->\n```sh\nfalse\n```\n\n```sh\ntrue\n```\n\n```sh\necho b; false\n```\n";
    let blocks = blocks(text);
    let places: Vec<_> = blocks.iter().map(|block| (block.line, block.placement.clone())).collect();
    assert_eq!(places.len(), 4);
    assert_eq!(places[1], (8, Placement::NotRun));
    if cfg!(unix) {
        let failures = run("a.md", &blocks);
        assert_eq!(failures, ["a.md:12 finds nothing\n", "a.md:16 fails with 1\nb\n"]);
    }
}
