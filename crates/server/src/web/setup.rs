//! Configuration and shared state of the page.

use std::sync::Arc;

use axum::http::HeaderMap;
use tokio_util::sync::CancellationToken;

use super::events::ChangeFeed;
use super::sessions::{WebSession, WebSessions};
use cm_app::CallerIdentity;
use cm_note::instant::Instant;
use cm_note::token::AccessRole;

/// Access to the page.
#[derive(Debug, Clone)]
pub enum Visitor {
    /// Owners of a token, which the page asks for. On a server that needs no token, every client.
    TokenHolder,
    /// The first browser that opens the login link, with this identity and role.
    LoginLink { secret: String, caller: CallerIdentity, role: AccessRole },
    /// Every client, as a reader.
    Everyone { caller: CallerIdentity },
}

/// Parameters of the page.
#[derive(Debug, Clone)]
pub struct WebSetup {
    pub visitor: Visitor,
    /// Reports changed files to open pages.
    pub changes: ChangeFeed,
    /// Whether the page shows the example vault, read-only.
    pub is_demo: bool,
}

impl WebSetup {
    /// Whether tokens decide who may see the page.
    pub(crate) fn needs_token(&self) -> bool {
        matches!(self.visitor, Visitor::TokenHolder)
    }
}

/// State of the page while the server runs.
#[derive(Debug)]
pub(crate) struct WebState {
    pub(crate) setup: WebSetup,
    pub(crate) sessions: WebSessions,
    /// The login of all requests, if everyone may read.
    everyone: Option<Arc<WebSession>>,
    /// Cancelled at shutdown; ends open event streams.
    pub(crate) closing: CancellationToken,
}

impl WebState {
    pub(crate) fn new(setup: WebSetup) -> Self {
        let secret = match &setup.visitor {
            Visitor::LoginLink { secret, .. } => Some(secret.clone()),
            Visitor::TokenHolder | Visitor::Everyone { .. } => None,
        };
        let everyone = match &setup.visitor {
            Visitor::Everyone { caller } => Some(Arc::new(WebSession::reader(caller.clone()))),
            Visitor::LoginLink { .. } | Visitor::TokenHolder => None,
        };
        Self { setup, sessions: WebSessions::new(secret), everyone, closing: CancellationToken::new() }
    }

    /// The login of a request.
    pub(crate) fn session(&self, headers: &HeaderMap, now: Instant) -> Option<Arc<WebSession>> {
        self.everyone.clone().or_else(|| self.sessions.of(headers, now))
    }
}
