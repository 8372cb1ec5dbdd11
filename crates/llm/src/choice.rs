//! Selection of the model, with everything that is needed to open it.
//!
//! This module reads no settings. No model is built in, because model names become outdated.

use std::time::Duration;

use super::Llm;
use super::anthropic::{self, Anthropic};
use super::command::{Cli, Command};
use super::error::{Error, Result};
use super::openai::OpenAi;
use super::price::Price;
use super::scripted::Scripted;
use cm_net::{Address, Client, Key, Lock, Pace, Patience, Terms};

/// Maximum size of a server's answer in bytes.
const LARGEST: u64 = 8 << 20;

/// A model that is ready for requests.
pub type Model = Box<dyn Llm + Send + Sync>;

/// The selected model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// No model; all features work by rules only.
    None,
    /// A program, with the name of the model that it runs; the name may be empty.
    Cli(Command, String),
    Scripted(String),
    /// A model on a server.
    Remote(Remote),
}

/// A model on a server: its provider, address and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Provider, which determines the API.
    pub provider: Provider,
    /// Name of the model at the provider.
    pub model: String,
    /// Address of the server; `None` for the provider's default.
    pub address: Option<Address>,
    pub key: Option<Key>,
}

/// Provider of models over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    OpenAi,
    Anthropic,
    /// Google, through its OpenAI-compatible API.
    Google,
    /// Amazon Bedrock, through its OpenAI-compatible API.
    Bedrock,
    /// An Ollama server, usually on this machine.
    Ollama,
    /// Any other server with an OpenAI-compatible API.
    Compatible,
}

impl Provider {
    pub const ALL: [Self; 6] =
        [Self::OpenAi, Self::Anthropic, Self::Google, Self::Bedrock, Self::Ollama, Self::Compatible];

    /// Parses the name of a provider.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Returns the name used in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::Bedrock => "bedrock",
            Self::Ollama => "ollama",
            Self::Compatible => "compatible",
        }
    }

    /// Returns the default server address; `None` if the provider has no common one.
    pub fn address(self) -> Option<Address> {
        let (text, host) = match self {
            Self::OpenAi => ("https://api.openai.com/v1", "api.openai.com"),
            Self::Anthropic => ("https://api.anthropic.com/v1", "api.anthropic.com"),
            Self::Google => (
                "https://generativelanguage.googleapis.com/v1beta/openai",
                "generativelanguage.googleapis.com",
            ),
            Self::Ollama => ("http://localhost:11434/v1", "localhost"),
            Self::Bedrock | Self::Compatible => return None,
        };
        Some(Address::known(text, host))
    }

    /// Returns the environment variables that usually contain the provider's key. These keys are
    /// sent only to the provider's own servers.
    pub fn key_variables(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["OPENAI_API_KEY"],
            Self::Anthropic => &["ANTHROPIC_API_KEY"],
            Self::Google => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Self::Bedrock => &["AWS_BEARER_TOKEN_BEDROCK"],
            Self::Ollama | Self::Compatible => &[],
        }
    }

    /// Returns whether an address is the provider's own server and encrypted. A key from
    /// [`Provider::key_variables`] is sent only to such a server.
    pub fn owns(self, address: &Address) -> bool {
        let host = address.host();
        let is_own = match self {
            Self::Bedrock => host.starts_with("bedrock-runtime.") && host.ends_with(".amazonaws.com"),
            _ => self.address().is_some_and(|own| own.host() == host),
        };
        is_own && address.is_encrypted()
    }

    /// Returns whether the provider requires a key.
    fn wants_key(self) -> bool {
        !self.key_variables().is_empty()
    }
}

impl Choice {
    /// Returns the destination of prompts, if it is a program or another machine; `None` if they
    /// stay on this machine.
    pub fn sends_to(&self) -> Option<String> {
        match self {
            Self::None | Self::Scripted(_) => None,
            Self::Cli(command, _) => Some(format!("the program `{}`", command.program())),
            Self::Remote(remote) => {
                let address = remote.place()?;
                (!address.is_loopback()).then(|| address.host().to_owned())
            }
        }
    }

    /// Returns whether the key would be sent unencrypted to another machine.
    pub fn is_in_the_clear(&self) -> bool {
        let Self::Remote(remote) = self else { return false };
        let open = |address: Address| !address.is_encrypted() && !address.is_loopback();
        remote.key.is_some() && remote.place().is_some_and(open)
    }

    /// Returns the default price: zero for models that are certain to run on this machine, else
    /// unknown.
    pub fn usual_price(&self) -> Option<Price> {
        match self {
            Self::None | Self::Scripted(_) => Some(Price::NOTHING),
            Self::Remote(Remote { provider: Provider::Ollama, .. }) if self.sends_to().is_none() => {
                Some(Price::NOTHING)
            }
            Self::Remote(_) | Self::Cli(..) => None,
        }
    }
}

impl Remote {
    fn place(&self) -> Option<Address> {
        self.address.clone().or_else(|| self.provider.address())
    }

    fn open(&self, patience: Patience, pace: Pace) -> Result<Model> {
        let setting = |setting, why: &str| Error::Setting { setting, why: why.to_owned() };
        let address = self.place().ok_or_else(|| match self.provider {
            Provider::Bedrock => setting(
                "llm.base_url",
                "is not set: such as https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
            ),
            _ => setting("llm.base_url", "is not set: such as http://localhost:8080/v1"),
        })?;
        if self.model.is_empty() {
            return Err(setting("llm.model", &format!("is not set, and {} has many", self.provider.name())));
        }
        if self.key.is_none() && self.provider.wants_key() && self.provider.owns(&address) {
            return Err(Error::Key { who: address.to_string(), why: "it wants a key, and none is set" });
        }
        let has_key = self.key.is_some();
        let (lock, headers) = match self.provider {
            Provider::Anthropic => (Lock::Header("x-api-key"), vec![anthropic::VERSION]),
            _ => (Lock::Bearer, Vec::new()),
        };
        let key = self.key.clone().map(|key| (key, lock));
        let client = Client::new(Terms { key, headers, largest: LARGEST, patience, pace });
        Ok(match self.provider {
            Provider::Anthropic => Box::new(Anthropic::new(&self.model, &address, client, has_key)),
            provider => Box::new(OpenAi::new(provider.name(), &self.model, &address, client, has_key)),
        })
    }
}

/// Returns the retry policy for model servers: waits of 1, 2, 4, … seconds, at most one minute
/// each.
pub fn patience(retries: u32, seed: u64) -> Patience {
    let (pause, longest) = (Duration::from_secs(1), Duration::from_secs(60));
    Patience { retries, pause, growth: 2, longest, jitter: Some(seed), with_silence: true }
}

/// Opens the selected model without sending a request; returns `None` for [`Choice::None`].
///
/// # Errors
/// Returns an error if a required setting or key is missing, or if the script is invalid.
pub fn open(choice: &Choice, patience: Patience, pace: Pace) -> Result<Option<Model>> {
    Ok(match choice {
        Choice::None => None,
        Choice::Cli(command, model) => Some(Box::new(Cli::new(command.clone(), model, pace))),
        Choice::Scripted(text) => Some(Box::new(Scripted::parse(text)?)),
        Choice::Remote(remote) => Some(remote.open(patience, pace)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(provider: Provider, address: &str, key: &str) -> Choice {
        let address = (!address.is_empty()).then(|| Address::parse(address).unwrap());
        Choice::Remote(Remote { provider, model: "m".to_owned(), address, key: Key::of(key) })
    }

    fn opened(choice: &Choice) -> String {
        match open(choice, Patience::NONE, Pace::default()) {
            Ok(Some(model)) => format!("{}/{}", model.provider(), model.model()),
            Ok(None) => "none".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_provider_has_a_name_and_most_a_server() {
        for provider in Provider::ALL {
            assert_eq!(Provider::parse(provider.name()), Some(provider));
            if let Some(address) = provider.address() {
                assert_eq!(Address::parse(&address.to_string()).as_ref(), Ok(&address));
                assert_eq!(provider.owns(&address), provider != Provider::Ollama, "{address}");
            }
        }
        assert_eq!(Provider::parse("cohere"), None);
    }

    #[test]
    fn what_is_missing_is_told_before_anything_is_asked() {
        insta::assert_snapshot!(opened(&Choice::None), @"none");
        insta::assert_snapshot!(opened(&remote(Provider::Ollama, "", "")), @"ollama/m");
        insta::assert_snapshot!(opened(&remote(Provider::OpenAi, "", "sk-12345")), @"openai/m");
        insta::assert_snapshot!(opened(&remote(Provider::Anthropic, "", "")), @"https://api.anthropic.com/v1 cannot be asked: it wants a key, and none is set");
        insta::assert_snapshot!(opened(&remote(Provider::Anthropic, "http://localhost:1/v1", "")), @"anthropic/m");
        insta::assert_snapshot!(opened(&remote(Provider::Bedrock, "", "k")), @"`llm.base_url` is not set: such as https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1");
        insta::assert_snapshot!(opened(&remote(Provider::Compatible, "", "")), @"`llm.base_url` is not set: such as http://localhost:8080/v1");
        let (provider, model) = (Provider::OpenAi, String::new());
        let nameless = Choice::Remote(Remote { provider, model, address: None, key: Key::of("k") });
        insta::assert_snapshot!(opened(&nameless), @"`llm.model` is not set, and openai has many");
    }

    #[test]
    fn a_providers_own_key_goes_to_its_own_servers_alone() {
        let owns = |provider: Provider, typed: &str| provider.owns(&Address::parse(typed).unwrap());
        assert!(owns(Provider::OpenAi, "https://api.openai.com/v1/"));
        assert!(owns(Provider::Bedrock, "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1"));
        for (provider, typed) in [
            (Provider::OpenAi, "http://api.openai.com/v1"),
            (Provider::OpenAi, "https://api.openai.com.example.org/v1"),
            (Provider::OpenAi, "https://api.anthropic.com/v1"),
            (Provider::Bedrock, "https://bedrock-runtime.example.org/v1"),
            (Provider::Bedrock, "https://evil.amazonaws.com/v1"),
            (Provider::Compatible, "https://api.openai.com/v1"),
        ] {
            assert!(!owns(provider, typed), "{typed}");
        }
    }

    #[test]
    fn it_is_known_what_leaves_this_machine() {
        let to = |choice: &Choice| choice.sends_to();
        assert_eq!(to(&Choice::None), None);
        assert_eq!(to(&remote(Provider::Ollama, "", "")), None);
        assert_eq!(to(&remote(Provider::Ollama, "http://10.0.0.7:1/v1", "")).as_deref(), Some("10.0.0.7"));
        assert_eq!(to(&remote(Provider::OpenAi, "", "k")).as_deref(), Some("api.openai.com"));
        let variables = std::collections::BTreeMap::new();
        let command = Command::parse("claude -p", &variables, &[]).unwrap();
        assert_eq!(to(&Choice::Cli(command, String::new())).as_deref(), Some("the program `claude`"));
        assert!(remote(Provider::Compatible, "http://10.0.0.7/v1", "k").is_in_the_clear());
        for fine in [
            remote(Provider::Compatible, "http://10.0.0.7/v1", ""),
            remote(Provider::Compatible, "http://localhost/v1", "k"),
            remote(Provider::Compatible, "https://10.0.0.7/v1", "k"),
        ] {
            assert!(!fine.is_in_the_clear());
        }
        assert!(!format!("{:?}", remote(Provider::OpenAi, "", "sk-12345")).contains("12345"));
    }

    #[test]
    fn only_what_certainly_runs_here_costs_nothing() {
        let free = |choice: &Choice| choice.usual_price().is_some_and(Price::is_nothing);
        assert!(free(&remote(Provider::Ollama, "", "")) && free(&Choice::Scripted(String::new())));
        assert!(!free(&remote(Provider::Ollama, "http://10.0.0.7/v1", "")));
        assert!(!free(&remote(Provider::Compatible, "http://localhost:8080/v1", "")));
        assert!(!free(&remote(Provider::OpenAi, "", "k")));
    }
}
