//! `cm export`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::export::{self, ExportFormat};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Export the vault for other tools; exports never contain keys or other secret settings
#[derive(Debug, Args)]
#[command(after_help = "\
Formats:
  claude-memory  _index.json, _state.json, _embeddings.json and _config.json with copies of the notes;
                 without --out the JSON files alone, beside the notes
  json           one document with every note, to --out or to standard output
  markdown       copies of the notes and of the attachments that they use
  memory.md      established and proven rules, and memories in use, as one file for reading
  memory-tool    one text file for each memory, as Anthropic's memory tool keeps them; no drafts
  okf            memories and notes as a bundle of the Open Knowledge Format
  site           the page of `cm web` as files for reading, which any file server can show

A second export to the same folder updates the files of the first. It is refused if one of them was
edited since, unless --force overwrites it.

Examples:
  cm export --format claude-memory --out ../for-the-old-tool
  cm export --format json | jq '.notes[].title'
  cm export --format markdown --out ../copy
  cm export --format memory.md > ../MEMORY.md
  cm export --format memory-tool --out ../memories
  cm export --format okf --out ../bundle
  cm export --format site --out ../site")]
pub struct Arguments {
    /// Output format
    #[arg(long, value_name = "FORM", value_parser = super::one_of(&ExportFormat::ALL, ExportFormat::name))]
    format: ExportFormat,
    /// Output folder, or output file for json and memory.md
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Overwrite files that an export did not create, or that were edited since
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let format = arguments.format;
    let context = Context::open(request)?;
    let options =
        export::Options { format, out: arguments.out, force: arguments.force, score_threshold: None };
    let context = if format == ExportFormat::Site { context.without_usage() } else { context };
    let outcome = match format {
        ExportFormat::Site => export::site(&context, &options, cm_server::web::site)?,
        _ => export::export(&context, &options)?,
    };
    match &outcome.document {
        Some(document) if !output.json || format == ExportFormat::Json => output.document(&context, document),
        _ => output.print(&context, &outcome, text::export::exported),
    }
}
