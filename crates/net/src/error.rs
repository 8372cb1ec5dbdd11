//! Errors of HTTP requests. They never contain the key.

use std::time::Duration;

use cm_text::shorten::short_line;

/// Result of HTTP requests.
pub type Result<T> = std::result::Result<T, Error>;

/// Maximum number of characters of a server message in an error.
const MAX_QUOTED_CHARS: usize = 200;

/// A failed HTTP request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The server cannot be reached.
    #[error("cannot connect to {url}: {cause}")]
    Unreachable { url: String, cause: String },
    #[error("cannot connect to {url}: no answer within {after:?}")]
    /// The server accepted the request but did not respond in time.
    TimedOut {
        url: String,
        /// Timeout of the request.
        after: Duration,
    },
    /// The server returned an error status.
    #[error("{url} returned status {status}{}{}", detail(message, MAX_QUOTED_CHARS), retry_note(*wait))]
    Refused {
        url: String,
        status: u16,
        /// The field `error.code` of a JSON response.
        code: Option<String>,
        /// Message from the server with the key removed; may be empty or long.
        message: String,
        /// Delay that the server requested before a retry.
        wait: Option<Duration>,
    },
    /// The response is not valid HTTP, or is too large.
    #[error("{url} returned an invalid response: {why}")]
    Malformed {
        url: String,
        /// What is wrong with the response.
        why: String,
    },
    /// The key cannot be sent in a header.
    #[error("cannot send a request to {url}: {why}")]
    Key {
        url: String,
        /// What is wrong with the key. Never contains the key.
        why: &'static str,
    },
    /// The operation was cancelled before the server responded.
    #[error("the request to {url} was cancelled")]
    Cancelled { url: String },
}

/// A server's message as the end of an error text: `: ` and at most `most` characters, or nothing.
pub fn detail(message: &str, most: usize) -> String {
    if message.is_empty() { String::new() } else { format!(": {}", short_line(message, most)) }
}

/// The wait that a server asked for as the end of an error text; empty if `None`.
pub fn retry_note(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(" (retry after {} s)", wait.as_secs()))
}
