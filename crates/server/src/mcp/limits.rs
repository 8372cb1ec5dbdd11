//! How much one server does at once, and how long it waits.

use std::time::Duration;

/// The bounds of a server; all of its sessions share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How many calls work at once.
    pub running: usize,
    /// How many more wait for their turn before the next is told that the server is busy.
    pub waiting: usize,
    /// How long a call waits for its turn.
    pub patience: Duration,
    /// How long a call may take before it is called off.
    pub call: Duration,
    /// The longest message in bytes.
    pub message: usize,
    /// Messages of a batch over HTTP.
    pub batch: usize,
    /// How many watch for changes at once with `subscriptions/listen`.
    pub listeners: usize,
    /// How many resources a session of an older revision may subscribe to.
    pub subscriptions: usize,
    /// How many sessions of older revisions are kept over HTTP.
    pub sessions: usize,
    /// How many of them one caller may have.
    pub sessions_each: usize,
    /// How many requests of one caller are in flight over HTTP, streams included.
    pub in_flight_each: usize,
    /// After how long without a word such a session is forgotten.
    pub idle: Duration,
    /// How long a request over HTTP may take to arrive.
    pub arrival: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            running: 8,
            waiting: 64,
            patience: Duration::from_secs(30),
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
