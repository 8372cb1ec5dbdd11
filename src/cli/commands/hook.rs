//! `cm hook`

use std::ffi::OsString;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use clap::Args;

use crate::cli::answer::{Output, Printed};
use crate::cli::stdin;
use cm_app::verbs::hook::{self, BackgroundTask};
use cm_app::{Request, Result};

/// Answer an agent's hook (`cm hooks install` configures it)
///
/// Reads the agent's message from standard input and answers in the agent's format. The answer adds memories when a session
/// starts, a prompt is sent or a tool fails, and the guard's decision before a command runs. Each rule is shown once per
/// session. When a conversation is compacted or ends, new log entries are read in the background (`cm hook read`). The exit
/// code is always 0. Errors go to `_state/hooks.log`, or to your private files where hooks call a team server; `cm hooks status`
/// shows them.
#[derive(Debug, Args)]
#[command(
    after_help = "Events: session-start, prompt, pre-tool, post-tool, tool-failure, pre-compact, stop, session-end\n\nExamples:\n  echo '{\"session_id\": \"s\", \"prompt\": \"fix the flaky retry test\"}' | cm hook claude prompt\n  cm hook read"
)]
pub struct Arguments {
    /// Agent and event, unless the message on standard input contains them; or `read`
    #[arg(value_name = "[AGENT] EVENT")]
    words: Vec<String>,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    // Errors are logged and never reach the agent.
    std::panic::set_hook(Box::new(|_| {}));
    let vault = request.vault.clone().map(|vault| request.cwd.join(vault));
    let (of_broken, by_words) = (request.clone(), words.clone());
    let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        if let Some(task) = BackgroundTask::parse(&words, stdin::hook_message) {
            run_task(request, task);
            return None;
        }
        Some(hook::handle_event(request, &stdin::hook_message(), &words))
    }));
    let Ok(answered) = answered else {
        hook::log_failure(&of_broken, &by_words, "the hook panicked");
        return output.plain(hook::nothing_for(&by_words));
    };
    let Some(response) = answered else { return output.plain("") };
    let printed = output.plain(&response.stdout);
    for task in &response.later {
        let mut command = detached(task);
        command.current_dir(&response.folder);
        command.args(vault.iter().flat_map(|vault| ["--vault".as_ref(), vault.as_os_str()]));
        if let Err(error) = start(&mut command, task) {
            hook::log_failure(
                &of_broken,
                &by_words,
                &format!("cannot start the background process: {error}"),
            );
        }
    }
    printed
}

/// Runs a task in this process, which an earlier hook started for it.
fn run_task(request: Request, task: BackgroundTask) {
    match task {
        BackgroundTask::Read => hook::read(request),
        BackgroundTask::ReadWithAgent { agent, session } => hook::read_with_agent(request, agent, &session),
        BackgroundTask::Sync => hook::sync(request),
        BackgroundTask::Deliver(input) => hook::deliver(&request, &input),
        BackgroundTask::JudgePrompt(input) => hook::judge_prompt(request, &input),
        // The process of this task runs `cm reflect`.
        BackgroundTask::Reflect => {}
    }
}

/// The command for a background process of this program, in its own process group and without standard streams.
fn detached(task: &BackgroundTask) -> Command {
    let program = std::env::current_exe().unwrap_or_else(|_| "cm".into());
    let mut command = Command::new(program);
    command.args(task.arguments());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    {
        /// No console (`DETACHED_PROCESS`), own group (`CREATE_NEW_PROCESS_GROUP`).
        const APART: u32 = 0x0000_0008 | 0x0000_0200;
        std::os::windows::process::CommandExt::creation_flags(&mut command, APART);
    }
    command
}

/// Starts a background process, and gives it its input.
fn start(command: &mut Command, task: &BackgroundTask) -> std::io::Result<()> {
    let Some(input) = task.input() else { return command.spawn().map(drop) };
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input.as_bytes()))
}

/// Answers a hook that failed: an empty answer and exit code 0.
pub fn answer_nothing(arguments: &[OsString], output: &Output) -> ExitCode {
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // A closed pipe needs no answer.
    let _ = output.plain(hook::nothing_for(&words.iter().map(String::as_str).collect::<Vec<_>>()));
    ExitCode::SUCCESS
}
