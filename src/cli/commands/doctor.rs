//! `cm doctor`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::doctor;

use cm_app::{Context, ErrorKind, Request, Result};
use cm_render::text;

/// Check the repository, index and journal of the vault
///
/// Also checks settings, ignore rules, large folders, secrets, and how much of the agents' logs could be parsed. Exits 1 if
/// something is broken. On a machine whose hooks call a team server instead of a vault, checks the connection and what
/// waits for the server.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm doctor\n  cm doctor --fix")]
pub struct Arguments {
    /// Apply all safe repairs, each in its own commit
    #[arg(long)]
    fix: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = match Context::open(request.clone()) {
        Err(error) if error.kind == ErrorKind::NoVault => {
            let outcome = doctor::without_vault(&request)?.ok_or(error)?;
            return Ok(output.result(&outcome, text::doctor::examined)?.failed(outcome.failed()));
        }
        context => context?,
    };
    let outcome = doctor::doctor(&context, arguments.fix)?;
    Ok(output.print(&context, &outcome, text::doctor::examined)?.failed(outcome.failed()))
}
