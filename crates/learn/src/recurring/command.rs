//! Reduces a command line to the commands that matter, in a form that is equal for repeated runs.
//!
//! `cd`, output redirections, and filters such as `| tail` are left out; a timeout does not change
//! what a command is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::outcome::effect::{CommandEffect, effect, is_filter, written_file};
use crate::outcome::shell::{CommandKind, ParsedCommand};
use crate::prose::pattern;
use crate::workspace_path::inside;
use cm_shell::SimpleCommand;

/// A command in the form in which runs are compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TracedCommand {
    /// The command as it would be typed, with `source FILE &&`, `module load NAME &&` or the like where the line
    /// has it, and without assignments.
    pub text: String,
    /// Assignments before the command, as `NAME=value`, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Folder that the line changes to; `None` without a `cd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Program and subcommand, such as `cargo test`.
    pub name: String,
    #[serde(default)]
    pub work: CommandKind,
    /// Whether another session could run the same text: no quoted prose, no temporary or absolute
    /// paths, no hashes, dates or long numbers.
    pub reusable: bool,
    /// Whether another session could run the same text with other dates, which are `DATE` in the text.
    #[serde(default)]
    pub comparable: bool,
}

/// What a command line does, without what only looks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReducedLine {
    pub commands: Vec<TracedCommand>,
    /// Whether a filter or operator hides the exit code of some command.
    pub hides_outcome: bool,
    /// Whether a command changes files.
    pub changes: bool,
    /// Files that the line writes by redirection.
    pub written: Vec<String>,
}

/// Maximum length of a reusable command, in characters, and of what prepares it, such as `source FILE`.
const MAX_REUSABLE_CHARS: usize = 100;
/// Number of bytes of a command line that are parsed; longer lines count as a change of files.
const MAX_PARSED_BYTES: usize = 4_000;

/// Word that replaces a date in the text of a command.
const DATE_WORD: &str = "DATE";

/// Programs that run the rest of their arguments without changing what it does.
const TRANSPARENT: [&str; 11] = [
    "time", "timeout", "gtimeout", "nohup", "nice", "ionice", "stdbuf", "command", "exec", "env", "unbuffer",
];

impl TracedCommand {
    /// Text that identifies the command: assignments and command.
    pub fn key(&self) -> String {
        let mut key = self.env.join(" ");
        if !key.is_empty() {
            key.push(' ');
        }
        key + &self.text
    }

    /// Any commit: what is committed, and the message, differ each time.
    pub fn commit() -> Self {
        let name = "git commit".to_owned();
        let text = name.clone();
        Self { text, name, work: CommandKind::Commit, reusable: true, comparable: true, ..Self::default() }
    }

    /// Words of the command but its program and flags.
    pub fn operands(&self) -> BTreeSet<&str> {
        self.words().into_iter().skip(1).filter(|word| !word.starts_with('-')).collect()
    }

    /// Words of the command, split at white space.
    pub fn words(&self) -> Vec<&str> {
        self.text.split_whitespace().collect()
    }
}

/// Reduces a command line. Paths in `workspace` become relative to it.
pub fn reduce(line: &str, workspace: Option<&str>) -> ReducedLine {
    if line.len() > MAX_PARSED_BYTES {
        return ReducedLine { changes: true, ..ReducedLine::default() };
    }
    let script = cm_shell::read(line);
    let mut reduced = ReducedLine { changes: script.truncated, ..ReducedLine::default() };
    let (mut prefix, mut exported): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let has_else = line.contains("||") || line.contains(';') || line.trim().contains('\n');
    for (at, outer) in script.commands.iter().enumerate().filter(|(_, command)| !command.is_inner) {
        if is_filter(outer) {
            reduced.hides_outcome = true;
            continue;
        }
        reduced.written.extend(
            written_file(outer).filter(|_| effect(outer) == CommandEffect::Changes).map(str::to_owned),
        );
        match outer.program.as_str() {
            "source" | "." => {
                prefix.push(format!("source {}", inside(&words_of(outer)[1..].join(" "), workspace)))
            }
            // These change the environment of the line as well.
            _ if prepares(outer) && script.commands[at + 1..].iter().any(|next| !next.is_inner) => {
                prefix.push(words_of(outer).join(" "));
            }
            "export" => exported
                .extend(outer.args.iter().map(|word| word.text.clone()).filter(|word| word.contains('='))),
            _ => match effect(outer) {
                CommandEffect::Looks => {}
                CommandEffect::Changes => reduced.changes = true,
                CommandEffect::Acts => {
                    let inner = transparent(&script.commands, at);
                    if effect(&script.commands[inner]) == CommandEffect::Acts {
                        reduced.commands.push(trace_command(
                            &script.commands,
                            inner,
                            (&prefix, &exported),
                            workspace,
                        ));
                    }
                }
            },
        }
    }
    reduced.hides_outcome |= has_else && reduced.commands.len() > 1;
    reduced.hides_outcome |= line.contains("||");
    reduced
}

/// Whether a command selects versions of programs for the rest of the line.
fn prepares(command: &SimpleCommand) -> bool {
    let argument = command.args.first().map_or("", |word| word.text.as_str());
    matches!(
        (command.program.as_str(), argument),
        ("module" | "ml", "load") | ("conda" | "mamba" | "micromamba", "activate") | ("nvm" | "fnm", "use")
    )
}

/// Returns the index of the command that a program such as `timeout` runs, or of the command itself. `env` with
/// an option, such as `-u NAME`, does change what it runs.
fn transparent(commands: &[SimpleCommand], mut at: usize) -> usize {
    while commands[at].is_wrapper
        && TRANSPARENT.contains(&commands[at].program.as_str())
        && !(commands[at].program == "env" && commands[at].args.iter().any(|word| word.text.starts_with('-')))
        && commands.get(at + 1).is_some_and(|inner| inner.is_inner)
    {
        at += 1;
    }
    at
}

fn words_of(command: &SimpleCommand) -> Vec<String> {
    let args = command.args.iter().map(|word| word.text.clone());
    std::iter::once(command.program_path.clone()).chain(args).collect()
}

fn trace_command(
    commands: &[SimpleCommand],
    at: usize,
    (prefix, exported): (&[String], &[String]),
    workspace: Option<&str>,
) -> TracedCommand {
    let command = &commands[at];
    let mut words: Vec<String> = words_of(command).iter().map(|word| inside(word, workspace)).collect();
    let own = command.assignments.iter().map(|(name, value)| format!("{name}={}", inside(value, workspace)));
    let mut env: Vec<String> = own.chain(exported.iter().cloned()).collect();
    env.sort();
    env.dedup();
    let is_dated = replace_dates(&mut words);
    let typed = cm_shell::line_of(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let text = prefix.iter().chain([&typed]).cloned().collect::<Vec<_>>().join(" && ");
    let parsed = ParsedCommand::from(command.clone());
    if parsed.work() == CommandKind::Commit {
        return TracedCommand::commit();
    }
    // `npx vitest` and `uv run pytest` are what they run.
    let run = commands.get(at + 1).filter(|inner| command.is_wrapper && inner.is_inner).unwrap_or(command);
    let work = ParsedCommand::from(run.clone()).work();
    let comparable = words.iter().all(|word| is_reusable(word))
        && env.iter().all(|pair| is_reusable_assignment(pair))
        && prefix.iter().flat_map(|line| line.split(' ')).all(is_reusable)
        && command.input.is_none()
        && typed.chars().count() <= MAX_REUSABLE_CHARS
        && prefix.iter().map(|line| line.chars().count()).sum::<usize>() <= MAX_REUSABLE_CHARS
        && !env.iter().any(|pair| pair.len() > MAX_REUSABLE_CHARS / 2);
    let folder =
        command.folder.as_deref().map(|folder| inside(folder, workspace)).filter(|folder| folder != ".");
    let reusable = comparable && !is_dated;
    TracedCommand { text, env, folder, name: parsed.name(), work, reusable, comparable }
}

pattern!(
    ONE_OFF = r"(?ix)
    \b\d{4}-\d{2}-\d{2}\b | \d{6,} | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-
    | (?:^|[^0-9a-z])(?:[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]*|[0-9a-f]*[a-f][0-9a-f]*\d[0-9a-f]*)(?:$|[^0-9a-z])"
);
// System paths, which are equal on similar machines.
pattern!(OF_SYSTEM = r"(?:^|=)/(?:dev|etc|usr|opt|sys)/");
pattern!(ELSEWHERE = r"(?i)(?:^|[=:@])(?:/|~|\\|[a-z]:\\)|/(?:tmp|home|users|var/folders)/|://|\[redacted");

pattern!(DATE = r"^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?$");
// The output of a plain command, such as `$(/usr/libexec/java_home -v 17)`.
pattern!(OUTPUT = r"\$\((?P<command>[\w./ -]+)\)");

/// Replaces each word that is a date by `DATE`, and returns whether there is one.
fn replace_dates(words: &mut [String]) -> bool {
    let dates = words.iter_mut().filter(|word| DATE.is_match(word));
    dates.map(|word| *word = DATE_WORD.to_owned()).count() > 0
}

// Another variable of the environment, such as `$HOME`.
pattern!(VARIABLE = r"\$(?:[A-Z][A-Z0-9_]*|\{[A-Z][A-Z0-9_]*\})");

/// Returns whether an assignment can be typed in another session; its value may be the output of such a command, and may
/// have other variables.
fn is_reusable_assignment(pair: &str) -> bool {
    let pair = &*VARIABLE.replace_all(pair, "variable");
    let mut commands = OUTPUT.captures_iter(pair).flat_map(|found| found.name("command"));
    commands.all(|command| command.as_str().split_whitespace().all(is_reusable))
        && is_reusable(&OUTPUT.replace_all(pair, "output"))
}

/// Returns whether a word of a command can be typed in another session.
fn is_reusable(word: &str) -> bool {
    let is_hash = ONE_OFF.find(word).is_some_and(|found| found.len() >= 7);
    !is_hash
        && !ELSEWHERE.is_match(&OF_SYSTEM.replace(word, "system/"))
        && !word.contains(|c: char| c.is_whitespace() || c.is_control() || "`$<>\"'{}*?;|&\\".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(line: &str) -> TracedCommand {
        let mut reduced = reduce(line, Some("/w/shop"));
        assert_eq!(reduced.commands.len(), 1, "{line}: {reduced:?}");
        reduced.commands.remove(0)
    }

    #[test]
    fn equal_commands_have_equal_texts_however_they_are_wrapped() {
        for line in [
            "pnpm test:int",
            "cd /w/shop && pnpm test:int",
            "timeout 60 pnpm test:int 2>&1 | tail -20",
            "cd web; pnpm test:int > out.log 2>&1; tail out.log",
            "pnpm test:int | grep -v skip",
        ] {
            assert_eq!(only(line).key(), "pnpm test:int", "{line}");
        }
        assert_eq!(only("npx vitest run").text, "npx vitest run");
        assert_eq!(only("docker compose exec db psql").text, "docker compose exec db psql");
        assert_eq!(only("/w/shop/scripts/up.sh").text, "scripts/up.sh");
        assert_eq!(only(". .venv/bin/activate && pytest").text, "source .venv/bin/activate && pytest");
        assert_eq!(only("B=1 A=2 make x").key(), "A=2 B=1 make x");
        assert_eq!(only("export A=2 && make x").key(), "A=2 make x");
    }

    #[test]
    fn folders_are_separate() {
        assert_eq!(only("cd web && npm test").folder.as_deref(), Some("web"));
        assert_eq!(only("cd /w/shop && npm test").folder, None);
    }

    #[test]
    fn what_looks_is_left_out_and_what_writes_is_a_change() {
        assert_eq!(
            reduce("ls && git status | head", None),
            ReducedLine { hides_outcome: true, ..ReducedLine::default() }
        );
        let written = reduce("cat > src/a.rs <<'EOF'\nx\nEOF", None);
        assert!(written.changes && written.written == ["src/a.rs"] && written.commands.is_empty());
        assert!(reduce("sed -i s/a/b/ x.rs && make", None).changes);
        assert_eq!(reduce("make up && make test", None).commands.len(), 2);
    }

    #[test]
    fn every_commit_is_the_same_command() {
        for line in ["git commit -am 'fix the cart'", "git add -A && git -C . commit --amend --no-edit"] {
            assert_eq!(only(line), TracedCommand::commit(), "{line}");
        }
        assert_eq!(only("flutter test").work, CommandKind::Test);
    }

    #[test]
    fn one_off_arguments_are_recognized() {
        for line in [
            "make up",
            "docker compose up -d db",
            "npm install react@20",
            "go test ./...",
            "make -j4",
            "cargo test -p cm-learn",
            "pytest hil --port /dev/ttyACM0",
            "make flash PORT=/dev/ttyUSB0",
            ". /opt/poky/4.0.21/environment-setup-cortexa9t2hf-neon-poky-linux-gnueabi && cmake --preset imx6 --fresh",
        ] {
            assert!(only(line).reusable, "{line}");
        }
        for line in [
            "git push origin 1c0ffee9",
            "pytest /tmp/x/test_a.py",
            "scripts/x.sh 2026-10-01",
            "kill 1234567",
            "make x CMD=\"a b\"",
            "ssh mara@host.example ls /home/mara/x",
            "node $FILE",
            "npm i https://x.example/a.tgz",
        ] {
            let reduced = reduce(line, None);
            assert!(reduced.commands.iter().all(|command| !command.reusable), "{line}: {reduced:?}");
        }
    }
}
