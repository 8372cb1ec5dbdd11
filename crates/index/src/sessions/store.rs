//! Read access to the folder of the session index.
//!
//! ```text
//! _index/sessions/lock           held by the writer
//! _index/sessions/documents/     files of the search library, with their seal
//! ```

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::evidence::ConversationEvidence;
use super::filter::SessionIndexFilter;
use super::list::{IndexedSessionPage, SessionLookup};
use super::opened::{META, SessionIndex};
use super::passages::SessionPassage;
use super::record::{Log, SessionKey};
use super::schema::IS_LOG;
use super::search::{SessionHits, SessionSearchRequest};
use super::stretches::Stretch;
use crate::error::{Error, RebuildReason};
use crate::store::misshapen_is_damaged;
use crate::text::touched;
use cm_note::passage::PassageSet;

/// Read access to the session index. Cheap to create: files are opened on first use and reopened
/// after changes. It never waits for a writer.
///
/// All queries fail with [`Error::Unusable`] if the index is missing, damaged or of another
/// version. In that case [`super::SessionStoreWriter::open_or_repair`] creates a new index, and the logs are read again.
#[derive(Default)]
pub struct Sessions {
    folder: PathBuf,
    opened: Mutex<Option<(Touched, Arc<SessionIndex>)>>,
}

/// Length, modification time, change time and inode of a file.
type Touched = [u64; 4];

impl Sessions {
    /// Returns a handle to the index in `folder`, which need not exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), opened: Mutex::default() }
    }

    /// Searches the conversations.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`], or [`Error::Io`] if a file cannot be read. All queries of this type
    /// share these errors.
    pub fn search(&self, request: SessionSearchRequest<'_>) -> Result<SessionHits, Error> {
        Ok(self.opened()?.search(request)?)
    }

    /// Returns the conversations that have a stretch, by the person or an agent, with at least
    /// `least` of the keywords, best first.
    pub fn evidence(
        &self,
        keywords: &[&str],
        least: usize,
        filter: &SessionIndexFilter,
    ) -> Result<Vec<ConversationEvidence>, Error> {
        Ok(self.opened()?.evidence(keywords, least, filter)?)
    }

    /// Returns at most `limit` accepted sessions starting at `offset`, the most recently ended
    /// first.
    pub fn list(
        &self,
        filter: &SessionIndexFilter,
        offset: usize,
        limit: usize,
    ) -> Result<IndexedSessionPage, Error> {
        Ok(self.opened()?.list(filter, offset, limit)?)
    }

    /// Whether a session of any agent has this id.
    pub fn contains(&self, id: &str) -> Result<bool, Error> {
        Ok(self.opened()?.contains(id)?)
    }

    /// Looks up a session by id or id prefix.
    pub fn lookup(&self, name: &str) -> Result<SessionLookup, Error> {
        Ok(self.opened()?.lookup(name)?)
    }

    /// Returns at most `limit` stretches from these log lines of a session, starting at `offset`.
    pub fn stretches(
        &self,
        session: &SessionKey,
        lines: RangeInclusive<u64>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Stretch>, Error> {
        Ok(self.opened()?.stretches(session, &lines, offset, limit)?)
    }

    /// Returns the first `most` stretches by the person in a session.
    pub fn prompts(&self, session: &SessionKey, most: usize) -> Result<Vec<Stretch>, Error> {
        Ok(self.opened()?.prompts(session, most)?)
    }

    /// Returns the passages whose key is not in `known`, most important first.
    pub fn passages_without(&self, embedded: &PassageSet) -> Result<Vec<SessionPassage>, Error> {
        Ok(self.opened()?.passages_without(embedded)?)
    }

    /// Returns the keys of all passages.
    pub fn passage_keys(&self) -> Result<PassageSet, Error> {
        let opened = self.opened()?;
        Ok(opened.guarded(|opened| Ok(opened.passages()?.iter().map(|passage| passage.key).collect()))?)
    }

    /// Returns the texts of passages that this index returned, in order. A text is empty if the
    /// index has changed since.
    pub fn passage_texts(&self, passages: &[SessionPassage]) -> Result<Vec<String>, Error> {
        let opened = self.opened()?;
        let text = |passage| opened.passage_text(passage);
        Ok(opened.guarded(|_| passages.iter().map(text).collect())?)
    }

    /// Returns the recorded logs, sorted by path.
    pub fn logs(&self) -> Result<Vec<Log>, Error> {
        let opened = self.opened()?;
        Ok(opened.guarded(|opened| {
            let addresses = opened.having(&opened.fields.fact(IS_LOG))?.into_iter();
            let mut logs = addresses.map(|at| opened.json(at)).collect::<tantivy::Result<Vec<Log>>>()?;
            logs.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(logs)
        })?)
    }

    /// Returns the serial number of the current commit, which differs after every change.
    pub fn version(&self) -> Result<u64, Error> {
        Ok(self.opened()?.stamp.serial)
    }

    fn opened(&self) -> Result<Arc<SessionIndex>, Error> {
        let documents = documents(&self.folder);
        let mut opened = self.opened.lock();
        loop {
            // Taken before opening: a commit in between makes the next question open it again.
            let Ok(touched) = touched(&documents.join(META)) else {
                return Err(RebuildReason::Missing.into());
            };
            if let Some((before, opened)) = opened.as_ref()
                && *before == touched
            {
                return Ok(Arc::clone(opened));
            }
            match SessionIndex::open(&documents).map_err(misshapen_is_damaged) {
                Ok(now) => {
                    let now = Arc::new(now);
                    *opened = Some((touched, Arc::clone(&now)));
                    return Ok(now);
                }
                // A commit may have cleared away what was being opened.
                Err(Error::Unusable(_)) if self.was_touched_since(touched) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn was_touched_since(&self, before: Touched) -> bool {
        touched(&documents(&self.folder).join(META)).is_ok_and(|now| now != before)
    }
}

/// Path of the folder with the search library's files.
pub(super) fn documents(folder: &Path) -> PathBuf {
    folder.join("documents")
}
