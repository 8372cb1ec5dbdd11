//! Compares two claims and decides whether they contradict each other.
//!
//! Both must be about one subject: the words that only one has must not change it. Then exactly one
//! difference counts: the denial or one choice. If both differ ("never write large commits", "write
//! small commits"), the claims agree.

use std::collections::HashMap;

use super::claim::{ClaimTerm, ORDER, RuleClaim, TermRole};
use super::lexicon::{LEXICON, NUMBER};
use super::{ConflictReason, RuleContradiction};

/// Minimum share of words that two rules must have in common to contradict each other, 0–1.
pub(super) const MIN_COMMON_SHARE: f64 = 0.12;

/// What two claims have in common, and in what they differ.
struct ClaimComparison<'a> {
    one: ComparedClaim<'a>,
    other: ComparedClaim<'a>,
    /// Number of comparison keys that occur in both claims with the same meaning.
    common: usize,
    /// Pairs of words that stand for different alternatives of one group: `tabs` and `spaces`.
    choices: Vec<(&'a ClaimTerm, &'a ClaimTerm)>,
}

/// One of two compared claims, with its words that are missing from the other claim.
struct ComparedClaim<'a> {
    claim: &'a RuleClaim,
    /// Words for the action or purpose that are missing from the other claim.
    extra: Vec<&'a ClaimTerm>,
    /// Number of words for place or time that are missing from the other claim.
    circumstances: usize,
}

impl ComparedClaim<'_> {
    fn is_covered(&self) -> bool {
        self.extra.is_empty() && self.circumstances == 0
    }

    fn beyond(&self) -> usize {
        self.extra.len() + self.circumstances
    }

    /// Whether the claim is universal ("always", "never"), so that unnamed exceptions contradict
    /// it.
    fn is_general(&self) -> bool {
        self.claim.absolute || self.claim.denies && self.claim.hard
    }

    fn excepts(&self) -> bool {
        self.claim.except.is_some()
    }
}

/// Returns the contradiction between two claims, or `None` if both can be followed. `overlap` is
/// the share of words that the two whole rules have in common, 0–1.
pub(super) fn opposed(one: &RuleClaim, other: &RuleClaim, overlap: f64) -> Option<RuleContradiction> {
    if !may_oppose(one, other) {
        return None;
    }
    let comparison = ClaimComparison::of(one, other);
    if comparison.common + comparison.choices.len() == 0 {
        return None;
    }
    let differences = NegationDifferences::of(one, other);
    match (comparison.choices.as_slice(), differences.count()) {
        ([], 0) => comparison.exception(),
        _ if overlap < comparison.needed() => None,
        ([], 1) => comparison.difference(&differences),
        ([choice], 0) if !one.denies => comparison.choice(choice),
        _ => None,
    }
}

/// The respects in which one of two claims is negated and the other is not.
struct NegationDifferences {
    /// One claim forbids what the other demands.
    denial: bool,
    /// Only one claim has a negated relative clause: "that wait", "that do not wait".
    relative: bool,
    /// Number of "no" and "without" phrases that negate something in only one of the claims.
    lacks: usize,
    /// The claims demand opposite orders: "A before B", "B before A".
    order: bool,
}

impl NegationDifferences {
    fn of(one: &RuleClaim, other: &RuleClaim) -> Self {
        Self {
            denial: one.denies != other.denies,
            relative: one.relative != other.relative,
            lacks: lacks(one, other).max(lacks(other, one)),
            order: is_crossed(one, other),
        }
    }

    fn count(&self) -> usize {
        usize::from(self.denial) + usize::from(self.relative) + self.lacks + usize::from(self.order)
    }
}

/// Returns how many "no" or "without" phrases of `one` negate a word that `other` uses without
/// negation.
fn lacks(one: &RuleClaim, other: &RuleClaim) -> usize {
    let is_stated_positively =
        |term: &ClaimTerm| other.terms.iter().any(|want| want.key == term.key && want.lacking.is_none());
    let mut phrases: Vec<usize> =
        one.terms.iter().filter(|term| is_stated_positively(term)).filter_map(|term| term.lacking).collect();
    phrases.dedup();
    phrases.len()
}

/// Whether two claims about order are reversed: the first step of each is the last step of the
/// other.
fn is_crossed(one: &RuleClaim, other: &RuleClaim) -> bool {
    let meet = |ours: bool, theirs: bool| {
        stage(one, ours).any(|term| stage(other, theirs).any(|against| against.key == term.key))
    };
    meet(false, true) && meet(true, false)
}

/// Returns the words of the first or last step of a claim about order, without words of both steps:
/// `test` or `release` for "test before the release".
fn stage(claim: &RuleClaim, last: bool) -> impl Iterator<Item = &ClaimTerm> {
    let behind = claim.before.map(|before| last == before);
    let twice = |term: &ClaimTerm| {
        claim.terms.iter().any(|other| other.key == term.key && other.ordered != term.ordered)
    };
    claim.terms.iter().filter(move |term| term.key != ORDER && Some(term.ordered) == behind && !twice(term))
}

/// Quick check before the comparison: whether the shorter claim shares enough words with the longer
/// one to contradict it. It must share all words, all but one of at least five, or all but its
/// circumstances.
fn may_oppose(one: &RuleClaim, other: &RuleClaim) -> bool {
    let common = one.keys.common(&other.keys);
    let missing = one.keys.len().min(other.keys.len()) - common;
    let core = one.core.len();
    common > 0
        && (missing == 0
            || missing == 1 && common >= 4
            || core == other.core.len() && one.core.common(&other.core) == core)
}

impl<'a> ClaimComparison<'a> {
    fn of(one: &'a RuleClaim, other: &'a RuleClaim) -> Self {
        let (ones, others) = (by_key(one), by_key(other));
        let mut choices = Vec::new();
        let mut common = 0;
        for (key, terms) in &ones {
            let Some(against) = others.get(key) else { continue };
            match differing(terms, against) {
                Some(choice) => choices.push(choice),
                None => common += 1,
            }
        }
        choices.sort_by(|a, b| a.0.key.cmp(&b.0.key));
        Self { one: side(one, &others), other: side(other, &ones), common, choices }
    }

    /// Minimum share of words that the two whole rules must have in common; higher if the claims
    /// share few words or have different subjects.
    fn needed(&self) -> f64 {
        let both = self.one.is_covered() && self.other.is_covered();
        match self.common + self.choices.len() {
            _ if both => MIN_COMMON_SHARE,
            1 => 0.3,
            2 => 0.2,
            _ => 0.15,
        }
    }

    /// Whether the words that only the longer claim has leave the subject the same, as in "use X"
    /// and "never use X in tests".
    fn same_subject(&self) -> bool {
        let (one, other) = (&self.one, &self.other);
        match (one.is_covered(), other.is_covered()) {
            (true, true) => true,
            (false, false) => self.nearly_same(),
            (true, false) => self.narrows(one, other),
            (false, true) => self.narrows(other, one),
        }
    }

    /// Whether the general claim also covers the narrower subject of the special one, so that they
    /// can contradict each other.
    fn narrows(&self, general: &ComparedClaim<'_>, special: &ComparedClaim<'_>) -> bool {
        general.is_general() && special.extra.len() <= self.common.max(2) && !shifts(special)
    }

    /// Whether two long claims are equal except for at most one word.
    fn nearly_same(&self) -> bool {
        let least = self.one.beyond().min(self.other.beyond());
        self.common >= 4 && least <= 1 && (self.one.circumstances == 0 || self.other.circumstances == 0)
    }

    fn difference(&self, differences: &NegationDifferences) -> Option<RuleContradiction> {
        let both = self.one.is_covered() && self.other.is_covered();
        if differences.order {
            let reason = format!("opposite order of {}", self.common_words());
            return (both && self.common > 1).then(|| self.found(ConflictReason::Directive, reason));
        }
        if differences.denial || both { self.denial() } else { None }
    }

    fn denial(&self) -> Option<RuleContradiction> {
        // "Never X except in Y" and "X in Y" agree.
        if names_exception(self.one.claim, self.other.claim)
            || names_exception(self.other.claim, self.one.claim)
        {
            return None;
        }
        if self.common == 0 || !self.same_subject() {
            return None;
        }
        let reason_kind = if self.one.claim.undoes || self.other.claim.undoes {
            ConflictReason::Directive
        } else {
            ConflictReason::Polarity
        };
        let about = self.common_words();
        let reason =
            format!("{} against {} about {about}", cue_text(self.one.claim), cue_text(self.other.claim));
        Some(self.found(reason_kind, reason))
    }

    fn choice(&self, (one, other): &(&ClaimTerm, &ClaimTerm)) -> Option<RuleContradiction> {
        let choice = one.pole?.choice;
        let (covered, free) = (self.one.is_covered() && self.other.is_covered(), self.common > 0);
        if choice == NUMBER && !(covered && free) {
            return None;
        }
        let placed = self.one.claim.placing && self.other.claim.placing;
        if one.place == TermRole::Where && other.place == TermRole::Where && !placed {
            return None;
        }
        let subject = match (self.one.is_covered(), self.other.is_covered()) {
            (true, true) => true,
            (false, false) => self.nearly_same(),
            (true, false) => self.may_add(&self.one, &self.other),
            (false, true) => self.may_add(&self.other, &self.one),
        };
        let excepts = self.one.excepts() || self.other.excepts();
        if !subject || excepts {
            return None;
        }
        let reason = format!("“{}” against “{}”", one.raw, other.raw);
        Some(self.found(LEXICON.reason_kind(choice), reason))
    }

    /// Whether the words that only `special` has leave the choice the same, so that it still
    /// contradicts that of `general`.
    fn may_add(&self, general: &ComparedClaim<'_>, special: &ComparedClaim<'_>) -> bool {
        let few =
            if self.common == 0 { special.extra.len() <= 1 } else { special.extra.len() <= self.common + 1 };
        few && (special.circumstances == 0 || general.claim.absolute)
    }

    /// Returns the contradiction of two otherwise equal claims if one makes an exception that the
    /// other does not allow.
    fn exception(&self) -> Option<RuleContradiction> {
        let (one, other) = (&self.one, &self.other);
        if self.common == 0 || !one.extra.is_empty() || !other.extra.is_empty() {
            return None;
        }
        let word = against_absolute(one, other)
            .or_else(|| against_absolute(other, one))
            .or_else(|| excluded(one.claim, other.claim))
            .or_else(|| excluded(other.claim, one.claim))?;
        Some(
            self.found(
                ConflictReason::Exception,
                format!("“{word}” contradicts a rule without that exception"),
            ),
        )
    }

    fn found(&self, reason_kind: ConflictReason, reason: String) -> RuleContradiction {
        let all = self.common + self.choices.len() * 2 + self.one.beyond() + self.other.beyond();
        let shared = if all == 0 { 0.0 } else { self.common as f64 / all as f64 };
        RuleContradiction { reason_kind, reason, shared }
    }

    fn common_words(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for term in &self.one.claim.terms {
            let shared = self.other.claim.terms.iter().any(|other| other.key == term.key);
            if shared && !words.contains(&term.raw.as_str()) {
                words.push(&term.raw);
            }
        }
        words.truncate(4);
        words.join(", ")
    }
}

/// Returns the word with which `special` makes an exception or a restriction, if `general` is
/// universal and so does not allow it.
fn against_absolute<'a>(general: &ComparedClaim<'_>, special: &ComparedClaim<'a>) -> Option<&'a str> {
    let plain = !general.excepts() && !general.claim.only && general.claim.absolute && general.is_covered();
    let claim = special.claim;
    let limited = claim.only && (claim.has(TermRole::Where) || claim.except.is_some());
    match &claim.except {
        Some(word) if plain => Some(word),
        None if plain && limited => Some("only"),
        _ => None,
    }
}

/// Returns the word, such as "except", with which `one` excludes a circumstance that `other` names.
fn excluded<'a>(one: &'a RuleClaim, other: &RuleClaim) -> Option<&'a str> {
    let word = one.except.as_deref()?;
    (other.except.is_none() && names_exception(one, other)).then_some(word)
}

/// Whether `other` names a circumstance that `one` lists as an exception.
fn names_exception(one: &RuleClaim, other: &RuleClaim) -> bool {
    let remains = |key: &str| one.terms.iter().any(|term| term.key == key && term.place != TermRole::Except);
    let mut left_out = one.terms.iter().filter(|term| term.place == TermRole::Except && !remains(&term.key));
    left_out.any(|term| {
        other
            .terms
            .iter()
            .any(|other_term| other_term.key == term.key && other_term.place != TermRole::Except)
    })
}

/// Whether an extra word directly follows a shared word, so that the claim is about another thing:
/// "passwords", "password hashes".
fn shifts(side: &ComparedClaim<'_>) -> bool {
    side.claim.terms.iter().zip(side.claim.terms.iter().skip(1)).enumerate().any(|(at, (before, term))| {
        let extra = |term: &ClaimTerm| side.extra.iter().any(|extra| std::ptr::eq(*extra, term));
        let object = at > 0 || !side.claim.cues.is_empty();
        object
            && term.joined
            && term.place == before.place
            && extra(term)
            && !extra(before)
            && !term.raw.ends_with("ly")
    })
}

fn by_key(claim: &RuleClaim) -> HashMap<&str, Vec<&ClaimTerm>> {
    let mut keys: HashMap<&str, Vec<&ClaimTerm>> = HashMap::new();
    for term in claim.terms.iter().filter(|term| term.place != TermRole::Except) {
        keys.entry(&term.key).or_default().push(term);
    }
    keys
}

/// Compares a claim with the words of another claim, given by key, and collects what the other
/// lacks.
fn side<'a>(claim: &'a RuleClaim, others: &HashMap<&str, Vec<&ClaimTerm>>) -> ComparedClaim<'a> {
    let missing =
        |term: &&ClaimTerm| term.place != TermRole::Except && !others.contains_key(term.key.as_str());
    let beyond: Vec<&ClaimTerm> = claim.terms.iter().filter(missing).collect();
    let extra: Vec<&ClaimTerm> =
        beyond.iter().copied().filter(|term| term.place != TermRole::Where).collect();
    ComparedClaim { claim, circumstances: beyond.len() - extra.len(), extra }
}

/// Returns one word of each list such that both stand for alternatives that the other list lacks;
/// `None` if there is no such pair.
fn differing<'a>(ones: &[&'a ClaimTerm], others: &[&'a ClaimTerm]) -> Option<(&'a ClaimTerm, &'a ClaimTerm)> {
    let own = |ones: &[&'a ClaimTerm], others: &[&ClaimTerm]| {
        ones.iter().copied().find(|one| others.iter().all(|other| one.pole != other.pole))
    };
    Some((own(ones, others)?, own(others, ones)?))
}

/// Quotes the words with which a claim demands or forbids, such as “never”, for a message.
fn cue_text(claim: &RuleClaim) -> String {
    match claim.cues.as_slice() {
        [] => "the plain rule".to_owned(),
        cues => format!("“{}”", cues.join(" ")),
    }
}
