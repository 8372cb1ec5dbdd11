//! `cm remember`

use std::path::{Path, PathBuf};

use clap::Args;

use super::file_or_stdin;
use crate::cli::answer::{Output, Printed};
use cm_app::verbs::remember::{self, Answer, Options};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Derive facts, preferences and episodes from stashes, diaries and friction reports
///
/// Reads new stashes and diaries of the vault, and files that other tools write in the project: .claude/stash/, and antigen
/// reviews in .claude/friction/ or .aurora/friction/. A fact that updates or contradicts an older one supersedes it; the old
/// note stays: `timezone: PST` supersedes `timezone: EST`, and "switched from npm to pnpm" supersedes "package manager: npm".
/// Curses, complaints and remarks about one task are counted and left out. A preference is likely after 3 sessions and
/// certain after 5; a session that contradicts it lowers its rank, and supersedes it once it has fallen to the lowest one.
/// Root causes in stashes, and in diaries of successful sessions, become fixes; those that only an agent named are unverified.
/// All changes are one commit. The notes themselves record what was remembered before.
///
/// If `llm.provider` names a model, it reads the sources within your budget. Each of its memories must quote a line of a
/// source. It is unverified without a person's quote, and a draft if it says more than its quote. --emit prints the same work
/// for the running agent, and --answer applies what it found; no model is asked then.
///
/// Facts, certain preferences and the last five episodes are then written to a rule file, between <!-- MEMORY:START --> and
/// <!-- MEMORY:END -->, in at most 150 lines. Other text in the file does not change. The file is CLAUDE.md or AGENTS.md,
/// whichever has the markers; otherwise CLAUDE.md, or AGENTS.md if only that exists. If neither exists, CLAUDE.md is created.
/// The file is not part of the vault. Exit code 8 means that there is nothing new.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm remember --dry-run\n  cm remember --emit > work.md\n  cm remember --answer answer.json\n  cm remember --file AGENTS.md\n  cm remember --no-section --files .claude/memory"
)]
pub struct Arguments {
    /// Rule file
    #[arg(long, value_name = "PATH", conflicts_with = "no_section")]
    file: Option<PathBuf>,
    /// Also write facts.md, episodes.md and preferences.md to this folder
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Do not write the rule file
    #[arg(long)]
    no_section: bool,
    /// Show what would change without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Do not use a model
    #[arg(long)]
    no_model: bool,
    /// Print the work for the running agent without writing anything
    #[arg(long, conflicts_with_all = ["file", "files", "no_section", "dry_run", "no_model", "answer"])]
    emit: bool,
    /// The agent's answer to --emit; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "no_model")]
    answer: Option<PathBuf>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(Request { for_prompts: true, ..request })?;
    if arguments.emit {
        return output.print(&context, &remember::build_package(&context)?, text::remember::package);
    }
    let options = Options {
        file: arguments.file,
        files: arguments.files,
        no_section: arguments.no_section,
        dry_run: arguments.dry_run,
        no_model: arguments.no_model,
        answer: arguments.answer.map(|file| read_answer(&context, &file)).transpose()?,
    };
    let outcome = remember::remember(&context, &options).inspect_err(|_| output.notices(&context))?;
    let is_part_refused = options.answer.is_some() && outcome.refused > 0;
    Ok(output.print(&context, &outcome, text::remember::remembered)?.failed(is_part_refused))
}

fn read_answer(context: &Context, file: &Path) -> Result<Answer> {
    let text = file_or_stdin(&context.request.cwd, file)?;
    Ok(Answer { text, name: file.display().to_string() })
}
