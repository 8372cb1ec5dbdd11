//! From what people call a commit to the commit.

use gix::ObjectId;
use gix::revision::spec::parse::{self, CandidateInfo, ObjectKindHint};

use crate::git::error::{Error, Result};
use crate::git::history::CommitInfo;
use crate::git::repo::{CommitId, Repo};
use cm_note::instant::Instant;

impl Repo {
    /// The commit that git knows by this text: an id or its beginning, a branch, a tag, `HEAD~2`.
    pub fn resolve(&self, revision: &str) -> Result<CommitId> {
        let options =
            parse::Options { object_kind_hint: Some(ObjectKindHint::Committish), ..Default::default() };
        let parse = |text: &str| {
            let found = gix::revision::Spec::from_bstr(text, &self.inner, options)?;
            let object =
                found.single().ok_or_else(|| gix::error::message("more than one commit"))?.object()?;
            Ok::<_, gix::Error>(CommitId(object.peel_to_commit()?.id))
        };
        parse(revision).or_else(|error| match self.long(revision) {
            Some(long) => parse(&long).map_err(|error| unknown(revision, &error)),
            None => Err(unknown(revision, &error)),
        })
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

    /// The newest commit at or before this time on the line of first parents from HEAD, which is what the branch itself
    /// was then: what a merge brought later was not there yet. `None` where there was none yet.
    pub fn at_time(&self, at: Instant) -> Result<Option<CommitInfo>> {
        let mut next = self.head_id()?;
        while let Some(id) = next {
            let commit = self.info(id)?;
            if commit.time <= at {
                return Ok(Some(commit));
            }
            next = commit.parents.first().map(|parent| parent.0);
        }
        Ok(None)
    }

    /// Where that line begins; `None` where there is no commit yet.
    pub fn first_commit(&self) -> Result<Option<CommitInfo>> {
        let (mut first, mut next) = (None, self.head_id()?);
        while let Some(id) = next {
            let commit = self.info(id)?;
            next = commit.parents.first().map(|parent| parent.0);
            first = Some(commit);
        }
        Ok(first)
    }

    /// Whether the history is cut off: a shallow clone.
    pub fn is_cut_off(&self) -> bool {
        self.inner.is_shallow().unwrap_or(false)
    }
}

/// Why a text is no commit: nothing is called so, or several are.
fn unknown(revision: &str, error: &gix::Error) -> Error {
    let revision = revision.to_owned();
    match error.downcast_any_ref::<parse::Error>() {
        Some(parse::Error::AmbiguousPrefix { candidates, .. }) => {
            let commit = |info: &CandidateInfo| !matches!(info, CandidateInfo::Object { .. });
            let candidates = candidates.iter().filter(|(_, info)| commit(info));
            let candidates = candidates.map(|(id, info)| format!("{id} ({info})")).collect();
            Error::AmbiguousRevision { revision, candidates }
        }
        _ => Error::UnknownRevision { revision },
    }
}
