//! `cm doctor`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::doctor::CheckStatus;
use cm_app::{Request, Context, Result, doctor};
use cm_render::text;

/// Check the vault around the notes: repository, index, journal
///
/// Also settings, ignore rules, crowded folders, secrets, and how much of agents' logs was understood. Exits 1 where something is broken.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm doctor\n  cm doctor --fix")]
pub struct Arguments {
    /// Repair what can be repaired without asking, each repair in a commit
    #[arg(long)]
    fix: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let outcome = doctor::doctor(&memory, arguments.fix)?;
    let failed = outcome.checks.iter().any(|check| check.health == CheckStatus::Fail);
    Ok(output.print(&memory, &outcome, text::doctor::examined)?.failed(failed))
}
