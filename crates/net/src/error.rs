//! Why a server gave no answer; never with anything of a key.

use std::time::Duration;

use super::said::shortened;

/// A result of this layer.
pub type Result<T> = std::result::Result<T, Error>;

/// How much of what a server says is shown, in characters.
const SHOWN: usize = 200;

/// A request that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nobody answers there.
    #[error("{url} is out of reach: {cause}")]
    OutOfReach {
        /// Who was asked.
        url: String,
        /// Why there was no answer.
        cause: String,
    },
    /// The server took the request and said nothing in time.
    #[error("{url} is out of reach: no answer within {after:?}")]
    TimedOut {
        /// Who was asked.
        url: String,
        /// How long it had.
        after: Duration,
    },
    /// The server says no.
    #[error("{url} refused with status {status}{}{}", said(message), rest(*wait))]
    Refused {
        /// Who was asked.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the server said, without the key; may be empty or long.
        message: String,
        /// How long it asks to be left alone.
        wait: Option<Duration>,
    },
    /// The answer is none that HTTP knows, or too large.
    #[error("{url} answered nonsense: {why}")]
    Malformed {
        /// Who was asked.
        url: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// The key cannot be sent.
    #[error("{url} cannot be asked: {why}")]
    Key {
        /// Who would be asked.
        url: String,
        /// What is wrong with the key; never the key.
        why: &'static str,
    },
    /// The work was called off before the server answered.
    #[error("{url} was not waited for: the work was called off")]
    CalledOff {
        /// Who was, or would have been, asked.
        url: String,
    },
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {}", shortened(message, SHOWN)) }
}

fn rest(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(" (it asks to be left alone for {} s)", wait.as_secs()))
}
