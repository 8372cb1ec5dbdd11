//! Errors of embedding models, with hints for the user.

use std::path::PathBuf;

use super::remote::MAX_QUOTED_CHARS;
use cm_net::{InvalidServerUrl, detail};
use cm_text::shorten::short_line;

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
    #[error("cannot connect to {url}: {cause}")]
    OutOfReach { url: String, cause: String },
    #[error("{url} returned status {status}{}", detail(message, MAX_QUOTED_CHARS))]
    /// The server returned an error status.
    Refused {
        url: String,
        status: u16,
        /// Message from the server, shortened; may be empty.
        message: String,
        /// How to fix it, if known.
        hint: Option<String>,
    },
    /// The server's response does not match the protocol.
    #[error("{url} returned an invalid response: {why}")]
    Malformed {
        url: String,
        /// What is wrong with the response.
        why: String,
    },
    /// A model returned vectors of different sizes.
    #[error("`{model}` returned a vector with {found} dimensions; expected {expected}")]
    Dimension {
        model: String,
        /// Size of the earlier vectors.
        expected: usize,
        /// Size of this vector.
        found: usize,
    },
    /// The configured address is invalid.
    #[error("`embeddings.url` is not a valid URL: {why}")]
    Address {
        /// What is wrong with the address.
        why: &'static str,
    },
    /// The API key is missing or cannot be sent in a header.
    #[error("cannot send a request to {url}: {why}")]
    Key {
        url: String,
        /// What is wrong with the key. Never contains the key.
        why: &'static str,
    },
    /// A setting requires an absolute path.
    #[error("`{setting}` is `{}`, which is not an absolute path", path.display())]
    RelativePath {
        /// Name of the setting.
        setting: &'static str,
        /// The relative path.
        path: PathBuf,
    },
    /// The ONNX Runtime library cannot be loaded.
    #[error("cannot load the ONNX Runtime library: {why}")]
    RuntimeMissing {
        /// Path that was tried, and the reason.
        why: String,
    },
    /// The ONNX Runtime library is too old.
    #[error("the ONNX Runtime library {} has version {found}; 1.{needed} or later is required", path.display())]
    RuntimeVersion {
        /// Path of the library.
        path: PathBuf,
        /// Version of the library.
        found: String,
        /// Minimum minor version.
        needed: u32,
    },
    /// A file of the model is missing.
    #[error("cannot use the model in {}: {why}", folder.display())]
    ModelMissing {
        /// Folder of the model.
        folder: PathBuf,
        /// What is missing.
        why: String,
    },
    /// No model of this name is available.
    #[error("there is no model `{name}` to download")]
    UnknownModel {
        name: String,
        /// The most similar model name, if there is one.
        nearest: Option<String>,
    },
    /// The model is not cached and could not be downloaded.
    #[error("cannot download {url}: {cause}")]
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
    #[error("this build does not support ONNX models")]
    NotBuilt,
    /// This build does not contain the multilingual model.
    #[error("this build does not contain the model `e5-small`")]
    NotMultilingual,
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
                "start the server or correct `embeddings.url`; search works without it in the meantime"
                    .to_owned()
            }
            Self::Malformed { .. } => "check that `embeddings.url` is the address of an embedding server".to_owned(),
            Self::Dimension { .. } => {
                "another model answers under this name: set its name in `embeddings.model`, then run `cm embed rebuild`"
                    .to_owned()
            }
            Self::Address { .. } => "for example http://localhost:11434 or https://api.openai.com/v1".to_owned(),
            Self::Key { .. } => {
                "run `cm config set embeddings.key KEY --private`, or set CM_EMBEDDINGS_KEY"
                    .to_owned()
            }
            Self::RelativePath { .. } => "use an absolute path, starting with /".to_owned(),
            Self::RuntimeMissing { .. } | Self::RuntimeVersion { .. } => {
                "run `pip install --upgrade onnxruntime`, then `cm config set embeddings.runtime --private …/site-packages/onnxruntime/capi/libonnxruntime.so.1.x`"
                    .to_owned()
            }
            Self::ModelMissing { .. } => {
                "`embeddings.path` needs a folder with model.onnx and tokenizer.json, as downloaded from the hub"
                    .to_owned()
            }
            Self::UnknownModel { nearest: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::UnknownModel { nearest: None, .. } => {
                "for example bge-small-en-v1.5, all-minilm-l6-v2, nomic-embed-text-v1.5; or set `embeddings.path` to a folder with a model"
                    .to_owned()
            }
            Self::NotFetched { .. } => {
                "try again, or set `embeddings.path` to a folder with the model".to_owned()
            }
            Self::Damaged { .. } | Self::Failed { .. } => "download the model files again".to_owned(),
            Self::NotBuilt => {
                "build with the feature `onnx`, or run `cm config set embeddings.provider builtin`".to_owned()
            }
            Self::NotMultilingual => {
                "build with the feature `multilingual`, or run `cm embed use builtin`".to_owned()
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
                Self::Refused { url, status, message: short_line(&message, MAX_QUOTED_CHARS), hint: None }
            }
            cm_net::Error::Malformed { url, why } => Self::Malformed { url, why },
            cm_net::Error::Key { url, why } => Self::Key { url, why },
            cm_net::Error::Cancelled { url } => {
                Self::OutOfReach { url, cause: "the request was cancelled".to_owned() }
            }
        }
    }
}
