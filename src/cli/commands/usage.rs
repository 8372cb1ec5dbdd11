//! `cm usage`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::usage;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Show how often notes were read and shown to agents, and in how many tokens
///
/// Being shown does not raise a score; only feedback does. Review rules that are shown often but never get feedback. Tokens
/// are estimated, four characters a token, from what hooks, tools and commands showed to agents on this machine; with
/// --session ID for one session.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm usage\n  cm usage --limit 50 --json\n  cm usage --session 0199aaaa")]
pub struct Arguments {
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    // An agent's own session, which comes from the environment, selects nothing.
    let session = request.caller.session.clone();
    let session = session.filter(|id| request.variables.get("CM_SESSION") != Some(id));
    let context = Context::open(request)?;
    let options = usage::Options { limit: arguments.limit, session };
    let outcome = usage::usage(&context, &options)?;
    output.print(&context, &outcome, text::usage::usage)
}
