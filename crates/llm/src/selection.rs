//! Selection of the model, with everything that is needed to open it.
//!
//! This module reads no settings. No model is built in, because model names become outdated.

use std::time::Duration;

use super::Llm;
use super::anthropic::{self, AnthropicClient};
use super::cli_model::{CliModel, ModelCommand};
use super::error::{LlmError, Result};
use super::openai::OpenAiClient;
use super::price::Price;
use super::scripted::ScriptedModel;
use cm_net::{ApiKey, AuthHeader, Client, ClientConfig, RetryPolicy, RetrySleeper, ServerUrl};

/// Maximum size of a server's answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 8 << 20;

/// Any opened model, ready for requests.
pub type BoxedLlm = Box<dyn Llm + Send + Sync>;

/// Which model the settings select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSelection {
    /// No model is selected; all features work by rules only.
    None,
    /// A program, and the name of the model that it uses, which may be empty.
    Cli(ModelCommand, String),
    Scripted(String),
    /// A model on a server.
    Remote(RemoteModel),
}

/// A model on a server: its provider, address and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteModel {
    /// Provider, which determines the API.
    pub provider: ModelProvider,
    /// Name of the model at the provider.
    pub model: String,
    /// Address of the server; `None` for the provider's default.
    pub address: Option<ServerUrl>,
    pub key: Option<ApiKey>,
}

/// Company or software that provides a model over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProvider {
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

impl ModelProvider {
    pub const ALL: [Self; 6] =
        [Self::OpenAi, Self::Anthropic, Self::Google, Self::Bedrock, Self::Ollama, Self::Compatible];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Name of the provider in settings.
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

    /// Default address of the provider's server; `None` if it depends on the installation.
    pub fn address(self) -> Option<ServerUrl> {
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
        Some(ServerUrl::constant(text, host))
    }

    /// Environment variables in which users usually keep the provider's key. Such a key is sent
    /// only to the provider's own servers.
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
    /// [`ModelProvider::key_variables`] is sent only to such a server.
    pub fn owns(self, address: &ServerUrl) -> bool {
        let host = address.host();
        let is_own = match self {
            Self::Bedrock => host.starts_with("bedrock-runtime.") && host.ends_with(".amazonaws.com"),
            _ => self.address().is_some_and(|own| own.host() == host),
        };
        is_own && address.is_encrypted()
    }

    /// Returns whether the provider's servers require a key.
    fn wants_key(self) -> bool {
        !self.key_variables().is_empty()
    }
}

impl ModelSelection {
    /// Returns where prompts are sent: a program or another machine. `None` if they stay on this
    /// machine.
    pub fn sends_to(&self) -> Option<String> {
        match self {
            Self::None | Self::Scripted(_) => None,
            Self::Cli(command, _) => Some(format!("the program `{}`", command.program())),
            Self::Remote(remote) => {
                let address = remote.address()?;
                (!address.is_loopback()).then(|| address.host().to_owned())
            }
        }
    }

    /// Returns whether the key would be sent unencrypted to another machine.
    pub fn sends_key_unencrypted(&self) -> bool {
        let Self::Remote(remote) = self else { return false };
        let open = |address: ServerUrl| !address.is_encrypted() && !address.is_loopback();
        remote.key.is_some() && remote.address().is_some_and(open)
    }

    /// Returns the price to assume if none is set: zero for models that certainly run on this
    /// machine, else unknown.
    pub fn usual_price(&self) -> Option<Price> {
        match self {
            Self::None | Self::Scripted(_) => Some(Price::NOTHING),
            Self::Remote(RemoteModel { provider: ModelProvider::Ollama, .. })
                if self.sends_to().is_none() =>
            {
                Some(Price::NOTHING)
            }
            Self::Remote(_) | Self::Cli(..) => None,
        }
    }
}

impl RemoteModel {
    fn address(&self) -> Option<ServerUrl> {
        self.address.clone().or_else(|| self.provider.address())
    }

    fn open(&self, retry_policy: RetryPolicy, retry_sleeper: RetrySleeper) -> Result<BoxedLlm> {
        let setting = |setting, why: &str| LlmError::Setting { setting, why: why.to_owned() };
        let address = self.address().ok_or_else(|| match self.provider {
            ModelProvider::Bedrock => setting(
                "llm.base_url",
                "is not set; for example https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
            ),
            _ => setting("llm.base_url", "is not set; for example http://localhost:8080/v1"),
        })?;
        if self.model.is_empty() {
            return Err(setting(
                "llm.model",
                &format!("is not set, and {} has several models", self.provider.name()),
            ));
        }
        if self.key.is_none() && self.provider.wants_key() && self.provider.owns(&address) {
            return Err(LlmError::Key {
                who: address.to_string(),
                why: "a key is required, but none is set",
            });
        }
        let has_key = self.key.is_some();
        let (auth_header, headers) = match self.provider {
            ModelProvider::Anthropic => (AuthHeader::Header("x-api-key"), vec![anthropic::VERSION]),
            _ => (AuthHeader::Bearer, Vec::new()),
        };
        let key = self.key.clone().map(|key| (key, auth_header));
        let client = Client::new(ClientConfig {
            key,
            headers,
            max_response_bytes: MAX_ANSWER_BYTES,
            retry_policy,
            retry_sleeper,
            certificate: None,
        });
        Ok(match self.provider {
            ModelProvider::Anthropic => {
                Box::new(AnthropicClient::new(&self.model, &address, client, has_key))
            }
            provider => Box::new(OpenAiClient::new(provider.name(), &self.model, &address, client, has_key)),
        })
    }
}

/// Returns the retry policy for model servers: waits of 1, 2, 4, … seconds, at most one minute
/// each.
pub fn retry_policy(retries: u32, seed: u64) -> RetryPolicy {
    let (pause, longest) = (Duration::from_secs(1), Duration::from_secs(60));
    RetryPolicy { retries, pause, growth: 2, longest, jitter: Some(seed), retry_timeouts: true }
}

/// Opens the selected model without sending a request; returns `None` for [`ModelSelection::None`].
///
/// # Errors
/// Returns an error if a required setting or key is missing, or if the script is invalid.
pub fn open(
    choice: &ModelSelection,
    retry_policy: RetryPolicy,
    retry_sleeper: RetrySleeper,
) -> Result<Option<BoxedLlm>> {
    Ok(match choice {
        ModelSelection::None => None,
        ModelSelection::Cli(command, model) => {
            Some(Box::new(CliModel::new(command.clone(), model, retry_sleeper)))
        }
        ModelSelection::Scripted(text) => Some(Box::new(ScriptedModel::parse(text)?)),
        ModelSelection::Remote(remote) => Some(remote.open(retry_policy, retry_sleeper)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(provider: ModelProvider, address: &str, key: &str) -> ModelSelection {
        let address = (!address.is_empty()).then(|| ServerUrl::parse(address).unwrap());
        ModelSelection::Remote(RemoteModel { provider, model: "m".to_owned(), address, key: ApiKey::of(key) })
    }

    fn opened(choice: &ModelSelection) -> String {
        match open(choice, RetryPolicy::NONE, RetrySleeper::default()) {
            Ok(Some(model)) => format!("{}/{}", model.provider(), model.model()),
            Ok(None) => "none".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_provider_has_a_name_and_most_a_server() {
        for provider in ModelProvider::ALL {
            assert_eq!(ModelProvider::parse(provider.name()), Some(provider));
            if let Some(address) = provider.address() {
                assert_eq!(ServerUrl::parse(&address.to_string()).as_ref(), Ok(&address));
                assert_eq!(provider.owns(&address), provider != ModelProvider::Ollama, "{address}");
            }
        }
        assert_eq!(ModelProvider::parse("cohere"), None);
    }

    #[test]
    fn what_is_missing_is_told_before_anything_is_asked() {
        insta::assert_snapshot!(opened(&ModelSelection::None), @"none");
        insta::assert_snapshot!(opened(&remote(ModelProvider::Ollama, "", "")), @"ollama/m");
        insta::assert_snapshot!(opened(&remote(ModelProvider::OpenAi, "", "sk-12345")), @"openai/m");
        insta::assert_snapshot!(opened(&remote(ModelProvider::Anthropic, "", "")), @"cannot send a request to https://api.anthropic.com/v1: a key is required, but none is set");
        insta::assert_snapshot!(opened(&remote(ModelProvider::Anthropic, "http://localhost:1/v1", "")), @"anthropic/m");
        insta::assert_snapshot!(opened(&remote(ModelProvider::Bedrock, "", "k")), @"`llm.base_url` is not set; for example https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1");
        insta::assert_snapshot!(opened(&remote(ModelProvider::Compatible, "", "")), @"`llm.base_url` is not set; for example http://localhost:8080/v1");
        let (provider, model) = (ModelProvider::OpenAi, String::new());
        let nameless =
            ModelSelection::Remote(RemoteModel { provider, model, address: None, key: ApiKey::of("k") });
        insta::assert_snapshot!(opened(&nameless), @"`llm.model` is not set, and openai has several models");
    }

    #[test]
    fn a_providers_own_key_goes_to_its_own_servers_alone() {
        let owns = |provider: ModelProvider, typed: &str| provider.owns(&ServerUrl::parse(typed).unwrap());
        assert!(owns(ModelProvider::OpenAi, "https://api.openai.com/v1/"));
        assert!(owns(ModelProvider::Bedrock, "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1"));
        for (provider, typed) in [
            (ModelProvider::OpenAi, "http://api.openai.com/v1"),
            (ModelProvider::OpenAi, "https://api.openai.com.example.org/v1"),
            (ModelProvider::OpenAi, "https://api.anthropic.com/v1"),
            (ModelProvider::Bedrock, "https://bedrock-runtime.example.org/v1"),
            (ModelProvider::Bedrock, "https://evil.amazonaws.com/v1"),
            (ModelProvider::Compatible, "https://api.openai.com/v1"),
        ] {
            assert!(!owns(provider, typed), "{typed}");
        }
    }

    #[test]
    fn it_is_known_what_leaves_this_machine() {
        let to = |choice: &ModelSelection| choice.sends_to();
        assert_eq!(to(&ModelSelection::None), None);
        assert_eq!(to(&remote(ModelProvider::Ollama, "", "")), None);
        assert_eq!(
            to(&remote(ModelProvider::Ollama, "http://10.0.0.7:1/v1", "")).as_deref(),
            Some("10.0.0.7")
        );
        assert_eq!(to(&remote(ModelProvider::OpenAi, "", "k")).as_deref(), Some("api.openai.com"));
        let variables = std::collections::BTreeMap::new();
        let command = ModelCommand::parse("claude -p", &variables, &[]).unwrap();
        assert_eq!(to(&ModelSelection::Cli(command, String::new())).as_deref(), Some("the program `claude`"));
        assert!(remote(ModelProvider::Compatible, "http://10.0.0.7/v1", "k").sends_key_unencrypted());
        for fine in [
            remote(ModelProvider::Compatible, "http://10.0.0.7/v1", ""),
            remote(ModelProvider::Compatible, "http://localhost/v1", "k"),
            remote(ModelProvider::Compatible, "https://10.0.0.7/v1", "k"),
        ] {
            assert!(!fine.sends_key_unencrypted());
        }
        assert!(!format!("{:?}", remote(ModelProvider::OpenAi, "", "sk-12345")).contains("12345"));
    }

    #[test]
    fn only_what_certainly_runs_here_costs_nothing() {
        let free = |choice: &ModelSelection| choice.usual_price().is_some_and(Price::is_zero);
        assert!(
            free(&remote(ModelProvider::Ollama, "", "")) && free(&ModelSelection::Scripted(String::new()))
        );
        assert!(!free(&remote(ModelProvider::Ollama, "http://10.0.0.7/v1", "")));
        assert!(!free(&remote(ModelProvider::Compatible, "http://localhost:8080/v1", "")));
        assert!(!free(&remote(ModelProvider::OpenAi, "", "k")));
    }
}
