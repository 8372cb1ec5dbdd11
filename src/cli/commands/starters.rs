//! `cm starters`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::verbs::starters;
use cm_app::{Context, Request, Result};
use cm_render::text;

/// Add built-in rule sets for a language or stack
///
/// Rules are added as candidates with the tag `starter`. Existing and blocked rules are skipped.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm starters\n  cm starters add rust --dry-run\n  cm starters add python --category types"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the sets and how many of their rules already exist
    List,
    /// Add a set in one commit
    Add {
        /// Name of the set
        name: String,
        /// Only rules in this category
        #[arg(long, value_name = "CATEGORY")]
        category: Vec<String>,
        /// Show what would change without changing anything
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    match arguments.action.unwrap_or(Action::List) {
        Action::Add { name, category, dry_run } => {
            let options = starters::Options { categories: category, dry_run };
            let outcome = starters::add(&context, &name, &options)?;
            output.print(&context, &outcome, text::starters::added)
        }
        Action::List => output.print(&context, &starters::list(&context)?, text::starters::list),
    }
}
