//! `cm project`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::project::{self, RuleFileFormat};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Write the rules into an agent's rule file, between two markers
///
/// Lists the rules in use by category, best first, followed by what to avoid. Text outside the markers does not change.
/// Nothing is committed. In a vault that is the repository itself, AGENTS.md and CLAUDE.md are notes like any other.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm project --format agents.md\n  cm project --format cursor --file .cursorrules\n  cm project --format claude.md --per-category 5 --counts --dry-run"
)]
pub struct Arguments {
    /// Target: AGENTS.md, CLAUDE.md, or .cursor/rules/cm.mdc in the working directory
    #[arg(long, value_name = "FORM", default_value = "agents.md", value_parser = super::one_of(&RuleFileFormat::ALL, RuleFileFormat::name))]
    format: RuleFileFormat,
    /// Write to another file
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Maximum number of rules per category
    #[arg(long, value_name = "N", default_value_t = 10)]
    per_category: usize,
    /// Show how often each rule helped and harmed
    #[arg(long)]
    counts: bool,
    /// Show what would change without changing anything
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(Request { for_prompts: true, ..request })?;
    let options = project::Options {
        format: arguments.format,
        file: arguments.file,
        per_category: arguments.per_category,
        counts: arguments.counts,
        dry_run: arguments.dry_run,
    };
    output.print(&context, &project::project(&context, &options)?, text::project::projected)
}
