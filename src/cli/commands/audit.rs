//! `cm audit`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, audit};
use cm_render::text;

/// Check whether a project keeps the rules of the playbook
///
/// Runs the `verify` blocks of the bullets in use: an expression over the project's text files, a file's path, or a query
/// over its sessions, which must exist or be absent. Ignored files, files above 1 MB and the vault itself are not searched.
/// Of sessions those count that were worked in the project's folder in the last `sessions.validation_lookback_days`, as far
/// as `cm sessions` has read them, with all that was said and run in them. Exits 1 where a rule is violated.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm audit\n  cm audit b-mo76pd48-ckhtk7 --workspace ../api --json")]
pub struct Arguments {
    /// Only these bullets [default: all in use that have a `verify` block]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The project's folder [default: the git repository around the working folder, else that folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = audit::Options { ids: arguments.ids, workspace: arguments.workspace };
    let outcome = audit::audit(&memory, &options)?;
    Ok(output.print(&memory, &outcome, text::audit::audited)?.failed(outcome.failed()))
}
