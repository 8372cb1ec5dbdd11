//! Headers that protect pages: what they may load, who may frame them, what they reveal.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

const FRAME_OPTIONS: HeaderName = HeaderName::from_static("x-frame-options");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds the headers of a page. Scripts and styles may come only from `/assets/` of this host, which
/// holds nothing of a vault.
pub(super) fn protect(headers: &mut HeaderMap, host: Option<&HeaderValue>) {
    headers.insert(header::CONTENT_SECURITY_POLICY, policy(host));
    protect_file(headers);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("accept, cookie"));
}

/// Adds the headers that also files have.
pub(super) fn protect_file(headers: &mut HeaderMap) {
    // A form of this page must send its origin, so the policy is not `no-referrer`.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(PERMISSIONS, HeaderValue::from_static("camera=(), geolocation=(), microphone=()"));
}

/// The policy for a page that was requested from this host, which was checked before.
fn policy(host: Option<&HeaderValue>) -> HeaderValue {
    let host = host.and_then(|host| host.to_str().ok()).filter(|host| is_plain(host));
    let assets = host.map_or_else(|| "'self'".to_owned(), |host| format!("{host}/assets/"));
    let policy = format!(
        "default-src 'self'; script-src {assets}; style-src {assets}; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
}

/// Whether a host and port need no quoting in a policy. An IPv6 address cannot stand in one.
fn is_plain(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_cannot_add_to_the_policy() {
        for (host, expected) in [
            ("a1.localhost:7700", "script-src a1.localhost:7700/assets/;"),
            ("[::1]:7700", "script-src 'self';"),
            ("x; script-src *", "script-src 'self';"),
        ] {
            let policy = policy(Some(&HeaderValue::from_static(host)));
            assert!(policy.to_str().unwrap().contains(expected), "{policy:?}");
        }
    }
}
