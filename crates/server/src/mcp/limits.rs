//! Limits of the server: concurrency, sizes and timeouts.

use std::time::Duration;

/// Limits of a server, shared by all sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpLimits {
    /// Maximum number of concurrent calls.
    pub running: usize,
    /// Maximum number of queued calls; further calls fail as busy.
    pub waiting: usize,
    /// Maximum time that a call is queued.
    pub queue_timeout: Duration,
    /// Timeout of a call.
    pub call: Duration,
    /// Maximum size of a message, in bytes.
    pub message: usize,
    /// Maximum number of messages in a batch over HTTP.
    pub batch: usize,
    /// Maximum number of concurrent `subscriptions/listen` requests.
    pub listeners: usize,
    /// Maximum number of resource subscriptions per session of an older revision.
    pub subscriptions: usize,
    /// Maximum number of sessions of older revisions over HTTP.
    pub sessions: usize,
    /// Maximum number of these sessions per caller.
    pub sessions_each: usize,
    /// Maximum number of concurrent HTTP requests per caller, including streams.
    pub in_flight_each: usize,
    /// Idle time after which such a session is closed.
    pub idle: Duration,
    /// Maximum time to receive an HTTP request.
    pub arrival: Duration,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            running: 8,
            waiting: 64,
            queue_timeout: Duration::from_secs(30),
            call: Duration::from_secs(600),
            message: 5 * 1024 * 1024,
            batch: 100,
            listeners: 256,
            subscriptions: 1000,
            sessions: 256,
            sessions_each: 64,
            in_flight_each: 32,
            idle: Duration::from_secs(30 * 60),
            arrival: Duration::from_secs(30),
        }
    }
}
