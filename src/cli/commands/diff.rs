//! `cm diff`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::diff;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Describe what changed between two commits
///
/// Compares notes, keys, bodies, feedback, edges and scores. Both sides are scored at the time of the newer commit, so
/// scores differ only because of the change. A date without a time (UTC) means the start of the day for the older side and
/// the end of the day for the newer side.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm diff                 # the newest commit\n  cm diff 7d              # since a week ago\n  cm diff HEAD~5 HEAD~1\n  cm diff 2026-11-01 2026-11-07   # that week"
)]
pub struct Arguments {
    /// Older side: a commit, a date, or an age [default: the commit before the newer side]
    from: Option<String>,
    /// Newer side [default: HEAD]
    to: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = diff::diff(&context, arguments.from.as_deref(), arguments.to.as_deref())?;
    output.print(&context, &outcome, text::diff::diffed)
}
