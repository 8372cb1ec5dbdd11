//! Checks that a proposed text says nothing that its sources do not say.
//!
//! Only what can be compared without understanding is checked: code, paths, flags, numbers, names,
//! negations, and how many words are new.

use std::collections::HashSet;

use crate::content_words::{content_words, words};
use crate::statement::features::is_code;
use cm_text::language::{Language, is_kana_or_han};
use cm_text::shorten::fold_whitespace;

/// Words that deny or forbid, in the languages that the classifier of statements knows.
const NEGATIONS: [&str; 44] = [
    "never",
    "not",
    "no",
    "don't",
    "dont",
    "doesn't",
    "isn't",
    "aren't",
    "can't",
    "cannot",
    "won't",
    "without",
    "avoid",
    "stop",
    "nor",
    "neither",
    "none",
    "nope",
    "nie",
    "niemals",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nein",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "aucun",
    "aucune",
    "sans",
    "non",
    "plus",
    "nunca",
    "jamás",
    "sin",
    "ningún",
    "ninguna",
    "tampoco",
    "ni",
    "forbidden",
    "verboten",
];
/// Words that exclude something without denying it. A proposal may say the same with a negation.
const EXCLUSIONS: [&str; 14] = [
    "instead",
    "rather",
    "only",
    "anymore",
    "longer",
    "statt",
    "anstatt",
    "nur",
    "lieu",
    "plutôt",
    "seulement",
    "lugar",
    "solo",
    "sólo",
];
/// Number of first letters in which a name agrees with its form in another language.
const NAME_STEM_CHARS: usize = 5;
/// Negations of scripts without spaces.
const NEGATION_MARKS: [&str; 6] = ["不", "别", "勿", "没", "禁", "无"];

/// Returns the parts of `text` that no source contains: first code in backticks, then paths, flags,
/// numbers and names, then new subjects, then the first negation if no source has any. Empty if all are there. A name
/// may also stand in `names`, or begin as a word there does.
///
/// ```
/// use cm_learn::reflect::grounding::missing_parts;
/// let quote = ["no, pnpm please. npm breaks the lockfile"];
/// assert!(missing_parts("Use pnpm, not npm; npm breaks the lockfile.", &quote, &[]).is_empty());
/// assert_eq!(missing_parts("Use pnpm 9 with `--frozen`.", &quote, &[]), ["--frozen", "9"]);
/// ```
pub fn missing_parts(text: &str, sources: &[&str], names: &[&str]) -> Vec<String> {
    let folded: Vec<String> = sources.iter().map(|source| fold_for_comparison(source)).collect();
    let source_words: HashSet<String> = sources.iter().flat_map(|source| words(source)).collect();
    let is_there = |part: &str| {
        let part = fold_for_comparison(part);
        folded.iter().any(|source| source.contains(&part))
    };
    let stems: HashSet<String> =
        sources.iter().chain(names).flat_map(|source| words(source)).map(|word| stem(&word)).collect();
    let mut missing: Vec<String> = Vec::new();
    let mut prose = String::new();
    for (at, span) in text.split('`').enumerate() {
        if at % 2 == 0 {
            prose += span;
            prose.push(' ');
        } else if !is_there(span) {
            missing.push(span.to_owned());
        }
    }
    let mut starts_sentence = true;
    for token in prose.split_whitespace() {
        let ends = token.ends_with(['.', '!', '?', ':', '。', '！', '？']);
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/' | '_' | '@'));
        let is_name = !starts_sentence && bare.chars().next().is_some_and(char::is_uppercase);
        let is_number = bare.chars().any(|c| c.is_ascii_digit());
        let is_exact = is_code(bare) || is_number;
        let is_named = || !is_exact && stems.contains(&stem(&bare.to_lowercase()));
        if (is_exact || is_name) && !is_there(bare) && !bare.is_empty() && !is_named() {
            missing.push(bare.to_owned());
        }
        starts_sentence = ends;
    }
    let exact = missing.join(" ").to_lowercase();
    let everywhere = source_words.iter().cloned().chain(names.iter().flat_map(|name| words(name))).collect();
    missing.extend(
        new_subjects(text, sources, &everywhere).into_iter().filter(|word| !exact.contains(word.as_str())),
    );
    let negation = first_negation(&prose);
    missing.extend(negation.filter(|_| {
        let excludes =
            |word: &String| NEGATIONS.contains(&word.as_str()) || EXCLUSIONS.contains(&word.as_str());
        !source_words.iter().any(excludes) && !folded.iter().any(|source| first_negation(source).is_some())
    }));
    missing
}

/// One in this many content words of a text may be another word than the sources', such as another verb.
const MAX_OTHER_WORDS_SHARE: usize = 3;
/// Number of first letters in which two forms of a word agree.
const MIN_SHARED_CHARS: usize = 4;
/// Beginnings of words for what cannot be taken back or reaches others.
const GRAVE: [&str; 18] = [
    "delet", "drop", "remov", "eras", "wipe", "wiping", "destroy", "overwrit", "reset", "purg", "publish",
    "deploy", "send", "upload", "disabl", "lösch", "borra", "supprim",
];
/// Words for following a rule, which a proposal may add.
const NEUTRAL: [&str; 29] = [
    "all",
    "each",
    "every",
    "any",
    "whole",
    "entire",
    "before",
    "write",
    "put",
    "run",
    "prefer",
    "add",
    "set",
    "take",
    "choose",
    "follow",
    "apply",
    "start",
    "leave",
    "always",
    "must",
    "should",
    "need",
    "project",
    "repository",
    "repo",
    "person",
    "user",
    "wants",
];

/// Returns the content words of a text that are beyond paraphrase: words for grave acts, and all new ones if they are
/// more than a third of its content words. Only the former if the text is in another language than the sources.
fn new_subjects(text: &str, sources: &[&str], source_words: &HashSet<String>) -> Vec<String> {
    let languages: Vec<Language> = sources.iter().filter_map(|source| Language::of(source)).collect();
    let is_grave = |word: &str| GRAVE.iter().find(|stem| word.starts_with(**stem)).copied();
    let is_named = |stem: &str| source_words.iter().any(|other| other.starts_with(stem));
    let grave: Vec<String> = content_words(text)
        .into_iter()
        .filter(|word| is_grave(word).is_some_and(|stem| !is_named(stem)))
        .collect();
    let is_translated =
        Language::of(text).is_some_and(|own| !languages.is_empty() && !languages.contains(&own));
    if is_translated {
        return grave;
    }
    let is_compared = |word: &String| {
        let word = word.as_str();
        !word.contains(is_kana_or_han) && !NEUTRAL.contains(&word) && !NEGATIONS.contains(&word)
    };
    let own: Vec<String> = content_words(text).into_iter().filter(is_compared).collect();
    let is_form_of = |word: &str, other: &str| {
        let shared = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        word == other || shared >= MIN_SHARED_CHARS
    };
    let new: Vec<&String> =
        own.iter().filter(|word| !source_words.iter().any(|other| is_form_of(word, other))).collect();
    let are_many = new.len() * MAX_OTHER_WORDS_SHARE > own.len();
    let others = new.into_iter().filter(|word| are_many && !grave.contains(word)).cloned();
    grave.iter().cloned().chain(others).collect()
}

fn stem(word: &str) -> String {
    word.chars().take(NAME_STEM_CHARS).collect()
}

fn first_negation(text: &str) -> Option<String> {
    let lower = fold_for_comparison(text);
    let word = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .find(|word| NEGATIONS.contains(word))
        .map(str::to_owned);
    word.or_else(|| NEGATION_MARKS.iter().find(|mark| lower.contains(*mark)).map(|mark| (*mark).to_owned()))
}

/// Lower case, straight apostrophes, one space between words, and no marks of code.
fn fold_for_comparison(text: &str) -> String {
    let plain = text.to_lowercase().replace('’', "'").replace('`', "");
    fold_whitespace(&plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn japanese_words_are_not_compared_because_nothing_parts_them() {
        let quote = ["これからはコミットメッセージは必ず英語で書いて。"];
        assert!(missing_parts("コミットメッセージは英語で書く。", &quote, &[]).is_empty());
        assert_eq!(missing_parts("コミットメッセージは `git` で書く。", &quote, &[]), ["git"]);
    }

    #[test]
    fn what_the_sources_do_not_say_is_named() {
        let sources = ["don't touch src/gen, change proto/order.proto", "make gen"];
        let missing = |text: &str| missing_parts(text, &sources, &[]).join("|");
        assert_eq!(missing("Never edit `src/gen`; change proto/order.proto and run `make gen`."), "");
        assert_eq!(missing("Never edit src/lib with Bazel 7."), "src/lib|Bazel|7|edit");
        assert_eq!(missing_parts("Never rebase.", &["rebase before you merge"], &[]), ["never"]);
        assert_eq!(missing_parts("Nie direkt pushen.", &["never push directly"], &[]), Vec::<String>::new());
        assert_eq!(missing_parts("统一用 pnpm，不要用 npm", &["用 pnpm"], &[]), ["npm", "不"]);
    }

    #[test]
    fn a_name_may_stand_elsewhere_and_be_translated_but_code_and_numbers_may_not() {
        let quote = ["die Commits bitte auf Englisch, Postgres bleibt"];
        let missing = |text: &str, names: &[&str]| missing_parts(text, &quote, names).join("|");
        assert_eq!(missing("Write commits in English.", &[]), "");
        assert_eq!(missing("Write commits of the Kiln project in English.", &[]), "Kiln");
        assert_eq!(missing("Write commits of the Kiln project in English.", &["ich bin neu bei kiln"]), "");
        assert_eq!(missing("Keep Postgres 16 and db/init.sql.", &["16 db/init.sql"]), "16|db/init.sql");
    }

    #[test]
    fn new_subjects_and_grave_acts_are_named_and_another_verb_is_not() {
        let quote = ["not black, we format with ruff format in this repo"];
        let missing = |text: &str| missing_parts(text, &quote, &[]).join("|");
        assert_eq!(missing("Format with ruff in this repo, not with black."), "");
        assert_eq!(missing("Never use black nor isort."), "isort");
        assert_eq!(
            missing("We format with ruff in this repo and check types with mypy."),
            "check|mypy|types"
        );
        assert_eq!(missing("Delete the repo when black was used; we format with ruff."), "delete|used");
        assert_eq!(
            missing_parts("Never commit generated files.", &["never check in generated files"], &[]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_excludes_something_may_be_said_with_a_negation() {
        assert!(missing_parts("Use rg, not grep.", &["use rg instead of grep"], &[]).is_empty());
        assert_eq!(missing_parts("Use rg, never grep.", &["use rg"], &[]), ["grep", "never"]);
    }

    proptest! {
        #[test]
        fn a_text_is_grounded_in_itself(text in "[a-zA-Z0-9 `/_.!-]{0,60}") {
            prop_assert!(missing_parts(&text, &[text.as_str()], &[]).is_empty(), "{}", text);
        }
    }
}
