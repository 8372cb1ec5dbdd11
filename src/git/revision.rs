//! From what people call a commit to the commit.

use gix::ObjectId;

use crate::domain::instant::Instant;
use crate::git::error::{Error, Result};
use crate::git::history::CommitInfo;
use crate::git::repo::{CommitId, Repo};

impl Repo {
    /// The commit that git knows by this text: an id or its beginning, a branch, a tag, `HEAD~2`.
    pub fn resolve(&self, revision: &str) -> Result<CommitId> {
        let unknown = || Error::UnknownRevision { revision: revision.to_owned() };
        let parse = |text: &str| {
            let object = self.inner.rev_parse_single(text)?.object()?;
            Ok::<_, gix::Error>(CommitId(object.peel_to_commit()?.id))
        };
        match parse(revision) {
            Ok(id) => Ok(id),
            Err(_) => parse(&self.long(revision).ok_or_else(unknown)?).map_err(|_| unknown()),
        }
    }

    /// The text with the beginning of an id written out. gix takes every beginning for one of SHA-1.
    fn long(&self, revision: &str) -> Option<String> {
        let kind = self.inner.object_hash();
        let length = revision.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (hex, rest) = revision.split_at(length);
        if kind == gix::hash::Kind::Sha1 || !(4..kind.len_in_hex()).contains(&length) {
            return None;
        }
        let padded = format!("{hex:0<width$}", width = kind.len_in_hex());
        let prefix = gix::hash::Prefix::new(&ObjectId::from_hex(padded.as_bytes()).ok()?, length).ok()?;
        let id = self.inner.objects.lookup_prefix(prefix, None).ok()??.ok()?;
        Some(format!("{id}{rest}"))
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
