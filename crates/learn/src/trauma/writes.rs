//! Detects commands that write sensitive or system files.

use super::path_class::{CommandContext, PathClass};
use super::sensitive_path;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

use DangerSeverity::{Block, Warn};

/// System folders where users install their own programs.
const OWN: [&str; 4] = ["/usr/local", "/opt", "/srv", "/mnt"];

/// Returns the dangers of a command that follow from the files it writes.
pub fn dangers(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let mut found: Vec<Danger> = paths(command)
        .into_iter()
        .filter_map(|path| {
            let danger = |severity, reason: &str, class| {
                let reason = format!("changes {path}: {reason}");
                Danger::at(command, DangerClass::Persistence, severity, reason, class)
            };
            if let Some((severity, reason)) = sensitive_path::sensitivity(site, path) {
                return Some(danger(severity, reason, "power"));
            }
            let class = site.path_class_through_link(path);
            let own = OWN.iter().any(|root| path.starts_with(root)) || path.starts_with("/var/log/");
            (class == PathClass::System && !path.starts_with("/dev/") && !path.starts_with("/proc/")).then(
                || {
                    let severity = if own || command.is_remote { Warn } else { Block };
                    danger(severity, class.description(), class.name())
                },
            )
        })
        .collect();
    found.extend(rate_unpacking(command, site));
    found.extend(
        schedule_reason(command).map(|reason| Danger::of(command, DangerClass::Persistence, Warn, reason)),
    );
    found.extend(
        configuration_reason(command)
            .map(|reason| Danger::of(command, DangerClass::Persistence, Warn, reason)),
    );
    found
}

/// Returns the paths that a command writes through redirects or arguments.
fn paths(command: &SimpleCommand) -> Vec<&str> {
    let operands = || command.operands().map(|word| word.text.as_str());
    let behind = |flags: &[&str]| {
        let at = command.args.iter().position(|word| flags.contains(&word.text.as_str()))?;
        command.args.get(at + 1).map(|word| word.text.as_str())
    };
    let mut found: Vec<&str> = command
        .redirects
        .iter()
        .filter(|redirect| redirect.sign.contains('>') && redirect.sign != ">&")
        .map(|redirect| redirect.target.text.as_str())
        .collect();
    match command.program.as_str() {
        "tee" => found.extend(operands()),
        "mv" => found.extend(operands()),
        "cp" | "install" | "ln" | "rsync" | "copy-item" | "move-item" => {
            found.extend(behind(&["-t", "--target-directory"]).or(operands().last()));
        }
        "sed" | "perl" | "ruby" if edits_in_place(command) => {
            let expressions = usize::from(behind(&["-e", "--expression"]).is_none());
            found.extend(operands().skip(expressions));
        }
        "dd" => found.extend(command.args.iter().filter_map(|word| word.text.strip_prefix("of="))),
        "curl" => found.extend(behind(&["-o", "--output"])),
        "wget" => found.extend(behind(&["-O", "--output-document"])),
        "gunzip" | "patch" | "crudini" => found.extend(operands()),
        "set-content" | "add-content" | "out-file" => {
            found.extend(behind(&["-Path", "-FilePath", "-LiteralPath"]).or(operands().next()));
        }
        "chmod" if operands().next().is_some_and(|mode| mode.ends_with("77") || mode.contains("+w")) => {
            found.extend(operands().skip(1));
        }
        "yq" | "jq" if command.has(&["-i"]) => found.extend(operands().last()),
        _ => {}
    }
    found
}

fn edits_in_place(command: &SimpleCommand) -> bool {
    command.args.iter().any(|word| {
        let letters = word.text.strip_prefix('-').unwrap_or("");
        letters.starts_with("-in-place")
            || !letters.starts_with('-') && letters.len() < 6 && letters.contains('i')
    })
}

/// Rates a command that unpacks an archive into a system folder or a home folder.
fn rate_unpacking(command: &SimpleCommand, site: &CommandContext<'_>) -> Option<Danger> {
    let words: Vec<&str> = command.args.iter().map(|word| word.text.as_str()).collect();
    let behind = |flags: &[&str]| {
        let at = words.iter().position(|word| flags.contains(word))?;
        words.get(at + 1).copied()
    };
    let extracts = words.first().is_some_and(|word| !word.starts_with("--") && word.contains('x'))
        || command.has(&["-x", "--extract", "--get"]);
    let folder = match command.program.as_str() {
        "tar" | "bsdtar" | "gtar" if extracts => {
            if command.has(&["-P", "--absolute-names"]) {
                let reason = "unpacks an archive to absolute paths or outside the folder";
                return Some(Danger::of(command, DangerClass::Files, Warn, reason));
            }
            behind(&["-C", "--directory"])
                .or_else(|| words.iter().find_map(|word| word.strip_prefix("--directory=")))
                .or_else(|| {
                    words.iter().find_map(|word| word.strip_prefix("-C").filter(|rest| !rest.is_empty()))
                })
        }
        "unzip" => behind(&["-d"]),
        "7z" | "7za" => words.iter().find_map(|word| word.strip_prefix("-o")),
        "cpio" if command.has(&["-i"]) => behind(&["-D"]),
        _ => None,
    }
    .or_else(|| command.folder.as_deref().filter(|_| command.program == "tar" && extracts))?;
    let class = site.path_class_through_link(folder);
    let severity = match class {
        PathClass::System if folder == "/" => Block,
        PathClass::System | PathClass::Home => Warn,
        _ => return None,
    };
    let reason = format!("unpacks an archive over {folder}: {}", class.description());
    Some(Danger::at(command, DangerClass::Files, severity, reason, class.name()))
}

/// Returns the reason if a command makes a program run later or at start-up.
fn schedule_reason(command: &SimpleCommand) -> Option<&'static str> {
    let words: Vec<String> = command.args.iter().map(|word| word.text.to_ascii_lowercase()).collect();
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    match command.program.as_str() {
        "crontab" if !command.has(&["-l", "-r"]) && !words.is_empty() => Some("changes scheduled commands"),
        "systemctl" if any(&["enable", "link"]) => Some("makes a service start automatically"),
        "launchctl" if any(&["load", "bootstrap", "enable"]) => Some("makes a service start automatically"),
        "schtasks" if any(&["/create", "/change"]) => Some("changes scheduled commands"),
        "register-scheduledtask" | "new-service" => Some("makes a program start automatically"),
        "sc" | "sc.exe" if any(&["create", "config"]) => Some("changes a service"),
        "reg" if any(&["add"]) && words.iter().any(|word| word.contains("\\run")) => {
            Some("makes a program start automatically")
        }
        "update-rc.d" | "chkconfig" if any(&["enable", "defaults", "on"]) => {
            Some("makes a service start automatically")
        }
        "ssh-copy-id" => Some("allows a key to log in on another machine"),
        "at" | "batch" if command.input.is_some() => Some("runs commands later"),
        _ => None,
    }
}

/// Returns the reason if a git setting makes git run a program or changes which servers it trusts
/// or contacts.
fn configuration_reason(command: &SimpleCommand) -> Option<&'static str> {
    let words: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    if command.program != "git" || words.first() != Some(&"config") {
        return None;
    }
    let reads =
        command.has(&["--get", "--get-all", "--get-regexp", "--list", "-l", "--unset", "--unset-all"]);
    let rest: Vec<&str> = words[1..].iter().copied().filter(|word| !matches!(*word, "set" | "get")).collect();
    let (key, value) = match rest.as_slice() {
        [key, value, ..] if !reads && words.get(1) != Some(&"get") => (key.to_ascii_lowercase(), *value),
        _ => return None,
    };
    let runs = matches!(
        key.as_str(),
        "core.hookspath"
            | "core.fsmonitor"
            | "core.sshcommand"
            | "core.gitproxy"
            | "core.askpass"
            | "diff.external"
            | "credential.helper"
            | "sequence.editor"
            | "include.path"
            | "gpg.program"
            | "http.proxy"
            | "uploadpack.packobjectshook"
    ) || key == "http.sslverify" && value == "false"
        || key.starts_with("filter.")
        || key.starts_with("alias.") && value.starts_with('!')
        || key.starts_with("url.") && key.ends_with("insteadof")
        || matches!(key.as_str(), "core.pager" | "core.editor") && value.contains([' ', ';', '|', '/']);
    runs.then_some("changes a Git setting that runs programs, or trusts or reaches servers")
}
