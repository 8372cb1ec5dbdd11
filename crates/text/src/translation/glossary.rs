//! The glossaries from German, Spanish, French and Chinese to English in `assets/glossary/`.
//!
//! Each line has a word in lower case, a tab and its English word, which is `-` if the word is left out of a
//! translation. A further tab and `*` mark a word that is spelled like an English one, so that it does not tell the
//! language of a text. `en.txt` has English words, which are no inflections of another language's. The lines are in
//! the order of their bytes, for a binary search.

use std::sync::OnceLock;

use crate::language::{Language, is_ideograph, is_kana};

/// Number of characters at the start of a text by which its language is told.
const LANGUAGE_SAMPLE_CHARS: usize = 600;

/// The words of a language with their English ones.
pub(super) struct Glossary {
    lines: SortedLines,
    language: Language,
}

/// A word with its English one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct GlossaryEntry {
    word: &'static str,
    /// Empty if the word is left out of a translation.
    english: &'static str,
    /// Whether the word is spelled like an English one.
    is_ambiguous: bool,
}

static ENGLISH: SortedLines = SortedLines::of(include_str!("../../../../assets/glossary/en.txt"));

/// Longest German word that is taken apart, in bytes.
const MAX_COMPOUND_BYTES: usize = 60;

/// Shortest English part of a German compound, in bytes.
const MIN_PART_BYTES: usize = 4;

static GLOSSARIES: [Glossary; 4] = [
    Glossary {
        language: Language::German,
        lines: SortedLines::of(include_str!("../../../../assets/glossary/de.tsv")),
    },
    Glossary {
        language: Language::Spanish,
        lines: SortedLines::of(include_str!("../../../../assets/glossary/es.tsv")),
    },
    Glossary {
        language: Language::French,
        lines: SortedLines::of(include_str!("../../../../assets/glossary/fr.tsv")),
    },
    Glossary {
        language: Language::Chinese,
        lines: SortedLines::of(include_str!("../../../../assets/glossary/zh.tsv")),
    },
];

impl Glossary {
    /// Returns the glossary of a language; `None` for English.
    pub fn of(language: Language) -> Option<&'static Self> {
        GLOSSARIES.iter().find(|glossary| glossary.language == language)
    }

    /// Returns the language other than English of which a text has the most known words, if these are at least two
    /// (one in a text of one word) and two in five, or one in three where its function words are of that language;
    /// `None` for English, and if it cannot be told. Of a long text only the start is read.
    pub fn language_of(text: &str) -> Option<Language> {
        let text = text.char_indices().nth(LANGUAGE_SAMPLE_CHARS).map_or(text, |(end, _)| &text[..end]);
        let guess = Language::of(text);
        if guess == Some(Language::Chinese) {
            let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count();
            // An English text may have a name in Chinese.
            let is_chinese = count(is_kana) == 0 && count(is_ideograph) * 5 >= count(char::is_alphabetic);
            return guess.filter(|_| is_chinese);
        }
        if guess == Some(Language::English) {
            return None;
        }
        let lower = text.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1).collect();
        let matches_in = |glossary: &Self| {
            let is_guess = Some(glossary.language) == guess;
            let entries = || words.iter().filter_map(|word| glossary.entry(word));
            let telling = entries().filter(|entry| !entry.is_ambiguous).count();
            let count = if is_guess && telling > 0 { entries().count() } else { telling };
            (count, is_guess, glossary.language)
        };
        let spaced = GLOSSARIES.iter().filter(|glossary| glossary.language != Language::Chinese);
        let counts = spaced.map(matches_in);
        let (count, is_guess, language) = counts.max_by_key(|(count, is_guess, _)| (*count, *is_guess))?;
        let is_enough = count * 5 >= words.len() * 2 || is_guess && count * 3 >= words.len();
        (count > 0 && count >= words.len().min(2) && is_enough).then_some(language)
    }

    /// Whether a word in lower case is spelled like an English one.
    pub fn is_ambiguous(&self, word: &str) -> bool {
        self.entry(word).is_some_and(|entry| entry.is_ambiguous)
    }

    /// Returns the English word for a word in lower case; empty if it is dropped.
    pub fn get(&self, word: &str) -> Option<&'static str> {
        self.entry(word).map(|entry| entry.english)
    }

    /// Returns the English words for a word in lower case or one of its inflections; two for a German
    /// compound. Empty if it is unknown.
    pub fn english(&self, word: &str) -> Vec<&'static str> {
        if let Some(english) = self.single(word) {
            return vec![english];
        }
        let is_compound = word.len() <= MAX_COMPOUND_BYTES && word.chars().count() >= 8;
        if self.language != Language::German || !is_compound || english_word(word).is_some() {
            return Vec::new();
        }
        let cuts = word.char_indices().map(|(at, _)| at).filter(|at| *at >= 3 && at + 3 <= word.len());
        let english = |part| english_word(part).filter(|part| part.len() >= MIN_PART_BYTES);
        let parts = cuts.filter_map(|at| {
            let (head, tail) = word.split_at(at);
            let linked = |letter| self.get(head.strip_suffix(letter)?);
            let head =
                self.get(head).or_else(|| linked('s')).or_else(|| linked('n')).or_else(|| english(head))?;
            Some(vec![head, self.single(tail).or_else(|| english(tail))?])
        });
        parts.into_iter().next().unwrap_or_default()
    }

    fn single(&self, word: &str) -> Option<&'static str> {
        self.get(word).or_else(|| {
            (word.chars().count() >= 4 && english_word(word).is_none()).then(|| self.inflected(word))?
        })
    }

    /// Returns the English word of the entry that has the stem of a word, and of several of the one that begins
    /// most like it.
    fn inflected(&self, word: &str) -> Option<&'static str> {
        let stem = stem(word);
        let same_stem = self.entries_from(stem).take_while(|entry| entry.word.starts_with(stem));
        let common =
            |entry: &GlossaryEntry| entry.word.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
        let same_stem = same_stem.filter(|entry| self::stem(entry.word) == stem);
        same_stem.min_by_key(|entry| std::cmp::Reverse(common(entry))).map(|entry| entry.english)
    }

    /// Splits text without spaces into the longest known words, and single characters.
    pub fn segments<'t>(&self, text: &'t str) -> Vec<&'t str> {
        const MAX_ENTRY_CHARS: usize = 4;
        let mut words = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(MAX_ENTRY_CHARS);
            let longest_end = ends.filter(|end| self.entry(&rest[..*end]).is_some()).last();
            let (word, after) = rest.split_at(longest_end.unwrap_or(first.len_utf8()));
            words.push(word);
            rest = after;
        }
        words
    }

    fn entry(&self, word: &str) -> Option<GlossaryEntry> {
        self.entries_from(word).next().filter(|entry| entry.word == word)
    }

    /// The entries from the first one whose word is not before `word`.
    fn entries_from(&self, word: &str) -> impl Iterator<Item = GlossaryEntry> + use<> {
        self.lines.from(word).filter_map(GlossaryEntry::of)
    }
}

/// Returns a word in lower case if it is an English one.
fn english_word(word: &str) -> Option<&'static str> {
    ENGLISH.from(word).next().filter(|entry| *entry == word)
}

/// Lines that are sorted by their first column.
struct SortedLines {
    text: &'static str,
    /// Where each line begins; found on first use.
    starts: OnceLock<Vec<usize>>,
}

impl SortedLines {
    const fn of(text: &'static str) -> Self {
        Self { text, starts: OnceLock::new() }
    }

    /// The lines from the first one whose first column is not before `word`.
    fn from(&self, word: &str) -> std::str::Lines<'static> {
        let starts = self.starts.get_or_init(|| {
            let ends = self.text.match_indices('\n').map(|(end, _)| end + 1);
            std::iter::once(0).chain(ends.filter(|start| *start < self.text.len())).collect()
        });
        // The bytes of a column compare like its characters; a longer column is not before its beginning.
        let (text, word) = (self.text.as_bytes(), word.as_bytes());
        let is_before = |start: &usize| {
            let line = &text[*start..];
            let same = line.iter().zip(word).take_while(|(a, b)| a == b).count();
            match (line.get(same), word.get(same)) {
                (_, None) => false,
                (None | Some(b'\t' | b'\n'), Some(_)) => true,
                (Some(own), Some(other)) => own < other,
            }
        };
        let at = starts.partition_point(is_before);
        starts.get(at).map_or("", |start| &self.text[*start..]).lines()
    }
}

impl GlossaryEntry {
    fn of(line: &'static str) -> Option<Self> {
        let (word, rest) = line.split_once('\t')?;
        let (english, is_ambiguous) =
            rest.strip_suffix("\t*").map_or((rest, false), |english| (english, true));
        Some(Self { word, english: if english == "-" { "" } else { english }, is_ambiguous })
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
        assert_eq!(german.english("datenbankserver"), ["database", "server"]);
        assert_eq!(german.english("rechnungen"), ["invoice"]);
        assert_eq!(german.english("xylqwertz"), Vec::<&str>::new());
        let french = Glossary::of(Language::French).unwrap();
        for english in ["server", "cache", "user", "redis"] {
            assert_eq!(french.english(english), Vec::<&str>::new(), "an English word is no inflection");
        }
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
        assert_eq!(found("Nunca uses npm"), Some(Language::Spanish));
        assert_eq!(found("Rechnung"), Some(Language::German));
        for other in [
            "squash merge",
            "Deploy on Fridays",
            "No tests on main",
            "Nigdy nie pushuj do main",
            "Run database migrations before deployment",
            "pnpm test:unit",
            "gift list",
            "redis",
            "rebase",
            "car sales",
            "sin cos tan",
            "du disk usage",
            "the router of Wang (王)",
            "python del vars defined",
            "データベースの移行に失敗した",
            "main",
            "",
        ] {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn every_line_is_an_entry_and_all_are_in_order_and_found() {
        for glossary in &GLOSSARIES {
            let words: Vec<&str> =
                glossary.lines.text.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
            for (line, pair) in glossary.lines.text.lines().skip(1).zip(words.windows(2)) {
                assert!(pair[0] < pair[1], "{line} is not in order");
            }
            for line in glossary.lines.text.lines() {
                let entry = GlossaryEntry::of(line).unwrap_or_else(|| panic!("{line}"));
                assert!(!entry.word.is_empty() && !entry.english.contains('\t'), "{line}");
                assert_eq!(glossary.entry(entry.word), Some(entry), "{line}");
            }
            assert!(ENGLISH.text.lines().is_sorted());
            assert_eq!(glossary.entry(""), None);
            assert_eq!(glossary.entry("\u{10ffff}"), None);
        }
    }
}
