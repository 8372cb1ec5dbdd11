//! `cm reflection`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::generate;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Write REFLECTION.md, an overview of the vault
///
/// Contains themes, patterns across projects, most-read notes, conflicts and superseded notes. If only the date would
/// change, nothing is written or committed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm reflection\n  cm reflection --print      # print without writing")]
pub struct Arguments {
    /// Print the text without writing the file
    #[arg(long)]
    print: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = generate::reflection(&context, arguments.print)?;
    if arguments.print && !output.json {
        return output.document(&context, &outcome.text.unwrap_or_default());
    }
    output.print(&context, &outcome, text::generate::generated)
}
