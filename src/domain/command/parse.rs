//! From tokens to simple commands: what is in a pipe, what is redirected, what runs within.

use super::lex::{self, Token};
use super::{DEPTH, Redirect, Script, Simple, Word, unwrap};

/// Words that begin a part of a compound command and run nothing themselves.
#[rustfmt::skip]
const RESERVED: [&str; 15] = [
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!", "time", "esac",
    "coproc",
];

/// How many programs of a pipe are remembered.
const UPSTREAM: usize = 8;

/// How long a folder can become, in bytes, as systems have it.
const PATH: usize = 4096;

/// What is gathered of one command.
#[derive(Default)]
struct Draft {
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    input: Option<String>,
}

/// Reads a text and adds its commands.
pub fn into(text: &str, depth: usize, script: &mut Script) {
    if depth > DEPTH {
        script.truncated = true;
        return;
    }
    let mut reader =
        Reader { script, depth, draft: Draft::default(), before: None, folder: None, folders: Vec::new() };
    let mut tokens = lex::tokens(text).into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) => reader.draft.words.push(word),
            Token::Redirect(sign) => {
                let nested = tokens.peek().is_some_and(|next| matches!(next, Token::Nested(_)));
                if nested && let Some(Token::Nested(inner)) = tokens.next() {
                    into(&inner, depth + 1, reader.script);
                }
                if let Some(Token::Word(_)) = tokens.peek()
                    && let Some(Token::Word(target)) = tokens.next()
                {
                    reader.redirect(sign, target);
                }
            }
            Token::Body(body) => reader.draft.input = Some(body),
            Token::Nested(inner) => into(&inner, depth + 1, reader.script),
            Token::Sign(sign) => reader.sign(sign),
        }
    }
    reader.end(false);
}

struct Reader<'s> {
    script: &'s mut Script,
    depth: usize,
    draft: Draft,
    /// The command before this one in the pipe.
    before: Option<Simple>,
    folder: Option<String>,
    /// The folders outside of the brackets that are open.
    folders: Vec<Option<String>>,
}

impl Reader<'_> {
    fn redirect(&mut self, sign: &'static str, target: Word) {
        if sign == "<<<" {
            self.draft.input = Some(target.text.clone());
        }
        self.draft.redirects.push(Redirect { sign, target });
    }

    fn sign(&mut self, sign: &str) {
        match sign {
            "|" | "|&" => self.end(true),
            "(" => {
                // `name()` begins a function: its name runs nothing here.
                if !self.is_definition() {
                    self.end(false);
                }
                self.folders.push(self.folder.clone());
            }
            ")" => {
                self.end(false);
                if let Some(folder) = self.folders.pop() {
                    self.folder = folder;
                }
            }
            _ => self.end(false),
        }
    }

    /// Whether the one word before a bracket is the name of a function that is being defined.
    fn is_definition(&mut self) -> bool {
        let defines = self.draft.words.len() == 1
            || self.draft.words.first().is_some_and(|word| word.text == "function");
        if defines {
            let name = self.draft.words.pop().map(|word| word.text);
            self.script.functions.extend(name);
            self.draft = Draft::default();
        }
        defines
    }

    /// The command is complete.
    fn end(&mut self, pipes: bool) {
        let mut draft = std::mem::take(&mut self.draft);
        draft.words = runs(draft.words);
        let before = self.before.take();
        if draft.words.is_empty() && draft.redirects.is_empty() {
            if pipes {
                self.before = before;
            }
            return;
        }
        let mut command = simple(draft);
        command.folder.clone_from(&self.folder);
        if let Some(before) = before {
            command.input = command.input.or_else(|| printed(&before));
            command.upstream = before.upstream;
            if command.upstream.len() == UPSTREAM {
                command.upstream.remove(0);
            }
            command.upstream.push(before.program);
        }
        if matches!(command.program.as_str(), "cd" | "pushd" | "chdir" | "set-location") {
            self.folder = command.operands().next().map(|word| joined(self.folder.as_deref(), &word.text));
        }
        if pipes {
            self.before = Some(command.clone());
        }
        unwrap::into(command, self.depth, self.script);
    }
}

/// A folder seen from another one.
fn joined(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '~', '$']) && folder.len() > PATH => folder.to_owned(),
        Some(folder) if !path.starts_with(['/', '~', '$']) => format!("{folder}/{path}"),
        _ => path.to_owned(),
    }
}

/// The words from the program on: reserved words before it run nothing, and `for x in …` is a list.
fn runs(words: Vec<Word>) -> Vec<Word> {
    let skipped =
        words.iter().take_while(|word| !word.quoted && RESERVED.contains(&word.text.as_str())).count();
    let words: Vec<Word> = words.into_iter().skip(skipped).collect();
    match words.first() {
        Some(first)
            if !first.quoted && matches!(first.text.as_str(), "for" | "select" | "case" | "function") =>
        {
            Vec::new()
        }
        _ => words,
    }
}

/// A command of its words, redirects and input.
fn simple(draft: Draft) -> Simple {
    let mut command = Simple { redirects: draft.redirects, input: draft.input, ..Simple::default() };
    let mut words = draft.words.into_iter().peekable();
    while let Some((name, value)) = words.peek().and_then(assignment) {
        command.assignments.push((name, value));
        words.next();
    }
    command.program = words.next().map(|word| name_of(&word.text)).unwrap_or_default();
    command.args = words.collect();
    command
}

/// `NAME=value`.
fn assignment(word: &Word) -> Option<(String, String)> {
    let (name, value) = word.text.split_once('=')?;
    let named = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.as_bytes()[0].is_ascii_digit();
    named.then(|| (name.to_owned(), value.to_owned()))
}

/// The name of a program without its folder and ending.
pub fn name_of(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    match lower.strip_suffix(".exe") {
        Some(stem) => stem.to_owned(),
        None if lower.contains('-') && name.starts_with(|first: char| first.is_ascii_uppercase()) => lower,
        None => name.to_owned(),
    }
}

/// What an `echo` or `printf` hands to the command behind it in the pipe, or `cat` of a here-document.
fn printed(command: &Simple) -> Option<String> {
    match command.program.as_str() {
        "echo" | "printf" | "Write-Output" => {
            Some(command.operands().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        }
        "cat" => command.input.clone(),
        _ => None,
    }
}
