//! The command line: parses arguments, calls an operation, prints the result. One file per command, no product logic.
#![allow(
    clippy::disallowed_methods,
    reason = "only this layer uses the environment, the clock and other programs"
)]

mod ancestors;
pub mod answer;
mod ask;
pub mod commands;
mod complete;
mod interrupt;
mod pick;
mod progress;
pub mod request;
mod request_factory;
mod stdin;
mod terminal;
pub mod usage_error;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use answer::{Output, Printed};
use cm_app::verbs::hooks::used_server;
use cm_app::{Error, Request};
use cm_render::status;
use commands::Command;

/// Shared memory for coding agents and people: Markdown in Git, searchable, scored, undoable.
#[derive(Debug, Parser)]
#[command(
    name = "cm",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "New to cm? Run `cm quickstart` for a tour on an example vault.\n\
        cm uses the nearest cm.toml or .memory/ at or above the working directory. `cm init` creates a vault."
)]
pub struct Cli {
    #[command(flatten)]
    globals: request::Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Runs the program with these arguments, the first being its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let begun = std::time::Instant::now();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    terminal::Color::of(&arguments).apply();
    let invocation = Invocation::of(&arguments);
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => match invocation {
            Invocation::Guard if error.use_stderr() => {
                let _ = error.print();
                return ExitCode::SUCCESS;
            }
            Invocation::Hook if error.use_stderr() => {
                return commands::hook::answer_nothing(&arguments, &Output::new(false, true, false));
            }
            _ => return usage_error::report_parser_result(error, &arguments),
        },
    };
    let output = Output::new(cli.globals.json, cli.globals.quiet, cli.globals.verbose)
        .with_pager(!cli.globals.no_pager);
    let answer = cli.globals.request(&arguments).and_then(|request| match cli.command {
        Some(command) => {
            let of_server = request.clone();
            command.run(request, &output).map_err(|error| without_vault(error, &of_server))
        }
        None => commands::help::start(request, &output),
    });
    output.took(begun);
    match answer {
        Ok(Printed::Success) => ExitCode::SUCCESS,
        Ok(Printed::Failed) => ExitCode::from(1),
        Ok(Printed::Kind(kind)) => ExitCode::from(status::exit(kind)),
        Err(_) if invocation == Invocation::Hook => commands::hook::answer_nothing(&arguments, &output),
        Err(error) => {
            let error = usage_error::with_help_hint(error, &arguments);
            output.error(&error);
            match invocation {
                Invocation::Guard => ExitCode::SUCCESS,
                _ => ExitCode::from(status::exit(error.kind)),
            }
        }
    }
}

/// Replaces the hint to create a vault where the memory of the folder is on a server.
fn without_vault(error: Error, request: &Request) -> Error {
    if error.code != "no-vault" {
        return error;
    }
    match used_server(request) {
        Ok(Some(server)) => error.hint(format!(
            "the memory of this folder is on {}, which agents use through their hooks; a vault created here would be another one. `cm hooks status` and `cm doctor` show the connection",
            server.url
        )),
        _ => error,
    }
}

/// Who runs the program, which decides about errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Invocation {
    /// A person or a script, which gets the error and its exit code.
    Person,
    /// An agent that runs `cm hook`; it gets an empty answer.
    Hook,
    /// An agent that runs `cm guard` as a hook; it gets the error, and exit code 0, because agents treat some others as a
    /// refusal.
    Guard,
}

impl Invocation {
    fn of(arguments: &[OsString]) -> Self {
        match request::command_name(arguments) {
            Some(name) if name == "hook" => Self::Hook,
            Some(name) if name == "guard" && commands::guard::is_hook(arguments) => Self::Guard,
            _ => Self::Person,
        }
    }
}
