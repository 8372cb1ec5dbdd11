//! Writes session events to the index in atomic commits.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::query::{BooleanQuery, Query as Foreign, RangeQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, IndexSettings, IndexWriter, Term};

use super::conversations::conversations;
use super::opened::{CommitPayload, META, SessionIndex};
use super::record::{Log, ParseCounts, Session, SessionKey};
use super::redacted_event::RedactedEvent;
use super::schema::{self, session_fact};
use super::store::documents;
use crate::error::{Error, RebuildReason, at};
use crate::lock::IndexWriteLock;
use crate::store::misshapen_is_damaged;
use crate::text::{FramedDirectory, OpenFailure, seal, tokenizers};
use cm_secrets::Redacted;
use cm_session::SessionMeta;

/// Memory budget of the search library's writer, in bytes.
const WRITER_BUDGET_BYTES: usize = 24_000_000;

/// Merge policy: number of segments of similar size that are merged, and the size in documents
/// above which a segment is left alone, because merging maps all its files into memory.
const MERGED_SEGMENTS: usize = 4;
const LARGE_SEGMENT_DOCUMENTS: usize = 40_000;

/// Limits that trigger a commit: bytes of text and number of logs.
const STEP_BYTES: usize = 16_000_000;
const STEP_LOGS: usize = 5_000;

/// The exclusive writer of a session index.
///
/// Events become visible with the commit that follows [`read`](Self::read) at the end of their log,
/// or with [`finish`](Self::finish). Dropping a writer discards everything since the last commit.
/// An event that is added again replaces its earlier version, so that retries never duplicate it.
pub struct SessionStoreWriter {
    folder: PathBuf,
    writer: IndexWriter,
    /// The index at the last commit.
    opened: SessionIndex,
    sessions: HashMap<u64, PendingSession>,
    logs: BTreeMap<String, Option<Log>>,
    /// Sessions in the log that is being read.
    current_log_sessions: HashSet<u64>,
    /// Bytes of text since the last commit.
    waiting: usize,
    /// Whether the pending changes may affect the grouping into conversations.
    conversations_outdated: bool,
    /// Declared last, so that it is released after all other fields are dropped.
    _lock: IndexWriteLock,
}

/// Pending changes of a session.
struct PendingSession {
    session: Session,
    /// Whether the index may hold documents of the session.
    has_documents: bool,
    removed: bool,
}

impl SessionStoreWriter {
    /// Opens the index in `folder`, or creates it, waiting up to `patience` for another writer.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] on timeout; [`Error::Unusable`] if the index is damaged or of another
    /// version. [`SessionStoreWriter::create_new`] then creates a new one.
    pub fn open(folder: &Path, patience: Duration) -> Result<Self, Error> {
        let lock = lock(folder, patience)?;
        match SessionIndex::open(&documents(folder)).map_err(misshapen_is_damaged) {
            Ok(opened) => Self::over(folder, opened, lock),
            Err(Error::Unusable(RebuildReason::Missing)) => Self::create(folder, lock),
            Err(error) => Err(error),
        }
    }

    /// Opens the index in `folder`. If it is missing or unusable, creates a new one and returns the
    /// reason; all logs must then be read from their start. The check runs under the lock, so that
    /// only one of several processes replaces a damaged index.
    ///
    /// # Errors
    ///
    /// The errors of [`SessionStoreWriter::open`] except [`Error::Unusable`].
    pub fn open_or_repair(folder: &Path, patience: Duration) -> Result<(Self, Option<RebuildReason>), Error> {
        let lock = lock(folder, patience)?;
        match SessionIndex::open(&documents(folder)).map_err(misshapen_is_damaged) {
            Ok(opened) => Ok((Self::over(folder, opened, lock)?, None)),
            Err(Error::Unusable(why)) => Ok((Self::create(folder, lock)?, Some(why))),
            Err(error) => Err(error),
        }
    }

    /// Creates a new index in place of the old one. All logs must then be read from their start.
    ///
    /// # Errors
    ///
    /// The errors of [`SessionStoreWriter::open`] except [`Error::Unusable`].
    pub fn create_new(folder: &Path, patience: Duration) -> Result<Self, Error> {
        let lock = lock(folder, patience)?;
        Self::create(folder, lock)
    }

    fn create(folder: &Path, mut lock: IndexWriteLock) -> Result<Self, Error> {
        let documents = documents(folder);
        // First what says that the rest counts: killed half-way, it leaves no index and not half of one.
        for path in [documents.join(META), documents.clone()] {
            clear(&path)?;
        }
        fs::create_dir_all(&documents).map_err(at(&documents))?;
        let directory = FramedDirectory::open(&documents).map_err(at(&documents))?;
        let (schema, _) = schema::schema();
        let mut index = Index::create(directory, schema, IndexSettings::default())?;
        index.set_tokenizers(tokenizers());
        let mut writer = writer(&index)?;
        let mut commit = writer.prepare_commit()?;
        // Later than any commit of an index that lay here before.
        let serial = lock.file_time(&lock_file(folder))?.unsigned_abs();
        commit.set_payload(&CommitPayload { serial, unjoined: false }.payload());
        commit.commit()?;
        drop(writer);
        Self::over(folder, reopened(index)?, lock)
    }

    fn over(folder: &Path, opened: SessionIndex, lock: IndexWriteLock) -> Result<Self, Error> {
        Ok(Self {
            folder: folder.to_owned(),
            writer: writer(&opened.index)?,
            conversations_outdated: opened.stamp.unjoined,
            opened,
            sessions: HashMap::new(),
            logs: BTreeMap::new(),
            current_log_sessions: HashSet::new(),
            waiting: 0,
            _lock: lock,
        })
    }

    /// Returns the record of the log at `path`, including the cursor.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if the index is damaged. All lookups of this type share this error.
    pub fn log(&self, path: &str) -> Result<Option<Log>, Error> {
        match self.logs.get(path) {
            Some(log) => Ok(log.clone()),
            None => Ok(self.opened.guarded(|opened| opened.log_at(path))?),
        }
    }

    /// Returns the metadata of a session, including pending changes.
    pub fn session(&mut self, key: &SessionKey) -> Result<Option<&Session>, Error> {
        let state = self.state(key)?;
        Ok((state.has_documents && !state.removed).then_some(&state.session))
    }

    /// Discards the events of a session before it is read again from its start. The outcome is
    /// preserved.
    pub fn clear_events(&mut self, key: &SessionKey) -> Result<(), Error> {
        self.current_log_sessions.insert(key.number());
        let state = self.state(key)?;
        let has_documents = std::mem::take(&mut state.has_documents);
        state.session.reached = None;
        if has_documents {
            self.conversations_outdated = true;
            self.writer.delete_term(self.opened.fields.session_term(key.number()));
        }
        Ok(())
    }

    /// Adds an event, replacing its earlier version if there is one.
    pub fn event(&mut self, key: &SessionKey, event: &RedactedEvent) -> Result<(), Error> {
        let fields = self.opened.fields;
        let state = self.state(key)?;
        (state.has_documents, state.removed) = (true, false);
        let is_repeated = state.session.reached.is_some_and(|reached| event.place <= reached);
        state.session.reached = state.session.reached.max(Some(event.place));
        self.conversations_outdated |= event.record.is_some();
        if is_repeated {
            let place = Term::from_field_u64(fields.place, event.place);
            let session = TermQuery::new(fields.session_term(key.number()), IndexRecordOption::Basic);
            let place = RangeQuery::new(Bound::Included(place.clone()), Bound::Included(place));
            let both: Vec<Box<dyn Foreign>> = vec![Box::new(session), Box::new(place)];
            self.writer.delete_query(Box::new(BooleanQuery::intersection(both)))?;
        }
        let writer = &self.writer;
        self.waiting += fields.event(key.number(), event, |document| {
            writer.add_document(document)?;
            Ok(())
        })?;
        Ok(())
    }

    /// Updates the metadata of a session from the log at `log`. Removes the session if `cm` itself
    /// started it.
    pub fn meta(&mut self, meta: &SessionMeta, title: Option<Redacted>, log: &str) -> Result<(), Error> {
        let key = SessionKey::of(meta);
        if meta.ours {
            return self.remove(&key);
        }
        self.current_log_sessions.insert(key.number());
        let state = self.state(&key)?;
        (state.has_documents, state.removed) = (true, false);
        let forked = state.session.forked_from();
        state.session.meta = SessionMeta { title: title.map(Redacted::into_string), ..meta.clone() };
        state.session.log = Some(log.to_owned());
        self.conversations_outdated |= state.session.forked_from() != forked;
        Ok(())
    }

    /// Sets the outcome of a session.
    pub fn outcome(&mut self, key: &SessionKey, outcome: Option<String>) -> Result<(), Error> {
        self.state(key)?.session.outcome = outcome;
        Ok(())
    }

    /// Removes a session and its events.
    pub fn remove(&mut self, key: &SessionKey) -> Result<(), Error> {
        let state = self.state(key)?;
        let has_documents = std::mem::take(&mut state.has_documents);
        state.session = Session::new(key);
        state.removed = true;
        if has_documents {
            self.conversations_outdated = true;
            self.writer.delete_term(self.opened.fields.session_term(key.number()));
        }
        Ok(())
    }

    /// Records that a log was read to its end, with the cursor for the next reading. If it was read
    /// from its start, sessions that it no longer contains are removed and the counts start over.
    /// Commits when enough is pending.
    pub fn read(
        &mut self,
        path: &str,
        cursor: String,
        understood: ParseCounts,
        from_start: bool,
    ) -> Result<(), Error> {
        let read = std::mem::take(&mut self.current_log_sessions);
        let mut all = understood;
        if from_start {
            let before = self.opened.guarded(|opened| opened.sessions_of_log(path))?;
            for key in before.iter().filter(|key| !read.contains(&key.number())) {
                // Another log may tell it by now.
                if self.state(key)?.session.log.as_deref() == Some(path) {
                    self.remove(key)?;
                }
            }
        } else if let Some(before) = self.log(path)? {
            all.add(&before.understood);
        }
        self.logs.insert(path.to_owned(), Some(Log { path: path.to_owned(), cursor, understood: all }));
        if self.waiting >= STEP_BYTES || self.logs.len() >= STEP_LOGS { self.commit() } else { Ok(()) }
    }

    /// Deletes the record of a log, so that the next reading starts over. Its sessions stay until
    /// then. Called after a failed reading.
    pub fn forget_log(&mut self, path: &str) {
        self.logs.insert(path.to_owned(), None);
    }

    /// Commits all pending changes.
    pub fn commit(&mut self) -> Result<(), Error> {
        if self.sessions.is_empty() && self.logs.is_empty() {
            return Ok(());
        }
        // Sessions and logs lie together, behind the step's stretches, so that all can be read without the stretches.
        for state in std::mem::take(&mut self.sessions).into_values() {
            self.put_session(&state.session, state.has_documents && !state.removed)?;
        }
        for (path, log) in std::mem::take(&mut self.logs) {
            self.writer.delete_term(self.opened.fields.log_term(&path));
            if let Some(log) = log {
                self.writer.add_document(self.opened.fields.log(&log))?;
            }
        }
        self.write_commit(self.conversations_outdated)
    }

    /// Commits all pending changes, updates the conversations, and waits for merges to finish.
    pub fn finish(mut self) -> Result<(), Error> {
        self.commit()?;
        if self.conversations_outdated {
            self.join()?;
        }
        let Self { writer, opened, folder, _lock, .. } = self;
        writer.wait_merging_threads()?;
        seal::write(&opened.index, &documents(&folder))
    }

    /// Updates the conversation number of every session where it changed.
    fn join(&mut self) -> Result<(), Error> {
        let changed = self.opened.guarded(|opened| {
            let conversations = conversations(opened)?;
            let book = opened.book()?;
            let mut changed = Vec::new();
            for (number, line) in &book.sessions {
                let conversation = conversations.get(number).copied().unwrap_or(*number);
                if conversation != line.conversation {
                    changed.push(Session { conversation, ..opened.session(line.address)? });
                }
            }
            Ok(changed)
        })?;
        for session in changed {
            self.put_session(&session, true)?;
        }
        self.write_commit(false)
    }

    fn put_session(&mut self, session: &Session, is_there: bool) -> Result<(), Error> {
        let fields = &self.opened.fields;
        self.writer.delete_term(fields.fact(&session_fact(&session.key())));
        if is_there {
            self.writer.add_document(fields.session(session))?;
        }
        Ok(())
    }

    fn write_commit(&mut self, unjoined: bool) -> Result<(), Error> {
        let stamp = CommitPayload { serial: self.opened.stamp.serial + 1, unjoined };
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&stamp.payload());
        commit.commit()?;
        self.opened = reopened(self.opened.index.clone())?;
        self.conversations_outdated = unjoined;
        self.waiting = 0;
        seal::write(&self.opened.index, &documents(&self.folder))
    }

    fn state(&mut self, key: &SessionKey) -> Result<&mut PendingSession, Error> {
        let number = key.number();
        if !self.sessions.contains_key(&number) {
            let fact = self.opened.fields.fact(&session_fact(key));
            let session = self.opened.guarded(|opened| match opened.having(&fact)?.first() {
                Some(address) => opened.session(*address).map(Some),
                None => Ok(None),
            })?;
            let has_documents = session.is_some();
            let session = session.unwrap_or_else(|| Session::new(key));
            self.sessions.insert(number, PendingSession { session, has_documents, removed: false });
        }
        Ok(self.sessions.entry(number).or_insert_with(|| PendingSession {
            session: Session::new(key),
            has_documents: false,
            removed: false,
        }))
    }
}

fn lock(folder: &Path, patience: Duration) -> Result<IndexWriteLock, Error> {
    if folder.is_file() {
        fs::remove_file(folder).map_err(at(folder))?;
    }
    fs::create_dir_all(folder).map_err(at(folder))?;
    let path = lock_file(folder);
    if path.is_dir() {
        fs::remove_dir_all(&path).map_err(at(&path))?;
    }
    IndexWriteLock::acquire(&path, patience)?.ok_or(Error::Busy { path, seconds: patience.as_secs() })
}

fn lock_file(folder: &Path) -> PathBuf {
    folder.join("lock")
}

/// Deletes a file or folder, if it exists.
fn clear(path: &Path) -> Result<(), Error> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error)
            if !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Err(at(path)(error))
        }
        _ => Ok(()),
    }
}

fn reopened(index: Index) -> Result<SessionIndex, Error> {
    SessionIndex::of(index).map_err(|failure| match failure {
        OpenFailure::Unusable(why) => why.into(),
        OpenFailure::Io(error) => Error::Text(error.into()),
    })
}

fn writer(index: &Index) -> Result<IndexWriter, Error> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(WRITER_BUDGET_BYTES)
        .build();
    let writer = index.writer_with_options(options)?;
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED_SEGMENTS);
    policy.set_max_docs_before_merge(LARGE_SEGMENT_DOCUMENTS);
    policy.set_min_layer_size(10_000);
    policy.set_del_docs_ratio_before_merge(0.3);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}
