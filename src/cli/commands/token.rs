//! `cm token`

use clap::{Args, Subcommand};

use super::when;
use crate::cli::answer::{Output, Printed};
use cm_app::server_audit::{self, LogOptions};
use cm_app::verbs::token::{self, Options};
use cm_app::{Context, Error, ErrorKind, Request, Result};
use cm_note::instant::Instant;
use cm_note::token::{AccessRole, TokenKind};
use cm_render::text;

/// Create, list and revoke access tokens for `cm serve`, and show their use
///
/// A token is 256 random bits and is shown once. Only its hash is stored, in your private files outside the vault. Changes made
/// with a token are attributed to its owner. A running server notices new and revoked tokens immediately.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm token add Ada --kind person\n  cm token add \"Build agent\" --role reader --expires 90d\n  cm token list\n  cm token revoke Ada\n  cm token log Ada --since 7d"
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a token and print it once
    #[command(
        alias = "create",
        after_help = "Example:\n  cm token add Ada --role writer --expires 2027-06-01"
    )]
    Add(Add),
    /// List tokens with owner, role and status
    #[command(after_help = "Example:\n  cm token list --json")]
    List,
    /// Revoke one token, or all tokens of a person
    #[command(aliases = ["remove", "rm", "delete"], after_help = "Example:\n  cm token revoke 3f9a2c11")]
    Revoke {
        /// Token ID (or unique prefix), or the owner's name
        which: String,
    },
    /// Show who requested which operation from the server, on which notes, and the result
    #[command(after_help = "Example:\n  cm token log Ada --since 7d")]
    Log(Log),
}

#[derive(Debug, Args)]
struct Log {
    /// Token ID (or unique prefix), or the owner's name; all requests without it
    which: Option<String>,
    /// Only requests since a date or within a duration such as 7d
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Maximum number of requests, the latest
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 50, value_parser = super::at_least_one)]
    limit: usize,
}

#[derive(Debug, Args)]
struct Add {
    /// Name of the owner, used as the author of commits
    person: String,
    /// Access: reader can read, writer can also change notes, admin can also read metrics
    #[arg(long, value_name = "ROLE", default_value = "writer")]
    role: AccessRole,
    /// Owner type: changes by an agent wait for confirmation, changes by a person do not
    #[arg(long, value_name = "KIND", default_value = "agent")]
    kind: TokenKind,
    /// Expiry: a date (start of the day, UTC) or a duration such as 90d
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let context = Context::open(request)?;
    match arguments.action {
        Action::Add(Add { person, role, kind, expires }) => {
            let parse = |typed: String| {
                Instant::parse_ahead(&typed, context.now())
                    .map_err(|error| Error::usage(format!("--expires: {error}")))
            };
            let options = Options { person, role, kind, expires: expires.map(parse).transpose()? };
            output.print(&context, &token::add(&context, &options, random()?)?, text::token::made)
        }
        Action::Log(Log { which, since, limit }) => {
            let since = since.as_deref().map(|typed| when("--since", typed, context.now())).transpose()?;
            let options = LogOptions { which, since, limit };
            output.print(&context, &server_audit::log(&context, &options)?, text::token::log)
        }
        Action::List => output.print(&context, &token::list(&context)?, text::token::listed),
        Action::Revoke { which } => {
            output.print(&context, &token::revoke(&context, &which)?, text::token::revoked)
        }
    }
}

/// Random bytes from the operating system. Never from a seed, because a repeatable token is not a secret.
fn random() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::new(
            ErrorKind::Failed,
            "randomness",
            format!("cannot read random bytes from the system: {error}"),
        )
    })?;
    Ok(bytes)
}
