//! `cm playbook remove`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::playbook_add as add;
use cm_app::{Context, Result};
use cm_render::text;

/// Deprecate a rule; its note stays
///
/// Use `cm forget` to also block the rule, or `cm delete` to remove the note.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm playbook remove b-mt2ssunl --reason \"the gateway is gone\"")]
pub struct Arguments {
    /// Rule ID (or unique prefix), text or path
    bullet: String,
    /// ID of the rule that replaces it
    #[arg(long, value_name = "ID")]
    replaced_by: Option<String>,
}

pub fn run(context: &Context, arguments: Arguments, output: &Output) -> Result<Printed> {
    let outcome = add::remove(context, &arguments.bullet, arguments.replaced_by.as_deref())?;
    output.print(context, &outcome, text::playbook_add::removed)
}
