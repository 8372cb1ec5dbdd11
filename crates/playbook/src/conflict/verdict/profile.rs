//! A statement as the learned verdict reads it: its content words with what they are, its
//! quantities, how often it negates, and what it excepts and rejects.

use std::collections::BTreeSet;

use super::cue_words::{self, CueKind};
use super::quantity::{Quantity, quantities};
use crate::conflict::lexicon::{ChoiceOption, LEXICON};
use crate::conflict::rule_token::{RuleToken, TokenGap, pieces};
use cm_text::language::Language;

/// A content word of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProfileWord {
    pub(super) stem: String,
    /// The word in lower case.
    pub(super) raw: String,
    /// Whether it is spelled like a name or code.
    pub(super) is_name: bool,
    /// Which alternative it stands for, if any.
    pub(super) pole: Option<ChoiceOption>,
    /// Whether the statement rejects it: Y in "X, not Y" and "X instead of Y".
    pub(super) is_rejected: bool,
    /// Step in a statement about order: 0 for what comes first, 1 for what comes later.
    pub(super) step: Option<u8>,
    /// The words around it in lower case, function words included; empty at an end.
    pub(super) around: [String; 2],
}

/// A statement, read once for comparison with many others.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::conflict) struct StatementProfile {
    pub(super) words: Vec<ProfileWord>,
    pub(super) quantities: Vec<Quantity>,
    /// Whether an odd number of words deny.
    pub(super) denies: bool,
    /// Number of words that deny.
    pub(super) denials: usize,
    /// Number of words that introduce an exception.
    pub(super) exceptions: usize,
    /// Whether it denies with an exception, which is a demand: "nothing is merged unless two approve".
    pub(super) is_conditional: bool,
    /// Whether a word allows no exception: "always", "every".
    pub(super) is_absolute: bool,
    /// Whether several values may hold at once: "supports", "or", "such as".
    pub(super) is_open: bool,
    /// Whether it speaks of the past or of a change.
    pub(super) is_past: bool,
    /// Names of months and dates.
    pub(super) dates: BTreeSet<String>,
    pub(in crate::conflict) language: Option<Language>,
    /// Number of words that restrict the statement: "only".
    pub(super) restrictions: usize,
}

impl StatementProfile {
    /// Reads a statement; `gloss` is the text with its known words in English, if it is not English.
    pub(in crate::conflict) fn of(text: &str, gloss: Option<&str>) -> Self {
        let tokens = pieces(gloss.unwrap_or(text));
        let mut reader = ProfileReader::default();
        for at in 0..tokens.len() {
            reader.read(&tokens, at);
        }
        let language = Language::of(text);
        let order = order(&tokens);
        for word in &mut reader.words {
            word.1.step = order.as_ref().and_then(|order| order.get(word.0).copied().flatten());
        }
        let lower = text.to_lowercase();
        Self {
            words: reader.words.into_iter().map(|(_, word)| word).collect(),
            quantities: quantities(text),
            denies: reader.parity,
            denials: reader.denials,
            exceptions: reader.exceptions,
            restrictions: reader.restrictions,
            is_conditional: reader.is_conditional,
            is_absolute: reader.is_absolute,
            is_open: reader.is_open,
            is_past: reader.is_past,
            dates: dates(&lower),
            language,
        }
    }
}

#[derive(Default)]
struct ProfileReader {
    /// Content words with the index of their token.
    words: Vec<(usize, ProfileWord)>,
    parity: bool,
    denials: usize,
    exceptions: usize,
    restrictions: usize,
    is_absolute: bool,
    is_open: bool,
    is_past: bool,
    is_conditional: bool,
    /// Whether the words that follow are rejected, until the clause ends.
    rejecting: bool,
    /// Whether a word that denies was read in this sentence.
    denied: bool,
}

impl ProfileReader {
    fn read(&mut self, tokens: &[RuleToken], at: usize) {
        let Some(token) = tokens.get(at) else { return };
        let next = tokens.get(at + 1).map_or("", |next| next.raw.as_str());
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |before| before.raw.as_str());
        if matches!(token.gap, TokenGap::Stop) {
            (self.rejecting, self.denied) = (false, false);
        }
        if matches!(token.gap, TokenGap::Comma) {
            self.rejecting = false;
        }
        let cue = if token.code { None } else { cue_words::cue(&token.raw, token.negated, before, next) };
        match cue {
            Some(CueKind::Deny) => {
                let contrasts = !self.words.is_empty()
                    && (matches!(token.gap, TokenGap::Comma)
                        || matches!(before, "and" | "but" | "und" | "y" | "et" | "sondern"))
                    && matches!(token.raw.as_str(), "not" | "nicht" | "no" | "pas" | "non" | "never" | "nie");
                if contrasts && next != "only" {
                    self.rejecting = true;
                } else {
                    self.parity ^= true;
                    self.denials += 1;
                    self.denied = true;
                }
            }
            Some(CueKind::Undo) => {
                self.parity ^= true;
                self.denials += 1;
            }
            Some(CueKind::InsteadOf) => self.rejecting = true,
            Some(CueKind::Except) => {
                if self.denied {
                    self.is_conditional = true;
                } else {
                    self.exceptions += 1;
                }
            }
            Some(CueKind::Absolute) => self.is_absolute = true,
            Some(CueKind::Open) => self.is_open = true,
            Some(CueKind::Past) => self.is_past = true,
            Some(CueKind::Only) => self.restrictions += 1,
            Some(CueKind::Silent) => {}
            None => self.word(tokens, at),
        }
        if matches!(cue, Some(CueKind::Open)) && token.raw.len() > 4 {
            self.word(tokens, at);
        }
    }

    fn word(&mut self, tokens: &[RuleToken], at: usize) {
        let Some(token) = tokens.get(at) else { return };
        let stem_at = |at: Option<usize>| {
            at.and_then(|at| tokens.get(at)).map_or_else(String::new, |token| token.stem.clone())
        };
        let around = [stem_at(at.checked_sub(1)), stem_at(Some(at + 1))];
        if token.raw.chars().all(|c| c.is_ascii_digit()) || !token.code && cue_words::is_measure(&token.raw) {
            return;
        }
        let (raw, stem) = (token.raw.clone(), token.stem.clone());
        let pole = LEXICON.pole(&raw).filter(|pole| pole.choice != crate::conflict::lexicon::NUMBER);
        self.words.push((
            at,
            ProfileWord {
                stem,
                raw,
                is_name: token.is_proper_name || is_subject_name(tokens, at),
                pole,
                is_rejected: self.rejecting,
                step: None,
                around,
            },
        ));
    }
}

/// Whether the first word is the name of a person or thing, because a verb follows: "Marek
/// maintains".
fn is_subject_name(tokens: &[RuleToken], at: usize) -> bool {
    let ([first, next, ..], 0) = (tokens, at) else { return false };
    let is_capital = first.shown.chars().next().is_some_and(char::is_uppercase);
    let does = matches!(&*next.raw, "is" | "has" | "was")
        || next.raw.len() > 3 && next.raw.ends_with('s') && !next.raw.ends_with("ss");
    is_capital
        && does
        && first.raw.len() > 2
        && !first.raw.ends_with('s')
        && !cue_words::is_measure(&next.raw)
}

/// For each token, whether it belongs to the first (0) or the later (1) of two steps; `None` for a
/// statement that gives no order.
fn order(tokens: &[RuleToken]) -> Option<Vec<Option<u8>>> {
    let (at, is_before) = tokens.iter().enumerate().find_map(|(at, token)| {
        let next = tokens.get(at + 1).map_or("", |next| next.raw.as_str());
        Some((at, cue_words::order(&token.raw, next)?))
    })?;
    let leads = at == 0
        || tokens.get(at).is_some_and(|token| matches!(token.gap, TokenGap::Comma | TokenGap::Stop))
            && at < 2;
    // After a leading "before …," the other step begins at the comma.
    let end = if leads || at <= 1 {
        tokens
            .iter()
            .enumerate()
            .skip(at + 1)
            .find(|(_, token)| !matches!(token.gap, TokenGap::None))
            .map(|(at, _)| at)
    } else {
        None
    };
    let inner = if is_before { 1 } else { 0 };
    let step = |index: usize| match end {
        _ if index == at => None,
        Some(end) if index > at && index < end => Some(inner),
        Some(_) => Some(1 - inner),
        None if index > at => Some(inner),
        None => Some(1 - inner),
    };
    Some((0..tokens.len()).map(step).collect())
}

fn dates(lower: &str) -> BTreeSet<String> {
    const MONTHS: [&str; 24] = [
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "januar",
        "februar",
        "märz",
        "mai",
        "juni",
        "juli",
        "oktober",
        "dezember",
        "enero",
        "janvier",
        "monday",
        "tuesday",
        "wednesday",
    ];
    lower
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| {
            MONTHS[..21].contains(word)
                || word.len() == 10 && word.bytes().filter(|byte| *byte == b'-').count() == 2
                || word.len() == 4
                    && (word.starts_with("20") || word.starts_with("19"))
                    && word.bytes().all(|b| b.is_ascii_digit())
        })
        .map(str::to_owned)
        .collect()
}
