//! Which model embeds, with all that it takes to open one that is not built in.
//!
//! It reads no setting: `ops` decides what counts, and from whom.

use std::path::PathBuf;
use std::time::Duration;

use super::Embedder;
use super::error::Result;
use super::ollama::{Ollama, Times};
use super::openai::OpenAi;
use cm_net::{Address, Key};

/// How long the first answer of an ollama server may take, which loads or even pulls the model.
const FIRST: Duration = Duration::from_secs(300);
/// The wait before a failed request is sent again.
const PAUSE: Duration = Duration::from_millis(250);

/// Where vectors come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The models in the program.
    Builtin,
    /// Nowhere: search goes by words alone.
    None,
    /// A model that is run or asked elsewhere.
    Outside(Outside),
}

/// A model that is not built in. An empty model stands for the provider's own default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// An ONNX model, run here.
    Onnx(Onnx),
    /// A model on an ollama server.
    Ollama {
        /// Its name.
        model: String,
        /// The server; by default the one on this machine.
        address: Option<Address>,
        /// How long an answer may take.
        timeout: Duration,
    },
    /// A model behind the interface of OpenAI.
    OpenAi {
        /// Its name.
        model: String,
        /// The address that `/embeddings` is below; by default OpenAI's own.
        address: Option<Address>,
        /// What the server knows us by.
        key: Option<Key>,
        /// How long an answer may take.
        timeout: Duration,
    },
}

/// An ONNX model: from a folder, else by its name from a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onnx {
    /// Its name on the hub.
    pub model: String,
    /// The folder that holds it.
    pub folder: Option<PathBuf>,
    /// The hub; by default Hugging Face.
    pub hub: Option<Address>,
    /// Where models of the hub are kept.
    pub cache: PathBuf,
    /// The ONNX Runtime library, with the name of the setting that says so.
    pub runtime: Option<(&'static str, PathBuf)>,
}

impl Choice {
    /// The server that notes are sent to, where it is another machine.
    pub fn sends_to(&self) -> Option<String> {
        let address = match self {
            Self::Outside(Outside::Ollama { address, .. }) => address.clone()?,
            Self::Outside(Outside::OpenAi { address, .. }) => address.clone().unwrap_or_else(openai),
            Self::Outside(Outside::Onnx(_)) | Self::Builtin | Self::None => return None,
        };
        (!address.is_loopback()).then(|| address.host().to_owned())
    }
}

/// Opens a model that is not built in. Its vectors must have the given size where that is known.
///
/// # Errors
/// Why it cannot be used; a server is first asked when there is something to embed.
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

/// OpenAI's own server.
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
