//! Finds the command line and the files in a tool call. The names of tools and their arguments differ
//! between agents.

use serde_json::Value;

/// Returns the command line that a tool call runs; `None` if the tool, judged by its name, is not a
/// shell. Other tools may also have an argument called `command`.
#[must_use]
pub fn command_of(tool: &str, input: &Value) -> Option<String> {
    if is_shell(tool) { command_in(input) } else { None }
}

/// Returns the command line in the arguments of a shell tool, whatever the argument is called.
pub fn command_in(input: &Value) -> Option<String> {
    let argument = ["command", "cmd", "script", "CommandLine"].iter().find_map(|key| input.get(key));
    let argument = argument.or_else(|| input.get("action")?.get("command"));
    line_of(argument.unwrap_or(input))
}

/// Names of arguments that contain the path of a file.
pub(crate) const FILE_PATHS: [&str; 10] = [
    "file_path",
    "filePath",
    "path",
    "target_file",
    "notebook_path",
    "absolute_path",
    "relative_path",
    "relative_workspace_path",
    "filename",
    "file",
];

/// Returns the path of the file that a tool reads or changes, by the first argument that has one.
pub(crate) fn file_path(input: &Value) -> Option<&str> {
    text(input, &FILE_PATHS)
}

/// Returns the first of these arguments that is a text.
pub(crate) fn text<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(name)?.as_str())
}

const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ksh", "fish"];

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Converts the command of a tool call to a command line. A string stays as is. A list of arguments
/// is quoted and joined; of `bash -lc LINE`, only `LINE` is returned.
pub fn line_of(command: &Value) -> Option<String> {
    if let Some(line) = command.as_str() {
        return Some(line.to_owned());
    }
    let words: Vec<&str> = command.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    Some(match words.as_slice() {
        [shell, "-c" | "-lc" | "-ic" | "-lic", line] if SHELLS.contains(&base_name(shell)) => {
            (*line).to_owned()
        }
        words => cm_shell::line_of(words),
    })
}

/// Returns `true` if a tool runs command lines, judged by its name.
pub fn is_shell(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["bash", "shell", "exec", "terminal", "command"].iter().any(|word| tool.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_shell_tools_have_a_command_line() {
        for input in [
            json!("rm -rf a"),
            json!({"command": "rm -rf a"}),
            json!({"cmd": ["bash", "-lc", "rm -rf a"]}),
            json!({"CommandLine": ["rm", "-rf", "a"]}),
            json!({"action": {"command": ["rm", "-rf", "a"]}}),
        ] {
            assert_eq!(command_of("run_in_terminal", &input).as_deref(), Some("rm -rf a"), "{input}");
            assert_eq!(command_of("search", &input), None);
        }
        assert_eq!(command_of("Bash", &json!({"path": "a"})), None);
        assert_eq!(line_of(&json!(["echo", "a b"])).as_deref(), Some("echo 'a b'"));
        assert_eq!(line_of(&json!(["echo", 1])), None);
    }
}
