//! Suggests further searches from a task and the notes shown for it.

use std::collections::BTreeSet;

use cm_note::instant::Instant;
use cm_note::query::Query;
use cm_text::shorten::fold_whitespace;
use cm_text::tokens::{TokenRole, Tokenizer};

/// Maximum number of searches suggested in a briefing.
const MAX_SEARCHES: usize = 5;
/// Maximum number of suggested searches that come from the `search_pointer` of a rule.
const MAX_POINTERS: usize = 2;
/// Maximum number of task words in one search.
const MAX_SEARCH_WORDS: usize = 4;
/// Maximum length of a rule's `search_pointer` that is suggested, in characters.
const MAX_POINTER_CHARS: usize = 100;
/// Filters by note type that are combined with words of the task into suggested searches.
const TYPES: [&str; 2] = ["type:problem,error,fix,solution", "type:decision,configuration,procedure"];

/// Returns the words of a task that are most useful for a search: identifiers first, then the
/// longest words. Words for which `says_nothing` is true are left out.
pub fn salient(task: &str, says_nothing: impl Fn(&str) -> bool) -> Vec<String> {
    let mut tokenizer = Tokenizer::default();
    let (mut at, mut seen, mut found) = (0, BTreeSet::new(), Vec::new());
    while let Some(unit) = tokenizer.next_unit(task, &mut at) {
        let Some(from) = unit.tokens().map(|token| token.from).min() else { continue };
        let to = unit.tokens().map(|token| token.to).max().unwrap_or(from);
        let word = task[from..to].trim_start_matches(['-', '+', '@', '#']).to_lowercase();
        let is_name = unit.tokens().any(|token| matches!(token.role, TokenRole::Whole | TokenRole::Exact));
        let length = word.chars().count();
        let telling = is_name || length >= 3 || !word.is_ascii();
        if telling && !says_nothing(&word) && seen.insert(unit.token(0).text.to_owned()) {
            found.push((is_name, length, found.len(), word));
        }
    }
    found.sort_by(|(is_name, length, at, _), (other, than, place, _)| {
        other.cmp(is_name).then(than.cmp(length)).then(at.cmp(place))
    });
    found.truncate(MAX_SEARCH_WORDS);
    found.sort_by_key(|(_, _, at, _)| *at);
    found.into_iter().map(|(.., word)| word).collect()
}

/// Builds the suggested queries: the `pointers` of the shown rules, and the words of the task with
/// a type filter. Only queries that parse without notices are returned.
pub fn searches<'a>(pointers: impl Iterator<Item = &'a str>, words: &[String], now: Instant) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut take = |query: String, most: usize| {
        let parsed = Query::parse(&query, now);
        if found.len() < most && parsed.notices.is_empty() && parsed.ranks() && !found.contains(&query) {
            found.push(query);
        }
    };
    for pointer in pointers {
        let plain = pointer.replace(|c: char| c.is_control() || c == '`', " ");
        let query = fold_whitespace(&plain);
        if query.chars().count() <= MAX_POINTER_CHARS {
            take(query, MAX_POINTERS);
        }
    }
    let quoted = |word: &String| {
        let plain = Query::parse(word, now);
        if plain.notices.is_empty() && plain.ranks() {
            word.clone()
        } else {
            format!("\"{}\"", word.replace('"', " "))
        }
    };
    let words = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
    if !words.is_empty() {
        TYPES.iter().for_each(|filter| take(format!("{words} {filter}"), MAX_SEARCHES));
        take(words, MAX_SEARCHES);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nothing(word: &str) -> bool {
        ["the", "with", "that", "from"].contains(&word)
    }

    #[test]
    fn identifiers_and_long_words_say_most() {
        let words = salient("Fix the socket_keepalive so that pooled connections from C++ stay on", nothing);
        assert_eq!(words, ["socket_keepalive", "pooled", "connections", "c++"]);
        assert_eq!(salient("do it", nothing), [""; 0]);
    }

    #[test]
    fn pointers_come_first_and_nonsense_is_left_out() {
        let now = Instant::from_unix(0);
        let words = salient("Retry gauge fetches", nothing);
        let pointers = ["retry full jitter", "is:nonsense (", "retry full jitter", "pool", "third one"];
        assert_eq!(
            searches(pointers.into_iter(), &words, now),
            [
                "retry full jitter",
                "pool",
                "retry gauge fetches type:problem,error,fix,solution",
                "retry gauge fetches type:decision,configuration,procedure",
                "retry gauge fetches",
            ]
        );
        assert_eq!(searches([].into_iter(), &[], now), [""; 0]);
    }

    proptest! {
        #[test]
        fn every_search_is_understood_as_it_is_written(
            task in "\\PC{3,60}|[-a-z:\"()+*~/ ]{3,60}", pointer in "\\PC{0,60}|[-a-z:\"()+*~ ]{0,60}",
        ) {
            let now = Instant::from_unix(0);
            let found = searches([pointer.as_str()].into_iter(), &salient(&task, nothing), now);
            prop_assert!(found.len() <= MAX_SEARCHES);
            for query in found {
                let parsed = Query::parse(&query, now);
                prop_assert!(parsed.notices.is_empty(), "{query}: {:?}", parsed.notices);
            }
        }
    }
}
