//! `cm import`

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::answer::{Output, Printed};
use cm_app::import::{self, ImportFormat};
use cm_app::playbook::import::RuleSourceKind;
use cm_app::{Request, Context, Result};
use cm_render::text;

/// Bring in a folder of another tool: an Obsidian vault, basic-memory, a zk notebook, plain markdown, or a vault of the
/// earlier Python tool. Notes keep their places, their links and every byte of their text; they get the keys that they
/// lack. A second import brings only what is new.
///
/// A file brings bullets: a YAML playbook as it stands, an agent's rule file (AGENTS.md, CLAUDE.md, .cursorrules, …) as
/// drafts.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm import ~/Obsidian --dry-run\n  cm import ~/basic-memory --into knowledge\n  cm import ../old-vault --from claude-memory\n  cm import AGENTS.md --dry-run\n  cm import playbook.yaml"
)]
pub struct Arguments {
    /// The folder or file; it is only read
    source: PathBuf,
    /// The tool it is from
    #[arg(long, value_name = "TOOL", default_value = "auto", value_parser = tools())]
    from: String,
    /// The folder of the vault that the notes go to [default: the source's own name]
    #[arg(long, value_name = "FOLDER")]
    into: Option<String>,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

fn tools() -> PossibleValuesParser {
    let names = ImportFormat::ALL.map(ImportFormat::name).into_iter().chain(RuleSourceKind::ALL.map(RuleSourceKind::name));
    PossibleValuesParser::new(std::iter::once("auto").chain(names))
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = import::Options {
        source: arguments.source,
        from: ImportFormat::named(&arguments.from),
        into: arguments.into,
        dry_run: arguments.dry_run,
    };
    let bullets = RuleSourceKind::ALL.into_iter().find(|source| source.name() == arguments.from);
    let outcome = import::any(&memory, &options, bullets)?;
    Ok(output.print(&memory, &outcome, text::import::import_result)?.failed(outcome.failed()))
}
