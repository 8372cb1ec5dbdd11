//! A command line of a shell as what would really be run: simple commands, whatever quotes, pipes, substitutions and
//! other programs they are wrapped in.
//!
//! It reads like a shell and runs nothing. Variables, aliases, functions, files and outputs count as far as the text
//! itself sets them; the environment is not looked up, and no pattern is matched to files. What is only data (quoted
//! text, comments, the body of a here-document) is never a command.

mod ansi;
pub mod decode;
mod expand;
mod inline;
mod lex;
mod output;
mod parse;
mod reading;
mod scan;
mod texts;
mod token;
mod unwrap;
mod words;
mod wrappers;

pub use inline::program as program_text;

/// How deep commands within commands are read.
pub const DEPTH: usize = 12;

/// A word of a command, without its quotation marks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// What the shell would pass on, with variables and substitutions as they are written.
    pub text: String,
    /// Whether a part stood in quotation marks.
    pub quoted: bool,
}

/// A file that a command's output goes to, or its input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// `>`, `>>`, `<`, `<<<`, …, without a number before it.
    pub sign: &'static str,
    /// The file, or the text itself behind `<<<`.
    pub target: Word,
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple {
    /// The program's name without its folder, in small letters where it is one of Windows.
    pub program: String,
    /// The program as it is called, with its folder.
    pub invoked: String,
    /// Its arguments.
    pub args: Vec<Word>,
    /// Variables that are set before it, or instead of it.
    pub assignments: Vec<(String, String)>,
    /// Where its output goes and its input comes from.
    pub redirects: Vec<Redirect>,
    /// The text of a here-document, a here-string, or of the `echo` before it in the pipe.
    pub input: Option<String>,
    /// The last commands before it in the pipe, the nearest last; without their own.
    pub upstream: Vec<Simple>,
    /// Whether it runs on another machine or in a container.
    pub elsewhere: bool,
    /// The folder that a `cd` before it went to.
    pub folder: Option<String>,
}

impl Simple {
    /// Sets the program by the word that calls it.
    pub(crate) fn set_program(&mut self, invoked: &str) {
        self.program = parse::name_of(invoked);
        invoked.clone_into(&mut self.invoked);
    }

    /// Whether a program of one of these names is before it in the pipe.
    pub fn follows(&self, programs: &[&str]) -> bool {
        self.upstream.iter().any(|before| programs.contains(&before.program.as_str()))
    }

    /// The arguments that are no flags.
    pub fn operands(&self) -> impl Iterator<Item = &Word> {
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

    /// Whether one of the flags is given: a long one also as `--flag=…`, a letter also among others (`-rf`).
    pub fn has(&self, flags: &[&str]) -> bool {
        let given = self.args.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--");
        given.filter(|word| word.starts_with('-')).any(|word| flags.iter().any(|flag| is_flag(word, flag)))
    }

    /// The arguments as one text.
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
            && letters.contains(&flag[1..]);
    }
    word == flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
}

/// What a text comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// Every command that could run, in order.
    pub commands: Vec<Simple>,
    /// The functions that it defines.
    pub functions: Vec<String>,
    /// Whether something was nested too deeply to be read.
    pub truncated: bool,
}

/// Reads a command line or script. Any text is one; what is torn is read as far as it goes.
#[must_use]
pub fn read(text: &str) -> Script {
    let mut reading = reading::Reading::new();
    reading.text(text, 0, None);
    reading.script
}

/// Words as one command line that reads as these words; patterns, variables and `~` stay what they are.
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
mod tests;
