//! Text output of `cm hooks`.

use super::style::{BAD, DIM, GOOD, STRONG, WARN, count, one_line, paint, safe};
use cm_app::verbs::hooks::{
    AgentState, ConnectionAction, FileAction, FormerServer, HookChanges, HookFailure, HookScope, HookState,
    HooksDelivery, HooksStatus, ServerState, TokenOrigin,
};

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
    let mut lines = String::new();
    if changes.files.is_empty() {
        lines.push_str(&format!("no hooks of cm in {}\n", safe(&changes.folder)));
    }
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
    if let Some(server) = &changes.server {
        let did = match (server.action, changes.dry_run) {
            (ConnectionAction::Keep, _) => "the hooks call",
            (ConnectionAction::Connect, false) => "the hooks now call",
            (ConnectionAction::Connect, true) => "the hooks would call",
            (ConnectionAction::Disconnect, false) => "the hooks no longer call",
            (ConnectionAction::Disconnect, true) => "the hooks would no longer call",
        };
        let folder = folder(server.folder.as_deref());
        lines.push_str(&format!("{did} {} {folder}\n", paint(STRONG, &safe(&server.url))));
        if server.action != ConnectionAction::Disconnect {
            let is_planned = changes.dry_run && server.stores_token();
            let shown = if is_planned {
                "the token would be stored in your private files"
            } else {
                token(server.token)
            };
            lines.push_str(&format!("{shown}\n"));
        }
    }
    lines
}

fn folder(folder: Option<&str>) -> String {
    folder.map_or_else(
        || "in all folders without a memory of their own".to_owned(),
        |folder| format!("in {}", safe(folder)),
    )
}

fn token(origin: TokenOrigin) -> &'static str {
    match origin {
        TokenOrigin::Stored => "the token is in your private files",
        TokenOrigin::Environment => "the token comes from the environment variable CM_TOKEN",
        TokenOrigin::None => "no token is used",
    }
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
        if !status.servers.iter().any(|server| server.is_used) {
            lines.push_str("Hooks work on this machine. Text leaves it only through a provider that you set: `cm privacy` shows it.\n");
        }
    }
    status.servers.iter().for_each(|it| lines.push_str(&server(it)));
    lines.push_str(&former(&status.former_servers));
    lines.push_str(&failures(&status.failures));
    lines
}

fn failures(failures: &[HookFailure]) -> String {
    let mut lines = String::new();
    if !failures.is_empty() {
        lines.push_str(&format!("\n{}\n", paint(STRONG, "Latest errors")));
    }
    for failure in failures {
        let place = format!("{}  {} {}", failure.at, failure.agent, failure.event);
        lines.push_str(&format!("{}  {}\n", paint(DIM, &safe(&place)), one_line(&failure.message)));
    }
    lines
}

/// A server with its token, what waits for it and what it refused.
fn server(state: &ServerState) -> String {
    let mut lines = format!("\n{} {}\n", paint(STRONG, "Server"), paint(STRONG, &safe(&state.url)));
    let used = if state.is_used { "called" } else { "not used in this folder; called" };
    lines.push_str(&format!("{used} {}; {}\n", folder(state.folder.as_deref()), token(state.token)));
    if let Some(file) = &state.memory_file {
        lines.push_str(&format!("{} is a copy of its MEMORY.md\n", safe(file)));
    }
    match (&state.failing_since, &state.cause) {
        (Some(since), Some(cause)) => {
            let away = format!("failing since {}: {}", safe(since), one_line(cause));
            lines.push_str(&format!("{}\n", paint(WARN, &away)));
        }
        _ => lines.push_str(&format!("{}\n", paint(GOOD, "no failure since its last answer"))),
    }
    let verb = if state.waiting == 1 { "waits" } else { "wait" };
    match &state.oldest {
        Some(oldest) => lines.push_str(&format!(
            "{} {verb}, {:.1} kB, the oldest since {}\n",
            uploads(state.waiting),
            state.waiting_bytes as f64 / 1_000.0,
            safe(oldest)
        )),
        None => lines.push_str("no pending uploads\n"),
    }
    if state.incomplete > 0 {
        let sessions = count(state.incomplete, "session");
        lines.push_str(&format!("a part of {sessions} waits in its log until the outbox has room\n"));
    }
    if state.refused_total > 0 {
        let them = if state.refused_total == 1 { "it" } else { "them" };
        let refused = format!("{} rejected permanently", uploads(state.refused_total));
        let again = format!("`cm hooks deliver --refused` sends {them} again");
        lines.push_str(&format!("{}; {again}\n", paint(WARN, &refused)));
    }
    for refused in &state.refused {
        let what = format!("{}  {} of session {}", refused.at, refused.kind, refused.session);
        lines.push_str(&format!("  {}  {}\n", paint(DIM, &safe(&what)), one_line(&refused.reason)));
    }
    lines + &failures(&state.failures)
}

/// Shows the numbers of delivered, refused and waiting uploads.
pub fn delivered(done: &HooksDelivery) -> String {
    let mut lines = String::new();
    if done.delivered > 0 {
        let delivered = format!("{} delivered", uploads(done.delivered));
        lines.push_str(&format!("{} to {}\n", paint(GOOD, &delivered), safe(&done.url)));
    }
    if done.refused > 0 {
        let refused = format!("{} rejected permanently", uploads(done.refused));
        lines.push_str(&format!("{}; `cm hooks status` shows why\n", paint(WARN, &refused)));
    }
    match &done.failure {
        Some(cause) if done.waiting == 0 => {
            let failing = format!("no pending uploads, and {} fails: {}", safe(&done.url), one_line(cause));
            lines.push_str(&format!("{}\n", paint(WARN, &failing)));
        }
        Some(cause) => {
            let verb = if done.waiting == 1 { "waits" } else { "wait" };
            let waiting = format!("{} {verb}: {}", uploads(done.waiting), one_line(cause));
            lines.push_str(&format!("{}\n", paint(WARN, &waiting)));
        }
        None if lines.is_empty() => lines.push_str("no pending uploads\n"),
        None => {}
    }
    lines + &former(&done.former)
}

/// One line for each server that no folder calls any more.
fn former(servers: &[FormerServer]) -> String {
    let line = |server: &FormerServer| {
        let (name, verb) = (safe(&server.name), if server.waiting == 1 { "waits" } else { "wait" });
        let waiting =
            format!("{} {verb} for {name}, which no folder calls any more", uploads(server.waiting));
        format!(
            "{}; `cm hooks deliver --from {name}` sends them to the server of this folder\n",
            paint(WARN, &waiting)
        )
    };
    servers.iter().map(line).collect()
}

fn uploads(number: usize) -> String {
    count(number, "upload")
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
    let scope = if state.scope == HookScope::Project { "project" } else { "user" };
    format!(
        "{:<9} {scope:<8} {word}{skills}{server}\n{:18} {}\n{plugin}",
        state.agent,
        "",
        paint(DIM, &safe(&state.path))
    )
}
