//! From what people call a commit to the commit.

use crate::domain::instant::Instant;
use crate::git::error::{Error, Result};
use crate::git::history::CommitInfo;
use crate::git::repo::{CommitId, Repo};

impl Repo {
    /// The commit that git knows by this text: an id or its beginning, a branch, a tag, `HEAD~2`.
    pub fn resolve(&self, revision: &str) -> Result<CommitId> {
        let found = self.inner.rev_parse_single(revision).and_then(|id| id.object()).and_then(|object| {
            Ok(object.peel_to_commit()?.id)
        });
        found.map(CommitId).map_err(|_| Error::UnknownRevision { revision: revision.to_owned() })
    }

    /// The newest commit that was there at this time; `None` where there was none yet.
    pub fn at_time(&self, at: Instant) -> Result<Option<CommitInfo>> {
        let Some(head) = self.head_id()? else { return Ok(None) };
        for id in self.walk(head, None, None)? {
            let commit = self.info(id?)?;
            if commit.time <= at {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }
}
