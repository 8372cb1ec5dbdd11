//! Programs that run another program: `sudo`, `env`, `bash -c`, `xargs`, `find -exec`, `ssh`,
//! `docker exec`, ….

mod embedded;

use super::shell_state::ShellState;
use super::wrappers::{ELSEWHERE, PREFIXES, SHELLS, SOURCES, VERBS};
use super::{MAX_DEPTH, Redirect, ShellWord, SimpleCommand, inline_program, output};
use embedded::{shell, texts};

/// Appends a command and the commands that it runs. Returns its output, if known.
pub(crate) fn add_command(
    mut command: SimpleCommand,
    depth: usize,
    reading: &mut ShellState,
) -> Option<String> {
    command.is_inner = depth > 0;
    if depth > MAX_DEPTH {
        reading.script.truncated = true;
        return None;
    }
    if !reading.add(command.clone()) {
        return None;
    }
    if let Some(output) = reading.call(&command, depth) {
        return output;
    }
    let before = reading.script.commands.len();
    let printed = inner(&command, depth, reading);
    for inner in reading.script.commands.iter_mut().skip(before) {
        inherit(inner, &command);
    }
    printed
}

/// Copies the working folder and the flag `elsewhere` of a wrapper to the command that it runs.
fn inherit(inner: &mut SimpleCommand, outer: &SimpleCommand) {
    inner.is_remote |= outer.is_remote;
    if inner.folder.is_none() && !inner.is_remote {
        inner.folder.clone_from(&outer.folder);
    }
}

/// Parses the commands that this one runs. Returns the output, if known.
fn inner(command: &SimpleCommand, depth: usize, reading: &mut ShellState) -> Option<String> {
    let program = command.program.as_str();
    for text in texts(command) {
        reading.text(&text, depth + 1, command.folder.as_deref());
    }
    if matches!(program, "command" | "type") && command.has(&["-v", "-V", "-p", "-P"]) {
        return output::of(command, &reading.files);
    }
    if let Some((_, valued)) = PREFIXES.iter().find(|(name, _)| *name == program) {
        let inner = prefixed(command, valued)?;
        reading.mark_wrapper();
        return add_command(inner, depth + 1, reading);
    }
    if let Some(inner) = behind_verb(command) {
        reading.mark_wrapper();
        return add_command(inner, depth + 1, reading);
    }
    if SHELLS.contains(&program) || SOURCES.contains(&program) {
        return shell(command, depth, reading);
    }
    if let Some(text) = reading.file(&command.program_path).cloned() {
        return reading.text(&text, depth + 1, command.folder.as_deref());
    }
    if let Some(inline) = inline_program::read(command) {
        inline.texts.iter().for_each(|text| {
            reading.text(text, depth + 1, command.folder.as_deref());
        });
        inline.removals.into_iter().for_each(|removal| {
            reading.add(removal);
        });
        return None;
    }
    match program {
        "find" | "fd" | "fdfind" => executed(command).into_iter().for_each(|inner| {
            add_command(inner, depth + 1, reading);
        }),
        _ if ELSEWHERE.iter().any(|(name, _, _, _)| *name == program) => remote(command, depth, reading),
        _ => {}
    }
    output::of(command, &reading.files)
}

/// Returns the command after `sudo`, `xargs` and the like.
fn prefixed(command: &SimpleCommand, valued: &[&str]) -> Option<SimpleCommand> {
    let program = command.program.as_str();
    let extra = match program {
        "timeout" | "gtimeout" | "chroot" | "flock" | "gosu" | "su-exec" => 1,
        "direnv" => 2,
        _ => 0,
    };
    let mut inner = rest(command, &command.args, valued, extra)?;
    if program == "xargs" || program == "parallel" {
        add_xargs_input(command, &mut inner);
    }
    Some(inner)
}

/// Adds the arguments that `xargs` or `parallel` reads from its input, if the input is known.
fn add_xargs_input(outer: &SimpleCommand, inner: &mut SimpleCommand) {
    let file = outer.args.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
        "-a" | "--arg-file" => outer.args.get(at + 1).map(|word| word.text.as_str()),
        text => text.strip_prefix("--arg-file=").or_else(|| {
            text.strip_prefix("-a").filter(|_| outer.program == "xargs" && !text.starts_with("--"))
        }),
    });
    if let Some(file) = file {
        let target = ShellWord { text: file.to_owned(), quoted: false };
        inner.redirects.push(Redirect { sign: "<", target });
    }
    let literal = inner.args.iter().position(|word| word.text == ":::");
    if let Some(at) = literal {
        inner.args.remove(at);
    }
    let behind = argument_after(&outer.args, "-I").map(str::to_owned);
    let joined =
        outer.args.iter().find_map(|word| word.text.strip_prefix("-I").filter(|rest| !rest.is_empty()));
    let place = behind.or(joined.map(str::to_owned));
    let Some(input) = inner.input.take().filter(|_| file.is_none() && literal.is_none()) else { return };
    let words = input.split_whitespace().take(64).map(|word| word.trim_matches(['"', '\'']));
    let word = |text: &str| ShellWord { text: text.to_owned(), quoted: true };
    match place {
        None => inner.args.extend(words.map(word)),
        Some(place) => {
            let items: Vec<&str> = words.collect();
            let put = |arg: &ShellWord| match arg.text.contains(&place) {
                true => items.iter().map(|item| word(&arg.text.replace(&place, item))).collect(),
                false => vec![arg.clone()],
            };
            inner.args = inner.args.iter().flat_map(put).collect();
        }
    }
}

/// Returns the command after `npm exec`, `uv run`, ….
fn behind_verb(command: &SimpleCommand) -> Option<SimpleCommand> {
    let words: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    VERBS
        .iter()
        .filter(|(name, verbs, _)| *name == command.program && words.starts_with(verbs))
        .find_map(|(_, verbs, valued)| rest(command, &command.args, valued, verbs.len()))
}

/// Returns the command after the flags and the given number of operands; `valued` lists flags that
/// take a value.
fn rest(
    outer: &SimpleCommand,
    args: &[ShellWord],
    valued: &[&str],
    operands: usize,
) -> Option<SimpleCommand> {
    let mut at = 0;
    let mut left = operands;
    let mut assignments = Vec::new();
    while let Some(word) = args.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        let set = text.split_once('=').filter(|(name, _)| {
            !name.is_empty()
                && !name.starts_with('-')
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if text.starts_with('-') && text.len() > 1 {
            at += 1 + usize::from(valued.contains(&text));
        } else if let Some((name, value)) =
            set.filter(|_| matches!(outer.program.as_str(), "env" | "sudo" | "doas" | "cross-env"))
        {
            assignments.push((name.to_owned(), value.to_owned()));
            at += 1;
        } else if left > 0 {
            left -= 1;
            at += 1;
        } else {
            break;
        }
    }
    let program = args.get(at)?;
    let mut inner = SimpleCommand {
        args: args.get(at + 1..).unwrap_or_default().to_vec(),
        assignments,
        redirects: outer.redirects.clone(),
        input: outer.input.clone(),
        upstream: outer.upstream.clone(),
        is_remote: outer.is_remote,
        folder: outer.folder.clone(),
        ..SimpleCommand::default()
    };
    inner.set_program(&program.text);
    Some(inner)
}

/// Returns the argument after a flag.
fn argument_after<'a>(args: &'a [ShellWord], flag: &str) -> Option<&'a str> {
    let at = args.iter().position(|word| word.text == flag)?;
    args.get(at + 1).map(|word| word.text.as_str())
}

/// Options of `fd` that take a value.
const FD_VALUED: [&str; 10] =
    ["-e", "--extension", "-t", "--type", "-d", "--max-depth", "-E", "--exclude", "-S", "--size"];
/// Maximum number of commands taken from one `find`.
const MAX_FIND_COMMANDS: usize = 64;

/// Returns the commands that `find` runs, with `{}` replaced by its starting folder and `-name`
/// pattern.
fn executed(command: &SimpleCommand) -> Vec<SimpleCommand> {
    let mut found = Vec::new();
    let mut at = 0;
    let name = argument_after(&command.args, "-name").unwrap_or("*");
    while let Some(word) = command.args.get(at).filter(|_| found.len() < MAX_FIND_COMMANDS) {
        if !matches!(
            word.text.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        ) {
            at += 1;
            continue;
        }
        let rest_of_args = command.args.get(at + 1..).unwrap_or_default();
        let length = rest_of_args
            .iter()
            .position(|word| matches!(word.text.as_str(), ";" | "+" | "\\;"))
            .unwrap_or(rest_of_args.len());
        let is_fd = command.program != "find";
        // `fd` takes the pattern before the folder, and appends what it found where nothing stands for it.
        let text = |place: usize| command.args.get(place).map_or("", |word| word.text.as_str());
        let is_operand = |place: usize| {
            let is_value = place.checked_sub(1).is_some_and(|before| FD_VALUED.contains(&text(before)));
            !is_value && !text(place).starts_with('-')
        };
        let mut operands =
            (0..at).filter(|place| is_operand(*place)).filter_map(|place| command.args.get(place));
        let place = match is_fd {
            true => operands.nth(1),
            false => command.args.first().filter(|word| !word.text.starts_with('-')),
        };
        let extension = argument_after(&command.args, "-e").or(argument_after(&command.args, "--extension"));
        let item = match extension.filter(|_| is_fd) {
            Some(extension) => format!("*.{extension}"),
            None => name.to_owned(),
        };
        let item = format!("{}/{item}", place.map_or(".", |word| word.text.as_str()));
        let inner = rest_of_args.iter().take(length);
        let is_appended = is_fd && inner.clone().all(|word| !word.text.contains("{}"));
        let mut args: Vec<ShellWord> = inner
            .map(|word| ShellWord { text: word.text.replace("{}", &item), quoted: word.quoted })
            .collect();
        if is_appended {
            args.push(ShellWord { text: item, quoted: false });
        }
        found.extend(rest(command, &args, &[], 0));
        at += length + 2;
    }
    found
}

/// Parses a command for another machine or a container, given as words or as one text.
fn remote(command: &SimpleCommand, depth: usize, reading: &mut ShellState) {
    let operands: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    for (name, verbs, hosts, valued) in ELSEWHERE {
        if name != command.program || !operands.starts_with(verbs) {
            continue;
        }
        let Some(inner) = rest(command, &command.args, valued, verbs.len() + hosts) else { continue };
        let before = reading.script.commands.len();
        if matches!(name, "ssh" | "mosh" | "sshpass" | "wsl" | "heroku") || inner.program_path.contains(' ') {
            let words: Vec<&str> = command
                .args
                .iter()
                .skip(command.args.len() - inner.args.len() - 1)
                .map(|word| word.text.as_str())
                .collect();
            reading.text(&words.join(" "), depth + 1, None);
            let read_there =
                |inner: &SimpleCommand| SHELLS.contains(&inner.program.as_str()) && inner.input.is_none();
            let shell = reading.script.commands.iter().skip(before).next_back().is_some_and(read_there)
                || words.is_empty();
            if let Some(input) = command.input.as_ref().filter(|_| shell) {
                reading.text(input, depth + 1, None);
            }
        } else {
            add_command(SimpleCommand { redirects: Vec::new(), folder: None, ..inner }, depth + 1, reading);
        }
        for inner in reading.script.commands.iter_mut().skip(before) {
            inner.is_remote = true;
            inner.folder = None;
        }
        return;
    }
}
