//! Converts any text to a query for its words alone.
//!
//! The result is an ordinary query, so filters can be appended.

use super::{TextCondition, field};

/// Neutralizes everything in a text that the query language would interpret.
pub(super) fn plain(text: &str) -> String {
    let mut words = Vec::new();
    for chunk in text.split(|c: char| c.is_whitespace() || "\"“”()[]".contains(c)) {
        take(chunk, &mut words);
    }
    words.join(" ")
}

/// Appends the words of a chunk, without leading signs and operators. A field name, or a near miss,
/// before a `:` becomes a separate word.
fn take(mut chunk: &str, words: &mut Vec<String>) {
    loop {
        chunk = chunk.trim_start_matches(['-', '+']);
        match chunk.split_once(':') {
            Some((name, value)) if field::by_name(name).is_some() || field::nearest(name).is_some() => {
                words.push(name.to_owned());
                chunk = value;
            }
            _ => break,
        }
    }
    match chunk {
        "" | "*" => {}
        "AND" | "OR" | "NOT" => words.push(chunk.to_lowercase()),
        _ if matches!(field::text(chunk, false), TextCondition::Word(_)) => words.push(chunk.to_owned()),
        // What is left has no operator, so this goes no deeper.
        _ => chunk.split(['*', '~']).for_each(|part| take(part, words)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::instant::Instant;
    use crate::query::{Query, QueryNode, TextCondition};

    fn is_word(node: &QueryNode) -> bool {
        matches!(node, QueryNode::Text { field: None, text: TextCondition::Word(_) })
    }

    #[test]
    fn words_stay_and_operators_become_words() {
        for (text, expected) in [
            ("Which pool, and why?", "Which pool, and why?"),
            ("std::fs at 12:30, C:\\x", "std::fs at 12:30, C:\\x"),
            ("-draft +must --no-verify a - b", "draft must no-verify a b"),
            ("\"a phrase\" (of main())", "a phrase of main"),
            ("this AND that OR NOT", "this and that or not"),
            ("type:fix Tag:-a title:tag:b titel:x title:", "type fix Tag a title tag b titel x title"),
            ("sock* * sokcet~1 ~/.config", "sock sokcet 1 ~/.config"),
        ] {
            assert_eq!(Query::plain(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_asked_is_only_words(text in "\\PC*|[a-z\"()*~:+ -]{0,40}|((AND|OR|NOT|\\(|\\)|-|\"|a|tag:|created:>|title:\"|\\+|~1) ?){0,20}") {
            let query = Query::parse(&Query::plain(&text), Instant::from_unix(0));
            let only_words = match &query.root {
                QueryNode::Everything | QueryNode::Nothing => true,
                QueryNode::Group(group) => {
                    group.must.is_empty() && group.filter.is_empty() && group.not.is_empty() && group.should.iter().all(is_word)
                }
                node => is_word(node),
            };
            prop_assert!(only_words, "{query:?}");
            prop_assert!(query.notices.iter().all(|notice| notice.contains("no letters or digits") || notice.contains("only the first")), "{query:?}");
        }
    }
}
