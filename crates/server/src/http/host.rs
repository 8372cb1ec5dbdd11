//! Host names of the server.
//!
//! A foreign page can make its own name resolve to our address (DNS rebinding), but its requests
//! carry that name. A numeric address cannot be rebound, so it only has to be one that the server
//! listens on.

use std::net::{IpAddr, SocketAddr};

/// The valid host names of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    bound: IpAddr,
    names: Vec<String>,
}

impl Hosts {
    /// The host names for a bound address and configured names.
    pub fn of(bound: SocketAddr, host_names: &[String]) -> Self {
        Self { bound: bound.ip().to_canonical(), names: host_names.iter().map(|name| plain(name)).collect() }
    }

    /// Whether an authority (`name`, `name:port`, `[::1]:port`) is valid. The port is ignored,
    /// because tunnels use other ports.
    pub fn has(&self, authority: &str) -> bool {
        let Some(name) = name_of(authority) else { return false };
        if self.names.contains(&name) {
            return true;
        }
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(address) if self.bound.is_loopback() => address.is_loopback(),
            Ok(address) => self.bound.is_unspecified() || address == self.bound || address.is_loopback(),
            Err(_) => name == "localhost",
        }
    }
}

/// The host name of an authority in lower case; `None` if it is invalid.
pub fn name_of(authority: &str) -> Option<String> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (inner, after) = rest.split_once(']')?;
            inner.parse::<std::net::Ipv6Addr>().ok()?;
            (&authority[..inner.len() + 2], after.strip_prefix(':').or(after.is_empty().then_some("0"))?)
        }
        None => authority.split_once(':').unwrap_or((authority, "0")),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    (!name.is_empty() && name.chars().all(fits) && port.parse::<u16>().is_ok()).then(|| plain(name))
}

fn plain(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(bound: &str, named: &[&str]) -> Hosts {
        let named: Vec<String> = named.iter().map(ToString::to_string).collect();
        Hosts::of(bound.parse().unwrap(), &named)
    }

    #[test]
    fn on_loopback_only_loopback_names_are_ours() {
        let ours = hosts("127.0.0.1:7700", &[]);
        for host in ["localhost", "LOCALHOST:7700", "127.0.0.1:9000", "[::1]:7700", "localhost.", "127.0.0.2"]
        {
            assert!(ours.has(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:7700",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "10.0.0.1",
            "",
            ":7700",
            "localhost:7700:1",
            "localhost:x",
            "user@localhost",
            "localhost/a",
            "[::1",
            "[::1]x",
            "[evil]",
            "0.0.0.0",
            "é",
        ] {
            assert!(!ours.has(host), "{host}");
        }
    }

    #[test]
    fn elsewhere_digits_and_given_names_are_ours() {
        let ours = hosts("0.0.0.0:7700", &["Memory.example"]);
        for host in ["memory.example:443", "10.0.0.7:7700", "[2001:db8::1]", "localhost"] {
            assert!(ours.has(host), "{host}");
        }
        assert!(!ours.has("evil.example") && !ours.has("x.memory.example"));
        let one = hosts("10.0.0.7:7700", &[]);
        assert!(one.has("10.0.0.7") && !one.has("10.0.0.8"));
    }
}
