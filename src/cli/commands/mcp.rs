//! `cm mcp`

use std::sync::Arc;

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::request_factory::RequestFactory;
use crate::cli::stdin;
use cm_app::verbs::embed;
use cm_app::{Error, ErrorKind, Request, Result, subscriptions};
use cm_server::mcp::{self, CallContext, ChangedFile, McpLimits, McpServer, McpSetup};
use cm_server::operations::{CATALOG, Caller};
use cm_server::web::embedded_page;

/// Run an MCP server on standard input and output
///
/// The agent starts and stops this process. The vault is found from the working directory. The server offers tools (memory_context,
/// memory_search, memory_add and others, each like the command with the same name), resources (cm://core, cm://playbook,
/// cm://note/ID and others, with change notifications) and prompts (brief, remember, reflect, review). Changes are committed
/// with the agent's name. All protocol revisions up to 2026-07-28 are supported. Clients that show MCP Apps get views to read
/// of notes, the inbox and receipts.
///
/// Standard output carries only protocol messages. The server exits with 0 at the end of standard input.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  claude mcp add cm -- cm mcp\n  codex mcp add cm -- cm mcp\n  cm mcp --vault ~/notes"
)]
pub struct Arguments {}

pub fn run(_: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let requests = Arc::new(RequestFactory::like(request));
    let opener = Arc::clone(&requests);
    let server = McpServer::new(McpSetup {
        catalog: CATALOG,
        opener: Arc::new(move |client: CallContext| opener.open(client.caller, client.watch)),
        audit: None,
        caller: Some(Caller { identity: requests.first.caller.clone(), ..Caller::local() }),
        pages: Some(embedded_page),
        limits: McpLimits::default(),
        closing: Default::default(),
    });
    follow(&requests, &server)?;
    if stdin::is_terminal() {
        output.notice(
            "waiting for an agent on standard input; see `cm help mcp` for how to register this server",
        );
    }
    let signal = mcp::stdio(&server).map_err(|error| {
        Error::new(ErrorKind::Failed, "io", format!("the MCP connection failed: {error}"))
    })?;
    Ok(Printed::default().of_kind(signal.map(super::serve::kind_of)))
}

/// Notifies the server of changes in the vaults of these calls and starts background embedding.
///
/// # Errors
/// See [`subscriptions::follow`].
pub fn follow(requests: &RequestFactory, server: &McpServer) -> Result<()> {
    let feed = server.feed().clone();
    embed::read_in_background(&requests.cache, &requests.first);
    subscriptions::follow(&requests.cache, &requests.first, feed.start_watcher(), move |touched| {
        let changed = touched.into_iter().map(|one| ChangedFile { path: one.path, id: one.id });
        feed.publish(changed.collect::<Vec<_>>());
    })
}
