//! What all sessions of one server share: the tables that it offers, its bounds, and how it opens the memory.

use std::fmt;
use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::tools::Tools;
use super::{Feed, Limits, Session, work};
use crate::operations::{Caller, Offer};
use crate::serving::ConcurrencyLimit;
use cm_app::server_audit::Sink;
use cm_app::{By, Memory, Result, Watch};

/// Opens the memory for one call, in the thread that works on it.
pub type Opener = Arc<dyn Fn(Asked) -> Result<Memory> + Send + Sync>;

/// What the memory is opened for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Who asks.
    pub by: By,
    /// Who waits for it.
    pub watch: Watch,
}

/// What a server is made of.
pub struct Setup {
    /// What it offers.
    pub offer: Offer,
    /// How it opens the memory.
    pub opener: Opener,
    /// Who asks where the request does not say: [`Caller::local`] on standard streams. Over HTTP `None`, so that
    /// only who was let in, and so has a [`Caller`] among the request's extensions, gets an answer.
    pub caller: Option<Caller>,
    /// Its bounds.
    pub limits: Limits,
    /// Where what callers asked for is recorded; `None` on standard streams.
    pub audit: Option<Sink>,
    /// Ends it: what waits is told so, and what is at work is given a moment.
    pub closing: CancellationToken,
}

/// A server; clones are the same one.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

struct Shared {
    setup: Setup,
    tools: Tools,
    calls: ConcurrencyLimit,
    feed: Feed,
    listeners: Arc<Semaphore>,
}

impl Server {
    /// A server of this setup.
    pub fn new(setup: Setup) -> Self {
        Self(Arc::new(Shared {
            tools: Tools::of(setup.offer.operations),
            calls: ConcurrencyLimit::new(setup.limits.running, setup.limits.waiting, setup.limits.patience),
            feed: Feed::new(),
            listeners: Arc::new(Semaphore::new(setup.limits.listeners)),
            setup,
        }))
    }

    /// What answers one client: on standard streams the one, over HTTP one a session.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }

    /// Where to tell what changed in the vault.
    pub fn feed(&self) -> &Feed {
        &self.0.feed
    }

    /// Its bounds.
    pub fn limits(&self) -> &Limits {
        &self.0.setup.limits
    }

    /// The limit of concurrent calls, which all sessions share.
    pub fn calls(&self) -> &ConcurrencyLimit {
        &self.0.calls
    }

    /// What ends it.
    pub fn closing(&self) -> &CancellationToken {
        &self.0.setup.closing
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.0.setup.offer
    }

    pub(super) fn tools(&self) -> &Tools {
        &self.0.tools
    }

    pub(super) fn audit(&self) -> Option<Sink> {
        self.0.setup.audit.clone()
    }

    pub(super) fn opener(&self) -> &Opener {
        &self.0.setup.opener
    }

    pub(super) fn listeners(&self) -> &Arc<Semaphore> {
        &self.0.listeners
    }

    /// Who asks: whoever the surface let in, else the one that the server was made for.
    pub(super) fn caller(&self, context: &RequestContext<RoleServer>) -> Option<Caller> {
        let let_in = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>());
        let caller = let_in.or(self.0.setup.caller.as_ref())?;
        let client = context.client_info();
        Some(work::signed(caller.clone(), client.as_ref().map(|client| client.name.as_str())))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("limits", &self.0.setup.limits).finish_non_exhaustive()
    }
}
