//! `cm reindex`

use std::time::Instant as Clock;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, reindex};
use cm_render::text;

/// Bring the index up to the folder
///
/// Every read does so by itself; this says what was found.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm reindex\n  cm reindex --full     # drop the index and read everything anew\n  cm reindex --check    # exit 1 where something is stale, and change nothing"
)]
pub struct Arguments {
    /// Drop what is there and read everything anew
    #[arg(long, conflicts_with = "check")]
    full: bool,
    /// Change nothing; exit 1 where something is stale
    #[arg(long)]
    check: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let begun = Clock::now();
    let clock = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let options = reindex::Options { full: arguments.full, check: arguments.check };
    let outcome = reindex::reindex(&memory, options, &clock)?;
    let failed = arguments.check && (!outcome.stale.is_empty() || outcome.rebuilt.is_some());
    let printed =
        output.print(&memory, &outcome, |outcome| text::reindex::reindexed(outcome, arguments.check))?;
    Ok(printed.failed(failed))
}
