//! `cm pin`

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::ops::{Call, Memory, Result, pin};
use crate::render::text;

/// Keep a memory from fading
///
/// It moves to vault/, and its id stays.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cm pin 1f0c2a")]
pub struct Arguments {
    /// Its id or the beginning of it, its title, or its path
    note: String,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let memory = Memory::open(call)?;
    let outcome = pin::pin(&memory, &arguments.note)?;
    output.print(&memory, &outcome, text::update::changed)
}
