//! Extracts the JSON from an answer, without code fences, surrounding text or the model's thoughts.
//!
//! Invalid JSON is returned unchanged, so that the parser can report the location of the error.

use serde_json::Value;

/// Maximum number of opening braces that are tried as the start of an object.
const MAX_BRACES: usize = 64;

/// Returns the longest JSON object in an answer. Without a valid object, returns the part that
/// looks like one, else the whole answer.
pub(super) fn extract(answer: &str) -> &str {
    let answer = answer.trim_start_matches('\u{feff}').trim();
    if length(answer) == Some(answer.len()) {
        return answer;
    }
    let answer = after_thoughts(answer).trim();
    let mut best = "";
    let mut from = 0;
    for _ in 0..MAX_BRACES {
        let Some(at) = answer[from..].find('{').map(|at| from + at) else { break };
        match length(&answer[at..]) {
            Some(length) => {
                if length > best.len() {
                    best = &answer[at..at + length];
                }
                from = at + length;
            }
            None => from = at + 1,
        }
    }
    if looks_like_one(best) { best } else { partial_object(answer) }
}

/// Returns the text after the last `</think>` tag, which ends a model's reasoning; without a tag,
/// the whole text.
fn after_thoughts(answer: &str) -> &str {
    match answer.rfind("</think>") {
        Some(at) => &answer[at + "</think>".len()..],
        None => answer,
    }
}

/// Returns the length in bytes of the JSON object at the start of a text; `None` if there is no
/// valid object.
fn length(text: &str) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.next()?.ok().filter(Value::is_object)?;
    Some(values.byte_offset())
}

/// Returns whether a found JSON object has a key, so that it is not just a pair of braces in prose.
fn looks_like_one(found: &str) -> bool {
    found.contains(':')
}

/// Returns the part of an answer that looks like an incomplete or invalid JSON object, from its
/// first brace. A code fence is preferred.
fn partial_object(answer: &str) -> &str {
    let fenced = answer.split_once("```").map(|(_, rest)| rest);
    let inside = fenced.map(|rest| rest.split_once("```").map_or(rest, |(inside, _)| inside));
    let text = inside.filter(|inside| inside.contains('{')).unwrap_or(answer);
    let Some(at) = text.find('{') else { return answer };
    let text = &text[at..];
    // Where it ends is a guess, and talk after it would only be told as its fault.
    text.rfind('}').map_or(text, |end| if is_closed(text) { &text[..=end] } else { text }).trim_end()
}

/// Returns whether a text has at least as many closing as opening braces.
fn is_closed(text: &str) -> bool {
    let count = |brace| text.matches(brace).count();
    count('{') <= count('}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_object_is_found_in_its_fence_and_in_talk() {
        let object = r#"{"a": {"b": "x } y"}}"#;
        for answer in [
            object.to_owned(),
            format!("\u{feff}  {object}\n"),
            format!("```json\n{object}\n```"),
            format!("```\n{object}\n```\nIs that what {{you}} wanted?"),
            format!("Here it is (see {{}} and {{\"x\":1}}):\n\n{object}\n\nHope this helps!"),
            format!(
                "<think>Maybe {{\"a\": {{\"b\": \"a much longer thought of mine\"}}}}?</think>\n{object}"
            ),
            format!("[{object}]"),
        ] {
            assert_eq!(extract(&answer), object, "{answer}");
        }
    }

    #[test]
    fn what_is_broken_is_given_as_it_is() {
        for (answer, expected) in [
            (r#"{"a": [1, 2"#, r#"{"a": [1, 2"#),
            ("Here:\n```json\n{\"a\": [1, 2\n```", "{\"a\": [1, 2"),
            ("Here: {\"a\": 1,} Good?", "{\"a\": 1,}"),
            ("{a: 1}", "{a: 1}"),
            ("I cannot do that.", "I cannot do that."),
            ("[1, 2]", "[1, 2]"),
            ("Use {} here.", "{}"),
            ("  ", ""),
        ] {
            assert_eq!(extract(answer), expected);
        }
    }

    #[test]
    fn an_answer_of_braces_holds_no_object_and_overflows_no_stack() {
        for answer in ["{".repeat(1 << 20), "{\"a\":".repeat(1 << 18)] {
            assert_eq!(extract(&answer), answer);
        }
    }

    proptest! {
        #[test]
        fn any_object_is_found_in_any_talk_without_braces(
            text in "\\PC{0,20}", number: i32, before in "[^{}`<]{0,30}", after in "[^{}`<]{0,30}",
        ) {
            let object = serde_json::json!({ "text": text, "list": [number, { "a": text }] }).to_string();
            let answer = format!("{before}{object}{after}");
            prop_assert_eq!(extract(&answer), object.as_str());
        }

        #[test]
        fn what_is_found_is_a_part_of_the_answer(answer: String) {
            prop_assert!(answer.contains(extract(&answer)));
        }
    }
}
