//! `cm help`, and `cm` without a command.

use std::path::Path;

use clap::{Args, Command, CommandFactory as _};
use serde_json::json;

use super::GROUPS;
use crate::cli::Cli;
use crate::cli::answer::{Output, Printed};
use crate::cli::usage_error::similar_command;
use cm_app::context::open::Context;
use cm_app::verbs::hooks::used_server;
use cm_app::{Error, ErrorKind, Request, Result};
use cm_render::json;
use cm_render::text::home::{self, CommandGroup, NextStep};

/// Show the commands, or the arguments of one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cm help\n  cm help --all\n  cm help search\n  cm help playbook add")]
pub struct Arguments {
    /// Command, such as `search` or `playbook add`
    command: Vec<String>,
    /// List all commands
    #[arg(long, conflicts_with = "command")]
    all: bool,
}

const ALL: &str = "`cm help --all` lists the commands";

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    if arguments.command.is_empty() {
        return if arguments.all { all(output) } else { start(request, output) };
    }
    let mut command = Cli::command();
    command.build();
    let mut found = &mut command;
    for name in &arguments.command {
        found = found.find_subcommand_mut(name).ok_or_else(|| {
            Error::usage(format!("there is no command `{}`", arguments.command.join(" ")))
                .hint(similar_command(&arguments.command).unwrap_or(ALL.to_owned()))
        })?;
    }
    let help = found.render_long_help();
    match output.json {
        true => output.plain(&json::document(&json!({ "help": help.to_string() }))),
        false => output.plain(&help.ansi().to_string()),
    }
}

/// Prints all commands in groups.
fn all(output: &Output) -> Result<Printed> {
    if !output.json {
        return output.fitted(&home::all(&groups()));
    }
    let listed = |(name, about): &(String, String)| json!({ "name": name, "about": about });
    let group = |group: &CommandGroup| {
        let commands: Vec<_> = group.commands.iter().map(listed).collect();
        json!({ "heading": group.heading, "commands": commands })
    };
    let groups: Vec<_> = groups().iter().map(group).collect();
    output.plain(&json::document(&json!({ "groups": groups })))
}

/// Prints the page of `cm` without a command: what it can do, and the next step in this folder. As JSON it
/// is the list of all commands.
pub fn start(request: Request, output: &Output) -> Result<Printed> {
    if output.json {
        return all(output);
    }
    let next = next_step(request);
    output.fitted(&home::start(&next))
}

/// All commands with their first line of help, in groups.
pub fn groups() -> Vec<CommandGroup> {
    let command = Cli::command();
    let entry = |module: &&str| {
        let name = module.replace('_', "-");
        let found: Option<&Command> = command.find_subcommand(&name).filter(|found| !found.is_hide_set());
        found.map(|found| (name, found.get_about().map(ToString::to_string).unwrap_or_default()))
    };
    let group = |(heading, modules): &(&'static str, &[&str])| CommandGroup {
        heading,
        commands: modules.iter().filter_map(entry).collect(),
    };
    GROUPS.iter().map(group).collect()
}

/// Returns the step that a person in the working directory of the request most likely wants next.
fn next_step(request: Request) -> NextStep {
    let cwd = request.cwd.clone();
    let server = used_server(&request).ok().flatten();
    match Context::open(request) {
        Ok(context) => {
            let notes = context
                .notes()
                .map_or(0, |vaults| vaults.iter().map(|vault_notes| vault_notes.notes().count()).sum());
            let vault = context.target().vault.root().display().to_string();
            if notes == 0 { NextStep::FirstNote { vault } } else { NextStep::Search { vault, notes } }
        }
        Err(error) if error.kind == ErrorKind::NoVault => match notes_in(&cwd) {
            _ if let Some(server) = server => NextStep::Server { url: server.url },
            true => NextStep::Adopt { is_obsidian: cwd.join(".obsidian").is_dir() },
            false => NextStep::Begin,
        },
        Err(error) => NextStep::Repair { problem: error.message },
    }
}

/// Whether a folder is an Obsidian vault or directly contains Markdown notes other than a README.
fn notes_in(folder: &Path) -> bool {
    let is_note = |name: &str| name.ends_with(".md") && !name.eq_ignore_ascii_case("readme.md");
    folder.join(".obsidian").is_dir()
        || std::fs::read_dir(folder).is_ok_and(|entries| {
            entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_note)).count() > 2
        })
}
