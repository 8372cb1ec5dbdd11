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

use super::error::{Error, Result, SHOWN};
use cm_net::{Pace, shortened};

/// Interval of checks whether the program has exited.
const STEP: Duration = Duration::from_millis(20);
/// Time limit for a program to exit after SIGTERM, and for its last output to arrive.
const GRACE: Duration = Duration::from_secs(1);
/// Maximum size of the stored end of the error output, in bytes.
const KEPT: usize = 4 << 10;

/// A program to run.
#[derive(Debug)]
pub struct Program<'a> {
    /// Program name or absolute path, followed by the arguments.
    pub argv: &'a [String],
    /// Complete environment.
    pub environment: &'a BTreeMap<String, String>,
    pub folder: &'a Path,
    /// Maximum running time.
    pub timeout: Duration,
    /// Maximum output size in bytes.
    pub largest: usize,
    /// Whether the program may prompt the user in the terminal. It then stays in cm's process
    /// group, and its child processes are not terminated with it.
    pub may_ask: bool,
}

/// Output collected so far.
#[derive(Default)]
struct Heard {
    said: Vec<u8>,
    is_all: bool,
    complaints: Option<Vec<u8>>,
}

enum Event {
    Said(Vec<u8>),
    SaidAll,
    TooMuch,
    Complained(Vec<u8>),
}

/// Why the program was terminated early.
enum Cut {
    TimedOut,
    TooMuch,
    CalledOff,
}

impl Program<'_> {
    fn name(&self) -> String {
        self.argv.first().cloned().unwrap_or_default()
    }

    /// Runs the program and returns its output.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started, fails, times out or writes too much, or
    /// if the work was cancelled.
    pub fn run(&self, input: &str, pace: &Pace) -> Result<String> {
        if pace.is_called_off() {
            return Err(Error::CalledOff);
        }
        let mut child = self.start()?;
        let events = self.listen(&mut child, input);
        let mut heard = Heard::default();
        let mut cut = self.wait(&mut child, &events, &mut heard, pace);
        if cut.is_none() && heard.rest(&events) {
            cut = Some(Cut::TooMuch);
        }
        // What it left running may hold its output open, and is ended with it.
        let status = if self.may_ask { end_alone(&mut child) } else { end(&mut child, cut.is_some()) };
        heard.rest(&events);
        match cut {
            Some(Cut::CalledOff) => return Err(Error::CalledOff),
            Some(Cut::TimedOut) => {
                return Err(Error::TimedOut { who: format!("`{}`", self.name()), after: self.timeout });
            }
            Some(Cut::TooMuch) => {
                return Err(Error::TooMuch { program: self.name(), most: self.largest >> 10 });
            }
            None => {}
        }
        if !status.is_some_and(|status| status.success()) {
            let complaints = heard.complaints.unwrap_or_default();
            return Err(self.failed(status, &complaints, &heard.said));
        }
        Ok(String::from_utf8_lossy(&heard.said).into_owned())
    }

    fn start(&self) -> Result<Child> {
        let (program, arguments) = self
            .argv
            .split_first()
            .ok_or_else(|| Error::Setting { setting: "llm.command", why: "names no program".to_owned() })?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.environment).current_dir(self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        if !self.may_ask {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        command.spawn().map_err(|source| Error::NotStarted { program: self.name(), source })
    }

    /// Starts threads that write the input and read both outputs, so that no full pipe blocks
    /// another.
    fn listen(&self, child: &mut Child, input: &str) -> Receiver<Event> {
        let (sender, events) = channel();
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_owned();
            // A program need not read what it is given.
            thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        }
        if let Some(mut stdout) = child.stdout.take() {
            let (sender, largest) = (sender.clone(), self.largest);
            thread::spawn(move || {
                let mut all = 0;
                let mut part = vec![0; 64 << 10];
                while let Ok(read @ 1..) = stdout.read(&mut part) {
                    all += read;
                    let event =
                        if all > largest { Event::TooMuch } else { Event::Said(part[..read].to_vec()) };
                    if sender.send(event).is_err() || all > largest {
                        return;
                    }
                }
                drop(sender.send(Event::SaidAll));
            });
        }
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || drop(sender.send(Event::Complained(end_of(stderr)))));
        }
        events
    }

    /// Waits until the program exits or must be terminated; returns the reason for termination.
    fn wait(
        &self,
        child: &mut Child,
        events: &Receiver<Event>,
        heard: &mut Heard,
        pace: &Pace,
    ) -> Option<Cut> {
        let begun = Instant::now();
        loop {
            match events.recv_timeout(STEP) {
                Ok(event) => {
                    if heard.take(event) {
                        return Some(Cut::TooMuch);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Its output has ended and it has not; a loop without waiting would only burn time.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(STEP),
            }
            if has_ended(child) {
                return None;
            }
            if pace.is_called_off() {
                return Some(Cut::CalledOff);
            }
            if begun.elapsed() >= self.timeout {
                return Some(Cut::TimedOut);
            }
        }
    }

    fn failed(&self, status: Option<ExitStatus>, complaints: &[u8], said: &[u8]) -> Error {
        let text = if complaints.trim_ascii().is_empty() { said } else { complaints };
        let text = shortened(&String::from_utf8_lossy(text), usize::MAX);
        let from = text.char_indices().rev().nth(SHOWN - 2).map_or(0, |(at, _)| at);
        let message = if from > 0 { format!("…{}", &text[from..]) } else { text };
        let status = status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
        Error::Failed { program: self.name(), status, message }
    }
}

impl Heard {
    /// Reads the remaining output with a short timeout; returns true if it exceeds the limit.
    fn rest(&mut self, events: &Receiver<Event>) -> bool {
        while !self.is_all || self.complaints.is_none() {
            match events.recv_timeout(GRACE) {
                Ok(event) => {
                    if self.take(event) {
                        return true;
                    }
                }
                Err(_) => break,
            }
        }
        false
    }

    /// Stores a piece of output; returns true if the output exceeds the limit.
    fn take(&mut self, event: Event) -> bool {
        match event {
            Event::Said(part) => self.said.extend_from_slice(&part),
            Event::SaidAll => self.is_all = true,
            Event::Complained(complaints) => self.complaints = Some(complaints),
            Event::TooMuch => {
                self.is_all = true;
                return true;
            }
        }
        false
    }
}

/// Reads a stream to its end and returns the last part.
fn end_of(mut stream: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut part = vec![0; 16 << 10];
    while let Ok(read @ 1..) = stream.read(&mut part) {
        kept.extend_from_slice(&part[..read]);
        if kept.len() > KEPT {
            kept.drain(..kept.len() - KEPT);
        }
    }
    kept
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

/// Terminates the program's process group, with SIGTERM first if it still runs, and reaps the
/// program.
#[cfg(unix)]
fn end(child: &mut Child, runs: bool) -> Option<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = Pid::from_child(child);
    if runs {
        // It may be gone already, which is what is wanted.
        let _ = kill_process_group(group, Signal::TERM);
        let begun = Instant::now();
        while !has_ended(child) && begun.elapsed() < GRACE {
            thread::sleep(STEP);
        }
    }
    let _ = kill_process_group(group, Signal::KILL);
    end_alone(child)
}

#[cfg(not(unix))]
fn end(child: &mut Child, _runs: bool) -> Option<ExitStatus> {
    end_alone(child)
}

/// Kills the program itself, if it still runs, and reaps it.
fn end_alone(child: &mut Child) -> Option<ExitStatus> {
    // One that has ended keeps the status that it ended with.
    let _ = child.kill();
    child.wait().ok()
}
