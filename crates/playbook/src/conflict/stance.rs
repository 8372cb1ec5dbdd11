//! Compares two statements by the things that each demands and forbids by the same word: "use tabs, never spaces"
//! and "use tabs and never spaces" agree on both, "use spaces, never tabs" reverses both.
//!
//! This is certain, so that it counts more than a learned verdict. Nothing is said about statements that share fewer things.

use std::collections::{BTreeMap, BTreeSet};

use super::RuleStatement;
use super::claim::{RuleClaim, TermRole};

/// How two statements treat the things that both demand or forbid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stance {
    /// Both demand one thing and forbid another.
    Agree,
    /// What one demands the other forbids, and the other way round. Has the two things in the order of the alphabet, for display.
    Reversed(String, String),
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
            _ => None,
        }
    }
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
