//! Guesses in which language a short text is written, by its function words.
//!
//! Knows the languages of which the classifiers have training examples. Names and code say nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A language with a list of function words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Chinese,
}

/// Frequent words of a language that are rare in the other ones, sorted.
const ENGLISH: [&str; 42] = [
    "and", "any", "are", "because", "before", "but", "don't", "for", "from", "has", "have", "here",
    "instead", "into", "is", "it", "its", "must", "never", "not", "of", "only", "or", "our", "run", "should",
    "that", "the", "them", "then", "there", "these", "this", "to", "use", "we", "when", "which", "with",
    "without", "you", "your",
];
const GERMAN: [&str; 49] = [
    "aber", "auch", "auf", "aus", "bei", "benutze", "bitte", "das", "dem", "den", "der", "die", "ein",
    "eine", "einen", "erst", "für", "ich", "immer", "ist", "kein", "keine", "mit", "muss", "nach", "nicht",
    "nie", "niemals", "nimm", "nur", "nutze", "oder", "ohne", "sind", "sondern", "statt", "und", "uns",
    "unter", "verwende", "vom", "von", "vor", "wenn", "werden", "wir", "zu", "zum", "zur",
];
const FRENCH: [&str; 45] = [
    "au", "aussi", "aux", "avant", "avec", "c'est", "car", "ce", "ces", "chez", "dans", "des", "doit",
    "donc", "du", "elle", "est", "et", "faut", "il", "ils", "jamais", "je", "le", "les", "lieu", "mais",
    "nous", "ou", "par", "pas", "pour", "plus", "quand", "sans", "se", "sont", "sur", "toujours", "un",
    "une", "utilise", "utilisez", "vous", "être",
];
const SPANISH: [&str; 44] = [
    "al", "antes", "aquí", "como", "con", "cuando", "de", "debe", "del", "donde", "el", "ella", "ellos",
    "en", "es", "esta", "este", "están", "hay", "la", "las", "lo", "los", "lugar", "más", "nosotros",
    "nunca", "para", "pero", "por", "porque", "que", "se", "sea", "siempre", "sin", "sobre", "son",
    "también", "una", "usa", "usamos", "utiliza", "y",
];

const FUNCTION_WORDS: [(Language, &[&str]); 4] = [
    (Language::English, &ENGLISH),
    (Language::German, &GERMAN),
    (Language::French, &FRENCH),
    (Language::Spanish, &SPANISH),
];

/// The languages of each function word.
static LANGUAGES: LazyLock<HashMap<&str, Vec<Language>>> = LazyLock::new(|| {
    let mut languages: HashMap<&str, Vec<Language>> = HashMap::new();
    for (language, words) in FUNCTION_WORDS {
        words.iter().for_each(|word| languages.entry(word).or_default().push(language));
    }
    languages
});

impl Language {
    /// Returns the language of most function words; `None` if no language has more of them than
    /// every other one.
    ///
    /// ```
    /// use cm_text::language::Language;
    /// assert_eq!(Language::of("Run the migrations with sqlx"), Some(Language::English));
    /// assert_eq!(Language::of("die Migrationen laufen mit sqlx"), Some(Language::German));
    /// assert_eq!(Language::of("sqlx migrate"), None);
    /// ```
    pub fn of(text: &str) -> Option<Self> {
        if text.contains(is_ideograph) {
            return Some(Self::Chinese);
        }
        let lower = text.to_lowercase().replace('’', "'");
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        let mut counts = FUNCTION_WORDS.map(|(language, _)| (0, language));
        for language in words.iter().filter_map(|word| LANGUAGES.get(word)).flatten() {
            counts.iter_mut().filter(|(_, counted)| counted == language).for_each(|(count, _)| *count += 1);
        }
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let [(best, language), (second, _), ..] = counts;
        (best > second).then_some(language)
    }

    /// Whether a lower-case word is a function word of any of the languages.
    pub fn is_function_word(word: &str) -> bool {
        LANGUAGES.contains_key(word)
    }
}

/// Returns `true` for the characters of everyday Chinese, which Japanese also writes: the block of the
/// unified ideographs, without its extensions. Used to recognize Chinese and to split it into words.
pub fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Returns `true` for the characters of the Japanese syllabaries.
pub fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}')
}

/// Returns `true` for kana and all ideographs, with their extensions. Each is a token of its own for
/// the classifier of statements, whose weights depend on this set.
pub fn is_kana_or_han(c: char) -> bool {
    is_kana(c) || matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Returns `true` for kana, ideographs and Korean syllables. The canonical form of a text with one of
/// them has no white space or punctuation.
pub fn is_cjk(c: char) -> bool {
    is_kana(c) || matches!(c, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_sentences_have_their_language_and_names_have_none() {
        let cases = [
            ("no, we don't mock the database here", Language::English),
            ("bei uns laufen die Tests nur mit `make test`", Language::German),
            ("on lance les tests avec make test, pas avec pytest", Language::French),
            ("las migraciones se lanzan con make migrate, no con alembic", Language::Spanish),
            ("数据库迁移用 make migrate", Language::Chinese),
        ];
        for (text, language) in cases {
            assert_eq!(Language::of(text), Some(language), "{text}");
        }
        assert_eq!(Language::of("pnpm test:unit"), None);
        assert_eq!(Language::of(""), None);
    }
}
