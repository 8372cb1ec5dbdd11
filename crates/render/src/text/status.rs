//! Text output of `cm status`.

use super::short;
use super::style::{DIM, ID, STRONG, WARN, count, paint, safe};
use cm_app::verbs::status::{RemoteStatus, RepositoryStatus, VaultStatus};

/// Maximum number of edited files that are listed.
const LISTED: usize = 5;

pub fn status(status: &VaultStatus) -> String {
    let mut lines = row("vault", &paint(STRONG, &safe(&status.vault)));
    match &status.repository {
        Some(repository) => lines += &repository_rows(repository),
        None => lines += &row("branch", &paint(WARN, "no Git repository; changes are not recorded")),
    }
    let inbox: Vec<String> =
        status.inbox.iter().map(|(kind, n)| format!("{n} {}", kind.name().replace('_', " "))).collect();
    let inbox = match inbox.is_empty() {
        true => paint(DIM, "empty"),
        false => format!("{}  {}", inbox.join(", "), paint(DIM, "cm review")),
    };
    lines + &row("inbox", &inbox)
}

fn repository_rows(repository: &RepositoryStatus) -> String {
    let branch = match &repository.branch {
        Some(branch) => safe(branch),
        None => paint(WARN, "detached HEAD"),
    };
    let head = repository
        .head
        .as_deref()
        .map_or_else(|| paint(DIM, "no commits yet"), |head| paint(ID, short(head)));
    let mut lines = row("branch", &format!("{branch}  {head}"));
    if let Some(operation) = &repository.in_progress {
        lines += &row("git", &paint(WARN, &format!("{operation} is in progress")));
    }
    lines += &match &repository.remote {
        Some(remote) => remote_rows(remote),
        None => row("remote", &paint(DIM, "none")),
    };
    if repository.remote.is_some() && !repository.has_merge_driver {
        let missing = format!("not registered in this clone  {}", paint(DIM, "cm sync registers it"));
        lines += &row("merging", &missing);
    }
    let edits = match repository.edits {
        0 => paint(DIM, "none"),
        n => format!("{}  {}", count(n, "file"), paint(DIM, "cm commit")),
    };
    lines += &row("edits", &edits);
    for file in repository.edited.iter().take(LISTED) {
        lines += &row("", &format!("{} {}", paint(DIM, &file.change), safe(&file.path)));
    }
    if repository.edits > LISTED {
        lines += &row("", &paint(DIM, &format!("… and {} more", repository.edits - LISTED)));
    }
    lines
}

fn remote_rows(remote: &RemoteStatus) -> String {
    let state = match (remote.ahead, remote.behind) {
        (Some(0), Some(0)) => "up to date".to_owned(),
        (Some(ahead), Some(behind)) => {
            let parts = [(ahead, "to send"), (behind, "to receive")];
            let parts = parts.iter().filter(|(n, _)| *n > 0);
            let parts: Vec<String> =
                parts.map(|(n, what)| format!("{} {what}", count(*n, "commit"))).collect();
            format!("{}  {}", parts.join(", "), paint(DIM, "cm sync"))
        }
        _ => format!("{}  {}", paint(DIM, "never fetched"), paint(DIM, "cm sync")),
    };
    let last = match remote.last_sync {
        Some(at) => at.to_string(),
        None => paint(DIM, "never"),
    };
    row("remote", &format!("{}/{}  {state}", safe(&remote.name), safe(&remote.branch)))
        + &row("last sync", &last)
}

fn row(name: &str, value: &str) -> String {
    format!("{}  {value}\n", paint(DIM, &format!("{name:>9}")))
}
