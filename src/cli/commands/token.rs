//! `cm token`

use clap::{Args, Subcommand};

use crate::cli::answer::{Output, Printed};
use cm_note::instant::Instant;
use cm_note::token::{AccessRole, TokenKind};
use cm_app::token::{self, Options};
use cm_app::{Request, Error, ErrorKind, Context, Result};
use cm_render::text;

/// Make, list and take back the tokens that let people ask `cm serve`
///
/// A token is 256 random bits and is shown once; its hash is kept among your private files, outside of the vault.
/// Each change that is made with it is attributed to its person. A server that runs sees both new tokens and revoked ones at once.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm token add Ada --kind person\n  cm token add \"Build agent\" --role reader --expires 90d\n  cm token list\n  cm token revoke Ada"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token for somebody, and print it this once
    #[command(after_help = "Example:\n  cm token add Ada --role writer --expires 2027-06-01")]
    Add(Add),
    /// List the tokens: whose they are, what they may do, and whether they are live
    #[command(after_help = "Example:\n  cm token list --json")]
    List,
    /// Take tokens back: one, or all of a person
    #[command(after_help = "Example:\n  cm token revoke 3f9a2c11")]
    Revoke {
        /// The token's id, of which the beginning is enough, or the person
        which: String,
    },
}

#[derive(Debug, Args)]
struct Add {
    /// Whose it is; every commit that it makes carries the name
    person: String,
    /// reader asks, writer changes too, admin also sees the server's figures
    #[arg(long, value_name = "ROLE", default_value = "writer")]
    role: AccessRole,
    /// Who uses it: what an agent adds waits for confirmation, what a person says holds
    #[arg(long, value_name = "KIND", default_value = "agent")]
    kind: TokenKind,
    /// When it ends by itself: a date (its beginning in UTC), or in how long, such as 90d
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
}

/// Runs it.
pub fn run(arguments: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let memory = Context::open(call)?;
    match arguments.action {
        Action::Add(Add { person, role, kind, expires }) => {
            let parse = |typed: String| {
                Instant::parse_ahead(&typed, memory.now())
                    .map_err(|error| Error::usage(format!("--expires: {error}")))
            };
            let options = Options { person, role, kind, expires: expires.map(parse).transpose()? };
            output.print(&memory, &token::add(&memory, &options, random()?)?, text::token::made)
        }
        Action::List => output.print(&memory, &token::list(&memory)?, text::token::listed),
        Action::Revoke { which } => {
            output.print(&memory, &token::revoke(&memory, &which)?, text::token::revoked)
        }
    }
}

/// Random bytes of the system's own source. Never of a seed: who can repeat them has the token.
fn random() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::new(ErrorKind::Failed, "randomness", format!("the system gives no randomness: {error}"))
    })?;
    Ok(bytes)
}
