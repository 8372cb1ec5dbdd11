//! `cm stale`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, stale};
use cm_render::text;

/// List bullets of which nobody has said anything for long, and stale observations
///
/// Counted from the last feedback of any kind; from when the bullet was made where there is none. An observation is stale
/// once it was condensed into another note, or marked irrelevant and not helpful after that.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm stale\n  cm stale --days 180")]
pub struct Arguments {
    /// Without feedback for so many days; scoring.stale_days where nothing is said
    #[arg(long, value_name = "N", value_parser = days)]
    days: Option<f64>,
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

fn days(typed: &str) -> std::result::Result<f64, String> {
    let number = typed.strip_suffix('d').unwrap_or(typed).parse().ok();
    let sound = number.filter(|days: &f64| days.is_finite() && *days >= 0.0);
    sound.ok_or_else(|| "it is a number of days such as 90".to_owned())
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let options = stale::Options { days: arguments.days, limit: arguments.limit };
    let outcome = stale::stale(&memory, &options)?;
    output.print(&memory, &outcome, text::stale::stale)
}
