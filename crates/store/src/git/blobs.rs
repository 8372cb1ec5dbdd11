//! Converts file contents between work tree and object database with the repository's filters (line
//! endings, encodings, clean and smudge programs).

use std::io::Read;

use gix::ObjectId;
use gix::bstr::BStr;
use gix::filter::plumbing::pipeline::convert::{ToGitOutcome, to_worktree};
use gix::prelude::FindExt;

use crate::git::error::{Doing, InPath, Result};
use crate::git::repo::Repo;

/// The filter configuration of a repository.
pub(super) struct Filters {
    pipeline: gix::filter::plumbing::Pipeline,
    attributes: gix::worktree::Stack,
}

impl Filters {
    /// Loads the filter configuration. Attributes are read on demand from the work tree, if
    /// `work_tree` is set, and from the given index.
    pub fn new(repo: &Repo, index: &gix::index::State, work_tree: bool) -> Result<Self> {
        use gix::worktree::stack::state::attributes::Source;
        let place = repo.git_dir();
        let source = if work_tree { Source::WorktreeThenIdMapping } else { Source::IdMapping };
        let attributes = repo.inner.attributes_only(index, source).doing("reading attributes", place)?;
        let pipeline =
            gix::filter::Pipeline::new(&repo.inner, attributes.detach()).doing("reading filters", place)?;
        let (pipeline, attributes) = pipeline.into_parts();
        Ok(Self { pipeline, attributes })
    }

    /// Converts stored bytes to those of a checkout (Git's smudge).
    pub fn smudge(&mut self, repo: &Repo, place: &BStr, bytes: &[u8]) -> Result<Vec<u8>> {
        let at = repo.git_dir();
        let path = gix::path::from_bstr(place).doing("reading a path", at)?;
        let entry = self
            .attributes
            .at_path(path.as_ref(), None, &repo.inner.objects)
            .in_path(&repo.workdir.join(&path))?;
        let mut outcome = self
            .pipeline
            .convert_to_worktree(
                bytes,
                place,
                &mut |_, out| {
                    entry.matching_attributes(out);
                },
                to_worktree::Options::default(),
            )
            .doing("filtering a file for the work tree", at)?;
        let mut out = Vec::with_capacity(bytes.len());
        outcome.read_to_end(&mut out).in_path(&repo.workdir.join(&path))?;
        Ok(out)
    }
}

/// The filters of a repository with the `.gitattributes` of the work tree.
pub(super) struct Blobs<'r> {
    repo: &'r Repo,
    filters: Filters,
}

impl<'r> Blobs<'r> {
    /// Loads the filter configuration. Attributes are read on demand.
    pub fn new(repo: &'r Repo) -> Result<Self> {
        // Attributes come from the work tree; an index would only stand in for files that are not there,
        // and reading one costs more than everything else in a commit.
        let none = gix::index::State::new(repo.inner.object_hash());
        Ok(Self { repo, filters: Filters::new(repo, &none, true)? })
    }

    /// Converts bytes of the work tree to those that Git stores (Git's clean). `stored` is the
    /// existing version: a file stored with CRLF keeps it, whatever `core.autocrlf` says.
    pub fn clean(&mut self, place: &BStr, bytes: &[u8], stored: Option<ObjectId>) -> Result<Vec<u8>> {
        let (repo, at) = (self.repo, self.repo.git_dir());
        let path = gix::path::from_bstr(place).doing("reading a path", at)?;
        let Filters { pipeline, attributes } = &mut self.filters;
        let entry = attributes
            .at_path(path.as_ref(), None, &repo.inner.objects)
            .in_path(&repo.workdir.join(&path))?;
        let outcome = pipeline
            .convert_to_git(
                bytes,
                &path,
                &mut |_, out| {
                    entry.matching_attributes(out);
                },
                &mut |buf| {
                    let Some(id) = stored else { return Ok(None) };
                    repo.inner.objects.find_blob(&id, buf)?;
                    Ok(Some(()))
                },
            )
            .doing("filtering a file for git", at)?;
        match outcome {
            ToGitOutcome::Unchanged(same) => Ok(same.to_vec()),
            ToGitOutcome::Buffer(changed) => Ok(changed.to_vec()),
            ToGitOutcome::Process(mut stream) => {
                let mut out = Vec::new();
                stream.read_to_end(&mut out).in_path(&repo.workdir.join(&path))?;
                Ok(out)
            }
        }
    }

    /// Converts stored bytes to those of a checkout (Git's smudge).
    pub fn smudge(&mut self, place: &BStr, bytes: &[u8]) -> Result<Vec<u8>> {
        self.filters.smudge(self.repo, place, bytes)
    }

    /// Returns a stored file as a checkout would write it.
    pub fn read(&mut self, place: &BStr, id: ObjectId) -> Result<Vec<u8>> {
        let stored = self.repo.blob(id)?;
        self.smudge(place, &stored)
    }
}

impl Repo {
    /// Returns the stored bytes of a blob.
    pub(super) fn blob(&self, id: ObjectId) -> Result<Vec<u8>> {
        let mut blob = self.inner.find_blob(id).doing("reading a blob", self.git_dir())?;
        Ok(blob.take_data())
    }

    pub(super) fn write_blob(&self, bytes: &[u8]) -> Result<ObjectId> {
        Ok(self.inner.write_blob(bytes).doing("writing a blob", self.git_dir())?.detach())
    }

    /// Returns the id of a blob with these bytes, whether it is stored or not.
    pub(super) fn blob_id(&self, bytes: &[u8]) -> Result<ObjectId> {
        gix::objs::compute_hash(self.inner.object_hash(), gix::objs::Kind::Blob, bytes)
            .doing("hashing a blob", self.git_dir())
    }
}
