//! `cm mark`

use clap::{Args, ValueEnum};

use crate::cli::answer::{Output, Printed};
use crate::cli::pick::note_or_choice;
use cm_app::verbs::mark;
use cm_app::{Context, Request, Result};
use cm_note::note::FeedbackSignal;
use cm_render::text;

/// Record whether a rule or memory helped
///
/// Feedback is stored in the note with session and agent, and changes the note's score. Helpful rules become established,
/// then proven. Harm reported by two sessions or people retires a rule. A retired rule becomes an anti-pattern if its score
/// is below the threshold and two sessions, or you with --invert, say that its content is harmful.
///
/// Each session counts once if its log, hook record or upload is known here. Without a session, a person counts once a day.
/// Other feedback is stored with no weight.
///
/// Reasons for harm (--reason): caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated, other. Any other
/// text is stored as a comment.
#[derive(Debug, Args)]
#[command(
    override_usage = "cm mark [OPTIONS] [NOTE] --helpful | --harmful | --irrelevant\n       cm mark [OPTIONS] NOTE helpful | harmful | irrelevant",
    group = clap::ArgGroup::new("signal").required(true).args(["helpful", "harmful", "irrelevant", "feedback"]),
    after_help = "Examples:\n  cm mark b-mt2ssunl-jq6d8j --helpful\n  cm mark b-mt2ssunl --harmful --reason wasted_time"
)]
pub struct Arguments {
    /// Note ID (or unique prefix), title or path
    note: Option<String>,
    /// The feedback as a word instead of an option
    #[arg(value_name = "FEEDBACK")]
    feedback: Option<FeedbackWord>,
    /// It helped
    #[arg(long)]
    helpful: bool,
    /// It caused harm
    #[arg(long)]
    harmful: bool,
    /// It made no difference
    #[arg(long)]
    irrelevant: bool,
    /// Weight: 1 for explicit feedback, less for inferred feedback
    #[arg(long, value_name = "0.0-1.0")]
    weight: Option<f64>,
    /// With --harmful: the opposite of the rule is true
    #[arg(long, requires = "harmful")]
    invert: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FeedbackWord {
    /// It helped
    Helpful,
    /// It caused harm
    Harmful,
    /// It made no difference
    Irrelevant,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    let note = note_or_choice(&context, arguments.note, output)?;
    let signal = match (arguments.feedback, arguments.helpful, arguments.harmful) {
        (Some(FeedbackWord::Helpful), ..) | (None, true, _) => FeedbackSignal::Helpful,
        (Some(FeedbackWord::Harmful), ..) | (None, _, true) => FeedbackSignal::Harmful,
        _ => FeedbackSignal::Irrelevant,
    };
    let because = context.request.caller.reason.clone();
    let options = mark::Options { signal, because, weight: arguments.weight, invert: arguments.invert };
    let outcome = mark::mark(&context, &note, &options)?;
    output.print(&context, &outcome, text::mark::marked)
}
