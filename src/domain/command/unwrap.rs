//! Programs that run another one: `sudo`, `env`, `bash -c`, `xargs`, `find -exec`, `ssh`, `docker exec`, ….

use super::parse::{self, name_of};
use super::{DEPTH, Script, Simple, Word, inline};

/// Programs that run the rest of their arguments, with their flags that take a value.
const PREFIXES: [(&str, &[&str]); 22] = [
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "--user", "--group", "--chdir"]),
    ("doas", &["-u", "-C"]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("time", &["-f", "-o"]),
    ("timeout", &["-s", "-k"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("env", &["-u", "-C", "-S"]),
    ("command", &[]),
    ("builtin", &[]),
    ("exec", &["-a"]),
    ("watch", &["-n"]),
    ("strace", &["-o", "-e", "-p"]),
    ("xargs", &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"]),
    ("parallel", &["-j"]),
    ("chroot", &[]),
    ("flock", &[]),
    ("caffeinate", &["-t"]),
    ("busybox", &[]),
    ("unbuffer", &[]),
];

/// Programs that run a command on another machine or in a container: the words before which it begins are flags with
/// their values, a number of operands, and the flags that take a value.
const ELSEWHERE: [(&str, &[&str], usize, &[&str]); 8] = [
    ("ssh", &[], 1, &["-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E"]),
    ("docker", &["exec"], 1, &["-u", "-w", "-e", "--user", "--workdir", "--env"]),
    ("podman", &["exec"], 1, &["-u", "-w", "-e", "--user", "--workdir", "--env"]),
    (
        "docker",
        &["run"],
        1,
        &[
            "-v",
            "-e",
            "-p",
            "-u",
            "-w",
            "--name",
            "--network",
            "--volume",
            "--env",
            "--user",
            "--workdir",
            "--entrypoint",
            "--mount",
        ],
    ),
    ("docker-compose", &["exec"], 1, &["-u", "-w", "-e"]),
    ("docker", &["compose", "exec"], 1, &["-u", "-w", "-e"]),
    ("kubectl", &["exec"], 1, &["-n", "-c", "--namespace", "--container", "--context"]),
    ("wsl", &[], 0, &["-d", "-u"]),
];

const SHELLS: [&str; 13] =
    ["trap", "sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "powershell", "pwsh", "cmd", "su", "eval"];

/// Adds what the command runs, and the command itself.
pub fn into(command: Simple, depth: usize, script: &mut Script) {
    if depth > DEPTH {
        script.truncated = true;
        return;
    }
    let inner = inner(&command, depth, script);
    script.commands.push(command);
    inner.into_iter().for_each(|inner| into(inner, depth + 1, script));
}

/// The commands that this one runs as words; those that it runs as text are added at once.
fn inner(command: &Simple, depth: usize, script: &mut Script) -> Vec<Simple> {
    let program = command.program.as_str();
    if let Some((_, valued)) = PREFIXES.iter().find(|(name, _)| *name == program) {
        let extra = usize::from(matches!(program, "timeout" | "chroot" | "flock"));
        return rest(command, &command.args, valued, extra).into_iter().collect();
    }
    if SHELLS.contains(&program) {
        let before = script.commands.len();
        shell(command, depth, script);
        for inner in &mut script.commands[before..] {
            inherit(inner, command);
        }
        return Vec::new();
    }
    if let Some(inline) = inline::read(command) {
        let before = script.commands.len();
        inline.texts.iter().for_each(|text| parse::into(text, depth + 1, script));
        script.commands.extend(inline.removals);
        script.commands[before..].iter_mut().for_each(|inner| inherit(inner, command));
        return Vec::new();
    }
    if program == "find" || program == "fd" {
        return executed(command);
    }
    if program == "ssh" || program == "wsl" || ELSEWHERE.iter().any(|(name, _, _, _)| *name == program) {
        remote(command, depth, script);
    }
    Vec::new()
}

/// What runs within takes over what is known of the command around it.
fn inherit(inner: &mut Simple, outer: &Simple) {
    inner.elsewhere |= outer.elsewhere;
    if inner.folder.is_none() {
        inner.folder.clone_from(&outer.folder);
    }
}

/// The command that begins after the flags and so many operands.
fn rest(outer: &Simple, args: &[Word], valued: &[&str], operands: usize) -> Option<Simple> {
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
        } else if let Some((name, value)) = set.filter(|_| outer.program == "env" || outer.program == "sudo")
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
    Some(Simple {
        program: name_of(&program.text),
        args: args[at + 1..].to_vec(),
        assignments,
        redirects: outer.redirects.clone(),
        input: outer.input.clone(),
        upstream: outer.upstream.clone(),
        elsewhere: outer.elsewhere,
        folder: outer.folder.clone(),
    })
}

/// The text that a shell is given to run: after `-c`, or on its input.
fn shell(command: &Simple, depth: usize, script: &mut Script) {
    let program = command.program.as_str();
    let words = &command.args;
    let text = match program {
        "trap" => words.iter().find(|word| !word.text.starts_with('-')).map(|word| word.text.clone()),
        "eval" => Some(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")),
        "cmd" => after(words, &["/c", "/C", "/k", "/K"]),
        "powershell" | "pwsh" => after(words, &["-command", "-c"]).or_else(|| {
            let first = words.iter().find(|word| !word.text.starts_with('-'))?;
            first.text.contains(' ').then(|| first.text.clone())
        }),
        "su" => after_one(words, "-c"),
        _ => after_one(words, "c"),
    };
    let text = text.or_else(|| {
        command.input.clone().filter(|_| command.operands().next().is_none_or(|word| word.text == "-"))
    });
    if let Some(text) = text {
        parse::into(&text, depth + 1, script);
    }
}

/// All words behind one of the flags, as one text.
fn after(words: &[Word], flags: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| flags.iter().any(|flag| word.text.eq_ignore_ascii_case(flag)))?;
    Some(words[at + 1..].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
}

/// The word behind a flag of the shell; the flag may stand among others, as in `-lc`.
fn after_one(words: &[Word], flag: &str) -> Option<String> {
    let letter = flag.trim_start_matches('-');
    let at = words.iter().position(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with(letter)
    })?;
    words.get(at + 1).map(|word| word.text.clone())
}

/// What `find` runs for each file, with the places where it looks in place of `{}`.
fn executed(command: &Simple) -> Vec<Simple> {
    let mut found = Vec::new();
    let mut at = 0;
    let name = command
        .args
        .windows(2)
        .find(|pair| pair[0].text == "-name")
        .map_or("*", |pair| pair[1].text.as_str());
    while let Some(word) = command.args.get(at) {
        if !matches!(
            word.text.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        ) {
            at += 1;
            continue;
        }
        let end = command.args[at + 1..]
            .iter()
            .position(|word| matches!(word.text.as_str(), ";" | "+" | "\\;"))
            .map_or(command.args.len(), |end| at + 1 + end);
        let place = command
            .args
            .first()
            .filter(|word| !word.text.starts_with('-'))
            .map_or(".", |word| word.text.as_str());
        let args: Vec<Word> = command.args[at + 1..end]
            .iter()
            .map(|word| Word {
                text: word.text.replace("{}", &format!("{place}/{name}")),
                quoted: word.quoted,
            })
            .collect();
        found.extend(rest(command, &args, &[], 0));
        at = end + 1;
    }
    found
}

/// The command that runs on another machine or in a container, as words or as one text.
fn remote(command: &Simple, depth: usize, script: &mut Script) {
    let operands: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    for (name, verbs, hosts, valued) in ELSEWHERE {
        if name != command.program || !operands.starts_with(verbs) {
            continue;
        }
        let Some(inner) = rest(command, &command.args, valued, verbs.len() + hosts) else { continue };
        let before = script.commands.len();
        if command.program == "ssh" || command.program == "wsl" || inner.program.contains(' ') {
            let words: Vec<&str> = command.args[command.args.len() - inner.args.len() - 1..]
                .iter()
                .map(|word| word.text.as_str())
                .collect();
            parse::into(&words.join(" "), depth + 1, script);
        } else {
            let inner = Simple { redirects: Vec::new(), ..inner };
            into(inner, depth + 1, script);
        }
        for inner in &mut script.commands[before..] {
            inner.elsewhere = true;
            inner.folder = None;
        }
        return;
    }
}
