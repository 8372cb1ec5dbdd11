//! Why a model gives no vectors, and what helps.

use std::path::PathBuf;

use super::remote::SHOWN;
use cm_net::{NotAnAddress, shortened};

/// A result of this layer.
pub type Result<T> = std::result::Result<T, Error>;

/// A model that cannot be used, or not now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The weights are not what they should be.
    #[error("the model `{model}` is damaged: {why}")]
    Damaged {
        /// Which model.
        model: String,
        /// What is wrong with it.
        why: String,
    },
    /// Nobody answers there.
    #[error("{url} is out of reach: {cause}")]
    OutOfReach {
        /// Who was asked.
        url: String,
        /// Why there was no answer.
        cause: String,
    },
    /// The server says no.
    #[error("{url} refused with status {status}{}", said(message))]
    Refused {
        /// Who was asked.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the server said, shortened; may be empty.
        message: String,
        /// What helps, where it is known.
        hint: Option<String>,
    },
    /// The server's answer is not what was asked for.
    #[error("{url} answered nonsense: {why}")]
    Malformed {
        /// Who was asked.
        url: String,
        /// What is wrong with the answer.
        why: String,
    },
    /// Vectors of one model have two sizes.
    #[error("`{model}` gave a vector of {found} numbers where its others have {expected}")]
    Dimension {
        /// Which model.
        model: String,
        /// The size of its vectors so far.
        expected: usize,
        /// The size of this one.
        found: usize,
    },
    /// What is set as an address is none.
    #[error("`embeddings.url` is no address: {why}")]
    Address {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A key is needed, or the one that is set cannot be sent.
    #[error("{url} cannot be asked: {why}")]
    Key {
        /// Who would be asked.
        url: String,
        /// What is wrong with the key; never the key.
        why: &'static str,
    },
    /// A setting that takes an absolute path has another.
    #[error("`{setting}` is `{}`, which is no absolute path", path.display())]
    RelativePath {
        /// The setting.
        setting: &'static str,
        /// What it holds.
        path: PathBuf,
    },
    /// The library that runs ONNX models cannot be loaded.
    #[error("the ONNX Runtime library cannot be loaded: {why}")]
    RuntimeMissing {
        /// What was tried, and why it failed.
        why: String,
    },
    /// The library that runs ONNX models is too old.
    #[error("the ONNX Runtime library {} is of version {found}, and 1.{needed} or later is needed", path.display())]
    RuntimeVersion {
        /// The library.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The least minor version.
        needed: u32,
    },
    /// A file of the model is not there.
    #[error("the model in {} cannot be used: {why}", folder.display())]
    ModelMissing {
        /// Where it should be.
        folder: PathBuf,
        /// What is missing.
        why: String,
    },
    /// No model of that name can be fetched.
    #[error("there is no model `{name}` to fetch")]
    UnknownModel {
        /// The name.
        name: String,
        /// A name that is like it.
        nearest: Option<String>,
    },
    /// A model that is kept nowhere yet could not be fetched.
    #[error("{url} could not be fetched: {cause}")]
    NotFetched {
        /// Which file.
        url: String,
        /// Why.
        cause: String,
    },
    /// The model was loaded, but did not run.
    #[error("the model `{model}` failed: {why}")]
    Failed {
        /// Which model.
        model: String,
        /// What it said.
        why: String,
    },
    /// This build of the program runs no ONNX models.
    #[error("this build runs no ONNX models")]
    NotBuilt,
    /// A file could not be used.
    #[error("{}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// What the person can do, where there is something that always helps.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Refused { hint, .. } => return hint.clone(),
            Self::OutOfReach { .. } => {
                "start the server, or correct `embeddings.url`; until then search goes on without it"
                    .to_owned()
            }
            Self::Malformed { .. } => "is `embeddings.url` the address of such a server?".to_owned(),
            Self::Dimension { .. } => {
                "another model answers under the same name: name it in `embeddings.model`, then `cm embed rebuild`"
                    .to_owned()
            }
            Self::Address { .. } => "such as http://localhost:11434 or https://api.openai.com/v1".to_owned(),
            Self::Key { .. } => {
                "cm config set embeddings.key KEY --private, or CM_EMBEDDINGS_KEY in the environment"
                    .to_owned()
            }
            Self::RelativePath { .. } => "write it out from the root, beginning with /".to_owned(),
            Self::RuntimeMissing { .. } | Self::RuntimeVersion { .. } => {
                "pip install --upgrade onnxruntime, then cm config set embeddings.runtime --private \
                 …/site-packages/onnxruntime/capi/libonnxruntime.so.1.x"
                    .to_owned()
            }
            Self::ModelMissing { .. } => {
                "`embeddings.path` takes a folder with model.onnx and tokenizer.json, as the hub has them"
                    .to_owned()
            }
            Self::UnknownModel { nearest: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::UnknownModel { nearest: None, .. } => {
                "such as bge-small-en-v1.5, all-minilm-l6-v2, nomic-embed-text-v1.5; \
                 or set `embeddings.path` to a folder that holds one"
                    .to_owned()
            }
            Self::NotFetched { .. } => {
                "try again, or set `embeddings.path` to a folder that holds the model".to_owned()
            }
            Self::Damaged { .. } | Self::Failed { .. } => "fetch the model's files anew".to_owned(),
            Self::NotBuilt => {
                "build with the feature `onnx`, or `cm config set embeddings.provider builtin`".to_owned()
            }
            Self::Io { .. } => return None,
        })
    }
}

impl From<NotAnAddress> for Error {
    fn from(wrong: NotAnAddress) -> Self {
        Self::Address { why: wrong.why }
    }
}

impl From<cm_net::Error> for Error {
    fn from(error: cm_net::Error) -> Self {
        match error {
            cm_net::Error::OutOfReach { url, cause } => Self::OutOfReach { url, cause },
            cm_net::Error::TimedOut { url, after } => {
                Self::OutOfReach { url, cause: format!("no answer within {after:?}") }
            }
            cm_net::Error::Refused { url, status, message, .. } => {
                Self::Refused { url, status, message: shortened(&message, SHOWN), hint: None }
            }
            cm_net::Error::Malformed { url, why } => Self::Malformed { url, why },
            cm_net::Error::Key { url, why } => Self::Key { url, why },
            cm_net::Error::CalledOff { url } => {
                Self::OutOfReach { url, cause: "the work was called off".to_owned() }
            }
        }
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
