//! Parses server addresses and decides whether they are local.
//!
//! Names are not resolved: a name that resolves to this machine counts as remote unless it is
//! `localhost`.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

/// A URL that starts with `http://` or `https://`, without credentials and without a trailing
/// slash. Two spellings of one server are equal: scheme and host are in lower case, and the default
/// port is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    text: String,
    host: String,
}

/// Error for an invalid address. It never repeats the input, which may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct InvalidServerUrl {
    /// What is wrong with the address.
    pub why: &'static str,
}

impl ServerUrl {
    /// Parses an address.
    ///
    /// # Errors
    ///
    /// The text is not an address, or may contain a secret.
    pub fn parse(typed: &str) -> Result<Self, InvalidServerUrl> {
        let wrong = |why| Err(InvalidServerUrl { why });
        let typed = typed.trim().trim_end_matches('/');
        let Ok(uri) = typed.parse::<Uri>() else { return wrong("it cannot be read") };
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return wrong("it does not start with http:// or https://");
        }
        let Some(authority) = uri.authority() else { return wrong("it has no host name") };
        if authority.as_str().contains('@') {
            return wrong("it contains a user name or password; keys have their own setting");
        }
        if typed.contains(['?', '#']) {
            return wrong("it has a query or fragment after its path");
        }
        if authority.host().is_empty() {
            return wrong("it has no host name");
        }
        let after_host = authority.as_str().get(authority.host().len()..).unwrap_or_default();
        if !matches!(after_host, "" | ":") && authority.port_u16().is_none() {
            return wrong("it has a port that is not a number below 65536");
        }
        let is_encrypted = uri.scheme_str() == Some("https");
        let (scheme, default_port) = if is_encrypted { ("https", 443) } else { ("http", 80) };
        let host = authority.host().to_ascii_lowercase();
        let port = authority.port_u16().filter(|port| *port != default_port);
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        let path = uri.path().trim_end_matches('/');
        Ok(Self { text: format!("{scheme}://{host}{port}{path}"), host })
    }

    /// Creates an address from a literal URL and its host, without validation.
    pub fn constant(text: &str, host: &str) -> Self {
        Self { text: text.to_owned(), host: host.to_owned() }
    }

    /// Returns the host name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether the host is this machine: `localhost`, 127.x.y.z or ::1.
    pub fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Whether the scheme is `https`.
    pub fn is_encrypted(&self) -> bool {
        self.text.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
    }

    /// Returns the URL of a path below the address.
    pub fn below(&self, path: &str) -> String {
        format!("{}/{path}", self.text)
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_this_machine() {
        let loopback = |typed: &str| ServerUrl::parse(typed).unwrap().is_loopback();
        for here in
            ["http://localhost:11434", "http://LOCALHOST", "https://127.0.0.1:1/v1/", "http://[::1]:8080"]
        {
            assert!(loopback(here), "{here}");
        }
        for there in [
            "http://localhost.example.org",
            "http://127.0.0.1.example.org",
            "http://127.1",
            "http://2130706433",
            "http://0.0.0.0",
            "http://10.0.0.1",
            "https://api.openai.com/v1",
        ] {
            assert!(!loopback(there), "{there}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for typed in [
            "localhost:11434",
            "ftp://localhost",
            "http://",
            "http://me:hunter2@localhost",
            "http://127.0.0.1@example.org",
            "http://localhost/v1?key=hunter2",
            "http://localhost/#hunter2",
            "http://a b",
            "",
        ] {
            let error = ServerUrl::parse(typed).unwrap_err().to_string();
            assert!(error.starts_with("it "), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let address = ServerUrl::parse("http://localhost:1//").unwrap();
        assert_eq!(
            (address.below("api/embed").as_str(), address.host()),
            ("http://localhost:1/api/embed", "localhost")
        );
    }

    #[test]
    fn two_spellings_of_one_server_are_equal() {
        for (typed, canonical) in [
            ("HTTP://LOCALHOST:1", "http://localhost:1"),
            ("http://localhost:80/", "http://localhost"),
            ("https://Memory.Example.org:443/Team/", "https://memory.example.org/Team"),
            ("https://memory.example.org:80", "https://memory.example.org:80"),
            ("http://[::A]:7700", "http://[::a]:7700"),
            ("http://localhost:", "http://localhost"),
            ("http://localhost:0080", "http://localhost"),
        ] {
            let parsed = ServerUrl::parse(typed).unwrap();
            assert_eq!(
                (parsed.to_string().as_str(), &parsed),
                (canonical, &ServerUrl::parse(canonical).unwrap())
            );
        }
        let odd = ServerUrl::parse("http://localhost:99999").unwrap_err();
        assert_eq!(odd.why, "it has a port that is not a number below 65536");
    }

    #[test]
    fn only_https_is_encrypted() {
        let encrypted = |typed: &str| ServerUrl::parse(typed).unwrap().is_encrypted();
        assert!(encrypted("https://example.org") && encrypted("HTTPS://example.org/v1"));
        assert!(!encrypted("http://example.org") && !encrypted("http://a"));
    }
}
