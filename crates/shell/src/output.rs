//! Output of commands, where it follows from their arguments and input alone.

use std::collections::BTreeMap;

use super::scan::{after, split};
use super::{ShellWord, SimpleCommand, ansi, decode};

/// Contents of the files that the text itself wrote, by path.
pub type KnownFiles = BTreeMap<String, String>;

/// Maximum length of an output, in bytes.
pub const MAX_OUTPUT_BYTES: usize = 256 << 10;

/// Predicts what a command would print, without running it; `None` if that cannot be known from
/// the command and the known files.
pub fn of(command: &SimpleCommand, files: &KnownFiles) -> Option<String> {
    let text = match command.program.as_str() {
        "" | "true" | ":" | "cd" | "export" | "set" | "unset" | "alias" | "mkdir" | "touch" | "chmod"
        | "shopt" | "local" | "declare" | "readonly" | "sleep" => String::new(),
        "echo" | "Write-Output" | "write-output" => echo(command),
        "printf" => printf(command)?,
        "cat" | "tac" | "tee" => cat(command, files)?,
        "base64" if command.has(&["-d", "-D", "--decode"]) => decode::base64(&cat(command, files)?)?,
        "openssl"
            if command.args.first().is_some_and(|word| matches!(word.text.as_str(), "base64" | "enc")) =>
        {
            let only = command
                .args
                .iter()
                .skip(1)
                .all(|word| matches!(word.text.as_str(), "-d" | "-a" | "-A" | "-base64"));
            decode::base64(command.input.as_deref()?).filter(|_| only && command.has(&["-d"]))?
        }
        "xxd" if command.has(&["-r"]) => {
            decode::hex(&cat(command, files)?).filter(|_| command.has(&["-p", "-ps"]))?
        }
        "rev" => {
            let lines = command.input.as_deref()?.lines();
            lines.map(|line| line.chars().rev().collect::<String>() + "\n").collect()
        }
        "tr" => translated(command)?,
        "pwd" => "$PWD\n".to_owned(),
        "which" => format!("{}\n", command.operands().next()?.text),
        "type" | "command" if command.has(&["-v", "-p", "-P"]) => {
            format!("{}\n", command.operands().next()?.text)
        }
        _ => return None,
    };
    Some(text).filter(|text| text.len() <= MAX_OUTPUT_BYTES)
}

fn echo(command: &SimpleCommand) -> String {
    let is_option = |word: &ShellWord| {
        let letters = word.text.strip_prefix('-').unwrap_or("");
        !letters.is_empty() && letters.bytes().all(|letter| matches!(letter, b'n' | b'e' | b'E'))
    };
    let count = command.args.iter().take_while(|word| is_option(word)).count();
    let (options, words) = command.args.split_at_checked(count).unwrap_or_default();
    let line = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let has = |letter: char| options.iter().any(|word| word.text.contains(letter));
    let line = if has('e') { ansi::plain(&line) } else { line };
    if has('n') { line } else { line + "\n" }
}

/// Applies the format to the arguments, repeatedly until all are used.
fn printf(command: &SimpleCommand) -> Option<String> {
    let args = match command.args.split_first()? {
        (first, rest) if first.text == "--" => rest,
        _ => command.args.as_slice(),
    };
    let (format, args) = args.split_first()?;
    if format.text == "-v" {
        return Some(String::new());
    }
    let mut args = args.iter().map(|word| word.text.as_str()).peekable();
    let mut printed = String::new();
    loop {
        let before = args.len();
        let mut rest = format.text.as_str();
        while let Some(at) = rest.find('%') {
            printed.push_str(&ansi::plain(split(rest, at).0));
            let spec = after(rest, at + 1);
            let width = spec.len() - spec.trim_start_matches(|c: char| "-+ #0123456789.".contains(c)).len();
            let Some(kind) = after(spec, width).chars().next() else { break };
            match kind {
                '%' => printed.push('%'),
                'b' => printed.push_str(&ansi::plain(args.next().unwrap_or(""))),
                _ => printed.push_str(args.next().unwrap_or("")),
            }
            rest = after(spec, width + kind.len_utf8());
        }
        printed.push_str(&ansi::plain(rest));
        if args.peek().is_none() || args.len() == before || printed.len() > MAX_OUTPUT_BYTES {
            return Some(printed);
        }
    }
}

fn cat(command: &SimpleCommand, files: &KnownFiles) -> Option<String> {
    let mut paths = command.operands().map(|word| word.text.as_str()).filter(|path| *path != "-").peekable();
    if paths.peek().is_none() || command.program == "tee" {
        return command.input.clone();
    }
    let texts: Option<Vec<&str>> =
        paths.map(|path| files.get(path.trim_start_matches("./")).map(String::as_str)).collect();
    Some(texts?.concat())
}

/// `tr` with character sets and ranges; `None` for its other forms.
fn translated(command: &SimpleCommand) -> Option<String> {
    let input = command.input.as_deref()?;
    let sets: Option<Vec<Vec<char>>> = command.operands().map(|word| set(&word.text)).collect();
    let sets = sets?;
    match (sets.as_slice(), command.has(&["-d"])) {
        ([deleted], true) => Some(input.chars().filter(|character| !deleted.contains(character)).collect()),
        ([from, to], false) if !command.has(&["-c", "-s"]) => {
            let last = *to.last()?;
            let swap = |character: char| match from.iter().position(|other| *other == character) {
                Some(at) => to.get(at).copied().unwrap_or(last),
                None => character,
            };
            Some(input.chars().map(swap).collect())
        }
        _ => None,
    }
}

fn set(text: &str) -> Option<Vec<char>> {
    if text.contains("[:") {
        return None;
    }
    let text: Vec<char> = ansi::plain(text).chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at) {
        match (text.get(at + 1), text.get(at + 2)) {
            (Some('-'), Some(last)) if first <= last => {
                found.extend(*first..=*last);
                at += 3;
            }
            _ => {
                found.push(*first);
                at += 1;
            }
        }
        if found.len() > 512 {
            return None;
        }
    }
    Some(found)
}
