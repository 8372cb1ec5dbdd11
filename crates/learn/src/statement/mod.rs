//! What a person typed that is meant to last: rules, decisions, facts and preferences.
//!
//! [`statements`] splits the prompts of a session into sentences, [`classifier`] computes how
//! probably each is meant to last, and [`lasting`] joins and words those that are. The caller
//! computes the embeddings.

mod candidates;
mod certainty;
pub mod classifier;
pub mod clauses;
mod doubt;
pub mod features;
mod gone;
mod join;
mod lifted;
mod own_answer;
mod passing;
mod past_harm;
mod proposals;
mod read;
mod refusal;
mod refused_command;
mod short_prompt;
mod taken_back;
mod taught_command;
mod withdrawal;
mod wording;

pub use candidates::{RequestCandidate, candidates};
pub use certainty::{Certainty, THRESHOLD_ASK, THRESHOLD_HIGH, THRESHOLD_MEDIUM};
pub use classifier::{KindProbabilities, StatementClassifier};
pub use join::{LastingStatement, lasting};
pub use own_answer::raise_own_answers;
pub use past_harm::raise_orders_after_harm;
pub use proposals::{AgentSentence, with_proposals, with_questions};
pub use read::{Answered, Statement, of_prompt, parts_of_prompt, statements};
pub use refusal::{RefusedCall, refused_calls};
pub use short_prompt::{short_prompts, with_lasting_prompts};
pub use taken_back::{takes_back, withdrawals};
pub use taught_command::raise_taught_commands;
pub use withdrawal::{Withdrawal, WithdrawalKind};

use serde::{Deserialize, Serialize};

use cm_text::embedding::STATEMENT_KINDS;

/// What kind of statement a sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    /// A task, question, remark or anything else that ends with its session.
    Passing,
    /// An instruction or correction that holds in later sessions.
    Rule,
    /// A choice that later work depends on.
    Decision,
    /// A fact about the project, its machines or people.
    Fact,
    /// How the person likes work to be done or answers to be written.
    Preference,
}

/// Number of kinds.
pub const KIND_COUNT: usize = STATEMENT_KINDS;

impl StatementKind {
    /// All kinds, in the order of the classifier's weights.
    pub const ALL: [Self; KIND_COUNT] =
        [Self::Passing, Self::Rule, Self::Decision, Self::Fact, Self::Preference];
}

/// The event just before a statement. The variants are in the order in which the fine-tuned model numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementContext {
    /// Nothing that it reacts to.
    Plain,
    /// The person refused a tool call and typed why.
    Refused,
    /// The agent acted since the person's last prompt.
    After,
}

impl StatementContext {
    /// Name in training data; `-` for [`StatementContext::Plain`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "-",
            Self::Refused => "refused",
            Self::After => "after",
        }
    }
}
