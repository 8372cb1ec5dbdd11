//! The language model selected by the settings: opens it, sends requests within the budget, and
//! records their cost.
//!
//! `settings` defines which settings files count. Prompts and the use of answers are defined by
//! callers; every prompt is redacted before it is sent.

mod settings;

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::error::{Error, ErrorKind, Result};
use cm_agents::hook::agent::PrintMode;
use cm_llm::{
    AnswerSchema, BoxedLlm, BudgetAccount, FallbackModel, MeteredModel, ModelRequest, ModelSelection,
    SpendingLedger, SpendingLimits, StructuredAnswer, StructuredAnswerError, key_from, request_structured,
    retry_policy,
};
use cm_secrets::{RedactionRules, redact};
use cm_store::vault::json_lines::JsonLinesFile;
use settings::{SelectedModel, SelectedModels, chosen, of_print_mode};

/// Private file that records the cost of each request, one line per request.
const LEDGER: &str = "models.jsonl";

/// System prompt of every request; the user prompt contains the task.
const SYSTEM: &str = "You read logs of coding agents for others, and answer with one JSON object.";

/// Client of the configured language model with its fallbacks and spending limits.
pub struct LanguageModel {
    model: FallbackModel<MeteredModel<BoxedLlm>>,
    account: Arc<BudgetAccount>,
    ledger: JsonLinesFile,
    chosen: SelectedModels,
    rules: RedactionRules,
}

/// Why a request produced no usable answer.
#[derive(Debug)]
pub enum ModelFailure {
    /// The model answered twice, but neither answer was valid; contains the reason.
    Useless(String),
    /// The request could not be sent or was not answered.
    Silent {
        /// The error, with a hint.
        error: Error,
        /// Whether further requests would fail for the same reason.
        is_lasting: bool,
    },
}

/// Returns the number of tokens that models read and wrote for cm, including failed calls.
///
/// # Errors
/// Returns an error if the ledger cannot be read.
pub fn spending(context: &Context) -> Result<u64> {
    let ledger = SpendingLedger::parse(&JsonLinesFile::private(&context.target().vault, LEDGER)?.text()?);
    Ok(ledger.ledger.entries().iter().map(|entry| entry.input.saturating_add(entry.output)).sum())
}

/// Returns the name of the model that the settings select, as [`LanguageModel::name`]; `None` if there
/// is none or a setting is invalid.
pub fn name(context: &Context) -> Option<String> {
    chosen(context, context.target()).ok()?.name()
}

impl LanguageModel {
    /// Opens the configured model; `None` if there is none.
    ///
    /// # Errors
    /// Invalid settings, a model that may incur costs without a budget, or an API key that cannot
    /// be obtained.
    pub fn open(context: &Context, rules: &RedactionRules, stop: &Cancellation) -> Result<Option<Self>> {
        let chosen = chosen(context, context.target())?;
        if chosen.models.is_empty() {
            return Ok(None);
        }
        Self::of_selection(context, chosen, rules, stop).map(Some)
    }

    /// Opens an agent's own command-line mode as the model, within the spending limits that are set.
    ///
    /// # Errors
    /// Invalid settings, or a ledger that cannot be read.
    pub fn of_agent(
        context: &Context,
        mode: PrintMode,
        rules: &RedactionRules,
        stop: &Cancellation,
    ) -> Result<Self> {
        Self::of_selection(context, of_print_mode(context, mode)?, rules, stop)
    }

    fn of_selection(
        context: &Context,
        chosen: SelectedModels,
        rules: &RedactionRules,
        stop: &Cancellation,
    ) -> Result<Self> {
        let open = context.target();
        chosen.models.iter().try_for_each(|model| within_some_budget(model, &chosen.budget))?;
        let ledger = JsonLinesFile::private(&open.vault, LEDGER)?;
        let account = Arc::new(account(context, &ledger, chosen.budget)?);
        let seed = context.request.now.unix().unsigned_abs();
        let mut models = Vec::new();
        for selected in &chosen.models {
            let choice = with_key(selected, context, stop)?;
            if choice.sends_key_unencrypted() {
                context.notice(format!("the API key is sent to {} without encryption", selected.name.0));
            }
            if let Some(model) =
                cm_llm::open(&choice, retry_policy(chosen.retries, seed), stop.retry_pause())?
            {
                models.push(MeteredModel::new(model, selected.price, Arc::clone(&account)));
            }
        }
        let first = models.remove(0);
        let model = FallbackModel::new(first, models);
        Ok(Self { model, account, ledger, chosen, rules: rules.clone() })
    }

    /// Provider and name of the model, such as `ollama/qwen3:8b`; empty without a model.
    pub fn name(&self) -> String {
        self.chosen.name().unwrap_or_default()
    }

    /// Reloads the ledger, which includes the spending of other processes. Call it before each
    /// session.
    ///
    /// # Errors
    /// Returns an error if the ledger file cannot be read.
    pub fn refresh(&self) -> Result<()> {
        self.account.refresh(SpendingLedger::parse(&self.ledger.text()?).ledger);
        Ok(())
    }

    /// Sends a prompt, after redaction, and parses the answer. An answer that violates the schema
    /// or fails `check` is requested once more.
    ///
    /// # Errors
    /// Returns the reason if no valid answer was obtained.
    pub fn ask<T: DeserializeOwned>(
        &self,
        prompt: &str,
        (name, schema): (&str, schemars::Schema),
        check: impl Fn(&T) -> std::result::Result<(), Vec<String>>,
    ) -> std::result::Result<StructuredAnswer<T>, ModelFailure> {
        let prompt = redact(prompt, &self.rules).0;
        let mut request =
            ModelRequest::new(SYSTEM, prompt).with_schema(AnswerSchema::new(name, schema.to_value()));
        request.timeout = self.chosen.timeout;
        request.max_tokens = self.chosen.max_tokens;
        request_structured(&self.model, &request, check).map_err(ModelFailure::of)
    }
}

impl ModelFailure {
    /// Converts to the error of the whole command.
    pub fn into_error(self) -> Error {
        match self {
            Self::Useless(why) => Error::new(ErrorKind::Provider, "model", why),
            Self::Silent { error, .. } => error,
        }
    }

    fn of(unanswered: StructuredAnswerError) -> Self {
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

/// Whether further requests would fail for the same reason, such as an invalid API key.
fn is_lasting(error: &cm_llm::LlmError) -> bool {
    match error {
        cm_llm::LlmError::Budget(overdrawn) => !matches!(overdrawn, cm_llm::BudgetError::CallTooLarge { .. }),
        cm_llm::LlmError::Rejected { status, .. } => matches!(status, 401 | 402 | 403 | 404 | 429),
        cm_llm::LlmError::Unreachable { .. }
        | cm_llm::LlmError::Key { .. }
        | cm_llm::LlmError::NotStarted { .. }
        | cm_llm::LlmError::Setting { .. }
        | cm_llm::LlmError::Cancelled => true,
        _ => false,
    }
}

/// Refuses a model that may incur costs if no spending limit is set.
///
/// # Errors
/// Returns `no-budget` if the model may cost money and no limit is set.
fn within_some_budget(selected: &SelectedModel, budget: &SpendingLimits) -> Result<()> {
    let free = selected.price.is_some_and(cm_llm::Price::is_zero);
    let limits =
        [budget.daily_usd, budget.monthly_usd, budget.daily_tokens as f64, budget.monthly_tokens as f64];
    if free || limits.iter().any(|limit| *limit > 0.0) {
        return Ok(());
    }
    let (provider, model) = &selected.name;
    Err(Error::refused("no-budget", format!("{provider}/{model} may cost money, and no budget is set"))
        .hint(cm_llm::BudgetError::NoBudget.hint()))
}

/// Completes the connection parameters with the API key; runs the key command if one is set.
fn with_key(selected: &SelectedModel, context: &Context, stop: &Cancellation) -> Result<ModelSelection> {
    let mut choice = selected.choice.clone();
    if let (ModelSelection::Remote(remote), Some(command)) = (&mut choice, &selected.key_command) {
        remote.key = Some(key_from(command, &context.request.environment, &stop.retry_pause())?);
    }
    Ok(choice)
}

/// Creates the budget account that all models share, with the earlier spending in the ledger.
fn account(context: &Context, lines: &JsonLinesFile, budget: SpendingLimits) -> Result<BudgetAccount> {
    let parsed = SpendingLedger::parse(&lines.text()?);
    if let Some(first) = parsed.damaged.first() {
        context.notice(format!(
            "{} has invalid lines, such as line {first}; they are not counted as spending",
            lines.path().display()
        ));
    }
    let (begun, clock, lines) = (context.request.now, context.request.clock, lines.clone());
    let at_start = clock();
    let now = move || begun.minus_days(-(clock().saturating_sub(at_start) as f64) / 86_400_000.0);
    // A ledger that cannot be written to stops no answer that was paid for; the budget still counts it in this run.
    let record = move |entry: &cm_llm::SpendingEntry| drop(lines.append_line(&entry.line()));
    Ok(BudgetAccount::new(budget, parsed.ledger, now, record))
}

impl From<cm_llm::LlmError> for Error {
    fn from(error: cm_llm::LlmError) -> Self {
        let hint = error.hint();
        let message = match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        let made = match error {
            cm_llm::LlmError::Budget(_) => Self::refused("budget", message),
            cm_llm::LlmError::Setting { .. } => Self::refused("invalid-setting", message),
            cm_llm::LlmError::Cancelled => Self::new(ErrorKind::Interrupted, "interrupted", message),
            _ => Self::new(ErrorKind::Provider, "model", message),
        };
        match hint {
            Some(hint) => made.hint(hint),
            None => made,
        }
    }
}
