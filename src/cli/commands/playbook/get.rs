//! `cm playbook get`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::playbook::get;
use cm_app::{Context, Result};
use cm_render::text;

/// Show one bullet with its reasons, its feedback and what its score is made of
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm playbook get b-mt2ssunl-jq6d8j\n  cm playbook get b-mt2s --json")]
pub struct Arguments {
    /// Its id or the beginning of it, its rule, or its path
    bullet: String,
}

/// Runs it.
pub fn run(memory: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    output.print(memory, &get::get(memory, &arguments.bullet)?, text::playbook::get::got)
}
