//! Extracts standing instructions and preferences from a person's messages by keyword patterns.
//!
//! It replaces the agent that would write down such sentences. It does not use labels or questions.

use std::sync::LazyLock;

use regex::Regex;

/// Maximum length of a rule, in characters.
const MAX_RULE_CHARS: usize = 500;
/// Minimum length of a rule, in characters.
const MIN_RULE_CHARS: usize = 10;

/// An instruction at the start of a sentence.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)^(?:(?:also|and|oh|ok|okay|but|so|btw|by the way|thanks|plus|please)[,!]?\s+)*(?:always|never|do(?:n't| not)|make sure|be sure|remember (?:to|that)|keep in mind|from now on|going forward|in (?:the )?future|whenever|every time|(?:when|if) I (?:ask|mention|say|talk)|avoid)\b",
    )
});
/// A preference anywhere in a sentence.
static PREFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    let adverbs = "(?:(?:really|much|generally|usually|strongly|always|still|also|definitely|personally) )*";
    expression(&format!(
        r"(?i)\b(?:I {adverbs}(?:prefer|favou?r|like|love|enjoy|hate|dislike|can't stand)\b|I(?:'d| would) {adverbs}(?:rather|prefer)\b|I(?:'d| would) (?:like|love|want) you to\b|I want you to\b|I do(?:n't| not) (?:like|want you)\b|my preference\b|I tend to (?:prefer|avoid|like)\b)"
    ))
});
/// A question after a comma or dash.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)(?:,| -| –)\s+(?:(?:and|so|but)\s+)?(?:(?:can|could|would|will) you|how (?:can|do|should|would|could)|what(?:'s| is| are| do| should| would)?\b|which\b|should I|do you|does (?:it|that|this)|is (?:it|that|this|there)|I'm (?:not sure|wondering|unsure)|I was wondering|I need|help me)\b",
    )
});
/// Fenced code blocks.
static CODE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?s)```.*?(?:```|$)"));
/// End of a sentence.
static END: LazyLock<Regex> = LazyLock::new(|| expression(r"[.!?]+\s+|\n+"));

#[allow(clippy::expect_used, reason = "all expressions are written here, and a test uses each")]
fn expression(text: &str) -> Regex {
    Regex::new(text).expect("the expression is written here")
}

/// Returns the sentences of a message that qualify as rules, verbatim but without a trailing
/// question.
pub fn rules(message: &str) -> Vec<String> {
    let prose = CODE.replace_all(message, "\n");
    sentences(&prose).into_iter().filter_map(rule).collect()
}

fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut from = 0;
    for end in END.find_iter(text) {
        sentences.push(text[from..end.end()].trim());
        from = end.end();
    }
    sentences.push(text[from..].trim());
    sentences
}

fn rule(sentence: &str) -> Option<String> {
    let cue = if let Some(order) = ORDER.find(sentence).filter(|_| !sentence.ends_with('?')) {
        order.range()
    } else {
        PREFERENCE.find(sentence)?.range()
    };
    let tail = QUESTION.find_at(sentence, cue.end).map_or(sentence.len(), |tail| tail.start());
    let rule_part = match sentence[..tail].chars().count() {
        ..=MAX_RULE_CHARS => &sentence[..tail],
        // The cue and what follows matter most.
        _ => shortened(&sentence[cue.start..tail]),
    };
    let rule_text = rule_part.split_whitespace().collect::<Vec<_>>().join(" ");
    (rule_text.chars().count() >= MIN_RULE_CHARS).then_some(rule_text)
}

fn shortened(text: &str) -> &str {
    match text.char_indices().nth(MAX_RULE_CHARS) {
        None => text,
        Some((end, _)) => text[..end].rsplit_once(' ').map_or(&text[..end], |(whole, _)| whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_preferences_are_taken_without_the_question_that_follows() {
        for (message, expected) in [
            (
                "Always name the versions when I ask about libraries.",
                "Always name the versions when I ask about libraries.",
            ),
            ("Thanks! Please don't use semicolons. Next?", "Please don't use semicolons."),
            ("From now on, answer in French", "From now on, answer in French"),
            ("I prefer tabs, can you set that up?", "I prefer tabs"),
            (
                "I'm new here, so I'd rather read short texts, how can I start?",
                "I'm new here, so I'd rather read short texts",
            ),
            ("I'd like you to show the formula first.", "I'd like you to show the formula first."),
        ] {
            assert_eq!(rules(message), [expected], "{message}");
        }
    }

    #[test]
    fn questions_wishes_of_the_moment_stories_and_code_are_not() {
        for message in [
            "Never heard of it, have you?",
            "I'd like to know how this works.",
            "I have always lived here.",
            "Would you always do that?",
            "```python\n# Always close the file\n```",
            "I never tried borrowing one.",
        ] {
            assert_eq!(rules(message), Vec::<String>::new(), "{message}");
        }
    }

    #[test]
    fn a_long_sentence_is_cut_to_a_rule_that_begins_with_its_cue() {
        let long = format!("{} and I prefer {}", "word ".repeat(90), "short words ".repeat(60));
        let [rule] = &rules(&long)[..] else { panic!("one rule") };
        assert!(rule.starts_with("I prefer short") && rule.chars().count() <= MAX_RULE_CHARS, "{rule}");
    }
}
