//! `cm stats`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::stats;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Show statistics of the vault
///
/// Counts notes by kind and type, edges, tags and findings. Summarizes rules: scores, the best, those at risk, stale ones,
/// merge candidates and conflicts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm stats\n  cm stats --json")]
pub struct Arguments {}

pub fn run(_: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let outcome = stats::stats(&context)?;
    output.print(&context, &outcome, text::stats::stats)
}
