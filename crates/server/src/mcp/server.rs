//! State shared by all sessions of a server: catalog, limits, and how to open the vault.

use std::fmt;
use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::apps::{self, PageReader};
use super::tools::Tools;
use super::{ChangeFeed, McpLimits, McpSession, call};
use crate::operations::{Caller, Catalog};
use crate::serving::ConcurrencyLimit;
use cm_app::server_audit::AuditSink;
use cm_app::{CallerIdentity, Context, ProgressWatch, Result};

/// Opens the vault for one call, on the thread that runs the call.
pub type CallOpener = Arc<dyn Fn(CallContext) -> Result<Context> + Send + Sync>;

#[derive(Debug, Clone)]
pub struct CallContext {
    /// Person and agent of the caller.
    pub caller: CallerIdentity,
    /// Progress and cancellation of the call.
    pub watch: ProgressWatch,
}

/// Parameters of a server.
pub struct McpSetup {
    /// Operations and resources.
    pub catalog: Catalog,
    /// Opens the vault.
    pub opener: CallOpener,
    /// The caller of requests without an authenticated one: [`Caller::local`] on standard streams.
    /// `None` over HTTP, where requests must carry a [`Caller`] in their extensions.
    pub caller: Option<Caller>,
    pub limits: McpLimits,
    /// Renders the views that clients with MCP Apps show; `None` to offer none.
    pub pages: Option<PageReader>,
    /// Audit log; `None` on standard streams.
    pub audit: Option<AuditSink>,
    /// Cancelled to shut down: queued calls fail, running calls get a grace period.
    pub closing: CancellationToken,
}

/// A server; clones share its state.
#[derive(Clone)]
pub struct McpServer(Arc<SharedServer>);

struct SharedServer {
    setup: McpSetup,
    tools: Tools,
    calls: ConcurrencyLimit,
    feed: ChangeFeed,
    listeners: Arc<Semaphore>,
}

impl McpServer {
    pub fn new(setup: McpSetup) -> Self {
        Self(Arc::new(SharedServer {
            tools: Tools::of(setup.catalog.operations),
            calls: ConcurrencyLimit::new(
                setup.limits.running,
                setup.limits.waiting,
                setup.limits.queue_timeout,
            ),
            feed: ChangeFeed::new(),
            listeners: Arc::new(Semaphore::new(setup.limits.listeners)),
            setup,
        }))
    }

    /// The handler of one client: one on standard streams, one per session over HTTP.
    pub fn session(&self) -> McpSession {
        McpSession::new(self.clone())
    }

    /// The feed to publish changes of the vault to.
    pub fn feed(&self) -> &ChangeFeed {
        &self.0.feed
    }

    pub fn limits(&self) -> &McpLimits {
        &self.0.setup.limits
    }

    /// The limit of concurrent calls, shared by all sessions.
    pub fn calls(&self) -> &ConcurrencyLimit {
        &self.0.calls
    }

    /// The token that shuts the server down.
    pub fn closing(&self) -> &CancellationToken {
        &self.0.setup.closing
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.0.setup.catalog
    }

    pub(super) fn tools(&self) -> &Tools {
        &self.0.tools
    }

    /// The reader of pages, and whether this client shows them.
    pub(super) fn pages(&self, context: &RequestContext<RoleServer>) -> (Option<PageReader>, bool) {
        let pages = self.0.setup.pages;
        (pages, pages.is_some() && context.client_capabilities().as_ref().is_some_and(apps::shows_apps))
    }

    pub(super) fn audit(&self) -> Option<AuditSink> {
        self.0.setup.audit.clone()
    }

    pub(super) fn opener(&self) -> &CallOpener {
        &self.0.setup.opener
    }

    pub(super) fn listeners(&self) -> &Arc<Semaphore> {
        &self.0.listeners
    }

    /// The authenticated caller of the request, else the server's default caller; with the client's
    /// name as agent.
    pub(super) fn caller(&self, context: &RequestContext<RoleServer>) -> Option<Caller> {
        let let_in = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>());
        let caller = let_in.or(self.0.setup.caller.as_ref())?;
        let client = context.client_info();
        Some(call::with_client_agent(caller.clone(), client.as_ref().map(|client| client.name.as_str())))
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("limits", &self.0.setup.limits).finish_non_exhaustive()
    }
}
