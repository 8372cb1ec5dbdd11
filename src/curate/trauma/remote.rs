//! Scripts from the network that run before anybody has read them.

use super::{Class, Danger, Severity};
use crate::domain::command::Simple;

const LOADERS: [&str; 6] = ["curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
#[rustfmt::skip]
const RUNNERS: [&str; 18] = [
    "sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "python", "python3", "perl", "ruby", "node", "deno",
    "php", "iex", "invoke-expression", "powershell", "pwsh",
];

/// The danger of a command that runs what a loader brings.
pub fn danger(command: &Simple) -> Option<Danger> {
    if let Some(danger) = downloaded(command) {
        return Some(danger);
    }
    if !RUNNERS.contains(&command.program.as_str())
        && !matches!(command.program.as_str(), "eval" | "source" | ".")
    {
        return None;
    }
    let piped =
        command.upstream.iter().any(|program| LOADERS.contains(&program.as_str())) && reads_input(command);
    let inlined = command.args.iter().any(|word| loads(&word.text));
    (piped || inlined).then(|| {
        Danger::of(
            command,
            Class::RemoteScript,
            Severity::Block,
            "runs a script from the network that nobody has read; load it, read it, then run it",
        )
    })
}

/// Whether the program takes its script from the pipe: it is given no file and no text of its own.
fn reads_input(command: &Simple) -> bool {
    let shell = matches!(command.program.as_str(), "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "ash");
    let own = command.args.iter().any(|word| {
        matches!(word.text.as_str(), "-c" | "-e" | "-m" | "-r" | "-p" | "-n" | "-ne" | "-pe" | "--eval")
    });
    let file = command.operands().any(|word| word.text != "-");
    !own && (!file || shell && command.has(&["-s"]))
}

/// Whether a loader runs within the word.
fn loads(word: &str) -> bool {
    ["$(", "<(", "`"].iter().any(|open| {
        word.match_indices(open).any(|(at, _)| {
            let inner = word[at + open.len()..].trim_start();
            LOADERS.iter().any(|loader| inner.strip_prefix(loader).is_some_and(|rest| rest.starts_with(' ')))
        })
    })
}

/// A loader that keeps a script: it is worth a look before it runs.
fn downloaded(command: &Simple) -> Option<Danger> {
    if !matches!(command.program.as_str(), "curl" | "wget") {
        return None;
    }
    let kept = command.has(&["-o", "-O", "--output", "--output-document"]);
    let script = command.operands().any(|word| {
        word.text.contains("://")
            && [".sh", ".bash", ".ps1"].iter().any(|ending| word.text.trim_end_matches('/').ends_with(ending))
    });
    (kept && script).then(|| {
        Danger::of(
            command,
            Class::RemoteScript,
            Severity::Warn,
            "brings a script from the network; read it before it runs",
        )
    })
}
