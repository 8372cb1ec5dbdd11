//! Detects commands that delete, empty or move away files and folders.

use super::path_class::{CommandContext, PathClass, is_generated_name};
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

pub fn dangers(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let mut found: Vec<Danger> = match command.program.as_str() {
        "rm" | "rmdir" | "unlink" | "trash" | "srm" if !has_windows_options(command) => {
            rate_removal(command, site)
        }
        "rm" | "rmdir" | "remove-item" | "ri" | "rd" | "del" | "erase" => rate_windows_removal(command, site),
        "rimraf" | "del-cli" => {
            rate_destruction(command, site, paths(command), "deletes", true).into_iter().collect()
        }
        "find" | "fd" => rate_find(command, site),
        "shred" => rate_destruction(command, site, paths(command), "overwrites", true).into_iter().collect(),
        "truncate" => rate_truncation(command, site),
        "cp" if paths(command).next() == Some("/dev/null") => rate_truncation(command, site),
        "tee" if !command.has(&["-a", "--append"]) => {
            paths(command).filter_map(|path| rate_emptying(command, site, path)).collect()
        }
        "mv" => rate_move(command, site).into_iter().collect(),
        "rsync" => rate_synchronization(command, site).into_iter().collect(),
        _ => Vec::new(),
    };
    let written = command.redirects.iter().filter(|redirect| matches!(redirect.sign, ">" | ">|" | "&>"));
    found.extend(written.filter_map(|redirect| rate_emptying(command, site, &redirect.target.text)));
    found
}

fn danger(
    command: &SimpleCommand,
    severity: DangerSeverity,
    reason: impl Into<String>,
    class: PathClass,
) -> Danger {
    Danger::at(command, DangerClass::Files, severity, reason, class.name())
}

/// The danger of a command that deletes the paths that it gets from a pipe.
fn removal_by_pipe(command: &SimpleCommand) -> Danger {
    let reason = "recursively deletes whatever the pipe passes";
    danger(command, DangerSeverity::Warn, reason, PathClass::Unknown)
}

fn paths(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    command.operands().map(|word| word.text.as_str())
}

fn rate_removal(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    // GNU programs take any unambiguous beginning of a long option.
    let is_abbreviated = |word: &str| word.len() > 2 && "--recursive".starts_with(word);
    let recursive = command.has(&["-r", "-R", "--recursive"])
        || command.args.iter().any(|word| is_abbreviated(&word.text));
    if command.program == "rmdir" || command.program == "trash" {
        return Vec::new();
    }
    if command.operands().next().is_none() && is_fed(command) {
        if let Some(search) = command.upstream.iter().find(|before| before.program == "find") {
            let site = CommandContext {
                path_context: site.path_context,
                variables: site.variables,
                command: search,
            };
            return rate_search(search, &site);
        }
        if !recursive {
            return Vec::new();
        }
        return vec![removal_by_pipe(command)];
    }
    rate_destruction(command, site, paths(command), "deletes", recursive).into_iter().collect()
}

/// Returns `true` if a command gets its arguments from a pipe or a file, as `xargs` does.
fn is_fed(command: &SimpleCommand) -> bool {
    !command.upstream.is_empty() || command.redirects.iter().any(|redirect| redirect.sign == "<")
}

/// Returns `true` if a path becomes `/` when its variable is empty, as `$DIR/` and `$DIR/*` do.
fn may_be_root(path: &str) -> bool {
    let rest = path.trim_end_matches(['*', '/']);
    let variable = rest.starts_with('$') && rest.len() < path.len() && path[rest.len()..].starts_with('/');
    variable && !rest.contains(['/', '?']) && !rest.contains(":-")
}

/// Returns the danger of destroying these paths, described by the path with the most severe loss.
/// `does` is the verb in the reason, such as "deletes".
fn rate_destruction<'p>(
    command: &SimpleCommand,
    site: &CommandContext<'_>,
    paths: impl Iterator<Item = &'p str>,
    does: &str,
    recursive: bool,
) -> Option<Danger> {
    let losses = paths
        .filter_map(|path| rate_loss(site, path, recursive).map(|(severity, class)| (severity, class, path)));
    let (severity, class, path) = most_severe_loss(losses)?;
    let all = if recursive { " and everything in it" } else { "" };
    let reason = format!("{does} {path}{all}: {}", class.description());
    Some(danger(command, severity, reason, class))
}

/// Returns the most severe loss; on ties, the first one.
fn most_severe_loss<'p>(
    losses: impl Iterator<Item = (DangerSeverity, PathClass, &'p str)>,
) -> Option<(DangerSeverity, PathClass, &'p str)> {
    losses.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

/// Rates the loss of a path. `None` if the path can be recreated, or is a single file in the
/// working directory.
fn rate_loss(site: &CommandContext<'_>, path: &str, recursive: bool) -> Option<(DangerSeverity, PathClass)> {
    let class = site.path_class(path);
    let many = path.contains('*');
    let severity = match class {
        PathClass::Temporary | PathClass::Generated => return None,
        PathClass::Home | PathClass::System | PathClass::Repository if recursive || many => {
            DangerSeverity::Block
        }
        PathClass::Outside if recursive && site.is_generated(path) => DangerSeverity::Warn,
        PathClass::Unknown if recursive && may_be_root(path) => DangerSeverity::Block,
        PathClass::System if !path.contains('.') => DangerSeverity::Block,
        PathClass::Workspace | PathClass::Project | PathClass::Outside if recursive => DangerSeverity::Block,
        PathClass::Inside | PathClass::Unknown | PathClass::Shared if recursive => DangerSeverity::Warn,
        PathClass::System | PathClass::Outside | PathClass::Repository => DangerSeverity::Warn,
        PathClass::Workspace | PathClass::Project if many => DangerSeverity::Warn,
        _ => return None,
    };
    Some((severity, class))
}

fn has_windows_options(command: &SimpleCommand) -> bool {
    command.args.iter().any(|word| {
        let lower = word.text.to_ascii_lowercase();
        matches!(lower.as_str(), "/s" | "/q" | "/f" | "-recurse" | "-force")
    })
}

fn rate_windows_removal(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let lower = |word: &str| word.to_ascii_lowercase();
    if is_fed(command) && !command.args.iter().any(|word| !word.text.starts_with(['-', '/'])) {
        return vec![removal_by_pipe(command)];
    }
    let recursive =
        command.args.iter().any(|word| matches!(lower(&word.text).as_str(), "/s" | "-recurse" | "-r"));
    let path = |word: &&str| !(word.starts_with('-') || word.starts_with('/') && word.len() <= 2);
    // PowerShell takes lists: `Remove-Item a, b`.
    let paths = command.args.iter().map(|word| word.text.trim_end_matches(',')).filter(path);
    rate_destruction(command, site, paths, "deletes", recursive).into_iter().collect()
}

/// Rates `find … -delete`.
fn rate_find(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let has = |flag: &str| command.args.iter().any(|word| word.text == flag);
    let is_alternative = ["!", "-not", "-o", "-or", ","].into_iter().any(has);
    let is_of_empty_folders = has("-empty") && has("-type") && has("d") && !is_alternative;
    if !has("-delete") || is_of_empty_folders {
        return Vec::new();
    }
    rate_search(command, site)
}

/// Rates a command that deletes everything that a search finds.
fn rate_search(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let roots: Vec<&str> = command
        .args
        .iter()
        .map(|word| word.text.as_str())
        .take_while(|word| !word.starts_with(['-', '(', '!']))
        .collect();
    let roots = if roots.is_empty() { vec!["."] } else { roots };
    let names: Vec<&str> = command
        .args
        .windows(2)
        .filter(|pair| matches!(pair[0].text.as_str(), "-name" | "-iname" | "-path"))
        .map(|pair| pair[1].text.as_str())
        .collect();
    let made = !names.is_empty()
        && names.iter().all(|name| {
            is_generated_name(name.trim_start_matches(['*', '/']))
                || is_generated_name(name.trim_matches(['*', '/']))
        });
    let one = |root: &&'_ str| {
        let class = site.path_class(root);
        let severity = match class {
            PathClass::Temporary | PathClass::Generated => return None,
            PathClass::Inside | PathClass::Workspace if made => return None,
            PathClass::Inside | PathClass::Unknown | PathClass::Shared => DangerSeverity::Warn,
            PathClass::Workspace if !names.is_empty() => DangerSeverity::Warn,
            _ => DangerSeverity::Block,
        };
        Some((severity, class))
    };
    let losses = roots.iter().filter_map(|root| one(root).map(|(severity, class)| (severity, class, *root)));
    let found = most_severe_loss(losses).map(|(severity, class, root)| {
        let reason = format!("deletes what it finds below {root}: {}", class.description());
        danger(command, severity, reason, class)
    });
    found.into_iter().collect()
}

/// Rates the files that a command empties.
fn rate_truncation(command: &SimpleCommand, site: &CommandContext<'_>) -> Vec<Danger> {
    let size = command.args.iter().position(|word| word.text == "-s" || word.text == "--size");
    let value = size.and_then(|at| command.args.get(at + 1)).map(|word| word.text.as_str());
    let grows = value.is_some_and(|value| !value.starts_with(['0', '-', '<', '/', '%']));
    let skipped = usize::from(size.is_some() || command.program == "cp");
    let cut = |path: &str| {
        let emptied = rate_emptying(command, site, path);
        let class = site.path_class_through_link(path);
        let work = matches!(class, PathClass::Inside | PathClass::Outside | PathClass::Home) && !grows;
        let reason = format!("empties {path}: {}", class.description());
        emptied.or_else(|| work.then(|| danger(command, DangerSeverity::Warn, reason, class)))
    };
    paths(command).skip(skipped).filter_map(cut).collect()
}

/// Rates a file that a redirect or `truncate` empties.
fn rate_emptying(command: &SimpleCommand, site: &CommandContext<'_>, path: &str) -> Option<Danger> {
    let class = site.path_class(path);
    let bad = matches!(class, PathClass::System | PathClass::Repository)
        && !path.starts_with("/dev/")
        && !path.starts_with("/proc/");
    let own = path.starts_with("/var/log/")
        || path.starts_with("/opt/")
        || path.starts_with("/mnt/")
        || path.starts_with("/srv/");
    let severity = if own { DangerSeverity::Warn } else { DangerSeverity::Block };
    bad.then(|| danger(command, severity, format!("overwrites {path}: {}", class.description()), class))
}

fn rate_move(command: &SimpleCommand, site: &CommandContext<'_>) -> Option<Danger> {
    let paths: Vec<&str> = paths(command).collect();
    let (to, from) = paths.split_last()?;
    if *to == "/dev/null" {
        return Some(Danger::of(
            command,
            DangerClass::Files,
            DangerSeverity::Block,
            "moves files into /dev/null, where they are lost",
        ));
    }
    let lost = from.iter().find(|path| {
        matches!(
            site.path_class(path),
            PathClass::System | PathClass::Home | PathClass::Repository | PathClass::Project
        ) && path.split('/').count() <= 3
    })?;
    let class = site.path_class(lost);
    let reason = format!("moves {lost} away: {}", class.description());
    Some(danger(command, DangerSeverity::Warn, reason, class))
}

fn rate_synchronization(command: &SimpleCommand, site: &CommandContext<'_>) -> Option<Danger> {
    let deletes = command
        .args
        .iter()
        .any(|word| word.text.starts_with("--delete") || word.text == "--remove-source-files");
    if !deletes || command.has(&["-n"]) {
        return None;
    }
    let to = paths(command).last()?;
    let class = site.path_class(to);
    let severity = match class {
        PathClass::Temporary | PathClass::Generated => return None,
        PathClass::Home | PathClass::System if !to.contains(':') => DangerSeverity::Block,
        _ => DangerSeverity::Warn,
    };
    let reason = format!("deletes files at {to} that the source does not have");
    Some(danger(command, severity, reason, class))
}
