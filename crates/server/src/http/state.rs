//! Configuration and shared state of a running server.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::sync::Semaphore;
use tokio::time::Instant as MonotonicInstant;

use super::body;
use super::host::Hosts;
use super::jobs::Job;
use super::limits::HttpLimits;
use super::log::{LogEntry, LogSink, ServerLog};
use super::metrics::{Metric, Metrics};
use super::nested::NestedService;
use super::openapi;
use super::operation_runner::OperationRunner;
use super::rate::Buckets;
use super::shape::InputSchema;
use super::tls::ServerTls;
use super::token_ends::TokenEnds;
use crate::operations::OperationSpec;
use crate::web::{self, WebSetup, WebState};
use cm_app::idempotency::RunningRequests;
use cm_app::{CallerIdentity, Context, Result, server_audit};
use cm_note::instant::Instant;
use cm_note::token::TokenStore;

/// Opens the vault for one request, on the thread that runs the request.
pub type VaultOpener = Arc<dyn Fn(CallerIdentity) -> Result<Context> + Send + Sync>;
/// Returns the current tokens; called for every request, so it must be fast.
pub type TokenSource = Arc<dyn Fn() -> Result<Arc<TokenStore>> + Send + Sync>;
/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;
/// Computes the vault's metrics for `/metrics`.
pub type VaultMetricsFn = Arc<dyn Fn(&Context) -> Result<Vec<Metric>> + Send + Sync>;

/// Parameters of a server.
pub struct HttpSetup {
    /// Operations; those with an endpoint are served.
    pub table: &'static [OperationSpec],
    /// Opens the vault.
    pub opener: VaultOpener,
    /// Returns the tokens.
    pub tokens: TokenSource,
    pub mounted: Vec<NestedService>,
    /// The page for people; `None` serves programs only.
    pub web: Option<WebSetup>,
    /// Scheduled jobs.
    pub jobs: Vec<Job>,
    pub limits: HttpLimits,
    /// Certificate; `None` for unencrypted connections.
    pub tls: Option<ServerTls>,
    /// Host names in addition to the bound address.
    pub hosts: Vec<String>,
    /// Writes the log.
    pub log: LogSink,
    /// Writes the audit log.
    pub audit: Option<server_audit::AuditSink>,
    /// Returns the current time.
    pub clock: Clock,
    /// Computes the vault's metrics.
    pub vault_metrics: Option<VaultMetricsFn>,
    /// Version of the program.
    pub version: &'static str,
}

/// Shared state of a running server.
pub struct ServerState {
    /// The parameters, without the jobs, which the server runs.
    pub(crate) setup: HttpSetup,
    pub(super) shapes: BTreeMap<&'static str, InputSchema>,
    pub(super) hosts: Hosts,
    pub(super) log: ServerLog,
    /// Whether the server started without authentication: only this machine can reach it, and no
    /// token was ever issued.
    pub(super) is_open: bool,
    pub(super) contract: String,
    pub(crate) reads: OperationRunner,
    pub(crate) writes: OperationRunner,
    pub(super) keyed: RunningRequests,
    pub(super) bodies: Arc<Semaphore>,
    pub(super) by_token: Buckets<String>,
    pub(super) by_address: Buckets<std::net::IpAddr>,
    pub(super) failures: Buckets<std::net::IpAddr>,
    pub(super) token_ends: TokenEnds,
    pub(super) metrics: Metrics,
    pub(super) endpoints: Vec<&'static str>,
    pub(super) nested: Vec<&'static str>,
    pub(crate) web: Option<Arc<WebState>>,
    pub(super) stopping: AtomicBool,
    pub(super) sequence: AtomicU64,
    began: MonotonicInstant,
    began_at: Instant,
}

/// Endpoint of a path that does not exist, for metrics and logs.
const UNKNOWN: &str = "other";

impl ServerState {
    /// Creates the state for a bound address.
    pub fn new(setup: HttpSetup, bound: SocketAddr, is_open: bool) -> Self {
        let limits = setup.limits;
        let runner = |width| OperationRunner::new(width, limits.queue, limits.queue_timeout);
        let own = ["/health", "/metrics", "/openapi.json"];
        let paths = setup.table.iter().filter_map(|operation| Some(operation.endpoint?.path));
        let pages = setup.web.iter().flat_map(|_| web::roots());
        let nested: Vec<&'static str> =
            setup.mounted.iter().map(|service| service.path).chain(pages).collect();
        Self {
            shapes: setup
                .table
                .iter()
                .map(|operation| {
                    (operation.name, InputSchema::of((operation.input)(), operation.field_aliases))
                })
                .collect(),
            hosts: Hosts::of(bound, &setup.hosts),
            log: ServerLog::spawn(Arc::clone(&setup.log)),
            is_open,
            contract: openapi::document(setup.table, setup.version).to_string(),
            reads: runner(limits.readers),
            writes: runner(limits.writers),
            keyed: RunningRequests::default(),
            bodies: Arc::new(body::room(&limits)),
            by_token: Buckets::new(limits.token),
            by_address: Buckets::new(limits.address),
            failures: Buckets::new(limits.failures),
            token_ends: TokenEnds::default(),
            metrics: Metrics::default(),
            endpoints: paths.chain(own).collect(),
            nested,
            web: setup.web.clone().map(|web| Arc::new(WebState::new(web))),
            stopping: AtomicBool::new(false),
            sequence: AtomicU64::new(0),
            began: MonotonicInstant::now(),
            began_at: (setup.clock)(),
            setup,
        }
    }

    /// Time since the server started.
    pub(super) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Start time in Unix seconds; makes request ids of different runs distinct.
    pub(super) fn boot(&self) -> i64 {
        self.began_at.unix()
    }

    /// Logs an event.
    pub(super) fn notice(&self, name: &'static str, message: String) {
        self.log.write(LogEntry::Notice { at: (self.setup.clock)(), name, message });
    }

    /// Whether a request is for the page, which also answers browsers at addresses that do not exist.
    pub(super) fn is_page(&self, path: &str, headers: &HeaderMap) -> bool {
        web::is_page(path, headers, &self.endpoints)
            || (self.web.is_some() && self.endpoint(path) == UNKNOWN && web::accepts_html(headers))
    }

    /// The endpoint of a path for metrics and logs; never text chosen by a client.
    pub(super) fn endpoint(&self, path: &str) -> &'static str {
        let below = |prefix: &str| {
            path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let exact = self.endpoints.iter().find(|endpoint| **endpoint == path);
        exact.or_else(|| self.nested.iter().find(|prefix| below(prefix))).copied().unwrap_or(UNKNOWN)
    }
}
