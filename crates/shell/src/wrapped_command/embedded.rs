//! Texts that a program runs as commands: after a flag, in a file that the text itself wrote, or on
//! its input.

use crate::shell_state::ShellState;
use crate::wrappers::TEXTS;
use crate::{ShellWord, SimpleCommand, decode, inline_program};

/// Returns the texts that a program runs as commands and that its arguments contain.
pub fn texts(command: &SimpleCommand) -> Vec<String> {
    let program = command.program.as_str();
    let mut found: Vec<String> = Vec::new();
    for (_, flags) in TEXTS.iter().filter(|(name, _)| *name == program) {
        for (at, word) in command.args.iter().enumerate() {
            let behind = flags.contains(&word.text.as_str()).then(|| command.args.get(at + 1)).flatten();
            found.extend(behind.map(|word| word.text.clone()));
            let joined = word.text.split_once('=').filter(|(flag, _)| flags.contains(flag));
            found.extend(joined.map(|(_, text)| text.to_owned()));
        }
        if flags.is_empty() {
            found.extend(command.operands().map(|word| word.text.clone()).filter(|text| text.contains(' ')));
        }
    }
    match program {
        "tmux" | "screen" | "osascript" | "gdb" | "awk" | "gawk" | "mawk" | "vim" | "nvim" | "ex" | "ed" => {
            found.extend(embedded(command))
        }
        "git" => found.extend(command.args.windows(2).filter_map(|pair| {
            let [flag, setting] = pair else { return None };
            let (_, value) = setting.text.split_once('=').filter(|_| flag.text == "-c")?;
            value.strip_prefix('!').map(str::to_owned)
        })),
        "at" | "batch" => found.extend(command.input.clone()),
        _ => {}
    }
    let words: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    if let ("git", ["submodule", "foreach", text @ ..]) = (program, words.as_slice()) {
        found.push(text.join(" "));
    }
    found
}

/// Returns shell commands within arguments in the program's own language.
fn embedded(command: &SimpleCommand) -> Vec<String> {
    let words = command.args.iter().map(|word| word.text.as_str());
    match command.program.as_str() {
        "tmux" | "screen" => words.filter(|word| word.contains(' ')).map(str::to_owned).collect(),
        "vim" | "nvim" | "ex" => words
            .filter_map(|word| word.trim_start_matches(['+', ':']).strip_prefix('!'))
            .map(str::to_owned)
            .collect(),
        "ed" => command
            .input
            .iter()
            .flat_map(|input| input.lines())
            .filter_map(|line| line.strip_prefix('!'))
            .map(str::to_owned)
            .collect(),
        _ => words
            .flat_map(|word| inline_program::calls(word, &["system(", "do shell script ", "shell "]))
            .collect(),
    }
}

/// Parses the text that a shell runs: the argument after `-c`, a file that the text itself wrote,
/// or its input. Returns the output, if known.
pub fn shell(command: &SimpleCommand, depth: usize, reading: &mut ShellState) -> Option<String> {
    let words = &command.args;
    let text = match command.program.as_str() {
        "trap" => words.iter().find(|word| !word.text.starts_with('-')).map(|word| word.text.clone()),
        "eval" => Some(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")),
        "cmd" => after(words, &["/c", "/k"]),
        "powershell" | "pwsh" => powershell(words),
        "source" | "." => None,
        "su" => after_one(words, "-c").or_else(|| after_one(words, "--command")),
        _ => after_one(words, "c"),
    };
    let file = || command.operands().find_map(|word| reading.file(&word.text).cloned());
    let reads =
        || command.operands().next().is_none_or(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"));
    let input = || command.input.clone().filter(|_| reads() || command.has(&["-s"]));
    let text = text.or_else(file).or_else(input)?;
    reading.text(&text, depth + 1, command.folder.as_deref())
}

fn powershell(words: &[ShellWord]) -> Option<String> {
    let is_encoded = |word: &ShellWord| {
        let flag = word.text.to_ascii_lowercase();
        flag.len() > 1 && "-encodedcommand".starts_with(&flag) && !"-executionpolicy".starts_with(&flag)
    };
    if let Some(at) = words.iter().position(is_encoded) {
        return decode::base64_utf16(&words.get(at + 1)?.text);
    }
    after(words, &["-command", "-c"]).or_else(|| {
        let first = words.iter().find(|word| !word.text.starts_with('-'))?;
        first.text.contains(' ').then(|| first.text.clone())
    })
}

/// Joins all words after one of the flags.
fn after(words: &[ShellWord], flags: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| flags.iter().any(|flag| word.text.eq_ignore_ascii_case(flag)))?;
    Some(words.iter().skip(at + 1).map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
}

/// Returns the word after a shell's one-letter flag, which may be grouped, as in `-lc`.
fn after_one(words: &[ShellWord], flag: &str) -> Option<String> {
    let letter = flag.trim_start_matches('-');
    let at = words.iter().position(|word| {
        word.text == flag
            || word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with(letter)
    })?;
    words
        .iter()
        .skip(at + 1)
        .find(|word| !word.text.starts_with('-') || word.quoted)
        .map(|word| word.text.clone())
}
