//! `cm edit`

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::pick::note_or_choice;
use crate::cli::stdin;
use cm_app::verbs::edit;
use cm_app::{Context, Error, ErrorKind, Request, Result};
use cm_note::finding::Severity;
use cm_render::text;

/// Open a note in your editor, then check and commit it
///
/// Uses $VISUAL, $EDITOR or vi. If the saved note has errors, it stays on disk uncommitted and the exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm edit \"Retry with jitter\"")]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path; without it, choose from a list
    note: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let note = note_or_choice(&context, arguments.note, output)?;
    edit_note(&context, &note, output)
}

/// Opens a note in the editor, then checks and commits it.
pub fn edit_note(context: &Context, note: &str, output: &Output) -> Result<Printed> {
    let outcome = edit::edit(context, note, &open_editor)?;
    let failed = outcome.findings.iter().any(|found| found.severity == Severity::Error);
    Ok(output.print(context, &outcome, text::edit::edited)?.failed(failed))
}

/// Editors that run in the terminal; others may open a window.
const TERMINAL_EDITORS: [&str; 8] = ["helix", "hx", "micro", "nano", "nvim", "pico", "vi", "vim"];

/// Runs the editor on a file and waits for it.
pub fn open_editor(file: &PathBuf) -> Result<()> {
    let variable =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let line = variable.unwrap_or_else(|| "vi".to_owned());
    let words = shell_words::split(&line)
        .map_err(|error| Error::usage(format!("cannot parse the editor command `{line}`: {error}")))?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::usage("the editor command is empty").hint("set EDITOR to a program"));
    };
    let failed = |why: String| {
        Error::new(ErrorKind::Failed, "editor", format!("the editor `{line}` {why}"))
            .hint("set EDITOR to another program")
    };
    let is_terminal = stdin::is_terminal() && std::io::stdout().is_terminal();
    let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let is_scripted =
        arguments.iter().any(|argument| ["-es", "-Es", "--headless"].contains(&argument.as_str()));
    if !is_terminal && !is_scripted && TERMINAL_EDITORS.contains(&name) {
        return Err(Error::usage(format!("the editor `{line}` needs a terminal"))
            .hint("`cm update NOTE --body -` reads a new text from standard input"));
    }
    let status = Command::new(program)
        .args(arguments)
        .arg(file)
        .status()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    if status.success() { Ok(()) } else { Err(failed(format!("failed: {status}"))) }
}
