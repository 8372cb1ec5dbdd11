//! `cm starters`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_app::{Request, Context, Result, starters};
use cm_render::text;

/// Begin a playbook with rules for a stack
///
/// Small sets of good rules come with the program. They enter the playbook as candidates with the tag `starter`; those
/// that are there already, or blocked, are left out.
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
    /// List the sets, and how many of their rules are there already
    List,
    /// Put a set into the playbook, in one commit
    Add {
        /// The set
        name: String,
        /// Only its rules of this category
        #[arg(long, value_name = "CATEGORY")]
        category: Vec<String>,
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    match arguments.action.unwrap_or(Action::List) {
        Action::Add { name, category, dry_run } => {
            let options = starters::Options { categories: category, dry_run };
            let outcome = starters::add(&memory, &name, &options)?;
            output.print(&memory, &outcome, text::starters::added)
        }
        Action::List => output.print(&memory, &starters::list(&memory)?, text::starters::list),
    }
}
