//! Reverts a commit with a new commit, and keeps later changes of the same files. Refuses if they
//! overlap, and lists them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::as_of::revision;
use crate::context::find::in_other_vault;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, repository};
use crate::context::scoring::scoring;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::hand_edits::hand_edits;
use cm_merge::Vocabulary;
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::id::NoteId;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_store::config::CommitMode;
use cm_store::git::{CommitId, CommitInfo, Identity, LogFilter, Repo, TreeChange};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UndoResult {
    /// Hash of the reverted commit.
    pub undone: String,
    /// Subject line of the reverted commit.
    pub subject: String,
    /// Ids of the notes in the reverted commit.
    pub ids: Vec<String>,
    /// Path of the first file that was changed.
    pub path: Option<String>,
    /// Paths of all files that were changed.
    pub paths: Vec<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`).
    pub commit: Option<String>,
    /// Whether any file changed; false if the request had no effect.
    pub changed: bool,
}

/// Start of the line in an undo's commit message that names the reverted commit.
const MARK: &str = "This takes back commit ";
/// Operations that are not undone without a name: they made the vault, wrote a generated file, or merged.
const SKIPPED: [CommitOp; 5] =
    [CommitOp::Init, CommitOp::Takeover, CommitOp::Core, CommitOp::Reflection, CommitOp::Sync];
/// Maximum number of commits that are searched for one to undo.
const MAX_SEARCHED_COMMITS: usize = 1000;

/// Reverts a commit: the named one, else the user's newest commit by cm that is neither an undo nor
/// already reverted. Without a name, commits of manual edits, merges and generated files are left alone;
/// a notice names the newest commit of manual edits. Of two vaults, the one with the newer commit is
/// meant, or the only one that has the named commit. The commits that created the vault or took over
/// existing files cannot be reverted.
///
/// # Errors
/// Returns an error if the commit is not found, if there is nothing to undo, if later commits changed
/// the same lines, or if the write fails.
pub fn undo(context: &Context, revision_option: Option<&str>) -> Result<UndoResult> {
    match other_vault(context, revision_option)? {
        Some(open) => in_other_vault(context, open, |there| undo_here(there, revision_option)),
        None => undo_here(context, revision_option),
    }
}

/// Returns the vault beside the target that has the commit to undo; `None` if it is the target.
fn other_vault<'c>(context: &'c Context, revision_option: Option<&str>) -> Result<Option<&'c OpenVault>> {
    let Some(open) = context.vaults.get(1).filter(|open| open.repo().is_ok_and(|repo| repo.is_some())) else {
        return Ok(None);
    };
    let Ok(there) = context.for_vault(open) else { return Ok(None) };
    let is_elsewhere = match revision_option {
        Some(name) => revision(context, name).is_err() && revision(&there, name).is_ok(),
        None => {
            let repo = repository(context.target())?;
            // What waits for a commit has no time to compare.
            refuse_uncommitted(context, repo)?;
            let time = |context: &Context, repo: &Repo| newest(context, repo).ok().map(|commit| commit.time);
            time(&there, repository(open)?) > time(context, repo)
        }
    };
    Ok(is_elsewhere.then_some(open))
}

fn undo_here(context: &Context, revision_option: Option<&str>) -> Result<UndoResult> {
    write::recover(context)?;
    let repo = repository(context.target())?;
    let target = match revision_option {
        Some(revision_name) => repo.commit_info(revision(context, revision_name)?)?,
        None => {
            refuse_uncommitted(context, repo)?;
            newest(context, repo)?
        }
    };
    let is_of = |op| target.message.as_ref().is_some_and(|message| message.is_of(&[op]));
    if is_of(CommitOp::Init) {
        return Err(Error::refused("made-the-vault", format!("{} created the vault", target.id.short()))
            .hint("to remove the vault, delete its files by hand"));
    }
    if is_of(CommitOp::Takeover) {
        let message = format!("{} took over files that existed before the vault", target.id.short());
        return Err(Error::refused("made-the-vault", message).hint("`cm delete` removes notes"));
    }
    // A commit of hand edits holds a person's words, whoever asked for it.
    let by_agent = |message: &CommitMessage| message.agent.is_some() && !message.is_of(&[CommitOp::Commit]);
    let is_agents = target.message.as_ref().is_some_and(by_agent);
    if !is_agents {
        context.persons_only("undo a person's commit")?;
    }
    let own = repo.identity_of(context.request.caller.actor.as_deref())?;
    if !is_own(repo, &target, &own)? && !is_agents {
        context.notice(format!("{} was made by {}", target.id.short(), target.author));
    }
    if target.parents.len() > 1 {
        return Err(Error::refused(
            "merge",
            format!("{} is a merge, so there is no single parent to return to", target.id.short()),
        )
        .hint(format!(
            "`git revert -m 1 {}` takes back all that it brought; `cm undo COMMIT` takes back one of its commits",
            target.id.short()
        )));
    }
    let inverse = repo.inverse(target.id)?;
    if inverse.is_empty() {
        return Err(Error::refused(
            "nothing-in-it",
            format!("{} changed nothing in the vault", target.id.short()),
        ));
    }
    let mut inverse = without_later_changes(context, repo, &target, inverse)?;
    if inverse.iter().any(|change| !change.path.is_generated()) {
        leave_edited_core(context, &mut inverse)?;
    }
    inverse.sort_by_key(|change| change.path.is_generated());
    if inverse.is_empty() {
        let message =
            format!("{} is already undone: its files are as they were before it", target.id.short());
        return Err(write::nothing_done(message));
    }
    refuse_hand_edits(context, &inverse)?;
    refuse_losing_notes(context, &target, &inverse)?;
    refuse_dangling(context, repo, &target, &inverse)?;
    let changes = inverse.iter().map(change).collect();
    let ids = target.message.as_ref().map(|message| message.ids.clone()).unwrap_or_default();
    let mut message = CommitMessage::new(CommitOp::Undo, format!("Undo: {}", target.subject));
    message.body = format!("{MARK}{}.", target.id);
    message.ids.clone_from(&ids);
    let written = write::apply(context, ChangeSet { message, changes })?;
    Ok(UndoResult {
        undone: target.id.to_string(),
        subject: target.subject,
        ids,
        path: inverse.first().map(|change| change.path.to_string()),
        paths: inverse.into_iter().map(|change| change.path.into()).collect(),
        commit: written.commit,
        changed: !written.changed.is_empty(),
    })
}

/// Whether a commit can be reverted; `None` for those that cm did not make.
pub fn is_possible(message: Option<&CommitMessage>) -> bool {
    !message.is_some_and(|message| message.is_of(&[CommitOp::Init, CommitOp::Takeover]))
}

/// Refuses an undo without a name where changes wait for a commit: the newest of them is what the
/// caller means, and no commit has it.
fn refuse_uncommitted(context: &Context, repo: &Repo) -> Result<()> {
    let open = context.target();
    if open.settings.commit_mode() != CommitMode::Manual {
        return Ok(());
    }
    let waiting = hand_edits(open, repo)?.ours;
    let Some((first, _)) = waiting.first() else { return Ok(()) };
    let message = match waiting.len() {
        1 => format!("nothing was undone: the change of {first} is not committed"),
        more => format!("nothing was undone: the changes of {more} files are not committed"),
    };
    Err(write::nothing_done(message).hint(
        "`git.commit` is `manual`: discard changes with Git, or commit them with `cm commit`; `cm undo COMMIT` takes back an older commit",
    ))
}

/// Returns the user's newest commit by cm that has not been reverted. Commits of other authors are
/// only reverted if they are named.
fn newest(context: &Context, repo: &Repo) -> Result<CommitInfo> {
    let mut taken_back: Vec<String> = Vec::new();
    let mut others = false;
    let mut by_hand: Vec<String> = Vec::new();
    let own = repo.identity_of(context.request.caller.actor.as_deref())?;
    for commit in
        repo.log(&LogFilter { limit: Some(MAX_SEARCHED_COMMITS), vault_only: true, ..LogFilter::default() })?
    {
        let is_own = is_own(repo, &commit, &own)?;
        let Some(message) = &commit.message else { continue };
        if taken_back.contains(&commit.id.to_string()) {
            continue;
        }
        match undone_commit(&commit) {
            Some(undone) => taken_back.push(undone),
            // What a person committed is theirs to take back, by naming it.
            None if message.is_of(&SKIPPED) || commit.parents.len() > 1 => {}
            None if message.is_of(&[CommitOp::Commit]) => by_hand.extend(is_own.then(|| commit.id.short())),
            None if !is_own => others = true,
            None => {
                if let Some(newer) = by_hand.first() {
                    context.notice(format!(
                        "the newer commit of manual edits stays: `cm undo {newer}` takes it back"
                    ));
                }
                return Ok(commit);
            }
        }
    }
    if !write::commits_automatically(context.target())? {
        return Err(write::nothing_done("nothing to undo: `git.commit` is `manual` in this vault")
            .hint("use Git to discard uncommitted changes; `cm config set git.commit auto` commits changes immediately"));
    }
    if others {
        return Err(write::nothing_done("you have no change to undo")
            .hint("`cm log` lists the changes of others; undo one of them by its ID"));
    }
    let nothing = write::nothing_done("nothing to undo");
    Err(match by_hand.first() {
        Some(newest) => {
            nothing.hint(format!("`cm undo {newest}` takes back the last commit of manual edits"))
        }
        None => nothing,
    })
}

/// Returns the hash of the commit that an undo reverted; `None` for other commits.
pub(crate) fn undone_commit(commit: &CommitInfo) -> Option<String> {
    let message = commit.message.as_ref().filter(|message| message.is_of(&[CommitOp::Undo]))?;
    let (_, rest) = message.body.split_once(MARK)?;
    Some(rest.trim_end_matches('.').to_owned())
}

/// Whether the caller made a commit: the person whom the request names, else the user of this clone.
/// Commits of earlier versions name a person in their message only.
fn is_own(repo: &Repo, commit: &CommitInfo, own: &Identity) -> Result<bool> {
    let actor = commit.message.as_ref().and_then(|message| message.actor.as_deref());
    let (name, email) = match actor {
        None => (commit.author.clone(), commit.email.clone()),
        Some(actor) => {
            let author = repo.identity_of(Some(actor))?;
            (author.name, author.email)
        }
    };
    Ok(email == own.email && (!own.email.is_empty() || name == own.name))
}

/// Returns the changes that take the commit back and keep what later commits changed elsewhere in the
/// same files: `new` is the content in HEAD, and `old` the one that the undo writes. Files that are as
/// before the commit are left out. A file that the commit moved is compared with its old path.
fn without_later_changes(
    context: &Context,
    repo: &Repo,
    target: &CommitInfo,
    inverse: Vec<TreeChange>,
) -> Result<Vec<TreeChange>> {
    let Some(head) = repo.head()?.commit else { return Ok(inverse) };
    let settings = &context.target().settings;
    let scoring = scoring(settings);
    let vocabulary = Vocabulary { types: &settings.types, relations: &settings.relations, scoring: &scoring };
    let mut changes_left = Vec::with_capacity(inverse.len());
    let mut conflicts: Vec<NotePath> = Vec::new();
    for change in &inverse {
        let path = place_now(context, repo, head, &inverse, change)?.unwrap_or_else(|| change.path.clone());
        changes_left.push(TreeChange { new: repo.read_at(head, &path)?, path, ..change.clone() });
    }
    let is_move = inverse.iter().any(|change| change.new.is_none());
    for (at, change) in inverse.iter().enumerate() {
        let (now, before) = (changes_left[at].new.clone(), &change.old);
        // A file that a move created may be gone because it was moved on.
        if now == change.new || (now == *before && (now.is_some() || !is_move)) {
            continue;
        }
        let source = change.old.is_none().then(|| moved_from(context, &inverse, change)).flatten();
        let before = source.map_or(before, |source| &inverse[source].old);
        let reverted = match (before, &change.new, &now) {
            (Some(before), Some(after), Some(now)) => {
                cm_merge::revert(&change.path, before, after, now, &vocabulary)
            }
            _ => None,
        };
        match (reverted, source) {
            // A generated file is written again anyway.
            (None, _) if change.path.is_generated() && inverse.len() > 1 => {
                changes_left[at].old.clone_from(&now);
            }
            (None, _) => {
                let path = changes_left[at].path.clone();
                conflicts.extend((path != change.path).then(|| change.path.clone()));
                conflicts.push(path);
            }
            (reverted, Some(source)) => changes_left[source].old = reverted,
            (reverted, None) => changes_left[at].old = reverted,
        }
    }
    if conflicts.is_empty() {
        changes_left.retain(|change| change.old != change.new);
        return Ok(changes_left);
    }
    let later = repo.later_touching(target.id, &conflicts)?;
    Err(Error::refused("depended-on", format!("later commits changed {}", conflicts[0]))
        .at(&conflicts[0], None, None)
        .hint(hint_to_undo(&later, &conflicts[0])))
}

/// Maximum number of commits that the hint to undo others first names.
const MAX_NAMED_COMMITS: usize = 5;

/// Names the later commits that can be undone first: neither merges, nor commits that are undone already, nor their undos.
fn hint_to_undo(later: &[CommitInfo], path: &NotePath) -> String {
    let undone: Vec<String> = later.iter().filter_map(undone_commit).collect();
    let remains = |commit: &&CommitInfo| {
        let is_undo = commit.message.as_ref().is_some_and(|message| message.is_of(&[CommitOp::Undo]));
        commit.parents.len() < 2 && !is_undo && !undone.contains(&commit.id.to_string())
    };
    let possible: Vec<String> = later
        .iter()
        .filter(remains)
        .map(|commit| format!("{} {}", commit.id.short(), commit.subject))
        .collect();
    if possible.is_empty() {
        return format!(
            "`cm history {0}` shows what changed since; `cm edit {0}` changes it by hand",
            shell_words::quote(path.as_str())
        );
    }
    let more = match possible.len().saturating_sub(MAX_NAMED_COMMITS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("undo these first: {}{more}", possible[..possible.len().min(MAX_NAMED_COMMITS)].join("; "))
}

/// Returns the path of the note in HEAD that the commit left at another path; `None` if it is there, or nowhere.
fn place_now(
    context: &Context,
    repo: &Repo,
    head: CommitId,
    inverse: &[TreeChange],
    change: &TreeChange,
) -> Result<Option<NotePath>> {
    let id = |bytes: &[u8]| id_in(context, &change.path, bytes);
    let Some(note_id) = change.new.as_deref().and_then(id) else { return Ok(None) };
    let is_moved_by_commit = inverse.iter().any(|other| {
        other.path != change.path && other.old.as_deref().and_then(id).as_ref() == Some(&note_id)
    });
    if is_moved_by_commit
        || repo.read_at(head, &change.path)?.as_deref().and_then(id) == Some(note_id.clone())
    {
        return Ok(None);
    }
    let notes = context.notes_of(context.target())?;
    let elsewhere = notes.iter().filter(|note| note.id.as_ref() == Some(&note_id)).map(|note| &note.path);
    let free = elsewhere.filter(|path| inverse.iter().all(|other| other.path != **path));
    for path in free {
        if repo.has_at(head, path)? {
            return Ok(Some(path.clone()));
        }
    }
    Ok(None)
}

/// Returns the position of the file that the commit moved to the path of `created`: the removed one
/// with the same ID, or without IDs the only one.
fn moved_from(context: &Context, inverse: &[TreeChange], created: &TreeChange) -> Option<usize> {
    let note_id = id_in(context, &created.path, created.new.as_deref()?);
    let mut removed = inverse.iter().enumerate().filter(|(_, change)| change.new.is_none());
    let (at, _) = removed.find(|(_, change)| {
        change.old.as_deref().is_some_and(|old| id_in(context, &change.path, old) == note_id)
    })?;
    let is_only = inverse.iter().filter(|change| change.old.is_none() || change.new.is_none()).count() == 2;
    (note_id.is_some() || is_only).then_some(at)
}

fn id_in(context: &Context, path: &NotePath, bytes: &[u8]) -> Option<NoteId> {
    context.target().parse(path, bytes).note.id
}

/// Leaves out a generated file that differs from the one in HEAD: it is generated again, so that it does
/// not keep the notes from being undone.
fn leave_edited_core(context: &Context, inverse: &mut Vec<TreeChange>) -> Result<()> {
    let mut edited = Vec::new();
    for change in inverse.iter().filter(|change| change.path.is_generated()) {
        let found = write::content_or_none(context.target(), &change.path)?;
        edited.extend((found != change.new).then(|| change.path.clone()));
    }
    inverse.retain(|change| !edited.contains(&change.path));
    Ok(())
}

/// Refuses the undo if a file has uncommitted edits, which it would overwrite.
fn refuse_hand_edits(context: &Context, inverse: &[TreeChange]) -> Result<()> {
    let open = context.target();
    for change in inverse {
        let found = write::content_or_none(open, &change.path)?;
        if found != change.new {
            return Err(Error::hand_edited(&change.path, format!("{} has uncommitted changes", change.path))
                .hint("commit them first with `cm commit`; the undo then keeps them"));
        }
    }
    Ok(())
}

/// Operations that change notes but never create them. If a note first appears in such a commit, a
/// person had created it.
const CHANGING: [CommitOp; 7] = [
    CommitOp::Adopt,
    CommitOp::Doctor,
    CommitOp::Edit,
    CommitOp::Pin,
    CommitOp::Unpin,
    CommitOp::Unrelate,
    CommitOp::Update,
];

/// Refuses an undo that would delete the only copy of a note that the commit did not create.
fn refuse_losing_notes(context: &Context, target: &CommitInfo, inverse: &[TreeChange]) -> Result<()> {
    let made_none = target.message.as_ref().is_some_and(|message| message.is_of(&CHANGING));
    let goes = |change: &&TreeChange| change.old.is_none() && change.path.is_markdown();
    if !made_none || !inverse.iter().any(|change| goes(&change)) {
        return Ok(());
    }
    let id = |path: &NotePath, bytes: &[u8]| id_in(context, path, bytes);
    let notes = context.notes_of(context.target())?;
    for change in inverse.iter().filter(goes) {
        let Some(lost) = change.new.as_deref().and_then(|bytes| id(&change.path, bytes)) else { continue };
        let comes_back = inverse
            .iter()
            .any(|other| other.old.as_deref().and_then(|old| id(&other.path, old)).as_ref() == Some(&lost));
        let elsewhere = notes.iter().any(|note| {
            note.id.as_ref() == Some(&lost) && inverse.iter().all(|change| change.path != note.path)
        });
        if !comes_back && !elsewhere {
            let (path, commit) = (&change.path, target.id.short());
            return Err(Error::refused(
                "only-copy",
                format!("{path} was in no commit before {commit}; undoing would remove it"),
            )
            .at(path, None, None)
            .hint("change the note with `cm edit`, or remove it with `cm delete`"));
        }
    }
    Ok(())
}

/// Refuses an undo that would remove a note to which edges refer that stay.
fn refuse_dangling(
    context: &Context,
    repo: &Repo,
    target: &CommitInfo,
    inverse: &[TreeChange],
) -> Result<()> {
    let id = |path: &NotePath, bytes: &Option<Vec<u8>>| id_in(context, path, bytes.as_deref()?);
    let removes = inverse.iter().filter(|change| change.old.is_none());
    let removed: Vec<NoteId> = removes.filter_map(|change| id(&change.path, &change.new)).collect();
    let restores = inverse.iter().filter(|change| change.new.is_none());
    let restored: Vec<NoteId> = restores.filter_map(|change| id(&change.path, &change.old)).collect();
    let is_gone = |id: &str| {
        let is_listed = |ids: &[NoteId]| ids.iter().any(|other| other.as_str() == id);
        is_listed(&removed) && !is_listed(&restored)
    };
    if removed.is_empty() {
        return Ok(());
    }
    let notes = context.overview_of(context.target())?;
    let edges: Vec<NotePath> = notes
        .iter()
        .filter(|note| note.edge.as_ref().is_some_and(|edge| is_gone(&edge.from) || is_gone(&edge.to)))
        .filter(|note| inverse.iter().all(|change| change.path != note.path))
        .map(|note| note.path.clone())
        .collect();
    let Some(first) = edges.first() else { return Ok(()) };
    let later = repo.later_touching(target.id, &edges)?;
    let message = match edges.len() {
        1 => format!("{first} refers to a note that the undo would remove"),
        more => format!("{first} and {} more refer to notes that the undo would remove", more - 1),
    };
    Err(Error::refused("depended-on", message).at(first, None, None).hint(hint_to_undo(&later, first)))
}

/// Returns the change that restores the file as it was before the commit, whether or not it was a valid
/// note then.
fn change(undone: &TreeChange) -> VaultFileChange {
    let path = undone.path.clone();
    let expected = undone.new.as_deref().map(ContentHash::of);
    match &undone.old {
        None => VaultFileChange::Remove { path, expected },
        Some(old) => VaultFileChange::Copy { path, expected, bytes: old.clone() },
    }
}
