//! `cm top`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, top};
use cm_render::text;

/// List the best bullets of the playbook
///
/// By effective score: what helped, less four times what harmed, fading by half every 90 days.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm top\n  cm top 20 --category testing\n  cm top --json --now 2027-01-01     # which rules will still stand by then"
)]
pub struct Arguments {
    /// At most so many
    #[arg(value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Of this category only
    #[arg(long, short = 'c', value_name = "CATEGORY")]
    category: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = top::Options { limit: arguments.limit, category: arguments.category };
    let outcome = top::top(&memory, &options)?;
    output.print(&memory, &outcome, text::top::top)
}
