//! The folder of the index of sessions, for those who ask it.
//!
//! ```text
//! _index/sessions/lock           held by whoever writes
//! _index/sessions/documents/     the library's files with their seal
//! ```

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::evidence::Witness;
use super::filter::Filter;
use super::list::{Listing, Lookup};
use super::opened::{META, Opened};
use super::record::{Log, SessionKey};
use super::schema::IS_LOG;
use super::search::{Asked, Found};
use super::stretches::Stretch;
use crate::error::{Error, Unusable};
use crate::store::misshapen_is_damaged;
use crate::text::touched;

/// The index of sessions, for asking. Cheap to make: files are opened when they are first needed, and again when somebody
/// has changed them. It never waits for whoever writes.
///
/// Every question fails with [`Error::Unusable`] where there is no index, another version wrote it, or it is damaged: then
/// [`super::Writer::mend`] begins a new one, and the logs are read again.
#[derive(Default)]
pub struct Sessions {
    folder: PathBuf,
    opened: Mutex<Option<(Touched, Arc<Opened>)>>,
}

/// What a file looked like.
type Touched = [u64; 4];

impl Sessions {
    /// The index in `folder`, which need not exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), opened: Mutex::default() }
    }

    /// The conversations in which something was said.
    ///
    /// # Errors
    /// [`Error::Unusable`], and [`Error::Io`] where files refuse; so with all the others.
    pub fn search(&self, asked: Asked<'_>) -> Result<Found, Error> {
        Ok(self.opened()?.search(asked)?)
    }

    /// The conversations with a stretch by the person or an agent that has at least `least` of the keywords, best first.
    pub fn evidence(&self, keywords: &[&str], least: usize, filter: &Filter) -> Result<Vec<Witness>, Error> {
        Ok(self.opened()?.evidence(keywords, least, filter)?)
    }

    /// The sessions that pass, the last ended first, from place `offset` on and at most `limit`.
    pub fn list(&self, filter: &Filter, offset: usize, limit: usize) -> Result<Listing, Error> {
        Ok(self.opened()?.list(filter, offset, limit)?)
    }

    /// What an id, or the beginning of one, stands for.
    pub fn lookup(&self, name: &str) -> Result<Lookup, Error> {
        Ok(self.opened()?.lookup(name)?)
    }

    /// What was said in a session on these lines of its log, from place `offset` on and at most `limit` stretches.
    pub fn stretches(
        &self,
        session: &SessionKey,
        lines: RangeInclusive<u64>,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Stretch>, Error> {
        Ok(self.opened()?.stretches(session, &lines, offset, limit)?)
    }

    /// What the person said in a session, the first `most` stretches of it.
    pub fn prompts(&self, session: &SessionKey, most: usize) -> Result<Vec<Stretch>, Error> {
        Ok(self.opened()?.prompts(session, most)?)
    }

    /// The logs that were read, by path.
    pub fn logs(&self) -> Result<Vec<Log>, Error> {
        let opened = self.opened()?;
        Ok(opened.guarded(|opened| {
            let addresses = opened.having(&opened.fields.fact(IS_LOG))?.into_iter();
            let mut logs = addresses.map(|at| opened.json(at)).collect::<tantivy::Result<Vec<Log>>>()?;
            logs.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(logs)
        })?)
    }

    /// Which state of the sessions it answers for: another number after every change.
    pub fn version(&self) -> Result<u64, Error> {
        Ok(self.opened()?.stamp.serial)
    }

    fn opened(&self) -> Result<Arc<Opened>, Error> {
        let documents = documents(&self.folder);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            // Taken before opening: a commit in between makes the next question open it again.
            let Ok(touched) = touched(&documents.join(META)) else { return Err(Unusable::Missing.into()) };
            if let Some((before, opened)) = opened.as_ref()
                && *before == touched
            {
                return Ok(Arc::clone(opened));
            }
            match misshapen_is_damaged(Opened::open(&documents))? {
                Ok(now) => {
                    let now = Arc::new(now);
                    *opened = Some((touched, Arc::clone(&now)));
                    return Ok(now);
                }
                // A commit may have cleared away what was being opened.
                Err(_) if self.was_touched_since(touched) => {}
                Err(why) => return Err(why.into()),
            }
        }
    }

    fn was_touched_since(&self, before: Touched) -> bool {
        touched(&documents(&self.folder).join(META)).is_ok_and(|now| now != before)
    }
}

/// Where the library keeps its files.
pub(super) fn documents(folder: &Path) -> PathBuf {
    folder.join("documents")
}
