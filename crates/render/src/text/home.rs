//! Text output of `cm` without a command, and the list of commands.

use super::style::{DIM, GOOD, STRONG, count, paint, safe};
use crate::layout::PROSE;

/// Commands under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandGroup {
    pub heading: &'static str,
    /// Names with the first line of their help.
    pub commands: Vec<(String, String)>,
}

/// What a person in a folder most likely wants to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextStep {
    /// There is no vault and no notes.
    Begin,
    /// There is no vault here: the memory of this folder is on a server, which the hooks call.
    Server { url: String },
    /// The folder has notes but is no vault.
    Adopt { is_obsidian: bool },
    /// The vault is empty.
    FirstNote { vault: String },
    /// The vault has notes.
    Search { vault: String, notes: usize },
    /// The vault cannot be opened.
    Repair { problem: String },
}

/// Four groups of frequent commands, and the next step.
pub fn start(next: &NextStep) -> String {
    let mut lines =
        format!("{} — what you and your agents learned, as Markdown notes in Git\n", paint(STRONG, "cm"));
    let groups: [(&str, &[(&str, &str)]); 4] = [
        (
            "Start",
            &[
                ("cm setup", "choose the memory's folder and connect your agents"),
                ("cm quickstart", "see a tour on an example vault"),
            ],
        ),
        (
            "Find",
            &[
                ("cm search retry timeout", "search notes by words and meaning"),
                ("cm context \"fix the upload\"", "rules, pitfalls and memories for a task"),
                ("cm ls --type decision", "list notes"),
            ],
        ),
        (
            "Teach",
            &[
                ("cm add \"Use jitter for retries\"", "write down a thought"),
                ("cm reflect", "learn from your agents' sessions"),
                ("cm review", "decide on what was learned"),
            ],
        ),
        (
            "Connect",
            &[
                ("cm hooks install", "give your agents this memory"),
                ("cm serve", "share it over MCP and HTTP"),
            ],
        ),
    ];
    for (heading, commands) in groups {
        lines.push_str(&format!("\n{}\n", paint(STRONG, heading)));
        for (command, what) in commands {
            lines.push_str(&format!("  {}{PROSE}{}\n", command, paint(DIM, what)));
        }
    }
    lines.push_str(&format!("\n{}\n", next_step(next)));
    lines.push_str(&paint(
        DIM,
        "All commands: `cm help --all`. Arguments and examples of one: `cm help search`.",
    ));
    lines.push('\n');
    lines
}

fn next_step(next: &NextStep) -> String {
    let to = |command: &str, why: &str| format!("{} {} {why}", paint(GOOD, "next:"), paint(STRONG, command));
    match next {
        NextStep::Begin => to("cm setup", "chooses a folder for the memory; there is none here yet."),
        NextStep::Server { url } => to(
            "cm hooks status",
            &format!(
                "shows the connection to {}, which has the memory of this folder. Agents use it; other commands need a vault.",
                safe(url)
            ),
        ),
        NextStep::Adopt { is_obsidian: true } => to(
            "cm init",
            "makes this Obsidian vault searchable. It adds files of its own and changes no note.",
        ),
        NextStep::Adopt { is_obsidian: false } => {
            to("cm init", "makes these notes searchable. It adds files of its own and changes no note.")
        }
        NextStep::FirstNote { vault } => {
            to("cm add \"a thought\"", &format!("writes the first note into {}.", safe(vault)))
        }
        NextStep::Search { vault, notes } => {
            to("cm search WORDS", &format!("searches {} in {}.", count(*notes, "note"), safe(vault)))
        }
        NextStep::Repair { problem } => to("cm doctor", &format!("explains: {}.", safe(problem))),
    }
}

/// All commands in groups.
pub fn all(groups: &[CommandGroup]) -> String {
    let mut lines = format!("{}\n", paint(STRONG, "Usage: cm [OPTIONS] COMMAND"));
    for CommandGroup { heading, commands } in groups {
        lines.push_str(&format!("\n{}\n", paint(STRONG, heading)));
        for (name, about) in commands {
            lines.push_str(&format!("  {name}{PROSE}{about}\n"));
        }
    }
    lines.push_str(&format!(
        "\n{}\n",
        paint(
            DIM,
            "Arguments and examples of a command: `cm help COMMAND`. Options of every command: `cm --help`."
        )
    ));
    lines
}
