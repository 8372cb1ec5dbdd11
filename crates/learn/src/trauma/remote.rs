//! Detects scripts from the network that run without review.

use super::obfuscation::reads_script_from_stdin;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::{ParsedScript, SimpleCommand, program_text};

const LOADERS: [&str; 6] = ["curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
#[rustfmt::skip]
const RUNNERS: [&str; 20] = [
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "python", "python3", "perl", "ruby", "node", "deno",
    "bun", "php", "iex", "invoke-expression", "powershell", "pwsh",
];

/// Returns the danger of a command that downloads a script, or runs a script from the network.
pub fn danger(command: &SimpleCommand) -> Option<Danger> {
    if let Some(danger) = rate_download(command) {
        return Some(danger);
    }
    // In PowerShell the brackets of `iex (New-Object Net.WebClient).DownloadString('…')` begin further commands.
    if command.program.to_ascii_lowercase().starts_with(".downloadstring") {
        return Some(unreviewed_script(command));
    }
    if !RUNNERS.contains(&command.program.as_str())
        && !matches!(command.program.as_str(), "eval" | "source" | ".")
    {
        return None;
    }

    let piped = command.is_downstream_of(&LOADERS) && reads_script_from_stdin(command);
    let given = command.input.iter().chain(command.redirects.iter().map(|redirect| &redirect.target.text));
    let inlined = command.args.iter().map(|word| &word.text).chain(given).any(|text| loads(text));
    let fetched = program_text(command).is_some_and(|text| {
        let brings = ["urlopen(", "urllib.request", "requests.get(", "fetch(", "http.get(", "https.get("];
        let runs = ["exec(", "eval(", "os.system(", "Function("];
        runs.iter().any(|run| brings.iter().any(|load| encloses(text, run, load)))
    });
    (piped || inlined || fetched).then(|| unreviewed_script(command))
}

/// Returns the danger of a script that downloads a file with one command and runs it with a later
/// one.
pub(crate) fn chained(script: &ParsedScript) -> Option<Danger> {
    let mut loaded: Vec<&str> = Vec::new();
    for command in &script.commands {
        let runner =
            RUNNERS.contains(&command.program.as_str()) || matches!(command.program.as_str(), "source" | ".");
        let file = command.operands().next().map(|word| word.text.as_str()).filter(|_| runner);
        let runs = [Some(command.program_path.as_str()), file].into_iter().flatten();
        if runs.map(|path| path.trim_start_matches("./")).any(|path| loaded.contains(&path)) {
            let reason = "runs a file that was just downloaded; read it first";
            return Some(Danger::of(command, DangerClass::RemoteScript, DangerSeverity::Warn, reason));
        }
        loaded.extend(downloaded_file(command));
    }
    None
}

/// Returns the file that a download command writes.
fn downloaded_file(command: &SimpleCommand) -> Option<&str> {
    let words = || command.args.iter().map(|word| word.text.as_str());
    let behind = |flags: &[&str]| {
        let at = words().position(|word| flags.contains(&word))?;
        words().nth(at + 1)
    };
    let url_file = || words().find(|word| word.contains("://"))?.split(['?', '#']).next()?.rsplit('/').next();
    let path = match command.program.as_str() {
        "curl" => behind(&["-o", "--output"]).or_else(|| {
            let keeps = command.has(&["-O", "--remote-name"]);
            let redirected = command.redirects.iter().find(|redirect| redirect.sign == ">");
            if keeps { url_file() } else { redirected.map(|redirect| redirect.target.text.as_str()) }
        }),
        "wget" => behind(&["-O", "--output-document"]).or_else(url_file),
        "iwr" | "invoke-webrequest" => behind(&["-OutFile"]),
        _ => None,
    };
    path.map(|path| path.trim_start_matches("./")).filter(|path| path.len() > 1 && *path != "/dev/null")
}

/// Returns `true` if a call of `outer` contains a call of `inner` in its arguments, as in
/// `exec(urlopen(…))`.
fn encloses(text: &str, outer: &str, inner: &str) -> bool {
    let near = |at: usize| text[at..].chars().take(160).collect::<String>();
    text.match_indices(outer).take(16).any(|(at, _)| near(at).lines().next().unwrap_or("").contains(inner))
}

fn unreviewed_script(command: &SimpleCommand) -> Danger {
    let reason = "runs an unread script from the network; download it, read it, then run it";
    Danger::of(command, DangerClass::RemoteScript, DangerSeverity::Block, reason)
}

/// Returns `true` if a shell substitution in the argument downloads something, as in `$(curl …)`.
fn loads(word: &str) -> bool {
    ["$(", "<(", "`"].iter().any(|open| {
        word.match_indices(open).any(|(at, _)| {
            let inner = word[at + open.len()..].trim_start();
            LOADERS.iter().any(|loader| inner.strip_prefix(loader).is_some_and(|rest| rest.starts_with(' ')))
        })
    })
}

/// Returns a warning if `curl` or `wget` saves a script to a file.
fn rate_download(command: &SimpleCommand) -> Option<Danger> {
    if !matches!(command.program.as_str(), "curl" | "wget") {
        return None;
    }
    let is_saved = command.has(&["-o", "-O", "--output", "--output-document"]);
    let script = command.operands().any(|word| {
        word.text.contains("://")
            && [".sh", ".bash", ".ps1"].iter().any(|ending| word.text.trim_end_matches('/').ends_with(ending))
    });
    (is_saved && script).then(|| {
        Danger::of(
            command,
            DangerClass::RemoteScript,
            DangerSeverity::Warn,
            "downloads a script; read it before running it",
        )
    })
}
