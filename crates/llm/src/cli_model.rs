//! Uses a program as a model: a coding agent in print mode, or any other that reads a prompt and
//! writes an answer.
//!
//! The program runs in an empty folder, so that no project files or hooks affect it, and with few
//! environment variables, so that it does not receive unrelated keys.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::Llm;
use super::error::{LlmError, Result};
use super::estimate::estimated_reply;
use super::process::ExternalProgram;
use super::request::{ModelReply, ModelRequest};
use cm_net::{ApiKey, RetrySleeper};

/// Environment variable by which cm's hooks recognize that cm itself started the agent program.
pub const MODEL_CALL_VARIABLE: &str = "CM_MODEL_CALL";
/// Maximum size of a program's answer, in bytes.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Maximum output size of a command that prints a key, in bytes.
const MAX_KEY_BYTES: usize = 64 << 10;
/// Timeout of a command that prints a key; long enough for the user to answer a prompt.
const KEY_TIMEOUT: Duration = Duration::from_secs(60);
/// [`MODEL_CALL_VARIABLE`] and its value.
const MODEL_CALL_MARKER: (&str, &str) = (MODEL_CALL_VARIABLE, "1");
/// Environment variables passed to every program; `*` matches any suffix.
const DEFAULT_VARIABLES: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_*",
    "SYSTEMROOT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
];
/// Environment variables that password managers need to prompt the user.
const FOR_KEYS: [&str; 7] = [
    "GPG_TTY",
    "GNUPGHOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "SSH_AUTH_SOCK",
    "PASSWORD_STORE_*",
];

/// Command line and environment of a program that answers prompts.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelCommand {
    argv: Vec<String>,
    environment: BTreeMap<String, String>,
}

impl ModelCommand {
    /// Parses a command line with quotes, without using a shell. The program gets the default
    /// environment variables and those in `besides`.
    ///
    /// # Errors
    /// Returns an error if the line names no program, or names it by a relative path.
    pub fn parse(line: &str, variables: &BTreeMap<String, String>, besides: &[String]) -> Result<Self> {
        let environment = given(variables, besides.iter().map(String::as_str));
        Ok(Self { argv: split("llm.command", line)?, environment })
    }

    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }
}

/// Omits arguments and values of environment variables, which may contain secrets.
impl std::fmt::Debug for ModelCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let variables: Vec<_> = self.environment.keys().collect();
        f.debug_struct("Command").field("program", &self.program()).field("variables", &variables).finish()
    }
}

/// A model that is called by running a program.
#[derive(Debug)]
pub(super) struct CliModel {
    command: ModelCommand,
    model: String,
    retry_sleeper: RetrySleeper,
}

impl CliModel {
    /// Creates a model that runs `command`. `model` is the name of the model that the program uses;
    /// it may be empty.
    pub(super) fn new(command: ModelCommand, model: &str, retry_sleeper: RetrySleeper) -> Self {
        Self { command, model: model.to_owned(), retry_sleeper }
    }
}

impl Llm for CliModel {
    fn provider(&self) -> &str {
        "cli"
    }

    fn model(&self) -> &str {
        if self.model.is_empty() { self.command.program() } else { &self.model }
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        let folder = empty_folder(self.command.program())?;
        let program = ExternalProgram {
            argv: &self.command.argv,
            environment: &self.command.environment,
            folder: folder.path(),
            timeout: request.timeout,
            max_output_bytes: MAX_ANSWER_BYTES,
            is_interactive: false,
        };
        let text = program.run(&request.as_text(), &self.retry_sleeper)?;
        Ok(estimated_reply(request, text, self.model()))
    }
}

/// Runs a command that prints an API key, and returns the first line.
///
/// # Errors
/// Returns an error if the command cannot be started, fails, or prints no key. The error never
/// contains its output.
pub fn key_from(
    line: &str,
    variables: &BTreeMap<String, String>,
    retry_sleeper: &RetrySleeper,
) -> Result<ApiKey> {
    let argv = split("llm.api_key_cmd", line)?;
    let environment = given(variables, FOR_KEYS.into_iter());
    let program = argv.first().map_or("", String::as_str);
    let folder = empty_folder(program)?;
    let folder: &Path = folder.path();
    let run = ExternalProgram {
        argv: &argv,
        environment: &environment,
        folder,
        timeout: KEY_TIMEOUT,
        max_output_bytes: MAX_KEY_BYTES,
        is_interactive: true,
    };
    let printed = run.run("", retry_sleeper).map_err(|error| match error {
        // With an empty stderr, stdout would be shown, which may contain the key.
        LlmError::Failed { program, status, .. } => {
            LlmError::Failed { program, status, message: String::new() }
        }
        other => other,
    })?;
    ApiKey::of(printed.lines().next().unwrap_or_default()).ok_or_else(|| LlmError::Setting {
        setting: "llm.api_key_cmd",
        why: "does not print a key in its first line".to_owned(),
    })
}

fn empty_folder(program: &str) -> Result<tempfile::TempDir> {
    let made = tempfile::Builder::new().prefix("cm-model-").tempdir();
    made.map_err(|source| LlmError::NotStarted { program: program.to_owned(), source })
}

fn split(setting: &'static str, line: &str) -> Result<Vec<String>> {
    let wrong = |why: &str| LlmError::Setting { setting, why: why.to_owned() };
    let argv = shell_words::split(line).map_err(|_| wrong("contains an unclosed quote"))?;
    let program = argv.first().filter(|program| !program.is_empty());
    let program = Path::new(program.ok_or_else(|| wrong("does not name a program"))?);
    // Its value may be a secret, so that it is not repeated.
    if argv[0].contains('=') {
        return Err(wrong("starts with a variable; pass variables with `llm.command_env`"));
    }
    // The folder that it runs in is none that the person knows.
    if program.components().count() > 1 && !program.is_absolute() {
        return Err(wrong("names a program by a relative path"));
    }
    Ok(argv)
}

/// Returns the environment variables that a program gets: the allowed ones of `variables`, and
/// [`MODEL_CALL_MARKER`].
fn given<'a>(
    variables: &BTreeMap<String, String>,
    besides: impl Iterator<Item = &'a str>,
) -> BTreeMap<String, String> {
    let inherited: Vec<&str> = DEFAULT_VARIABLES.into_iter().chain(besides).collect();
    let is_given = |name: &str| {
        inherited.iter().any(|inherited_name| match inherited_name.strip_suffix('*') {
            Some(start) => !start.is_empty() && name.starts_with(start),
            None => name == *inherited_name,
        })
    };
    let given_variables = variables.iter().filter(|(name, _)| is_given(name));
    let mut program_variables: BTreeMap<_, _> =
        given_variables.map(|(name, value)| (name.clone(), value.clone())).collect();
    program_variables.insert(MODEL_CALL_MARKER.0.to_owned(), MODEL_CALL_MARKER.1.to_owned());
    program_variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> BTreeMap<String, String> {
        ["PATH", "HOME", "LC_ALL", "OPENAI_API_KEY", "CM_LLM_KEY", "MY_TOKEN", "AWS_PROFILE", "AWS_REGION"]
            .map(|name| (name.to_owned(), "sk-12345".to_owned()))
            .into()
    }

    #[test]
    fn a_program_gets_the_usual_variables_and_those_that_are_named() {
        let names = |besides: &[&str]| {
            let besides: Vec<_> = besides.iter().map(|name| (*name).to_owned()).collect();
            let command = ModelCommand::parse("claude -p 'a b'", &variables(), &besides).unwrap();
            assert_eq!(command.argv, ["claude", "-p", "a b"]);
            assert!(!format!("{command:?}").contains("12345"));
            command.environment.into_keys().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&[]), "CM_MODEL_CALL HOME LC_ALL PATH");
        assert_eq!(
            names(&["AWS_*", "MY_TOKEN"]),
            "AWS_PROFILE AWS_REGION CM_MODEL_CALL HOME LC_ALL MY_TOKEN PATH"
        );
        assert_eq!(names(&["*"]), "CM_MODEL_CALL HOME LC_ALL PATH");
    }

    #[test]
    fn a_line_that_names_no_program_is_refused() {
        let refused = |line: &str| ModelCommand::parse(line, &variables(), &[]).unwrap_err().to_string();
        insta::assert_snapshot!(refused(" "), @"`llm.command` does not name a program");
        insta::assert_snapshot!(refused("''"), @"`llm.command` does not name a program");
        insta::assert_snapshot!(refused("claude 'x"), @"`llm.command` contains an unclosed quote");
        insta::assert_snapshot!(refused("KEY=sk-12345 claude -p"), @"`llm.command` starts with a variable; pass variables with `llm.command_env`");
        insta::assert_snapshot!(refused("./model.sh"), @"`llm.command` names a program by a relative path");
        assert!(ModelCommand::parse("/opt/model.sh", &variables(), &[]).is_ok());
    }
}
