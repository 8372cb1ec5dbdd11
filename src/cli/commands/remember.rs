//! `cm remember`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::remember::{self, Options};
use cm_app::{Request, Context, Result};
use cm_render::text;

/// Make facts, preferences and episodes of stashes, diaries and friction, and write them into a rule file
///
/// Read are the stashes and diaries of the vault that are new, and in the project's folder what other tools leave: .claude/stash/, and
/// antigen reviews in .claude/friction/ or .aurora/friction/. A fact that updates or contradicts an old one supersedes it, and the old
/// one stays. A preference is likely from 3 sessions on, certain from 5, and falls when a session contradicts it. All of it is one
/// commit; the notes themselves say what was remembered before.
///
/// Then the facts, the certain preferences and the last five episodes stand between <!-- MEMORY:START --> and <!-- MEMORY:END -->, in
/// at most 150 lines, and everything else in the file stays as it is. The file is the one of CLAUDE.md and AGENTS.md that has these
/// markers, else CLAUDE.md, else AGENTS.md where only that is there; where there is neither, CLAUDE.md is made. It is no part of the
/// vault. Where there is nothing new and nothing to write, the exit code is 8.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm remember --dry-run\n  cm remember --file AGENTS.md\n  cm remember --no-section --files .claude/memory"
)]
pub struct Arguments {
    /// The rule file
    #[arg(long, value_name = "PATH", conflicts_with = "no_section")]
    file: Option<PathBuf>,
    /// Also write facts.md, episodes.md and preferences.md into this folder
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Write no rule file
    #[arg(long)]
    no_section: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(Request { for_prompts: true, ..call })?;
    let options = Options {
        file: arguments.file,
        files: arguments.files,
        no_section: arguments.no_section,
        dry_run: arguments.dry_run,
    };
    let outcome = remember::remember(&memory, &options).inspect_err(|_| output.notices(&memory))?;
    output.print(&memory, &outcome, text::remember::remembered)
}
