//! `cm reindex`

use std::time::Instant as Clock;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::reindex;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Update the index
///
/// Every read updates the index automatically. This command reports what changed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm reindex\n  cm reindex --full     # rebuild the index\n  cm reindex --check    # exit 1 if the index is out of date"
)]
pub struct Arguments {
    /// Discard the index and rebuild it
    #[arg(long, conflicts_with = "check")]
    full: bool,
    /// Exit 1 if the index is out of date, without updating it
    #[arg(long)]
    check: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let begun = Clock::now();
    let clock = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let options = reindex::Options { full: arguments.full, check: arguments.check };
    let outcome = reindex::reindex(&context, options, &clock)?;
    let failed = arguments.check && (!outcome.stale.is_empty() || outcome.rebuilt.is_some());
    let printed =
        output.print(&context, &outcome, |outcome| text::reindex::reindexed(outcome, arguments.check))?;
    Ok(printed.failed(failed))
}
