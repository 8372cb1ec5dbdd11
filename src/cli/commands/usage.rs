//! `cm usage`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, usage};
use cm_render::text;

/// Show which notes were asked for and shown
///
/// Being shown raises no score; only feedback does. A bullet that is shown often and never judged is worth a look.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm usage\n  cm usage --limit 50 --json")]
pub struct Arguments {
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = usage::Options { limit: arguments.limit };
    let outcome = usage::usage(&memory, &options)?;
    output.print(&memory, &outcome, text::usage::usage)
}
