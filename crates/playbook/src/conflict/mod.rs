//! Which rules contradict each other, and which say the same: by their words, and by what the words mean.
//!
//! A rule is read once into a [`Statement`]: the words that it shares with others, and its claims, each affirming or
//! denying something. Two statements are opposed where one claim denies what the other affirms, or where they choose
//! different things that exclude each other, about the same subject; things that no list names exclude each other where
//! both are chosen by name for one job. [`opposed`] sees through other words for the same; it is given a model for that,
//! and knows none itself.

mod choosing;
mod claim;
mod compare;
mod lexicon;
mod many;
mod marks;
mod meant;
mod neighbours;
mod pairs;
mod piece;
mod statement;
mod verdict;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use many::Rules;
pub use meant::{Meant, Near, Nearness, name_differently, opposed};
pub use pairs::{alike, oppositions};
pub use statement::{Statement, likeness, may_be_like, words};
pub use verdict::Verdict;

/// Why two rules are taken to contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// One denies what the other affirms.
    Polarity,
    /// They give opposite directions: enable and disable, before and after.
    Directive,
    /// One makes an exception where the other allows none.
    Exception,
    /// They use words that mean the opposite.
    Antonym,
    /// They choose different things of which one is chosen.
    Exclusive,
}

/// What makes two rules contradict each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opposition {
    /// Why.
    pub ground: Ground,
    /// The opposed words, for a person.
    pub reason: String,
    /// The share of words that both claims have, 0–1.
    pub shared: f64,
}

/// What makes two rules contradict each other, if their words alone show it. It does not matter which comes first, and a
/// rule never contradicts itself.
pub fn opposition(a: &Statement, b: &Statement) -> Option<Opposition> {
    claimed(a, b).or_else(|| chosen(a, b, &|_, _| 0.0))
}

/// The same where one claims what the other denies, or claims something that excludes it.
fn claimed(a: &Statement, b: &Statement) -> Option<Opposition> {
    let overlap = a.overlap(b);
    if overlap < compare::LEAST || a.claims() == b.claims() {
        return None;
    }
    a.claims()
        .iter()
        .find_map(|one| b.claims().iter().find_map(|other| compare::opposed(one, other, overlap)))
}

/// The same where both choose by name for one job, and different things. `like` tells how much two words mean the same.
fn chosen(a: &Statement, b: &Statement, like: &dyn Fn(&str, &str) -> f64) -> Option<Opposition> {
    let (reason, shared) = a.choosing()?.against(b.choosing()?, like)?;
    Some(Opposition { ground: Ground::Exclusive, reason, shared })
}
