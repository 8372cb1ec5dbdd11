//! Numeric features of a statement: hashed words and character sequences.
//!
//! Code, paths, numbers and addresses become placeholders, so that the features describe how
//! something is said, not which project it is about. Character sequences carry over to languages
//! of which the embedding model knows little.

use super::StatementContext;
use cm_text::language::is_kana_or_han;
use cm_text::translation::to_english;

/// Number of buckets for hashed features.
pub const FEATURE_BUCKETS: usize = 1 << 15;

/// Weight of a character sequence; a word has 1.
const CHARACTER_SEQUENCE_WEIGHT: f32 = 0.35;
/// Number of tokens of a statement that are used.
const MAX_STATEMENT_TOKENS: usize = 120;

/// Returns the hashed features of a statement as buckets, in ascending order, with values. The
/// values have length 1, seen as a vector.
///
/// ```
/// use cm_learn::statement::{StatementContext, features::hashed};
/// let features = hashed("run `make fmt` first", StatementContext::Plain);
/// assert_eq!(features, hashed("Run `pnpm lint` first", StatementContext::Plain));
/// assert_ne!(features, hashed("run `make fmt` first", StatementContext::Refused));
/// ```
pub fn hashed(text: &str, context: StatementContext) -> Vec<(usize, f32)> {
    let mut found = Buckets::default();
    found.add("context", &[context.name()], 1.5);
    let tokens = tokens(text);
    found.add("length", &[length_token(tokens.len())], 1.0);
    found.add_sequence("", &tokens);
    for run in tokens.iter().flat_map(|word| character_runs(word)) {
        found.add("characters", &[&run], CHARACTER_SEQUENCE_WEIGHT);
    }
    // In English too, of which there are most examples.
    if let Some(english) = to_english(text) {
        found.add_sequence("english ", &self::tokens(&english));
    }
    if let Some(last) = text.trim_end().chars().next_back().filter(|last| !last.is_alphanumeric()) {
        found.add("end", &[last.encode_utf8(&mut [0; 4])], 1.0);
    }
    found.finish()
}

fn length_token(words: usize) -> &'static str {
    match words {
        0..=3 => "3",
        4..=6 => "6",
        7..=10 => "10",
        11..=16 => "16",
        17..=26 => "26",
        _ => "more",
    }
}

#[derive(Default)]
struct Buckets(std::collections::BTreeMap<usize, f32>);

impl Buckets {
    fn add(&mut self, kind: &str, parts: &[&str], value: f32) {
        let mut hash = Fnv::default();
        hash.take(kind);
        parts.iter().for_each(|part| hash.take(part));
        *self.0.entry(hash.bucket()).or_insert(0.0) += value;
    }

    /// Adds the words, and those that follow each other.
    fn add_sequence(&mut self, prefix: &str, words: &[String]) {
        let words = words.iter().map(String::as_str);
        let ends: Vec<&str> = std::iter::once("^").chain(words.clone()).chain(std::iter::once("$")).collect();
        for word in words {
            self.add(&format!("{prefix}word"), &[word], 1.0);
        }
        for pair in ends.windows(2) {
            self.add(&format!("{prefix}pair"), pair, 1.0);
        }
        for three in ends.windows(3) {
            self.add(&format!("{prefix}three"), three, 0.7);
        }
    }

    fn finish(self) -> Vec<(usize, f32)> {
        // A word that occurs often counts little more than once.
        let damped: Vec<(usize, f32)> =
            self.0.into_iter().map(|(bucket, value)| (bucket, (1.0 + value).ln())).collect();
        let length = damped.iter().map(|(_, value)| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        damped.into_iter().map(|(bucket, value)| (bucket, value / length)).collect()
    }
}

/// The hash FNV-1a of 64 bits, which is the same on every machine.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn take(&mut self, part: &str) {
        for byte in part.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn bucket(&self) -> usize {
        let folded = self.0 ^ (self.0 >> 32);
        usize::try_from(folded % FEATURE_BUCKETS as u64).unwrap_or(0)
    }
}

const CODE: &str = "\u{1}code";
const NUMBER: &str = "\u{1}number";

/// Splits a statement into lower-case words, punctuation marks and placeholders. Characters of
/// scripts without spaces are tokens of their own.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 && !part.is_empty() {
            tokens.push(CODE.to_owned());
            continue;
        }
        for chunk in part.split_whitespace() {
            chunk_tokens(chunk, &mut tokens);
        }
    }
    tokens.truncate(MAX_STATEMENT_TOKENS);
    tokens
}

fn chunk_tokens(chunk: &str, tokens: &mut Vec<String>) {
    let bare =
        chunk.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/' | '.' | '_' | '@'));
    let bare = bare.trim_end_matches('.');
    if is_code(bare) {
        tokens.push(CODE.to_owned());
        tokens.extend(chunk.chars().last().filter(|last| is_mark(*last)).map(String::from));
        return;
    }
    let mut word = String::new();
    for c in chunk.chars() {
        let is_token = is_kana_or_han(c);
        if c.is_alphanumeric() && !is_token || matches!(c, '\'' | '’') && !word.is_empty() {
            word.extend(if c == '’' { '\''.to_lowercase() } else { c.to_lowercase() });
            continue;
        }
        push_word(&mut word, tokens);
        if is_token || is_mark(c) {
            tokens.push(c.to_string());
        }
    }
    push_word(&mut word, tokens);
}

fn push_word(word: &mut String, tokens: &mut Vec<String>) {
    if word.is_empty() {
        return;
    }
    let taken = std::mem::take(word);
    let is_number = taken.starts_with(|c: char| c.is_ascii_digit());
    tokens.push(if is_number { NUMBER.to_owned() } else { taken });
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        ',' | '.' | '!' | '?' | ':' | ';' | '"' | '(' | '，' | '。' | '！' | '？' | '：' | '；' | '、'
    )
}

/// Returns `true` for paths, addresses, flags, file names and identifiers in code.
pub(crate) fn is_code(word: &str) -> bool {
    let inner = |mark: char| {
        word.char_indices().any(|(at, c)| {
            c == mark && at > 0 && word[at + c.len_utf8()..].starts_with(|next: char| next.is_alphanumeric())
        })
    };
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters > 0
        && (word.contains('/')
            || word.contains("::")
            || word.starts_with('-') && word.len() > 1
            || word.starts_with('.') && word.len() > 1
            || word.contains('_')
            || word.contains('@')
            || inner('.')
            || inner(':')
            || is_camel_case(word))
}

fn is_camel_case(word: &str) -> bool {
    let mut lower = false;
    word.chars().any(|c| {
        let turns = lower && c.is_uppercase();
        lower = c.is_lowercase();
        turns
    })
}

/// Returns the sequences of three and four characters of a word with its borders.
fn character_runs(word: &str) -> Vec<String> {
    if word.starts_with('\u{1}') {
        return Vec::new();
    }
    let bordered: Vec<char> = std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
    let runs = |length: usize| bordered.windows(length).map(|run| run.iter().collect::<String>());
    runs(3).chain(runs(4)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn code_paths_and_numbers_are_placeholders() {
        let expected = ["use", CODE, ",", "not", CODE, ",", "in", CODE, "since", NUMBER, "."];
        assert_eq!(tokens("Use `a b`, not fooBar, in src/x.rs since 2024."), expected);
        assert_eq!(tokens("don’t use --force"), ["don't", "use", CODE]);
        assert_eq!(tokens("请用 pnpm。"), ["请", "用", "pnpm", "。"]);
    }

    proptest! {
        #[test]
        fn features_are_ordered_buckets_of_length_one(text in ".{0,80}") {
            let found = hashed(&text, StatementContext::Plain);
            prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(found.iter().all(|(bucket, _)| *bucket < FEATURE_BUCKETS));
            let length: f32 = found.iter().map(|(_, value)| value * value).sum();
            prop_assert!((length - 1.0).abs() < 1e-3);
        }
    }
}
