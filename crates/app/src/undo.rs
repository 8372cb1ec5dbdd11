//! Taking a curation back by a new commit. What others have built on it is never lost: it refuses and names them.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::log::repository;
use super::memory::Memory;
use super::past::revision;
use super::write;
use cm_note::change::{Change, ChangeSet, ContentHash};
use cm_note::message::Message;
use cm_note::note::read;
use cm_note::path::NotePath;
use cm_store::git::{CommitInfo, LogFilter, Repo, TreeChange};

/// A curation that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Undone {
    /// The commit that was taken back.
    pub undone: String,
    /// Its first line.
    pub subject: String,
    /// The notes that it was about.
    pub ids: Vec<String>,
    /// The first of the files that changed.
    pub path: Option<String>,
    /// The files that changed.
    pub paths: Vec<String>,
    /// The new commit; null where commits are manual.
    pub commit: Option<String>,
    /// Whether anything changed.
    pub changed: bool,
}

/// What an undo's message says of the commit that it takes back.
const MARK: &str = "This takes back commit ";
/// How far back the newest curation is looked for.
const FAR: usize = 1000;

/// Takes a commit back: the named one, else the newest curation of this person that is neither an undo nor undone. The
/// commit that made the vault stays.
///
/// # Errors
/// No such commit, nothing to undo, later changes of the same notes, and those of [`write::apply`].
pub fn undo(memory: &Memory, named: Option<&str>) -> Result<Undone> {
    write::recover(memory)?;
    let repo = repository(memory.target())?;
    let target = match named {
        Some(named) => repo.commit_info(revision(memory, named)?)?,
        None => newest(memory, repo)?,
    };
    if target.message.as_ref().is_some_and(|message| message.op == "init") {
        return Err(Error::refused(
            "made-the-vault",
            format!("{} made this folder a vault", target.id.short()),
        )
        .hint("the files of a vault that is no longer wanted are removed by hand"));
    }
    // A commit of hand edits holds a person's words, whoever asked for it.
    let by_agent = |message: &Message| message.agent.is_some() && message.op != "commit";
    let is_agents = target.message.as_ref().is_some_and(by_agent);
    if !is_agents {
        memory.persons_only("undo a person's commit")?;
    }
    if target.parents.len() > 1 {
        return Err(Error::refused(
            "merge",
            format!("{} is a merge, and has no one side to go back to", target.id.short()),
        )
        .hint("`git revert -m 1` says which side"));
    }
    let inverse = repo.inverse(target.id)?;
    if inverse.is_empty() {
        return Err(Error::refused(
            "nothing-in-it",
            format!("{} changed nothing in the vault", target.id.short()),
        ));
    }
    untouched_since(repo, &target, &inverse)?;
    free_of_hand_edits(memory, &inverse)?;
    loses_no_note(memory, &target, &inverse)?;
    let changes = inverse.iter().map(change).collect::<Result<Vec<_>>>()?;
    let ids = target.message.as_ref().map(|message| message.ids.clone()).unwrap_or_default();
    let mut message = Message::new("undo", format!("Undo: {}", target.subject));
    message.body = format!("{MARK}{}.", target.id);
    message.ids.clone_from(&ids);
    let written = write::apply(memory, ChangeSet { message, changes })?;
    Ok(Undone {
        undone: target.id.to_string(),
        subject: target.subject,
        ids,
        path: inverse.first().map(|change| change.path.to_string()),
        paths: inverse.into_iter().map(|change| change.path.into()).collect(),
        commit: written.commit,
        changed: !written.changed.is_empty(),
    })
}

/// The newest curation of this person that stands. What came from others by a pull is theirs: it is taken back by its
/// name alone.
fn newest(memory: &Memory, repo: &Repo) -> Result<CommitInfo> {
    let mut taken_back: Vec<String> = Vec::new();
    let mut others = false;
    let own = repo.identity()?;
    for commit in repo.log(&LogFilter { limit: Some(FAR), vault_only: true, ..LogFilter::default() })? {
        let is_own = commit.email == own.email && (!own.email.is_empty() || commit.author == own.name);
        let Some(message) = &commit.message else { continue };
        match message.body.split_once(MARK).filter(|_| message.op == "undo") {
            Some((_, rest)) => taken_back.push(rest.trim_end_matches('.').to_owned()),
            // What a person committed is theirs to take back, by naming it.
            None if matches!(message.op.as_str(), "commit" | "init") => {}
            None if !is_own => others = true,
            None if taken_back.contains(&commit.id.to_string()) => {}
            None => return Ok(commit),
        }
    }
    if !write::commits(memory.target())? {
        return Err(write::nothing("there is no curation to undo: `git.commit` is `manual` in this vault")
            .hint("what is not committed yet is taken back with git; `cm config set git.commit auto` commits at once"));
    }
    if others {
        return Err(write::nothing("there is no curation of yours to undo")
            .hint("`cm log` lists those of others; one of them is taken back by its id"));
    }
    Err(write::nothing("there is no curation to undo"))
}

/// Refuses where the files are no longer what the commit made of them, naming the commits that changed them.
fn untouched_since(repo: &Repo, target: &CommitInfo, inverse: &[TreeChange]) -> Result<()> {
    let Some(head) = repo.head()?.commit else { return Ok(()) };
    let mut touched: Vec<NotePath> = Vec::new();
    for change in inverse {
        if repo.read_at(head, &change.path)? != change.new {
            touched.push(change.path.clone());
        }
    }
    if touched.is_empty() {
        return Ok(());
    }
    let later = repo.later_touching(target.id, &touched)?;
    let named: Vec<String> =
        later.iter().take(5).map(|commit| format!("{} {}", commit.id.short(), commit.subject)).collect();
    Err(Error::refused("depended-on", format!("later commits changed {}", touched[0]))
        .at(&touched[0], None, None)
        .hint(format!("undo these first: {}", named.join("; "))))
}

/// Refuses where the person has changed a file since, which an undo would overwrite.
fn free_of_hand_edits(memory: &Memory, inverse: &[TreeChange]) -> Result<()> {
    let open = memory.target();
    for change in inverse {
        let found = open.vault.read(&change.path).ok();
        if found != change.new {
            return Err(Error::refused(
                "hand-edited",
                format!("{} has edits that no commit holds", change.path),
            )
            .at(&change.path, None, None)
            .hint("take them out, or `cm commit` them and undo that commit first"));
        }
    }
    Ok(())
}

/// Verbs whose commits change notes and make none: where such a commit was the first to hold a note, a person made it.
const CHANGING: [&str; 7] = ["adopt", "doctor", "edit", "pin", "unpin", "unrelate", "update"];

/// Refuses where the work tree would lose the only copy of a note that the commit did not make.
fn loses_no_note(memory: &Memory, target: &CommitInfo, inverse: &[TreeChange]) -> Result<()> {
    let made_none = target.message.as_ref().is_some_and(|message| CHANGING.contains(&message.op.as_str()));
    let goes = |change: &&TreeChange| change.old.is_none() && change.path.as_str().ends_with(".md");
    if !made_none || !inverse.iter().any(|change| goes(&change)) {
        return Ok(());
    }
    let open = memory.target();
    let id = |path: &NotePath, bytes: &[u8]| {
        read::read(path, bytes, &open.settings.types, &open.settings.relations).note.id
    };
    let notes = memory.notes_of(open)?;
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
                format!("{path} was in no commit before {commit}, and taking that back would remove it"),
            )
            .at(path, None, None)
            .hint("`cm edit` changes the note back, `cm delete` removes it"));
        }
    }
    Ok(())
}

/// The change that takes a file back to what it was.
fn change(undone: &TreeChange) -> Result<Change> {
    let path = undone.path.clone();
    let expected = undone.new.as_deref().map(ContentHash::of);
    let Some(old) = &undone.old else { return Ok(Change::Remove { path, expected }) };
    let text = String::from_utf8(old.clone()).map_err(|_| {
        Error::refused("invalid-utf8", format!("{path} was not UTF-8 before"))
            .hint(format!("`git checkout` brings back the bytes of {path}"))
    })?;
    Ok(match expected {
        None => Change::Create { path, text },
        expected => Change::Replace { path, expected, text },
    })
}
