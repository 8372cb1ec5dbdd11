//! `cm decay`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::decay;
use cm_app::{Context, Request, Result};
use cm_note::score::DecayStatus;
use cm_render::text;

/// Show how memories fade
///
/// Lists the decay score of every memory, now or at the time given with --now.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm decay\n  cm decay --status fading --limit 50\n  cm decay --now 2027-01-01     # scores at that date"
)]
pub struct Arguments {
    /// Only memories with this status: pinned, active, fading, dormant or archived
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<DecayStatus>,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
}

fn status(typed: &str) -> std::result::Result<DecayStatus, String> {
    let status = DecayStatus::ALL.into_iter().find(|status| status.name() == typed);
    status.ok_or_else(|| "expected pinned, active, fading, dormant or archived".to_owned())
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = decay::Options { status: arguments.status, limit: arguments.limit };
    let outcome = decay::decay(&context, &options)?;
    output.print(&context, &outcome, text::decay::decayed)
}
