//! `cm playbook import`

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::answer::{Output, Printed};
use cm_app::playbook::import::{self, Options, RuleSourceKind};
use cm_app::{Context, Result};
use cm_render::text;

/// Bring in the bullets of a YAML playbook, or of an agent's rule file as drafts
///
/// Ids are kept. A bullet that the vault has already is left as it is; all others come in one commit.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm playbook import playbook.yaml --dry-run\n  cm playbook import AGENTS.md"
)]
pub struct Arguments {
    /// The file; it is only read
    file: PathBuf,
    /// What it is: playbook or rules [default: as its name tells]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(RuleSourceKind::ALL.map(RuleSourceKind::name)))]
    from: Option<String>,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub fn run(memory: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let from = RuleSourceKind::ALL.into_iter().find(|source| Some(source.name()) == arguments.from.as_deref());
    let options = Options { file: arguments.file, from, dry_run: arguments.dry_run };
    let outcome = import::import(memory, &options)?;
    Ok(output.print(memory, &outcome, text::playbook::import::imported)?.failed(outcome.failed()))
}
