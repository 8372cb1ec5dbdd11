//! Parser from tokens to simple commands: pipes, redirections, groups, functions.

use super::shell_state::ShellState;
use super::token::{RawWord, ShellToken, WordPiece};
use super::{MAX_DEPTH, SimpleCommand, output, wrapped_command};

/// Reserved words that begin a part of a compound command and run nothing themselves.
#[rustfmt::skip]
const RESERVED: [&str; 15] = [
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!", "time", "esac",
    "coproc",
];
/// Environment variables with values that programs run as commands.
const RUNS: [&str; 8] = [
    "GIT_SSH_COMMAND",
    "GIT_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "EDITOR",
    "PAGER",
    "PROMPT_COMMAND",
    "LESSOPEN",
];
/// Maximum number of upstream commands that are recorded in a pipe.
const MAX_UPSTREAM: usize = 8;

/// Maximum length of a path in bytes, as on Linux.
const MAX_PATH_BYTES: usize = 4096;

/// Words, redirections and input of the current command.
#[derive(Default)]
pub struct CommandDraft<'t> {
    pub words: Vec<&'t RawWord>,
    pub redirects: Vec<(&'static str, &'t RawWord)>,
    pub input: Option<&'t RawWord>,
}

/// A complete command and its output.
#[derive(Clone)]
struct FinishedCommand {
    command: SimpleCommand,
    output: Option<String>,
}

/// Parses tokens and appends their commands to the script. Returns their output, if known.
pub fn run(
    tokens: &[ShellToken],
    depth: usize,
    reading: &mut ShellState,
    folder: Option<&str>,
) -> Option<String> {
    if depth > MAX_DEPTH {
        reading.script.truncated = true;
        return None;
    }
    let mut reader = CommandReader {
        reading,
        depth,
        draft: CommandDraft::default(),
        before: None,
        last: None,
        folder: folder.map(str::to_owned),
        folders: Vec::new(),
        output: Some(String::new()),
    };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            ShellToken::Word(word) if reader.draft.words.is_empty() && plain(word) == Some("function") => {
                at += reader.function(tail(tokens, at));
            }
            ShellToken::Word(word) => reader.draft.words.push(word),
            ShellToken::Redirect(sign) => {
                if let Some(ShellToken::Word(target)) = tokens.get(at) {
                    at += 1;
                    reader.draft.redirects.push((sign, target));
                }
            }
            ShellToken::Body(body) => reader.draft.input = Some(body),
            ShellToken::Sign("(") => reader.open(tail(tokens, at)),
            ShellToken::Sign(sign) => reader.sign(sign),
        }
    }
    reader.end(false);
    reader.output
}

pub struct CommandReader<'r, 't> {
    pub reading: &'r mut ShellState,
    pub depth: usize,
    draft: CommandDraft<'t>,
    /// Previous command of the pipe.
    before: Option<FinishedCommand>,
    /// Last command of the most recent group in brackets.
    last: Option<FinishedCommand>,
    pub folder: Option<String>,
    /// Working folders outside the open brackets.
    folders: Vec<Option<String>>,
    /// Output so far, if known.
    output: Option<String>,
}

impl<'t> CommandReader<'_, 't> {
    fn sign(&mut self, sign: &str) {
        match sign {
            "|" | "|&" => self.end(true),
            ")" => {
                self.end(false);
                if let Some(folder) = self.folders.pop() {
                    self.folder = folder;
                }
            }
            _ => self.end(false),
        }
    }

    /// Handles an opening bracket: `name()` begins a function definition, any other bracket a
    /// group.
    fn open(&mut self, rest: &'t [ShellToken]) {
        let name = self.draft.words.first().and_then(|word| plain(word));
        let defines = self.draft.words.len() == 1 && rest.first() == Some(&ShellToken::Sign(")"));
        match name.filter(|_| defines) {
            Some(name) => {
                self.reading.define(name, body(rest));
                self.draft = CommandDraft::default();
            }
            None => self.end(false),
        }
        self.folders.push(self.folder.clone());
    }

    /// Reads the header of a function that `function` begins; returns its number of tokens.
    fn function(&mut self, rest: &'t [ShellToken]) -> usize {
        let name = match rest.first() {
            Some(ShellToken::Word(word)) => plain(word),
            _ => None,
        };
        let Some(name) = name else { return 0 };
        let rest = tail(rest, 1);
        self.reading.define(name, body(rest));
        let brackets = [ShellToken::Sign("("), ShellToken::Sign(")")];
        if rest.starts_with(&brackets) { 3 } else { 1 }
    }

    /// Completes the current command; `pipes` means that its output goes into a pipe.
    fn end(&mut self, pipes: bool) {
        let draft = std::mem::take(&mut self.draft);
        let raw = self.skip_reserved_words(&draft.words);
        let raw = self.alias(raw);
        let before = self.before.take();
        if raw.is_empty() && draft.redirects.is_empty() {
            // A group goes into the pipe by its last command.
            let group = self.last.take().map(|done| FinishedCommand { output: self.output.clone(), ..done });
            self.before = before.or(group).filter(|_| pipes);
            return;
        }
        let mut command = self.simple(&raw, &draft);
        command.folder.clone_from(&self.folder);
        if let Some(before) = before {
            command.input = command.input.or(before.output);
            command.upstream = before.command.upstream.clone();
            if command.upstream.len() == MAX_UPSTREAM {
                command.upstream.remove(0);
            }
            command.upstream.push(SimpleCommand { upstream: Vec::new(), input: None, ..before.command });
        }
        self.effects(&command);
        for (name, value) in &command.assignments {
            if RUNS.contains(&name.as_str()) {
                self.reading.text(value, self.depth + 1, self.folder.as_deref());
            }
        }
        let printed = wrapped_command::add_command(command.clone(), self.depth, self.reading);
        let printed = self.redirect_output(&command, printed);
        let done = FinishedCommand { command, output: printed };
        if pipes {
            self.before = Some(done);
            return;
        }
        let fits = |all: &String, more: &String| all.len() + more.len() <= output::MAX_OUTPUT_BYTES;
        self.output = match (self.output.take(), &done.output) {
            (Some(all), Some(more)) if fits(&all, more) => Some(all + more),
            _ => None,
        };
        self.last = Some(done);
    }

    /// Records output that is redirected to a file; returns the output left for the pipe.
    fn redirect_output(&mut self, command: &SimpleCommand, printed: Option<String>) -> Option<String> {
        let printed = printed.filter(|text| self.reading.take_budget(text.len()));
        let to = command.redirects.iter().find(|redirect| matches!(redirect.sign, ">" | ">>" | ">|" | "&>"));
        let tee = command.operands().next().filter(|_| command.program == "tee");
        let path = to.map(|redirect| &redirect.target.text).or(tee.map(|word| &word.text));
        if let (Some(path), Some(text)) = (path, &printed) {
            let path = path.trim_start_matches("./");
            let before = self.reading.files.remove(path).filter(|_| to.is_some_and(|to| to.sign == ">>"));
            self.reading.files.insert(path.to_owned(), before.unwrap_or_default() + text);
        }
        if to.is_some() { Some(String::new()) } else { printed }
    }

    /// Applies the effects of a command on later ones: working folder, aliases, variables.
    fn effects(&mut self, command: &SimpleCommand) {
        let operands = || command.operands().map(|word| word.text.as_str());
        match command.program.as_str() {
            "cd" | "pushd" | "chdir" | "set-location" => {
                self.folder = operands().next().map(|path| joined(self.folder.as_deref(), path));
            }
            "alias" => {
                let set = operands().filter_map(|word| word.split_once('='));
                self.reading.aliases.extend(set.map(|(name, text)| (name.to_owned(), text.to_owned())));
            }
            "unset" | "read" | "mapfile" | "readarray" => {
                operands().for_each(|name| drop(self.reading.variables.remove(name)));
            }
            "set" if command.args.first().is_some_and(|word| word.text == "--") => {
                let values = command.args.iter().skip(1).map(|word| word.text.clone()).collect();
                self.reading.positional(values);
            }
            _ => {}
        }
    }

    /// Expands an alias at the first word.
    fn alias(&self, raw: Vec<&'t RawWord>) -> Vec<RawWord> {
        let first = raw.first().and_then(|word| plain(word));
        let alias = first.and_then(|name| self.reading.aliases.get(name));
        let words = |text: &String| {
            let token = |token| if let ShellToken::Word(word) = token { Some(word) } else { None };
            super::lex::tokens(text).into_iter().map(token).collect::<Option<Vec<RawWord>>>()
        };
        match alias.and_then(words) {
            Some(words) => words.into_iter().chain(raw.into_iter().skip(1).cloned()).collect(),
            None => raw.into_iter().cloned().collect(),
        }
    }

    /// Drops the reserved words before the program. `for x in …` sets its variable and gives no
    /// words.
    fn skip_reserved_words(&mut self, raw: &[&'t RawWord]) -> Vec<&'t RawWord> {
        let reserved = |word: &&&RawWord| plain(word).is_some_and(|word| RESERVED.contains(&word));
        let skipped = raw.iter().take_while(reserved).count();
        let raw = tail(raw, skipped);
        match raw.first().and_then(|word| plain(word)) {
            Some("for" | "select") => {
                if let Some(name) = raw.get(1).and_then(|word| plain(word)) {
                    self.set_loop_variable(name, raw.get(3..).unwrap_or_default());
                }
                Vec::new()
            }
            Some("case") => Vec::new(),
            _ => raw.to_vec(),
        }
    }

    /// Sets a loop's variable to all its values; unsets it if some are unknown.
    fn set_loop_variable(&mut self, name: &str, list: &[&RawWord]) {
        let values: Vec<String> =
            list.iter().flat_map(|raw| self.expanded(raw)).map(|word| word.text).collect();
        // What files a pattern in the working folder means is not known here.
        if values.is_empty() || values.iter().any(|value| value.starts_with(['*', '$', '`'])) {
            self.reading.variables.remove(name);
        } else {
            self.reading.assign(name, values);
        }
    }
}

/// Returns the items from an index on; empty beyond the end.
fn tail<T>(items: &[T], from: usize) -> &[T] {
    items.get(from..).unwrap_or_default()
}

/// Returns the text of a word without quotes and expansions; `None` for other words.
fn plain(raw: &RawWord) -> Option<&str> {
    match raw.as_slice() {
        [WordPiece::Text { text, quoted: false }] => Some(text),
        _ => None,
    }
}

/// Returns the tokens of a function's body, after the bracket of its name.
fn body(rest: &[ShellToken]) -> &[ShellToken] {
    let is = |token: &ShellToken, expected: &str| matches!(token, ShellToken::Word(word) if plain(word) == Some(expected));
    let Some(open) = rest.iter().take(4).position(|token| is(token, "{")) else { return &[] };
    let mut depth = 0_usize;
    for (at, token) in rest.iter().enumerate().skip(open) {
        depth += usize::from(is(token, "{"));
        if is(token, "}") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return rest.get(open + 1..at).unwrap_or_default();
            }
        }
    }
    tail(rest, open + 1)
}

/// Resolves a path against a working folder.
fn joined(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '~', '$']) && folder.len() > MAX_PATH_BYTES => {
            folder.to_owned()
        }
        Some(folder) if !path.starts_with(['/', '~', '$']) => format!("{folder}/{path}"),
        _ => path.to_owned(),
    }
}

/// Returns the name of a program without its folder and `.exe`.
pub fn name_of(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    match lower.strip_suffix(".exe") {
        Some(stem) => stem.to_owned(),
        None if matches!(lower.as_str(), "iex" | "iwr" | "irm") => lower,
        None if lower.contains('-') && name.starts_with(|first: char| first.is_ascii_uppercase()) => lower,
        None => name.to_owned(),
    }
}
