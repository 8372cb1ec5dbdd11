//! Selects the embedding model of a vault from its settings, without opening the model.
//!
//! A vault's `cm.toml` is shared and may come from another person. It can only select the built-in
//! models or none; settings that send notes over the network or load files into this process count
//! only from the user's own settings (`config::keys`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use cm_embed::{
    ApiKey, BuiltinModel, EmbeddingProvider, ExternalModel, OnnxConfig, ServerUrl, openai_address,
};
use cm_net::ollama_host::ollama_host;
use cm_store::config::Settings;
use cm_store::config::keys::{self, TypedSetting};

/// The embedding provider that the settings select, with notices about settings it ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingChoice {
    /// The selected embedding provider.
    pub choice: EmbeddingProvider,
    /// Ignored settings, each with the reason and a suggestion.
    pub notices: Vec<String>,
}

/// Selects the embedding provider of a vault and adds the notices to the context.
pub fn choice(context: &Context, open: &OpenVault) -> EmbeddingProvider {
    choice_of(context, open, &open.settings)
}

/// Like [`choice`], but with given settings, which may be newer than those in `open`.
pub(crate) fn choice_of(context: &Context, open: &OpenVault, settings: &Settings) -> EmbeddingProvider {
    let cache = match &context.request.private {
        Some(private) => private.state.join("models"),
        None => open.vault.vectors().join("models"),
    };
    let chosen = choose(settings, &cache, &context.request.variables);
    let ignored = settings.ignored("embeddings.").map(str::to_owned);
    chosen.notices.into_iter().chain(ignored).for_each(|notice| context.notice(notice));
    chosen.choice
}

/// Time that one command may spend on embedding with the fine model (`embeddings.budget_ms`).
pub fn budget(settings: &Settings) -> Duration {
    Duration::from_millis(settings.integer(keys::EMBEDDINGS_BUDGET_MS) as u64)
}

/// Selects an embedding provider from settings. `cache` is the folder for downloaded models;
/// `variables` are environment variables that override settings.
pub fn choose(settings: &Settings, cache: &Path, variables: &BTreeMap<String, String>) -> EmbeddingChoice {
    match chosen_by(settings, cache, variables) {
        Ok(choice) => EmbeddingChoice { choice, notices: Vec::new() },
        Err(why) => EmbeddingChoice {
            choice: EmbeddingProvider::Builtin(BuiltinModel::MiniLm),
            notices: vec![format!("{why}; the built-in model is used")],
        },
    }
}

fn chosen_by(
    settings: &Settings,
    cache: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<EmbeddingProvider, String> {
    let timeout = Duration::from_secs_f64(settings.number(keys::EMBEDDINGS_TIMEOUT_S).clamp(0.1, 600.0));
    // The name is printed, so it must not hold anything that moves a cursor.
    let model: String = text(settings, keys::EMBEDDINGS_MODEL).chars().filter(|c| !c.is_control()).collect();
    let address = || address(&text(settings, keys::EMBEDDINGS_URL));
    Ok(match text(settings, keys::EMBEDDINGS_PROVIDER).as_str() {
        "none" => EmbeddingProvider::None,
        "fastembed" => {
            EmbeddingProvider::Outside(ExternalModel::Onnx(onnx(settings, model, cache, variables)))
        }
        "ollama" => {
            // The server that a setting names, else the one that Ollama's own variable does.
            let environment_address = || ollama_host(variables.get("OLLAMA_HOST")?);
            let address = address()?.or_else(environment_address);
            EmbeddingProvider::Outside(ExternalModel::Ollama { model, address, timeout })
        }
        "openai" => {
            let address = address()?;
            let key = key(settings, address.as_ref(), variables);
            EmbeddingProvider::Outside(ExternalModel::OpenAi { model, address, key, timeout })
        }
        _ => EmbeddingProvider::Builtin(builtin(&model)?),
    })
}

fn builtin(name: &str) -> Result<BuiltinModel, String> {
    BuiltinModel::of(name).ok_or_else(|| {
        let names = BuiltinModel::NAMES.map(|(name, _)| format!("`{name}`")).join(" or ");
        format!("`embeddings.model` is `{name}`, but the built-in models are {names}")
    })
}

fn onnx(
    settings: &Settings,
    model: String,
    cache: &Path,
    variables: &BTreeMap<String, String>,
) -> OnnxConfig {
    let path = |text: String| (!text.is_empty()).then(|| PathBuf::from(text));
    let runtime =
        path(text(settings, keys::EMBEDDINGS_RUNTIME)).map(|path| (keys::EMBEDDINGS_RUNTIME.name, path));
    let variable = || path(variables.get("ORT_DYLIB_PATH")?.clone()).map(|path| ("ORT_DYLIB_PATH", path));
    let runtime = runtime.or_else(variable);
    OnnxConfig {
        model,
        folder: path(text(settings, keys::EMBEDDINGS_PATH)),
        hub: None,
        cache: cache.to_owned(),
        runtime,
    }
}

/// API key for the server. `OPENAI_API_KEY` is only sent to OpenAI's own server over HTTPS.
fn key(
    settings: &Settings,
    address: Option<&ServerUrl>,
    variables: &BTreeMap<String, String>,
) -> Option<ApiKey> {
    let set = settings.get(keys::EMBEDDINGS_KEY).and_then(|(value, _)| ApiKey::of(value.as_str()?));
    let openai = openai_address();
    let is_openai = address
        .is_none_or(|address| address.host() == openai.host() && address.to_string().starts_with("https://"));
    set.or_else(|| variables.get("OPENAI_API_KEY").filter(|_| is_openai).and_then(|key| ApiKey::of(key)))
}

fn text(settings: &Settings, setting: &TypedSetting<String>) -> String {
    settings.text(setting).unwrap_or_default().trim().to_owned()
}

fn address(url: &str) -> Result<Option<ServerUrl>, String> {
    if url.is_empty() {
        return Ok(None);
    }
    ServerUrl::parse(url).map(Some).map_err(|error| cm_embed::Error::from(error).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_store::config::{SettingOrigin, SettingsLayer};

    fn chosen(files: &[(&str, SettingOrigin)], variables: &[(&str, &str)]) -> EmbeddingChoice {
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut layers: Vec<_> = files
            .iter()
            .map(|(text, origin)| {
                let name = if origin.is_users() { "config.toml" } else { "cm.toml" };
                (SettingsLayer::parse_toml(name, &format!("[embeddings]\n{text}\n")), origin.clone())
            })
            .collect();
        layers.extend(SettingsLayer::of_environment(&variables));
        choose(&Settings::of(layers), Path::new("/cache"), &variables)
    }

    /// Formats the selection and its notices as text.
    fn shown(chosen: &EmbeddingChoice) -> String {
        let what = match &chosen.choice {
            EmbeddingProvider::Outside(ExternalModel::Onnx(onnx)) => {
                format!("fastembed {:?} {:?} {:?}", onnx.model, onnx.folder, onnx.runtime)
            }
            EmbeddingProvider::Outside(ExternalModel::Ollama { model, address, timeout }) => {
                format!("ollama {model:?} {} {timeout:?}", url(address.as_ref()))
            }
            EmbeddingProvider::Outside(ExternalModel::OpenAi { model, address, key, .. }) => {
                format!(
                    "openai {model:?} {} {}",
                    url(address.as_ref()),
                    if key.is_some() { "with a key" } else { "without a key" }
                )
            }
            other => format!("{other:?}"),
        };
        [vec![what], chosen.notices.clone()].concat().join("\n")
    }

    fn url(address: Option<&ServerUrl>) -> String {
        address.map_or_else(|| "-".to_owned(), ToString::to_string)
    }

    #[test]
    fn the_built_in_model_embeds_where_nothing_is_set() {
        assert_eq!(shown(&chosen(&[], &[("OPENAI_API_KEY", "sk-12345")])), "Builtin(MiniLm)");
        assert_eq!(shown(&chosen(&[("provider = 'none'", SettingOrigin::Vault)], &[])), "None");
    }

    #[test]
    fn the_model_setting_selects_among_the_built_in_models() {
        let e5 = chosen(&[("model = 'e5-small'", SettingOrigin::Vault)], &[]);
        assert_eq!(shown(&e5), "Builtin(E5Small)");
        insta::assert_snapshot!(shown(&chosen(&[("model = 'e5-large'", SettingOrigin::User)], &[])), @"
        Builtin(MiniLm)
        `embeddings.model` is `e5-large`, but the built-in models are `minilm-l6` or `e5-small`; the built-in model is used
        ");
    }

    #[test]
    fn a_folder_chooses_between_the_built_in_models_and_none() {
        for origin in [SettingOrigin::Vault, SettingOrigin::Global] {
            for provider in ["ollama", "openai", "fastembed"] {
                let theirs = format!(
                    "provider = '{provider}'\npath = '/tmp/evil'\nruntime = '/tmp/evil.so'\nurl = 'http://localhost:1'"
                );
                let chosen = chosen(&[(&theirs, origin.clone())], &[("OPENAI_API_KEY", "sk-12345")]);
                assert!(chosen.choice.is_builtin(), "{provider}");
            }
        }
    }

    #[test]
    fn what_a_folder_may_not_decide_does_not_hide_what_the_user_decided() {
        let mine = ("provider = 'ollama'\nurl = 'http://10.0.0.7:11434'", SettingOrigin::User);
        let theirs = ("provider = 'openai'\nurl = 'https://example.org'", SettingOrigin::Vault);
        insta::assert_snapshot!(shown(&chosen(&[mine, theirs], &[])), @r#"ollama "" http://10.0.0.7:11434 30s"#);
    }

    #[test]
    fn the_users_own_files_and_the_environment_decide_everything() {
        let text = "provider = 'fastembed'\npath = '/m'\nruntime = '/r.so'\nmodel = 'x'";
        let expected = "fastembed \"x\" Some(\"/m\") Some((\"embeddings.runtime\", \"/r.so\"))";
        for origin in [SettingOrigin::Private, SettingOrigin::User] {
            assert_eq!(shown(&chosen(&[(text, origin)], &[("ORT_DYLIB_PATH", "/other.so")])), expected);
        }
        let variables = [
            ("CM_EMBEDDINGS_PROVIDER", "openai"),
            ("CM_EMBEDDINGS_URL", "https://example.org/v1"),
            ("CM_EMBEDDINGS_KEY", "k"),
        ];
        assert_eq!(shown(&chosen(&[], &variables)), "openai \"\" https://example.org/v1 with a key");
    }

    #[test]
    fn the_key_of_openai_goes_to_openai_alone() {
        let key = ("OPENAI_API_KEY", "sk-12345");
        let has = |text: &str, variables: &[(&str, &str)]| {
            let chosen = chosen(&[(text, SettingOrigin::Private)], variables);
            assert!(!format!("{chosen:?}").contains("12345"), "{chosen:?}");
            shown(&chosen).ends_with("with a key")
        };
        assert!(has("provider = 'openai'", &[key]));
        assert!(has("provider = 'openai'\nurl = 'https://api.openai.com/v1/'", &[key]));
        assert!(!has("provider = 'openai'\nurl = 'http://api.openai.com/v1'", &[key]));
        assert!(!has("provider = 'openai'\nurl = 'https://example.org/v1'", &[key]));
        assert!(has("provider = 'openai'\nurl = 'https://example.org/v1'\nkey = 'sk-12345'", &[]));
        assert!(!has("provider = 'openai'", &[]));
    }

    #[test]
    fn an_address_that_is_none_is_told_and_not_repeated() {
        let text = "provider = 'ollama'\nurl = 'http://me:hunter2@example.org'";
        insta::assert_snapshot!(shown(&chosen(&[(text, SettingOrigin::Private)], &[])), @"
        Builtin(MiniLm)
        `embeddings.url` is not a valid URL: it contains a user name or password; keys have their own setting; the built-in model is used
        ");
    }

    #[test]
    fn a_models_name_moves_no_cursor() {
        let text = "provider = 'ollama'\nmodel = \"a\\u001b[2Jb\"";
        assert!(shown(&chosen(&[(text, SettingOrigin::User)], &[])).starts_with("ollama \"a[2Jb\""));
    }
}
