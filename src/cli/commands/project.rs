//! `cm project`

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::answer::{Output, Printed};
use cm_app::project::{self, RuleFileFormat};
use cm_app::{Request, Error, Context, Result};
use cm_render::text;

/// Write the playbook into an agent's rule file, between two markers
///
/// The rules that are in use stand there by category, the best first, and what to avoid behind them. Everything outside of
/// the markers stays as it is. The file is no part of the vault, and no commit is made of it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm project --format agents.md\n  cm project --format cursor --file .cursorrules\n  cm project --format claude.md --per-category 5 --counts --dry-run"
)]
pub struct Arguments {
    /// For which agent: AGENTS.md, CLAUDE.md, or .cursor/rules/cm.mdc in the working folder
    #[arg(long, value_name = "FORM", default_value = "agents.md", value_parser = PossibleValuesParser::new(RuleFileFormat::ALL.map(RuleFileFormat::name)))]
    format: String,
    /// Another file
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// At most so many rules of a category
    #[arg(long, value_name = "N", default_value_t = 10)]
    per_category: usize,
    /// Say behind each how often it helped and did harm
    #[arg(long)]
    counts: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let format = RuleFileFormat::named(&arguments.format)
        .ok_or_else(|| Error::usage(format!("there is no format `{}`", arguments.format)))?;
    let memory = Context::open(Request { for_prompts: true, ..call })?;
    let options = project::Options {
        format,
        file: arguments.file,
        per_category: arguments.per_category,
        counts: arguments.counts,
        dry_run: arguments.dry_run,
    };
    output.print(&memory, &project::project(&memory, &options)?, text::project::projected)
}
