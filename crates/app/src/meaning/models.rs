//! The models of one call, opened when they are first needed, and what of them outlives a call.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use cm_embed::builtin::{MiniLm, Static};
use cm_embed::{Choice, Embedder, Outside};
use cm_text::embedding::Embedding;

/// A model that can be handed around.
pub type Model = Arc<dyn Embedder + Send + Sync>;

/// Models and questions that a long-lived process need not open and embed again.
#[derive(Default)]
pub struct KeptModels {
    outside: Mutex<Vec<(Outside, Model)>>,
    /// Of the model in the program: one elsewhere may be another tomorrow.
    queries: Mutex<HashMap<String, Embedding>>,
}

/// So many models and questions are kept.
const MODELS: usize = 4;
const QUERIES: usize = 256;

impl KeptModels {
    fn open(&self, outside: &Outside) -> cm_embed::Result<Model> {
        let mut kept = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = kept.iter().find(|(known, _)| known == outside) {
            return Ok(Arc::clone(model));
        }
        let model: Model = Arc::from(cm_embed::open(outside, None)?);
        kept.truncate(MODELS - 1);
        kept.insert(0, (outside.clone(), Arc::clone(&model)));
        Ok(model)
    }

    fn query(&self, question: &str) -> Option<Embedding> {
        self.queries.lock().unwrap_or_else(PoisonError::into_inner).get(question).cloned()
    }

    fn keep(&self, question: &str, query: &Embedding) {
        let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        if queries.len() >= QUERIES {
            queries.clear();
        }
        queries.insert(question.to_owned(), query.clone());
    }
}

/// The models that the settings name. A model that failed is not asked again in the same call.
pub struct Models {
    choice: Choice,
    kept: Option<Arc<KeptModels>>,
    fine: OnceCell<Option<Result<Model, Rc<cm_embed::Error>>>>,
    failed: RefCell<Option<Rc<cm_embed::Error>>>,
    queries: RefCell<HashMap<String, Embedding>>,
}

impl Models {
    /// The models of a choice; none is opened yet, but for those that are kept.
    pub fn of(choice: Choice, kept: Option<Arc<KeptModels>>) -> Self {
        Self { choice, kept, fine: OnceCell::new(), failed: RefCell::default(), queries: RefCell::default() }
    }

    /// Where the fine vectors come from.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// The model that reads every note at once; none where vectors are switched off.
    pub fn coarse(&self) -> Option<&'static Static> {
        (self.choice != Choice::None).then(Static::shipped)
    }

    /// The fine model; none where vectors are switched off, and why where it cannot be opened.
    pub fn fine(&self) -> Option<Result<Model, Rc<cm_embed::Error>>> {
        if let Some(why) = &*self.failed.borrow() {
            return Some(Err(Rc::clone(why)));
        }
        let opened = self.fine.get_or_init(|| match &self.choice {
            Choice::Outside(outside) => Some(self.open(outside).map_err(Rc::new)),
            Choice::Builtin => Some(Ok(Arc::new(MiniLm::shipped()))),
            Choice::None => None,
        });
        opened.clone()
    }

    fn open(&self, outside: &Outside) -> cm_embed::Result<Model> {
        match &self.kept {
            Some(kept) => kept.open(outside),
            None => Ok(Arc::from(cm_embed::open(outside, None)?)),
        }
    }

    /// Remembers that the fine model does not answer.
    pub fn give_up(&self, why: &Rc<cm_embed::Error>) {
        *self.failed.borrow_mut() = Some(Rc::clone(why));
    }

    /// What a question means to the fine model; asked once a call.
    pub fn query(&self, model: &Model, question: &str) -> Result<Embedding, Rc<cm_embed::Error>> {
        if let Some(known) = self.queries.borrow().get(question) {
            return Ok(known.clone());
        }
        let kept = self.kept.as_deref().filter(|_| self.choice == Choice::Builtin);
        let query = match kept.and_then(|kept| kept.query(question)) {
            Some(known) => Ok(known),
            None => model.embed_query(question).map_err(Rc::new),
        };
        match &query {
            Ok(query) => {
                kept.into_iter().for_each(|kept| kept.keep(question, query));
                self.queries.borrow_mut().insert(question.to_owned(), query.clone());
            }
            Err(why) => self.give_up(why),
        }
        query
    }
}
