//! Text output of `cm setup`.

use super::hooks::changes;
use super::style::{DIM, STRONG, count, paint, safe};
use crate::layout::PROSE;
use cm_app::verbs::hooks::HookChanges;
use cm_app::verbs::setup::{Plan, SetUp};

/// What the plan would change.
pub fn planned(plan: &Plan, agents: Option<&HookChanges>) -> String {
    let mut lines = part("Memory", &place(&plan.place.path, plan.place.global));
    lines.push_str(&agents.map(agent_lines).unwrap_or_else(|| part("Agents", "none")));
    let sessions = match plan.days {
        Some(days) => format!("learn from those of the last {days} days"),
        None => "not read".to_owned(),
    };
    lines + &part("Sessions", &sessions)
}

/// What was set up and learned, and the next commands.
pub fn done(done: &SetUp) -> String {
    let notes = count(done.notes, "note");
    let mut memory = format!("{}, {notes}", place(&done.place.path, done.place.global));
    if let Some(created) = done.created.as_ref().filter(|created| !created.created.is_empty()) {
        memory.push_str(&format!("; created {}", safe(&created.created.join(", "))));
    }
    let mut lines = part("Memory", &memory);
    if let Some(edits) = &done.committed {
        lines.push_str(&part("", &format!("{} committed as they were", count(edits.files.len(), "file"))));
        for stopped in &edits.stopped {
            let problem = format!("not committed, because it seems to hold a secret: {}", stopped.path);
            lines.push_str(&part("", &safe(&problem)));
        }
    }
    lines.push_str(&done.agents.as_ref().map(agent_lines).unwrap_or_default());
    let mut drafts = 0;
    if let Some(learned) = &done.learned {
        let run = &learned.run;
        let all = learned.worked.iter().flat_map(|session_result| &session_result.learned);
        drafts = all.filter(|change| change.draft).count();
        let sessions = match run.sessions {
            0 if learned.before == 0 => "none found".to_owned(),
            0 => "nothing new".to_owned(),
            _ => format!(
                "{} read: {} learned, {drafts} to review",
                count(run.sessions, "session"),
                count(run.applied, "thing"),
            ),
        };
        lines.push_str(&part("Sessions", &sessions));
    }
    let core = &done.core;
    let about = format!("{}, about {} tokens", count(core.entries, "entry"), core.tokens);
    lines.push_str(&part("CORE.md", &about));
    lines + &next(done, drafts)
}

/// The commands that help most now.
fn next(done: &SetUp, drafts: usize) -> String {
    let mut commands = Vec::new();
    if drafts > 0 {
        commands.push(("cm review --interactive", "decide on what was learned"));
    }
    if done.notes > 0 {
        commands.push(("cm search WORDS", "find notes by words and meaning"));
    }
    commands.push(("cm add \"a thought\"", "write something down"));
    commands.push(("cm log", "see every change; `cm undo` takes one back"));
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let mut lines = "\nNext:\n".to_owned();
    for (command, about) in commands {
        lines.push_str(&format!(
            "  {}  {}\n",
            paint(STRONG, &format!("{command:width$}")),
            paint(DIM, about)
        ));
    }
    lines
}

fn place(path: &str, global: bool) -> String {
    let scope = if global { "for every project" } else { "for this folder" };
    format!("{} ({scope})", paint(STRONG, &safe(path)))
}

fn agent_lines(agents: &HookChanges) -> String {
    let mut names: Vec<&str> = agents.files.iter().map(|file| file.agent.as_str()).collect();
    names.dedup();
    let mut lines = part("Agents", &safe(&format!("{} in {}", names.join(", "), agents.folder)));
    for line in changes(agents).lines() {
        lines.push_str(&part("", line));
    }
    for notice in &agents.notices {
        lines.push_str(&part("", &safe(notice)));
    }
    lines
}

/// A line with a label in the first column; an empty label continues the previous part.
fn part(label: &str, text: &str) -> String {
    format!("{}  {PROSE}{text}\n", paint(STRONG, &format!("{label:<8}")))
}
