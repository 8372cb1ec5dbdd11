//! `cm doctor`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::doctor;
use cm_app::verbs::doctor::CheckStatus;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Check the repository, index and journal of the vault
///
/// Also checks settings, ignore rules, large folders, secrets, and how much of the agents' logs could be parsed. Exits 1 if
/// something is broken.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm doctor\n  cm doctor --fix")]
pub struct Arguments {
    /// Apply all safe repairs, each in its own commit
    #[arg(long)]
    fix: bool,
}

pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = doctor::doctor(&memory, arguments.fix)?;
    let failed = outcome.checks.iter().any(|check| check.health == CheckStatus::Fail);
    Ok(output.print(&memory, &outcome, text::doctor::examined)?.failed(failed))
}
