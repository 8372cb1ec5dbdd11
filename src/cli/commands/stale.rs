//! `cm stale`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::stale;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// List rules without recent feedback, and stale observations
///
/// Counts from the last feedback of any kind, or from the rule's creation. An observation is stale if it was condensed into
/// another note, or marked irrelevant and not helpful since.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm stale\n  cm stale --days 180")]
pub struct Arguments {
    /// Days without feedback [default: scoring.stale_days]
    #[arg(long, value_name = "N", value_parser = days)]
    days: Option<f64>,
    /// Maximum number of results
    #[arg(long, short = 'n', default_value_t = 20, value_parser = super::at_least_one)]
    limit: usize,
}

fn days(typed: &str) -> std::result::Result<f64, String> {
    let number = typed.strip_suffix('d').unwrap_or(typed).parse().ok();
    let sound = number.filter(|days: &f64| days.is_finite() && *days >= 0.0);
    sound.ok_or_else(|| "expected a number of days, such as 90".to_owned())
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let options = stale::Options { days: arguments.days, limit: arguments.limit };
    let outcome = stale::stale(&context, &options)?;
    output.print(&context, &outcome, text::stale::stale)
}
