//! `cm validate-rule`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::cli::interrupt::{InterruptMode, listen};
use cm_app::context::cancellation::Cancellation;
use cm_app::verbs::validate_rule;
use cm_app::{Context, Progress, Request, Result};
use cm_render::text;

/// Check a rule before adding it, using the playbook and past sessions
///
/// Runs the checks for rules added by agents: format, duplicates, blocked patterns, contradictions, category quota, and past
/// sessions. Sessions of the last `sessions.validation_lookback_days` that contain the rule's words are counted by outcome.
/// Outcomes come from diaries or `cm outcome`; other sessions count as unknown. One session or none: draft. At least two
/// failures and more failures than successes: reject. At least three successes and no failure: accept. New log entries are
/// read first. If sessions disagree and a model is set (`llm.provider`), the model may reject or rephrase the rule, but not
/// accept it. Nothing is written. Exits 0 for every verdict, or 7 if the model does not answer.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm validate-rule \"Run the whole suite before you push.\"\n  cm validate-rule \"Never squash commits before merging.\" --category git --json"
)]
pub struct Arguments {
    /// Rule text; `-` reads standard input
    rule: String,
    /// Category
    #[arg(long, value_name = "CATEGORY", default_value = "general")]
    category: String,
    /// Do not use a model
    #[arg(long)]
    no_model: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let rule = text_or_stdin(&arguments.rule)?;
    let stop = Cancellation::default();
    listen(&stop, InterruptMode::Immediately, || {});
    let model = (!arguments.no_model).then_some(&stop);
    let display = output.progress("logs");
    let mut progress = |at: Progress| display.show(at, "");
    let outcome = validate_rule::validate_rule(&context, &rule, &arguments.category, model, &mut progress)?;
    drop(display);
    output.print(&context, &outcome, text::validate_rule::judged)
}
