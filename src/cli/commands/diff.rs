//! `cm diff`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, diff};
use cm_render::text;

/// Say in words what changed between two commits
///
/// Notes, keys, bodies, feedback, edges, scores. Both sides are scored at the newer commit's time, so that a score tells
/// what the change did and not that time passed. Of a date without a time (UTC), the older side is what was there when
/// the day began, the newer one what was there when it ended.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm diff                 # the newest commit\n  cm diff 7d              # since a week ago\n  cm diff HEAD~5 HEAD~1\n  cm diff 2026-11-01 2026-11-07   # of that week"
)]
pub struct Arguments {
    /// The older one: a commit, a date, or an age [default: the one before the newer]
    from: Option<String>,
    /// The newer one [default: HEAD]
    to: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = diff::diff(&memory, arguments.from.as_deref(), arguments.to.as_deref())?;
    output.print(&memory, &outcome, text::diff::diffed)
}
