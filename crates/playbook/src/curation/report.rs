//! What a curation did, delta by delta.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::bullet::{Maturity, State};

/// All that a curation did and did not do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Deltas that changed something.
    pub applied: Vec<Applied>,
    /// Deltas that had nothing to change, and why.
    pub skipped: Vec<Passed>,
    /// Deltas that were not carried out, and why.
    pub refused: Vec<Passed>,
    /// New rules that say the opposite of one that there is; they are drafts until a person settles it.
    pub conflicts: Vec<Conflict>,
    /// Bullets whose feedback raised their maturity.
    pub promotions: Vec<Step>,
    /// Bullets whose feedback lowered their maturity or deprecated them.
    pub demotions: Vec<Step>,
    /// Drafts that have gathered their evidence and are active now.
    #[serde(default)]
    pub activations: Vec<Activation>,
    /// Anti-patterns that were made of deprecated rules.
    pub inversions: Vec<Inversion>,
}

/// A delta that changed something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Applied {
    /// Its number in the file, from 1.
    pub delta: usize,
    /// What it was: add, helpful, harmful, irrelevant, replace, deprecate, merge, pin or unpin.
    pub op: String,
    /// The bullet that it changed or made.
    pub id: String,
    /// The bullet's rule.
    pub content: String,
    /// Of a new bullet, whether it is a draft.
    pub state: State,
    /// What there is to know about it, such as why it is a draft.
    pub note: Option<String>,
}

/// A delta that changed nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passed {
    /// Its number in the file, from 1.
    pub delta: usize,
    /// What it was.
    pub op: String,
    /// The bullet that it is about, or the blocked pattern that stands against it.
    pub id: Option<String>,
    /// A short name of the reason that scripts may select by, kebab-case.
    pub code: String,
    /// Why.
    pub reason: String,
    /// Whether that bullet was credited in its place.
    pub credited: bool,
}

/// Two rules that cannot both be followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// The delta's number, from 1.
    pub delta: usize,
    /// The new bullet.
    pub id: String,
    /// What it says.
    pub content: String,
    /// The bullet that it contradicts.
    pub with: String,
    /// What that one says.
    pub with_content: String,
    /// Why they are taken to contradict.
    pub reason: String,
}

/// A bullet's step from one maturity to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The bullet.
    pub id: String,
    /// Its rule.
    pub content: String,
    /// What it was.
    pub from: Maturity,
    /// What it is now.
    pub to: Maturity,
    /// Why, with the figures.
    pub reason: String,
}

/// A draft that became active.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Activation {
    /// The bullet.
    pub id: String,
    /// Its rule.
    pub content: String,
    /// The evidence that admitted it.
    pub reason: String,
}

/// An anti-pattern made of a deprecated rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inversion {
    /// The rule that was deprecated.
    pub from: String,
    /// The anti-pattern.
    pub to: String,
    /// What it says.
    pub content: String,
}
