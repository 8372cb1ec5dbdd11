//! Text output of `cm status`.

use super::short;
use super::style::{BAD, DIM, ID, STRONG, WARN, count, paint, safe};
use cm_app::verbs::inbox::InboxKind;
use cm_app::verbs::status::{RemoteStatus, RepositoryStatus, VaultStatus};

/// Maximum number of edited files that are listed.
const MAX_LISTED_FILES: usize = 5;

pub fn status(status: &VaultStatus) -> String {
    let mut lines = row("vault", &paint(STRONG, &safe(&status.vault)));
    if !status.trusted {
        let not = "not trusted at this place, so agents get nothing";
        lines += &row("trust", &format!("{}  {}", paint(WARN, not), paint(DIM, "cm trust")));
    }
    match &status.repository {
        Some(repository) => lines += &repository_rows(repository),
        None => lines += &row("branch", &paint(WARN, "no Git repository; changes are not recorded")),
    }
    for lost in &status.lost_settings {
        let decision = paint(DIM, "cm config set KEY VALUE decides");
        lines += &row("cm.toml", &format!("{}  {decision}", paint(WARN, &safe(lost))));
    }
    let inbox: Vec<String> = status.inbox.iter().map(|(kind, n)| waiting(*kind, *n)).collect();
    let inbox = match inbox.is_empty() {
        true => paint(DIM, "empty"),
        false => format!("{}  {}", inbox.join(", "), paint(DIM, "cm review")),
    };
    if status.errors > 0 {
        let errors = paint(BAD, &count(status.errors, "error"));
        lines += &row("notes", &format!("{errors}  {}", paint(DIM, "cm validate")));
    }
    lines + &row("inbox", &inbox)
}

fn waiting(kind: InboxKind, n: usize) -> String {
    match kind {
        InboxKind::Drafts => count(n, "draft"),
        InboxKind::Conflicts => count(n, "conflict"),
        InboxKind::Quarantined => format!("{n} quarantined"),
        InboxKind::Merges => count(n, "merge candidate"),
        InboxKind::Due => format!("{n} due"),
        InboxKind::Inversions => format!("{n} retired by feedback"),
        InboxKind::NotFollowed => format!("{n} not followed"),
        InboxKind::Leftovers => format!("{n} left over from a merge"),
    }
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
    if repository.unreferenced_commits > 0 {
        let commits = format!("{} on no branch", count(repository.unreferenced_commits, "commit"));
        lines += &row("", &format!("{}  {}", paint(WARN, &commits), paint(DIM, "git switch -c NAME")));
    }
    if let Some(operation) = &repository.in_progress {
        lines += &row("git", &paint(WARN, &format!("{operation} is in progress")));
    }
    if !repository.conflicts.is_empty() {
        let how = "resolve them and `git add` them";
        let files = count(repository.conflicts.len(), "file");
        lines += &row("conflicts", &format!("{}  {}", paint(WARN, &files), paint(DIM, how)));
        lines += &listed(repository.conflicts.iter().map(|path| safe(path)), repository.conflicts.len());
    }
    // Both refuse in the middle of an operation of Git.
    let command = |command: &str| match repository.in_progress {
        None => format!("  {}", paint(DIM, command)),
        Some(_) => String::new(),
    };
    lines += &match (&repository.remote, &repository.remote_problem) {
        (Some(remote), _) => remote_rows(remote, &command(transfer(remote))),
        // That HEAD is on no branch is said above.
        (None, Some(_)) if repository.unreferenced_commits > 0 => String::new(),
        (None, Some(problem)) => row("remote", &paint(WARN, &safe(problem))),
        (None, None) => row("remote", &paint(DIM, "none")),
    };
    if repository.remote.is_some() && !repository.has_merge_driver {
        let missing = format!("not registered in this clone{}", command("cm sync registers it"));
        lines += &row("merging", &missing);
    }
    let edits = match repository.edits {
        0 => paint(DIM, "none"),
        n => format!("{}{}", count(n, "file"), command("cm commit")),
    };
    lines += &row("edits", &edits);
    let edited = repository.edited.iter().map(|file| {
        let from = file.from.as_deref().map(|from| format!("{} to ", safe(from))).unwrap_or_default();
        format!("{} {from}{}", paint(DIM, &file.change), safe(&file.path))
    });
    lines + &listed(edited, repository.edits)
}

/// The first of `total` files, one a line.
fn listed(files: impl Iterator<Item = String>, total: usize) -> String {
    let mut lines: String = files.take(MAX_LISTED_FILES).map(|file| row("", &file)).collect();
    if total > MAX_LISTED_FILES {
        lines += &row("", &paint(DIM, &format!("… and {} more", total - MAX_LISTED_FILES)));
    }
    lines
}

/// Returns the command that transfers the commits of both sides.
fn transfer(remote: &RemoteStatus) -> &'static str {
    let is_some = |commits: Option<usize>| commits.is_some_and(|commits| commits > 0);
    match (remote.outside_vault, is_some(remote.behind), is_some(remote.ahead)) {
        (false, ..) => "cm sync",
        (true, true, true) => "git pull, then git push",
        (true, true, false) => "git pull",
        (true, false, _) => "git push",
    }
}

fn remote_rows(remote: &RemoteStatus, command: &str) -> String {
    let state = match (remote.ahead, remote.behind) {
        (Some(0), Some(0)) => "up to date".to_owned(),
        _ if remote.rewritten => {
            let decision = "`cm sync` says how to decide";
            format!("{}  {}", paint(WARN, "its history was rewritten"), paint(DIM, decision))
        }
        (Some(ahead), Some(behind)) => {
            let parts = [(ahead, "to send"), (behind, "to receive")];
            let parts = parts.iter().filter(|(n, _)| *n > 0);
            let parts: Vec<String> =
                parts.map(|(n, what)| format!("{} {what}", count(*n, "commit"))).collect();
            format!("{}{command}", parts.join(", "))
        }
        _ => format!("{}{command}", paint(DIM, "never fetched")),
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
