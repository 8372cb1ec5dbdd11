//! Fetches from remotes and pushes to them with the `git` program, which has the transports and the
//! user's credentials.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant as Moment};

use crate::git::error::{Error, InPath, Result};
use crate::git::repo::{CommitId, Programs, Repo};

/// A configured remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    pub url: String,
}

/// How long a transfer may take, and whether the user can be asked for credentials.
pub struct TransferOptions<'a> {
    /// Longest time without any output of Git.
    pub silence: Duration,
    /// Whether Git may ask for credentials at the terminal.
    pub asks: bool,
    /// Whether the transfer should end early.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// Result of a push that reached the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushResult {
    /// The remote branch is at the commit.
    Done,
    /// The remote branch has commits that the pushed one does not contain.
    Raced,
    /// The remote refused the push, for example by a hook; with its words.
    Refused(String),
    /// The `pre-push` hook of this repository refused the push; with its words.
    Hooked(String),
}

/// Folder of the references that record what was fetched.
pub(super) const FETCHED: &str = "refs/cm/fetched";
/// Interval of the checks for a cancelled transfer.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(100);

impl Repo {
    /// Returns the configured remotes, `origin` first, then by name.
    pub fn remotes(&self) -> Vec<Remote> {
        // Read as text: nothing of a remote is used, so that it need not be trusted.
        let config = self.inner.config_snapshot();
        let sections = config.sections_by_name("remote").into_iter().flatten();
        let mut remotes: Vec<Remote> = sections
            .filter_map(|section| {
                let name = section.header().subsection_name()?.to_string();
                Some(Remote { name, url: section.value("url")?.to_string() })
            })
            .collect();
        remotes.sort_by_key(|remote| (remote.name != "origin", remote.name.clone()));
        remotes.dedup_by(|one, other| one.name == other.name);
        remotes
    }

    /// Returns the remote and the branch there that Git is configured to follow from this branch.
    pub fn upstream(&self, branch: &str) -> (Option<String>, Option<String>) {
        let config = self.inner.config_snapshot();
        let value = |key: &str| config.string(format!("branch.{branch}.{key}").as_str());
        let remote = value("remote").map(|name| name.to_string()).filter(|name| name != ".");
        let merge = value("merge").map(|name| name.to_string());
        (remote, merge.and_then(|name| Some(name.strip_prefix("refs/heads/")?.to_owned())))
    }

    /// Starts to fetch a branch.
    ///
    /// # Errors
    /// [`Error::UntrustedProgram`], and [`Error::Io`] if Git cannot be started.
    pub fn start_fetch(&self, remote: &str, branch: &str, options: &TransferOptions<'_>) -> Result<Fetch> {
        let reference = format!("{FETCHED}/{remote}/{branch}");
        let mut command = self.transfer(options)?;
        command.args([
            "fetch",
            "--progress",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
        ]);
        // A partial clone gets the new files, too: gix does not ask for what is missing.
        command.args([
            "--no-auto-maintenance",
            "--no-filter",
            "--",
            remote,
            &format!("+refs/heads/{branch}:{reference}"),
        ]);
        let transfer = Transfer::start(command, "git fetch", options)?;
        Ok(Fetch { transfer, remote: remote.to_owned(), reference })
    }

    /// Waits for a fetch and returns the newest commit of the branch; `None` if the remote has no such
    /// branch.
    ///
    /// # Errors
    /// [`Error::Busy`] if another process fetches into this clone; [`Error::Unreachable`],
    /// [`Error::Credentials`], and [`Error::Program`] for other failures.
    pub fn finish_fetch(&self, fetch: Fetch, options: &TransferOptions<'_>) -> Result<Option<CommitId>> {
        let ended = fetch.transfer.finish(options)?;
        if ended.status.success() {
            return self.reference(&fetch.reference);
        }
        if ended.stderr.contains("couldn't find remote ref") {
            return Ok(None);
        }
        // The first line says why, the next ones only that a reference was not updated.
        let first = ended.stderr.lines().find(|line| line.starts_with("error:") || is_local_race(line));
        if let Some(words) = first.filter(|line| is_local_race(line)) {
            return Err(Error::Busy { command: "git fetch", words: words.trim().to_owned() });
        }
        Err(failure("git fetch", &fetch.remote, &ended))
    }

    /// Asks the remote for its branches and their newest commits.
    ///
    /// # Errors
    /// The errors of [`Self::start_fetch`] and [`Self::finish_fetch`].
    pub fn branches_on(
        &self,
        remote: &str,
        options: &TransferOptions<'_>,
    ) -> Result<Vec<(String, CommitId)>> {
        let mut command = self.transfer(options)?;
        command.args(["ls-remote", "--heads", "--", remote]);
        let ended = Transfer::start(command, "git ls-remote", options)?.finish(options)?;
        if !ended.status.success() {
            return Err(failure("git ls-remote", remote, &ended));
        }
        let branch = |line: &str| {
            let (id, name) = line.split_once('\t')?;
            Some((name.strip_prefix("refs/heads/")?.to_owned(), CommitId::parse(id)?))
        };
        Ok(ended.stdout.lines().filter_map(branch).collect())
    }

    /// Starts to push a commit to a branch. Never overwrites commits of others.
    ///
    /// # Errors
    /// The errors of [`Self::start_fetch`].
    pub fn start_push(
        &self,
        remote: &str,
        branch: &str,
        commit: CommitId,
        options: &TransferOptions<'_>,
    ) -> Result<Push> {
        let mut command = self.transfer(options)?;
        command.args(["push", "--porcelain", "--progress", "--no-follow-tags", "--recurse-submodules=no"]);
        command.args(["--", remote, &format!("{commit}:refs/heads/{branch}")]);
        let transfer = Transfer::start(command, "git push", options)?;
        Ok(Push { transfer, remote: remote.to_owned(), branch: branch.to_owned(), commit })
    }

    /// Waits for a push.
    ///
    /// # Errors
    /// The errors of [`Self::finish_fetch`].
    pub fn finish_push(&self, push: Push, options: &TransferOptions<'_>) -> Result<PushResult> {
        let Push { transfer, remote, branch, commit } = push;
        let ended = transfer.finish(options)?;
        if ended.status.success() {
            self.set_reference(&format!("{FETCHED}/{remote}/{branch}"), commit)?;
            return Ok(PushResult::Done);
        }
        // A line of the porcelain format: flag, from:to and summary, separated by tabs.
        let refused = ended.stdout.lines().find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
        match refused {
            Some(why) if why.starts_with("[remote rejected]") && !is_lock_race(why) => {
                let words: Vec<&str> =
                    ended.stderr.lines().filter_map(|line| line.strip_prefix("remote:")).collect();
                let words = words.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
                let why = why.trim_start_matches("[remote rejected]").trim().trim_matches(['(', ')']);
                let all: Vec<&str> = std::iter::once(why).chain(words).collect();
                Ok(PushResult::Refused(all.join("; ")))
            }
            Some(_) => Ok(PushResult::Raced),
            None => match words_of_hook(&ended.stderr) {
                Some(words) => Ok(PushResult::Hooked(words)),
                None => Err(failure("git push", &remote, &ended)),
            },
        }
    }

    /// Returns a `git` command for a transfer in the C locale.
    ///
    /// # Errors
    /// [`Error::UntrustedProgram`] if the repository's own configuration would run a program, and the
    /// user has not trusted the vault.
    fn transfer(&self, options: &TransferOptions<'_>) -> Result<Command> {
        let mut command = self.git();
        if self.programs == Programs::Denied {
            if let Some(key) = self.program_in_config() {
                return Err(Error::UntrustedProgram { git_dir: self.git_dir().to_owned(), key });
            }
            command = self.git_without_hooks();
        }
        command.args(["-c", "http.lowSpeedLimit=1", "-c"]);
        command.arg(format!("http.lowSpeedTime={}", options.silence.as_secs().max(1)));
        command.env("LC_ALL", "C").env("LANGUAGE", "C");
        if !options.asks {
            command.env("GIT_TERMINAL_PROMPT", "0");
            let own = ["GIT_SSH_COMMAND", "GIT_SSH"].iter().any(|name| std::env::var_os(name).is_some());
            if !own && self.inner.config_snapshot().string("core.sshCommand").is_none() {
                command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes");
            }
        }
        Ok(command)
    }

    /// Returns a key of the repository's own configuration that makes Git run a program or use another
    /// address for a transfer.
    fn program_in_config(&self) -> Option<String> {
        let config = self.inner.config_snapshot();
        let own = config
            .sections()
            .filter(|section| section.meta().source.kind() == gix::config::source::Kind::Repository);
        for section in own {
            let name = section.header().name().to_string().to_ascii_lowercase();
            for key in section.value_names().map(|key| key.to_string().to_ascii_lowercase()) {
                let runs = match name.as_str() {
                    "core" => matches!(
                        key.as_str(),
                        "sshcommand"
                            | "askpass"
                            | "gitproxy"
                            | "alternaterefscommand"
                            | "hookspath"
                            | "fsmonitor"
                    ),
                    "remote" => match key.as_str() {
                        "uploadpack" | "receivepack" | "vcs" | "proxy" => true,
                        // `ext::` and other helpers run what they are given.
                        "url" | "pushurl" => section.value(key.as_str()).is_some_and(|url| {
                            url.to_string().split_once("::").is_some_and(|(kind, _)| is_word(kind))
                        }),
                        _ => false,
                    },
                    "credential" | "url" | "protocol" | "http" | "ssh" | "gpg" | "include" | "includeif" => {
                        true
                    }
                    _ => false,
                };
                if runs {
                    return Some(format!("{name}.{key}"));
                }
            }
        }
        None
    }
}

/// Waits before the next attempt after `lost` lost races; `random` spreads clients that lost the same
/// one.
pub fn wait_after_race(lost: u32, random: u64) {
    let most = 50_u64 << lost.min(6);
    std::thread::sleep(Duration::from_millis(most / 2 + random % most));
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether the remote refused because another push was under way.
fn is_lock_race(why: &str) -> bool {
    ["failed to update ref", "cannot lock ref", "fetch first", "incorrect old value"]
        .iter()
        .any(|part| why.contains(part))
}

/// Returns what a `pre-push` hook said before Git gave up; `None` if Git failed for a reason of its own.
fn words_of_hook(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (last, words) = lines.split_last()?;
    let is_git = |line: &&str| ["error:", "fatal:", "remote:"].iter().any(|start| line.starts_with(start));
    let is_hook = last.starts_with("error: failed to push some refs") && !words.iter().any(is_git);
    is_hook.then(|| if words.is_empty() { "it gave no reason".to_owned() } else { words.join("; ") })
}

/// Whether a line says that another process changed or locked a reference of this clone.
fn is_local_race(line: &str) -> bool {
    let lasts =
        ["Permission denied", "Read-only", "exists; cannot create"].iter().any(|part| line.contains(part));
    let is_lock = line.contains(".lock") && line.contains("File exists");
    let is_changed = line.contains("cannot lock ref") || line.contains("unable to update local ref");
    (is_lock || is_changed) && !lasts
}

/// Output and exit status of a finished program.
struct Ended {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// A started fetch. Dropping it ends it.
pub struct Fetch {
    transfer: Transfer,
    remote: String,
    /// Reference that records what was fetched.
    reference: String,
}

/// A started push. Dropping it ends it, before or after the remote has accepted the commit.
pub struct Push {
    transfer: Transfer,
    remote: String,
    branch: String,
    commit: CommitId,
}

/// A running `git` program that transfers objects.
struct Transfer {
    name: &'static str,
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    /// Receives a sign for each message of the program, until it closes its standard error.
    signs: Receiver<()>,
}

impl Transfer {
    fn start(mut command: Command, name: &'static str, options: &TransferOptions<'_>) -> Result<Self> {
        let stdin = if options.asks { Stdio::inherit() } else { Stdio::null() };
        let piped = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().in_path(Path::new("git"))?;
        let (sign, signs) = mpsc::channel();
        let stdout = child.stdout.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut text = String::new();
                // What is no text says nothing that is looked for.
                let _ = pipe.read_to_string(&mut text);
                text
            })
        });
        let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || listen(pipe, &sign)));
        Ok(Self { name, child, stdout, stderr, signs })
    }

    /// Waits until the program ends, or until it is cancelled or silent for too long.
    fn finish(mut self, options: &TransferOptions<'_>) -> Result<Ended> {
        let mut last = Moment::now();
        loop {
            match self.signs.recv_timeout(CANCELLATION_INTERVAL) {
                Ok(()) => last = Moment::now(),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if (options.is_cancelled)() => {
                    return Err(Error::Cancelled { command: self.name });
                }
                Err(RecvTimeoutError::Timeout) if last.elapsed() >= options.silence => {
                    return Err(Error::Silent { command: self.name, waited: options.silence });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let status = self.child.wait().in_path(Path::new("git"))?;
        let text = |thread: Option<JoinHandle<String>>| {
            thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
        };
        Ok(Ended { status, stdout: text(self.stdout.take()), stderr: text(self.stderr.take()) })
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the messages of a program and signals each of them.
fn listen(pipe: ChildStderr, sign: &Sender<()>) -> String {
    let (mut pipe, mut all) = (BufReader::new(pipe), Vec::new());
    loop {
        let mut part = Vec::new();
        // Progress is written over itself with carriage returns.
        match pipe.read_until(b'\r', &mut part) {
            Ok(0) | Err(_) => break,
            Ok(_) => all.extend_from_slice(&part),
        }
        let _ = sign.send(());
    }
    String::from_utf8_lossy(&all).replace('\r', "\n")
}

/// Converts a failed transfer to an error by what Git said in the C locale.
fn failure(command: &'static str, remote: &str, ended: &Ended) -> Error {
    const CREDENTIALS: &[&str] = &[
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "Permission denied (",
        "terminal prompts disabled",
        "error: 401",
        "error: 403",
        "Host key verification failed",
        "access denied",
    ];
    const UNREACHABLE: &[&str] = &[
        "Could not resolve host",
        "Could not resolve hostname",
        "Connection refused",
        "Connection timed out",
        "Connection reset",
        "Operation timed out",
        "Operation too slow",
        "Network is unreachable",
        "No route to host",
        "Failed to connect",
        "Couldn't connect",
        "unable to connect",
        "unable to access",
        "does not appear to be a git repository",
        "remote end hung up",
        "early EOF",
        "unexpected disconnect",
    ];
    let stderr_contains = |words: &[&str]| words.iter().any(|words| ended.stderr.contains(words));
    let lines = ended.stderr.lines().map(str::trim);
    let fatal = lines.clone().find(|line| line.starts_with("fatal:") || line.starts_with("ssh:"));
    let words = fatal.or_else(|| lines.rev().find(|line| !line.is_empty())).unwrap_or_default();
    let (remote, words) = (remote.to_owned(), words.trim_start_matches("fatal:").trim().to_owned());
    if stderr_contains(CREDENTIALS) {
        Error::Credentials { remote, words }
    } else if stderr_contains(UNREACHABLE) {
        Error::Unreachable { remote, words }
    } else {
        Error::Program { command: command.to_owned(), status: ended.status.to_string(), output: words }
    }
}
