//! The models of one call, opened when they are first needed.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::domain::embedding::Embedding;
use crate::embed::builtin::{MiniLm, Static};
use crate::embed::{self, Choice, Embedder};

/// A model that can be handed around.
pub type Model = Rc<dyn Embedder + Send + Sync>;

/// The models that the settings name. A model that failed is not asked again in the same call.
pub struct Models {
    choice: Choice,
    fine: OnceCell<Option<Result<Model, Rc<embed::Error>>>>,
    failed: RefCell<Option<Rc<embed::Error>>>,
    queries: RefCell<HashMap<String, Embedding>>,
}

impl Models {
    /// The models of a choice; none is opened yet.
    pub fn of(choice: Choice) -> Self {
        Self { choice, fine: OnceCell::new(), failed: RefCell::default(), queries: RefCell::default() }
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
    pub fn fine(&self) -> Option<Result<Model, Rc<embed::Error>>> {
        if let Some(why) = &*self.failed.borrow() {
            return Some(Err(Rc::clone(why)));
        }
        let opened = self.fine.get_or_init(|| match &self.choice {
            Choice::Outside(outside) => Some(embed::open(outside, None).map(Rc::from).map_err(Rc::new)),
            Choice::Builtin => Some(Ok(Rc::new(MiniLm::shipped()))),
            Choice::None => None,
        });
        opened.clone()
    }

    /// Remembers that the fine model does not answer.
    pub fn give_up(&self, why: &Rc<embed::Error>) {
        *self.failed.borrow_mut() = Some(Rc::clone(why));
    }

    /// What a question means to the fine model; asked once a call.
    pub fn query(&self, model: &Model, question: &str) -> Result<Embedding, Rc<embed::Error>> {
        if let Some(known) = self.queries.borrow().get(question) {
            return Ok(known.clone());
        }
        let query = model.embed_query(question).map_err(Rc::new);
        match &query {
            Ok(query) => drop(self.queries.borrow_mut().insert(question.to_owned(), query.clone())),
            Err(why) => self.give_up(why),
        }
        query
    }
}
