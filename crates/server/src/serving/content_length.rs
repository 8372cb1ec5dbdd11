//! The length that a request announces.

use axum::http::{HeaderMap, header};

/// The announced length of a body in bytes; `None` if it is absent or not a number.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
