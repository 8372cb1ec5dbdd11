//! Errors of embedding models, with hints for the user.

use std::path::PathBuf;

use super::remote::SHOWN;
use cm_net::{InvalidServerUrl, shortened};

/// Result of embedding operations.
pub type Result<T> = std::result::Result<T, Error>;

/// An embedding model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The weights are invalid.
    #[error("the model `{model}` is damaged: {why}")]
    Damaged {
        model: String,
        /// What is invalid.
        why: String,
    },
    /// The server cannot be reached.
    #[error("{url} is out of reach: {cause}")]
    OutOfReach { url: String, cause: String },
    /// The server returned an error status.
    #[error("{url} refused with status {status}{}", said(message))]
    Refused {
        url: String,
        status: u16,
        /// Message from the server, shortened; may be empty.
        message: String,
        /// How to fix it, if known.
        hint: Option<String>,
    },
    /// The server's response does not match the protocol.
    #[error("{url} answered nonsense: {why}")]
    Malformed {
        url: String,
        /// What is wrong with the response.
        why: String,
    },
    /// A model returned vectors of different sizes.
    #[error("`{model}` gave a vector of {found} numbers where its others have {expected}")]
    Dimension {
        model: String,
        /// Size of the earlier vectors.
        expected: usize,
        /// Size of this vector.
        found: usize,
    },
    /// The configured address is invalid.
    #[error("`embeddings.url` is no address: {why}")]
    Address {
        /// What is wrong with the address.
        why: &'static str,
    },
    /// The API key is missing or cannot be sent in a header.
    #[error("{url} cannot be asked: {why}")]
    Key {
        url: String,
        /// What is wrong with the key. Never contains the key.
        why: &'static str,
    },
    /// A setting requires an absolute path.
    #[error("`{setting}` is `{}`, which is no absolute path", path.display())]
    RelativePath {
        /// Name of the setting.
        setting: &'static str,
        /// The relative path.
        path: PathBuf,
    },
    /// The ONNX Runtime library cannot be loaded.
    #[error("the ONNX Runtime library cannot be loaded: {why}")]
    RuntimeMissing {
        /// Path that was tried, and the reason.
        why: String,
    },
    /// The ONNX Runtime library is too old.
    #[error("the ONNX Runtime library {} is of version {found}, and 1.{needed} or later is needed", path.display())]
    RuntimeVersion {
        /// Path of the library.
        path: PathBuf,
        /// Version of the library.
        found: String,
        /// Minimum minor version.
        needed: u32,
    },
    /// A file of the model is missing.
    #[error("the model in {} cannot be used: {why}", folder.display())]
    ModelMissing {
        /// Folder of the model.
        folder: PathBuf,
        /// What is missing.
        why: String,
    },
    /// No model of this name is available.
    #[error("there is no model `{name}` to fetch")]
    UnknownModel {
        name: String,
        /// The most similar model name, if there is one.
        nearest: Option<String>,
    },
    /// The model is not cached and could not be downloaded.
    #[error("{url} could not be fetched: {cause}")]
    NotFetched {
        /// URL of the file.
        url: String,
        cause: String,
    },
    /// The model was loaded but failed to run.
    #[error("the model `{model}` failed: {why}")]
    Failed {
        model: String,
        /// Message of the runtime.
        why: String,
    },
    /// This build does not support ONNX models.
    #[error("this build runs no ONNX models")]
    NotBuilt,
    /// A file could not be read or written.
    #[error("{}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl Error {
    /// Returns what the user can do, if the error kind determines it.
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

impl From<InvalidServerUrl> for Error {
    fn from(wrong: InvalidServerUrl) -> Self {
        Self::Address { why: wrong.why }
    }
}

impl From<cm_net::Error> for Error {
    fn from(error: cm_net::Error) -> Self {
        match error {
            cm_net::Error::Unreachable { url, cause } => Self::OutOfReach { url, cause },
            cm_net::Error::TimedOut { url, after } => {
                Self::OutOfReach { url, cause: format!("no answer within {after:?}") }
            }
            cm_net::Error::Refused { url, status, message, .. } => {
                Self::Refused { url, status, message: shortened(&message, SHOWN), hint: None }
            }
            cm_net::Error::Malformed { url, why } => Self::Malformed { url, why },
            cm_net::Error::Key { url, why } => Self::Key { url, why },
            cm_net::Error::Cancelled { url } => {
                Self::OutOfReach { url, cause: "the work was called off".to_owned() }
            }
        }
    }
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
