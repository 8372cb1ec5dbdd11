//! `cm diary`

use clap::Args;

use super::sessions;
use crate::cli::answer::{Output, Printed};
use crate::cli::interrupt::{InterruptMode, listen};
use cm_app::context::cancellation::Cancellation;
use cm_app::verbs::diary::{self, Options};
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Write a diary of a session: results, decisions, lessons, failures and user preferences
///
/// Each session has one note in diary/. It is updated if the session has continued; list items that a person added stay.
/// Without a model the diary is extracted from the log by rules. With a model (`llm.provider`) each point must quote a line
/// of the log. With `sessions.cross_agent = true` in your own settings it lists sessions of other agents on the same subject,
/// the nearest in time first. After two unusable answers the extracted diary is used and says so. Exit codes: 0 written or up to date;
/// 4 session not found; 7 the model did not answer and nothing was written; 8 the session is not worth a diary.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm diary 0199aaaa\n  cm diary 0199aaaa --dry-run\n  cm diary 0199aaaa --no-model\n  cm diary 0199aaaa --enrich\n  cm diary ~/.claude/projects/-work-shop/0199aaaa.jsonl"
)]
pub struct Arguments {
    /// Session ID or unique prefix, as listed by `cm sessions`, or the path of its log
    #[arg(value_name = "SESSION")]
    id: String,
    /// Show the diary without writing it
    #[arg(long)]
    dry_run: bool,
    /// Do not use a model
    #[arg(long)]
    no_model: bool,
    /// Fail unless sessions of other agents may be listed
    #[arg(long)]
    enrich: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let access = sessions::open(&context, output)?;
    let stop = Cancellation::default();
    listen(&stop, InterruptMode::Immediately, || {});
    let Arguments { id, dry_run, no_model, enrich } = arguments;
    let outcome =
        diary::diary(&context, &access, &Options { session: id, dry_run, no_model, enrich }, &stop)?;
    output.print(&context, &outcome, text::diary::written)
}
