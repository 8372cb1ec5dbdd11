//! `cm playbook get`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::playbook::get;
use cm_app::{Context, Result};
use cm_render::text;

/// Show a rule with its reasons, feedback and score breakdown
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm playbook get b-mt2ssunl-jq6d8j\n  cm playbook get b-mt2s --json")]
pub struct Arguments {
    /// Rule ID (or unique prefix), text or path
    bullet: String,
}

pub fn run(context: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    output.print(context, &get::get(context, &arguments.bullet)?, text::playbook::get::got)
}
