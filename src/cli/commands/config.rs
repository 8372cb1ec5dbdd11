//! `cm config`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::config;
use cm_app::verbs::config::SettingsTarget;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Read and write settings
///
/// Later sources override earlier ones: defaults, cm.toml of the global vault, cm.toml, your user settings, your settings
/// for this vault, CM_… variables. Settings that run programs, send text elsewhere or disable a protection are only
/// read from your own settings, never from a vault's cm.toml.
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
    /// List every setting with its value and source
    List,
    /// Print the value of one setting
    Get {
        /// Setting name
        key: String,
    },
    /// Write a setting to cm.toml
    Set {
        /// Setting name
        key: String,
        /// Value; separate list items by commas
        value: String,
        #[command(flatten)]
        target: Place,
    },
    /// Remove a setting from cm.toml
    Unset {
        /// Setting name
        key: String,
        #[command(flatten)]
        target: Place,
    },
}

#[derive(Debug, Args)]
struct Place {
    /// Use your own settings for this vault, stored outside its folder
    #[arg(long, conflicts_with = "user")]
    private: bool,
    /// Use your own settings for all vaults
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
