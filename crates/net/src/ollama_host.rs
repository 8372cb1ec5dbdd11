//! Parses `OLLAMA_HOST` by the same rules as Ollama.

use super::ServerUrl;

/// Default port of Ollama.
const DEFAULT_PORT: u16 = 11434;

/// Returns the address in a value of `OLLAMA_HOST`, such as `10.0.0.7`, `:8080` or
/// `https://ollama.example`, or `None` if it is empty or invalid. A wildcard address is replaced by
/// the local one.
pub fn ollama_host(value: &str) -> Option<ServerUrl> {
    let value = value.trim().trim_matches(['"', '\'']);
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    if value.is_empty() {
        return None;
    }
    let is_bare_v6 = authority.matches(':').count() > 1 && !authority.starts_with('[');
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !is_bare_v6 && !port.ends_with(']') => (host, port.parse().ok()?),
        _ => (authority, default_port(value, scheme)),
    };
    let host = match host {
        "" | "0.0.0.0" | "::" | "[::]" => "127.0.0.1".to_owned(),
        host if is_bare_v6 => format!("[{host}]"),
        host => host.to_owned(),
    };
    ServerUrl::parse(&format!("{scheme}://{host}:{port}/{path}")).ok()
}

/// Returns the default port: that of the scheme if one is given explicitly, otherwise that of
/// Ollama.
fn default_port(value: &str, scheme: &str) -> u16 {
    match (value.contains("://"), scheme) {
        (true, "http") => 80,
        (true, "https") => 443,
        _ => DEFAULT_PORT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_that_ollama_takes_is_an_address() {
        for (value, address) in [
            ("10.0.0.7", Some("http://10.0.0.7:11434")),
            ("10.0.0.7:8080", Some("http://10.0.0.7:8080")),
            (":8080", Some("http://127.0.0.1:8080")),
            ("0.0.0.0", Some("http://127.0.0.1:11434")),
            ("::1", Some("http://[::1]:11434")),
            ("[::1]:8080", Some("http://[::1]:8080")),
            ("https://ollama.example", Some("https://ollama.example")),
            ("http://ollama.example:1/a", Some("http://ollama.example:1/a")),
            ("", None),
            ("host:port", None),
        ] {
            assert_eq!(ollama_host(value).map(|address| address.to_string()).as_deref(), address, "{value}");
        }
    }
}
