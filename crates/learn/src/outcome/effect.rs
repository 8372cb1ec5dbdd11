//! Classifies programs by their effect on the work tree: those that only look, and those that change
//! files.

use cm_shell::SimpleCommand;

/// Effect of a command on the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEffect {
    /// Reads and prints; nothing depends on whether it ran.
    Looks,
    /// Changes files of the project, so that a later result may come from the change.
    Changes,
    /// Does something: starts, builds, installs, checks.
    Acts,
}

/// Programs that only read and print.
const LOOKS: [&str; 84] = [
    "ls",
    "cat",
    "tac",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "find",
    "fd",
    "fdfind",
    "tree",
    "wc",
    "pwd",
    "which",
    "whereis",
    "type",
    "file",
    "stat",
    "du",
    "df",
    "ps",
    "top",
    "htop",
    "printenv",
    "echo",
    "printf",
    "date",
    "sleep",
    "whoami",
    "id",
    "uname",
    "hostname",
    "awk",
    "gawk",
    "jq",
    "yq",
    "diff",
    "cmp",
    "sort",
    "uniq",
    "cut",
    "tr",
    "nl",
    "column",
    "xxd",
    "hexdump",
    "od",
    "strings",
    "nm",
    "ldd",
    "md5sum",
    "sha256sum",
    "shasum",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "seq",
    "true",
    "false",
    ":",
    "test",
    "[",
    "[[",
    "history",
    "man",
    "tldr",
    "curl",
    "wget",
    "http",
    "ping",
    "dig",
    "nslookup",
    "lsof",
    "netstat",
    "ss",
    "wait",
    "nc",
];

/// Builtins and reserved words that only steer the shell.
const SHELL_WORDS: [&str; 22] = [
    "cd", "pushd", "popd", "chdir", "set", "unset", "alias", "shopt", "local", "declare", "readonly", "if",
    "then", "else", "fi", "for", "while", "do", "done", "exit", "return", "trap",
];

/// Programs that move, delete or rewrite files.
const CHANGES: [&str; 14] = [
    "rm",
    "mv",
    "patch",
    "truncate",
    "dd",
    "tee",
    "rmdir",
    "unlink",
    "ex",
    "ed",
    "apply_patch",
    "applypatch",
    "xargs",
    "install",
];

/// Programs with subcommands that only read and print.
const LOOKING_SUBCOMMANDS: [(&str, &[&str]); 16] = [
    (
        "git",
        &[
            "status",
            "diff",
            "log",
            "show",
            "branch",
            "blame",
            "remote",
            "rev-parse",
            "ls-files",
            "grep",
            "describe",
            // Stages, but changes no file.
            "add",
            "shortlog",
            "reflog",
            "config",
            "tag",
            "rev-list",
            "ls-tree",
            "ls-remote",
            "cat-file",
        ],
    ),
    ("docker", &["ps", "logs", "images", "inspect", "stats", "version", "info", "top"]),
    ("podman", &["ps", "logs", "images", "inspect", "stats", "version", "info", "top"]),
    ("docker-compose", &["ps", "logs", "config", "images", "top"]),
    ("kubectl", &["get", "describe", "logs", "top", "version", "explain"]),
    ("npm", &["ls", "list", "view", "outdated", "config", "why", "explain", "root", "prefix"]),
    ("pnpm", &["ls", "list", "view", "outdated", "why", "root"]),
    ("yarn", &["list", "info", "why", "outdated"]),
    ("cargo", &["tree", "metadata", "search", "locate-project", "version"]),
    ("go", &["list", "env", "version", "doc"]),
    ("pip", &["list", "show", "freeze", "check"]),
    ("pip3", &["list", "show", "freeze", "check"]),
    ("brew", &["list", "info", "search", "services"]),
    ("systemctl", &["status", "list-units", "show"]),
    ("terraform", &["show", "output", "version", "state"]),
    ("gh", &["auth", "api", "search", "status", "browse"]),
];

/// Subcommands of Git that change neither the work tree nor the history.
const GIT_ACTS: [&str; 7] = ["submodule", "lfs", "fetch", "worktree", "commit", "push", "init"];

/// Returns the effect of a command, judged by its program and arguments.
pub fn effect(command: &SimpleCommand) -> CommandEffect {
    let program = command.program.as_str();
    let mut operands = command.operands().map(|word| word.text.as_str());
    if program == "git" && command.args.first().is_some_and(|word| matches!(word.text.as_str(), "-C" | "-c"))
    {
        operands.next();
    }
    let sub = operands.next().unwrap_or_default();
    let third = operands.next().unwrap_or_default();
    if writes_a_file(command) && (LOOKS.contains(&program) || program.is_empty()) {
        return CommandEffect::Changes;
    }
    let shows =
        command.args.iter().any(|word| matches!(word.text.as_str(), "--help" | "--version" | "-h" | "-V"));
    let lists =
        matches!((program, sub, third), ("docker" | "podman", "compose", "ps" | "logs" | "config" | "top"))
            || matches!((program, third), ("gh", "view" | "list" | "status" | "diff" | "checks"));
    if shows
        || lists
        || LOOKS.contains(&program)
        || SHELL_WORDS.contains(&program)
        || LOOKING_SUBCOMMANDS.iter().any(|(name, subs)| *name == program && subs.contains(&sub))
        || (matches!(program, "env" | "export" | "git" | "docker") && sub.is_empty())
    {
        return CommandEffect::Looks;
    }
    let in_place = command.has(&["-i", "--in-place"]);
    match program {
        "sed" | "perl" | "ruby" if in_place => CommandEffect::Changes,
        "sed" => CommandEffect::Looks,
        "git" if !GIT_ACTS.contains(&sub) => CommandEffect::Changes,
        _ if CHANGES.contains(&program) => CommandEffect::Changes,
        // A program in an argument or on the input may do anything.
        _ if cm_shell::program_text(command).is_some() => CommandEffect::Changes,
        "" => CommandEffect::Looks,
        _ => CommandEffect::Acts,
    }
}

/// Returns whether a command only filters the output of another one.
pub fn is_filter(command: &SimpleCommand) -> bool {
    !command.upstream.is_empty() && (effect(command) == CommandEffect::Looks || command.program == "tee")
}

/// Returns the file that the output of a command goes to; `None` for devices and descriptors.
pub fn written_file(command: &SimpleCommand) -> Option<&str> {
    let writes = command.redirects.iter().filter(|to| matches!(to.sign, ">" | ">>" | ">|"));
    let mut files = writes.map(|to| to.target.text.as_str());
    files.find(|file| !file.starts_with(['&', '/']) && file.parse::<u32>().is_err())
}

fn writes_a_file(command: &SimpleCommand) -> bool {
    written_file(command).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect_of(line: &str) -> CommandEffect {
        effect(cm_shell::read(line).commands.first().unwrap())
    }

    #[test]
    fn programs_that_look_are_told_from_those_that_change_files_and_those_that_act() {
        for line in [
            "ls -la",
            "git status",
            "docker compose ps",
            "gh pr view 3",
            "rg x",
            "cargo --version",
            "curl localhost",
        ] {
            assert_eq!(effect_of(line), CommandEffect::Looks, "{line}");
        }
        for line in
            ["sed -i s/a/b/ x", "git checkout x", "rm x", "cat > x", "python3 -c 'print(1)'", "git pull"]
        {
            assert_eq!(effect_of(line), CommandEffect::Changes, "{line}");
        }
        for line in
            ["make up", "docker compose up -d db", "npm install", "git submodule update --init", "cp a b"]
        {
            assert_eq!(effect_of(line), CommandEffect::Acts, "{line}");
        }
    }
}
