//! The choice of an embedding model, with the parameters to open an external one.
//!
//! This module reads no settings; the caller resolves them.

use std::path::PathBuf;
use std::time::Duration;

use super::Embedder;
use super::error::Result;
use super::ollama::{Ollama, Times};
use super::openai::OpenAi;
use cm_net::{Address, Key};

/// Minimum timeout for the first answer of an Ollama server, which may load or download the model.
const FIRST: Duration = Duration::from_secs(300);
/// Wait before a failed request is repeated.
const PAUSE: Duration = Duration::from_millis(250);

/// Source of embedding vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The built-in models.
    Builtin,
    /// No vectors: search uses words only.
    None,
    /// An external model.
    Outside(Outside),
}

/// A model that is not built in. An empty model name selects the provider's default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// An ONNX model, run in this process.
    Onnx(Onnx),
    /// A model on an Ollama server.
    Ollama {
        model: String,
        /// Address of the server; by default the local one.
        address: Option<Address>,
        /// Timeout of a request.
        timeout: Duration,
    },
    /// A model behind an OpenAI-compatible API.
    OpenAi {
        model: String,
        /// Base URL, to which `/embeddings` is appended; by default that of OpenAI.
        address: Option<Address>,
        /// API key.
        key: Option<Key>,
        /// Timeout of a request.
        timeout: Duration,
    },
}

/// An ONNX model, from a local folder or downloaded by name from a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onnx {
    /// Model name on the hub.
    pub model: String,
    /// Folder with the model's files. Takes precedence over the name.
    pub folder: Option<PathBuf>,
    /// Address of the hub; by default Hugging Face.
    pub hub: Option<Address>,
    /// Cache folder for downloaded models.
    pub cache: PathBuf,
    /// Name of the setting and path of the ONNX Runtime library.
    pub runtime: Option<(&'static str, PathBuf)>,
}

impl Choice {
    /// Returns the host that receives the notes' text, or `None` if the text stays on this machine.
    pub fn sends_to(&self) -> Option<String> {
        let address = match self {
            Self::Outside(Outside::Ollama { address, .. }) => address.clone()?,
            Self::Outside(Outside::OpenAi { address, .. }) => address.clone().unwrap_or_else(openai),
            Self::Outside(Outside::Onnx(_)) | Self::Builtin | Self::None => return None,
        };
        (!address.is_loopback()).then(|| address.host().to_owned())
    }
}

/// Opens an external model. If `dimension` is set, its vectors must have that size.
///
/// # Errors
///
/// The model cannot be used. Servers are contacted only when there is something to embed.
pub fn open(outside: &Outside, dimension: Option<usize>) -> Result<Box<dyn Embedder + Send + Sync>> {
    Ok(match outside {
        Outside::Onnx(onnx) => onnx_model(onnx, dimension)?,
        Outside::Ollama { model, address, timeout } => {
            let times = Times { usual: *timeout, first: FIRST.max(*timeout), pause: PAUSE };
            let address = address.clone().unwrap_or_else(ollama);
            Box::new(Ollama::new(&address, or(model, "nomic-embed-text"), times, dimension))
        }
        Outside::OpenAi { model, address, key, timeout } => {
            let address = address.clone().unwrap_or_else(openai);
            let model = or(model, "text-embedding-3-small");
            Box::new(OpenAi::new(&address, model, key.clone(), (*timeout, PAUSE), dimension))
        }
    })
}

#[cfg(feature = "onnx")]
fn onnx_model(onnx: &Onnx, dimension: Option<usize>) -> Result<Box<dyn Embedder + Send + Sync>> {
    Ok(Box::new(super::onnx::Model::open(onnx, dimension)?))
}

#[cfg(not(feature = "onnx"))]
fn onnx_model(_: &Onnx, _: Option<usize>) -> Result<Box<dyn Embedder + Send + Sync>> {
    Err(super::Error::NotBuilt)
}

/// Base URL of OpenAI's API.
pub fn openai() -> Address {
    Address::known("https://api.openai.com/v1", "api.openai.com")
}

fn ollama() -> Address {
    Address::known("http://localhost:11434", "localhost")
}

fn or<'a>(model: &'a str, default: &'a str) -> &'a str {
    if model.is_empty() { default } else { model }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(1);

    #[test]
    fn each_provider_has_a_model_and_an_address_of_its_own() {
        let name = |outside| open(&outside, None).unwrap().name().to_owned();
        let ollama = Outside::Ollama { model: String::new(), address: None, timeout: TIMEOUT };
        let model = String::new();
        let openai = Outside::OpenAi { model, address: None, key: Key::of("sk-12345"), timeout: TIMEOUT };
        assert!(!format!("{openai:?}").contains("12345"));
        assert_eq!(Choice::Outside(ollama.clone()).sends_to(), None);
        assert_eq!(Choice::Outside(openai.clone()).sends_to().as_deref(), Some("api.openai.com"));
        assert_eq!(name(ollama), "ollama/nomic-embed-text");
        assert_eq!(name(openai), "openai/text-embedding-3-small");
        for known in [super::openai(), super::ollama()] {
            assert_eq!(Address::parse(&known.to_string()).unwrap(), known);
        }
    }
}
