//! `cm validate`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, validate};
use cm_render::text;

/// Check every note, and every link between them
///
/// Exits 1 where there is an error; warnings alone exit 0.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm validate\n  cm validate graph/fixes --all --json")]
pub struct Arguments {
    /// Only files whose path begins so
    under: Option<String>,
    /// List what is only worth knowing, too
    #[arg(long)]
    all: bool,
    /// Exit 1 for warnings as well
    #[arg(long)]
    strict: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let under = arguments.under.map(|path| path.trim_start_matches("./").to_owned());
    let outcome = validate::validate(&memory, &validate::Options { under, all: arguments.all })?;
    let failed = outcome.errors > 0 || (arguments.strict && outcome.warnings > 0);
    Ok(output
        .print(&memory, &outcome, |outcome| text::validate::validated(outcome, arguments.all))?
        .failed(failed))
}
