//! `cm edit`

use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_note::finding::Severity;
use cm_app::{Request, Error, ErrorKind, Context, Result, edit};
use cm_render::text;

/// Open a note in the editor, check what was saved, and commit it
///
/// The editor is $VISUAL, else $EDITOR, else vi. What was saved with errors in it stays and is not committed, and the
/// exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm edit \"Retry with jitter\"")]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = edit::edit(&memory, &arguments.note, &open_editor)?;
    let failed = outcome.findings.iter().any(|found| found.severity == Severity::Error);
    Ok(output.print(&memory, &outcome, text::edit::edited)?.failed(failed))
}

/// Runs the person's editor on a file and waits for it.
pub fn open_editor(file: &PathBuf) -> Result<()> {
    let named =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    let line = named.unwrap_or_else(|| "vi".to_owned());
    let words = shell_words::split(&line)
        .map_err(|error| Error::usage(format!("the editor `{line}` is no command: {error}")))?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::usage("the editor is empty").hint("set EDITOR to a program"));
    };
    let failed = |why: String| {
        Error::new(ErrorKind::Failed, "editor", format!("the editor `{line}` {why}"))
            .hint("set EDITOR to another program")
    };
    let status = Command::new(program)
        .args(arguments)
        .arg(file)
        .status()
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    if status.success() { Ok(()) } else { Err(failed(format!("ended with {status}"))) }
}
