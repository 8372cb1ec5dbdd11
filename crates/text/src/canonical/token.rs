//! Splits a statement into words for its canonical form: folded, with numbers and units in one
//! spelling.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::tables;

/// A folded word of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CanonicalToken {
    /// The folded word: lower case, except where case is significant.
    pub(super) text: String,
    /// Whether punctuation separates it from the previous word.
    pub(super) breaks: bool,
}

impl CanonicalToken {
    pub(super) fn is(&self, word: &str) -> bool {
        self.text == word
    }

    pub(super) fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }
}

/// Returns the words of a text in order, with contractions expanded.
pub(super) fn tokens(text: &str) -> Vec<CanonicalToken> {
    let text = without_code_marks(&intervals(text)).replace("**", "").replace('’', "'");
    let mut tokens: Vec<CanonicalToken> = Vec::new();
    let mut breaks = false;
    for chunk in text.split_whitespace() {
        let word = chunk.trim_start_matches(['(', '[', '{', '"', '«', '„', '“', '\'', '*']);
        breaks |= word.len() < chunk.len() && chunk.starts_with(['(', '[']);
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '…', ')', ']', '}', '"', '»', '”', '\'']);
        let ends = word.get(bare.len()..).unwrap_or_default();
        if matches!(bare, "-" | "–" | "—" | "") {
            breaks |= !tokens.is_empty();
            continue;
        }
        let measured =
            tokens.last().filter(|_| !breaks).is_some_and(is_number).then(|| measure(bare)).flatten();
        for (at, text) in measured.map_or_else(|| folded(bare), |unit| vec![unit]).into_iter().enumerate() {
            tokens.push(CanonicalToken { text, breaks: breaks && at == 0 && !tokens.is_empty() });
        }
        breaks = ends.contains(['.', ',', ';', ':', '!', ')', ']', '…']);
    }
    tokens
}

/// Removes backticks. Between them, marks hyphens and capitals as part of a name, so that folding
/// preserves them.
fn without_code_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            0 => plain.push_str(part),
            _ => part.chars().for_each(|c| match c {
                '-' => plain.push_str(NAME_HYPHEN),
                c if c.is_uppercase() => plain.extend([c, CAPITAL]),
                c => plain.push(c),
            }),
        }
    }
    plain
}

/// Character inserted after a capital letter of code, so that the letter's case remains significant
/// in the canonical form.
const CAPITAL: char = '\u{fe0e}';

/// Replaces intervals such as `[0, 1)` by one word that encodes the brackets.
fn intervals(text: &str) -> Cow<'_, str> {
    #[allow(clippy::expect_used, reason = "the pattern is a constant, and every test compiles it")]
    static INTERVAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"([\[(])(-?[0-9][0-9.]*),\s*(-?[0-9][0-9.]*|∞|inf)([\])])").expect("the pattern is valid")
    });
    let side = |bracket: &str| if matches!(bracket, "[" | "]") { "closed" } else { "open" };
    INTERVAL.replace_all(text, |found: &Captures<'_>| {
        format!("interval_{}_{}_{}_{}", side(&found[1]), &found[2], &found[3], side(&found[4]))
    })
}

/// Placeholder for a hyphen of code during tokenization.
const NAME_HYPHEN: &str = "\u{2011}";

/// Folds one chunk between white space into words.
fn folded(chunk: &str) -> Vec<String> {
    let plain = chunk.replace(NAME_HYPHEN, "-");
    if is_short_flag(&plain) || plain != chunk {
        return vec![if is_short_flag(&plain) { plain } else { plain.to_lowercase() }];
    }
    if chunk.starts_with(|c: char| c.is_ascii_digit()) {
        return number(chunk);
    }
    let lower = chunk.to_lowercase();
    if let Some(version) =
        lower.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        return vec![version.to_owned()];
    }
    if let Some(parts) = tables::contraction(&lower) {
        return parts.iter().map(|part| (*part).to_owned()).collect();
    }
    if let Some(digits) = tables::number(&lower) {
        return vec![digits.to_owned()];
    }
    // Paths, variables and the like: letter case tells them apart.
    if chunk.contains(['/', '_', '=', '@', '$', '%']) {
        return vec![chunk.to_owned()];
    }
    vec![without_hyphens(&lower)]
}

fn is_short_flag(chunk: &str) -> bool {
    chunk.len() == 2 && chunk.starts_with('-') && chunk.ends_with(|c: char| c.is_ascii_alphabetic())
}

/// Removes hyphens between letters, which are a matter of spelling; flags, paths and other names
/// are unchanged.
fn without_hyphens(word: &str) -> String {
    if word.starts_with('-') || word.contains(['/', '.', '_', '=', ':', '@', '$']) {
        return word.to_owned();
    }
    let chars: Vec<char> = word.chars().collect();
    let letter = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphabetic());
    let spelled = |at: usize| chars[at] == '-' && letter(at.checked_sub(1)) && letter(Some(at + 1));
    (0..chars.len()).filter(|at| !spelled(*at)).map(|at| chars[at]).collect()
}

/// Splits a number from the unit attached to it: `60s`, `30-second`, `1,000`.
fn number(chunk: &str) -> Vec<String> {
    let end = chunk.find(|c: char| c.is_alphabetic() || c == '%' || c == '°').unwrap_or(chunk.len());
    let (digits, unit) = chunk.split_at(end);
    let bare = digits.trim_end_matches('-');
    match tables::unit(unit) {
        Some(unit) => vec![ungrouped(bare), unit.to_owned()],
        None => vec![format!("{}{unit}", ungrouped(digits))],
    }
}

/// Removes the commas and underscores that group digits.
fn ungrouped(digits: &str) -> String {
    let digits = digits.replace('_', "");
    let mut groups = digits.split(',');
    let first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
    let rest: Vec<&str> = groups.collect();
    let grouped = rest.iter().all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()));
    if first && !rest.is_empty() && grouped { digits.replace(',', "") } else { digits }
}

fn is_number(token: &CanonicalToken) -> bool {
    token.text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// The word after a number as its unit: known units in canonical spelling, others as written,
/// because case distinguishes units such as `Mb/s`. `None` if the word cannot be a unit.
fn measure(word: &str) -> Option<String> {
    let listed_unit =
        tables::unit(word).or_else(|| tables::unit(&word.to_lowercase()).filter(|_| word.len() > 2));
    match listed_unit {
        Some(unit) => Some(unit.to_owned()),
        None => (word.len() <= 2 || word.contains('/')).then(|| word.to_owned()),
    }
}

/// Whether the text is English: it has at least as many English words from the tables as of any
/// other language, and strictly more if it has accented letters.
pub(super) fn is_english(tokens: &[CanonicalToken]) -> bool {
    let count = |words: &[&str]| tokens.iter().filter(|token| token.is_one_of(words)).count();
    let others = tables::OTHER_LANGUAGES.iter().map(|words| count(words)).max().unwrap_or_default();
    let foreign = tokens
        .iter()
        .any(|token| token.text.contains(['ß', 'ä', 'ö', 'ü', 'é', 'è', 'ñ', 'ó', 'í', 'ç', 'ê', 'à', 'á']));
    let english = count(tables::ENGLISH);
    if foreign { english > others } else { english >= others }
}
