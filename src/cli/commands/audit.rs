//! `cm audit`

use std::path::PathBuf;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::audit;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Check whether a project follows its rules
///
/// Runs the `verify` blocks of rules in use. A check matches an expression in the project's text files, a file path, or a
/// query over its sessions. Each match must either exist or be absent. Ignored files, files above 1 MB and the vault itself
/// are skipped. Session checks cover sessions in the project's folder from the last `sessions.validation_lookback_days` that
/// `cm sessions` has indexed. Exits 1 if a rule is violated.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm audit\n  cm audit b-mo76pd48-ckhtk7 --workspace ../api --json")]
pub struct Arguments {
    /// Rules to check [default: every rule in use with a `verify` block]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Project folder [default: the Git repository around the working directory, or that directory]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = audit::Options { ids: arguments.ids, workspace: arguments.workspace };
    let outcome = audit::audit(&context, &options)?;
    Ok(output.print(&context, &outcome, text::audit::audited)?.failed(outcome.failed()))
}
