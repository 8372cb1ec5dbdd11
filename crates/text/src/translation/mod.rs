//! Translates texts from German, Spanish, French and Chinese to English word by word, so that texts in two
//! languages can be compared, and read by models that know English.
//!
//! Grammar is ignored, each word has one meaning, and unknown words stay as they are.

mod glossary;

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use self::glossary::Glossary;
use crate::language::{Language, is_ideograph};
use crate::stop_words::is_stop_word;

/// Expressions of several words, as they begin a sentence or stand within one, with an English expression.
const EXPRESSIONS: [(&str, &str); 12] = [
    ("en lugar de ", "instead of "),
    ("En lugar de ", "instead of "),
    ("en vez de ", "instead of "),
    ("En vez de ", "instead of "),
    (" a menos que ", " unless "),
    ("A menos que ", "unless "),
    ("au lieu de ", "instead of "),
    ("Au lieu de ", "instead of "),
    ("au lieu d'", "instead of "),
    ("au lieu d’", "instead of "),
    ("plutôt que ", "rather than "),
    ("Plutôt que ", "rather than "),
];
/// Names of tools and branches, and of what tools make, that are words of these languages as well.
const NAMES: [&str; 6] = ["cargo", "main", "port", "ports", "tag", "vue"];

/// Returns a text in another language with its known words in English; `None` for English.
///
/// ```
/// use cm_text::translation::to_english;
/// assert_eq!(to_english("Verwende niemals yarn").as_deref(), Some("use never yarn"));
/// assert_eq!(to_english("Never use yarn"), None);
/// ```
pub fn to_english(text: &str) -> Option<String> {
    to_english_with_names(text, |_| false)
}

/// Like [`to_english`], but words for which `is_name` is true in lower case stay as they are; in German, which
/// writes all nouns with a capital letter, only those that are written in lower case.
pub fn to_english_with_names(text: &str, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let text = &*composed(text);
    let language = Glossary::language_of(text)?;
    let glossary = Glossary::of(language)?;
    let mut gloss = Gloss {
        language,
        glossary,
        is_name: &is_name,
        text: String::with_capacity(text.len()),
        clause: 0,
        is_denied: false,
        has_ne: false,
    };
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            gloss.text.push('`');
        }
        // Code stays as it is.
        if at % 2 == 1 { gloss.text.push_str(part) } else { gloss.push(part) }
    }
    Some(gloss.text)
}

/// English words for the words of one question.
pub struct QuestionTranslation {
    glossary: &'static Glossary,
}

impl QuestionTranslation {
    /// The translation of a question in another language than English; `None` if it is English or its language
    /// cannot be told.
    pub fn of(question: &str) -> Option<Self> {
        Some(Self { glossary: Glossary::of(Glossary::language_of(&composed(question))?)? })
    }

    /// Returns the English words for a word of the question, with or without punctuation: several for compounds
    /// and for Chinese. Empty if none is known.
    pub fn english(&self, word: &str) -> Vec<&'static str> {
        let word = composed(word);
        let runs = word.split(|c: char| !c.is_alphabetic()).filter(|run| !run.is_empty());
        runs.flat_map(|run| self.english_of_run(run)).flat_map(str::split_whitespace).collect()
    }

    fn english_of_run(&self, run: &str) -> Vec<&'static str> {
        let lower = run.to_lowercase();
        if lower.contains(is_ideograph) {
            let segments = self.glossary.segments(&lower);
            return segments.into_iter().filter_map(|segment| self.glossary.get(segment)).collect();
        }
        if is_cased(run) {
            return Vec::new();
        }
        let words = self.glossary.english(&lower);
        // "Die" may be English all the same.
        let is_doubtful = self.glossary.is_ambiguous(&lower) && words.iter().all(|word| is_stop_word(word));
        if is_doubtful { Vec::new() } else { words }
    }
}

/// A text while it is translated.
struct Gloss<'n> {
    language: Language,
    glossary: &'static Glossary,
    is_name: &'n dyn Fn(&str) -> bool,
    /// The translation so far.
    text: String,
    /// Where the current clause begins in it.
    clause: usize,
    /// Whether a word denied since the clause or, in French, the last "ne" began.
    is_denied: bool,
    /// Whether the clause has the French "ne", with which "plus" denies.
    has_ne: bool,
}

impl Gloss<'_> {
    fn push(&mut self, text: &str) {
        let mut text = text.to_owned();
        for (expression, english) in EXPRESSIONS {
            if text.contains(expression) {
                text = text.replace(expression, english);
            }
        }
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let (is_word, is_wide) = (first.is_alphabetic(), is_ideograph(first));
            let same = |c: char| c.is_alphabetic() == is_word && is_ideograph(c) == is_wide;
            let (run, after) = rest.split_at(rest.find(|c: char| !same(c)).unwrap_or(rest.len()));
            match (is_wide, is_word) {
                (true, _) => self.push_chinese(run),
                (_, true) => self.push_word(run, after),
                _ => self.push_marks(run),
            }
            rest = after;
        }
    }

    fn push_marks(&mut self, marks: &str) {
        let mut marks = marks.replace('。', ". ").replace(['，', '、'], ", ");
        if self.language == Language::French {
            marks = marks.replace(['\'', '’'], " ");
        }
        self.text.push_str(&marks);
        if marks.contains(['.', ',', ';', '；', ':', '：']) {
            (self.clause, self.is_denied, self.has_ne) = (self.text.len(), false, false);
        }
    }

    /// Pushes the English words for a word. `after` is the text behind it.
    fn push_word(&mut self, word: &str, after: &str) {
        let lower = word.to_lowercase();
        let english = self.glossary.english(&lower);
        let is_limit = || {
            let next = after.trim_start();
            next.starts_with(|c: char| c.is_ascii_digit())
                || ["als ", "de ", "d'", "d’", "que "].iter().any(|word| next.starts_with(word))
        };
        match english.as_slice() {
            _ if self.is_name(word, &lower) && !self.is_emphasis(word, &lower) => self.text.push_str(word),
            ["not" | "never"] if self.is_concord(&lower) => {}
            [denial @ ("not" | "never")] => self.deny(denial),
            // "Nicht mehr", "ne … plus".
            ["more"] if self.language == Language::German && self.is_denied && !is_limit() => {}
            ["more"] if self.has_ne && !self.is_denied && !is_limit() => self.deny("not"),
            // German writes all nouns with a capital letter, so that it tells nothing.
            [] if self.language == Language::German => self.text.push_str(&lower),
            [] => self.text.push_str(word),
            words => self.text.push_str(&words.join(" ")),
        }
        if self.language == Language::French && matches!(lower.as_str(), "ne" | "n") {
            (self.is_denied, self.has_ne) = (false, true);
        }
    }

    fn deny(&mut self, denial: &str) {
        self.text.push_str(denial);
        self.is_denied = true;
    }

    /// Whether a word that denies repeats the denial of its clause, as in "no … nunca": in Spanish and French
    /// both deny once. A further "no" or "ne" denies anew.
    fn is_concord(&self, lower: &str) -> bool {
        matches!(self.language, Language::Spanish | Language::French) && self.is_denied && lower != "no"
    }

    /// Whether a word stays as it is: it is spelled like a name, or names a tool, a branch or the like in English
    /// as well.
    fn is_name(&self, word: &str, lower: &str) -> bool {
        // German writes all nouns with a capital letter: "Tag" is a day.
        let may_be_name = word == lower || self.language != Language::German;
        is_cased(word)
            || may_be_name && (NAMES.contains(&lower) || (self.is_name)(lower))
            || self.is_proper(word)
    }

    /// Whether a word has a capital letter within a sentence, where the language has it in names alone.
    fn is_proper(&self, word: &str) -> bool {
        let begins = self
            .text
            .trim_end()
            .chars()
            .next_back()
            .is_none_or(|last| !last.is_alphanumeric() && last != ',');
        self.language != Language::German
            && !begins
            && word.starts_with(char::is_uppercase)
            && word.chars().skip(1).any(char::is_lowercase)
    }

    /// Whether a word in capitals structures the text: "NEVER".
    fn is_emphasis(&self, word: &str, lower: &str) -> bool {
        const STRUCTURE: [&str; 7] = ["", "never", "not", "always", "only", "must", "without"];
        let english = self.glossary.get(lower);
        word.chars().all(char::is_uppercase) && english.is_some_and(|english| STRUCTURE.contains(&english))
    }

    fn push_chinese(&mut self, run: &str) {
        for word in self.glossary.segments(run) {
            match (word, self.glossary.get(word)) {
                ("前", _) | (_, Some("before")) => self.put_first("before"),
                ("后" | "後", _) | (_, Some("after")) => self.put_first("after"),
                (_, english) => {
                    self.text.push(' ');
                    self.text.push_str(english.unwrap_or(word));
                }
            }
        }
        self.text.push(' ');
    }

    /// Puts a word that orders steps, which stands behind the first of them in Chinese, before it as in
    /// English: "before merging, test".
    fn put_first(&mut self, order: &str) {
        if self.text.get(self.clause..).is_some_and(|step| !step.trim().is_empty()) {
            self.text.insert_str(self.clause, &format!(" {order} "));
            self.text.push(',');
        }
    }
}

/// Returns a text whose letters and marks, such as `u` and `¨`, are composed as in the glossaries.
fn composed(text: &str) -> Cow<'_, str> {
    if is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// Whether a word is spelled like a name: with a capital letter after its first.
fn is_cased(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_structure_a_statement_are_those_of_english() {
        let words = |text: &str| {
            to_english(text)
                .unwrap_or_else(|| panic!("{text}"))
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(words("Verwende niemals yarn, sondern pnpm"), "use never yarn, but pnpm");
        assert_eq!(words("Wir nutzen yarn nicht mehr"), "we use yarn not");
        assert_eq!(words("No uses nunca npm en lugar de pnpm"), "not use npm instead of pnpm");
        assert_eq!(words("N'utilise jamais npm au lieu de pnpm"), "use never npm instead of pnpm");
        assert_eq!(words("On n'utilise plus npm"), "use not npm");
        assert_eq!(words("Si los tests no pasan no hagas merge"), "if the test not pass not do merge");
        assert_eq!(words("Pas plus de 3 paramètres"), "not more of 3 parameter");
        assert_eq!(words("Zeilen nicht mehr als 100 Zeichen"), "row not more than 100 character");
        assert_eq!(words("NIEMALS direkt auf main pushen"), "never directly on main push");
        assert_eq!(words("Ne pousse jamais sur main"), "push never on main");
        assert_eq!(words("Los tests no usan la red"), "the test not use the network");
        let with_names = to_english_with_names("Utilise vite, pas webpack", |word| word == "vite");
        assert_eq!(with_names.as_deref(), Some("use vite, not webpack"));
        assert_eq!(words("合併之後必須部署"), "after merge, always deploy");
        assert_eq!(words("合并之前必须测试"), "before merge, always test");
        assert_eq!(words("Nutze `ohne nie` immer"), "use `ohne nie` always");
    }

    #[test]
    fn decomposed_letters_are_translated_like_composed_ones() {
        assert_eq!(
            to_english("Lo\u{308}sche niemals die Rückgabe"),
            to_english("Lösche niemals die Rückgabe")
        );
        assert!(to_english("Lo\u{308}sche niemals die Ru\u{308}ckgabe").unwrap().starts_with("delete never"));
        let question = QuestionTranslation::of("wo la\u{308}uft die Pru\u{308}fung?").unwrap();
        assert_eq!(question.english("Pru\u{308}fung?"), question.english("Prüfung"));
    }

    #[test]
    fn words_of_a_question_have_english_ones() {
        let german = QuestionTranslation::of("Warum dauert der Datenbankabfrage so lange?").unwrap();
        assert_eq!(german.english("Datenbankabfrage"), ["database", "query"]);
        assert_eq!(german.english("dauert"), ["last"]);
        assert_eq!(german.english("Datenbank?"), ["database"]);
        let french = QuestionTranslation::of("où est l’imprimante ?").unwrap();
        assert_eq!(french.english("l’imprimante"), ["printer"]);
        assert_eq!(to_english("On demande à Pierre où est la clé").unwrap().matches("Pierre").count(), 1);
        assert_eq!(german.english("maxRetries"), Vec::<&str>::new());
        assert_eq!(german.english("qwxyz"), Vec::<&str>::new());
        let chinese = QuestionTranslation::of("数据库迁移").unwrap();
        assert_eq!(chinese.english("数据库迁移"), ["database", "migration"]);
        assert!(QuestionTranslation::of("why is the database slow").is_none());
    }
}
