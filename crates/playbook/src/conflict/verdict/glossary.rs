//! The glossaries from German, Spanish, French and Chinese to English in `assets/glossary/`.
//!
//! Each line has an English word, a tab, and the words of the other language that mean it, in the forms that rules
//! use. Words of a line with `-` are left out of the translation. The first lines have function words.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::conflict::lexicon::LEXICON;
use cm_text::language::Language;

/// The words of a language with their English ones.
pub(super) struct Glossary {
    exact: HashMap<&'static str, &'static str>,
    stems: HashMap<&'static str, &'static str>,
    language: Language,
}

/// The file of each language.
const FILES: [(Language, &str); 4] = [
    (Language::German, include_str!("../../../../../assets/glossary/de.tsv")),
    (Language::Spanish, include_str!("../../../../../assets/glossary/es.tsv")),
    (Language::French, include_str!("../../../../../assets/glossary/fr.tsv")),
    (Language::Chinese, include_str!("../../../../../assets/glossary/zh.tsv")),
];

static GLOSSARIES: [OnceLock<Glossary>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

impl Glossary {
    /// Returns the glossary of a language, which is read on first use; `None` for English.
    pub fn of(language: Language) -> Option<&'static Self> {
        let mut all = FILES.iter().zip(&GLOSSARIES);
        let ((_, text), glossary) = all.find(|((of, _), _)| *of == language)?;
        Some(glossary.get_or_init(|| Self::read(language, text)))
    }

    /// Returns the language other than English of which a text has the most known words, if these are two in
    /// five, or one in four where its function words are of that language; `None` for English, and if it cannot be
    /// told.
    pub fn language_of(text: &str) -> Option<Language> {
        let guess = Language::of(text);
        if matches!(guess, Some(Language::English | Language::Chinese)) {
            return guess.filter(|language| *language == Language::Chinese);
        }
        let lower = text.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1).collect();
        // "Tests" and "on" may be English as well.
        let tells = |word: &str, english: &str| {
            (english.is_empty() || !word.starts_with(english)) && LEXICON.cue(word).is_none()
        };
        let known = |language: Language| {
            let glossary = Self::of(language)?;
            let is_known = |word: &&&str| glossary.get(word).is_some_and(|english| tells(word, english));
            Some((words.iter().filter(is_known).count(), Some(language) == guess, language))
        };
        let spaced = [Language::German, Language::Spanish, Language::French];
        let counts = spaced.into_iter().filter_map(known);
        let (count, is_guess, language) = counts.max_by_key(|(count, is_guess, _)| (*count, *is_guess))?;
        let is_enough = count * 5 >= words.len() * 2 && count >= 2;
        (is_enough || is_guess && count * 4 >= words.len()).then_some(language)
    }

    fn read(language: Language, text: &'static str) -> Self {
        let (mut exact, mut stems) = (HashMap::new(), HashMap::new());
        for line in text.lines() {
            let Some((english, words)) = line.split_once('\t') else { continue };
            let english = if english == "-" { "" } else { english };
            for word in words.split(' ') {
                exact.entry(word).or_insert(english);
                stems.entry(stem(word)).or_insert(english);
            }
        }
        Self { exact, stems, language }
    }

    /// Returns the English word for a word in lower case; empty if it is dropped.
    pub fn get(&self, word: &str) -> Option<&'static str> {
        self.exact.get(word).copied()
    }

    /// Returns the English words for a word in lower case or one of its inflections; two for a German
    /// compound. Empty if it is unknown.
    pub fn english(&self, word: &str) -> Vec<&'static str> {
        if let Some(known) = self.single(word) {
            return vec![known];
        }
        if self.language != Language::German || word.chars().count() < 8 {
            return Vec::new();
        }
        let cuts = word.char_indices().map(|(at, _)| at).filter(|at| *at >= 3 && at + 3 <= word.len());
        let parts = cuts.filter_map(|at| {
            let (head, tail) = word.split_at(at);
            let linked = |letter| self.single(head.strip_suffix(letter)?);
            let head = self.single(head).or_else(|| linked('s')).or_else(|| linked('n'))?;
            Some(vec![head, self.single(tail)?])
        });
        parts.into_iter().next().unwrap_or_default()
    }

    fn single(&self, word: &str) -> Option<&'static str> {
        let is_inflected = || word.chars().count() >= 4;
        self.get(word).or_else(|| is_inflected().then(|| self.stems.get(stem(word)).copied())?)
    }

    /// Splits text without spaces into the longest known words, and single characters.
    pub fn segments<'t>(&self, text: &'t str) -> Vec<&'t str> {
        const LONGEST: usize = 4;
        let mut words = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(LONGEST);
            let known = ends.filter(|end| self.exact.contains_key(&rest[..*end])).last();
            let (word, after) = rest.split_at(known.unwrap_or(first.len_utf8()));
            words.push(word);
            rest = after;
        }
        words
    }
}

/// Cuts an inflection off; at least four characters remain.
fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 23] = [
        "ungen", "iert", "ados", "adas", "ado", "ada", "ées", "ée", "és", "é", "en", "es", "er", "em", "ar",
        "ir", "as", "os", "e", "n", "s", "a", "o",
    ];
    let length = word.chars().count();
    let ending =
        ENDINGS.iter().find(|ending| word.ends_with(*ending) && length >= 4 + ending.chars().count());
    ending.and_then(|ending| word.strip_suffix(ending)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_and_compound_words_are_known() {
        let german = Glossary::of(Language::German).unwrap();
        assert_eq!(german.english("testdatenbank"), ["test", "database"]);
        assert_eq!(german.english("rechnungen"), ["invoice"]);
        assert_eq!(german.english("dachstein"), Vec::<&str>::new());
        let chinese = Glossary::of(Language::Chinese).unwrap();
        assert_eq!(chinese.segments("日志服务器"), ["日志", "服务器"]);
    }

    #[test]
    fn the_language_of_a_text_is_that_of_most_words() {
        let found = Glossary::language_of;
        assert_eq!(found("Kleine Fixes pushst du einfach direkt auf main."), Some(Language::German));
        assert_eq!(found("Umtausch nur gegen Vorlage des Kassenbons"), Some(Language::German));
        assert_eq!(
            found("Ne videz le cache qu'une fois la mise en production terminée."),
            Some(Language::French)
        );
        assert_eq!(found("On prend les chèques en caisse à partir de 15 euros."), Some(Language::French));
        assert_eq!(found("squash merge"), None);
        assert_eq!(found("Deploy on Fridays"), None);
        assert_eq!(found("No tests on main"), None);
        assert_eq!(found("Nunca uses npm"), Some(Language::Spanish));
        assert_eq!(found("Nigdy nie pushuj do main"), None);
        assert_eq!(found("Run database migrations before deployment"), None);
        assert_eq!(found("pnpm test:unit"), None);
    }

    #[test]
    fn no_word_stands_in_two_entries_and_every_line_is_one() {
        for (language, text) in FILES {
            let mut known: HashMap<&str, &str> = HashMap::new();
            for line in text.lines() {
                let (english, words) =
                    line.split_once('\t').unwrap_or_else(|| panic!("{language:?}: {line}"));
                for word in words.split(' ') {
                    assert!(!word.is_empty(), "{language:?}: {line}");
                    assert_eq!(known.insert(word, english), None, "{language:?}: {word}, {english}");
                }
            }
        }
    }
}
