//! Resolves revisions and points in time to commits.

use gix::ObjectId;
use gix::revision::spec::parse::{self, CandidateInfo, ObjectKindHint};

use crate::git::error::{Error, Result};
use crate::git::history::CommitInfo;
use crate::git::repo::{CommitId, Repo};
use cm_note::instant::Instant;

impl Repo {
    /// Resolves a revision: an id or its prefix, a branch, a tag, or an expression such as
    /// `HEAD~2`.
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

    /// Expands an id prefix at the start of the revision. Needed for other hashes than SHA-1, which
    /// gix assumes for prefixes.
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

    /// Returns the newest commit at or before this time, following first parents from HEAD. That is
    /// the state of the branch itself, without commits merged later. `None` if there was no commit
    /// yet.
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

    /// Returns the commits that changed the vault, following first parents from HEAD, newest first.
    /// These are the states of the branch itself.
    pub fn states(&self) -> Result<Vec<CommitId>> {
        let mut states = Vec::new();
        let is_shallow = self.is_shallow();
        let mut next = self.head_id()?;
        let mut tree = next.map(|id| self.state_tree(id)).transpose()?.flatten();
        while let Some(id) = next {
            next = self.links(id, is_shallow)?.parents.first().copied();
            let older = next.map(|id| self.state_tree(id)).transpose()?.flatten();
            if self.is_own() || older != tree {
                states.push(CommitId(id));
            }
            tree = older;
        }
        Ok(states)
    }

    /// Returns the tree of a vault that is a folder of the repository; its own repository needs none.
    fn state_tree(&self, commit: ObjectId) -> Result<Option<ObjectId>> {
        if self.is_own() { Ok(None) } else { self.vault_tree(commit) }
    }

    /// Returns the oldest commit along first parents; `None` if there is no commit yet.
    pub fn first_commit(&self) -> Result<Option<CommitInfo>> {
        let (mut first, mut next) = (None, self.head_id()?);
        while let Some(id) = next {
            let commit = self.info(id)?;
            next = commit.parents.first().map(|parent| parent.0);
            first = Some(commit);
        }
        Ok(first)
    }

    /// Whether the repository is a shallow clone.
    pub fn is_shallow(&self) -> bool {
        self.inner.is_shallow().unwrap_or(false)
    }
}

/// Converts a failed lookup to the error for an unknown or ambiguous revision.
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
