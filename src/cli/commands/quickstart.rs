//! `cm quickstart`

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use include_dir::{Dir, include_dir};

use crate::cli::answer::{Output, Printed};
use cm_app::{Error, ErrorKind, Request, Result};

/// Show cm at work on a copy of the example vault
///
/// Prints each command before its output.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm quickstart\n  cm quickstart ~/notes/example")]
pub struct Arguments {
    /// New folder for the copy [default: a temporary folder]
    folder: Option<PathBuf>,
}

static EXAMPLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/example-vault");

/// A command to show, with the reason for it.
struct Step {
    why: &'static str,
    words: &'static [&'static str],
}

const fn step(why: &'static str, words: &'static [&'static str]) -> Step {
    Step { why, words }
}

const BEFORE: [Step; 8] = [
    step("Create a vault with its own Git repository", &["init"]),
    step(
        "Let agents read it: a vault from somebody else is not shown to agents until you trust it",
        &["trust"],
    ),
    step("Commit the existing notes", &["commit"]),
    step("Check that the index has all notes; every command updates it by itself", &["reindex"]),
    step("Search", &["search", "idle connections firewall", "--limit", "3"]),
    step(
        "Collect context for a task: rules, pitfalls, memories and warnings",
        &["context", "retry the gauge requests that fail after a quiet night", "--max-tokens", "700"],
    ),
    step(
        "Record that a rule helped: feedback is stored in the rule's note and raises its score",
        &["mark", "b-mt2ssunl-jq6d8j", "--helpful", "--reason", "no lock was held for longer than a second"],
    ),
    step(
        "Relate two notes by a typed edge, stored in its own file",
        &[
            "relate",
            "Bound the per-station cache in the worker",
            "Quiet hours break what busy hours hide",
            "--type",
            "EXEMPLIFIES",
            "--why",
            "The leak showed only after nights without a deploy.",
        ],
    ),
];

const AFTER: [Step; 4] = [
    step(
        "The next search finds the manual edit without a separate step",
        &["search", "seiche", "--limit", "2"],
    ),
    step("Commit manual edits", &["commit"]),
    step("Write CORE.md for agents to load into their prompt", &["core"]),
    step("List the changes", &["log"]),
];

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    if output.json {
        return Err(Error::usage("quickstart does not support --json"));
    }
    // A tour that stops in a pager looks as if it hung.
    let output = &output.with_pager(false);
    let folder = folder(&arguments, &request)?;
    copy_example(&folder)?;
    output.plain(&format!("A copy of the example vault is in {}", folder.display()))?;
    BEFORE.iter().try_for_each(|step| show(output, &folder, step))?;
    edit_by_hand(output, &folder)?;
    AFTER.iter().try_for_each(|step| show(output, &folder, step))?;
    show_program(output, &folder, "git", &["log", "--oneline"])?;
    let core = std::fs::read_to_string(folder.join("CORE.md"))
        .map_err(|error| failed(&folder.join("CORE.md"), &error))?;
    output.plain(&format!("\n$ cat CORE.md\n{core}"))?;
    output.plain(&format!("\nContinue in {}: `cm help` lists the commands.", folder.display()))
}

fn folder(arguments: &Arguments, request: &Request) -> Result<PathBuf> {
    let Some(name) = &arguments.folder else {
        let temporary = tempfile::Builder::new().prefix("cm-quickstart-").tempdir();
        return temporary.map(tempfile::TempDir::keep).map_err(|error| failed(&std::env::temp_dir(), &error));
    };
    let folder = request.cwd.join(name);
    let empty = std::fs::read_dir(&folder).map_or(!folder.exists(), |mut entries| entries.next().is_none());
    if empty {
        Ok(folder)
    } else {
        Err(Error::refused("exists", format!("{} already exists", folder.display()))
            .hint("pass a new folder"))
    }
}

/// Writes the example vault to a new folder.
///
/// # Errors
/// The folder cannot be written.
pub fn copy_example(to: &Path) -> Result<()> {
    copy(&EXAMPLE, to)
}

fn copy(from: &Dir<'_>, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).map_err(|error| failed(to, &error))?;
    from.extract(to).map_err(|error| failed(to, &error))
}

/// Prints a command and runs it with this program.
fn show(output: &Output, folder: &Path, step: &Step) -> Result<()> {
    output.plain(&format!("\n# {}", step.why))?;
    let program = std::env::current_exe().map_err(|error| failed(folder, &error))?;
    run_shown(output, folder, "cm", &program, step.words)
}

fn show_program(output: &Output, folder: &Path, program: &str, words: &[&str]) -> Result<()> {
    run_shown(output, folder, program, Path::new(program), words)
}

fn run_shown(output: &Output, folder: &Path, name: &str, program: &Path, words: &[&str]) -> Result<()> {
    output.plain(&format!("$ {name} {}", shell_words::join(words)))?;
    let status = Command::new(program)
        .args(words)
        .current_dir(folder)
        .env_remove("CM_VAULT")
        .env("CM_PAGER", "cat")
        .env("GIT_PAGER", "cat")
        .status()
        .map_err(|error| failed(program, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Failed,
        "step-failed",
        format!("`{name} {}` failed: {status}", words.join(" ")),
    ))
}

/// Appends a line to a note, as a person would in an editor.
fn edit_by_hand(output: &Output, folder: &Path) -> Result<()> {
    let notes = folder.join("graph/facts");
    let file = std::fs::read_dir(&notes)
        .map_err(|error| failed(&notes, &error))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().contains("six-minutes"))
        .ok_or_else(|| {
            Error::new(ErrorKind::Failed, "example", "the example vault lacks the note to edit")
        })?;
    let line = "\nA seiche in the inner harbour shows only at this interval.\n";
    let shown = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
    output.plain("\n# Edit a note by hand, in any editor")?;
    output.plain(&format!("$ echo '{}' >> {shown}", line.trim()))?;
    let mut text = std::fs::read_to_string(&file).map_err(|error| failed(&file, &error))?;
    text.push_str(line);
    std::fs::write(&file, text).map_err(|error| failed(&file, &error))
}

pub(super) fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Failed, "io", format!("cannot use {}: {error}", path.display()))
}
