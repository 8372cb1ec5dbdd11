//! Text typed by a person inside a tool result: a reason for rejecting a call, or the answer to a
//! question of the agent.
//!
//! Only the formats of agents' programs are recognized, because a command may print similar
//! sentences.

use serde_json::Value;

/// Beginning of a rejection message, and the marker before the person's text in it.
const REFUSALS: [(&str, &str); 6] = [
    // Claude Code; the second form answers the call of a sub-agent.
    ("The user doesn't want to proceed with this tool use.", "the user said:"),
    ("Permission for this tool use was denied.", "The user said:"),
    // opencode.
    ("The user rejected permission to use this specific tool call", "with the following feedback:"),
    // Cline.
    ("The user denied this operation", "following feedback:"),
    ("Tool denied by user", "feedback:"),
    // GitHub Copilot CLI.
    ("The user rejected this tool call.", "User feedback:"),
];

/// Text that agents add after the person's text.
const ADDED: [&str; 2] = ["\n\nNote: The user's next message", "\n\n<system-reminder>"];

/// Tools that ask the person a question, in lower case without `_`.
const QUESTIONS: [&str; 7] = [
    "askuserquestion",
    "askuser",
    "askquestion",
    "askquestions",
    "askfollowupquestion",
    "question",
    "requestuserinput",
];

/// Prefixes of an unstructured answer.
const ANSWERED: [&str; 5] =
    ["User responded:", "User selected:", "User answered:", "The user answered:", "User response:"];

/// JSON members that contain the person's answer.
const MEMBERS: [&str; 8] =
    ["answers", "answer", "response", "selected", "selection", "freeform", "text", "value"];

/// Returns the person's text in the rejection of a tool call; `None` if there is none, or the text
/// is not a rejection.
pub fn in_refusal(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix("Error:").unwrap_or(text).trim_start();
    let (_, marker) = REFUSALS.iter().find(|(opening, _)| text.starts_with(opening))?;
    let words = &text[text.find(marker)? + marker.len()..];
    let end = ADDED.iter().filter_map(|added| words.find(added)).min().unwrap_or(words.len());
    let words = words[..end].trim();
    let words = words.strip_prefix("<feedback>").map_or(words, |rest| rest.trim_end_matches("</feedback>"));
    Some(words.trim()).filter(|words| !words.is_empty())
}

/// Whether a tool with this name asks the person a question.
pub fn is_question(tool: &str) -> bool {
    let name: String = tool.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect();
    QUESTIONS.contains(&name.as_str())
}

/// Returns the person's answers to questions, one on each line; `None` if there are none.
pub fn in_answer(text: &str) -> Option<String> {
    let text = text.trim();
    let words = match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => {
            let mut words = Vec::new();
            answers(&value, false, &mut words);
            words.join("\n")
        }
        _ if text.contains("\"=\"") => pairs(text).join("\n"),
        _ => bare(text)?.to_owned(),
    };
    Some(words).filter(|words| !words.trim().is_empty())
}

/// Collects every string below a member that contains answers.
fn answers(value: &Value, is_answer: bool, words: &mut Vec<String>) {
    match value {
        Value::String(text) if is_answer => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| answers(item, is_answer, words)),
        Value::Object(members) => {
            for (name, member) in members {
                answers(member, is_answer || MEMBERS.contains(&name.as_str()), words);
            }
        }
        _ => {}
    }
}

/// Returns the answers in `"question"="answer"` pairs.
fn pairs(text: &str) -> Vec<&str> {
    let begins = text.match_indices("\"=\"").map(|(at, mark)| &text[at + mark.len()..]);
    // A quote within an answer is followed by neither the next pair nor the end of the sentence.
    let ends = ["\", \"", "\". ", "\" selected preview", "\" user notes"];
    let answer = |rest: &'_ str| -> usize {
        let closing = ends.iter().filter_map(|end| rest.find(end)).min();
        closing.or_else(|| rest.rfind('"')).unwrap_or(rest.len())
    };
    begins.map(|rest| &rest[..answer(rest)]).filter(|answer| *answer != "Unanswered").collect()
}

/// Returns an answer without its surrounding sentence; `None` if the person gave none.
fn bare(text: &str) -> Option<&str> {
    const NONE: [&str; 6] =
        ["User declined", "User dismissed", "User cancelled", "User skipped", "The user d", "Error"];
    if NONE.iter().any(|none| text.starts_with(none)) {
        return None;
    }
    let text = ANSWERED.iter().find_map(|before| text.strip_prefix(before)).unwrap_or(text).trim();
    Some(text.strip_prefix("<answer>").map_or(text, |rest| rest.trim_end_matches("</answer>")).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_typed_at_a_refusal_are_found_in_each_agents_form() {
        for (text, words) in [
            (
                "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file \
                 edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nuse rg \
                 instead of grep -r\n\nNote: The user's next message may contain a correction or preference.",
                Some("use rg instead of grep -r"),
            ),
            (
                "Permission for this tool use was denied. The tool use was rejected. The user said:\nask Ana first",
                Some("ask Ana first"),
            ),
            (
                "Error: The user rejected permission to use this specific tool call with the following feedback: no sudo",
                Some("no sudo"),
            ),
            (
                "The user denied this operation and provided the following feedback:\n<feedback>\nuse pnpm\n</feedback>",
                Some("use pnpm"),
            ),
            ("The user doesn't want to proceed with this tool use. STOP what you are doing.", None),
            ("$ cat notes\nthe user said: drop it", None),
            ("", None),
        ] {
            assert_eq!(in_refusal(text), words, "{text}");
        }
    }

    #[test]
    fn answers_to_questions_are_found_in_each_agents_form() {
        for (text, words) in [
            (
                "User has answered your questions: \"Which database?\"=\"Postgres, as always\", \"Port?\"=\"5433\". You can \
                 now continue with the user's answers in mind.",
                Some("Postgres, as always\n5433"),
            ),
            ("User has answered your questions: \"Port?\"=\"Unanswered\". You can now continue.", None),
            (r#"{"answers":{"0":"use \"rg\""}}"#, Some("use \"rg\"")),
            (r#"{"answers":{"db":{"answers":["Postgres"]}}}"#, Some("Postgres")),
            (r#"{"question":"Which?","answer":"the second"}"#, Some("the second")),
            ("User responded: only on weekdays", Some("only on weekdays")),
            ("<answer>\nblue\n</answer>", Some("blue")),
            ("User declined to answer questions", None),
            ("plain words", Some("plain words")),
        ] {
            assert_eq!(in_answer(text).as_deref(), words, "{text}");
        }
        for name in ["AskUserQuestion", "ask_user", "question", "request_user_input"] {
            assert!(is_question(name), "{name}");
        }
        assert!(!is_question("Bash"));
    }
}
