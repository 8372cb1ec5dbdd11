//! `cm stats`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, stats};
use cm_render::text;

/// Count what is in the vault
///
/// Notes by kind and type, edges, tags, findings; and how the rules of the playbook fare: scores, the best, those at
/// risk, stale ones, pairs worth merging and pairs that contradict each other.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm stats\n  cm stats --json")]
pub struct Arguments {}

/// Runs it.
pub fn run(_: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = stats::stats(&memory)?;
    output.print(&memory, &outcome, text::stats::stats)
}
