//! `cm reflection`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, generate};
use cm_render::text;

/// Write REFLECTION.md, what there is to see in the whole
///
/// Themes, patterns across projects, what is read most, contradictions, what superseded what. Where nothing but the day
/// would change, the file stays as it is and nothing is committed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm reflection\n  cm reflection --print      # show it, write nothing")]
pub struct Arguments {
    /// Print the text and write nothing
    #[arg(long)]
    print: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = generate::reflection(&memory, arguments.print)?;
    if arguments.print && !output.json {
        output.notices(&memory);
        return output.plain(&outcome.text.unwrap_or_default());
    }
    output.print(&memory, &outcome, text::generate::generated)
}
