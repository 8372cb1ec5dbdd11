//! Compares two statements by the things that each demands and forbids by the same word: "use tabs, never spaces"
//! and "use tabs and never spaces" agree on both, "use spaces, never tabs" reverses both.
//!
//! Or one demands what the other rejects for something else. This is certain, so that it counts more than a learned verdict.
//! Nothing is said about statements that share fewer things.

use std::collections::{BTreeMap, BTreeSet};

use super::RuleStatement;
use super::claim::{RuleClaim, TermRole};

/// Verbs that say no more than that something is chosen.
const CHOOSING: [&str; 8] = ["use", "uses", "prefer", "prefers", "choose", "take", "pick", "are"];

/// How two statements treat the things that both demand or forbid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stance {
    /// Both demand one thing and forbid another.
    Agree,
    /// What one demands the other forbids, and the other way round. Has the two things in the order of the alphabet, for display.
    Reversed(String, String),
    /// One demands, for the same purpose, a thing that the other rejects for another one. Has the thing, for display.
    Rejected(String),
}

impl Stance {
    /// Compares two statements; `None` if they do not share a demanded and a forbidden thing.
    pub(super) fn of(a: &RuleStatement, b: &RuleStatement) -> Option<Self> {
        let (ours, theirs) = (things(a)?, things(b)?);
        let shared: Vec<(&str, bool, bool)> =
            ours.iter().filter_map(|(thing, denies)| Some((*thing, *denies, *theirs.get(thing)?))).collect();
        let has = |ours: bool, theirs: bool| {
            shared.iter().find(|(_, one, other)| (*one, *other) == (ours, theirs)).map(|(thing, ..)| *thing)
        };
        match (has(false, false), has(true, true), has(false, true), has(true, false)) {
            (Some(_), Some(_), None, None) => Some(Self::Agree),
            (None, None, Some(one), Some(other)) if circumstances(a) == circumstances(b) => {
                let (first, second) = if one <= other { (one, other) } else { (other, one) };
                Some(Self::Reversed(first.to_owned(), second.to_owned()))
            }
            (None, _, None, _) | (None, _, _, None) => {
                rejected(a, b).or_else(|| rejected(b, a)).map(|thing| Self::Rejected(thing.to_owned()))
            }
            _ => None,
        }
    }
}

/// Returns the thing that `contrasting` rejects for another one ("UUIDv7 for keys, not serials") and that `demanding` demands,
/// if `demanding` forbids nothing and its other words, at least one, are words of `contrasting`.
fn rejected<'s>(demanding: &'s RuleStatement, contrasting: &RuleStatement) -> Option<&'s str> {
    let (wanted, treated) = (things(demanding)?, things(contrasting)?);
    let rejects = |thing: &str| treated.get(thing) == Some(&true);
    let is_contrast = treated.values().any(|denies| !denies);
    if !is_contrast
        || wanted.values().any(|denies| *denies)
        || !circumstances(demanding).is_subset(&circumstances(contrasting))
    {
        return None;
    }
    let words = |statement: &'s RuleStatement| statement.claims().iter().flat_map(|claim| &claim.terms);
    let own: BTreeSet<&str> = words(demanding)
        .filter(|term| term.place != TermRole::Where && !CHOOSING.contains(&term.raw.as_str()))
        .map(|term| term.key.as_str())
        .collect();
    let there: BTreeSet<&str> =
        contrasting.claims().iter().flat_map(|claim| &claim.terms).map(|term| term.key.as_str()).collect();
    let (thing, _) = wanted.iter().find(|(thing, _)| rejects(thing))?;
    (own.len() >= 2 && own.is_subset(&there)).then_some(*thing)
}

/// The core words of a statement's claims, each with whether it is forbidden. `None` for a statement about an order,
/// or with an exception or a condition. Words that are both demanded and forbidden are left out.
fn things(statement: &RuleStatement) -> Option<BTreeMap<&str, bool>> {
    let is_plain = |claim: &RuleClaim| {
        claim.before.is_none() && claim.except.is_none() && !claim.relative && !claim.undoes
    };
    if !statement.claims().iter().all(is_plain) {
        return None;
    }
    let mut things: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for claim in statement.claims() {
        for term in claim.terms.iter().filter(|term| term.place == TermRole::Core) {
            things.entry(&term.raw).or_default().insert(claim.denies != term.lacking.is_some());
        }
    }
    let certain = things.into_iter().filter(|(_, polarities)| polarities.len() == 1);
    Some(certain.map(|(thing, polarities)| (thing, polarities.contains(&true))).collect())
}

/// Words of the places and times that a statement is limited to.
fn circumstances(statement: &RuleStatement) -> BTreeSet<&str> {
    let terms = statement.claims().iter().flat_map(|claim| &claim.terms);
    terms.filter(|term| term.place == TermRole::Where).map(|term| term.raw.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance(a: &str, b: &str) -> Option<Stance> {
        let (a, b) = (RuleStatement::of(a), RuleStatement::of(b));
        let found = Stance::of(&a, &b);
        assert_eq!(found.is_some(), Stance::of(&b, &a).is_some());
        found
    }

    #[test]
    fn statements_that_choose_and_reject_the_same_agree() {
        for (a, b) in [
            ("Use tabs, never spaces.", "Use tabs and never spaces."),
            ("Use npm, not yarn.", "Always use npm to install, never yarn."),
            ("Prefer tabs over spaces", "Use tabs instead of spaces in Go."),
        ] {
            assert_eq!(stance(a, b), Some(Stance::Agree), "{a} / {b}");
        }
    }

    #[test]
    fn statements_that_choose_what_the_other_rejects_are_reversed() {
        for (a, b) in [
            ("Use pnpm, never npm.", "Use npm for all installs, never pnpm."),
            ("Prefer tabs over spaces.", "Use spaces, not tabs."),
        ] {
            assert!(matches!(stance(a, b), Some(Stance::Reversed(..))), "{a} / {b}");
        }
    }

    #[test]
    fn what_one_rejects_for_something_else_the_other_may_not_demand_for_the_same() {
        for (a, b) in [
            (
                "Primary keys are UUIDv7 here, not bigserial, because the warehouse merges them.",
                "Use bigserial for primary keys.",
            ),
            ("Use pnpm for installs, not npm.", "Use npm for installs."),
            ("Use Vitest for unit tests, not Jest.", "Use Jest for unit tests."),
        ] {
            assert!(matches!(stance(a, b), Some(Stance::Rejected(_))), "{a} / {b}");
        }
        for (a, b) in [
            ("Use pnpm, not npm.", "Use npm to publish the package."),
            ("Never use npm for installs.", "Use npm for installs."),
            ("Use pnpm for installs, not npm.", "Never use npm for installs."),
            ("Write logs as JSON, not as text.", "Write the report as text."),
        ] {
            assert_eq!(stance(a, b), None, "{a} / {b}");
        }
    }

    #[test]
    fn nothing_is_said_where_less_is_shared_or_the_place_differs() {
        for (a, b) in [
            ("Use tabs in Go, never spaces.", "Use spaces in Python, never tabs."),
            ("Use npm.", "Use npm, not yarn."),
            ("Use pnpm, never npm.", "Use pnpm, never yarn."),
            ("Run fmt before lint.", "Run lint before fmt."),
            ("Use npm, never yarn, unless CI runs.", "Use yarn, never npm."),
        ] {
            assert_eq!(stance(a, b), None, "{a} / {b}");
        }
    }
}
