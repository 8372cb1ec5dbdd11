//! `cm mark`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_note::note::FeedbackSignal;
use cm_app::{Request, Context, Result, mark};
use cm_render::text;

/// Say that a rule or memory helped, did harm, or did not matter
///
/// The word is kept in the note itself, with session and agent where they are known, and moves its score. A rule that helps
/// rises to established and proven. Harm from two sessions or persons retires it. It becomes an anti-pattern only where its
/// score falls below the threshold and two sessions, or you with --invert, say that its content does harm.
///
/// A session counts once, if its log, hook record or upload is known here; without a session a person counts once a day.
/// Any other word is kept without weight.
///
/// Reasons of harm (--reason): caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated, other; any other words are
/// kept as a note.
#[derive(Debug, Args)]
#[command(
    group = clap::ArgGroup::new("signal").required(true).args(["helpful", "harmful", "irrelevant"]),
    after_help = "Examples:\n  cm mark b-mt2ssunl-jq6d8j --helpful\n  cm mark b-mt2ssunl --harmful --reason wasted_time"
)]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
    /// It helped
    #[arg(long)]
    helpful: bool,
    /// It did harm
    #[arg(long)]
    harmful: bool,
    /// It did not matter
    #[arg(long)]
    irrelevant: bool,
    /// How much the word counts: 1 for an explicit one, a fraction for an inferred one
    #[arg(long, value_name = "0.0-1.0")]
    weight: Option<f64>,
    /// Of harm: the opposite of the rule holds
    #[arg(long, requires = "harmful")]
    invert: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    let signal = match (arguments.helpful, arguments.harmful) {
        (true, _) => FeedbackSignal::Helpful,
        (_, true) => FeedbackSignal::Harmful,
        _ => FeedbackSignal::Irrelevant,
    };
    let because = memory.call.by.reason.clone();
    let options = mark::Options { signal, because, weight: arguments.weight, invert: arguments.invert };
    let outcome = mark::mark(&memory, &arguments.note, &options)?;
    output.print(&memory, &outcome, text::mark::marked)
}
