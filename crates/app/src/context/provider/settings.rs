//! Reads the language model and its budget from the settings, without opening the model.
//!
//! A vault's `cm.toml` is shared and may come from another person. It can only lower a budget;
//! programs, servers and spending are determined by the user's own settings (`config::keys`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use cm_agents::hook::agent::PrintMode;
use cm_llm::{
    ApiKey, ModelCommand, ModelProvider, ModelSelection, Price, Prices, RemoteModel, ServerUrl,
    SpendingLimits,
};
use cm_net::ollama_host::ollama_host;
use cm_store::config::Settings;
use cm_store::config::keys::{self, SettingKey, TypedSetting};
use cm_store::vault::external_folder;

/// The language models that the settings select, with the limits of each request.
#[derive(Debug, Clone)]
pub struct SelectedModels {
    /// The primary model, followed by the fallbacks; empty if none is set.
    pub models: Vec<SelectedModel>,
    pub budget: SpendingLimits,
    /// Time limit of one attempt.
    pub timeout: Duration,
    /// Maximum length of an answer, in tokens.
    pub max_tokens: u32,
    /// Number of retries for a busy server.
    pub retries: u32,
}

impl SelectedModels {
    /// Provider and name of the primary model; `None` if none is set.
    pub fn name(&self) -> Option<String> {
        self.models.first().map(|first| format!("{}/{}", first.name.0, first.name.1))
    }
}

/// A model with its price.
#[derive(Debug, Clone)]
pub struct SelectedModel {
    /// Provider, server and model name to connect to.
    pub choice: ModelSelection,
    /// Provider and model name, such as `("ollama", "qwen3:8b")`.
    pub name: (String, String),
    /// Price of the model; `None` if unknown.
    pub price: Option<Price>,
    /// Command that prints the API key, if the key is not set directly.
    pub key_command: Option<String>,
}

/// Reads the model settings of a vault; ignored settings become notices.
///
/// # Errors
/// Returns an error if a setting has an invalid value.
pub fn chosen(context: &Context, open: &OpenVault) -> Result<SelectedModels> {
    open.settings.ignored("llm.").for_each(|notice| context.notice(notice));
    ModelSettings {
        settings: &open.settings,
        environment: &context.request.environment,
        cwd: &context.request.cwd,
    }
    .chosen()
}

/// Minimum time limit of an agent in its command-line mode, which thinks before it answers.
const AGENT_TIMEOUT: Duration = Duration::from_secs(600);

/// Selects an agent's own command-line mode, with the limits that the settings set.
///
/// # Errors
/// Returns an error if a setting has an invalid value.
pub fn of_print_mode(context: &Context, mode: PrintMode) -> Result<SelectedModels> {
    let settings = &context.target().settings;
    let reader =
        ModelSettings { settings, environment: &context.request.environment, cwd: &context.request.cwd };
    let mut variables = settings.texts(keys::LLM_COMMAND_ENV);
    variables.extend(mode.variables.iter().map(|name| (*name).to_owned()));
    let command = ModelCommand::parse(mode.command, reader.environment, &variables)?;
    let name = ("cli".to_owned(), command.program().to_owned());
    let choice = ModelSelection::Cli(command, String::new());
    let model = SelectedModel { choice, name, price: Some(Price::NOTHING), key_command: None };
    let limits = reader.limits();
    Ok(SelectedModels { models: vec![model], timeout: limits.timeout.max(AGENT_TIMEOUT), ..limits })
}

/// Reader of the model settings.
struct ModelSettings<'a> {
    settings: &'a Settings,
    /// Environment variables that can replace settings, such as `OLLAMA_HOST`.
    environment: &'a BTreeMap<String, String>,
    /// Folder to which relative paths in settings refer.
    cwd: &'a Path,
}

impl ModelSettings<'_> {
    fn chosen(&self) -> Result<SelectedModels> {
        let provider = self.text(keys::LLM_PROVIDER);
        let prices = Prices::parse(&self.settings.texts(keys::LLM_PRICES)).map_err(|error| {
            Error::refused("invalid-setting", format!("llm.prices: {error}"))
                .hint("`cm config get llm.prices` shows it")
        })?;
        let mut models = Vec::new();
        if provider != "none" {
            let model = self.text(keys::LLM_MODEL);
            models.push(self.select(&provider, &model, &provider, &prices)?);
            for typed in self.settings.texts(keys::LLM_FALLBACK) {
                let (name, model) = typed.split_once('/').unwrap_or((&typed, ""));
                models.push(self.select(name.trim(), model.trim(), &provider, &prices)?);
            }
        }
        Ok(SelectedModels { models, ..self.limits() })
    }

    /// Reads the limits of each request, without a model.
    fn limits(&self) -> SelectedModels {
        let settings = self.settings;
        SelectedModels {
            models: Vec::new(),
            budget: self.budget(),
            timeout: Duration::from_secs_f64(settings.number(keys::LLM_TIMEOUT_S).clamp(1.0, 3600.0)),
            max_tokens: u32::try_from(settings.integer(keys::LLM_MAX_TOKENS)).unwrap_or(u32::MAX),
            retries: u32::try_from(settings.integer(keys::LLM_RETRIES)).unwrap_or(3),
        }
    }

    /// Builds the selection of one model. The settings for server and key apply only if `provider`
    /// is `first`, the primary provider.
    fn select(&self, provider: &str, model: &str, first: &str, prices: &Prices) -> Result<SelectedModel> {
        let wrong = |setting: &str, why: String| {
            Error::refused("invalid-setting", format!("{setting}: {why}"))
                .hint("`cm config list` shows each value and its source")
        };
        let mut key_command = None;
        let choice = match provider {
            "cli" => {
                let line = self.text(keys::LLM_COMMAND);
                let command = ModelCommand::parse(
                    &line,
                    self.environment,
                    &self.settings.texts(keys::LLM_COMMAND_ENV),
                )?;
                ModelSelection::Cli(command, model.to_owned())
            }
            "scripted" => {
                let typed = self.text(keys::LLM_SCRIPT);
                if typed.is_empty() {
                    return Err(wrong("llm.script", "the answer script is not set".to_owned()));
                }
                ModelSelection::Scripted(external_folder::text(&self.cwd.join(PathBuf::from(typed)))?)
            }
            name => {
                let Some(provider) = ModelProvider::parse(name) else {
                    return Err(wrong(
                        "llm.fallback",
                        format!("unknown provider `{name}`; use a form such as ollama/qwen3:8b or cli"),
                    ));
                };
                let is_first = name == first;
                let typed = if is_first { self.text(keys::LLM_BASE_URL) } else { String::new() };
                let address = (!typed.is_empty()).then(|| ServerUrl::parse(&typed)).transpose();
                let address = address.map_err(|error| wrong("llm.base_url", error.to_string()))?;
                let ollama_host = || self.ollama_host().filter(|_| provider == ModelProvider::Ollama);
                let address = address.or_else(ollama_host);
                let key = self.key(provider, address.as_ref(), is_first);
                let command = self.text(keys::LLM_API_KEY_CMD);
                if is_first && !command.is_empty() && self.private_key().is_none() {
                    key_command = Some(command);
                }
                ModelSelection::Remote(RemoteModel { provider, model: model.to_owned(), address, key })
            }
        };
        let shown = match &choice {
            ModelSelection::Cli(command, model) if model.is_empty() => command.program().to_owned(),
            ModelSelection::Scripted(_) => "script".to_owned(),
            _ => model.to_owned(),
        };
        let usual = match &choice {
            // What a program costs, nobody tells us.
            ModelSelection::Cli(..) => Some(Price::NOTHING),
            choice => choice.usual_price(),
        };
        let price = prices.of(provider, &shown).or(usual);
        Ok(SelectedModel { choice, name: (provider.to_owned(), shown), price, key_command })
    }

    /// The server from `OLLAMA_HOST`, as the address of its OpenAI-compatible API.
    fn ollama_host(&self) -> Option<ServerUrl> {
        let address = ollama_host(self.environment.get("OLLAMA_HOST")?)?;
        ServerUrl::parse(&address.below("v1")).ok()
    }

    /// API key of a server: the configured one, else the provider's usual variable, which is only
    /// sent to the provider's own server.
    fn key(&self, provider: ModelProvider, address: Option<&ServerUrl>, is_first: bool) -> Option<ApiKey> {
        let own = address.is_none_or(|address| provider.owns(address));
        let usual = || {
            let mut names = provider.key_variables().iter().filter(|_| own);
            names.find_map(|name| ApiKey::of(self.environment.get(*name)?))
        };
        self.private_key().filter(|_| is_first).or_else(usual)
    }

    fn private_key(&self) -> Option<ApiKey> {
        self.settings.get(keys::LLM_KEY).and_then(|(value, _)| ApiKey::of(value.as_str()?))
    }

    /// Reads the spending limits from the user's settings; a shared file can only lower them.
    fn budget(&self) -> SpendingLimits {
        let limit = |key: &SettingKey| {
            let read = |value: &toml::Value| {
                value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
            };
            let mine = self.settings.users(key).and_then(read).unwrap_or(0.0);
            let shared = self.settings.get_from(key, |origin| !origin.is_users());
            let shared = shared.and_then(|(value, _)| read(value)).filter(|limit| *limit > 0.0);
            // 0 stands for no limit, which nobody else may set.
            if mine > 0.0 { shared.map_or(mine, |shared| shared.min(mine)) } else { 0.0 }
        };
        let tokens = |key: &SettingKey| limit(key) as u64;
        SpendingLimits {
            call_tokens: tokens(keys::BUDGET_CALL_TOKENS),
            daily_tokens: tokens(keys::BUDGET_DAILY_TOKENS),
            monthly_tokens: tokens(keys::BUDGET_MONTHLY_TOKENS),
            daily_usd: limit(keys::BUDGET_DAILY_USD),
            monthly_usd: limit(keys::BUDGET_MONTHLY_USD),
        }
    }

    fn text(&self, setting: &TypedSetting<String>) -> String {
        let held = self.settings.text(setting).unwrap_or_default();
        held.trim().chars().filter(|c| !c.is_control()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_store::config::{SettingOrigin, SettingsLayer};

    /// Formats the result of reading these settings files and variables as text.
    fn formatted(files: &[(&str, SettingOrigin)], environment: &[(&str, &str)]) -> String {
        let environment: BTreeMap<String, String> =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut layers: Vec<(SettingsLayer, SettingOrigin)> = files
            .iter()
            .map(|(text, origin)| {
                let name = if origin.is_users() { "config.toml" } else { "cm.toml" };
                (SettingsLayer::parse_toml(name, text), origin.clone())
            })
            .collect();
        layers.extend(SettingsLayer::of_environment(&environment));
        let settings = Settings::of(layers);
        let words =
            ModelSettings { settings: &settings, environment: &environment, cwd: Path::new("/vault") };
        let notices: Vec<String> = settings.ignored("llm.").map(str::to_owned).collect();
        match words.chosen() {
            Err(error) => format!("{}: {error}", error.code),
            Ok(chosen) => {
                let models = chosen.models.iter().map(|selected| {
                    let key = match &selected.choice {
                        ModelSelection::Remote(RemoteModel { key: Some(_), .. }) => " with a key",
                        _ => "",
                    };
                    let to = selected.choice.sends_to().unwrap_or_else(|| "here".to_owned());
                    format!(
                        "{}/{} at {to}{key} for {:?}",
                        selected.name.0,
                        selected.name.1,
                        selected.price.map(|price| price.input)
                    )
                });
                models.chain(notices).collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn budget(files: &[(&str, SettingOrigin)]) -> SpendingLimits {
        let layers =
            files.iter().map(|(text, origin)| (SettingsLayer::parse_toml("cm.toml", text), origin.clone()));
        let settings = Settings::of(layers.collect());
        ModelSettings { settings: &settings, environment: &BTreeMap::new(), cwd: Path::new("/vault") }
            .budget()
    }

    #[test]
    fn a_person_names_models_their_server_their_key_and_their_price() {
        assert_eq!(formatted(&[], &[("OPENAI_API_KEY", "sk-12345")]), "");
        let ollama = "[llm]\nprovider = 'ollama'\nmodel = 'qwen3:8b'";
        insta::assert_snapshot!(formatted(&[(ollama, SettingOrigin::Private)], &[]), @"ollama/qwen3:8b at here for Some(0.0)");
        let openai = "[llm]\nprovider = 'openai'\nmodel = 'small'\nfallback = ['anthropic/big', 'cli']\ncommand = 'claude -p'\nprices = ['small 0.25 2']";
        insta::assert_snapshot!(formatted(&[(openai, SettingOrigin::User)], &[("OPENAI_API_KEY", "sk-12345")]), @"
        openai/small at api.openai.com with a key for Some(0.25)
        anthropic/big at api.anthropic.com for None
        cli/claude at the program `claude` for Some(0.0)
        ");
        insta::assert_snapshot!(formatted(&[("", SettingOrigin::Private)], &[("CM_LLM_PROVIDER", "compatible"), ("CM_LLM_MODEL", "m"), ("CM_LLM_BASE_URL", "http://10.0.0.7/v1"), ("CM_LLM_KEY", "k-12345")]), @"compatible/m at 10.0.0.7 with a key for None");
        let elsewhere = "[llm]\nprovider = 'openai'\nmodel = 'small'\nbase_url = 'https://example.org/v1'";
        insta::assert_snapshot!(formatted(&[(elsewhere, SettingOrigin::Private)], &[("OPENAI_API_KEY", "sk-12345")]), @"openai/small at example.org for None");
    }

    #[test]
    fn a_shared_file_chooses_neither_model_nor_server_nor_program_nor_price() {
        let theirs = "[llm]\nprovider = 'cli'\ncommand = 'curl evil.example'\n";
        insta::assert_snapshot!(formatted(&[(theirs, SettingOrigin::Vault)], &[]), @"
        `llm.provider` is ignored in cm.toml, because others can write to this file; `cm config set llm.provider … --private` sets it for yourself
        `llm.command` is ignored in cm.toml, because others can write to this file; `cm config set llm.command … --private` sets it for yourself
        ");
        let mine = "[llm]\nprovider = 'ollama'\nmodel = 'mine'";
        let theirs = "[llm]\nprovider = 'openai'\nmodel = 'theirs'\nbase_url = 'https://evil.example'\napi_key_cmd = 'evil'\n\
            fallback = ['openai/x']\nscript = 'x'\nprices = ['mine 0 0']\ncommand_env = ['AWS_*']";
        let both = formatted(&[(mine, SettingOrigin::User), (theirs, SettingOrigin::Vault)], &[]);
        assert!(both.starts_with("ollama/mine at here for Some(0.0)\n"), "{both}");
        assert_eq!(both.matches("is ignored in cm.toml").count(), 8, "{both}");
    }

    #[test]
    fn what_cannot_be_is_said_with_its_setting() {
        for text in [
            "provider = 'cli'",
            "provider = 'scripted'",
            "provider = 'ollama'\nmodel = 'm'\nfallback = ['cohere/x']",
            "provider = 'ollama'\nmodel = 'm'\nprices = ['m one two']",
            "provider = 'compatible'\nmodel = 'm'\nbase_url = 'nowhere'",
        ] {
            let said = formatted(&[(&format!("[llm]\n{text}"), SettingOrigin::Private)], &[]);
            assert!(said.starts_with("invalid-setting: ") && said.contains("llm."), "{text}: {said}");
        }
    }

    #[test]
    fn a_shared_file_lowers_a_budget_and_neither_raises_nor_makes_one() {
        let mine = "[budget]\ndaily_usd = 2.0\nmonthly_tokens = 1000\n";
        let both = |theirs: &str| budget(&[(mine, SettingOrigin::User), (theirs, SettingOrigin::Vault)]);
        assert_eq!(both("[budget]\ndaily_usd = 0.5").daily_usd, 0.5);
        assert_eq!(both("[budget]\ndaily_usd = 50.0").daily_usd, 2.0);
        assert_eq!(both("[budget]\ndaily_usd = 0.0\nmonthly_tokens = 0").daily_usd, 2.0);
        assert_eq!(both("[budget]\nmonthly_tokens = 10").monthly_tokens, 10);
        let none = both("[budget]\ndaily_tokens = 10");
        assert_eq!((none.daily_tokens, none.call_tokens), (0, 100_000));
        assert_eq!(both("[budget]\ncall_tokens = 7").call_tokens, 7);
    }
}
