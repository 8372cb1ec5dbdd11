//! Finds all similar or contradictory pairs among many rules without comparing every pair.

use std::collections::{BTreeSet, HashMap};

use super::claim::{RuleClaim, TermRole};
use super::{RuleStatement, likeness};

/// Returns all pairs of statements, by index, that may contradict each other judging by their
/// words. Contains every real contradiction, and false candidates.
pub(super) fn may_oppose(statements: &[RuleStatement]) -> BTreeSet<(usize, usize)> {
    let mut having = StatementsByWord::new();
    for (at, statement) in statements.iter().enumerate() {
        let keys: BTreeSet<&str> = statement.claims().iter().flat_map(|claim| keys(claim, false)).collect();
        for key in keys {
            having.entry(key).or_default().push(at);
        }
    }
    let mut pairs = BTreeSet::new();
    for (at, statement) in statements.iter().enumerate() {
        let others = statement.claims().iter().flat_map(|claim| candidates(claim, &having));
        pairs.extend(others.filter(|other| *other != at).map(|other| (at.min(other), at.max(other))));
    }
    pairs.extend(choosing_alike(statements));
    pairs
}

/// Returns pairs of statements that choose things for the same purpose, or for purposes of which
/// one includes the other's words.
fn choosing_alike(statements: &[RuleStatement]) -> BTreeSet<(usize, usize)> {
    let mut having = StatementsByWord::new();
    let jobs: Vec<(usize, BTreeSet<&str>)> = statements
        .iter()
        .enumerate()
        .filter_map(|(at, statement)| Some((at, statement.choosing()?.job().collect())))
        .collect();
    for (at, job) in &jobs {
        job.iter().for_each(|word| having.entry(word).or_default().push(*at));
    }
    let mut pairs = BTreeSet::new();
    for (at, job) in &jobs {
        let others = with_all(&rarest(job, &having, usize::MAX), &having).into_iter();
        pairs.extend(others.filter(|other| other != at).map(|other| (*at.min(&other), *at.max(&other))));
    }
    pairs
}

/// For each word, the indices of the statements that contain it, in ascending order.
type StatementsByWord<'a> = HashMap<&'a str, Vec<usize>>;

/// Returns the statements with a claim that is at least as long as `claim` and may contradict it.
/// The shorter of two contradictory claims shares all its words with the other, or all but one if
/// it has at least four; so it shares at least two of its three rarest words. Exceptions share all
/// words except circumstances.
fn candidates(claim: &RuleClaim, having: &StatementsByWord<'_>) -> Vec<usize> {
    let (all, core) = (keys(claim, false), keys(claim, true));
    let long = all.len() >= 4;
    let mut others = Vec::new();
    if long {
        let rare = rarest(&all, having, 3);
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            others.extend(with_all(&[rare[first], rare[second]], having));
        }
    }
    match (core.is_empty(), long) {
        (false, _) => others.extend(with_all(&rarest(&core, having, 2), having)),
        (true, false) => others.extend(with_all(&rarest(&all, having, 2), having)),
        (true, true) => {}
    }
    others
}

/// Returns the `count` words that occur in the fewest statements.
fn rarest<'a>(keys: &BTreeSet<&'a str>, having: &StatementsByWord<'_>, count: usize) -> Vec<&'a str> {
    let mut keys: Vec<&str> = keys.iter().copied().collect();
    keys.sort_by_key(|key| (having.get(key).map_or(0, Vec::len), *key));
    keys.truncate(count);
    keys
}

/// Indices of the statements that contain all of these words.
fn with_all(words: &[&str], having: &StatementsByWord<'_>) -> Vec<usize> {
    let mut lists = words.iter().map(|word| having.get(word).map_or(&[][..], Vec::as_slice));
    let first = lists.next().unwrap_or_default().to_vec();
    lists.fold(first, |common, list| in_both(&common, list))
}

/// Returns the intersection of two ascending lists.
fn in_both(one: &[usize], other: &[usize]) -> Vec<usize> {
    let (mut at, mut against) = (0, 0);
    let mut common = Vec::new();
    while let (Some(ours), Some(theirs)) = (one.get(at), other.get(against)) {
        if ours == theirs {
            common.push(*ours);
        }
        at += usize::from(ours <= theirs);
        against += usize::from(theirs <= ours);
    }
    common
}

/// Returns the comparison keys of a claim, without exceptions, and without circumstances if `core`.
fn keys(claim: &RuleClaim, core: bool) -> BTreeSet<&str> {
    let counts = |place| place != TermRole::Except && !(core && place == TermRole::Where);
    claim.terms.iter().filter(|term| counts(term.place)).map(|term| term.key.as_str()).collect()
}

/// Returns all pairs of statements, by index, whose similarity is at least `least` (0–1).
pub fn alike(statements: &[&RuleStatement], least: f64) -> Vec<(usize, usize, f64)> {
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
            let alike = likeness(statements[other], statement);
            if alike >= least {
                found.push((other, at, alike));
            }
        }
    }
    found.sort_by_key(|(a, b, _)| (*a, *b));
    found
}
