//! Text output of `cm hooks`.

use super::style::{BAD, DIM, GOOD, STRONG, WARN, one_line, paint, safe};
use cm_app::verbs::hooks::{AgentState, FileAction, HookChanges, HookScope, HookState, HooksStatus};

/// Coloured diffs of the settings files.
pub fn diffs(changes: &HookChanges) -> String {
    let mut shown = String::new();
    for line in changes.files.iter().flat_map(|file| file.diff.lines()) {
        let style = match line.chars().next() {
            Some('+') => GOOD,
            Some('-') => BAD,
            Some('@') => DIM,
            Some(' ') | None => {
                shown.push_str(&format!("{}\n", safe(line)));
                continue;
            }
            Some(_) => STRONG,
        };
        shown.push_str(&format!("{}\n", paint(style, &safe(line))));
    }
    shown
}

/// The change to each file, done or planned.
pub fn changes(changes: &HookChanges) -> String {
    if changes.files.is_empty() {
        return format!("no hooks of cm in {}\n", safe(&changes.folder));
    }
    let mut lines = String::new();
    for file in &changes.files {
        let did = match (file.action, changes.dry_run) {
            (FileAction::Keep, _) => "unchanged",
            (FileAction::Make, true) => "would create",
            (FileAction::Make, false) => "made",
            (FileAction::Change, true) => "would change",
            (FileAction::Change, false) => "changed",
            (FileAction::Remove, true) => "would remove",
            (FileAction::Remove, false) => "removed",
        };
        lines.push_str(&format!("{did} {}\n", paint(STRONG, &safe(&file.path))));
    }
    lines
}

/// One line for each agent, then recent failures.
pub fn status(status: &HooksStatus) -> String {
    let mut lines: String = status.agents.iter().map(state).collect();
    if status.agents.is_empty() {
        lines
            .push_str("no agent settings found here or in your home directory; `cm hooks install claude` creates them\n");
    }
    if !status.purposes.is_empty() {
        lines.push_str(&format!("\n{}\n", paint(STRONG, "What the hooks do")));
        for it in &status.purposes {
            lines.push_str(&format!("{}  {}\n", paint(DIM, &format!("{:<13}", it.event)), it.purpose));
        }
        lines.push_str("Hooks work on this machine. Text leaves it only through a provider that you set: `cm privacy` shows it.\n");
    }
    if !status.failures.is_empty() {
        lines.push_str(&format!("\n{}\n", paint(STRONG, "Latest errors")));
    }
    for failure in &status.failures {
        let place = format!("{}  {} {}", failure.at, failure.agent, failure.event);
        lines.push_str(&format!("{}  {}\n", paint(DIM, &safe(&place)), one_line(&failure.message)));
    }
    lines
}

fn state(state: &AgentState) -> String {
    let word = match (&state.problem, state.state) {
        (Some(problem), _) => paint(BAD, &safe(problem)),
        (None, HookState::Absent) => paint(DIM, "no hooks"),
        (None, HookState::Outdated) => paint(WARN, "outdated hooks; `cm hooks install` updates them"),
        (None, HookState::Current) => paint(GOOD, &state.events.join(" ")),
    };
    let skills = if state.skills == 0 { String::new() } else { format!(", {} skills", state.skills) };
    let server = if state.mcp == Some(true) { ", MCP server" } else { "" };
    let plugin = state.plugin.as_ref().map_or_else(String::new, |path| {
        let note = format!("also a plugin, by {}; each event is answered once", safe(path));
        format!("{:18} {}\n", "", paint(DIM, &note))
    });
    let reach = if state.reach == HookScope::Project { "project" } else { "user" };
    format!(
        "{:<9} {reach:<8} {word}{skills}{server}\n{:18} {}\n{plugin}",
        state.agent,
        "",
        paint(DIM, &safe(&state.path))
    )
}
