//! `cm tags`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::tags;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// List tags
///
/// Shows how often each tag is used.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm tags\n  cm tags lang      # lang, lang/rust, lang/python")]
pub struct Arguments {
    /// Only this tag and its nested tags
    under: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let under = arguments.under.as_deref().map(|tag| tag.trim_start_matches('#'));
    let outcome = tags::tags(&context, under)?;
    output.print(&context, &outcome, text::tags::tags)
}
