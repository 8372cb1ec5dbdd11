//! `cm validate`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::validate;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Check every note and link
///
/// Reports each problem with file and line. Exits 1 on errors; warnings alone exit 0.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm validate\n  cm validate graph/fixes --all --json")]
pub struct Arguments {
    /// Only files whose path starts with this
    under: Option<String>,
    /// Also list informational findings
    #[arg(long)]
    all: bool,
    /// Exit 1 on warnings too
    #[arg(long)]
    strict: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let under = arguments.under.map(|path| path.trim_start_matches("./").to_owned());
    let outcome = validate::validate(&context, &validate::Options { under, all: arguments.all })?;
    let failed = outcome.errors > 0 || (arguments.strict && outcome.warnings > 0);
    Ok(output
        .print(&context, &outcome, |outcome| text::validate::validated(outcome, arguments.all))?
        .failed(failed))
}
