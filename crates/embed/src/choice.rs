//! The choice of an embedding model, with the parameters to open an external one.
//!
//! This module reads no settings; the caller resolves them.

use std::path::PathBuf;
use std::time::Duration;

use super::Embedder;
use super::error::Result;
use super::ollama::{Ollama, Timeouts};
use super::openai::OpenAi;
use cm_net::{ApiKey, ServerUrl};

/// Minimum timeout for the first answer of an Ollama server, which may load or download the model.
const MIN_FIRST_TIMEOUT: Duration = Duration::from_secs(300);
/// Wait before a failed request is repeated.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Source of embedding vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// The built-in models, with this one as the larger of them.
    Builtin(BuiltinModel),
    /// No vectors: search uses words only.
    None,
    Outside(ExternalModel),
}

/// A larger built-in model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltinModel {
    /// English.
    MiniLm,
    /// Multilingual. Only in builds with the feature `multilingual`.
    E5Small,
}

impl BuiltinModel {
    /// Names of the models, as in the setting `embeddings.model`.
    pub const NAMES: [(&'static str, Self); 2] = [("minilm-l6", Self::MiniLm), ("e5-small", Self::E5Small)];

    /// Returns the model of a name; an empty name selects the default.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "" => Some(Self::MiniLm),
            _ => Self::NAMES.iter().find(|(model_name, _)| *model_name == name).map(|(_, model)| *model),
        }
    }

    /// Returns the model.
    ///
    /// # Errors
    ///
    /// [`Error::NotMultilingual`](super::Error::NotMultilingual) if this build does not contain it.
    pub fn open(self) -> Result<&'static (dyn Embedder + Send + Sync)> {
        match self {
            Self::MiniLm => Ok(super::builtin::MiniLm::builtin()),
            #[cfg(feature = "multilingual")]
            Self::E5Small => Ok(super::builtin::E5Small::builtin()),
            #[cfg(not(feature = "multilingual"))]
            Self::E5Small => Err(super::Error::NotMultilingual),
        }
    }
}

/// A model that is not built in. An empty model name selects the provider's default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalModel {
    /// An ONNX model, run in this process.
    Onnx(OnnxConfig),
    /// A model on an Ollama server.
    Ollama {
        model: String,
        /// Address of the server; by default the local one.
        address: Option<ServerUrl>,
        /// Timeout of a request.
        timeout: Duration,
    },
    /// A model behind an OpenAI-compatible API.
    OpenAi {
        model: String,
        /// Base URL, to which `/embeddings` is appended; by default that of OpenAI.
        address: Option<ServerUrl>,
        key: Option<ApiKey>,
        /// Timeout of a request.
        timeout: Duration,
    },
}

/// An ONNX model, from a local folder or downloaded by name from a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnnxConfig {
    /// Model name on the hub.
    pub model: String,
    /// Folder with the model's files. Takes precedence over the name.
    pub folder: Option<PathBuf>,
    /// Address of the hub; by default Hugging Face.
    pub hub: Option<ServerUrl>,
    /// Cache folder for downloaded models.
    pub cache: PathBuf,
    /// Name of the setting and path of the ONNX Runtime library; `None` searches the model's folder
    /// and the system.
    pub runtime: Option<(&'static str, PathBuf)>,
}

impl EmbeddingProvider {
    pub fn is_builtin(&self) -> bool {
        matches!(self, Self::Builtin(_))
    }

    /// Returns the host that receives the notes' text, or `None` if the text stays on this machine.
    pub fn sends_to(&self) -> Option<String> {
        let address = match self {
            Self::Outside(ExternalModel::Ollama { address, .. }) => address.clone()?,
            Self::Outside(ExternalModel::OpenAi { address, .. }) => {
                address.clone().unwrap_or_else(openai_address)
            }
            Self::Outside(ExternalModel::Onnx(_)) | Self::Builtin(_) | Self::None => return None,
        };
        (!address.is_loopback()).then(|| address.host().to_owned())
    }
}

/// Opens an external model. If `dimension` is set, its vectors must have that size.
///
/// # Errors
///
/// The model cannot be used. Servers are contacted only when there is something to embed.
pub fn open(outside: &ExternalModel, dimension: Option<usize>) -> Result<Box<dyn Embedder + Send + Sync>> {
    Ok(match outside {
        ExternalModel::Onnx(onnx) => onnx_model(onnx, dimension)?,
        ExternalModel::Ollama { model, address, timeout } => {
            let times =
                Timeouts { usual: *timeout, first: MIN_FIRST_TIMEOUT.max(*timeout), pause: RETRY_PAUSE };
            let address = address.clone().unwrap_or_else(ollama_address);
            Box::new(Ollama::new(&address, or(model, "nomic-embed-text"), times, dimension))
        }
        ExternalModel::OpenAi { model, address, key, timeout } => {
            let address = address.clone().unwrap_or_else(openai_address);
            let model = or(model, "text-embedding-3-small");
            Box::new(OpenAi::new(&address, model, key.clone(), (*timeout, RETRY_PAUSE), dimension))
        }
    })
}

#[cfg(feature = "onnx")]
fn onnx_model(onnx: &OnnxConfig, dimension: Option<usize>) -> Result<Box<dyn Embedder + Send + Sync>> {
    Ok(Box::new(super::onnx::Model::open(onnx, dimension)?))
}

#[cfg(not(feature = "onnx"))]
fn onnx_model(_: &OnnxConfig, _: Option<usize>) -> Result<Box<dyn Embedder + Send + Sync>> {
    Err(super::Error::NotBuilt)
}

/// Base URL of OpenAI's API.
pub fn openai_address() -> ServerUrl {
    ServerUrl::constant("https://api.openai.com/v1", "api.openai.com")
}

fn ollama_address() -> ServerUrl {
    ServerUrl::constant("http://localhost:11434", "localhost")
}

fn or<'a>(model: &'a str, default: &'a str) -> &'a str {
    if model.is_empty() { default } else { model }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(1);

    #[test]
    fn the_name_of_a_built_in_model_selects_it() {
        assert_eq!(BuiltinModel::of(""), Some(BuiltinModel::MiniLm));
        assert_eq!(BuiltinModel::of("e5-small"), Some(BuiltinModel::E5Small));
        assert_eq!(BuiltinModel::of("e5-large"), None);
        for (name, model) in BuiltinModel::NAMES {
            match model.open() {
                Ok(opened) => assert_eq!(opened.name(), format!("builtin/{name}")),
                Err(error) => {
                    assert_eq!(error.to_string(), format!("this build does not contain the model `{name}`"))
                }
            }
        }
    }

    #[test]
    fn each_provider_has_a_model_and_an_address_of_its_own() {
        let name = |outside| open(&outside, None).unwrap().name().to_owned();
        let ollama = ExternalModel::Ollama { model: String::new(), address: None, timeout: TIMEOUT };
        let model = String::new();
        let openai =
            ExternalModel::OpenAi { model, address: None, key: ApiKey::of("sk-12345"), timeout: TIMEOUT };
        assert!(!format!("{openai:?}").contains("12345"));
        assert_eq!(EmbeddingProvider::Outside(ollama.clone()).sends_to(), None);
        assert_eq!(EmbeddingProvider::Outside(openai.clone()).sends_to().as_deref(), Some("api.openai.com"));
        assert_eq!(name(ollama), "ollama/nomic-embed-text");
        assert_eq!(name(openai), "openai/text-embedding-3-small");
        for known in [openai_address(), ollama_address()] {
            assert_eq!(ServerUrl::parse(&known.to_string()).unwrap(), known);
        }
    }
}
