//! Text output of `cm privacy`.

use super::style::{DIM, GOOD, STRONG, WARN, count, one_line, pad, paint, safe};
use cm_app::verbs::privacy::{ChangedPermission, PrivacyStatus, ReadLog, ReadLogEntry};

/// The privacy settings, one line each.
pub fn shown(outcome: &PrivacyStatus) -> String {
    let mut lines = String::new();
    let mut line = |name: &str, text: &str| {
        lines.push_str(&format!("{}  {}\n", paint(STRONG, &pad(name, 12)), safe(text)));
    };
    let agents = match (outcome.agents.is_empty(), outcome.denied.is_empty()) {
        (true, _) => "none".to_owned(),
        (_, true) => format!("all: {}", outcome.agents.join(", ")),
        _ => format!("{} (never {})", outcome.agents.join(", "), outcome.denied.join(", ")),
    };
    line("agents", &agents);
    let lists: Vec<String> = outcome.workspaces.iter().map(|list| list.join(", ")).collect();
    line("folders", &if lists.is_empty() { "all".to_owned() } else { lists.join("; and of these only ") });
    line(
        "cross-agent",
        if outcome.cross_agent {
            "agents may see the sessions of other agents"
        } else {
            "each agent sees only its own sessions"
        },
    );
    let own = match outcome.redaction.own {
        0 => String::new(),
        n => format!(", and {} of your own", count(n, "pattern")),
    };
    let rules = if outcome.redaction.enabled {
        "secrets are removed by the built-in rules"
    } else {
        "OFF: the built-in rules are disabled"
    };
    line("redaction", &format!("{rules}{own}"));
    line(
        "model",
        &match outcome.provider.as_str() {
            "none" => "none: session text is sent to no model".to_owned(),
            provider => {
                format!("{provider}: receives session text for summaries and learning, without secrets")
            }
        },
    );
    if let Some(server) = &outcome.server {
        line(
            "server",
            &format!("{server}: the hooks of this folder send sessions and prompts there, without secrets"),
        );
        if outcome.waiting > 0 {
            line("", &format!("{} waiting on this machine", count(outcome.waiting, "upload")));
        }
    }
    line("cass", if outcome.cass { "is used when searching sessions" } else { "is not used" });
    lines.push_str(&format!("{}\n", paint(DIM, "latest reads; `cm privacy log` lists more")));
    if outcome.latest.is_empty() {
        lines.push_str("  none\n");
    }
    outcome.latest.iter().for_each(|entry| lines.push_str(&read(entry)));
    lines
}

/// One line for each log that was read.
pub fn log(outcome: &ReadLog) -> String {
    if outcome.reads.is_empty() {
        return "nothing was read\n".to_owned();
    }
    let mut lines: String = outcome.reads.iter().map(read).collect();
    if outcome.total > outcome.reads.len() {
        let of = format!("{} of {}", outcome.reads.len(), count(outcome.total, "read"));
        lines.push_str(&format!("{}\n", paint(DIM, &of)));
    }
    lines
}

fn read(entry: &ReadLogEntry) -> String {
    let sessions = match entry.sessions.as_slice() {
        [one] if entry.count == 1 => one_line(one),
        _ => count(entry.count, "session"),
    };
    let by = entry.by.as_deref().map(|agent| format!(" for {}", one_line(agent))).unwrap_or_default();
    let model = match &entry.model {
        Some(model) => paint(WARN, &format!("  given to {}", one_line(model))),
        None => String::new(),
    };
    let log = entry.log.as_deref().map(|log| paint(DIM, &format!("  {}", one_line(log)))).unwrap_or_default();
    format!(
        "  {} {}  {}{by}  {}  {sessions}, {} bytes{model}{log}\n",
        entry.at.day(),
        entry.at.minute(),
        one_line(&entry.command),
        one_line(&entry.agent),
        entry.bytes
    )
}

/// Confirmation of a changed setting.
pub fn set(outcome: &ChangedPermission) -> String {
    let items = if outcome.items.is_empty() { "all".to_owned() } else { outcome.items.join(", ") };
    let how = if outcome.changed { paint(GOOD, "set") } else { paint(DIM, "unchanged") };
    let name = paint(STRONG, &format!("{}:", outcome.key));
    format!("{name} {items}  {how} in your settings for this vault\n")
}
