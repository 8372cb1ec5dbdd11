//! Embedding models of one request, opened on first use, and the cache that outlives a request.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::context::recent_embeddings;
use cm_embed::builtin::{MiniLm, StaticModel, TaskModel};
use cm_embed::{Embedder, EmbeddingProvider, ExternalModel};
use cm_text::embedding::Embedding;

/// A thread-safe, reference-counted embedding model.
pub type Model = Arc<dyn Embedder + Send + Sync>;

/// Returns a built-in model like one that has to be opened.
pub fn shared(builtin: &'static (dyn Embedder + Send + Sync)) -> Model {
    Arc::new(builtin)
}

/// Cache of open models and embedded questions for long-lived processes.
#[derive(Default)]
pub struct ModelCache {
    outside: Mutex<Vec<(ExternalModel, Model)>>,
    /// Query embeddings by model and query text. Only those of built-in models, because an external
    /// model may change between requests.
    queries: Mutex<HashMap<(String, String), Embedding>>,
}

/// Maximum number of open external models, and of cached query embeddings.
const MAX_OPEN_MODELS: usize = 4;
const MAX_CACHED_QUERIES: usize = 256;

impl ModelCache {
    fn open(&self, outside: &ExternalModel) -> cm_embed::Result<Model> {
        let mut open_models = self.outside.lock();
        if let Some((_, model)) = open_models.iter().find(|(opened, _)| opened == outside) {
            return Ok(Arc::clone(model));
        }
        let model: Model = Arc::from(cm_embed::open(outside, None)?);
        open_models.truncate(MAX_OPEN_MODELS - 1);
        open_models.insert(0, (outside.clone(), Arc::clone(&model)));
        Ok(model)
    }

    fn query(&self, model: &str, question: &str) -> Option<Embedding> {
        let key = (model.to_owned(), question.to_owned());
        self.queries.lock().get(&key).cloned()
    }

    fn keep(&self, model: &str, question: &str, query: &Embedding) {
        let mut queries = self.queries.lock();
        if queries.len() >= MAX_CACHED_QUERIES {
            queries.clear();
        }
        queries.insert((model.to_owned(), question.to_owned()), query.clone());
    }
}

/// The coarse and the fine embedding model of a request. A model that failed once is not used again.
pub struct Models {
    choice: EmbeddingProvider,
    shared: Option<Arc<ModelCache>>,
    fine: OnceCell<Option<Result<Model, Rc<cm_embed::Error>>>>,
    failed: RefCell<Option<Rc<cm_embed::Error>>>,
    queries: RefCell<HashMap<String, Embedding>>,
    /// Embedded tasks, by text.
    tasks: RefCell<HashMap<String, Embedding>>,
}

impl Models {
    /// Creates the models of an embedding provider without opening them.
    pub fn of(choice: EmbeddingProvider, shared: Option<Arc<ModelCache>>) -> Self {
        Self {
            choice,
            shared,
            fine: OnceCell::new(),
            failed: RefCell::default(),
            queries: RefCell::default(),
            tasks: RefCell::default(),
        }
    }

    /// Returns the embedding provider that the settings select.
    pub fn choice(&self) -> &EmbeddingProvider {
        &self.choice
    }

    /// The small built-in model; `None` if embeddings are disabled.
    pub fn coarse(&self) -> Option<&'static StaticModel> {
        (self.choice != EmbeddingProvider::None).then(StaticModel::shipped)
    }

    /// The larger, more accurate model, opened on first use; `None` if embeddings are disabled.
    pub fn fine(&self) -> Option<Result<Model, Rc<cm_embed::Error>>> {
        if let Some(why) = &*self.failed.borrow() {
            return Some(Err(Rc::clone(why)));
        }
        let opened = self.fine.get_or_init(|| match &self.choice {
            EmbeddingProvider::Outside(outside) => Some(self.open(outside).map_err(Rc::new)),
            EmbeddingProvider::Builtin(model) => Some(model.open().map(shared).map_err(Rc::new)),
            EmbeddingProvider::None => None,
        });
        opened.clone()
    }

    /// The larger built-in model that the settings select, or the default where they select another
    /// model or one that this build does not contain.
    pub fn builtin(&self) -> &'static (dyn Embedder + Send + Sync) {
        match &self.choice {
            EmbeddingProvider::Builtin(model) => model.open().ok(),
            EmbeddingProvider::Outside(_) | EmbeddingProvider::None => None,
        }
        .unwrap_or_else(|| MiniLm::builtin())
    }

    fn open(&self, outside: &ExternalModel) -> cm_embed::Result<Model> {
        match &self.shared {
            Some(model_cache) => model_cache.open(outside),
            None => Ok(Arc::from(cm_embed::open(outside, None)?)),
        }
    }

    /// Marks the fine model as failed for the rest of the request.
    pub fn mark_failed(&self, why: &Rc<cm_embed::Error>) {
        *self.failed.borrow_mut() = Some(Rc::clone(why));
    }

    /// Embeds a question with the fine model; repeated questions are cached.
    pub fn query(&self, model: &Model, question: &str) -> Result<Embedding, Rc<cm_embed::Error>> {
        if let Some(embedding) = self.queries.borrow().get(question) {
            return Ok(embedding.clone());
        }
        let model_cache = self.shared.as_deref().filter(|_| self.choice.is_builtin());
        let query = match model_cache.and_then(|model_cache| model_cache.query(model.name(), question)) {
            Some(embedding) => Ok(embedding),
            // The text of a new note is compared with its neighbours too.
            None if self.choice.is_builtin() && model.name() == MiniLm::builtin().name() => {
                recent_embeddings::embedding(question).map_err(Rc::new)
            }
            None => model.embed_query(question).map_err(Rc::new),
        };
        match &query {
            Ok(query) => {
                model_cache
                    .into_iter()
                    .for_each(|model_cache| model_cache.keep(model.name(), question, query));
                self.queries.borrow_mut().insert(question.to_owned(), query.clone());
            }
            Err(why) => self.mark_failed(why),
        }
        query
    }

    /// Embeds a task for a comparison with the notes' vectors by `model`; `None` if the model for tasks
    /// does not know these vectors. Repeated tasks are cached.
    pub fn task_query(&self, model: &Model, task: &str) -> Option<cm_embed::Result<Embedding>> {
        if !self.choice.is_builtin() || model.name() != MiniLm::builtin().name() {
            return None;
        }
        if let Some(query) = self.tasks.borrow().get(task) {
            return Some(Ok(query.clone()));
        }
        let model_cache = self.shared.as_deref();
        let cached = model_cache.and_then(|model_cache| model_cache.query(TaskModel::NAME, task));
        let query = cached.map_or_else(|| TaskModel::builtin().embed(task), Ok);
        if let Ok(query) = &query {
            model_cache.into_iter().for_each(|model_cache| model_cache.keep(TaskModel::NAME, task, query));
            self.tasks.borrow_mut().insert(task.to_owned(), query.clone());
        }
        Some(query)
    }
}
