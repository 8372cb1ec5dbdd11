//! `cm playbook remove`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Context, Result, propose};
use cm_render::text;

/// Stop following a rule: it is deprecated, and its note stays
///
/// Where it must not come back, `cm forget` blocks it too. `cm delete` removes the note itself.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm playbook remove b-mt2ssunl --reason \"the gateway is gone\"")]
pub struct Arguments {
    /// Its id or the beginning of it, its rule, or its path
    bullet: String,
    /// The bullet that holds in its place
    #[arg(long, value_name = "ID")]
    replaced_by: Option<String>,
}

/// Runs it.
pub fn run(memory: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let outcome = propose::remove(memory, &arguments.bullet, arguments.replaced_by.as_deref())?;
    output.print(memory, &outcome, text::propose::removed)
}
