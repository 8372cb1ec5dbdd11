//! `cm top`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::top;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// List the best rules
///
/// Sorted by effective score: helpful feedback minus four times harmful feedback, with a half-life of 90 days.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm top\n  cm top 20 --category testing\n  cm top --json --now 2027-01-01     # scores at that date"
)]
pub struct Arguments {
    /// Maximum number of results
    #[arg(value_name = "N", default_value_t = 10, value_parser = super::at_least_one)]
    limit: usize,
    /// Only rules in this category
    #[arg(long, short = 'c', value_name = "CATEGORY")]
    category: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = top::Options { limit: arguments.limit, category: arguments.category };
    let outcome = top::top(&context, &options)?;
    output.print(&context, &outcome, text::top::top)
}
