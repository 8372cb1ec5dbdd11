//! `cm trust`

use std::io::{BufRead as _, Write as _};

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::verbs::legacy_private::{self, LegacyPrivateEntry};
use cm_app::verbs::trust::{self, TrustAction};
use cm_app::{Context, Error, Request, Result};
use cm_render::text;

/// Allow agents to read the memory of this folder
///
/// A vault created here by `cm init` is trusted. A cloned, unpacked or synced vault gives nothing to hooks, MCP and `cm
/// context` until you trust it; all other commands read it as usual. Trust is bound to the folder path and the remote URL.
/// If either changes, trust it again.
///
/// `--import-private` imports private files that earlier versions stored in the folder. It asks about each file. Settings that
/// run programs, tokens and journals are never imported.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm trust\n  cm trust --status\n  cm trust --revoke\n  cm trust --import-private"
)]
pub struct Arguments {
    /// Show whether the vault is trusted
    #[arg(long, conflicts_with_all = ["revoke", "import_private"])]
    status: bool,
    /// Revoke trust
    #[arg(long, conflicts_with = "import_private")]
    revoke: bool,
    /// Import private files of an earlier version, after asking about each
    #[arg(long)]
    import_private: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    if arguments.import_private {
        if !stdin::is_terminal() {
            return Err(Error::refused("no-terminal", "each private file needs confirmation in a terminal")
                .hint("run the command in a terminal"));
        }
        let outcome = legacy_private::import(&context, &mut confirmed)?;
        return output.print(&context, &outcome, text::trust::taken_over);
    }
    let options = match arguments {
        Arguments { status: true, .. } => TrustAction::Show,
        Arguments { revoke: true, .. } => TrustAction::Revoke,
        _ => TrustAction::Grant,
    };
    output.print(&context, &trust::trust(&context, options)?, text::trust::trusted)
}

/// Asks at the terminal. Only an answer that begins with y means yes.
fn confirmed(former: &LegacyPrivateEntry) -> bool {
    let mut out = std::io::stderr();
    let written = write!(out, "Import {}? [y/N] ", text::trust::former(former)).and_then(|()| out.flush());
    let mut answer = String::new();
    written.is_ok()
        && std::io::stdin().lock().read_line(&mut answer).is_ok()
        && answer.trim_start().starts_with(['y', 'Y'])
}
