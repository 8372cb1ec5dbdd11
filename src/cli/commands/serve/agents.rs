//! The protocol of agents within the team's server: what `cm mcp` serves on standard streams, under `/mcp` and behind the same
//! doors as the endpoints.

use std::sync::Arc;

use super::open;
use crate::cli::calls::Calls;
use crate::cli::commands::mcp::follow;
use cm_server::http::NestedService;
use cm_server::mcp::{CallContext, OriginPolicy, McpLimits, McpServer, McpSetup, guarded};
use cm_server::operations::OFFER;
use cm_app::Result;
use cm_app::server_audit::AuditSink;

/// Serves agents.
///
/// # Errors
/// A vault whose changes cannot be followed.
pub fn mount(calls: &Arc<Calls>, audit: AuditSink) -> Result<NestedService> {
    let opener = Arc::clone(calls);
    let server = McpServer::new(McpSetup {
        offer: OFFER,
        opener: Arc::new(move |asked: CallContext| open(&opener, asked.by, asked.watch)),
        // Who asks is known from the token.
        caller: None,
        limits: McpLimits::default(),
        audit: Some(audit),
        closing: Default::default(),
    });
    follow(calls, &server)?;
    let sessions = server.clone();
    // Names and pages were judged at the door.
    let router = guarded(move || sessions.session(), OriginPolicy::Before, server.limits(), server.closing());
    let calls = server.clone();
    Ok(NestedService {
        path: "/mcp",
        router,
        at_work: Arc::new(move || calls.calls().running() + calls.calls().waiting()),
        end: Arc::new(move || server.closing().cancel()),
    })
}
