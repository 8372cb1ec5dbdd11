//! Expands prefixes and misspelled words. The index holds stems, so comparing letters alone would
//! miss `connecti*` and `connecton~1`.

use cm_text::tokens::stem_of;

/// English word endings that stemming removes.
const ENDINGS: [&str; 28] = [
    "", "s", "e", "es", "ed", "d", "er", "ing", "ng", "g", "ion", "on", "n", "ions", "ons", "ly", "y", "ies",
    "ness", "ment", "able", "ive", "ve", "al", "ity", "ation", "ization", "ful",
];

/// Returns the stems, shorter than `prefix`, of words that start with it.
pub(super) fn completions(prefix: &str) -> Vec<String> {
    if !prefix.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let mut stems: Vec<String> = ENDINGS
        .iter()
        .map(|ending| stem_of(&format!("{prefix}{ending}")))
        // A stem that begins with the prefix is found by it.
        .filter(|stem| !stem.starts_with(prefix) && stem.len() > 2)
        .collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Returns the stems of words at edit distance 1 from `word`, unless the stem equals the edited
/// word.
pub(super) fn corrections(word: &str) -> Vec<String> {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.len() > 24 {
        return Vec::new();
    }
    let mut stems = Vec::new();
    let mut consider = |candidate: String| {
        let stem = stem_of(&candidate);
        if stem != candidate {
            stems.push(stem);
        }
    };
    for at in 0..=word.len() {
        let (head, tail) = word.split_at(at);
        for letter in 'a'..='z' {
            consider(format!("{head}{letter}{tail}"));
            if !tail.is_empty() {
                consider(format!("{head}{letter}{}", &tail[1..]));
            }
        }
        if !tail.is_empty() {
            consider(format!("{head}{}", &tail[1..]));
        }
        if tail.len() > 1 {
            consider(format!("{head}{}{}{}", &tail[1..2], &tail[..1], &tail[2..]));
        }
    }
    stems.sort_unstable();
    stems.dedup();
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_longer_than_the_stem_finds_it() {
        assert_eq!(completions("connecti"), ["connect"]);
        assert_eq!(completions("sock"), Vec::<String>::new());
    }

    #[test]
    fn a_slip_in_the_ending_finds_the_stem() {
        assert!(corrections("connecton").contains(&"connect".to_owned()));
        assert!(corrections("runing").contains(&"run".to_owned()));
    }
}
