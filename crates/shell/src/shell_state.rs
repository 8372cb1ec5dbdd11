//! Shell state during parsing: variables, aliases, functions, files, and the remaining budget.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::expand::Variables;
use super::lex::tokens;
use super::output::KnownFiles;
use super::scan::split;
use super::token::ShellToken;
use super::{MAX_DEPTH, ParsedScript, SimpleCommand, parse};

/// Maximum number of commands of one text.
const MAX_COMMANDS: usize = 10_000;
/// Maximum total size of stored values and outputs, in bytes.
const MAX_STATE_BYTES: usize = 8 << 20;
/// Maximum length of a parsed text, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// Parser state of a text.
pub struct ShellState {
    pub script: ParsedScript,
    pub variables: Variables,
    pub aliases: BTreeMap<String, String>,
    pub files: KnownFiles,
    functions: BTreeMap<String, Rc<[ShellToken]>>,
    /// Functions that are being called; guards against recursion.
    active: Vec<String>,
    bytes: usize,
}

impl ShellState {
    pub fn new() -> Self {
        let fields = ("IFS".to_owned(), vec![" \t\n".to_owned()]);
        Self {
            script: ParsedScript::default(),
            variables: Variables::from([fields]),
            aliases: BTreeMap::new(),
            files: KnownFiles::new(),
            functions: BTreeMap::new(),
            active: Vec::new(),
            bytes: MAX_STATE_BYTES,
        }
    }

    /// Parses a text and appends its commands. Returns their output, if known.
    pub fn text(&mut self, text: &str, depth: usize, folder: Option<&str>) -> Option<String> {
        let end = text.floor_char_boundary(MAX_TEXT_BYTES);
        self.script.truncated |= end < text.len();
        if depth > MAX_DEPTH || !self.take_budget(end / 8) {
            self.script.truncated = true;
            return None;
        }
        parse::run(&tokens(split(text, end).0), depth, self, folder)
    }

    /// Returns the content of a file that the text itself wrote.
    pub fn file(&self, path: &str) -> Option<&String> {
        self.files.get(path.trim_start_matches("./"))
    }

    /// Appends a command; returns false if the limit is reached.
    pub fn add(&mut self, command: SimpleCommand) -> bool {
        let room = self.script.commands.len() < MAX_COMMANDS;
        if room {
            self.script.commands.push(command);
        } else {
            self.script.truncated = true;
        }
        room
    }

    /// Marks the last command as a wrapper of the next one.
    pub(crate) fn mark_wrapper(&mut self) {
        if let Some(command) = self.script.commands.last_mut() {
            command.is_wrapper = true;
        }
    }

    /// Deducts a value's length from the byte budget; returns whether the budget suffices.
    pub(crate) fn take_budget(&mut self, length: usize) -> bool {
        let affords = self.bytes >= length;
        self.bytes = self.bytes.saturating_sub(length);
        self.script.truncated |= !affords;
        affords
    }

    /// Returns the field separators of word splitting (`IFS`).
    pub fn fields(&self) -> &str {
        self.variables.get("IFS").and_then(|values| values.first()).map_or(" \t\n", String::as_str)
    }

    pub fn assign(&mut self, name: &str, values: Vec<String>) {
        let length: usize = values.iter().map(String::len).sum();
        if length < 16 << 10 && self.take_budget(length) {
            self.variables.insert(name.to_owned(), values);
        } else {
            self.variables.remove(name);
        }
    }

    pub fn define(&mut self, name: &str, body: &[ShellToken]) {
        self.script.functions.push(name.to_owned());
        self.functions.insert(name.to_owned(), body.into());
    }

    /// Parses the body of the function that a command calls. Returns `None` if it does not call a
    /// function, else the output, if known.
    pub fn call(&mut self, command: &SimpleCommand, depth: usize) -> Option<Option<String>> {
        let body = self.functions.get(&command.program_path).cloned()?;
        if self.active.contains(&command.program_path) {
            return Some(None);
        }
        let before = self.variables.clone();
        self.positional(command.args.iter().map(|word| word.text.clone()).collect());
        self.active.push(command.program_path.clone());
        let output = parse::run(&body, depth + 1, self, command.folder.as_deref());
        self.active.pop();
        for name in (0..10).map(|number| number.to_string()).chain(["@".to_owned(), "*".to_owned()]) {
            match before.get(&name) {
                Some(values) => self.variables.insert(name, values.clone()),
                None => self.variables.remove(&name),
            };
        }
        Some(output)
    }

    /// Sets `$1`, `$2`, … and `$@`.
    pub(crate) fn positional(&mut self, values: Vec<String>) {
        for number in 1..10_usize {
            let name = number.to_string();
            match values.get(number - 1) {
                Some(value) => self.assign(&name, vec![value.clone()]),
                None => drop(self.variables.remove(&name)),
            }
        }
        for name in ["@", "*"] {
            if values.is_empty() {
                self.variables.remove(name);
            } else {
                self.assign(name, values.clone());
            }
        }
    }
}
