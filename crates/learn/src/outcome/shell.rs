//! Classifies shell commands: tests, builds, checks, commits and reverts.

use serde::{Deserialize, Serialize};

use super::effect::{CommandEffect, effect};
use cm_shell::SimpleCommand;

/// Kind of work that a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandKind {
    /// Runs tests, as `cargo test` does.
    Test,
    /// Compiles or packages, as `make` does.
    Build,
    /// Lints, checks types or formats.
    Lint,
    /// Creates a commit.
    Commit,
    /// Pushes commits.
    Push,
    /// Discards or reverts changes.
    Revert,
    /// Any other command.
    #[default]
    Other,
}

impl CommandKind {
    /// Returns `true` if the command checks the work: tests, builds and lints.
    pub fn is_check(self) -> bool {
        matches!(self, Self::Test | Self::Build | Self::Lint)
    }
}

/// One command of a command line, without operators such as `&&`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedCommand {
    /// Name of the program, followed by its arguments without quotes.
    pub words: Vec<String>,
    pub effect: CommandEffect,
}

/// Programs whose first operand is a file or a process, so that it tells nothing about what they do.
const OF_FILES: [&str; 22] = [
    "cp", "mkdir", "touch", "ln", "chmod", "chown", "tar", "zip", "unzip", "scp", "rsync", "ssh", "kill",
    "pkill", "killall", "open", "code", "vim", "vi", "nano", "source", ".",
];

/// Number of bytes of a command line that are parsed; the rest is ignored.
const MAX_PARSED_BYTES: usize = 20_000;

/// Splits a command line into the simple commands that it runs on this machine, without wrappers such
/// as `sudo`.
///
/// ```
/// use cm_learn::outcome::shell::{CommandKind, simple_commands};
/// let commands = simple_commands("cd web && CI=1 npm test -- --run | tail -5");
/// assert_eq!(commands[1].work(), CommandKind::Test);
/// assert_eq!(commands[1].name(), "npm test");
/// ```
pub fn simple_commands(line: &str) -> Vec<ParsedCommand> {
    let script = cm_shell::read(&line[..line.floor_char_boundary(MAX_PARSED_BYTES)]);
    let own =
        |command: &SimpleCommand| !command.program.is_empty() && !command.is_wrapper && !command.is_remote;
    script.commands.into_iter().filter(own).map(ParsedCommand::from).collect()
}

impl From<SimpleCommand> for ParsedCommand {
    fn from(command: SimpleCommand) -> Self {
        let effect = effect(&command);
        let args = command.args.into_iter().map(|word| word.text);
        Self { words: std::iter::once(command.program).chain(args).collect(), effect }
    }
}

impl ParsedCommand {
    /// File name of the program, without its folder.
    pub fn program(&self) -> &str {
        self.word(0)
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// Program and subcommand, such as `cargo test`; equal for repeated runs of a command.
    pub fn name(&self) -> String {
        let sub = self.word(1);
        let has_subcommand = match self.program() {
            "python" | "python3" | "node" | "deno" | "bash" | "sh" | "ruby" | "php" | "java" => {
                if sub == "-m" { return format!("{} -m {}", self.program(), self.word(2)) } else { true }
            }
            "npm" | "pnpm" | "yarn" | "bun" if sub == "run" || sub == "run-script" => {
                return format!("{} run {}", self.program(), self.word(2)).trim_end().to_owned();
            }
            "mise" if sub == "run" => return format!("mise run {}", self.word(2)).trim_end().to_owned(),
            "cargo" | "go" | "npm" | "pnpm" | "yarn" | "bun" | "git" | "gh" | "make" | "just" | "mvn"
            | "gradle" | "gradlew" | "dotnet" | "docker" | "mix" | "rake" | "rails" | "mise" | "task"
            | "swift" | "terraform" | "kubectl" | "golangci-lint" | "ruff" | "biome" | "tox" | "ng"
            | "nx" | "turbo" => true,
            _ => self.unlisted() != CommandKind::Other && by_task(sub) != CommandKind::Other,
        };
        let plain = !sub.is_empty() && !sub.starts_with(['-', '$', '.', '/', '+']) && sub.len() <= 40;
        if has_subcommand && plain { format!("{} {sub}", self.program()) } else { self.program().to_owned() }
    }

    pub fn work(&self) -> CommandKind {
        let (program, sub) = (self.program(), self.word(1));
        if self.words.iter().any(|word| matches!(word.as_str(), "--help" | "--version" | "--dry-run")) {
            return CommandKind::Other;
        }
        match (program, sub) {
            ("git", _) => self.git(),
            (
                "pytest" | "py.test" | "jest" | "vitest" | "mocha" | "rspec" | "phpunit" | "ctest" | "tox"
                | "nose2",
                _,
            )
            | ("cargo", "test" | "nextest" | "t")
            | (
                "go" | "dotnet" | "mix" | "swift" | "deno" | "rails" | "ng" | "bazel" | "playwright",
                "test",
            ) => CommandKind::Test,
            ("cargo", "build" | "check" | "b" | "c")
            | ("go", "build" | "install")
            | ("tsc" | "webpack" | "esbuild", _)
            | ("dotnet" | "swift" | "docker" | "bazel" | "vite" | "next", "build") => CommandKind::Build,
            ("cargo", "clippy" | "fmt")
            | ("go", "vet")
            | (
                "eslint" | "ruff" | "flake8" | "mypy" | "pyright" | "golangci-lint" | "biome" | "prettier"
                | "rubocop" | "shellcheck" | "gofmt" | "pylint" | "black",
                _,
            ) => CommandKind::Lint,
            ("python" | "python3", "-m") => by_task(self.word(2)),
            ("npm" | "pnpm" | "yarn" | "bun", "run" | "run-script") | ("mise", "run") => {
                by_task(self.word(2))
            }
            ("gradle" | "gradlew", _) => {
                let mut tasks = self.words.iter().skip(1).filter(|word| !word.starts_with('-'));
                tasks.next().map_or(CommandKind::Other, |task| by_gradle_task(task))
            }
            ("npm" | "pnpm" | "yarn" | "bun" | "make" | "just" | "task" | "rake" | "mvn", _) => {
                let task = self.words.iter().skip(1).find(|word| !word.starts_with('-'));
                task.map_or(if program == "make" { CommandKind::Build } else { CommandKind::Other }, |task| {
                    by_task(task)
                })
            }
            _ => self.unlisted(),
        }
    }

    /// Guesses the kind of a command whose program is not listed, from its first operand, as in `west build`, or
    /// from the program's name, as in `ansible-lint` and `run-tests.sh`.
    fn unlisted(&self) -> CommandKind {
        let program = self.program();
        if self.effect != CommandEffect::Acts || OF_FILES.contains(&program) {
            return CommandKind::Other;
        }
        if program.ends_with("lint") {
            return CommandKind::Lint;
        }
        let of_script = program.rsplit_once('.').map(|(stem, _)| stem).unwrap_or_default();
        let parts = of_script.split(['-', '_']).map(by_task);
        let of_operand = by_task(self.word(1));
        parts.chain([of_operand]).find(|kind| *kind != CommandKind::Other).unwrap_or_default()
    }

    fn git(&self) -> CommandKind {
        // `git -C folder commit`
        let mut rest = self.words.iter().skip(1).map(String::as_str);
        let mut sub = rest.next().unwrap_or("");
        while sub.starts_with('-') {
            if matches!(sub, "-C" | "-c") {
                rest.next();
            }
            sub = rest.next().unwrap_or("");
        }
        let has = |flag: &str| self.words.iter().any(|word| word == flag);
        match sub {
            "commit" => CommandKind::Commit,
            "push" => CommandKind::Push,
            "revert" => CommandKind::Revert,
            "reset" if has("--hard") => CommandKind::Revert,
            "restore" if !has("--staged") => CommandKind::Revert,
            "checkout" if has("--") || has(".") => CommandKind::Revert,
            _ => CommandKind::Other,
        }
    }

    /// Returns the first line of the commit message that `git commit -m` sets; `None` for other
    /// commands.
    pub(crate) fn commit_subject(&self) -> Option<&str> {
        if self.work() != CommandKind::Commit {
            return None;
        }
        let at = self.words.iter().position(|word| {
            word == "--message" || (word.starts_with('-') && !word.starts_with("--") && word.ends_with('m'))
        })?;
        let subject = self.words.get(at + 1)?.lines().next()?.trim();
        (!subject.is_empty() && !subject.starts_with("$(")).then_some(subject)
    }
}

/// Guesses what a task of a build tool does from its name, such as `test` or `build`.
fn by_task(task: &str) -> CommandKind {
    let first = task.split([':', '-', '_']).next().unwrap_or(task);
    match first {
        "test" | "tests" | "pytest" | "unittest" | "verify" | "spec" | "e2e" => CommandKind::Test,
        "build" | "compile" | "package" | "assemble" | "tsc" => CommandKind::Build,
        "lint" | "check" | "typecheck" | "validate" | "fmt" | "format" | "mypy" | "ruff" | "clippy" => {
            CommandKind::Lint
        }
        _ => CommandKind::Other,
    }
}

/// Guesses what a Gradle task does from its name, such as `:app:testDebugUnitTest`.
fn by_gradle_task(path: &str) -> CommandKind {
    let task = path.rsplit(':').next().unwrap_or(path);
    let first = task.split(char::is_uppercase).next().unwrap_or(task);
    match by_task(first) {
        CommandKind::Other if task.ends_with("Test") => CommandKind::Test,
        kind => kind,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn works(line: &str) -> Vec<CommandKind> {
        simple_commands(line).iter().map(ParsedCommand::work).collect()
    }

    fn has(line: &str, work: CommandKind) -> bool {
        works(line).contains(&work)
    }

    #[test]
    fn the_program_is_found_behind_folders_assignments_and_starters() {
        for line in [
            "cargo test",
            "cd a && cargo test --lib 2>&1 | tail -20",
            "RUST_LOG=debug cargo test",
            "timeout 60 cargo test; echo done",
            "uv run -- pytest -q",
            "poetry run pytest tests/",
            "npx vitest run",
            "npm run test:unit",
            "mise run test:ci",
            "python -m pytest",
            "make -j4 test",
            "./node_modules/.bin/jest",
            "flutter test",
            "./scripts/run_tests.sh --fast",
            "(cd x; go test ./...)",
        ] {
            assert!(has(line, CommandKind::Test), "{line}: {:?}", works(line));
        }
    }

    #[test]
    fn words_about_a_command_are_no_command() {
        for line in [
            "echo 'cargo test'",
            "grep -rn \"git revert\" docs",
            "cat <<'EOF'\ngit reset --hard\nEOF",
            "cargo test --help",
            "# pytest",
            "git log --grep=revert",
            "git checkout main",
            "git restore --staged a.rs",
            "git reset HEAD~1",
            "ls tests",
            "mkdir build",
            "cat build.sh",
            "ls test.sh",
            "rm lint",
            "test -f build.sh",
        ] {
            assert!(works(line).iter().all(|work| *work == CommandKind::Other), "{line}: {:?}", works(line));
        }
    }

    #[test]
    fn reverted_work_is_recognized() {
        for line in
            ["git revert HEAD", "git reset --hard origin/main", "git checkout -- .", "git -C x restore a.rs"]
        {
            assert!(has(line, CommandKind::Revert), "{line}");
        }
    }

    #[test]
    fn the_subject_of_a_commit_is_its_first_line() {
        let subject = |line: &str| {
            simple_commands(line).iter().find_map(|simple| simple.commit_subject().map(str::to_owned))
        };
        assert_eq!(subject("git add -A && git commit -m \"Fix: it\n\nBody\"").as_deref(), Some("Fix: it"));
        assert_eq!(subject("git commit -am 'Add x' && git push").as_deref(), Some("Add x"));
        assert_eq!(subject("git commit -m \"$(cat <<'EOF'\nAdd y\n\nz\nEOF\n)\"").as_deref(), Some("Add y"));
        assert_eq!(subject("git commit --amend --no-edit"), None);
    }

    #[test]
    fn two_runs_of_one_command_have_one_name() {
        let name = |line: &str| simple_commands(line)[0].name();
        assert_eq!(name("go test ./cmd/... -run X"), name("GOFLAGS=-v go test ./..."));
        assert_eq!(name("npm run test:unit -- a"), "npm run test:unit");
        assert_eq!(name("./gradlew test"), "gradlew test");
        assert_eq!(works("./gradlew :app:testDebugUnitTest"), [CommandKind::Test]);
        assert_eq!(works("./gradlew -q :core:db:connectedDebugAndroidTest"), [CommandKind::Test]);
        assert_eq!(works("./gradlew assembleRelease"), [CommandKind::Build]);
        assert_eq!(works("./gradlew lintDebug"), [CommandKind::Lint]);
        assert_eq!(name("pytest -q tests/a.py"), "pytest");
        assert_eq!(name("west build -d build/v2"), "west build");
        assert_eq!(name("ansible-lint site.yml"), "ansible-lint");
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "(.|\n){0,200}") {
            for simple in simple_commands(&line) {
                prop_assert!(!simple.words.is_empty());
                let _ = (simple.work(), simple.name(), simple.commit_subject().map(str::len));
            }
        }
    }
}
