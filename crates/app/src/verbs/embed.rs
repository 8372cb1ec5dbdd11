//! Embeds notes, reports the progress of the embedding models, and changes the model.

use crate::context::meaning::embedded_passages;
pub use crate::context::meaning::read_in_background;
use crate::context::models::Model;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::progress::Progress;
use crate::context::request::Request;
use crate::error::{Error, Result};
use crate::sessions::vectors::SessionVectors;
use crate::verbs::config;
use crate::verbs::config::SettingsTarget;
use cm_embed::{BuiltinModel, Embedder, EmbeddingProvider};
use cm_store::config::keys;
use schemars::JsonSchema;
use serde::Serialize;

/// Embedding models of all open vaults and their progress.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EmbeddingStatus {
    /// Value of the setting `embeddings.provider`.
    pub provider: String,
    /// The models, grouped by vault.
    pub models: Vec<ModelProgress>,
    /// Number of passages that this call embedded.
    pub read: usize,
    /// Wall time in milliseconds.
    pub ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelProgress {
    pub vault: VaultLevel,
    /// Name of the model.
    pub model: String,
    pub role: ModelRole,
    /// Whether searches use the model. Vectors of unused models stay on disk for reuse.
    pub in_use: bool,
    /// Dimension of the model's vectors; null if it has embedded nothing yet.
    pub dimension: Option<usize>,
    /// Number of passages that the model has embedded.
    pub done: usize,
    /// Number of passages in the vault.
    pub of: usize,
    /// Size of the vectors on disk, in bytes.
    pub bytes: u64,
}

/// Role of an embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelRole {
    /// Small, fast model that embeds every note when it is indexed.
    Coarse,
    /// Larger, more accurate model that embeds notes later; its vectors then take precedence.
    Fine,
}

/// A change of the embedding provider and its settings.
#[derive(Debug, Clone, Default)]
pub struct ModelChange {
    /// New value of `embeddings.provider`.
    pub provider: String,
    /// New value of `embeddings.model`; `None` removes it.
    pub model: Option<String>,
    /// New value of `embeddings.path`; `None` removes it.
    pub path: Option<String>,
    /// New value of `embeddings.url`; `None` removes it.
    pub url: Option<String>,
    /// New value of `embeddings.runtime`, which describes the machine; `None` leaves it.
    pub runtime: Option<String>,
}

impl ModelChange {
    /// Returns the settings under `embeddings.` that change, beside `provider`, with their new values.
    fn settings(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        let of_provider =
            [("model", self.model.as_deref()), ("path", self.path.as_deref()), ("url", self.url.as_deref())];
        of_provider.into_iter().chain(self.runtime.as_deref().map(|library| ("runtime", Some(library))))
    }
}

/// Number of texts per thread that the model receives at once.
const TEXTS_PER_BATCH: usize = 16;

/// Reports how many passages each embedding model has embedded.
///
/// # Errors
/// An index that can neither be used nor rebuilt, or a model that cannot be opened.
pub fn status(context: &Context) -> Result<EmbeddingStatus> {
    let mut models = Vec::new();
    for open in &context.vaults {
        context.ensure_fresh(open)?;
        models.extend(of_vault(context, open)?);
    }
    Ok(EmbeddingStatus { provider: provider(context), models, read: 0, ms: 0 })
}

/// Embeds all passages of notes and sessions without a vector, or all passages if `anew`, and reports progress after each
/// batch.
///
/// # Errors
/// A model that cannot be opened or does not answer, or a full disk. Vectors stored before the
/// error are preserved.
pub fn embed(context: &Context, anew: bool, progress: &mut dyn FnMut(Progress)) -> Result<EmbeddingStatus> {
    let begun = (context.request.clock)();
    let model = match context.models().fine() {
        Some(Ok(model)) => model,
        Some(Err(error)) => return Err((&*error).into()),
        None => {
            return Err(Error::usage("embeddings are disabled")
                .hint("`cm embed use builtin` enables the built-in models"));
        }
    };
    let mut read = 0;
    for open in &context.vaults {
        if anew {
            open.vectors().forget(model.name())?;
            if let Some(coarse) = context.models().coarse() {
                open.vectors().forget(coarse.name())?;
            }
        }
        context.ensure_fresh(open)?;
        let before = done(open, &model)?;
        context.complete(open);
        let step = match context.models().choice() {
            EmbeddingProvider::Builtin(_) | EmbeddingProvider::None => {
                TEXTS_PER_BATCH * context.request.threads.max(1)
            }
            EmbeddingProvider::Outside(_) => model.batch(),
        };
        let all = context.embed_missing(open, &model, &[], step, &mut |now| {
            progress(now);
            true
        })?;
        read += all.done.saturating_sub(before);
    }
    if let Some(sessions) = SessionVectors::open(context) {
        sessions.embed_coarse()?;
        read += sessions
            .embed_fine(&mut |now| {
                progress(now);
                true
            })?
            .done;
    }
    let ms = (context.request.clock)().saturating_sub(begun);
    Ok(EmbeddingStatus { read, ms, ..status(context)? })
}

/// Changes the embedding provider after a successful test query. Vectors of the previous model stay
/// on disk.
///
/// # Errors
/// A model that cannot be opened or does not answer; the settings then stay unchanged.
pub fn change(request: Request, change: &ModelChange) -> Result<EmbeddingStatus> {
    if let ("builtin", Some(model)) =
        (change.provider.as_str(), change.model.as_deref().filter(|model| !model.is_empty()))
        && BuiltinModel::of(model).is_none()
    {
        let names = BuiltinModel::NAMES.map(|(name, _)| format!("`{name}`")).join(" or ");
        return Err(Error::usage(format!("there is no built-in model `{model}`"))
            .hint(format!("the built-in models are {names}")));
    }
    let mut tried = request.clone();
    for (name, value) in change.settings().chain([("provider", Some(change.provider.as_str()))]) {
        let variable = format!("CM_EMBEDDINGS_{}", name.to_uppercase());
        tried.variables.insert(variable, value.unwrap_or_default().to_owned());
    }
    let context = Context::open(tried)?;
    context.persons_only("change settings")?;
    if let Some(model) = context.models().fine() {
        model.map_err(|error| Error::from(&*error))?.embed_query("test text")?;
    }
    context.take_notices();
    let context = Context::open(request.clone())?;
    for (name, value) in change.settings() {
        config::set(&context, &format!("embeddings.{name}"), value, SettingsTarget::Private)?;
    }
    config::set(&context, keys::EMBEDDINGS_PROVIDER.name, Some(&change.provider), SettingsTarget::Private)?;
    let context = Context::open(request)?;
    let status = status(&context)?;
    context.take_notices();
    Ok(status)
}

fn provider(context: &Context) -> String {
    let settings = &context.target().settings;
    settings.text(keys::EMBEDDINGS_PROVIDER).unwrap_or_default().to_owned()
}

fn done(open: &OpenVault, model: &Model) -> Result<usize> {
    let live = open.index().passages()?;
    Ok(live.intersection(&embedded_passages(open, model.name())?).count())
}

fn of_vault(context: &Context, open: &OpenVault) -> Result<Vec<ModelProgress>> {
    let live = open.index().passages()?;
    let coarse = context.models().coarse().map(|model| model.name().to_owned());
    let fine = match context.models().fine() {
        Some(Ok(model)) => Some(model.name().to_owned()),
        Some(Err(error)) => {
            context.notice(format!("the larger model cannot be used: {error}"));
            None
        }
        None => None,
    };
    let vectors = open.vectors();
    let mut names: Vec<String> = coarse.iter().chain(&fine).cloned().collect();
    names.extend(
        vectors
            .models()
            .into_iter()
            .filter(|name| Some(name) != coarse.as_ref() && Some(name) != fine.as_ref()),
    );
    let of = |name: String| {
        let sizes = vectors.dimensions(&name);
        Ok(ModelProgress {
            vault: open.level,
            role: if Some(&name) == coarse.as_ref() { ModelRole::Coarse } else { ModelRole::Fine },
            in_use: [&coarse, &fine].contains(&&Some(name.clone())),
            dimension: sizes.last().map(|(dimension, _)| *dimension),
            done: live.intersection(&embedded_passages(open, &name)?).count(),
            of: live.len(),
            bytes: sizes.iter().map(|(_, bytes)| bytes).sum(),
            model: name,
        })
    };
    names.into_iter().map(of).collect()
}
