//! ONNX models, run in this process by an ONNX Runtime library installed by the user.
//!
//! Library and model are untrusted: panics in calls to them are converted to errors.
#![allow(clippy::disallowed_methods, reason = "model files are read and kept by this module")]

mod files;
mod hub;
mod runtime;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use fastembed::{
    InitOptionsUserDefined, Pooling, QuantizationMode, TextEmbedding, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;
use parking_lot::Mutex;

use super::Embedder;
use super::choice::OnnxConfig;
use super::error::{Error, Result};
use super::prefix::Prefixes;
use super::remote::MAX_QUOTED_CHARS;
use cm_text::embedding::Embedding;
use cm_text::shorten::short_line;
use files::ModelFiles;

/// Number of texts per run. Larger batches only need more memory.
const BATCH: usize = 16;

/// A loaded ONNX model.
pub(super) struct Model {
    name: String,
    prefixes: Prefixes,
    dimension: usize,
    one_by_one: bool,
    session: Mutex<TextEmbedding>,
}

impl Model {
    /// Loads the model from its folder, or by name, downloading it if it is not cached.
    ///
    /// # Errors
    ///
    /// The library, the model or one of its files cannot be used; the name is unknown; the hub
    /// cannot be reached; or the vectors do not have the given dimension.
    pub(super) fn open(onnx: &OnnxConfig, dimension: Option<usize>) -> Result<Self> {
        let local = onnx.folder.as_deref().map(ModelFiles::of_folder).transpose()?;
        // Nothing is fetched for a library that is not there.
        let environment = runtime::environment(onnx)?;
        let files = local.map_or_else(|| hub::files(onnx), Ok)?;
        let model = Self::load(files, environment)?;
        match dimension {
            Some(expected) if expected != model.dimension => {
                Err(Error::Dimension { model: model.name, expected, found: model.dimension })
            }
            _ => Ok(model),
        }
    }

    fn load(files: ModelFiles, environment: Environment) -> Result<Self> {
        let one_by_one = files.one_by_one;
        let (name, prefixes) = (format!("fastembed/{}", files.name), Prefixes::of(&files.name));
        let damaged = |why: String| Error::Damaged { model: name.clone(), why };
        let options =
            InitOptionsUserDefined::new().with_environment(environment).with_max_length(files.max_length);
        let session = fenced(|| TextEmbedding::try_new_from_user_defined(files.into_model(), options))
            .map_err(&damaged)?;
        let mut model =
            Self { name: name.clone(), prefixes, dimension: 0, one_by_one, session: Mutex::new(session) };
        // A first text shows whether it runs at all, and how long its vectors are.
        model.dimension = model.run(&["a"]).map_err(|error| damaged(failure_text(error)))?[0].dimension();
        Ok(model)
    }

    fn run(&self, texts: &[&str]) -> Result<Vec<Embedding>> {
        let failed = |why| Error::Failed { model: self.name.clone(), why };
        // What a panic left behind is only ever read anew.
        let mut session = self.session.lock();
        let vectors = fenced(|| session.embed(texts, None)).map_err(failed)?;
        let sound = vectors.len() == texts.len();
        let vectors: Option<Vec<_>> = vectors.into_iter().map(Embedding::of).collect();
        let vectors =
            vectors.filter(|_| sound).ok_or_else(|| failed("it returned no valid vectors".to_owned()))?;
        match vectors.iter().find(|vector| self.dimension != 0 && vector.dimension() != self.dimension) {
            None => Ok(vectors),
            Some(other) => Err(Error::Dimension {
                model: self.name.clone(),
                expected: self.dimension,
                found: other.dimension(),
            }),
        }
    }
}

impl Embedder for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>> {
        let texts: Vec<String> =
            texts.iter().map(|text| format!("{}{text}", self.prefixes.passage)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(if self.one_by_one { 1 } else { BATCH }) {
            vectors.extend(self.run(batch)?);
        }
        Ok(vectors)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding> {
        let text = format!("{}{text}", self.prefixes.query);
        let vector = self.run(&[&text])?.pop();
        vector.ok_or_else(|| Error::Failed {
            model: self.name.clone(),
            why: "it returned no vector".to_owned(),
        })
    }
}

impl ModelFiles {
    fn into_model(self) -> UserDefinedEmbeddingModel {
        let mut model = UserDefinedEmbeddingModel::new(self.weights, self.tokenizer)
            .with_pooling(if self.cls { Pooling::Cls } else { Pooling::Mean })
            // Which texts share a batch is decided here, so that fastembed need not.
            .with_quantization(QuantizationMode::None);
        for (name, bytes) in self.external {
            model = model.with_external_initializer(name, bytes);
        }
        model.output_key = self.output;
        model
    }
}

/// Runs untrusted code and converts a panic to an error.
fn fenced<T, E: std::fmt::Display>(
    run: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| short_line(&error.to_string(), MAX_QUOTED_CHARS)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
            Err(short_line(text, MAX_QUOTED_CHARS))
        }
    }
}

fn failure_text(error: Error) -> String {
    match error {
        Error::Failed { why, .. } => why,
        other => other.to_string(),
    }
}
