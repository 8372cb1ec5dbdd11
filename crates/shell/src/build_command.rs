//! Expansion of a command's words, assignments and redirections.

use super::expand::{ExpandedPart, part, texts, words};
use super::parse::{CommandDraft, CommandReader, run};
use super::scan::after;
use super::token::{RawWord, WordPiece};
use super::{Redirect, ShellWord, SimpleCommand};

/// Commands with arguments that set variables.
const DECLARES: [&str; 5] = ["export", "local", "declare", "readonly", "typeset"];

impl<'t> CommandReader<'_, 't> {
    fn parts(&mut self, raw: &RawWord) -> Vec<ExpandedPart> {
        let mut parts = Vec::with_capacity(raw.len());
        for piece in raw {
            let output = match piece {
                WordPiece::Text { .. } => None,
                WordPiece::Parameter { tokens, .. } => {
                    if !tokens.is_empty() {
                        run(tokens, self.depth + 1, self.reading, self.folder.as_deref());
                    }
                    None
                }
                WordPiece::Substitution { text, tokens, .. } => {
                    let output = run(tokens, self.depth + 1, self.reading, self.folder.as_deref());
                    if text.starts_with(['<', '>']) {
                        // The word is the name of a file that holds the output.
                        output.and_then(|output| self.reading.files.insert(text.clone(), output));
                        None
                    } else {
                        output.filter(|output| self.reading.take_budget(output.len()))
                    }
                }
            };
            parts.push(part(piece, output, &self.reading.variables));
        }
        parts
    }

    /// Expands a word; the result can be empty or several words.
    pub fn expanded(&mut self, raw: &RawWord) -> Vec<ShellWord> {
        let parts = self.parts(raw);
        words(parts, self.reading.fields())
    }

    /// Expands a word without word splitting and brace expansion.
    fn text(&mut self, raw: &RawWord) -> ShellWord {
        let text = texts(&self.parts(raw)).swap_remove(0);
        ShellWord { text, quoted: raw.iter().any(WordPiece::is_quoted) }
    }

    /// Builds a command from its words, redirections and input.
    pub fn simple(&mut self, raw: &[RawWord], draft: &CommandDraft<'t>) -> SimpleCommand {
        let mut command = SimpleCommand::default();
        let mut words: Vec<ShellWord> = Vec::new();
        for raw in raw {
            let name = assigned(raw);
            let declares = words.first().is_some_and(|word| DECLARES.contains(&word.text.as_str()));
            match name.filter(|_| words.is_empty() || declares) {
                Some(name) => self.assignment(name, raw, declares, &mut command, &mut words),
                None => words.extend(self.expanded(raw)),
            }
        }
        for (sign, target) in &draft.redirects {
            let target = self.text(target);
            if *sign == "<<<" {
                command.input = Some(format!("{}\n", target.text));
            }
            if *sign == "<"
                && let Some(text) = self.reading.file(&target.text)
            {
                command.input = Some(text.clone());
            }
            command.redirects.push(Redirect { sign, target });
        }
        if let Some(body) = draft.input {
            command.input = Some(self.text(body).text);
        }
        let mut words = words.into_iter();
        if let Some(program) = words.next() {
            command.set_program(&program.text);
        }
        command.args = words.collect();
        command
    }

    /// Records an assignment, `NAME=value` or `NAME+=value`.
    fn assignment(
        &mut self,
        name: &str,
        raw: &RawWord,
        declares: bool,
        command: &mut SimpleCommand,
        words: &mut Vec<ShellWord>,
    ) {
        let adds = name.ends_with('+');
        let bare = name.trim_end_matches('+');
        let parts = self.parts(raw);
        let quoted = raw.iter().any(WordPiece::is_quoted);
        let values: Vec<String> =
            texts(&parts).into_iter().map(|text| after(&text, name.len() + 1).to_owned()).collect();
        let before = self.reading.variables.get(bare).and_then(|values| values.first()).cloned();
        let before = before.filter(|_| adds).unwrap_or_default();
        let values: Vec<String> = values.into_iter().map(|value| format!("{before}{value}")).collect();
        let first = values.first().cloned().unwrap_or_default();
        self.reading.assign(bare, values);
        if declares {
            words.push(ShellWord { text: format!("{bare}={first}"), quoted });
        } else {
            command.assignments.push((bare.to_owned(), first));
        }
    }
}

/// Returns the name in `NAME=…`, with a trailing `+` for `NAME+=…`.
fn assigned(raw: &RawWord) -> Option<&str> {
    let Some(WordPiece::Text { text, quoted: false }) = raw.first() else { return None };
    let (name, _) = text.split_once('=')?;
    let bare = name.strip_suffix('+').unwrap_or(name);
    let is_name = !bare.is_empty()
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !bare.starts_with(|first: char| first.is_ascii_digit());
    is_name.then_some(name)
}
