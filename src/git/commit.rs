//! One curation, one commit: exactly its paths, and of each exactly its lines.
//!
//! Objects are written first, without a lock. Then the index is locked, read, changed for these paths and
//! written into the lock; the branch moves if it still is where it was; the lock becomes the index. What
//! the person has staged, edited or left untracked is never read as the curation's own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant as Moment};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Mode;
use gix::objs::tree::{EntryKind, EntryMode};
use gix::refs::Target;
use gix::refs::transaction::{PreviousValue, RefEdit};

use crate::domain::instant::Instant;
use crate::domain::message::Message;
use crate::domain::path::NotePath;
use crate::git::blobs::Blobs;
use crate::git::error::{Doing, Error, Result};
use crate::git::identity::Signatures;
use crate::git::lock::IndexLock;
use crate::git::repo::{CommitId, Repo};
use crate::git::staging::{Slot, Staging};
use crate::git::trees::Leaf;

/// Makes the curation's change in another version of the same note; `None` where it cannot be made cleanly.
pub type Reapply<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One path of a curation.
pub struct PathChange<'a> {
    /// Where.
    pub path: NotePath,
    /// What was done to it.
    pub kind: Kind<'a>,
}

/// What was done to a path. The work tree has it already.
pub enum Kind<'a> {
    /// The file was written, and only the lines that the curation changed are to be committed.
    Write {
        /// The file before the curation; `None` where there was none.
        before: Option<Vec<u8>>,
        /// The file after it.
        after: Vec<u8>,
        /// How to make the same change in a version that is neither; without it, such a note is committed whole.
        reapply: Option<Reapply<'a>>,
    },
    /// The file is to be committed as it is, hand edits and all.
    Whole {
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// The file was removed.
    Remove,
}

/// How to commit.
#[derive(Debug, Clone)]
pub struct Options {
    /// The time of the commit.
    pub at: Instant,
    /// Whether git's hooks run, which takes git itself to commit.
    pub hooks: bool,
    /// How long to wait for other programs' locks.
    pub wait: Duration,
}

impl Options {
    /// No hooks, and five seconds of patience.
    pub fn new(at: Instant) -> Self {
        Self { at, hooks: false, wait: Duration::from_secs(5) }
    }
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Its name.
    pub id: CommitId,
    /// Notes whose hand edits could not be told from the curation and went in with it; the message says so.
    pub whole: Vec<NotePath>,
}

/// One path, planned against a parent commit.
pub(super) struct Item<'c> {
    path: &'c NotePath,
    pub place: BString,
    head: Option<Leaf>,
    mode: EntryMode,
    ignored: bool,
    content: Option<Content<'c>>,
}

/// What a written path becomes; a removed one has none.
struct Content<'c> {
    before: Option<ObjectId>,
    after: ObjectId,
    bytes: &'c [u8],
    /// What the commit gets.
    tree: ObjectId,
    /// Whether hand edits go in too.
    entire: bool,
    /// Whether that was not asked for.
    unasked: bool,
    reapply: Option<Reapply<'c>>,
}

/// A commit in the making.
pub(super) struct Plan<'c> {
    pub parent: Option<ObjectId>,
    pub tree: ObjectId,
    pub items: Vec<Item<'c>>,
}

/// What came of one attempt.
enum Outcome {
    Done(Option<Committed>),
    /// The staged version of this note does not take the change: it must go in whole.
    Whole(NotePath),
    /// Somebody else was faster.
    Again(Option<Error>),
}

impl Repo {
    /// Commits these paths and nothing else; `None` where the branch has all of it already. The index
    /// follows in either case, so that committing once more after a crash repairs it.
    pub fn commit(
        &self,
        changes: &[PathChange<'_>],
        message: &Message,
        options: &Options,
    ) -> Result<Option<Committed>> {
        let begun = Moment::now();
        let mut whole = BTreeSet::new();
        let mut attempts = 0;
        loop {
            match self.attempt(changes, message, options, &whole, attempts)? {
                Outcome::Done(committed) => return Ok(committed),
                Outcome::Whole(path) => {
                    whole.insert(path);
                }
                Outcome::Again(reason) => {
                    attempts += 1;
                    if attempts >= 3 && begun.elapsed() >= options.wait {
                        let git_dir = self.git_dir().to_owned();
                        return Err(reason.unwrap_or(Error::Moved { git_dir, attempts }));
                    }
                    std::thread::sleep(Duration::from_millis(u64::from(attempts.min(20))));
                }
            }
        }
    }

    fn attempt(
        &self,
        changes: &[PathChange<'_>],
        message: &Message,
        options: &Options,
        whole: &BTreeSet<NotePath>,
        attempts: u32,
    ) -> Result<Outcome> {
        if let Some(operation) = self.state() {
            return Err(Error::InProgress { workdir: self.workdir.clone(), operation });
        }
        // The lock is taken late, because git never waits for it; but one who lost a race takes it early,
        // so that the next race cannot be lost to another of us.
        let early = match attempts {
            0 => None,
            _ => Some(IndexLock::take(self, options.wait)?),
        };
        let plan = self.plan(changes, whole)?;
        let told = plan.told(message);
        let base = plan.parent.map(|parent| self.tree_of(parent)).transpose()?;
        let needed = match base {
            Some(base) => base != plan.tree,
            None => plan.items.iter().any(|item| item.content.is_some()),
        };
        if needed && options.hooks {
            drop(early);
            return self.commit_with_hooks(plan, &told, options);
        }
        let signatures = self.signatures(options.at)?;
        let commit = match needed {
            true => Some(self.write_commit(&plan, &told, &signatures)?),
            false => None,
        };
        let mut lock = match early {
            Some(lock) => lock,
            None => IndexLock::take(self, options.wait)?,
        };
        if self.head_id()? != plan.parent {
            return Ok(Outcome::Again(None));
        }
        let mut staging = Staging::open(self)?;
        if let Some(path) = self.stage(&mut staging, &plan)? {
            return Ok(Outcome::Whole(path));
        }
        if staging.is_changed() {
            staging.write(&lock)?;
        }
        if let Some(id) = commit {
            if staging.is_changed() {
                lock.announce(id)?;
            }
            if let Some(lost) = self.move_head(plan.parent, id, &told, &signatures)? {
                return Ok(lost);
            }
        }
        if staging.is_changed() {
            lock.publish()?;
        }
        Ok(Outcome::Done(commit.map(|id| Committed { id: CommitId(id), whole: plan.whole() })))
    }

    /// Writes the blobs and trees of the commit to come.
    fn plan<'c>(&self, changes: &'c [PathChange<'c>], whole: &BTreeSet<NotePath>) -> Result<Plan<'c>> {
        let parent = self.head_id()?;
        let base = parent.map(|parent| self.tree_of(parent)).transpose()?;
        let removed: BTreeSet<BString> = changes
            .iter()
            .filter(|change| matches!(change.kind, Kind::Remove))
            .map(|change| self.place(&change.path))
            .collect();
        let mut blobs = Blobs::new(self)?;
        let mut items = Vec::with_capacity(changes.len());
        for change in changes {
            let place = self.place(&change.path);
            check_path(&change.path, &place)?;
            let head = self.tracked(base, change, &place, &removed)?;
            let content = self.content(change, &place, head, &mut blobs, whole)?;
            let mode = match head {
                Some(leaf) => leaf.mode,
                None => self.mode_of(&change.path),
            };
            items.push(Item { path: &change.path, place, head, mode, ignored: false, content });
        }
        self.mark_ignored(&mut items)?;
        let tree = self.edit(base, &items)?;
        Ok(Plan { parent, tree, items })
    }

    /// What the parent commit has at a path, after making sure that the change can stand there.
    fn tracked(
        &self,
        base: Option<ObjectId>,
        change: &PathChange<'_>,
        place: &BString,
        removed: &BTreeSet<BString>,
    ) -> Result<Option<Leaf>> {
        let trail = self.trail(base, place.as_ref(), None)?;
        let collision = |tracked: String| Err(Error::Collision { path: change.path.clone(), tracked });
        if let Some(leaf) = trail.leaf() {
            return match leaf {
                leaf if leaf.mode.is_tree() => collision(format!("{place}/")),
                leaf if !leaf.is_file() => Err(Error::NotAFile { path: change.path.clone() }),
                leaf => Ok(Some(leaf)),
            };
        }
        let Some((depth, leaf)) = trail.furthest().filter(|(_, leaf)| !leaf.mode.is_tree()) else {
            return Ok(None);
        };
        debug_assert!(leaf.mode.is_no_tree());
        let ends = place.find_iter(b"/").nth(depth - 1).unwrap_or(place.len());
        let blocking: BString = place[..ends].into();
        let blocks = !removed.contains(&blocking) && !matches!(change.kind, Kind::Remove);
        if blocks { collision(blocking.to_string()) } else { Ok(None) }
    }

    fn content<'c>(
        &self,
        change: &'c PathChange<'c>,
        place: &BString,
        head: Option<Leaf>,
        blobs: &mut Blobs<'_>,
        whole: &BTreeSet<NotePath>,
    ) -> Result<Option<Content<'c>>> {
        let stored = head.map(|leaf| leaf.id);
        let (before, bytes, reapply, asked) = match &change.kind {
            Kind::Remove => return Ok(None),
            Kind::Whole { bytes } => (None, bytes, None, true),
            Kind::Write { before, after, reapply } => (before.as_ref(), after, *reapply, false),
        };
        let before = match before {
            Some(before) => {
                Some(self.blob_id(&blobs.to_git(place.as_ref(), before, stored)?)?)
            }
            None => None,
        };
        let after = self.write_blob(&blobs.to_git(place.as_ref(), bytes, stored)?)?;
        let mut content =
            Content { before, after, bytes, tree: after, entire: asked, unasked: false, reapply };
        if !asked {
            let own = match whole.contains(&change.path) {
                true => None,
                false => self.own_lines(&content, place, stored, blobs)?,
            };
            content.entire = own.is_none();
            content.unasked = own.is_none();
            content.tree = own.unwrap_or(after);
        }
        Ok(Some(content))
    }

    /// A version of a note with the curation's lines changed and no others; `None` where that cannot be done.
    fn own_lines(
        &self,
        content: &Content<'_>,
        place: &BString,
        version: Option<ObjectId>,
        blobs: &mut Blobs<'_>,
    ) -> Result<Option<ObjectId>> {
        if version == content.before || version == Some(content.after) {
            return Ok(Some(content.after));
        }
        let (Some(version), Some(reapply)) = (version, content.reapply) else { return Ok(None) };
        let text = blobs.read(place.as_ref(), version)?;
        let Some(changed) = std::str::from_utf8(&text).ok().and_then(reapply) else { return Ok(None) };
        let stored = blobs.to_git(place.as_ref(), changed.as_bytes(), Some(version))?;
        self.write_blob(&stored).map(Some)
    }

    /// The mode of a new note: executable only where the file is, and the repository cares.
    fn mode_of(&self, path: &NotePath) -> EntryMode {
        let cares = self.inner.config_snapshot().boolean("core.fileMode").unwrap_or(cfg!(unix));
        let file = gix::index::fs::Metadata::from_path_no_follow(&self.file(path));
        match cares && file.is_ok_and(|file| file.is_executable()) {
            true => EntryKind::BlobExecutable.into(),
            false => EntryKind::Blob.into(),
        }
    }

    fn mark_ignored(&self, items: &mut [Item<'_>]) -> Result<()> {
        let mut new: Vec<_> =
            items.iter_mut().filter(|item| item.head.is_none() && item.content.is_some()).collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut ignores = self.ignores()?;
        for item in &mut new {
            let path = gix::path::from_bstr(item.place.as_bstr()).doing("reading a path", self.git_dir())?;
            let entry = ignores.at_path(path, Some(Mode::FILE)).doing("reading .gitignore", self.git_dir())?;
            item.ignored = entry.is_excluded();
        }
        Ok(())
    }

    /// What the `.gitignore` files and their kin say, as they are now.
    pub(super) fn ignores(&self) -> Result<gix::AttributeStack<'_>> {
        let none = gix::index::State::new(self.inner.object_hash());
        self.inner
            .excludes(&none, None, gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped)
            .doing("reading .gitignore", self.git_dir())
    }

    /// Writes the trees of the parent with these paths changed.
    fn edit(&self, base: Option<ObjectId>, items: &[Item<'_>]) -> Result<ObjectId> {
        const DOING: &str = "writing a tree";
        let place = self.git_dir();
        let base = base.unwrap_or_else(|| ObjectId::empty_tree(self.inner.object_hash()));
        let mut editor = self.inner.edit_tree(base).doing(DOING, place)?.detach();
        let parts = |path: &BString| path.split(|byte| *byte == b'/').map(BString::from).collect::<Vec<_>>();
        for item in items.iter().filter(|item| item.head.is_some() && item.content.is_none()) {
            editor.remove(parts(&item.place)).doing(DOING, place)?;
        }
        for item in items {
            if let Some(content) = &item.content {
                editor.upsert(parts(&item.place), item.mode.kind(), content.tree).doing(DOING, place)?;
            }
        }
        editor.write(|tree| self.inner.write_object(tree).map(gix::Id::detach)).doing(DOING, place)
    }

    fn write_commit(&self, plan: &Plan<'_>, message: &str, signatures: &Signatures) -> Result<ObjectId> {
        let commit = gix::objs::Commit {
            tree: plan.tree,
            parents: plan.parent.into_iter().collect(),
            author: signatures.author.clone(),
            committer: signatures.committer.clone(),
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let signing = self
            .inner
            .commit_signing_options_if_enabled()
            .doing("reading how to sign commits", self.git_dir())?;
        let commit = match signing {
            Some(options) => commit.sign(options).doing("signing the commit", self.git_dir())?,
            None => commit,
        };
        Ok(self.inner.write_object(commit).doing("writing a commit", self.git_dir())?.detach())
    }

    /// Brings the index after the commit; answers with a note whose staged version does not take the change.
    pub(super) fn stage(&self, staging: &mut Staging<'_>, plan: &Plan<'_>) -> Result<Option<NotePath>> {
        let mut blobs = Blobs::new(self)?;
        for item in plan.items.iter().filter(|item| item.content.is_none()) {
            if staging.slot(item.place.as_ref())? == Slot::Conflict {
                return Err(Error::Unmerged { path: item.path.clone() });
            }
            staging.remove(item.place.as_ref());
        }
        for item in &plan.items {
            let Some(content) = &item.content else { continue };
            let path = || item.path.clone();
            let slot = staging.slot(item.place.as_ref())?;
            let (staged, mode) = match slot {
                Slot::Conflict => return Err(Error::Unmerged { path: path() }),
                Slot::Empty if item.ignored => return Err(Error::Ignored { path: path() }),
                Slot::Empty => (None, Mode::from(item.mode)),
                Slot::Staged { mode: Mode::SYMLINK | Mode::COMMIT, .. } => {
                    return Err(Error::NotAFile { path: path() });
                }
                Slot::Staged { id, mode } => (Some(id), mode),
            };
            if let Some(tracked) = staging.collision(item.place.as_ref()) {
                return Err(Error::Collision { path: path(), tracked: tracked.to_string() });
            }
            let target = match staged {
                _ if content.entire => content.after,
                staged if staged == item.head.map(|leaf| leaf.id) => content.tree,
                // Taken out of the index by hand: what is staged is the removal, and it stays staged.
                None if item.head.is_some() => continue,
                staged => match self.own_lines(content, &item.place, staged, &mut blobs)? {
                    Some(id) => id,
                    None => return Ok(Some(path())),
                },
            };
            let stat = match target == content.after {
                true => self.stat_of(&self.file(item.path), content.bytes)?,
                false => None,
            };
            staging.put(item.place.as_ref(), target, mode, stat);
        }
        Ok(None)
    }

    /// Moves the branch that HEAD names, or HEAD itself, from the parent to the commit.
    fn move_head(
        &self,
        parent: Option<ObjectId>,
        commit: ObjectId,
        message: &str,
        signatures: &Signatures,
    ) -> Result<Option<Outcome>> {
        use gix::refs::file::transaction::prepare::{MustNotExist, ReferenceOutOfDate};
        let expected = match parent {
            Some(parent) => PreviousValue::MustExistAndMatch(Target::Object(parent)),
            None => PreviousValue::MustNotExist,
        };
        let log = gix::reference::log::message("commit", message.into(), usize::from(parent.is_some()));
        let head = "HEAD".try_into().expect("HEAD is a valid name of a reference");
        let edit = RefEdit::update(head, commit, expected, log).with_deref(true);
        let mut time = gix::date::parse::TimeBuf::default();
        let committer = signatures.committer.to_ref(&mut time);
        match self.inner.edit_references_as(Some(edit), Some(committer)) {
            Ok(_) => Ok(None),
            Err(err) => {
                let moved = err.downcast_any_ref::<ReferenceOutOfDate>().is_some()
                    || err.downcast_any_ref::<MustNotExist>().is_some();
                let locked = err.classify().is_retryable();
                match (Err::<(), _>(err)).doing("moving the branch", self.git_dir()) {
                    Err(_) if moved => Ok(Some(Outcome::Again(None))),
                    Err(err) if locked => Ok(Some(Outcome::Again(Some(err)))),
                    other => other.map(|()| None),
                }
            }
        }
    }

    /// git makes the commit, from an index of its own; then the real index follows.
    fn commit_with_hooks(&self, mut plan: Plan<'_>, message: &str, options: &Options) -> Result<Outcome> {
        if let Some(path) = self.stage(&mut Staging::open(self)?, &plan)? {
            return Ok(Outcome::Whole(path));
        }
        let id = self.commit_through_git(&plan, message, &self.signatures(options.at)?)?;
        let tree = self.tree_of(id)?;
        for item in &mut plan.items {
            // A hook may have changed the note on its way.
            let committed = self.trail(Some(tree), item.place.as_ref(), None)?.file();
            if let (Some(content), Some(leaf)) = (&mut item.content, committed) {
                content.tree = leaf.id;
            }
        }
        let lock = IndexLock::take(self, options.wait)?;
        let mut staging = loop {
            let mut staging = Staging::open(self)?;
            match self.stage(&mut staging, &plan)? {
                None => break staging,
                // Staged anew while the hooks ran: it stays as the person left it.
                Some(path) => plan.items.retain(|item| *item.path != path),
            }
        };
        self.stage_of_hooks(&mut staging, &plan, id)?;
        if staging.is_changed() {
            staging.write(&lock)?;
            lock.publish()?;
        }
        Ok(Outcome::Done(Some(Committed { id: CommitId(id), whole: plan.whole() })))
    }

    /// Paths that a hook added to the commit follow in the index, unless the person has staged something else there.
    fn stage_of_hooks(&self, staging: &mut Staging<'_>, plan: &Plan<'_>, commit: ObjectId) -> Result<()> {
        let old = plan.parent.map(|parent| self.tree_of(parent)).transpose()?;
        let mut changed = Vec::new();
        self.compare(old, Some(self.tree_of(commit)?), &BString::default(), &mut changed)?;
        for (place, old, new) in changed {
            if plan.items.iter().any(|item| item.place == place) {
                continue;
            }
            let staged = match staging.slot(place.as_ref())? {
                Slot::Staged { id, .. } => Some(id),
                Slot::Empty => None,
                Slot::Conflict => continue,
            };
            if staged != old.map(|leaf| leaf.id) {
                continue;
            }
            match new {
                Some(leaf) => {
                    let file = self.workdir.join(gix::path::from_bstr(place.as_bstr()).unwrap_or_default());
                    let stat = match leaf.is_file() {
                        true => self.stat_of(&file, &self.blob(leaf.id)?)?,
                        false => None,
                    };
                    staging.put(place.as_ref(), leaf.id, leaf.mode.into(), stat);
                }
                None => staging.remove(place.as_ref()),
            }
        }
        Ok(())
    }
}

impl Plan<'_> {
    /// The notes that go in whole without having been asked to.
    fn whole(&self) -> Vec<NotePath> {
        let unasked = |item: &&Item<'_>| item.content.as_ref().is_some_and(|content| content.unasked);
        self.items.iter().filter(unasked).map(|item| item.path.clone()).collect()
    }

    /// The message, which names the notes that go in whole.
    fn told(&self, message: &Message) -> String {
        let whole = self.whole();
        if whole.is_empty() {
            return message.to_string();
        }
        let mut message = message.clone();
        let list: Vec<String> = whole.iter().map(|path| format!("- {path}")).collect();
        let note = format!("Committed whole, with the edits made by hand:\n{}", list.join("\n"));
        message.body = format!("{}\n\n{note}", message.body.trim()).trim().to_owned();
        message.to_string()
    }
}

/// git would refuse to check out a tree with such a path.
fn check_path(path: &NotePath, place: &BString) -> Result<()> {
    let options = gix::validate::path::component::Options {
        protect_windows: cfg!(windows),
        ..Default::default()
    };
    let sound = place
        .split(|byte| *byte == b'/')
        .all(|part| gix::validate::path::component(part.into(), None, options).is_ok());
    if sound { Ok(()) } else { Err(Error::UnsafePath { path: path.clone() }) }
}
