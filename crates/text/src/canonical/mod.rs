//! Canonical form of a short statement: statements with equal forms have the same meaning.
//!
//! Only differences without meaning are removed: case, punctuation, articles, contractions,
//! spelling, number words, abbreviations, a few exact synonyms, the plural in instructions, and a
//! leading circumstance. Numbers, units, versions, names, negation, tense and word order are
//! preserved, so that statements that differ in them never have equal forms. Equality of forms is
//! symmetric and transitive. It does not measure similarity.

mod english;
mod tables;
mod token;

use unicode_normalization::UnicodeNormalization as _;

use crate::language::is_cjk;
use token::CanonicalToken;

#[derive(Debug, Clone)]
pub struct CanonicalForm {
    form: String,
    words: Vec<String>,
}

impl PartialEq for CanonicalForm {
    /// Ignores word boundaries: "pre-commit" equals "pre commit".
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl Eq for CanonicalForm {}

/// Symbol that stands for every negation in a canonical form.
const NOT: &str = "¬";

/// Directing words: words such as "before" and "over", after which word order changes the meaning.
const DIRECTING: [&str; 14] = [
    "before",
    "after",
    "over",
    "from",
    "to",
    "than",
    "into",
    "insteadof",
    "by",
    "until",
    "on",
    "of",
    "when",
    "in",
];

/// Minimum length in characters of a word in which one typo is tolerated.
const MIN_TYPO_WORD_CHARS: usize = 5;

impl CanonicalForm {
    /// Computes the canonical form of a text of one or a few sentences.
    ///
    /// ```
    /// use cm_text::canonical::CanonicalForm;
    /// let same = |a, b| CanonicalForm::of(a) == CanonicalForm::of(b);
    /// assert!(same("Before you push, run the tests.", "Always run tests before pushing"));
    /// assert!(!same("Retry five times", "Retry 50 times"));
    /// ```
    pub fn of(text: &str) -> Self {
        let text: String = text.nfc().map(narrow).collect();
        if text.chars().any(is_cjk) {
            let form = unspaced(&text);
            return Self { words: form.chars().map(String::from).collect(), form };
        }
        let tokens = token::tokens(&text);
        let tokens = if token::is_english(&tokens) { english::folded(tokens) } else { tokens };
        Self { form: joined(&tokens), words: tokens.into_iter().map(|token| token.text).collect() }
    }

    /// The form as text, for use as a key.
    pub fn as_str(&self) -> &str {
        &self.form
    }

    /// The words of the form, in order; single characters for text without spaces.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether both forms have the same words, except for their order and typos in at most a
    /// quarter of the words. Negations, numbers and the neighbors of directing words must be equal.
    pub fn is_rearranged_or_misspelled(&self, other: &Self) -> bool {
        let (missing, added) = (self.excess_words(other), other.excess_words(self));
        let slips = (self.words.len() / 4).max(1);
        missing.len() == added.len()
            && missing.len() <= slips
            && missing.iter().zip(&added).all(|(one, another)| is_typo(one, another))
            && keeps_directions(&self.words, &other.words)
    }

    /// Whether both forms have the same words in any order.
    pub fn has_words_of(&self, other: &Self) -> bool {
        self.words.len() == other.words.len() && self.excess_words(other).is_empty()
    }

    /// The words with digits (numbers and their units), sorted as text.
    pub fn numbers(&self) -> Vec<&str> {
        let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
        let mut numbers: Vec<&str> = self.words.iter().map(String::as_str).filter(has_digit).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Whether the words differ only in letter case, where case is significant: `-k` and `-K`,
    /// `Mb/s` and `MB/s`.
    pub fn differs_in_case(&self, other: &Self) -> bool {
        let sorted = |form: &Self, fold: fn(&str) -> String| {
            let mut words: Vec<String> = form.words.iter().map(|word| fold(word)).collect();
            words.sort_unstable();
            words
        };
        sorted(self, str::to_lowercase) == sorted(other, str::to_lowercase)
            && sorted(self, str::to_owned) != sorted(other, str::to_owned)
    }

    /// Whether the only differing words are an opposite pair such as "on" and "off". Other
    /// comparisons give such short words too little weight.
    pub fn is_opposite(&self, other: &Self) -> bool {
        const OPPOSITES: [[&str; 2]; 3] = [["on", "off"], ["in", "out"], ["up", "down"]];
        let (ours, theirs) = (self.excess_words(other), other.excess_words(self));
        OPPOSITES.iter().any(|[a, b]| (ours == [*a] && theirs == [*b]) || (ours == [*b] && theirs == [*a]))
    }

    pub fn negations(&self) -> usize {
        self.words.iter().filter(|word| tables::NEGATIONS.contains(&word.as_str())).count()
    }

    /// Words that this form has in excess of the other one, compared by stem; sorted.
    fn excess_words(&self, other: &Self) -> Vec<&str> {
        let mut rest: Vec<String> = other.words.iter().map(|word| english::lemma(word)).collect();
        let mut more = Vec::new();
        for word in &self.words {
            match rest.iter().position(|other| *other == english::lemma(word)) {
                Some(at) => drop(rest.swap_remove(at)),
                None => more.push(word.as_str()),
            }
        }
        more.sort_unstable();
        more
    }
}

/// Whether every directing word (see [`DIRECTING`]) has the same neighbors in both. A missing
/// neighbor matches any word.
fn keeps_directions(ours: &[String], theirs: &[String]) -> bool {
    let like = |one: Option<&str>, another: Option<&str>| match (one, another) {
        (Some(one), Some(another)) => english::lemma(one) == english::lemma(another) || is_typo(one, another),
        _ => true,
    };
    let (ours, theirs) = (directions(ours), directions(theirs));
    let found = |[before, word, after]: &[Option<&str>; 3]| {
        theirs.iter().any(|their| their[1] == *word && like(*before, their[0]) && like(*after, their[2]))
    };
    ours.len() == theirs.len() && ours.iter().all(found)
}

/// Returns the directing words (see [`DIRECTING`]), each with the previous and the next word.
fn directions(words: &[String]) -> Vec<[Option<&str>; 3]> {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map(String::as_str);
    let directs = |at: &usize| word(Some(*at)).is_some_and(|word| DIRECTING.contains(&word));
    let around = |at: usize| [word(at.checked_sub(1)), word(Some(at)), word(Some(at + 1))];
    (0..words.len()).filter(directs).map(around).collect()
}

/// Whether two words differ by one typo: a letter inserted, deleted, replaced, or two adjacent
/// letters swapped.
fn is_typo(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let plain = a.iter().chain(&b).all(|c| c.is_alphabetic());
    if !plain || a.len().min(b.len()) < MIN_TYPO_WORD_CHARS || a.first() != b.first() {
        return false;
    }
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&a[start..a.len() - end], &b[start..b.len() - end]);
    match (left, right) {
        ([], []) | ([_], []) | ([], [_]) | ([_], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

/// Joins words without separators, except for a space next to a number or sign and a comma at
/// punctuation.
fn joined(tokens: &[CanonicalToken]) -> String {
    let mut form = String::new();
    for token in tokens {
        let letters = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        if token.breaks && !form.is_empty() {
            form.push(',');
        } else if !(form.is_empty() || letters(form.chars().last()) && letters(token.text.chars().next())) {
            form.push(' ');
        }
        form.push_str(&token.text);
    }
    form
}

/// Converts a full-width character to its ordinary form.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// Normalizes a text in a script without word spaces: removes white space and punctuation, and
/// writes numerals as digits.
fn unspaced(text: &str) -> String {
    const NUMERALS: &str = "零一二三四五六七八九";
    let chars: Vec<char> = text.to_lowercase().replace('请', "").replace('两', "二").chars().collect();
    let inner = |at: usize| {
        let other =
            |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_alphanumeric);
        other(at.checked_sub(1)) && other(Some(at + 1))
    };
    let mut form = String::new();
    for (at, c) in chars.iter().enumerate() {
        let mark =
            matches!(c, '。' | '、' | ',' | '.' | '!' | ';' | ':' | '`' | '"' | '“' | '”' | '「' | '」');
        let blank = c.is_whitespace() && !inner(at);
        if mark && !inner(at) || blank {
            continue;
        }
        match NUMERALS.chars().position(|numeral| numeral == *c) {
            Some(digit) => form.push_str(&digit.to_string()),
            None => form.push(*c),
        }
    }
    form
}

#[cfg(test)]
mod tests;
