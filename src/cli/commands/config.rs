//! `cm config`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::config::SettingsTarget;
use cm_app::{Request, Context, Result, config};
use cm_render::text;

/// Read and write settings
///
/// Later layers win: defaults, cm.toml of the global vault, cm.toml, your settings of every vault, your settings of this
/// vault, CM_… variables. What runs programs, sends text anywhere or switches a protection off counts from your own
/// settings only, wherever a vault's folder lies.
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
        #[command(flatten)]
        target: Place,
    },
    /// Take a setting out of cm.toml
    Unset {
        /// Its name
        key: String,
        #[command(flatten)]
        target: Place,
    },
}

#[derive(Debug, Args)]
struct Place {
    /// Your settings of this vault, outside of its folder
    #[arg(long, conflicts_with = "user")]
    private: bool,
    /// Your settings of every vault
    #[arg(long)]
    user: bool,
}

impl Place {
    fn target(&self) -> SettingsTarget {
        match self {
            Self { private: true, .. } => SettingsTarget::Private,
            Self { user: true, .. } => SettingsTarget::User,
            _ => SettingsTarget::Shared,
        }
    }
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    match arguments.action {
        Action::List => output.print(&memory, &config::list(&memory, None)?, text::config::listed),
        Action::Get { key } => output.print(&memory, &config::list(&memory, Some(&key))?, text::config::got),
        Action::Set { key, value, target } => {
            let outcome = config::set(&memory, &key, Some(&value), target.target())?;
            output.print(&memory, &outcome, text::config::written)
        }
        Action::Unset { key, target } => {
            let outcome = config::set(&memory, &key, None, target.target())?;
            output.print(&memory, &outcome, text::config::written)
        }
    }
}
