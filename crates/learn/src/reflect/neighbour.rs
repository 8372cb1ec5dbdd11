//! Verdicts of a reader on existing notes that are near to its proposal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

// Not a doc comment: these would be listed with the tool, and cost tokens in each session.
// How an existing note relates to a proposal, as the reader sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeighbourVerdict {
    /// Both say the same: the proposal is withdrawn, and the other one credited.
    Same,
    /// The proposal says it more precisely.
    Refines,
    /// Both cannot hold.
    Contradicts,
    /// They have nothing to do with each other.
    Unrelated,
}

// A verdict on one neighbour, named by its ID.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub id: String,
    pub verdict: NeighbourVerdict,
}
