//! The state of a shell while a text is read: variables, aliases, functions, files, and how much may still be read.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::expand::Variables;
use super::lex::tokens;
use super::output::Files;
use super::token::Token;
use super::{DEPTH, Script, Simple, parse};

/// Most commands that a text is read as.
const COMMANDS: usize = 10_000;
/// Most bytes of values and outputs that are kept.
const BYTES: usize = 8 << 20;
/// Longest text that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// A text that is being read.
pub struct Reading {
    pub script: Script,
    pub variables: Variables,
    pub aliases: BTreeMap<String, String>,
    pub files: Files,
    functions: BTreeMap<String, Rc<[Token]>>,
    /// The functions that are being run: none is entered again.
    active: Vec<String>,
    bytes: usize,
}

impl Reading {
    pub fn new() -> Self {
        let fields = ("IFS".to_owned(), vec![" \t\n".to_owned()]);
        Self {
            script: Script::default(),
            variables: Variables::from([fields]),
            aliases: BTreeMap::new(),
            files: Files::new(),
            functions: BTreeMap::new(),
            active: Vec::new(),
            bytes: BYTES,
        }
    }

    /// Reads a text and adds its commands; what they print, where that is known.
    pub fn text(&mut self, text: &str, depth: usize, folder: Option<&str>) -> Option<String> {
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.script.truncated |= end < text.len();
        if depth > DEPTH || !self.affords(end / 8) {
            self.script.truncated = true;
            return None;
        }
        parse::run(&tokens(&text[..end]), depth, self, folder)
    }

    /// The contents of a file that the text itself wrote.
    pub fn file(&self, path: &str) -> Option<&String> {
        self.files.get(path.trim_start_matches("./"))
    }

    /// Adds a command; whether there is room for it.
    pub fn add(&mut self, command: Simple) -> bool {
        let room = self.script.commands.len() < COMMANDS;
        if room {
            self.script.commands.push(command);
        } else {
            self.script.truncated = true;
        }
        room
    }

    /// Whether a value of this length may still be kept.
    pub fn affords(&mut self, length: usize) -> bool {
        let affords = self.bytes >= length;
        self.bytes = self.bytes.saturating_sub(length);
        self.script.truncated |= !affords;
        affords
    }

    /// The value of the variable at which results of expansions are split.
    pub fn fields(&self) -> &str {
        self.variables.get("IFS").and_then(|values| values.first()).map_or(" \t\n", String::as_str)
    }

    pub fn assign(&mut self, name: &str, values: Vec<String>) {
        let length: usize = values.iter().map(String::len).sum();
        if length < 16 << 10 && self.affords(length) {
            self.variables.insert(name.to_owned(), values);
        } else {
            self.variables.remove(name);
        }
    }

    pub fn define(&mut self, name: &str, body: &[Token]) {
        self.script.functions.push(name.to_owned());
        self.functions.insert(name.to_owned(), body.into());
    }

    /// Reads the body of a function as a command calls it; whether it is one.
    pub fn call(&mut self, command: &Simple, depth: usize) -> Option<Option<String>> {
        let body = self.functions.get(&command.invoked).cloned()?;
        if self.active.contains(&command.invoked) {
            return Some(None);
        }
        let before = self.variables.clone();
        self.positional(command.args.iter().map(|word| word.text.clone()).collect());
        self.active.push(command.invoked.clone());
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
    pub fn positional(&mut self, values: Vec<String>) {
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
