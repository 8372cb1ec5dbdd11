//! Errors of model requests, with suggestions.

use std::time::Duration;

use super::budget::BudgetError;
use cm_net::{InvalidServerUrl, detail, retry_note};

/// Result type of this crate.
pub type Result<T> = std::result::Result<T, LlmError>;

/// Maximum length of another program's output that is quoted, in characters.
pub(super) const MAX_QUOTED_CHARS: usize = 400;

/// Why a model gave no usable answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The server cannot be reached.
    #[error("cannot connect to {url}: {cause}")]
    Unreachable {
        url: String,
        /// Cause of the failure.
        cause: String,
    },
    /// The request timed out.
    #[error("{who} did not answer within {after:?}")]
    TimedOut {
        /// Address of the server, or name of the program.
        who: String,
        /// Time that the request was allowed to take.
        after: Duration,
    },
    /// The server rejected the request.
    #[error("{url} returned status {status}{}{}", detail(message, MAX_QUOTED_CHARS), retry_note(*wait))]
    Rejected {
        url: String,
        status: u16,
        /// Error message of the server, without the key; may be empty.
        message: String,
        /// Time to wait before the next request, as given by the server.
        wait: Option<Duration>,
        /// Suggestion for the user, if the cause is known.
        hint: Option<&'static str>,
    },
    /// The answer has an unexpected format.
    #[error("{who} returned an invalid response: {why}")]
    Malformed {
        /// Address of the server, or name of the program.
        who: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// The key is missing or invalid.
    #[error("cannot send a request to {who}: {why}")]
    Key {
        who: String,
        /// What is wrong with the key; never contains the key itself.
        why: &'static str,
    },
    /// The request was cancelled.
    #[error("the request was cancelled")]
    Cancelled,
    /// A program could not be started.
    #[error("cannot start `{program}`")]
    NotStarted {
        program: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A program exited with an error status.
    #[error("`{program}` failed with {status}{}", detail(message, MAX_QUOTED_CHARS))]
    Failed {
        program: String,
        status: String,
        /// Last part of the program's error output; may be empty.
        message: String,
    },
    /// A program wrote too much output.
    #[error("`{program}` printed more than {most} KiB")]
    OutputTooLarge {
        program: String,
        /// Maximum size of the output, in KiB.
        most: usize,
    },
    /// A setting is invalid.
    #[error("`{setting}` {why}")]
    Setting {
        setting: &'static str,
        /// What is wrong with the value.
        why: String,
    },
    /// The call would exceed the budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A test script has no answer for the request, or is invalid.
    #[error("the answer script {why}")]
    Script {
        /// What is wrong with the script.
        why: String,
    },
    /// Several models were tried and all failed; contains the name and error of each.
    #[error("none of the {} models answered: {}", .0.len(), all(.0))]
    AllFailed(Vec<(String, Self)>),
}

impl LlmError {
    /// Suggests to the user how to solve the problem, if there is a generally useful suggestion.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreachable { .. } => "start the server or correct `llm.base_url`".to_owned(),
            Self::TimedOut { .. } => "raise `llm.timeout_s` or choose a faster model".to_owned(),
            Self::Rejected { hint: Some(hint), .. } => (*hint).to_owned(),
            Self::Rejected { status: 429, .. } => {
                "the provider's rate limit is reached: try again later, or with fewer sessions at once"
                    .to_owned()
            }
            Self::Malformed { .. } => "check that `llm.base_url` is the address of a model server".to_owned(),
            Self::Key { .. } => KEY_HINT.to_owned(),
            Self::NotStarted { .. } => {
                "check that the program is installed and that `llm.command` is correct".to_owned()
            }
            Self::Budget(overdrawn) => overdrawn.hint().to_owned(),
            Self::AllFailed(errors) => return errors.first().and_then(|(_, error)| error.hint()),
            Self::Rejected { .. }
            | Self::Cancelled
            | Self::Failed { .. }
            | Self::OutputTooLarge { .. }
            | Self::Setting { .. }
            | Self::Script { .. } => return None,
        })
    }

    /// Returns whether the model may have processed the request, so that the provider may charge
    /// for it.
    pub fn may_cost(&self) -> bool {
        match self {
            Self::TimedOut { .. } | Self::Malformed { .. } | Self::OutputTooLarge { .. } => true,
            Self::Unreachable { .. }
            | Self::Rejected { .. }
            | Self::Key { .. }
            | Self::Cancelled
            | Self::NotStarted { .. }
            | Self::Failed { .. }
            | Self::Setting { .. }
            | Self::Budget(_)
            | Self::Script { .. }
            | Self::AllFailed(_) => false,
        }
    }
}

impl LlmError {
    /// Adds a suggestion to a rejection, by its status. `not_found` is the one for status 404.
    pub(super) fn with_rejection_hint(self, has_key: bool, not_found: &'static str) -> Self {
        let Self::Rejected { url, status, message, wait, .. } = self else { return self };
        let hint = match status {
            401 | 403 if has_key => Some("check `llm.key`"),
            401 | 403 => Some(KEY_HINT),
            404 => Some(not_found),
            _ => None,
        };
        Self::Rejected { url, status, message, wait, hint }
    }
}

/// Tells the user how to set an API key.
const KEY_HINT: &str = "run `cm config set llm.key KEY --private`, set `llm.api_key_cmd` to a command that prints the key, or set CM_LLM_KEY";

impl From<cm_net::Error> for LlmError {
    fn from(error: cm_net::Error) -> Self {
        match error {
            cm_net::Error::Unreachable { url, cause } => Self::Unreachable { url, cause },
            cm_net::Error::TimedOut { url, after } => Self::TimedOut { who: url, after },
            cm_net::Error::Refused { url, status, message, wait, .. } => {
                Self::Rejected { url, status, message, wait, hint: None }
            }
            cm_net::Error::Malformed { url, why } => Self::Malformed { who: url, why },
            cm_net::Error::Key { url, why } => Self::Key { who: url, why },
            cm_net::Error::Cancelled { .. } => Self::Cancelled,
        }
    }
}

impl From<InvalidServerUrl> for LlmError {
    fn from(wrong: InvalidServerUrl) -> Self {
        Self::Setting { setting: "llm.base_url", why: format!("is not a valid URL: {wrong}") }
    }
}

fn all(errors: &[(String, LlmError)]) -> String {
    let each: Vec<_> = errors.iter().map(|(model, error)| format!("{model}: {error}")).collect();
    each.join("; ")
}
