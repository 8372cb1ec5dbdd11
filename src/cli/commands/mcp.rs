//! `cm mcp`

use std::io::IsTerminal as _;
use std::sync::Arc;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::calls::Calls;
use cm_server::mcp::{self, CallContext, ChangedFile, StdioEnd, McpLimits, McpServer, McpSetup};
use cm_server::operations::{Caller, OFFER};
use cm_app::{Request, Error, ErrorKind, Result, embed, news};

/// Serve an agent that speaks the Model Context Protocol, on standard input and output
///
/// The agent starts this program itself and ends it; a vault is found from the folder that it starts in. It is offered tools
/// (memory_context, memory_search, memory_add and others: each does what the command of that name does), resources (cm://core,
/// cm://playbook, cm://note/ID and others, with news when files change) and prompts (brief, remember, reflect, review). What it
/// changes is a commit that names the agent. All revisions of the protocol up to 2026-07-28 are served.
///
/// Nothing but messages is written on standard output. The end of standard input ends the program, with 0.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  claude mcp add cm -- cm mcp\n  codex mcp add cm -- cm mcp\n  cm mcp --vault ~/notes"
)]
pub struct Arguments {}

/// Runs it.
pub fn run(_: Arguments, call: Request, output: &Output) -> Result<Printed> {
    let calls = Arc::new(Calls::like(call));
    let opener = Arc::clone(&calls);
    let server = McpServer::new(McpSetup {
        offer: OFFER,
        opener: Arc::new(move |asked: CallContext| opener.open(asked.by, asked.watch)),
        audit: None,
        caller: Some(Caller { by: calls.first.by.clone(), ..Caller::local() }),
        limits: McpLimits::default(),
        closing: Default::default(),
    });
    follow(&calls, &server)?;
    if std::io::stdin().is_terminal() {
        output.notice(
            "waiting for an agent on standard input; `cm help mcp` shows how an agent is told of this",
        );
    }
    let end = mcp::stdio(&server)
        .map_err(|error| Error::new(ErrorKind::Failed, "io", format!("the agent cannot be served: {error}")))?;
    Ok(Printed::default().of_kind(match end {
        StdioEnd::Done => None,
        StdioEnd::Interrupted => Some(ErrorKind::Interrupted),
        StdioEnd::Terminated => Some(ErrorKind::Terminated),
    }))
}

/// Tells the server from now on what changes in the vaults of these calls, and lets the finer model read them.
///
/// # Errors
/// Those of [`news::follow`].
pub fn follow(calls: &Calls, server: &McpServer) -> Result<()> {
    let feed = server.feed().clone();
    embed::read_in_background(&calls.warm, &calls.first);
    news::follow(&calls.warm, &calls.first, feed.start_watcher(), move |touched| {
        let changed = touched.into_iter().map(|one| ChangedFile { path: one.path, id: one.id });
        feed.publish(changed.collect::<Vec<_>>());
    })
}
