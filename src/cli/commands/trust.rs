//! `cm trust`

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use clap::Args;

use crate::cli::answer::{Output, Printed};
use cm_app::former::{self, LegacyPrivateEntry};
use cm_app::trust::{self, TrustAction};
use cm_app::{Request, Error, Context, Result};
use cm_render::text;

/// Let the memory of this folder into the prompts of your agents
///
/// A vault that `cm init` made here is trusted. One that was cloned, unpacked or synced gives nothing to hooks, to MCP and to `cm
/// context` until you trust it; every other command reads it as before. Trust is bound to the folder's path and the URL of its
/// remote: a vault that was moved or that has another remote is asked for again.
///
/// `--import-private` takes over private files that earlier versions kept in the folder. It asks for each; settings that run
/// programs, tokens and journals are never taken over.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm trust\n  cm trust --status\n  cm trust --revoke\n  cm trust --import-private"
)]
pub struct Arguments {
    /// Show whether the vault is trusted, and change nothing
    #[arg(long, conflicts_with_all = ["revoke", "import_private"])]
    status: bool,
    /// Trust it no more
    #[arg(long, conflicts_with = "import_private")]
    revoke: bool,
    /// Take over private files of an earlier version, each after a question
    #[arg(long)]
    import_private: bool,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    if arguments.import_private {
        if !std::io::stdin().is_terminal() {
            return Err(Error::refused("no-terminal", "each private file needs your answer at a terminal")
                .hint("run it in a terminal of your own"));
        }
        let outcome = former::import(&memory, &mut confirmed)?;
        return output.print(&memory, &outcome, text::trust::taken_over);
    }
    let options = match arguments {
        Arguments { status: true, .. } => TrustAction::Show,
        Arguments { revoke: true, .. } => TrustAction::Revoke,
        _ => TrustAction::Grant,
    };
    output.print(&memory, &trust::trust(&memory, options)?, text::trust::trusted)
}

/// Asks at the terminal; anything but a word that begins with y is a no.
fn confirmed(former: &LegacyPrivateEntry) -> bool {
    let mut out = std::io::stderr();
    let asked = write!(out, "Take over {}? [y/N] ", text::trust::former(former)).and_then(|()| out.flush());
    let mut answer = String::new();
    asked.is_ok()
        && std::io::stdin().lock().read_line(&mut answer).is_ok()
        && answer.trim_start().starts_with(['y', 'Y'])
}
