//! Cuts long sentences into parts that can be judged one by one: at commas and similar marks, and
//! where there are none, into overlapping windows of words.

/// Maximum number of words of a part.
pub const MAX_PART_WORDS: usize = 24;
/// Minimum number of words of a part, unless the sentence has fewer; shorter clauses are joined.
const MIN_PART_WORDS: usize = 6;
/// Number of words from the start of one window to that of the next.
const WINDOW_STEP_WORDS: usize = 12;
/// Marks after which a clause ends where whitespace follows.
const MARKS: [char; 8] = [',', ';', ':', '.', '!', '?', '–', '—'];
/// Marks after which a clause ends, in scripts that are written without spaces.
const WIDE_MARKS: [char; 6] = ['，', '、', '；', '。', '！', '？'];

/// Returns the parts of a sentence, in order; a sentence of at most [`MAX_PART_WORDS`] words is its only part.
/// Windows overlap, so that what is at the edge of one is within another.
pub(super) fn parts(sentence: &str) -> Vec<String> {
    if count_words(sentence) <= MAX_PART_WORDS {
        return clauses_without_spaces(sentence);
    }
    join_clauses(&clauses(sentence)).iter().flat_map(|clause| word_windows(clause)).collect()
}

/// Splits a text without spaces at its marks if it is longer than a part.
fn clauses_without_spaces(sentence: &str) -> Vec<String> {
    let is_long = sentence.chars().filter(|c| *c >= '\u{2e80}').count() > MAX_PART_WORDS * 2;
    if !is_long {
        return vec![sentence.to_owned()];
    }
    let pieces = sentence.split_inclusive(WIDE_MARKS).map(|piece| piece.trim().to_owned());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

fn clauses(sentence: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    let mut in_code = false;
    for (at, c) in sentence.char_indices() {
        in_code ^= c == '`';
        let end = at + c.len_utf8();
        let ends = MARKS.contains(&c) && sentence[end..].starts_with(char::is_whitespace);
        if !in_code && (ends || WIDE_MARKS.contains(&c)) {
            found.push(sentence[from..end].trim());
            from = end;
        }
    }
    found.push(sentence[from..].trim());
    found.retain(|clause| !clause.is_empty());
    found
}

/// Joins clauses until each part has at least [`MIN_PART_WORDS`] words, unless it would have more than [`MAX_PART_WORDS`].
fn join_clauses(clauses: &[&str]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for clause in clauses {
        match parts.last_mut() {
            Some(last)
                if count_words(last).min(count_words(clause)) < MIN_PART_WORDS
                    && count_words(last) + count_words(clause) <= MAX_PART_WORDS =>
            {
                last.push(' ');
                last.push_str(clause);
            }
            _ => parts.push((*clause).to_owned()),
        }
    }
    parts
}

fn word_windows(clause: &str) -> Vec<String> {
    let all: Vec<&str> = clause.split_whitespace().collect();
    if all.len() <= MAX_PART_WORDS {
        return vec![clause.to_owned()];
    }
    let starts = (0..)
        .step_by(WINDOW_STEP_WORDS)
        .take_while(|from| from + MAX_PART_WORDS < all.len() + WINDOW_STEP_WORDS);
    starts.map(|from| all[from..all.len().min(from + MAX_PART_WORDS)].join(" ")).collect()
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_on_sentence_is_cut_at_its_commas() {
        let text = "so the login page breaks when I click twice on the button, from now on we always use pnpm here, never npm, and please look at the header too because it jumps around when I scroll down";
        assert_eq!(
            parts(text),
            [
                "so the login page breaks when I click twice on the button,",
                "from now on we always use pnpm here, never npm,",
                "and please look at the header too because it jumps around when I scroll down",
            ]
        );
    }

    #[test]
    fn a_text_without_spaces_is_cut_at_its_marks() {
        let text = "请把登录页面的按钮修好因为点击两次以后页面就会坏掉而且什么都不显示，以后我们在这个项目里永远只用pnpm，不要再用npm来安装任何依赖";
        assert_eq!(parts(text).len(), 3);
    }

    proptest! {
        #[test]
        fn every_word_is_within_a_part_and_no_part_is_longer_than_allowed(
            words in prop::collection::vec("[a-z]{1,8}[,;]?", 1..120)
        ) {
            let found = parts(&words.join(" "));
            prop_assert!(found.iter().all(|part| count_words(part) <= MAX_PART_WORDS));
            let all = found.join(" ");
            prop_assert!(words.iter().all(|word| all.contains(word.as_str())));
        }
    }
}
