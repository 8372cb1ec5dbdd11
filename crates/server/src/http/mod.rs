//! The team server: operations over HTTP, for agents without local access to the vault.
//!
//! A request passes `connections` (connection limits and timeouts), `middleware` (host checks, rate
//! limits, authentication), `route` (input parsing) and `operation_runner` (concurrency limit); only then is
//! the vault opened. This layer is asynchronous; operations run on blocking threads.

pub(crate) mod authentication;
mod body;
mod body_limit;
mod connections;
mod framing;
pub mod headers;
mod health;
mod host;
pub mod jobs;
pub mod limits;
pub mod listen;
pub mod log;
pub mod metrics;
mod middleware;
mod nested;
pub mod openapi;
mod operation_runner;
mod problem;
mod query;
mod rate;
mod request_checks;
mod route;
pub mod schedule;
mod server;
mod shape;
mod shutdown;
mod state;
mod tls;
mod token_ends;
mod write_timeout;

pub use jobs::Job;
pub use limits::HttpLimits;
pub use log::LogEntry;
pub use metrics::{Metric, MetricKind};
pub(crate) use middleware::Peer;
pub use nested::NestedService;
pub(crate) use problem::Problem;
pub use route::router;
pub(crate) use route::run_limited;
pub use server::{HttpServer, ShutdownResult, serve};
pub use state::{Clock, HttpSetup, ServerState, TokenSource, VaultMetricsFn, VaultOpener};
pub use tls::{SelfSigned, ServerTls, invalid_certificate, is_valid_for};
