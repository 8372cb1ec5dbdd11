//! Decides where the server may listen: always on loopback, elsewhere only if a token exists.

use std::net::{SocketAddr, ToSocketAddrs};

use tokio::net::{TcpListener, TcpSocket};

use cm_app::{Error, ErrorKind, Result};
use cm_note::instant::Instant;
use cm_note::token::TokenStore;

/// Parses a listen address: `127.0.0.1:7700`, `[::1]:7700`, `localhost:7700`, `0.0.0.0:7700`.
///
/// # Errors
/// The text is not an address, or its name cannot be resolved.
pub fn address(text: &str) -> Result<SocketAddr> {
    let refuse = || {
        Error::usage(format!("`{text}` is not an address to listen on")).hint("for example 127.0.0.1:7700")
    };
    text.to_socket_addrs().map_err(|_| refuse())?.next().ok_or_else(refuse)
}

/// Whether the server starts without authentication: it listens on loopback only, has no host
/// names, and no token was ever issued.
///
/// # Errors
/// `open-door` if other machines can reach the server, directly or through a proxy for a name in
/// `hosts`, and no token is valid.
pub fn needs_no_token(
    address: SocketAddr,
    hosts: &[String],
    token_store: &TokenStore,
    now: Instant,
) -> Result<bool> {
    if address.ip().to_canonical().is_loopback() && (hosts.is_empty() || !token_store.is_empty()) {
        return Ok(token_store.is_empty());
    }
    if let Some(name) = hosts.first().filter(|_| token_store.is_empty()) {
        let message = format!("others can reach it as {name}, and there is no valid token");
        return Err(Error::refused("open-door", message).hint("create one with `cm token add NAME`"));
    }
    if token_store.has_active(now) {
        return Ok(false);
    }
    let message = format!("other machines can reach {address}, and there is no valid token");
    Err(Error::refused("open-door", message)
        .hint("create one with `cm token add NAME`, or listen on 127.0.0.1 behind a proxy or tunnel"))
}

/// Backlog of connections, subject to the system's limit. With a full backlog, clients would retry
/// only after a second.
const LISTEN_BACKLOG: u32 = 4096;

/// Opens the listening socket.
pub(super) fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // On Windows this would let another program take the address as well.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}

/// The error for an address that cannot be bound.
pub(super) fn bind_error(address: SocketAddr, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Failed, "listen", format!("cannot listen on {address}: {error}"))
        .hint("choose another port with --listen, or stop the program that uses it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::token::{AccessRole, AccessToken, TokenSecret, token_store};

    #[test]
    fn other_machines_are_let_in_by_a_live_token_only() {
        let now = Instant::from_unix(1_000);
        let token = AccessToken::of(
            &TokenSecret::of([1; 32]),
            "Ada",
            AccessRole::Reader,
            now,
            Some(Instant::from_unix(2_000)),
        );
        let text = token_store::with_token("", &token).unwrap();
        let live = TokenStore::parse(&text).unwrap();
        let revoked = TokenStore::parse(&token_store::revoke_token(&text, &token.id, now).unwrap()).unwrap();
        let none = TokenStore::default();
        let verdict = |address: &str, token_store, now| {
            needs_no_token(address.parse().unwrap(), &[], token_store, now).map_err(|e| e.code)
        };
        let proxied = |token_store| {
            let hosts = ["memory.example".to_owned()];
            needs_no_token("127.0.0.1:0".parse().unwrap(), &hosts, token_store, now).map_err(|e| e.code)
        };
        assert_eq!((proxied(&none), proxied(&live)), (Err("open-door"), Ok(false)));
        for loopback in ["127.0.0.1:0", "127.9.9.9:0", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
            assert_eq!(verdict(loopback, &none, now), Ok(true), "{loopback}");
            assert_eq!(verdict(loopback, &live, now), Ok(false));
            assert_eq!(
                verdict(loopback, &revoked, now),
                Ok(false),
                "a token that was taken back opens nothing"
            );
        }
        for open in ["0.0.0.0:0", "[::]:0", "10.0.0.1:0", "[::ffff:10.0.0.1]:0"] {
            assert_eq!(verdict(open, &none, now), Err("open-door"), "{open}");
            assert_eq!(verdict(open, &revoked, now), Err("open-door"));
            assert_eq!(verdict(open, &live, Instant::from_unix(2_000)), Err("open-door"), "expired");
            assert_eq!(verdict(open, &live, now), Ok(false));
        }
    }

    #[test]
    fn an_address_is_read_or_refused() {
        assert_eq!(address("[::1]:7700").unwrap().to_string(), "[::1]:7700");
        assert!(address("localhost:7700").unwrap().ip().is_loopback());
        for bad in ["", "7700", "127.0.0.1", "127.0.0.1:70000", "no such name:1"] {
            assert_eq!(address(bad).unwrap_err().kind, ErrorKind::Usage, "{bad}");
        }
    }
}
