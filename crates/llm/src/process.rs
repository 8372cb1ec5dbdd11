//! Runs a program with text input and output, with a timeout, an output limit, and termination of
//! its child processes.
//!
//! No shell is involved, and the environment contains only the given variables.
#![allow(
    clippy::disallowed_methods,
    reason = "a program that answers for a model is started here, and its time is kept"
)]

use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::error::{LlmError, MAX_QUOTED_CHARS, Result};
use cm_net::RetrySleeper;
use cm_text::shorten::one_line;

/// How often to check whether the program has exited.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long to wait for the program to exit after SIGTERM, and for its last output.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// Number of bytes at the end of the error output that are kept.
const MAX_STDERR_BYTES: usize = 4 << 10;

/// A program to run, with its environment and limits.
#[derive(Debug)]
pub struct ExternalProgram<'a> {
    /// Program name or absolute path, followed by the arguments.
    pub argv: &'a [String],
    /// All environment variables of the program; nothing is inherited.
    pub environment: &'a BTreeMap<String, String>,
    pub folder: &'a Path,
    /// Maximum running time; the program is then terminated.
    pub timeout: Duration,
    /// Maximum size of the output in bytes; a program that writes more is terminated.
    pub max_output_bytes: usize,
    /// Whether the program may prompt the user in the terminal. It then stays in cm's process
    /// group, and its child processes are not terminated with it.
    pub is_interactive: bool,
}

/// Output of a running program that has been read so far.
#[derive(Default)]
struct ProcessOutput {
    stdout: Vec<u8>,
    stdout_ended: bool,
    stderr: Option<Vec<u8>>,
}

enum OutputEvent {
    Output(Vec<u8>),
    OutputEnd,
    TooMuch,
    ErrorOutput(Vec<u8>),
}

/// Why a program was terminated before it exited.
enum TerminationReason {
    TimedOut,
    TooMuch,
    CalledOff,
}

impl ExternalProgram<'_> {
    fn name(&self) -> String {
        self.argv.first().cloned().unwrap_or_default()
    }

    /// Runs the program and returns its output.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started, fails, times out or writes too much, or
    /// if the work was cancelled.
    pub fn run(&self, input: &str, retry_sleeper: &RetrySleeper) -> Result<String> {
        if retry_sleeper.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        let mut child = self.start()?;
        let events = self.spawn_io_threads(&mut child, input);
        let mut collected = ProcessOutput::default();
        let mut cut = self.wait(&mut child, &events, &mut collected, retry_sleeper);
        if cut.is_none() && collected.drain(&events) {
            cut = Some(TerminationReason::TooMuch);
        }
        // What it left running may hold its output open, and is ended with it.
        let status = if self.is_interactive { end_alone(&mut child) } else { end(&mut child, cut.is_some()) };
        collected.drain(&events);
        match cut {
            Some(TerminationReason::CalledOff) => return Err(LlmError::Cancelled),
            Some(TerminationReason::TimedOut) => {
                return Err(LlmError::TimedOut { who: format!("`{}`", self.name()), after: self.timeout });
            }
            Some(TerminationReason::TooMuch) => {
                return Err(LlmError::OutputTooLarge {
                    program: self.name(),
                    most: self.max_output_bytes >> 10,
                });
            }
            None => {}
        }
        if !status.is_some_and(|status| status.success()) {
            let complaints = collected.stderr.unwrap_or_default();
            return Err(self.failed(status, &complaints, &collected.stdout));
        }
        Ok(String::from_utf8_lossy(&collected.stdout).into_owned())
    }

    fn start(&self) -> Result<Child> {
        let (program, arguments) = self.argv.split_first().ok_or_else(|| LlmError::Setting {
            setting: "llm.command",
            why: "does not name a program".to_owned(),
        })?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.environment).current_dir(self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        if !self.is_interactive {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        command.spawn().map_err(|source| LlmError::NotStarted { program: self.name(), source })
    }

    /// Starts threads that write the input and read both outputs, so that no full pipe blocks
    /// another.
    fn spawn_io_threads(&self, child: &mut Child, input: &str) -> Receiver<OutputEvent> {
        let (sender, events) = channel();
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_owned();
            // A program need not read what it is given.
            thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        }
        if let Some(mut stdout) = child.stdout.take() {
            let (sender, largest) = (sender.clone(), self.max_output_bytes);
            thread::spawn(move || {
                let mut all = 0;
                let mut part = vec![0; 64 << 10];
                loop {
                    let read = match stdout.read(&mut part) {
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                        Ok(0) | Err(_) => break,
                        Ok(read) => read,
                    };
                    all += read;
                    let event = if all > largest {
                        OutputEvent::TooMuch
                    } else {
                        OutputEvent::Output(part[..read].to_vec())
                    };
                    if sender.send(event).is_err() || all > largest {
                        return;
                    }
                }
                drop(sender.send(OutputEvent::OutputEnd));
            });
        }
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || drop(sender.send(OutputEvent::ErrorOutput(end_of(stderr)))));
        }
        events
    }

    /// Waits until the program exits or must be terminated; returns the reason for termination.
    fn wait(
        &self,
        child: &mut Child,
        events: &Receiver<OutputEvent>,
        collected: &mut ProcessOutput,
        retry_sleeper: &RetrySleeper,
    ) -> Option<TerminationReason> {
        let begun = Instant::now();
        loop {
            match events.recv_timeout(POLL_INTERVAL) {
                Ok(event) => {
                    if collected.store(event) {
                        return Some(TerminationReason::TooMuch);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Its output has ended and it has not; a loop without waiting would only burn time.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(POLL_INTERVAL),
            }
            if has_ended(child) {
                return None;
            }
            if retry_sleeper.is_cancelled() {
                return Some(TerminationReason::CalledOff);
            }
            if begun.elapsed() >= self.timeout {
                return Some(TerminationReason::TimedOut);
            }
        }
    }

    fn failed(&self, status: Option<ExitStatus>, complaints: &[u8], printed: &[u8]) -> LlmError {
        let text = if complaints.trim_ascii().is_empty() { printed } else { complaints };
        let text = one_line(&String::from_utf8_lossy(text));
        let from = text.char_indices().rev().nth(MAX_QUOTED_CHARS - 2).map_or(0, |(at, _)| at);
        let message = if from > 0 { format!("…{}", &text[from..]) } else { text };
        let status = status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
        LlmError::Failed { program: self.name(), status, message }
    }
}

impl ProcessOutput {
    /// Reads the remaining output with a short timeout; returns true if it exceeds the limit.
    fn drain(&mut self, events: &Receiver<OutputEvent>) -> bool {
        while !self.stdout_ended || self.stderr.is_none() {
            match events.recv_timeout(EXIT_GRACE) {
                Ok(event) => {
                    if self.store(event) {
                        return true;
                    }
                }
                Err(_) => break,
            }
        }
        false
    }

    /// Stores a piece of output; returns true if the output exceeds the limit.
    fn store(&mut self, event: OutputEvent) -> bool {
        match event {
            OutputEvent::Output(part) => self.stdout.extend_from_slice(&part),
            OutputEvent::OutputEnd => self.stdout_ended = true,
            OutputEvent::ErrorOutput(complaints) => self.stderr = Some(complaints),
            OutputEvent::TooMuch => {
                self.stdout_ended = true;
                return true;
            }
        }
        false
    }
}

/// Reads a stream to its end, and returns its last [`MAX_STDERR_BYTES`] bytes.
fn end_of(mut stream: impl Read) -> Vec<u8> {
    let mut last_bytes = Vec::new();
    let mut part = vec![0; 16 << 10];
    while let Ok(read @ 1..) = stream.read(&mut part) {
        last_bytes.extend_from_slice(&part[..read]);
        if last_bytes.len() > MAX_STDERR_BYTES {
            last_bytes.drain(..last_bytes.len() - MAX_STDERR_BYTES);
        }
    }
    last_bytes
}

/// Returns whether the program has exited. It is not reaped yet, so that its process group id
/// cannot be reused.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Terminates the program's process group, first with SIGTERM if the program still runs (`runs`),
/// and reaps the program.
#[cfg(unix)]
fn end(child: &mut Child, runs: bool) -> Option<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = Pid::from_child(child);
    if runs {
        // It may be gone already, which is what is wanted.
        let _ = kill_process_group(group, Signal::TERM);
        let begun = Instant::now();
        while !has_ended(child) && begun.elapsed() < EXIT_GRACE {
            thread::sleep(POLL_INTERVAL);
        }
    }
    let _ = kill_process_group(group, Signal::KILL);
    end_alone(child)
}

#[cfg(not(unix))]
fn end(child: &mut Child, _runs: bool) -> Option<ExitStatus> {
    end_alone(child)
}

/// Kills only the program itself, not its process group, if it still runs, and reaps it.
fn end_alone(child: &mut Child) -> Option<ExitStatus> {
    // One that has ended keeps the status that it ended with.
    let _ = child.kill();
    child.wait().ok()
}
