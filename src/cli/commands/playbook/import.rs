//! `cm playbook import`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::commands::one_of;
use cm_app::verbs::playbook::import::{self, Options, RuleSourceKind};
use cm_app::{Context, Result};
use cm_render::text;

/// Import rules from a YAML playbook, or as drafts from an agent's rule file
///
/// IDs are kept. Rules that the vault already contains do not change. All others are added in one commit.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook import playbook.yaml --dry-run\n  cm playbook import AGENTS.md"
)]
pub struct Arguments {
    /// Source file; it is never changed
    file: PathBuf,
    /// File type: playbook or rules [default: detected from the name]
    #[arg(long, value_name = "KIND", value_parser = one_of(&RuleSourceKind::ALL, RuleSourceKind::name))]
    from: Option<RuleSourceKind>,
    /// Show what would change without changing anything
    #[arg(long)]
    dry_run: bool,
}

pub fn run(context: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let options = Options { file: arguments.file, from: arguments.from, dry_run: arguments.dry_run };
    let outcome = import::import(context, &options)?;
    Ok(output.print(context, &outcome, text::playbook::import::imported)?.failed(outcome.failed()))
}
