//! Words hints and notices for callers over MCP and HTTP, who have tools and endpoints instead of
//! commands.

use serde_json::Value;

use super::{Method, OperationSpec, TABLE};
use cm_note::user_text::{Interface, Reference, UserText};

/// Commands whose operation has another name than `memory_` and the command.
const RENAMED: &[(&str, &str)] =
    &[("mark", "memory_feedback"), ("edit", "memory_update"), ("validate-rule", "memory_validate_rule")];

/// Fields of results whose text is cm's own and may refer to commands.
const OWN_TEXT: &[&str] = &["hint", "notices", "reasons", "failure", "why"];

/// The text with the names of `interface` for commands and options.
pub fn worded(text: &UserText, interface: Interface) -> String {
    if interface == Interface::CommandLine {
        return text.for_terminal().to_owned();
    }
    text.reworded(|reference| match reference {
        Reference::Command(command) => command_for(command, interface),
        Reference::Option(option) => field(option),
    })
}

/// Lists of what an operation did not do. The `reason` of their items is cm's own text; elsewhere it is a person's.
const UNDONE: &[&str] = &["skipped", "refused", "passed"];

/// A text of a result before and after it was reworded.
pub type RewordedText = (String, String);

/// Words the hints and notices in a result. Returns the texts that changed.
pub fn reword_result(value: &mut Value, interface: Interface) -> Vec<RewordedText> {
    let mut changed = Vec::new();
    reword_fields(value, OWN_TEXT, interface, &mut changed);
    changed
}

/// Words the fields with these names, at any depth.
fn reword_fields(value: &mut Value, own: &[&str], interface: Interface, changed: &mut Vec<RewordedText>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| reword_fields(item, own, interface, changed)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    name if own.contains(&name) => reword_strings(field, interface, changed),
                    name if UNDONE.contains(&name) => {
                        reword_fields(field, &[OWN_TEXT, &["reason"]].concat(), interface, changed);
                    }
                    _ => reword_fields(field, own, interface, changed),
                }
            }
        }
        _ => {}
    }
}

fn reword_strings(value: &mut Value, interface: Interface, changed: &mut Vec<RewordedText>) {
    match value {
        Value::String(text) => {
            let before = std::mem::take(text);
            *text = worded(&UserText::from(before.as_str()), interface);
            if *text != before {
                changed.push((before, text.clone()));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| reword_strings(item, interface, changed)),
        other => reword_fields(other, OWN_TEXT, interface, changed),
    }
}

/// The operation that does what the command does, with the command's first argument if it is a
/// value; without an operation, the command as one that only people at a terminal have.
fn command_for(command: &str, interface: Interface) -> String {
    let (verb, arguments) = command.split_once(' ').unwrap_or((command, ""));
    let Some(operation) = operation(verb, interface) else {
        return match tool(verb).filter(|_| interface == Interface::Http) {
            // The server offers its tools at /mcp.
            Some(tool) => match argument(arguments) {
                "" => format!("the tool `{}` at `/mcp`", tool.name),
                argument => format!("the tool `{}` ({argument}) at `/mcp`", tool.name),
            },
            None => format!("the terminal command `{}`", name_of(command)),
        };
    };
    match argument(arguments) {
        "" => format!("`{operation}`"),
        argument if let Some(query) = query_of(&operation, argument) => format!("`{operation}?{query}`"),
        argument => format!("`{operation}` ({argument})"),
    }
}

/// Fields of endpoints with `GET` that have the arguments of the command.
const QUERY_FIELDS: [(&str, &str); 2] = [("GET /search", "q"), ("GET /context", "task")];

/// The query string of an endpoint for the arguments of the command, which are quoted for a shell.
fn query_of(operation: &str, argument: &str) -> Option<String> {
    let (_, field) = QUERY_FIELDS.iter().find(|(endpoint, _)| *endpoint == operation)?;
    // Quotation marks within the arguments are those of a phrase, or of the shell around all of them.
    let whole = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let words = whole.filter(|inner| !inner.contains('"')).unwrap_or(argument);
    Some(form_urlencoded::Serializer::new(String::new()).append_pair(field, words).finish())
}

/// The arguments of a command, if they are values.
fn argument(arguments: &str) -> &str {
    if arguments.contains("--") { "" } else { arguments }
}

fn tool(verb: &str) -> Option<&'static OperationSpec> {
    let renamed = RENAMED.iter().find(|(command, _)| *command == verb).map(|(_, name)| (*name).to_owned());
    let name = renamed.unwrap_or_else(|| format!("memory_{verb}"));
    TABLE.iter().find(|operation| operation.name == name && operation.tool)
}

fn operation(verb: &str, interface: Interface) -> Option<String> {
    let found = tool(verb)?;
    match (interface, found.endpoint) {
        (Interface::Http, Some(endpoint)) => {
            let method = if endpoint.methods.first() == Some(&Method::Get) { "GET" } else { "POST" };
            Some(format!("{method} {}", endpoint.path))
        }
        (Interface::Http, None) => None,
        _ => Some(found.name.to_owned()),
    }
}

/// `config set` of `config set git.commit auto`: the words before the first value or option.
fn name_of(command: &str) -> String {
    let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let words: Vec<&str> = command.split(' ').take_while(is_word).take(2).collect();
    if words.is_empty() { command.split(' ').next().unwrap_or_default().to_owned() } else { words.join(" ") }
}

/// `` `max_tokens`: 2000 `` of `max-tokens 2000`.
fn field(option: &str) -> String {
    let (name, value) = option.split_once(' ').unwrap_or((option, ""));
    let name = name.replace('-', "_");
    // Fields that have the values of a repeatable option.
    match (name.as_str(), value.split_once('=')) {
        ("set", Some((key, value))) => return format!("`set`: {{\"{key}\": {value}}}"),
        ("add_tag" | "remove_tag", _) if !value.is_empty() => return format!("`{name}s`: [\"{value}\"]"),
        ("add_tag" | "remove_tag", _) => return format!("`{name}s`"),
        _ => {}
    }
    if value.is_empty() { format!("`{name}`") } else { format!("`{name}`: {value}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commands_become_tools_and_endpoints_and_options_become_fields() {
        let on = |interface, text: &str| worded(&UserText::from(text), interface);
        for (text, tool, endpoint) in [
            ("`cm search` finds ids", "`memory_search` finds ids", "`GET /search` finds ids"),
            (
                "`cm get a1` shows it",
                "`memory_get` (a1) shows it",
                "the tool `memory_get` (a1) at `/mcp` shows it",
            ),
            (
                "for example `cm search \"a pool\" type:fix`",
                "for example `memory_search` (\"a pool\" type:fix)",
                "for example `GET /search?q=%22a+pool%22+type%3Afix`",
            ),
            (
                "for example `cm context \"fix the test\"`",
                "for example `memory_context` (\"fix the test\")",
                "for example `GET /context?task=fix+the+test`",
            ),
            (
                "for example `--set importance=0.9` or `--add-tag rust`",
                "for example `set`: {\"importance\": 0.9} or `add_tags`: [\"rust\"]",
                "for example `set`: {\"importance\": 0.9} or `add_tags`: [\"rust\"]",
            ),
            ("`cm mark` it", "`memory_feedback` it", "`POST /feedback` it"),
            (
                "`cm log --op delete` lists them",
                "the terminal command `log` lists them",
                "the terminal command `log` lists them",
            ),
            (
                "run `cm config set git.commit auto`",
                "run the terminal command `config set`",
                "run the terminal command `config set`",
            ),
            ("use `--max-tokens 2000`", "use `max_tokens`: 2000", "use `max_tokens`: 2000"),
        ] {
            assert_eq!(on(Interface::CommandLine, text), text);
            assert_eq!(on(Interface::Mcp, text), tool);
            assert_eq!(on(Interface::Http, text), endpoint);
        }
    }

    #[test]
    fn only_texts_of_cm_are_worded_anew() {
        let mut result = json!({
            "body": "run `cm log`",
            "findings": [{ "message": "broken `cm log`", "hint": "run `cm validate`" }],
            "notices": ["`cm commit` commits"],
            "skipped": [{ "reason": "a draft: `cm review --accept b-1`" }],
            "feedback": [{ "reason": "`cm log` was slow" }],
        });
        reword_result(&mut result, Interface::Mcp);
        let expected = json!({
            "body": "run `cm log`",
            "findings": [
                { "message": "broken `cm log`", "hint": "run the terminal command `validate`" }
            ],
            "notices": ["the terminal command `commit` commits"],
            "skipped": [{ "reason": "a draft: the terminal command `review`" }],
            "feedback": [{ "reason": "`cm log` was slow" }],
        });
        assert_eq!(result, expected);
    }
}
