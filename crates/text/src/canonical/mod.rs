//! The canonical form of a short statement: statements with equal forms say the same.
//!
//! Only what carries no meaning is folded: case, punctuation, articles, contractions, spelling, digits for number words,
//! abbreviations, a few exact synonyms, the plural in instructions, and a leading circumstance. Numbers, units, versions,
//! names, negation, tense and word order are kept, so that a statement never takes the form of one that differs in them.
//! Equality of forms is symmetric and transitive. It does not measure likeness.

mod english;
mod tables;
mod token;

use unicode_normalization::UnicodeNormalization as _;

use token::Token;

/// The canonical form of a statement.
#[derive(Debug, Clone)]
pub struct Canonical {
    form: String,
    words: Vec<String>,
}

impl PartialEq for Canonical {
    /// How words are cut ("pre-commit", "pre commit") is no part of the form.
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl Eq for Canonical {}

/// How a negation is written in a form.
const NOT: &str = "¬";

/// Words behind which the order of things is what is said.
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

/// The shortest word in which one slip is taken for a slip.
const LONG_WORD: usize = 5;

impl Canonical {
    /// The canonical form of a text of one or a few sentences.
    ///
    /// ```
    /// use cm_text::canonical::Canonical;
    /// let same = |a, b| Canonical::of(a) == Canonical::of(b);
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

    /// The form as a text, to be used as a key.
    pub fn as_str(&self) -> &str {
        &self.form
    }

    /// Whether the other form has the same words in another order or with slips of spelling. Negations, numbers and what
    /// follows a word of direction are the same in both.
    pub fn is_rearranged(&self, other: &Self) -> bool {
        let (missing, added) = (self.beyond(other), other.beyond(self));
        let slips = (self.words.len() / 4).max(1);
        missing.len() == added.len()
            && missing.len() <= slips
            && missing.iter().zip(&added).all(|(one, another)| is_slip(one, another))
            && keeps_directions(&self.words, &other.words)
    }

    /// Whether both have the same words, in whatever order.
    pub fn has_words_of(&self, other: &Self) -> bool {
        self.words.len() == other.words.len() && self.beyond(other).is_empty()
    }

    /// The numbers, with their units, in order of size of their text.
    pub fn numbers(&self) -> Vec<&str> {
        let has_digit = |word: &&str| word.contains(|c: char| c.is_ascii_digit());
        let mut numbers: Vec<&str> = self.words.iter().map(String::as_str).filter(has_digit).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Whether the words are the same but for the letter case of some, which is kept where it tells things apart: `-k` and
    /// `-K`, `Mb/s` and `MB/s`.
    pub fn differs_in_case(&self, other: &Self) -> bool {
        let sorted = |form: &Self, fold: fn(&str) -> String| {
            let mut words: Vec<String> = form.words.iter().map(|word| fold(word)).collect();
            words.sort_unstable();
            words
        };
        sorted(self, str::to_lowercase) == sorted(other, str::to_lowercase)
            && sorted(self, str::to_owned) != sorted(other, str::to_owned)
    }

    /// Whether the one word that differs is a short word of the opposite state. Such words are too common to weigh elsewhere.
    pub fn says_the_opposite(&self, other: &Self) -> bool {
        const OPPOSITES: [[&str; 2]; 3] = [["on", "off"], ["in", "out"], ["up", "down"]];
        let (ours, theirs) = (self.beyond(other), other.beyond(self));
        OPPOSITES.iter().any(|[a, b]| (ours == [*a] && theirs == [*b]) || (ours == [*b] && theirs == [*a]))
    }

    /// How many negations it has.
    pub fn negations(&self) -> usize {
        self.words.iter().filter(|word| tables::NEGATIONS.contains(&word.as_str())).count()
    }

    /// The words of which this form has more than the other, whatever their endings, sorted.
    fn beyond(&self, other: &Self) -> Vec<&str> {
        let mut rest: Vec<String> = other.words.iter().map(|word| english::lemma(word)).collect();
        let mut more = Vec::new();
        for word in &self.words {
            match rest.iter().position(|known| *known == english::lemma(word)) {
                Some(at) => drop(rest.swap_remove(at)),
                None => more.push(word.as_str()),
            }
        }
        more.sort_unstable();
        more
    }
}

/// Whether each word of direction stands between the same words in both, as far as it stands between words.
fn keeps_directions(ours: &[String], theirs: &[String]) -> bool {
    let like = |one: Option<&str>, another: Option<&str>| match (one, another) {
        (Some(one), Some(another)) => english::lemma(one) == english::lemma(another) || is_slip(one, another),
        _ => true,
    };
    let (ours, theirs) = (directions(ours), directions(theirs));
    let found = |[before, word, after]: &[Option<&str>; 3]| {
        theirs.iter().any(|their| their[1] == *word && like(*before, their[0]) && like(*after, their[2]))
    };
    ours.len() == theirs.len() && ours.iter().all(found)
}

/// The words of direction, each with the word before it and behind it.
fn directions(words: &[String]) -> Vec<[Option<&str>; 3]> {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map(String::as_str);
    let directs = |at: &usize| word(Some(*at)).is_some_and(|word| DIRECTING.contains(&word));
    let around = |at: usize| [word(at.checked_sub(1)), word(Some(at)), word(Some(at + 1))];
    (0..words.len()).filter(directs).map(around).collect()
}

/// Whether two words differ by one slip: a letter more, less or other, or two letters exchanged.
fn is_slip(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let plain = a.iter().chain(&b).all(|c| c.is_alphabetic());
    if !plain || a.len().min(b.len()) < LONG_WORD || a.first() != b.first() {
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

/// Words without blanks between them, but for those at numbers and signs.
fn joined(tokens: &[Token]) -> String {
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

/// The ordinary form of a full-width letter, digit or mark.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// A text of a language that is written without blanks: without them, without marks, and with digits.
fn unspaced(text: &str) -> String {
    const NUMERALS: &str = "零一二三四五六七八九";
    let chars: Vec<char> = text.to_lowercase().replace('请', "").replace('两', "二").chars().collect();
    let inner = |at: usize| {
        let known =
            |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_alphanumeric);
        known(at.checked_sub(1)) && known(Some(at + 1))
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
