//! The MCP endpoint `/mcp` of the HTTP server. It uses the same authentication and limits as the other endpoints.

use std::sync::Arc;

use super::open;
use crate::cli::commands::mcp::follow;
use crate::cli::request_factory::RequestFactory;
use cm_app::Result;
use cm_app::server_audit::AuditSink;
use cm_server::http::NestedService;
use cm_server::mcp::{CallContext, McpLimits, McpServer, McpSetup, OriginPolicy, guarded};
use cm_server::operations::CATALOG;
use cm_server::web::embedded_page;

/// Creates the service for `/mcp`.
///
/// # Errors
/// The vault cannot be watched for changes.
pub fn mount(requests: &Arc<RequestFactory>, audit: AuditSink) -> Result<NestedService> {
    let opener = Arc::clone(requests);
    let server = McpServer::new(McpSetup {
        catalog: CATALOG,
        opener: Arc::new(move |client: CallContext| open(&opener, client.caller, client.watch)),
        // The token identifies the caller.
        caller: None,
        pages: Some(embedded_page),
        limits: McpLimits::default(),
        audit: Some(audit),
        closing: Default::default(),
    });
    follow(requests, &server)?;
    let sessions = server.clone();
    // The middleware has already checked host names and origins.
    let router =
        guarded(move || sessions.session(), OriginPolicy::Unchecked, server.limits(), server.closing());
    let working = server.clone();
    Ok(NestedService {
        path: "/mcp",
        router,
        at_work: Arc::new(move || working.calls().running() + working.calls().waiting()),
        end: Arc::new(move || server.closing().cancel()),
    })
}
