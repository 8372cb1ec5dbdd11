//! Result of running the program, with a reproducible text for snapshots.

use std::path::PathBuf;

/// A finished run of the program.
#[derive(Debug)]
pub struct Ran {
    /// Standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; 128 plus the signal number if a signal ended the process.
    pub code: i32,
    /// Root folder of the sandbox.
    pub(super) root: PathBuf,
    /// Working folder of the run.
    pub(super) cwd: PathBuf,
}

impl Ran {
    /// Asserts success and returns the run.
    ///
    /// # Panics
    ///
    /// If the program failed, with its output.
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "the program failed\n{}", self.snapshot());
        self
    }

    /// Parses standard output as JSON.
    ///
    /// # Panics
    ///
    /// If it is not valid JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not valid JSON: {error}\n{}", self.snapshot()))
    }

    /// Returns stdout, then stderr if there is any, then the exit code. Varying parts are masked:
    /// the sandbox's folder by `[ROOT]`, commit ids by `[COMMIT]`, milliseconds by `[MS]`.
    pub fn snapshot(&self) -> String {
        let mut text = String::new();
        for (name, part) in [("", &self.stdout), ("[stderr]\n", &self.stderr)] {
            if !part.is_empty() {
                text.push_str(name);
                text.push_str(part);
                text.push_str(if part.ends_with('\n') { "" } else { "[no line break]\n" });
            }
        }
        let root = self.root.to_string_lossy();
        let text = text.replace(&*root, "[ROOT]");
        format!("{}[exit {}]\n", steady(&text, &self.commits()), self.code)
    }

    /// Returns all commits of the repository at the run's folder, including unreachable ones in the
    /// reflog.
    fn commits(&self) -> Vec<String> {
        let mut git = super::sandbox::git_command();
        git.args(["rev-list", "--all", "--reflog"]).current_dir(&self.cwd);
        git.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // The sandbox may be gone, or its folder not be a repository; then there are no commits.
        let listed = git.output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect()
    }
}

/// Masks commit ids and milliseconds.
fn steady(text: &str, commits: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        out.push_str(&rest[..start]);
        let word = &rest[start..];
        let end = word.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        let before = out.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if is_commit(word, before, commits) {
            out.push_str("[COMMIT]");
        } else if is_milliseconds(word, &out, after) {
            let whole = out.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
            out.truncate(whole);
            out.push_str("[MS]");
        } else {
            out.push_str(word);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether the word is a commit id: 40 digits, 7 to 10 digits after the word `commit`, or a prefix
/// of a known commit.
fn is_commit(word: &str, before: &str, commits: &[String]) -> bool {
    let hex = word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let short = (7..=10).contains(&word.len()) && before.to_lowercase().ends_with("commit");
    let known = word.len() >= 7 && commits.iter().any(|commit| commit.starts_with(word));
    hex && (word.len() == 40 || short || known)
}

/// Whether the word is the number in `"ms": 12`, `12 ms`, `1.5 ms` or `12ms`.
fn is_milliseconds(word: &str, before: &str, after: &str) -> bool {
    let digits = word.strip_suffix("ms").unwrap_or(word);
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let unit = digits.len() < word.len() || after.strip_prefix(" ms").is_some_and(ends_word);
    number && (unit || before.ends_with("\"ms\": "))
}

fn ends_word(after: &str) -> bool {
    !after.starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[test]
fn what_differs_from_run_to_run_is_replaced_and_nothing_else() {
    let known = ["0123abc89".to_owned() + &"f".repeat(31)];
    let sha = "a".repeat(40);
    for (text, expected) in [
        (format!("\"commit\": \"{sha}\","), "\"commit\": \"[COMMIT]\","),
        ("committed as commit 12ab34c.".into(), "committed as commit [COMMIT]."),
        ("0123abc  add  x".into(), "[COMMIT]  add  x"),
        ("1bc3bef4-0000-4000-8000-aaaaaaaaaaaa".into(), "1bc3bef4-0000-4000-8000-aaaaaaaaaaaa"),
        ("commit 1bc3be".into(), "commit 1bc3be"),
        ("\"ms\": 12\n".into(), "\"ms\": [MS]\n"),
        ("3 notes in 1.5 ms, 7 msgs".into(), "3 notes in [MS] ms, 7 msgs"),
        ("in 12ms".into(), "in [MS]"),
        ("2026-11-21".into(), "2026-11-21"),
    ] {
        assert_eq!(steady(&text, &known), expected);
    }
}

#[test]
fn a_snapshot_shows_both_streams_and_the_exit_code() {
    let (root, cwd) = (PathBuf::from("/absent/sandbox"), PathBuf::from("/absent/sandbox/vault"));
    let ran = Ran { stdout: "{}\n".into(), stderr: "no /absent/sandbox/x".into(), code: 3, root, cwd };
    insta::assert_snapshot!(ran.snapshot(), @r"
    {}
    [stderr]
    no [ROOT]/x[no line break]
    [exit 3]
    ");
}

#[test]
fn ids_of_the_sandboxes_own_commits_are_known_at_any_length() {
    let sandbox = super::vault_of("--- a.md\nBody\n");
    let id = sandbox.git(&["rev-parse", "HEAD"]);
    let stdout = format!("{{\"log\": \"{} add\"}}", &id[..8]);
    let (root, cwd) = (sandbox.root().to_owned(), sandbox.vault());
    let ran = Ran { stdout, stderr: String::new(), code: 0, root, cwd };
    assert_eq!(ran.snapshot(), "{\"log\": \"[COMMIT] add\"}[no line break]\n[exit 0]\n");
    assert_eq!(ran.json()["log"], format!("{} add", &id[..8]));
}
