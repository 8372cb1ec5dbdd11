//! `cm validate-rule`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::cli::interrupt::{First, listen};
use cm_app::sessions::RefreshProgress;
use cm_app::stop::Cancellation;
use cm_app::{Request, Context, Result, validate_rule};
use cm_render::text;

/// Judge a rule before it is added, by what is there and what sessions say
///
/// The checks are those of an add by an agent: its form, duplicates, blocked patterns, rules that say the opposite, the quota
/// of its category, and what past sessions say of it. Counted are those of the last `sessions.validation_lookback_days` in
/// which the rule's words stand together, by how they ended: as their diaries or `cm outcome` say; of the others it is not
/// known. None or one: a draft. More failures than successes, and two or more: reject. Three successes or more and no
/// failure: accept. What is new in agents' logs is read first. Where sessions are not of one mind and a model is set
/// (`llm.provider`), it is asked as well: it can talk a rule out or put it in other words, and no more. The vault stays as it is,
/// and the exit code is 0 whatever the verdict; 7 where the model does not answer.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm validate-rule \"Run the whole suite before you push.\"\n  cm validate-rule \"Never squash commits before merging.\" --category git --json"
)]
pub struct Arguments {
    /// The rule, `-` for standard input
    rule: String,
    /// Its category
    #[arg(long, value_name = "CATEGORY", default_value = "general")]
    category: String,
    /// Go without a model
    #[arg(long)]
    no_model: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let rule = text_or_stdin(&arguments.rule)?;
    let stop = Cancellation::default();
    listen(&stop, First::AtOnce, || {});
    let model = (!arguments.no_model).then_some(&stop);
    let mut progress = |at: RefreshProgress| output.progress(at.done, at.total, "logs");
    let outcome = validate_rule::validate_rule(&memory, &rule, &arguments.category, model, &mut progress)?;
    output.progress(0, 0, "logs");
    output.print(&memory, &outcome, text::validate_rule::judged)
}
