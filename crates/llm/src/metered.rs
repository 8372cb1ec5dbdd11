//! A model with a budget check and a ledger entry for every call.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Llm;
use super::budget::Budget;
use super::error::Result;
use super::estimate::Estimate;
use super::ledger::{Entry, Ledger};
use super::price::Price;
use super::request::{Reply, Request, Usage};
use cm_note::instant::Instant;

/// Budget and ledger shared by all models of a run.
pub struct Account {
    budget: Budget,
    ledger: Mutex<Ledger>,
    now: Box<dyn Fn() -> Instant + Send + Sync>,
    record: Box<dyn Fn(&Entry) + Send + Sync>,
}

/// A model that spends from an account.
#[derive(Debug)]
pub struct Metered<M> {
    model: M,
    price: Option<Price>,
    account: Arc<Account>,
}

impl Account {
    /// Creates an account with past calls. `record` receives every new entry before the answer is
    /// returned.
    pub fn new(
        budget: Budget,
        ledger: Ledger,
        now: impl Fn() -> Instant + Send + Sync + 'static,
        record: impl Fn(&Entry) + Send + Sync + 'static,
    ) -> Self {
        Self { budget, ledger: Mutex::new(ledger), now: Box::new(now), record: Box::new(record) }
    }

    /// Replaces the ledger, because other processes write to the same file.
    pub fn refresh(&self, ledger: Ledger) {
        *self.ledger.lock().unwrap_or_else(PoisonError::into_inner) = ledger;
    }

    /// Checks whether a call stays within the budget.
    fn may_spend(&self, estimate: Estimate, model: (&str, Option<Price>)) -> Result<()> {
        let ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.budget.may_spend(&ledger, (self.now)(), estimate, model)?)
    }

    fn add(&self, entry: Entry) {
        (self.record)(&entry);
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).add(entry);
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<M: Llm> Metered<M> {
    /// Creates a metered model; `price` is `None` if it is unknown.
    pub fn new(model: M, price: Option<Price>, account: Arc<Account>) -> Self {
        Self { model, price, account }
    }

    fn entry(&self, usage: Usage) -> Entry {
        let names = (self.model.provider(), self.model.model());
        Entry::of((self.account.now)(), names, usage, self.price)
    }
}

impl<M: Llm> Llm for Metered<M> {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model(&self) -> &str {
        self.model.model()
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        let estimate = Estimate::of(request);
        self.account.may_spend(estimate, (self.model.model(), self.price))?;
        let answered = self.model.complete(request);
        match &answered {
            Ok(reply) => self.account.add(self.entry(reply.usage)),
            Err(error) if error.may_cost() => {
                // Nobody told what it took: it counts as what it may have taken.
                let usage = Usage { input: estimate.input, output: estimate.output, guessed: true };
                self.account.add(Entry { failed: true, ..self.entry(usage) });
            }
            Err(_) => {}
        }
        answered
    }
}
