//! Parses a shell command line into the simple commands that it would run, through quotes, pipes,
//! substitutions and wrapper programs.
//!
//! Nothing is run. Variables, aliases, functions, files and outputs are followed if the text itself
//! sets them; the environment and the file system are not read, so glob patterns stay as written.
//! Data (quoted text, comments, the body of a here-document) is never a command.

#![warn(clippy::indexing_slicing)]

mod ansi;
mod build_command;
pub mod decode;
mod expand;
mod inline_program;
mod lex;
mod output;
mod parse;
mod scan;
mod shell_state;
mod token;
mod wrapped_command;
mod wrappers;

pub use inline_program::program as program_text;

/// Maximum nesting depth of commands within commands.
pub const MAX_DEPTH: usize = 12;

/// A word of a command, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellWord {
    /// Text after expansion; unknown variables and substitutions stay as written.
    pub text: String,
    /// Whether any part of the word is quoted.
    pub quoted: bool,
}

/// A redirection of a command's output or input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The operator (`>`, `>>`, `<`, `<<<`, …) without a file descriptor number.
    pub sign: &'static str,
    /// The file, or for `<<<` the text itself.
    pub target: ShellWord,
}

/// A simple command: one program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    /// Name of the program without its folder; lower case for Windows programs and PowerShell
    /// cmdlets.
    pub program: String,
    /// The program as written, with its folder.
    pub program_path: String,
    pub args: Vec<ShellWord>,
    /// Variable assignments before the program, or the whole command if it has no program.
    pub assignments: Vec<(String, String)>,
    pub redirects: Vec<Redirect>,
    /// Standard input, if known: a here-document, a here-string, or the output of the previous
    /// command of the pipe.
    pub input: Option<String>,
    /// Previous commands of the pipe, nearest last; their own `upstream` is empty.
    pub upstream: Vec<SimpleCommand>,
    /// Whether it runs on another machine or in a container.
    pub is_remote: bool,
    /// Whether it only runs the command after its own flags, as `sudo`, `timeout` and `npx` do; that
    /// command follows in the script.
    pub is_wrapper: bool,
    /// Whether it stands inside another command: in a substitution, a function, or the arguments of
    /// a program that runs commands.
    pub is_inner: bool,
    /// Working folder set by an earlier `cd`.
    pub folder: Option<String>,
}

impl SimpleCommand {
    /// Sets the program from the word that calls it.
    pub(crate) fn set_program(&mut self, invoked: &str) {
        self.program = parse::name_of(invoked);
        invoked.clone_into(&mut self.program_path);
    }

    /// Whether one of these programs comes earlier in the pipe.
    pub fn is_downstream_of(&self, programs: &[&str]) -> bool {
        self.upstream.iter().any(|before| programs.contains(&before.program.as_str()))
    }

    /// Returns the arguments that are not flags.
    pub fn operands(&self) -> impl Iterator<Item = &ShellWord> {
        let end = self.args.iter().position(|word| word.text == "--");
        self.args
            .iter()
            .enumerate()
            .filter(move |(index, word)| {
                end.is_some_and(|end| *index > end)
                    || (!word.text.starts_with('-') || word.text == "-") && word.text != "--"
            })
            .map(|(_, word)| word)
    }

    /// Whether one of the flags is set: a long flag also as `--flag=…`, a letter also in a group
    /// (`-rf`).
    pub fn has(&self, flags: &[&str]) -> bool {
        let before_dashes = self.args.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--");
        before_dashes
            .filter(|word| word.starts_with('-'))
            .any(|word| flags.iter().any(|flag| is_flag(word, flag)))
    }

    /// Joins the program's name and its arguments with spaces.
    pub fn line(&self) -> String {
        let words: Vec<&str> = std::iter::once(self.program.as_str())
            .chain(self.args.iter().map(|word| word.text.as_str()))
            .collect();
        words.join(" ")
    }
}

fn is_flag(word: &str, flag: &str) -> bool {
    if flag.len() == 2 && !flag.starts_with("--") {
        let letters = word.strip_prefix('-').unwrap_or("");
        return !letters.starts_with('-')
            && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && letters.contains(flag.trim_start_matches('-'));
    }
    word == flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
}

/// Result of parsing a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedScript {
    /// All commands that could run, in order.
    pub commands: Vec<SimpleCommand>,
    /// Names of the functions that the text defines.
    pub functions: Vec<String>,
    /// Whether a limit of depth or size cut the analysis short.
    pub truncated: bool,
}

/// Parses a command line or script. Accepts any text, including incomplete input.
#[must_use]
pub fn read(text: &str) -> ParsedScript {
    let mut reading = shell_state::ShellState::new();
    reading.text(text, 0, None);
    reading.script
}

/// Quotes words and joins them to a command line that parses to these words; patterns, variables
/// and `~` stay unquoted.
#[must_use]
pub fn line_of(words: &[&str]) -> String {
    let quoted = |word: &&str| {
        let plain =
            !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"\\;|&<>()`#".contains(c));
        if plain { (*word).to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may panic")]
mod tests;
