//! All pairs of many rules that are alike or opposed, without comparing each with each.

use std::collections::{BTreeSet, HashMap};

use super::claim::{Claim, Place};
use super::{Opposition, Statement, likeness, opposition};

/// All pairs that contradict each other, by their numbers.
pub fn oppositions(statements: &[Statement]) -> Vec<(usize, usize, Opposition)> {
    let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, statement) in statements.iter().enumerate() {
        let keys: BTreeSet<&str> = statement.claims().iter().flat_map(|claim| keys(claim, false)).collect();
        for key in keys {
            having.entry(key).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    let mut candidates = BTreeSet::new();
    for (at, statement) in statements.iter().enumerate() {
        for claim in statement.claims() {
            for key in telling(claim, &having) {
                candidates.extend(having[key].iter().filter(|b| **b != at).map(|b| (at.min(*b), at.max(*b))));
            }
        }
    }
    for (a, b) in candidates {
        found.extend(opposition(&statements[a], &statements[b]).map(|opposition| (a, b, opposition)));
    }
    found
}

/// The words of a claim of which any claim that is opposed to it, and no longer than it, has at least one. Of two opposed
/// claims the shorter has all its words in common with the other, or, from four on, all but one; where an exception
/// opposes them, all but circumstances.
fn telling<'a>(claim: &'a Claim, having: &HashMap<&str, Vec<usize>>) -> BTreeSet<&'a str> {
    let rarest = |keys: BTreeSet<&'a str>, count: usize| {
        let mut keys: Vec<&str> = keys.into_iter().collect();
        keys.sort_by_key(|key| (having.get(key).map_or(0, Vec::len), *key));
        keys.truncate(count);
        keys
    };
    let all = keys(claim, false);
    let core = keys(claim, true);
    let count = if all.len() >= 4 || core.is_empty() { 2 } else { 0 };
    rarest(all, count).into_iter().chain(rarest(core, 1)).collect()
}

/// What a claim is about, without what it leaves out; without circumstances too where only the `core` is asked for.
fn keys(claim: &Claim, core: bool) -> BTreeSet<&str> {
    let counts = |place| place != Place::Except && !(core && place == Place::Where);
    claim.terms.iter().filter(|term| counts(term.place)).map(|term| term.key.as_str()).collect()
}

/// All pairs that are at least so much alike, by their numbers.
pub fn alike(statements: &[Statement], least: f64) -> Vec<(usize, usize, f64)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in statements.iter().flat_map(|statement| statement.words()) {
        *counts.entry(word).or_default() += 1;
    }
    let mut seen: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let mut words: Vec<&str> = statement.words().iter().map(String::as_str).collect();
        words.sort_by_key(|word| (counts.get(word).copied(), *word));
        // Two sets so much alike share one of their rarest words: of n, at most n − ⌈least × n⌉ are not shared.
        let needed = (least * words.len() as f64 - 1e-9).ceil().max(1.0) as usize;
        words.truncate((words.len() + 1).saturating_sub(needed));
        let mut others = BTreeSet::new();
        for word in words {
            let list = seen.entry(word).or_default();
            others.extend(list.iter().copied());
            list.push(at);
        }
        for other in others {
            let alike = likeness(&statements[other], statement);
            if alike >= least {
                found.push((other, at, alike));
            }
        }
    }
    found.sort_by_key(|(a, b, _)| (*a, *b));
    found
}
