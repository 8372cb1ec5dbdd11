//! The prompts in an agent's menu: brief, remember, reflect, review.
//!
//! The templates are in `templates/mcp/`. Arguments are inserted verbatim and not expanded again.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::{Value, json};

use super::failure;
use super::resources::CACHE_LIFETIME_MS;
use crate::operations::CompletionKind;

/// Maximum length of an argument, in characters.
const MAX_ARGUMENT_CHARS: usize = 20_000;

/// A prompt of the server: its arguments, its template, and an optional tool call.
#[derive(Debug)]
pub(super) struct PromptDefinition {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    template: &'static str,
    /// The tool call whose result is appended to the prompt.
    pub(super) material: Option<PromptToolCall>,
}

/// A tool call whose result is part of a prompt, so that the agent need not make it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromptToolCall {
    /// Name of the tool.
    pub(super) tool: &'static str,
    given: fn(&JsonObject) -> Value,
}

#[derive(Debug)]
struct Argument {
    name: &'static str,
    description: &'static str,
    required: bool,
    suggest: Option<CompletionKind>,
}

const PROMPTS: [PromptDefinition; 4] = [
    PromptDefinition {
        name: "brief",
        title: "Get context",
        description: "Rules, pitfalls, decisions and history for a task",
        arguments: &[Argument {
            name: "task",
            description: "The task, in one sentence",
            required: true,
            suggest: None,
        }],
        template: include_str!("../../../../templates/mcp/brief.md"),
        material: Some(PromptToolCall {
            tool: "memory_context",
            given: |arguments| json!({ "task": arguments.get("task") }),
        }),
    },
    PromptDefinition {
        name: "remember",
        title: "Remember this",
        description: "Store a lesson, decision or fact for later sessions",
        arguments: &[
            Argument {
                name: "what",
                description: "What to remember [default: the lessons of this conversation]",
                required: false,
                suggest: None,
            },
            Argument {
                name: "type",
                description: "Type of memory, such as decision",
                required: false,
                suggest: Some(CompletionKind::Type),
            },
            Argument {
                name: "category",
                description: "Category, if it is a rule",
                required: false,
                suggest: Some(CompletionKind::Category),
            },
        ],
        template: include_str!("../../../../templates/mcp/remember.md"),
        material: None,
    },
    PromptDefinition {
        name: "reflect",
        title: "Reflect",
        description: "Learn from past sessions: the agent reads the evidence and proposes changes to the rules",
        arguments: &[Argument {
            name: "days",
            description: "Sessions of the last N days, 0 for all [default: from the settings]",
            required: false,
            suggest: None,
        }],
        template: include_str!("../../../../templates/mcp/reflect.md"),
        material: None,
    },
    PromptDefinition {
        name: "review",
        title: "Review memory",
        description: "Review the memory of a topic: find wrong, outdated and duplicate notes",
        arguments: &[
            Argument {
                name: "subject",
                description: "Topic [default: the latest changes]",
                required: false,
                suggest: None,
            },
            Argument {
                name: "note",
                description: "Note ID, to review one note",
                required: false,
                suggest: Some(CompletionKind::Id),
            },
        ],
        template: include_str!("../../../../templates/mcp/review.md"),
        material: None,
    },
];

pub(super) fn listed() -> ListPromptsResult {
    let prompts = PROMPTS.iter().map(|prompt| {
        let arguments = prompt.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.required)
        });
        Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect())).with_title(prompt.title)
    });
    ListPromptsResult::with_all_items(prompts.collect())
        .with_ttl_ms(CACHE_LIFETIME_MS)
        .with_cache_scope(CacheScope::Public)
}

/// The prompt with this name.
///
/// # Errors
/// The prompt does not exist.
pub(super) fn find(name: &str) -> Result<&'static PromptDefinition, ErrorData> {
    let names = || PROMPTS.map(|prompt| prompt.name).join(", ");
    PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        failure::of_params(format!("unknown prompt {name:?}"), format!("available: {}", names()))
    })
}

/// The kind of completion for a prompt's argument.
///
/// # Errors
/// The argument does not exist.
pub(super) fn suggest(
    prompt: &PromptDefinition,
    argument: &str,
) -> Result<Option<CompletionKind>, ErrorData> {
    let known_argument = prompt.arguments.iter().find(|candidate| candidate.name == argument);
    known_argument.map(|found| found.suggest).ok_or_else(|| {
        let names: Vec<_> = prompt.arguments.iter().map(|candidate| candidate.name).collect();
        failure::of_params(
            format!("the prompt {} has no argument {argument:?}", prompt.name),
            format!("available: {}", names.join(", ")),
        )
    })
}

impl PromptDefinition {
    /// Checks the arguments.
    ///
    /// # Errors
    /// An argument is missing, unknown, too long or not text.
    pub(super) fn check(&self, arguments: &JsonObject) -> Result<(), ErrorData> {
        let example = || {
            format!("for example {{\"{}\": \"…\"}}", self.arguments.first().map_or("", |first| first.name))
        };
        for (name, value) in arguments {
            suggest(self, name)?;
            match value.as_str() {
                None => return Err(failure::of_params(format!("{name} is not text"), example())),
                Some(text) if text.chars().count() > MAX_ARGUMENT_CHARS => {
                    let message = format!("{name} is longer than {MAX_ARGUMENT_CHARS} characters");
                    return Err(failure::of_params(message, "let the agent read a file instead"));
                }
                Some(_) => {}
            }
        }
        let missing = |argument: &&Argument| argument.required && text(arguments, argument.name).is_empty();
        match self.arguments.iter().find(missing) {
            Some(argument) => {
                let message = format!("the prompt {} requires {}", self.name, argument.name);
                Err(failure::of_params(message, example()))
            }
            None => Ok(()),
        }
    }

    /// The prompt with its arguments filled in, followed by the tool result.
    pub(super) fn result(&self, arguments: &JsonObject, material: Option<String>) -> GetPromptResult {
        let words = filled(self.template, arguments);
        let messages = [Some(words), material].into_iter().flatten();
        let messages = messages.map(|text| PromptMessage::new_text(Role::User, text)).collect();
        GetPromptResult::new(messages).with_description(self.description)
    }
}

impl PromptToolCall {
    /// The input of the tool call.
    pub(super) fn given(self, arguments: &JsonObject) -> JsonObject {
        match (self.given)(arguments) {
            Value::Object(fields) => fields,
            _ => JsonObject::new(),
        }
    }
}

fn text<'a>(arguments: &'a JsonObject, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).map_or("", str::trim)
}

/// Replaces `{{name}}` by the argument in one pass. A line `{{?name}}…` is included only if the
/// argument was given, a line `{{!name}}…` only if it was not.
fn filled(template: &str, arguments: &JsonObject) -> String {
    let mut out = String::new();
    for line in template.lines() {
        let (line, is_included) = match condition(line) {
            Some((name, must_be_set, rest)) => (rest, must_be_set != text(arguments, name).is_empty()),
            None => (line, true),
        };
        if is_included {
            fill(&mut out, line, arguments);
            out.push('\n');
        }
    }
    out
}

fn condition(line: &str) -> Option<(&str, bool, &str)> {
    let (mark, rest) = line.strip_prefix("{{")?.split_once("}}")?;
    let must_be_set = mark.starts_with('?');
    Some((mark.strip_prefix(['?', '!'])?, must_be_set, rest))
}

fn fill(out: &mut String, mut line: &str, arguments: &JsonObject) {
    while let Some((before, rest)) = line.split_once("{{") {
        let Some((name, after)) = rest.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(text(arguments, name));
        line = after;
    }
    out.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(pairs: &[(&str, &str)]) -> JsonObject {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect()
    }

    #[test]
    fn what_was_given_is_never_read_as_a_mark() {
        let template = "{{?a}}A: {{a}}\n{{!a}}none\nB: {{b}}.\n";
        assert_eq!(filled(template, &given(&[("a", "{{b}}"), ("b", "x")])), "A: {{b}}\nB: x.\n");
        assert_eq!(filled(template, &given(&[])), "none\nB: .\n");
    }

    #[test]
    fn every_mark_of_the_templates_is_an_argument_and_every_argument_stands_in_its_template() {
        for prompt in &PROMPTS {
            let mut marks: Vec<_> = prompt
                .template
                .split("{{")
                .skip(1)
                .map(|part| part.split("}}").next().unwrap().trim_start_matches(['?', '!']))
                .collect();
            marks.sort_unstable();
            marks.dedup();
            let mut names: Vec<_> = prompt.arguments.iter().map(|argument| argument.name).collect();
            names.sort_unstable();
            assert_eq!(marks, names, "{}", prompt.name);
        }
    }
}
