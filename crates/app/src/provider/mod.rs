//! The language model of a vault's settings: opened, asked within the budget, and what it took written down.
//!
//! Whose word counts for which setting is in `words`. What is asked, and what becomes of an answer, is for others to say;
//! nothing is asked that was not redacted.

mod words;

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::error::{Error, Kind, Result};
use super::memory::Memory;
use super::stop::Stop;
use cm_llm::{
    Account, Answered, Budget, Choice, Fallback, Ledger, Metered, Model, Request, Schema, Unanswered, ask,
    key_from, patience,
};
use cm_secrets::{Rules, redact};
use cm_store::vault::lines::Lines;
use words::{Chosen, Named, chosen};

/// What was spent, a line a call.
const LEDGER: &str = "models.jsonl";

/// What a model is told about itself; what it is to do stands in the question.
const SYSTEM: &str = "You read logs of coding agents for others, and answer with one JSON object.";

/// A model that can be asked.
pub struct Asker {
    model: Fallback<Metered<Model>>,
    account: Arc<Account>,
    ledger: Lines,
    chosen: Chosen,
    rules: Rules,
}

/// Why there is no answer that can be used.
#[derive(Debug)]
pub enum Trouble {
    /// The model answered, twice, what cannot be used.
    Useless(String),
    /// The model could not be asked, or did not answer.
    Silent {
        /// Why, with what helps.
        error: Error,
        /// Whether the next question would fare no better.
        is_lasting: bool,
    },
}

/// Whether the settings name a model.
pub fn is_set(memory: &Memory) -> bool {
    chosen(memory, memory.target()).is_ok_and(|chosen| !chosen.models.is_empty())
}

impl Asker {
    /// The model of the settings; none where none is set.
    ///
    /// # Errors
    /// Settings that cannot be used, a model that may cost something without a budget, a key that cannot be had.
    pub fn open(memory: &Memory, rules: &Rules, stop: &Stop) -> Result<Option<Self>> {
        let open = memory.target();
        let chosen = chosen(memory, open)?;
        if chosen.models.is_empty() {
            return Ok(None);
        }
        chosen.models.iter().try_for_each(|named| within_some_budget(named, &chosen.budget))?;
        let ledger = Lines::private(&open.vault, LEDGER)?;
        let account = Arc::new(account(memory, &ledger, chosen.budget)?);
        let seed = memory.call.now.unix().unsigned_abs();
        let mut models = Vec::new();
        for named in &chosen.models {
            let choice = with_key(named, memory, stop)?;
            if choice.is_in_the_clear() {
                memory.notice(format!("the key of {} goes to another machine unencrypted", named.name.0));
            }
            if let Some(model) = cm_llm::open(&choice, patience(chosen.retries, seed), stop.pace())? {
                models.push(Metered::new(model, named.price, Arc::clone(&account)));
            }
        }
        let first = models.remove(0);
        let model = Fallback::new(first, models);
        Ok(Some(Self { model, account, ledger, chosen, rules: rules.clone() }))
    }

    /// The model's name as people read it, such as `ollama/qwen3:8b`.
    pub fn name(&self) -> String {
        self.chosen
            .models
            .first()
            .map_or_else(String::new, |named| format!("{}/{}", named.name.0, named.name.1))
    }

    /// Takes in what others have spent since; before each session.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub fn refresh(&self) -> Result<()> {
        self.account.refresh(Ledger::parse(&self.ledger.text()?).ledger);
        Ok(())
    }

    /// Asks for an answer of a shape that passes the check; once more where it does not.
    ///
    /// # Errors
    /// Why there is none.
    pub fn ask<T: DeserializeOwned>(
        &self,
        prompt: &str,
        (name, schema): (&str, schemars::Schema),
        check: impl Fn(&T) -> std::result::Result<(), Vec<String>>,
    ) -> std::result::Result<Answered<T>, Trouble> {
        let prompt = redact(prompt, &self.rules).0;
        let mut request = Request::new(SYSTEM, prompt).shaped(Schema::new(name, schema.to_value()));
        request.timeout = self.chosen.timeout;
        request.max_tokens = self.chosen.max_tokens;
        ask(&self.model, &request, check).map_err(Trouble::of)
    }
}

impl Trouble {
    fn of(unanswered: Unanswered) -> Self {
        // It may hold words of the model: who keeps it takes secrets out.
        let text = unanswered.to_string();
        match unanswered.error {
            None => Self::Useless(text),
            Some(error) => {
                let is_lasting = is_lasting(&error);
                Self::Silent { error: Error::from(*error), is_lasting }
            }
        }
    }
}

/// Whether the next question would fare no better than this one.
fn is_lasting(error: &cm_llm::Error) -> bool {
    match error {
        cm_llm::Error::Budget(overdrawn) => !matches!(overdrawn, cm_llm::Overdrawn::Call { .. }),
        cm_llm::Error::Refused { status, .. } => matches!(status, 401 | 402 | 403 | 404 | 429),
        cm_llm::Error::OutOfReach { .. }
        | cm_llm::Error::Key { .. }
        | cm_llm::Error::NotStarted { .. }
        | cm_llm::Error::Setting { .. }
        | cm_llm::Error::CalledOff => true,
        _ => false,
    }
}

/// A model that costs something, or of which nobody knows, is not asked without a budget.
fn within_some_budget(named: &Named, budget: &Budget) -> Result<()> {
    let free = named.price.is_some_and(cm_llm::Price::is_nothing);
    let limits =
        [budget.daily_usd, budget.monthly_usd, budget.daily_tokens as f64, budget.monthly_tokens as f64];
    if free || limits.iter().any(|limit| *limit > 0.0) {
        return Ok(());
    }
    let (provider, model) = &named.name;
    Err(Error::refused("no-budget", format!("{provider}/{model} may cost something, and no budget is set"))
        .hint(cm_llm::Overdrawn::NoBudget.hint()))
}

/// The choice with the key that a command prints, where one is to be run.
fn with_key(named: &Named, memory: &Memory, stop: &Stop) -> Result<Choice> {
    let mut choice = named.choice.clone();
    if let (Choice::Remote(remote), Some(command)) = (&mut choice, &named.key_command) {
        remote.key = Some(key_from(command, &memory.call.environment, &stop.pace())?);
    }
    Ok(choice)
}

/// The account that all models spend from, with what was spent so far.
fn account(memory: &Memory, lines: &Lines, budget: Budget) -> Result<Account> {
    let parsed = Ledger::parse(&lines.text()?);
    if let Some(first) = parsed.damaged.first() {
        memory.notice(format!(
            "{} has lines that are none, such as line {first}; what they held is not counted as spent",
            lines.path().display()
        ));
    }
    let (begun, clock, lines) = (memory.call.now, memory.call.clock, lines.clone());
    let at_start = clock();
    let now = move || begun.minus_days(-(clock().saturating_sub(at_start) as f64) / 86_400_000.0);
    // A ledger that cannot be written to stops no answer that was paid for; the budget still counts it in this run.
    let record = move |entry: &cm_llm::Entry| drop(lines.append_line(&entry.line()));
    Ok(Account::new(budget, parsed.ledger, now, record))
}

impl From<cm_llm::Error> for Error {
    fn from(error: cm_llm::Error) -> Self {
        let hint = error.hint();
        let message = match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        let made = match error {
            cm_llm::Error::Budget(_) => Self::refused("budget", message),
            cm_llm::Error::Setting { .. } => Self::refused("invalid-setting", message),
            cm_llm::Error::CalledOff => Self::new(Kind::Interrupted, "interrupted", message),
            _ => Self::new(Kind::Provider, "model", message),
        };
        match hint {
            Some(hint) => made.hint(hint),
            None => made,
        }
    }
}
