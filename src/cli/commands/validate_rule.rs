//! `cm validate-rule`

use clap::Args;

use super::text_or_stdin;
use crate::cli::answer::{Output, Printed};
use crate::ops::{Call, Memory, Result, validate_rule};
use crate::render::text;

/// Judge a rule before it is added, by what is there and what sessions say
///
/// The checks are those of an add: its form, duplicates, blocked patterns, rules that say the opposite, the quota of its
/// category, and the evidence of past sessions. The verdict is accept, accept with caution, draft or reject. Nothing is
/// written, and the exit code is 0 whatever the verdict.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm validate-rule \"Run the whole suite before you push.\"\n  cm validate-rule \"Never squash commits before merging.\" --category git --json")]
pub struct Arguments {
    /// The rule, `-` for standard input
    rule: String,
    /// Its category
    #[arg(long, value_name = "CATEGORY", default_value = "general")]
    category: String,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let memory = Memory::open(call)?;
    let rule = text_or_stdin(&arguments.rule)?;
    let outcome = validate_rule::validate_rule(&memory, &rule, &arguments.category)?;
    output.print(&memory, &outcome, text::validate_rule::judged)
}
