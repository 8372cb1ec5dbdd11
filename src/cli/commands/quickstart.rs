//! `cm quickstart`

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use include_dir::{Dir, include_dir};

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Error, ErrorKind, Result};

/// See it all at work on a copy of the example vault
///
/// Each command is shown before its output.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm quickstart\n  cm quickstart ~/notes/example")]
pub struct Arguments {
    /// A new folder for the copy [default: one in the system's folder for temporary files]
    folder: Option<PathBuf>,
}

static EXAMPLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/example-vault");

/// What is shown: why, and the words of the command.
struct Step {
    why: &'static str,
    words: &'static [&'static str],
}

const fn step(why: &'static str, words: &'static [&'static str]) -> Step {
    Step { why, words }
}

const BEFORE: [Step; 8] = [
    step("Make the folder a vault: a git repository of its own", &["init"]),
    step(
        "Let agents read it: a memory that somebody else wrote gives them nothing until you say so",
        &["trust"],
    ),
    step("Commit the notes that lie in it", &["commit"]),
    step("Read them all into the index", &["reindex"]),
    step("Find something", &["search", "idle connections firewall", "--limit", "3"]),
    step(
        "Brief an agent for a task: rules, pitfalls, what is known, what to be warned of",
        &["context", "retry the gauge requests that fail after a quiet night", "--max-tokens", "700"],
    ),
    step(
        "Say that a rule helped: the word is kept in the rule's note, and its score rises",
        &["mark", "b-mt2ssunl-jq6d8j", "--helpful", "--reason", "no lock was held for longer than a second"],
    ),
    step(
        "Relate two notes by a typed edge, which is a file of its own",
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
        "The hand edit is found by the next search; nothing has to be told",
        &["search", "seiche", "--limit", "2"],
    ),
    step("Commit what was edited by hand", &["commit"]),
    step("Write CORE.md, what an agent loads into its prompt", &["core"]),
    step("Read back what was curated", &["log"]),
];

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    if output.json {
        return Err(Error::usage("quickstart shows what other commands print, and has no JSON of its own"));
    }
    let folder = folder(&arguments, &call)?;
    copy(&EXAMPLE, &folder)?;
    output.plain(&format!("A copy of the example vault is in {}", folder.display()))?;
    BEFORE.iter().try_for_each(|step| show(output, &folder, step))?;
    edit_by_hand(output, &folder)?;
    AFTER.iter().try_for_each(|step| show(output, &folder, step))?;
    show_program(output, &folder, "git", &["log", "--oneline"])?;
    let core = std::fs::read_to_string(folder.join("CORE.md"))
        .map_err(|error| failed(&folder.join("CORE.md"), &error))?;
    output.plain(&format!("\n$ cat CORE.md\n{core}"))?;
    output.plain(&format!("\nGo on in {}: `cm help` lists the commands.", folder.display()))
}

fn folder(arguments: &Arguments, call: &Request) -> Result<PathBuf> {
    let Some(named) = &arguments.folder else {
        let kept = tempfile::Builder::new().prefix("cm-quickstart-").tempdir();
        return kept.map(tempfile::TempDir::keep).map_err(|error| failed(&std::env::temp_dir(), &error));
    };
    let folder = call.cwd.join(named);
    let empty = std::fs::read_dir(&folder).map_or(!folder.exists(), |mut entries| entries.next().is_none());
    if empty {
        Ok(folder)
    } else {
        Err(Error::refused("exists", format!("{} is there already", folder.display()))
            .hint("name a new folder"))
    }
}

fn copy(from: &Dir<'_>, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).map_err(|error| failed(to, &error))?;
    from.extract(to).map_err(|error| failed(to, &error))
}

/// Shows a command and runs it with this same program.
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
        .status()
        .map_err(|error| failed(program, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Failed, "step-failed", format!("`{name} {}` ended with {status}", words.join(" "))))
}

/// Does what a person does in an editor: a line more in a note.
fn edit_by_hand(output: &Output, folder: &Path) -> Result<()> {
    let notes = folder.join("graph/facts");
    let file = std::fs::read_dir(&notes)
        .map_err(|error| failed(&notes, &error))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().contains("six-minutes"))
        .ok_or_else(|| {
            Error::new(ErrorKind::Failed, "example", "the example vault lacks the note that is edited")
        })?;
    let line = "\nA seiche in the inner harbour shows only at this interval.\n";
    let shown = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
    output.plain("\n# Edit a note by hand, in any editor")?;
    output.plain(&format!("$ echo '{}' >> {shown}", line.trim()))?;
    let mut text = std::fs::read_to_string(&file).map_err(|error| failed(&file, &error))?;
    text.push_str(line);
    std::fs::write(&file, text).map_err(|error| failed(&file, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Failed, "io", format!("cannot use {}: {error}", path.display()))
}
