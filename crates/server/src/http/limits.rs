//! How much, how many and how long: every bound of the server in one place.

use std::time::Duration;

use super::rate::Pace;

/// The bounds of a server. None is off: a bound that nobody means to reach is set high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Bytes of all bodies that are being answered.
    pub bodies: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// Lines of a request's head.
    pub headers: usize,
    /// How long a head may take, and how long a connection may say nothing.
    pub head_patience: Duration,
    /// How long a body may pause.
    pub body_patience: Duration,
    /// How long a body may take.
    pub body_whole: Duration,
    /// How long a client may take nothing of its answer.
    pub write_patience: Duration,
    /// Connections at once.
    pub connections: usize,
    /// Connections at once of one address.
    pub connections_each: usize,
    /// Reading operations at once; writing ones go one by one.
    pub readers: usize,
    /// Operations that wait for their turn, reading and writing ones each.
    pub queue: usize,
    /// How long one waits.
    pub queue_patience: Duration,
    /// Requests of one token, or of one address where no token is asked for.
    pub token: Pace,
    /// Requests of one address, whoever they are.
    pub address: Pace,
    /// Requests of one address that no token opened the door to.
    pub failures: Pace,
    /// How long what runs may take to end when the server is told to.
    pub grace: Duration,
    /// How often jobs look at the clock.
    pub tick: Duration,
}

impl Limits {
    /// The same with no more connections than half of the files that the system lets this process open: a connection is a
    /// file, and what it asks for opens others. No address has more than half of them.
    pub fn afforded(self) -> Self {
        #[cfg(unix)]
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        #[cfg(not(unix))]
        let files: Option<u64> = None;
        let half = files.and_then(|files| usize::try_from(files / 2).ok()).unwrap_or(usize::MAX);
        let connections = self.connections.min(half.max(1));
        Self { connections, connections_each: self.connections_each.min(connections.div_ceil(2)), ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 5 << 20,
            bodies: 64 << 20,
            head: 16 << 10,
            headers: 64,
            head_patience: Duration::from_secs(10),
            body_patience: Duration::from_secs(10),
            body_whole: Duration::from_secs(60),
            write_patience: Duration::from_secs(20),
            connections: 1024,
            connections_each: 512,
            readers: 4,
            queue: 256,
            queue_patience: Duration::from_secs(30),
            token: Pace { per_second: 200, burst: 400 },
            address: Pace { per_second: 5000, burst: 10_000 },
            failures: Pace { per_second: 2, burst: 30 },
            grace: Duration::from_secs(30),
            tick: Duration::from_secs(30),
        }
    }
}
