//! An isolated environment for the real program: its own home, an empty environment, a fixed clock
//! and seed.
//!
//! Nothing from the user's machine reaches the program except `PATH`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use cm_note::instant::Instant;
use cm_store::vault::trust::{self, TrustRecord, TrustSource};
use cm_store::vault::{PrivateHome, Vault};
use tempfile::TempDir;

use super::notes::files_of;
use super::ran::Ran;

/// Current time in every test.
pub const NOW: &str = "2026-11-21T12:00:00Z";

const GIT_CONFIG: &str = "\
[user]
\tname = Ada Example
\temail = ada@example.org
[init]
\tdefaultBranch = main
[maintenance]
\tauto = false
[gc]
\tauto = 0
";

/// Returns a command of the Git found on `PATH`.
///
/// With its whole path, because a name that is still to be found in a changed environment makes the
/// standard library copy this whole process first.
pub fn git_command() -> Command {
    static GIT: LazyLock<PathBuf> = LazyLock::new(|| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders)
            .map(|folder| folder.join(format!("git{}", std::env::consts::EXE_SUFFIX)))
            .find(|file| file.is_file())
            .expect("git is installed")
    });
    Command::new(&*GIT)
}

/// A temporary folder with a home and a vault's folder; removed when dropped.
#[derive(Debug)]
pub struct Sandbox {
    root: PathBuf,
    /// Whether the vault reads only sessions of its project.
    of_project: AtomicBool,
    _folder: TempDir,
}

/// Creates a vault in its own repository with these files, all committed. For the format see
/// [`files_of`].
pub fn vault_of(files: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("cm.toml", "");
    sandbox.write(".gitignore", "/_index/\n/_state/\n/_embeddings/\n");
    for (path, bytes) in files_of(files) {
        sandbox.write(&path, bytes);
    }
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit_all("Begin");
    sandbox.trust(&sandbox.vault());
    sandbox
}

impl Sandbox {
    /// Creates a sandbox with an empty folder for the vault.
    pub fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("cm-suite-").tempdir().expect("a temporary folder can be made");
        let root = folder.path().canonicalize().expect("the folder was just made");
        for name in ["home", "tmp", "vault"] {
            fs::create_dir(root.join(name)).expect("a folder can be made in the sandbox");
        }
        fs::write(root.join("gitconfig"), GIT_CONFIG).expect("a file can be written in the sandbox");
        Self { root, of_project: false.into(), _folder: folder }
    }

    /// Restricts the vault to sessions of its project, which is the default outside of tests.
    pub fn reads_its_project(&self) {
        self.of_project.store(true, Ordering::Relaxed);
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folders of the private files in the sandbox.
    pub fn private_home(&self) -> PrivateHome {
        let home = self.root.join("home");
        PrivateHome { state: home.join(".local/state/cm"), config: home.join(".config/cm") }
    }

    /// Opens the vault in this process like the program does.
    pub fn open_vault(&self) -> Vault {
        Vault::at(&self.vault()).expect("the folder exists").prepare(Some(&self.private_home()))
    }

    /// Returns the path of a private file of the vault.
    pub fn private(&self, name: &str) -> PathBuf {
        self.open_vault().private_file(name).expect("the sandbox has a home folder")
    }

    /// Reads a private file of the vault.
    ///
    /// # Panics
    ///
    /// If the file does not exist or is not valid UTF-8.
    pub fn read_private(&self, name: &str) -> String {
        fs::read_to_string(self.private(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes the user's private settings of the vault.
    pub fn settings(&self, text: impl AsRef<str>) {
        let vault = self.open_vault();
        let private = vault.private().expect("the sandbox has a home folder");
        private.write(&private.settings(), text.as_ref().as_bytes()).expect("the home folder can be written");
    }

    /// Trusts the vault at this folder, like `cm trust`.
    pub fn trust(&self, folder: &Path) {
        let vault = Vault::at(folder).expect("the folder exists").prepare(Some(&self.private_home()));
        let at = Instant::parse(NOW).expect("it is an instant");
        let record = TrustRecord { source: TrustSource::Person, at, remote: None };
        trust::grant(&vault, &record).expect("the home folder can be written");
    }

    /// Removes the trust in the vault.
    pub fn distrust(&self) {
        trust::revoke(&self.open_vault()).expect("the home folder can be written");
    }

    /// Returns the vault's folder, the working folder of the program.
    pub fn vault(&self) -> PathBuf {
        self.root.join("vault")
    }

    /// Runs `cm` with these arguments in the vault's folder.
    pub fn cm(&self, arguments: &[&str]) -> Ran {
        self.run(arguments).go()
    }

    /// Prepares a run that can be configured further.
    pub fn run(&self, arguments: &[&str]) -> Run<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cm"));
        command.args(arguments);
        self.close(&mut command);
        Run { sandbox: self, command, cwd: self.vault(), stdin: None }
    }

    /// Runs a shell script in the vault's folder, with the program on the path. IDs are random.
    pub fn shell(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        self.close(&mut command);
        let program = Path::new(env!("CARGO_BIN_EXE_cm")).parent().expect("the program lies in a folder");
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([program.to_owned()].into_iter().chain(std::env::split_paths(&rest)));
        command.args(["-c", script]).env("PATH", path.expect("no folder contains a colon"));
        command.env("PLAYGROUND", &self.root).env("EDITOR", "true").env_remove("CM_SEED");
        Run { sandbox: self, command, cwd: self.vault(), stdin: None }.go()
    }

    /// Returns a command for the program, in the vault's folder and without standard streams.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cm"));
        self.close(&mut command);
        command.args(arguments).current_dir(self.vault());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs Git in the vault's folder and returns its stdout.
    ///
    /// # Panics
    ///
    /// If Git fails.
    pub fn git(&self, arguments: &[&str]) -> String {
        // One minute before the program's clock, so that the order of commits is defined.
        self.git_at("2026-11-21T11:59:00Z", arguments)
    }

    /// Like [`Self::git`], with this time for commits.
    ///
    /// # Panics
    ///
    /// If Git fails.
    pub fn git_at(&self, when: &str, arguments: &[&str]) -> String {
        let mut command = git_command();
        self.close(&mut command);
        command.args(arguments).env("GIT_AUTHOR_DATE", when);
        command.env("GIT_COMMITTER_DATE", when).current_dir(self.vault());
        let output = command.stdin(Stdio::null()).output().expect("git is installed");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?} failed: {stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Commits all files in the vault, like a user.
    pub fn commit_all(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// Writes a file below the vault's folder, creating parent folders.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.vault().join(path);
        fs::create_dir_all(file.parent().expect("a file below the vault has a folder"))
            .expect("a folder can be made in the sandbox");
        fs::write(file, bytes).expect("a file can be written in the sandbox");
    }

    /// Sets the modification time of a file below the vault's folder.
    pub fn set_modified(&self, path: &str, at: &str) {
        let at = Instant::parse(at).expect("the test passes a date").unix();
        let at = UNIX_EPOCH + Duration::from_secs(u64::try_from(at).expect("the date is after 1970"));
        let file = fs::File::options().write(true).open(self.vault().join(path)).expect("the file exists");
        file.set_modified(at).expect("the time of a file can be set in the sandbox");
    }

    /// Writes the injection logs that hooks would write for these sessions.
    pub fn write_injection_logs(&self, sessions: &[&str]) {
        for session in sessions {
            self.write(&format!("_state/hooks/{session}.jsonl"), "{\"at\":\"2026-11-01T00:00:00Z\"}\n");
        }
    }

    /// Reads a file below the vault's folder.
    ///
    /// # Panics
    ///
    /// If the file does not exist or is not valid UTF-8.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.vault().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replaces a command's environment by that of the sandbox.
    fn close(&self, command: &mut Command) {
        let inside = |name: &str| self.root.join(name).into_os_string();
        let own: [(&str, OsString); 13] = [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", inside("home")),
            ("TMPDIR", inside("tmp")),
            ("TERM", "dumb".into()),
            ("LANG", "C.UTF-8".into()),
            ("TZ", "UTC".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", inside("gitconfig")),
            ("CM_NOW", NOW.into()),
            ("CM_SEED", "7".into()),
            ("CM_GLOBAL_VAULT", inside("no-global-vault")),
            // Test logs name folders outside of the vault's project; tests of scope remove this variable.
            ("CM_SESSIONS_WORKSPACES", "/".into()),
            // Background embedding depends on the speed of the machine; tests use `cm embed` instead.
            ("CM_EMBEDDINGS_BUDGET_MS", "0".into()),
        ];
        command.env_clear().envs(own);
        if self.of_project.load(Ordering::Relaxed) {
            command.env_remove("CM_SESSIONS_WORKSPACES");
        }
    }
}

/// A run of the program under construction.
#[derive(Debug)]
pub struct Run<'a> {
    sandbox: &'a Sandbox,
    command: Command,
    cwd: PathBuf,
    stdin: Option<Vec<u8>>,
}

impl Run<'_> {
    /// Sets the working folder, relative to the vault.
    pub fn within(mut self, folder: &str) -> Self {
        self.cwd = self.sandbox.vault().join(folder);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the standard input, which is empty by default.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Runs the program and waits for its end.
    pub fn go(mut self) -> Ran {
        if let Some(bytes) = &self.stdin {
            // A file instead of a pipe, so that a program that does not read its input does not block.
            let mut file = tempfile::tempfile_in(self.sandbox.root.join("tmp")).expect("a file can be made");
            std::io::Write::write_all(&mut file, bytes).expect("a file can be written in the sandbox");
            std::io::Seek::rewind(&mut file).expect("a file can be rewound");
            self.command.stdin(file);
        } else {
            self.command.stdin(Stdio::null());
        }
        let output =
            self.command.current_dir(&self.cwd).output().expect("the program was built with the tests");
        Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: code(output.status),
            root: self.sandbox.root.clone(),
            cwd: self.cwd,
        }
    }
}

#[cfg(unix)]
fn code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

#[cfg(not(unix))]
fn code(status: std::process::ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_in_the_sandbox_sees_nothing_of_the_machine_but_the_path() {
        let sandbox = Sandbox::new();
        let run = sandbox.run(&[]).env("EXTRA", "1");
        let mut names: Vec<_> = run.command.get_envs().map(|(name, _)| name.to_string_lossy()).collect();
        names.sort();
        assert_eq!(
            names.join(" "),
            "CM_EMBEDDINGS_BUDGET_MS CM_GLOBAL_VAULT CM_NOW CM_SEED CM_SESSIONS_WORKSPACES EXTRA GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM HOME LANG PATH TERM TMPDIR TZ"
        );
        let mut env = Command::new("env");
        sandbox.close(&mut env);
        let seen = String::from_utf8(env.output().unwrap().stdout).unwrap();
        assert_eq!(seen.lines().count(), names.len() - 1, "the rest is cleared:\n{seen}");
        assert!(!sandbox.root().join("no-global-vault").exists());
    }

    #[test]
    fn a_vault_from_a_string_is_a_clean_repository_with_a_fixed_author() {
        let sandbox = vault_of("--- graph/fixes/a.md [crlf]\nBody\n");
        assert_eq!(sandbox.read("graph/fixes/a.md"), "Body\r\n");
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
        let log = sandbox.git(&["log", "--format=%an <%ae> %aI %s"]);
        assert_eq!(log, "Ada Example <ada@example.org> 2026-11-21T11:59:00Z Begin\n");
        let ids = [
            sandbox.git(&["rev-parse", "HEAD"]),
            vault_of("--- graph/fixes/a.md [crlf]\nBody\n").git(&["rev-parse", "HEAD"]),
        ];
        assert_eq!(ids[0], ids[1], "the same text makes the same commit");
    }
}
