//! `cm config`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use crate::ops::{Call, Memory, Result, config};
use crate::render::text;

/// Read and write settings
///
/// Later layers win: defaults, cm.toml of the global vault, cm.toml, _config.toml, CM_… variables.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm config list\n  cm config get git.commit\n  cm config set git.commit manual\n  CM_SEARCH_LIMIT=3 cm search pool"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print every setting with its value and where it came from
    List,
    /// Print the value of one setting
    Get {
        /// Its name
        key: String,
    },
    /// Write a setting to cm.toml
    Set {
        /// Its name
        key: String,
        /// Its value; a list is separated by commas
        value: String,
        /// Write it to _config.toml, which is never committed
        #[arg(long)]
        private: bool,
    },
    /// Take a setting out of cm.toml
    Unset {
        /// Its name
        key: String,
        /// Take it out of _config.toml instead
        #[arg(long)]
        private: bool,
    },
}

/// Runs it.
pub fn run(arguments: Arguments, call: Call, output: &Output) -> Result<Printed> {
    let memory = Memory::open(call)?;
    match arguments.action {
        Action::List => output.print(&memory, &config::list(&memory, None)?, text::config::listed),
        Action::Get { key } => output.print(&memory, &config::list(&memory, Some(&key))?, text::config::got),
        Action::Set { key, value, private } => {
            let outcome = config::set(&memory, &key, Some(&value), private)?;
            output.print(&memory, &outcome, text::config::written)
        }
        Action::Unset { key, private } => {
            let outcome = config::set(&memory, &key, None, private)?;
            output.print(&memory, &outcome, text::config::written)
        }
    }
}
