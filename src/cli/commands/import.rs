//! `cm import`

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::import::{self, ImportFormat};
use cm_app::verbs::playbook::import::RuleSourceKind;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Import notes or rules from another tool
///
/// A folder may be an Obsidian vault, a basic-memory project, a zk notebook, a Foam workspace, a bundle of the Open
/// Knowledge Format, plain Markdown, or a vault of the earlier Python tool. Notes keep their paths, links and text; only
/// missing keys are added. Images, PDFs and other attachments that notes use come along. A second import adds only new
/// notes.
///
/// `--from memory-tool` imports the files of Anthropic's memory tool. An agent wrote them, so they stay unverified until
/// you confirm them.
///
/// `cm import native` takes over what agents remember by themselves: Claude Code's memory files (also those of its agents) and
/// Codex's handbook. A project's vault takes the memories of its project. The global vault takes those about you, and those of
/// projects with sessions but without a vault. What the vault already contains is skipped; the rest stays unverified until you
/// confirm it.
///
/// A Markdown or text file becomes one note. A YAML playbook is imported as is. Rules from an agent's rule file (AGENTS.md,
/// CLAUDE.md, .cursorrules, …) become drafts.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm import ~/Obsidian --dry-run\n  cm import ~/basic-memory --into knowledge\n  cm import ../old-vault --from claude-memory\n  cm import ../bundle --from okf\n  cm import ../memories --from memory-tool\n  cm import native --dry-run\n  cm import AGENTS.md --dry-run\n  cm import playbook.yaml"
)]
pub struct Arguments {
    /// Source folder or file, or `native`; it is never changed
    source: PathBuf,
    /// Tool that wrote the source
    #[arg(long, value_name = "TOOL", default_value = "auto", value_parser = tools())]
    from: String,
    /// Target folder in the vault [default: the name of the source]
    #[arg(long, value_name = "FOLDER")]
    into: Option<String>,
    /// Show what would change without changing anything
    #[arg(long)]
    dry_run: bool,
}

fn tools() -> PossibleValuesParser {
    let names = ImportFormat::ALL
        .map(ImportFormat::name)
        .into_iter()
        .chain(RuleSourceKind::ALL.map(RuleSourceKind::name));
    PossibleValuesParser::new(std::iter::once("auto").chain(names))
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = import::Options {
        source: arguments.source,
        from: ImportFormat::from_name(&arguments.from),
        into: arguments.into,
        dry_run: arguments.dry_run,
    };
    let bullets = RuleSourceKind::ALL.into_iter().find(|source| source.name() == arguments.from);
    let outcome = import::any(&context, &options, bullets)?;
    Ok(output.print(&context, &outcome, text::import::import_result)?.failed(outcome.failed()))
}
