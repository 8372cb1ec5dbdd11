//! Expands prefixes and misspelled words. The index holds stems, so comparing letters alone would
//! miss `connecti*` and `connecton~1`.

use cm_text::tokens::Tokenizer;

/// English word endings that stemming removes.
const ENDINGS: [&str; 28] = [
    "", "s", "e", "es", "ed", "d", "er", "ing", "ng", "g", "ion", "on", "n", "ions", "ons", "ly", "y", "ies",
    "ness", "ment", "able", "ive", "ve", "al", "ity", "ation", "ization", "ful",
];

/// Returns the stems, shorter than `prefix`, of words that start with it.
pub(super) fn completions(prefix: &str, tokenizer: &mut Tokenizer) -> Vec<String> {
    if !prefix.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let mut stems: Vec<String> = ENDINGS
        .iter()
        .map(|ending| tokenizer.stem(&format!("{prefix}{ending}")))
        // A stem that begins with the prefix is found by it.
        .filter(|stem| !stem.starts_with(prefix) && stem.len() > 2)
        .collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Returns the stems of words at edit distance 1 from `word`, unless the stem equals the edited
/// word.
pub(super) fn corrections(word: &str, tokenizer: &mut Tokenizer) -> Vec<String> {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.len() > 24 {
        return Vec::new();
    }
    let mut stems = Vec::new();
    let mut consider = |candidate: String| {
        let stem = tokenizer.stem(&candidate);
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
        let mut tokenizer = Tokenizer::default();
        assert_eq!(completions("connecti", &mut tokenizer), ["connect"]);
        assert_eq!(completions("sock", &mut tokenizer), Vec::<String>::new());
    }

    #[test]
    fn a_slip_in_the_ending_finds_the_stem() {
        let mut tokenizer = Tokenizer::default();
        assert!(corrections("connecton", &mut tokenizer).contains(&"connect".to_owned()));
        assert!(corrections("runing", &mut tokenizer).contains(&"run".to_owned()));
    }
}
