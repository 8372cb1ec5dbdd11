//! A model with a budget check and a ledger entry for every call.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::Llm;
use super::budget::SpendingLimits;
use super::error::Result;
use super::estimate::TokenEstimate;
use super::ledger::{SpendingEntry, SpendingLedger};
use super::price::Price;
use super::request::{ModelReply, ModelRequest, TokenUsage};
use cm_note::instant::Instant;

/// Spending limits and ledger that all models of a run share.
pub struct BudgetAccount {
    budget: SpendingLimits,
    ledger: Mutex<SpendingLedger>,
    now: Box<dyn Fn() -> Instant + Send + Sync>,
    record: Box<dyn Fn(&SpendingEntry) + Send + Sync>,
}

/// Wraps a model so that its calls are checked against an account and recorded in it.
#[derive(Debug)]
pub struct MeteredModel<M> {
    model: M,
    price: Option<Price>,
    account: Arc<BudgetAccount>,
}

impl BudgetAccount {
    /// Creates an account with past calls. `record` receives every new entry before the answer is
    /// returned.
    pub fn new(
        budget: SpendingLimits,
        ledger: SpendingLedger,
        now: impl Fn() -> Instant + Send + Sync + 'static,
        record: impl Fn(&SpendingEntry) + Send + Sync + 'static,
    ) -> Self {
        Self { budget, ledger: Mutex::new(ledger), now: Box::new(now), record: Box::new(record) }
    }

    /// Replaces the account's ledger by a newly read one, because other processes write to the same
    /// file.
    pub fn refresh(&self, ledger: SpendingLedger) {
        *self.ledger.lock() = ledger;
    }

    /// Checks whether a call of this estimated size is within all spending limits.
    fn may_spend(&self, estimate: TokenEstimate, model: (&str, Option<Price>)) -> Result<()> {
        let ledger = self.ledger.lock();
        Ok(self.budget.may_spend(&ledger, (self.now)(), estimate, model)?)
    }

    fn add(&self, entry: SpendingEntry) {
        (self.record)(&entry);
        self.ledger.lock().add(entry);
    }
}

impl fmt::Debug for BudgetAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<M: Llm> MeteredModel<M> {
    /// Creates a metered model. `price` is `None` if the price of the model is unknown.
    pub fn new(model: M, price: Option<Price>, account: Arc<BudgetAccount>) -> Self {
        Self { model, price, account }
    }

    fn entry(&self, usage: TokenUsage) -> SpendingEntry {
        let names = (self.model.provider(), self.model.model());
        SpendingEntry::of((self.account.now)(), names, usage, self.price)
    }
}

impl<M: Llm> Llm for MeteredModel<M> {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model(&self) -> &str {
        self.model.model()
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        let estimate = TokenEstimate::of(request);
        self.account.may_spend(estimate, (self.model.model(), self.price))?;
        let answered = self.model.complete(request);
        match &answered {
            Ok(reply) => self.account.add(self.entry(reply.usage)),
            Err(error) if error.may_cost() => {
                // Nobody told what it took: it counts as what it may have taken.
                let usage = TokenUsage { input: estimate.input, output: estimate.output, is_estimated: true };
                self.account.add(SpendingEntry { failed: true, ..self.entry(usage) });
            }
            Err(_) => {}
        }
        answered
    }
}
