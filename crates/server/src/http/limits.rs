//! All limits of the server.

use std::time::Duration;

use super::rate::RateLimit;

/// Number of equal shares of all connections; one address gets at most one share.
const ADDRESS_SHARE: usize = 2;

/// Limits of a server. None can be disabled; use a high value instead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HttpLimits {
    /// Maximum size of a request body, in bytes.
    pub body: usize,
    /// Maximum total size of the bodies of requests in progress, in bytes.
    pub bodies: usize,
    /// Maximum size of a request's header section, in bytes.
    pub head: usize,
    /// Maximum number of headers.
    pub headers: usize,
    /// Timeout for a header section, and for an idle connection.
    pub head_timeout: Duration,
    /// Like `head_timeout`, for a connection in the second half of its address's or the server's
    /// connections, so that half a request does not take room for long.
    pub crowded_head_timeout: Duration,
    /// Maximum pause between parts of a body.
    pub body_pause_timeout: Duration,
    /// Timeout for a whole body.
    pub body_timeout: Duration,
    /// Maximum time that a write of a response may stall.
    pub write_timeout: Duration,
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections per address.
    pub connections_each: usize,
    /// Maximum number of concurrent reads.
    pub readers: usize,
    /// Maximum number of concurrent writes. They prepare and sync their files at once; each has the
    /// vault's lock by itself.
    pub writers: usize,
    /// Maximum number of queued operations, for reads and writes each.
    pub queue: usize,
    /// Maximum time in the queue.
    pub queue_timeout: Duration,
    /// Rate limit per token, or per address if no token is required.
    pub token: RateLimit,
    /// Rate limit per address.
    pub address: RateLimit,
    /// Rate limit of failed authentications per address.
    pub failures: RateLimit,
    /// Grace period at shutdown.
    pub grace: Duration,
    /// Interval at which job schedules are checked.
    pub tick: Duration,
}

impl HttpLimits {
    /// Reduces the number of connections to half of the process's file descriptor limit, because
    /// requests open further files. An address gets at most half of them.
    pub fn capped_by_file_limit(self) -> Self {
        #[cfg(unix)]
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        #[cfg(not(unix))]
        let files: Option<u64> = None;
        let half = files.and_then(|files| usize::try_from(files / 2).ok()).unwrap_or(usize::MAX);
        let connections = self.connections.min(half.max(1));
        let share = connections.div_ceil(ADDRESS_SHARE);
        Self { connections, connections_each: self.connections_each.min(share), ..self }
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body: 5 << 20,
            bodies: 64 << 20,
            head: 16 << 10,
            headers: 64,
            head_timeout: Duration::from_secs(10),
            crowded_head_timeout: Duration::from_secs(2),
            body_pause_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(20),
            connections: 1024,
            connections_each: 1024 / ADDRESS_SHARE,
            readers: 4,
            writers: 2,
            queue: 256,
            queue_timeout: Duration::from_secs(30),
            token: RateLimit { per_second: 200, burst: 400 },
            address: RateLimit { per_second: 5000, burst: 10_000 },
            failures: RateLimit { per_second: 2, burst: 30 },
            grace: Duration::from_secs(30),
            tick: Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leaves_half_of_the_connections_to_others() {
        let limits = HttpLimits::default();
        for connections in [2, 64, 1024] {
            let capped = HttpLimits { connections, ..limits }.capped_by_file_limit();
            assert!(capped.connections_each * ADDRESS_SHARE <= capped.connections.next_multiple_of(2));
        }
        assert!(limits.crowded_head_timeout < limits.head_timeout);
    }
}
