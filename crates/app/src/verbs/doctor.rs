//! Checks the health of a vault: settings, repository, journal, index and folders.

mod without_vault;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::project_scope::code_mark;
use crate::context::secrets;
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::parse_statistics::{ParseStatistics, understood};
use crate::verbs::hand_edits::hand_edits;
use crate::verbs::init;
use crate::verbs::legacy_private;
use crate::verbs::lost_feedback;
use crate::verbs::merge_driver;
use crate::verbs::note_fields::MAX_FOLDER_FILES;
use crate::verbs::sync::{KEEP_COMMITS, on_no_branch};
use crate::verbs::token;
use crate::verbs::validate::findings_of;
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::finding::Severity;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_note::user_text::UserText;
use cm_store::config::CommitMode;
use cm_store::git::{BrokenHead, MergeDriver, Repo, is_jujutsu_only, unreadable_head};
use cm_store::vault::journal::Journal;

use cm_text::plural::count;
pub use without_vault::without_vault;

/// Severity of a check's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// The check found no problem.
    Ok,
    /// A problem that does not break the vault.
    Warn,
    /// A failure; `cm doctor` exits with 1.
    Fail,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HealthCheck {
    pub name: &'static str,
    /// Result of the check.
    pub health: CheckStatus,
    /// What the check found.
    pub message: String,
    /// Suggested action.
    pub hint: Option<UserText>,
}

/// Results of the health checks of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HealthReport {
    /// Path of the vault; null on a machine whose hooks call a server instead.
    pub vault: Option<String>,
    /// Results of the checks, which run after the repairs.
    pub checks: Vec<HealthCheck>,
    /// One description for each repair that was made.
    pub fixed: Vec<String>,
}

impl HealthReport {
    /// Whether a check failed.
    pub fn failed(&self) -> bool {
        self.checks.iter().any(|check| check.health == CheckStatus::Fail)
    }

    /// Removes absolute paths of this machine if the caller is remote.
    #[must_use]
    pub fn concealed(self, context: &Context) -> Self {
        let conceal = |text| context.request.conceal_paths(text);
        let checks = self.checks.into_iter().map(|check| {
            let (message, hint) = (conceal(check.message), check.hint.map(|hint| hint.map(conceal)));
            HealthCheck { message, hint, ..check }
        });
        let (checks, fixed) = (checks.collect(), self.fixed.into_iter().map(conceal).collect());
        Self { vault: self.vault.map(conceal), checks, fixed }
    }
}

/// Checks the target vault; with `fix`, first makes the repairs that need no confirmation.
///
/// # Errors
/// An unreadable vault, or a repair that fails.
pub fn doctor(context: &Context, fix: bool) -> Result<HealthReport> {
    let open = context.target();
    let fixed = if fix { repair(context)? } else { Vec::new() };
    let notes = context.notes_of(open)?;
    let mut checks = vec![settings(open)];
    checks.extend(repository(open));
    checks.push(ignored(open)?);
    checks.extend(former_places(open));
    checks.push(trusted(context)?);
    checks.extend(tokens(open)?);
    checks.push(journal(open)?);
    checks.push(crowds(&notes));
    checks.push(contents(context, notes.len())?);
    checks.push(exposed(context)?);
    checks.extend(feedback(open, &notes)?);
    checks.extend(sessions(context));
    Ok(HealthReport { vault: Some(open.vault.root().display().to_string()), checks, fixed })
}

impl HealthCheck {
    fn new(name: &'static str, health: CheckStatus, message: impl Into<String>) -> Self {
        Self { name, health, message: message.into(), hint: None }
    }

    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Ok, message)
    }

    fn warn(name: &'static str, message: impl Into<String>, hint: impl Into<UserText>) -> Self {
        Self::new(name, CheckStatus::Warn, message).hint(hint)
    }

    fn fail(name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Fail, message)
    }

    fn of_error(name: &'static str, error: Error) -> Self {
        Self { hint: error.hint, ..Self::fail(name, error.message) }
    }

    fn hint(self, hint: impl Into<UserText>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Checks that the notes have all feedback that commits gave them.
fn feedback(open: &OpenVault, notes: &[Note]) -> Result<Option<HealthCheck>> {
    let Some(repo) = open.repo()? else { return Ok(None) };
    // A repository that cannot be read is reported by its own check.
    let lost = lost_feedback::lost_feedback(repo, notes).unwrap_or_default();
    let Some(first) = lost.first() else { return Ok(None) };
    let message = format!(
        "{} lost feedback, such as \"{}\": {} given, {} in the file",
        count(lost.len(), "note"),
        first.title,
        count(first.given, "event"),
        first.found
    );
    let hint =
        format!("`cm history {id}` lists the versions, `cm restore {id}@COMMIT` takes one", id = first.id);
    Ok(Some(HealthCheck::warn("feedback", message, hint)))
}

fn settings(open: &OpenVault) -> HealthCheck {
    match open.settings.findings.as_slice() {
        [] => HealthCheck::ok("settings", "all valid"),
        found => {
            let worst = open.settings.broken().unwrap_or(&found[0]);
            let health =
                if worst.severity == Severity::Error { CheckStatus::Fail } else { CheckStatus::Warn };
            HealthCheck::new("settings", health, worst.message.clone())
                .hint("`cm validate` lists the lines, `cm config list` the settings")
        }
    }
}

/// Reports an unreadable HEAD with the command that repairs it. Commits are not lost.
fn broken_head(broken: BrokenHead) -> HealthCheck {
    let message = format!("Git cannot resolve {}", broken.file.display());
    HealthCheck::fail("git head", message).hint(format!("the commits are still there: {}", broken.remedy))
}

fn repository(open: &OpenVault) -> Vec<HealthCheck> {
    let repo = match open.repo() {
        Ok(Some(repo)) => repo,
        Ok(None) | Err(_) if unreadable_head(open.vault.root()).is_some() => {
            return unreadable_head(open.vault.root()).map(broken_head).into_iter().collect();
        }
        Ok(None) => return vec![no_repository(open)],
        Err(error) => return vec![HealthCheck::of_error("repository", error)],
    };
    let mut checks = vec![repository_kind(open, repo)];
    checks.extend(repo.head().err().and_then(|_| unreadable_head(open.vault.root())).map(broken_head));
    checks.extend(git_state(repo));
    checks.extend(unreferenced(repo));
    checks.extend([author(repo), driver(repo)]);
    checks.extend(jujutsu(repo));
    checks.push(uncommitted_edits(open, repo));
    checks
}

fn no_repository(open: &OpenVault) -> HealthCheck {
    const NAME: &str = "repository";
    if is_jujutsu_only(open.vault.root()) {
        let message = "only Jujutsu records changes, because there is no Git repository beside it";
        let hint = "`jj git colocation enable` in the main workspace creates one";
        return HealthCheck::warn(NAME, message, hint);
    }
    let hint = "`cm init` creates one; without it nothing can be undone";
    HealthCheck::warn(NAME, "the vault is not in a Git repository", hint)
}

fn repository_kind(open: &OpenVault, repo: &Repo) -> HealthCheck {
    let kind = match code_mark(open.vault.root()) {
        _ if !repo.is_own() => "inside another".to_owned(),
        Some(mark) => format!("that of a project with code ({mark}), whose Markdown files are notes"),
        None => "its own".to_owned(),
    };
    let mode = match open.settings.commit_mode() {
        CommitMode::Auto => "changes are committed immediately",
        CommitMode::Manual => "`cm commit` commits",
    };
    HealthCheck::ok("repository", format!("{kind}; {mode}"))
}

/// Reports a merge, rebase or similar operation; `None` if none is in progress.
fn git_state(repo: &Repo) -> Option<HealthCheck> {
    let operation = repo.state()?;
    let message = format!("{operation} is in progress, so changes are refused");
    Some(HealthCheck::warn("git state", message, operation.remedy()))
}

/// Reports commits of a detached HEAD that no branch has; `None` if there are none.
fn unreferenced(repo: &Repo) -> Option<HealthCheck> {
    match repo.count_unreferenced_commits() {
        Ok(0) => None,
        Ok(commits) => {
            let message = format!("HEAD is not on a branch, and {}", on_no_branch(commits));
            Some(HealthCheck::warn("branch", message, KEEP_COMMITS))
        }
        Err(error) => Some(HealthCheck::fail("branch", error.to_string())),
    }
}

fn author(repo: &Repo) -> HealthCheck {
    const NAME: &str = "author";
    match repo.identity() {
        Ok(who) if who.fallback => HealthCheck::warn(
            NAME,
            format!("no Git author is set, so commits use {} <{}>", who.name, who.email),
            "run `git config --global user.name NAME` and `git config --global user.email ADDRESS`",
        ),
        Ok(who) => HealthCheck::ok(NAME, format!("{} <{}>", who.name, who.email)),
        Err(error) => HealthCheck::fail(NAME, error.to_string()),
    }
}

fn uncommitted_edits(open: &OpenVault, repo: &Repo) -> HealthCheck {
    const NAME: &str = "hand edits";
    match hand_edits(open, repo) {
        Ok(edits) => match edits.ours.len() {
            0 => HealthCheck::ok(NAME, "all committed"),
            n => HealthCheck::ok(NAME, format!("{} not committed yet", count(n, "file")))
                .hint("`cm commit` commits them"),
        },
        Err(error) => HealthCheck::fail(NAME, error.to_string()),
    }
}

/// Reports whether Git runs cm to merge notes in this clone.
fn driver(repo: &Repo) -> HealthCheck {
    const NAME: &str = "merge driver";
    let hint = "`cm doctor --fix` registers it";
    match merge_driver::registration(repo) {
        Ok(MergeDriver::Registered) => HealthCheck::ok(NAME, "Git merges notes with cm"),
        Ok(MergeDriver::Missing) => {
            let message = "not registered in this clone, so Git merges notes as text";
            HealthCheck::warn(NAME, message, hint)
        }
        Ok(MergeDriver::Other(command)) => {
            let message = format!("Git runs another command to merge notes: {command}");
            HealthCheck::warn(NAME, message, hint)
        }
        Err(error) => HealthCheck::fail(NAME, error.message),
    }
}

/// Reports whether Jujutsu runs cm to resolve conflicts; `None` if it does not share the work tree.
fn jujutsu(repo: &Repo) -> Option<HealthCheck> {
    const NAME: &str = "jujutsu";
    if !repo.is_jujutsu() {
        return None;
    }
    Some(match merge_driver::jujutsu_registration(repo) {
        Ok(Some(MergeDriver::Registered)) => HealthCheck::ok(NAME, "`jj resolve --tool cm` merges notes"),
        Ok(Some(MergeDriver::Missing)) => {
            let message = "cm is not registered as a merge tool, so `jj resolve` merges notes as text";
            HealthCheck::warn(NAME, message, "`cm doctor --fix` registers it")
        }
        Ok(Some(MergeDriver::Other(command))) => {
            let message = format!("the merge tool `cm` runs another program: {command}");
            HealthCheck::warn(NAME, message, "`cm doctor --fix` registers this one")
        }
        Ok(None) => {
            let message = "`jj` does not answer, so commits leave a copy of the working-copy commit behind";
            HealthCheck::warn(NAME, message, "put `jj` on the PATH, and trust the vault")
        }
        Err(error) => HealthCheck::fail(NAME, error.message),
    })
}

fn ignored(open: &OpenVault) -> Result<HealthCheck> {
    let files = init::missing_rules(&open.vault)?;
    Ok(if files.is_empty() {
        HealthCheck::ok("git rules", "derived and private files are ignored")
    } else {
        let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let message = format!("lines are missing in {}", names.join(" and "));
        HealthCheck::warn("git rules", message, "`cm doctor --fix` adds them")
    })
}

/// Warns about private files in the vault's folder, where earlier versions stored them; they are
/// ignored, because anyone who can write to the vault may have created them.
fn former_places(open: &OpenVault) -> Option<HealthCheck> {
    let places = legacy_private::places(&open.vault);
    let message = format!("{} in the vault folder; they are ignored", places.join(", "));
    let hint = "`cm trust --import-private` imports the ones you confirm; remove them afterwards";
    (!places.is_empty()).then(|| HealthCheck::warn("former private files", message, hint))
}

/// Reports whether agents may read the vault.
fn trusted(context: &Context) -> Result<HealthCheck> {
    const NAME: &str = "trust";
    Ok(match crate::context::trust::is_trusted(context.target())? {
        true => HealthCheck::ok(NAME, "agents may read it"),
        false => {
            HealthCheck::warn(NAME, "not trusted, so agents get nothing from it", "`cm trust` allows it")
        }
    })
}

/// Reports the state of the server's token file; `None` if it does not exist.
fn tokens(open: &OpenVault) -> Result<Option<HealthCheck>> {
    const NAME: &str = "tokens";
    Ok(token::check_file(&open.vault)?.map(|examined| match examined {
        token::TokenFileStatus::Valid { tokens } => HealthCheck::ok(NAME, count(tokens, "token")),
        token::TokenFileStatus::Unreadable(error) => HealthCheck::of_error(NAME, error),
    }))
}

fn journal(open: &OpenVault) -> Result<HealthCheck> {
    Ok(match Journal::of(&open.vault)?.unfinished()?.len() {
        0 => HealthCheck::ok("journal", "nothing is unfinished"),
        n => {
            let message = format!("{} interrupted", count(n, "operation"));
            HealthCheck::warn("journal", message, "the next change or `cm doctor --fix` finishes them")
        }
    })
}

fn crowds(notes: &[Note]) -> HealthCheck {
    match crowded(notes).len() {
        0 => HealthCheck::ok("folders", "no folder is too large"),
        n => {
            let message =
                format!("{n} files are in folders of more than {MAX_FOLDER_FILES}, which slows down commits");
            HealthCheck::warn(
                "folders",
                message,
                "`cm doctor --fix` moves them into subfolders in one commit",
            )
        }
    }
}

fn contents(context: &Context, notes: usize) -> Result<HealthCheck> {
    let findings = findings_of(context, context.target())?;
    let of_severity = |severity| findings.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (of_severity(Severity::Error), of_severity(Severity::Warning));
    let message =
        format!("{}, {}, {}", count(notes, "note"), count(errors, "error"), count(warnings, "warning"));
    const HINT: &str = "`cm validate` lists them";
    Ok(match (errors, warnings) {
        (0, 0) => HealthCheck::ok("notes", message),
        (0, _) => HealthCheck::warn("notes", message, HINT),
        _ => HealthCheck::fail("notes", message).hint(HINT),
    })
}

fn exposed(context: &Context) -> Result<HealthCheck> {
    let scan = secrets::scan_notes(context, context.target())?;
    let secrets::SecretScan { secrets, allowed, suspects: guesses } = scan.as_ref();
    let guessed = match guesses.first() {
        Some((path, line)) => {
            format!("; {} look random, such as {path}:{line}", count(guesses.len(), "text"))
        }
        None => String::new(),
    };
    let guessed = match allowed {
        0 => guessed,
        _ => format!("; {allowed} allowed by cm:allow-secret or `redaction.allow`{guessed}"),
    };
    Ok(match secrets.first() {
        None => HealthCheck::ok("secrets", format!("none found{guessed}")),
        Some((path, rule, line)) => {
            let found = count(secrets.len(), "possible secret");
            let message = format!("{found}, such as {path}:{line} ({rule}){guessed}");
            let hint = "remove it from the note and revoke it, because the Git history keeps it";
            HealthCheck::warn("secrets", message, hint)
        }
    })
}

/// Reports how many records of session logs were recognized; `None` if no log was read yet.
fn sessions(context: &Context) -> Option<HealthCheck> {
    const NAME: &str = "sessions";
    let understood = match understood(context) {
        Ok(understood) => understood?,
        Err(error) => {
            return Some(HealthCheck::warn(NAME, error.message, "`cm sessions` reads the logs again"));
        }
    };
    let logs = understood.iter().map(|of| of.logs).sum();
    let unclear: Vec<&ParseStatistics> = understood.iter().filter(|of| of.not_understood > 0).collect();
    let read = format!("{} read", count(logs, "log"));
    if unclear.is_empty() {
        return Some(HealthCheck::ok(NAME, format!("{read}, all parsed")));
    }
    let each: Vec<String> = unclear.iter().map(|of| not_understood(of)).collect();
    let message = format!("{read}; not parsed: {}", each.join("; "));
    let mostly = unclear.iter().any(|of| of.is_mostly_unknown());
    let hint = "another version of the agent may have written them; the parsed part can be searched";
    Some(if mostly { HealthCheck::warn(NAME, message, hint) } else { HealthCheck::ok(NAME, message) })
}

/// Formats the number of unrecognized records of an agent's logs, with up to three of their kinds.
fn not_understood(of: &ParseStatistics) -> String {
    let kinds: Vec<String> =
        of.unknown.iter().take(3).map(|(name, count)| format!("{name} {count}")).collect();
    let more = if of.unknown.len() > 3 { ", …" } else { "" };
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({}{more})", kinds.join(", ")) };
    let agent = if of.agent.is_empty() { "logs that no longer exist" } else { &of.agent };
    format!("{agent} {} of {}{kinds}", of.not_understood, count(of.records as usize, "record"))
}

/// Returns the notes with an ID in folders of `graph/` or `vault/` with more than [`MAX_FOLDER_FILES`] notes.
fn crowded(notes: &[Note]) -> Vec<&Note> {
    let mut by_folder: std::collections::BTreeMap<&str, Vec<&Note>> = std::collections::BTreeMap::new();
    for note in notes {
        if matches!(note.path.top(), "graph" | "vault") && note.id.is_some() {
            by_folder.entry(note.path.folder()).or_default().push(note);
        }
    }
    by_folder.into_values().filter(|notes| notes.len() > MAX_FOLDER_FILES).flatten().collect()
}

fn repair(context: &Context) -> Result<Vec<String>> {
    let mut fixed = Vec::new();
    let finished = write::recover(context)?;
    if finished > 0 {
        fixed.push(format!("finished {} that were interrupted", count(finished, "operation")));
    }
    let rules = init::missing_rules(&context.target().vault)?;
    if !rules.is_empty() {
        let changes = rules
            .into_iter()
            .map(|(path, text)| VaultFileChange::Replace { path, expected: None, text })
            .collect();
        write::apply(
            context,
            ChangeSet { message: CommitMessage::new(CommitOp::Doctor, "Add the Git rules"), changes },
        )?;
        fixed.push("added the Git rules".to_owned());
    }
    if let Some(repo) = context.target().repo()?
        && merge_driver::register(repo)?
    {
        fixed.push("registered the merge driver".to_owned());
    }
    fixed.extend(shard(context)?);
    Ok(fixed)
}

/// Moves notes of overfull folders to subfolders named by two hex digits, in one commit. Notes with
/// relative links stay, because such links are not rewritten. Returns a description; `None` if
/// nothing moved.
fn shard(context: &Context) -> Result<Option<String>> {
    let open = context.target();
    let notes = context.notes_of(open)?;
    let mut changes = Vec::new();
    let linked = linked_by_path(&notes);
    for note in crowded(&notes).into_iter().filter(|note| !linked.contains(&note.path)) {
        let Some(id) = &note.id else { continue };
        let to = format!("{}/{}/{}", note.path.folder(), &id.short()[..2], note.path.file_name());
        let Ok(to) = NotePath::parse(&to) else { continue };
        let bytes = crate::context::find::load(open, &note.path)?.bytes;
        let (from, expected) = (note.path.clone(), ContentHash::of(&bytes));
        changes.push(VaultFileChange::Move { from, to, expected, edits: Vec::new() });
    }
    let moved = changes.len();
    if moved == 0 {
        return Ok(None);
    }
    let message = CommitMessage::new(CommitOp::Doctor, format!("Move {moved} notes into subfolders"));
    write::apply(context, ChangeSet { message, changes })?;
    open.set_stale();
    Ok(Some(format!("moved {moved} notes into subfolders")))
}

/// Returns the notes that contain a relative link or are the target of one.
fn linked_by_path(notes: &[Note]) -> std::collections::HashSet<NotePath> {
    let mut linked = std::collections::HashSet::new();
    for note in notes {
        for link in note.links.iter().filter(|link| link.form == cm_note::note::LinkForm::Markdown) {
            linked.insert(note.path.clone());
            linked.extend(note.path.resolve(&link.target));
        }
    }
    linked
}
