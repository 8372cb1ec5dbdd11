//! Why a model gives no answer, and what helps.

use std::time::Duration;

use super::budget::Overdrawn;
use cm_net::{NotAnAddress, shortened};

/// A result of this layer.
pub type Result<T> = std::result::Result<T, Error>;

/// How much of what another program says is shown, in characters.
pub(super) const SHOWN: usize = 400;

/// A model that cannot be asked, or did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nobody answers there.
    #[error("{url} is out of reach: {cause}")]
    OutOfReach {
        /// Who was asked.
        url: String,
        /// Why there was no answer.
        cause: String,
    },
    /// It was asked, and said nothing in time.
    #[error("{who} did not answer within {after:?}")]
    TimedOut {
        /// Who was asked: an address or a program.
        who: String,
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
        /// What the server said, without the key; may be empty.
        message: String,
        /// How long it asks to be left alone.
        wait: Option<Duration>,
        /// What helps, where it is known.
        hint: Option<&'static str>,
    },
    /// The answer is none of the kind that was asked for.
    #[error("{who} answered nonsense: {why}")]
    Malformed {
        /// Who was asked.
        who: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// A key is needed, or the one that is set cannot be used.
    #[error("{who} cannot be asked: {why}")]
    Key {
        /// Who would be asked.
        who: String,
        /// What is wrong with the key; never the key.
        why: &'static str,
    },
    /// The work was called off.
    #[error("the work was called off")]
    CalledOff,
    /// A program could not be started.
    #[error("`{program}` could not be started")]
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program failed.
    #[error("`{program}` failed with {status}{}", said(message))]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// The end of what it said about that; may be empty.
        message: String,
    },
    /// A program does not stop talking.
    #[error("`{program}` says more than {most} KiB")]
    TooMuch {
        /// The program.
        program: String,
        /// How much it may say.
        most: usize,
    },
    /// A setting holds what it cannot hold.
    #[error("`{setting}` {why}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The call would cost more than may be spent.
    #[error(transparent)]
    Budget(#[from] Overdrawn),
    /// A script has no answer for this question, or is no script.
    #[error("the script of answers {why}")]
    Script {
        /// What is wrong with it.
        why: String,
    },
    /// None of several models answered.
    #[error("none of {} models answered: {}", .0.len(), all(.0))]
    NoneAnswered(Vec<(String, Self)>),
}

impl Error {
    /// What the person can do, where there is something that always helps.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::OutOfReach { .. } => "start the server, or correct `llm.base_url`".to_owned(),
            Self::TimedOut { .. } => "raise `llm.timeout_s`, or choose a faster model".to_owned(),
            Self::Refused { hint: Some(hint), .. } => (*hint).to_owned(),
            Self::Refused { status: 429, .. } => {
                "the provider's limit is reached: try again later, or with fewer sessions at once".to_owned()
            }
            Self::Malformed { .. } => "is `llm.base_url` the address of such a server?".to_owned(),
            Self::Key { .. } => KEY_HINT.to_owned(),
            Self::NotStarted { .. } => {
                "is it installed, and does `llm.command` name it as a shell would find it?".to_owned()
            }
            Self::Budget(overdrawn) => overdrawn.hint().to_owned(),
            Self::NoneAnswered(errors) => return errors.first().and_then(|(_, error)| error.hint()),
            Self::Refused { .. }
            | Self::CalledOff
            | Self::Failed { .. }
            | Self::TooMuch { .. }
            | Self::Setting { .. }
            | Self::Script { .. } => return None,
        })
    }

    /// Whether the model may have read the question, and somebody may have to pay for it.
    pub fn may_cost(&self) -> bool {
        match self {
            Self::TimedOut { .. } | Self::Malformed { .. } | Self::TooMuch { .. } => true,
            Self::OutOfReach { .. }
            | Self::Refused { .. }
            | Self::Key { .. }
            | Self::CalledOff
            | Self::NotStarted { .. }
            | Self::Failed { .. }
            | Self::Setting { .. }
            | Self::Budget(_)
            | Self::Script { .. }
            | Self::NoneAnswered(_) => false,
        }
    }
}

/// How a key is set.
pub(super) const KEY_HINT: &str = "cm config set llm.key KEY --private, `llm.api_key_cmd` with a command that prints it, \
     or CM_LLM_KEY in the environment";

impl From<cm_net::Error> for Error {
    fn from(error: cm_net::Error) -> Self {
        match error {
            cm_net::Error::OutOfReach { url, cause } => Self::OutOfReach { url, cause },
            cm_net::Error::TimedOut { url, after } => Self::TimedOut { who: url, after },
            cm_net::Error::Refused { url, status, message, wait } => {
                Self::Refused { url, status, message, wait, hint: None }
            }
            cm_net::Error::Malformed { url, why } => Self::Malformed { who: url, why },
            cm_net::Error::Key { url, why } => Self::Key { who: url, why },
            cm_net::Error::CalledOff { .. } => Self::CalledOff,
        }
    }
}

impl From<NotAnAddress> for Error {
    fn from(wrong: NotAnAddress) -> Self {
        Self::Setting { setting: "llm.base_url", why: format!("is no address: {wrong}") }
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {}", shortened(message, SHOWN)) }
}

fn rest(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(" (it asks to be left alone for {} s)", wait.as_secs()))
}

fn all(errors: &[(String, Error)]) -> String {
    let each: Vec<_> = errors.iter().map(|(model, error)| format!("{model}: {error}")).collect();
    each.join("; ")
}
