//! Checks of every request before routing: it must be addressed to this server, and must not be
//! sent by a web page of another origin.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};

use super::host::{Hosts, name_of};
use super::problem::Problem;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Maximum length of the request target, in bytes.
const MAX_TARGET_BYTES: usize = 8 << 10;

/// Rejects requests for other hosts or from other origins.
pub fn check(parts: &Parts, hosts: &Hosts) -> Result<(), Problem> {
    target(parts)?;
    framing(&parts.headers)?;
    let host = host(parts)?;
    if !hosts.has(&host) {
        let message = "the name in `Host` is not allowed";
        let hint = "use the server's address, or start it with --host-name NAME";
        return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "host", message, hint));
    }
    origin(&parts.headers, &host, hosts)
}

fn target(parts: &Parts) -> Result<(), Problem> {
    let length = parts.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if length > MAX_TARGET_BYTES {
        let message = format!("the path and query have {length} bytes; the limit is {MAX_TARGET_BYTES}");
        return Err(Problem::new(StatusCode::URI_TOO_LONG, "uri-too-long", message, "shorten the query"));
    }
    Ok(())
}

/// Rejects repeated or conflicting length headers, which a proxy may interpret differently.
fn framing(headers: &HeaderMap) -> Result<(), Problem> {
    let lengths = headers.get_all(header::CONTENT_LENGTH).iter().count();
    let codings = headers.get_all(header::TRANSFER_ENCODING).iter().count();
    if lengths + codings > 1 {
        let message = "the body's length is given in more than one way";
        return Err(Problem::bad(
            "framing",
            message,
            "send either Content-Length or Transfer-Encoding, once",
        ));
    }
    Ok(())
}

/// The host of the request, which must be unambiguous.
fn host(parts: &Parts) -> Result<String, Problem> {
    let refuse = |message: &str| Err(Problem::bad("host", message, "send one `Host` header"));
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let Some(first) = hosts.next() else { return refuse("the `Host` header is missing") };
    let Ok(first) = first.to_str() else { return refuse("the `Host` header is not text") };
    let other = parts.uri.authority().map(|authority| authority.as_str());
    if hosts.next().is_some() || other.is_some_and(|other| name_of(other) != name_of(first)) {
        return refuse("the request has two hosts");
    }
    Ok(first.to_owned())
}

/// Rejects requests that a browser sent on behalf of a page of another origin.
fn origin(headers: &HeaderMap, host: &str, hosts: &Hosts) -> Result<(), Problem> {
    let refuse = || {
        let message = "a web page of another origin sent this request";
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "origin",
            message,
            "send the request from the server's own page or from a program",
        ))
    };
    for origin in headers.get_all(header::ORIGIN) {
        let authority = origin
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")));
        let own = |authority: &str| hosts.has(authority) && authority.eq_ignore_ascii_case(host);
        if !authority.is_some_and(own) {
            return refuse();
        }
    }
    let foreign = |value: &[u8]| !matches!(value, b"same-origin" | b"none");
    if headers.get_all(FETCH_SITE).iter().any(|site| foreign(site.as_bytes())) {
        return refuse();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn verdict(target: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let hosts = Hosts::of("127.0.0.1:7700".parse().unwrap(), &["memory.example".into()]);
        check(&parts, &hosts).map_or_else(|problem| problem.status.as_u16(), |()| 200)
    }

    #[test]
    fn a_name_that_is_led_here_is_misdirected() {
        for (host, status) in
            [("127.0.0.1:7700", 200), ("memory.example", 200), ("evil.example:7700", 421), ("", 421)]
        {
            assert_eq!(verdict("/search", &[("host", host)]), status, "{host}");
        }
        assert_eq!(verdict("/search", &[]), 400);
        assert_eq!(verdict("/search", &[("host", "localhost"), ("host", "localhost")]), 400);
        assert_eq!(verdict("http://evil.example/search", &[("host", "localhost")]), 400);
        assert_eq!(verdict("http://localhost:7700/search", &[("host", "localhost:7700")]), 200);
    }

    #[test]
    fn only_our_own_page_may_make_a_browser_ask() {
        let host = ("host", "localhost:7700");
        for (name, value, status) in [
            ("origin", "http://localhost:7700", 200),
            ("origin", "http://localhost:3000", 403),
            ("origin", "https://evil.example", 403),
            ("origin", "null", 403),
            ("origin", "", 403),
            ("origin", "http://localhost:7700@evil.example", 403),
            ("origin", "chrome-extension://abc", 403),
            ("sec-fetch-site", "same-origin", 200),
            ("sec-fetch-site", "none", 200),
            ("sec-fetch-site", "same-site", 403),
            ("sec-fetch-site", "cross-site", 403),
        ] {
            assert_eq!(verdict("/search", &[host, (name, value)]), status, "{name}: {value}");
        }
    }

    #[test]
    fn a_body_with_two_lengths_is_refused() {
        let host = ("host", "localhost");
        assert_eq!(verdict("/", &[host, ("content-length", "3"), ("transfer-encoding", "chunked")]), 400);
        assert_eq!(verdict("/", &[host, ("content-length", "3"), ("content-length", "4")]), 400);
        assert_eq!(verdict("/", &[host, ("content-length", "3")]), 200);
        assert_eq!(verdict(&format!("/?{}", "a".repeat(9000)), &[host]), 414);
    }
}
