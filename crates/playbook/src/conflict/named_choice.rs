//! Rules that choose a named thing for a purpose: "use PostgreSQL for storage", "deploy with
//! Ansible".
//!
//! Two rules that choose different things for one purpose are alternatives, even if no list
//! contains the things. Broad areas in which many things coexist ("for the frontend", "for
//! services") do not count as a purpose, and unnamed things ("retries", "timeouts") do not count as
//! a choice.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::lexicon::{CueWord, LEXICON};
use super::rule_token::{RuleToken, TokenGap};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PurposeWord {
    stem: String,
    raw: String,
}

/// The preposition or verb by which a rule names its choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum ChoiceManner {
    /// By a verb: "use X for …".
    Used,
    /// As a means: "deploy with X".
    Means,
    /// As a place: "deploy in X" or "deploy on X".
    Place,
    /// As a format: "written as X".
    Form,
}

/// The tool, place or format that a rule chooses, with its purpose: `Redis` for `caching`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NamedChoice {
    /// Words of the chosen thing's name, in lower case.
    name: Vec<String>,
    /// Name of the chosen thing, as written in the rule.
    shown: String,
    manner: ChoiceManner,
    job: Vec<PurposeWord>,
    /// Stems of the words that say where and when the choice applies.
    aside: BTreeSet<String>,
}

/// Verbs that introduce a choice, as in "use X for Y".
const VERBS: [&str; 9] = ["use", "prefer", "choose", "adopt", "pick", "favor", "favour", "uses", "prefers"];
/// Words before the verb that do not change the choice, as in "always use X".
const LEADS: [&str; 9] = ["always", "we", "please", "must", "should", "you", "do", "and", "also"];
/// Verbs of actions for which a project may use several things at once, so that two rules with
/// different choices do not conflict.
const SPREADING: [&str; 8] = ["test", "check", "verify", "support", "validate", "try", "run", "build"];
/// Subject areas in which several choices coexist, so that they do not conflict.
const AREAS: [&str; 16] = [
    "development",
    "production",
    "staging",
    "testing",
    "frontend",
    "backend",
    "web",
    "mobile",
    "server",
    "client",
    "code",
    "work",
    "ci",
    "desktop",
    "cloud",
    "data",
];
/// Nouns that are too vague to identify the purpose of a choice.
const VAGUE: [&str; 3] = ["data", "thing", "everything"];
/// Maximum number of words in the name of a chosen thing.
const MAX_NAME_WORDS: usize = 4;
/// Minimum similarity at which two purpose words, or two names, count as equal.
const MIN_EQUAL_SIMILARITY: f64 = 0.4;
const MIN_SAME_NAME_SIMILARITY: f64 = 0.5;

impl NamedChoice {
    /// Finds the choice in a rule of one sentence; `None` if the rule makes no choice.
    pub(super) fn of(pieces: &[RuleToken]) -> Option<Self> {
        let steers = |piece: &RuleToken| {
            piece.negated
                || !piece.code
                    && matches!(
                        LEXICON.cue(&piece.raw),
                        Some(
                            CueWord::Deny { .. }
                                | CueWord::Except
                                | CueWord::Only
                                | CueWord::Order { .. }
                                | CueWord::Reason
                        )
                    )
        };
        let joins = |piece: &RuleToken| {
            matches!(piece.raw.as_str(), "and" | "or" | "instead" | "rather" | "over" | "plus")
        };
        let broken = |piece: &RuleToken| piece.gap != TokenGap::None;
        let pieces = &pieces[pieces.iter().take_while(|piece| LEADS.contains(&piece.raw.as_str())).count()..];
        let (first, rest) = pieces.split_first()?;
        if steers(first) || rest.iter().any(|piece| steers(piece) || joins(piece) || broken(piece)) {
            return None;
        }
        if VERBS.contains(&first.raw.as_str()) { Self::used(rest) } else { Self::placed(pieces) }
    }

    /// Parses "use NAME for PURPOSE", "use NAME as the PURPOSE" and "use NAME to PURPOSE".
    fn used(pieces: &[RuleToken]) -> Option<Self> {
        let pieces = without_article(pieces);
        let turn = pieces.iter().position(|piece| matches!(piece.raw.as_str(), "for" | "as" | "to"))?;
        let (name, job) = (&pieces[..turn], &pieces[turn + 1..]);
        if !is_name(name) || name.len() > MAX_NAME_WORDS {
            return None;
        }
        let end = job.iter().position(is_aside).unwrap_or(job.len());
        let (job, aside) = job.split_at(end);
        if pieces[turn].raw == "for" && (without_article(job).len() < job.len() || !is_work(&job.last()?.raw))
        {
            return None;
        }
        Self::new(name, ChoiceManner::Used, words(job), aside)
    }

    /// Parses "PURPOSE with NAME" and "PURPOSE in NAME", such as "deploy with Docker".
    fn placed(pieces: &[RuleToken]) -> Option<Self> {
        let is_named = |at: &usize| {
            manner(&pieces[*at].raw).is_some()
                && without_article(&pieces[at + 1..]).first().is_some_and(|next| next.is_proper_name)
        };
        let turn = (1..pieces.len().saturating_sub(1)).rev().find(is_named)?;
        let manner = manner(&pieces[turn].raw)?;
        let rest = without_article(&pieces[turn + 1..]);
        let end = rest
            .iter()
            .position(|piece| !piece.is_proper_name && !is_number(&piece.raw))
            .unwrap_or(rest.len());
        let (name, aside) = rest.split_at(end);
        if name.len() > MAX_NAME_WORDS || aside.first().is_some_and(|next| !is_aside(next)) {
            return None;
        }
        let job = words(&pieces[..turn]);
        if job.iter().any(|word| SPREADING.contains(&word.raw.as_str())) {
            return None;
        }
        Self::new(name, manner, job, aside)
    }

    fn new(
        name: &[RuleToken],
        manner: ChoiceManner,
        job: Vec<PurposeWord>,
        aside: &[RuleToken],
    ) -> Option<Self> {
        let shown = name.iter().map(|piece| piece.shown.as_str()).collect::<Vec<_>>().join(" ");
        let name = name.iter().map(|piece| piece.raw.clone()).collect();
        let aside = words(aside).into_iter().map(|word| word.stem).collect();
        (!job.is_empty()).then_some(Self { name, shown, manner, job, aside })
    }

    /// Returns the stems of the words that describe the choice's purpose.
    pub(super) fn job(&self) -> impl Iterator<Item = &str> {
        self.job.iter().map(|word| word.stem.as_str())
    }

    /// If two rules choose different things for the same purpose, returns the reason for display
    /// and the share of common words. `like` returns the similarity of two words.
    pub(super) fn against(&self, other: &Self, like: &dyn Fn(&str, &str) -> f64) -> Option<(String, f64)> {
        let manners = self.manner == other.manner
            || self.manner == ChoiceManner::Used
            || other.manner == ChoiceManner::Used;
        if !manners || self.aside != other.aside || self.names_same(other, like) {
            return None;
        }
        let (short, long) = if self.job.len() <= other.job.len() { (self, other) } else { (other, self) };
        let over = long.job.len() - short.job.len();
        if over > 1 || over == 1 && short.job.len() < 2 {
            return None;
        }
        let has = |word: &&PurposeWord| long.job.iter().any(|other| word.stem == other.stem);
        let foreign: Vec<&PurposeWord> = short.job.iter().filter(|word| !has(word)).collect();
        let has_equal = |word: &&PurposeWord| {
            long.job.iter().any(|other| like(&word.raw, &other.raw) >= MIN_EQUAL_SIMILARITY)
        };
        let few = if over == 0 { 1.max(short.job.len() / 2) } else { 0 };
        if foreign.len() > few || !foreign.iter().all(has_equal) {
            return None;
        }
        let job: Vec<&str> = short.job.iter().map(|word| word.raw.as_str()).collect();
        let reason =
            format!("“{}” and “{}” are alternatives for: {}", self.shown, other.shown, job.join(" "));
        Some((reason, short.job.len() as f64 / (long.job.len() + 2) as f64))
    }

    /// Whether the names of two choices denote the same thing: one is a part, prefix, version or
    /// abbreviation of the other, or both have a similar meaning.
    fn names_same(&self, other: &Self, like: &dyn Fn(&str, &str) -> f64) -> bool {
        let within = |one: &[String], other: &[String]| {
            one.iter().all(|word| {
                is_number(word)
                    || other.iter().any(|other_word| begins(word, other_word) || begins(other_word, word))
            })
        };
        within(&self.name, &other.name)
            || within(&other.name, &self.name)
            || is_short_for(&self.name, &other.name)
            || is_short_for(&other.name, &self.name)
            || like(&self.name.join(" "), &other.name.join(" ")) >= MIN_SAME_NAME_SIMILARITY
    }
}

fn begins(word: &str, with: &str) -> bool {
    with.len() > 2 && word.starts_with(with) || word == with
}

/// Whether a name abbreviates another by its initials or by its first and last letter: GCS, k8s.
fn is_short_for(short: &[String], long: &[String]) -> bool {
    let ([short], [first, ..]) = (short, long) else { return false };
    let initials: String = long.iter().filter_map(|word| word.chars().next()).collect();
    let between = short.trim_matches(|c: char| c.is_alphabetic()).parse()
        == Ok(first.chars().count().saturating_sub(2));
    let ends = short.chars().next() == first.chars().next() && short.chars().last() == first.chars().last();
    long.len() > 1 && *short == initials || between && ends
}

fn manner(word: &str) -> Option<ChoiceManner> {
    Some(match word {
        "with" | "through" | "via" | "by" | "using" => ChoiceManner::Means,
        "in" | "into" | "on" | "to" | "at" => ChoiceManner::Place,
        "as" => ChoiceManner::Form,
        _ => return None,
    })
}

fn is_aside(piece: &RuleToken) -> bool {
    matches!(LEXICON.cue(&piece.raw), Some(CueWord::Where | CueWord::Purpose))
        || matches!(piece.raw.as_str(), "on" | "at")
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn is_name(pieces: &[RuleToken]) -> bool {
    pieces.first().is_some_and(|piece| piece.is_proper_name)
        && pieces.iter().all(|piece| manner(&piece.raw).is_none() && !is_aside(piece))
}

fn without_article(pieces: &[RuleToken]) -> &[RuleToken] {
    match pieces.split_first() {
        Some((first, rest))
            if matches!(first.raw.as_str(), "a" | "an" | "the" | "our" | "your" | "all" | "this") =>
        {
            rest
        }
        _ => pieces,
    }
}

/// Whether a noun denotes an activity rather than a group of things: "storage", "payments", but not
/// "services".
fn is_work(word: &str) -> bool {
    let doing = ["ing", "ings", "ion", "ions", "ment", "ments"].iter().any(|end| word.ends_with(end));
    let many = word.ends_with('s') && !word.ends_with("ss");
    (doing || !many) && !AREAS.contains(&word)
}

fn words(pieces: &[RuleToken]) -> Vec<PurposeWord> {
    let counts = |piece: &&RuleToken| {
        piece.code
            || !matches!(
                LEXICON.cue(&piece.raw),
                Some(
                    CueWord::Silent
                        | CueWord::Affirm { .. }
                        | CueWord::Purpose
                        | CueWord::Where
                        | CueWord::All
                )
            ) && !VAGUE.contains(&piece.raw.as_str())
    };
    pieces
        .iter()
        .filter(counts)
        .map(|piece| PurposeWord { stem: piece.stem.clone(), raw: piece.raw.clone() })
        .collect()
}
