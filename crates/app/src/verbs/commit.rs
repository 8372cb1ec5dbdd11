//! Commits all manual edits of a vault at once, with a message that lists the notes.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, repository};
use crate::context::secrets::{self, BlockedSecret};
use crate::context::write;
use crate::error::Result;
use crate::verbs::hand_edits::{HandEdits, hand_edits, report_unindexed};
use crate::verbs::moved_files::moved_files;
use cm_note::finding::{Finding, Severity};
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::conflict;
use cm_note::path::NotePath;
use cm_store::git::EditKind;
use cm_text::plural::count;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommittedFile {
    pub path: String,
    /// `added`, `modified`, `deleted` or `moved`.
    pub change: String,
    /// Former path of a moved file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl CommittedFile {
    fn line(&self) -> String {
        let from = self.from.as_deref().map(|from| format!("{from} to ")).unwrap_or_default();
        format!("{} {from}{}", self.change, self.path)
    }
}

/// Result of committing manual edits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommittedEdits {
    /// Hash of the new commit; null if there was nothing to commit.
    pub commit: Option<String>,
    /// Files in the commit.
    pub files: Vec<CommittedFile>,
    /// Likely secrets. Their files are not committed until the secret is removed or allowed.
    pub stopped: Vec<BlockedSecret>,
    /// Unresolved merge conflicts. Their files are not committed until one version is chosen.
    pub conflicts: Vec<Finding>,
    /// Problems that the committed edits bring into notes.
    pub findings: Vec<Finding>,
}

/// Maximum number of notes listed in the commit message.
const MAX_LISTED_NOTES: usize = 50;
/// Maximum number of files of the code that a notice names.
const MAX_NAMED_FILES: usize = 3;

/// Commits all files of a folder that has just become a vault.
///
/// # Errors
/// The errors of [`commit`].
pub(crate) fn take_over(context: &Context) -> Result<CommittedEdits> {
    commit_as(context, CommitOp::Takeover, Some("Commit the existing notes"))
}

/// Commits the manual edits of the vault; `subject` replaces the generated subject line. Notes with
/// an apparent live secret or an unresolved merge conflict are left out.
///
/// # Errors
/// No repository, a secret in `subject`, a merge conflict in every edited note, and the errors of
/// [`write::commit_as_is`].
pub fn commit(context: &Context, subject: Option<&str>) -> Result<CommittedEdits> {
    commit_as(context, CommitOp::Commit, subject.filter(|subject| !subject.trim().is_empty()))
}

fn commit_as(context: &Context, op: CommitOp, subject: Option<&str>) -> Result<CommittedEdits> {
    let open = context.target();
    // What a kill cut off is a curation of its own, and no hand edit.
    write::recover(context)?;
    let repo = repository(open)?;
    let HandEdits { ours: mut edits, others } = hand_edits(open, repo)?;
    if !others.is_empty() {
        context.notice(left_to_person(&others));
    }
    report_unindexed(context, repo, &edits)?;
    if let Some(subject) = subject {
        secrets::refuse_secret_text(&secrets::rules(context, open)?, "message", subject)?;
    }
    if edits.is_empty() {
        return Ok(CommittedEdits::default());
    }
    let conflicts = take_conflicts(open, &mut edits)?;
    let paths: Vec<NotePath> = edits.iter().map(|(path, _)| path.clone()).collect();
    let mut findings = new_findings(open, &paths)?;
    let mut files = Vec::new();
    let outcome = write::commit_as_is(context, &paths, |sound| {
        let sound: HashSet<&NotePath> = sound.iter().collect();
        let edits: Vec<_> = edits.into_iter().filter(|(path, _)| sound.contains(path)).collect();
        files = listed_edits(open, &edits);
        let paths: Vec<NotePath> = edits.iter().map(|(path, _)| path.clone()).collect();
        CommitMessage { body: listed(&files), ..ids(context, &paths, message(op, subject, &files)) }
    })?;
    findings.retain(|found| files.iter().any(|file| file.path == found.path.as_str()));
    Ok(CommittedEdits { commit: outcome.commit, files, stopped: outcome.stopped, conflicts, findings })
}

/// Returns the errors that notes have now and did not have in HEAD, and the warnings that an edit of a
/// note brought. Warnings about new files are left out, since these may be plain notes.
fn new_findings(open: &OpenVault, paths: &[NotePath]) -> Result<Vec<Finding>> {
    let of = |path: &NotePath, bytes: &[u8]| open.parse(path, bytes).note.findings;
    let mut new = Vec::new();
    for path in paths.iter().filter(|path| path.is_markdown() && !path.is_generated()) {
        let Some(bytes) = write::content_or_none(open, path)? else { continue };
        let findings = of(path, &bytes);
        if findings.is_empty() {
            continue;
        }
        let committed = write::committed_bytes(open, path)?;
        let before = committed.as_deref().map(|bytes| of(path, bytes));
        let is_new = |found: &Finding| match &before {
            Some(before) => before.iter().all(|old| (old.code, &old.message) != (found.code, &found.message)),
            None => found.severity == Severity::Error,
        };
        new.extend(findings.into_iter().filter(|found| found.severity != Severity::Info).filter(is_new));
    }
    Ok(new)
}

/// Lists manual edits; a moved file is one entry. Files that cannot be read are listed as they are.
pub(crate) fn listed_edits(open: &OpenVault, edits: &[(NotePath, EditKind)]) -> Vec<CommittedFile> {
    let of = |kind: EditKind| edits.iter().filter(move |(_, changed)| *changed == kind).map(|(path, _)| path);
    let is_move = of(EditKind::Added).next().is_some() && of(EditKind::Deleted).next().is_some();
    let removed = of(EditKind::Deleted)
        .filter_map(|path| Some((path, write::committed_bytes(open, path).ok().flatten()?)));
    let added = of(EditKind::Added)
        .filter_map(|path| Some((path, write::content_or_none(open, path).ok().flatten()?)));
    let moved = if is_move { moved_files(open, removed, added) } else { HashMap::new() };
    let gone: HashSet<&NotePath> = moved.values().collect();
    let listed = edits.iter().filter(|(path, _)| !gone.contains(path)).map(|(path, changed)| {
        let from = moved.get(path).map(NotePath::to_string);
        let change = if from.is_some() { "moved" } else { word(*changed) };
        CommittedFile { path: path.to_string(), change: change.to_owned(), from }
    });
    listed.collect()
}

/// Removes the files with unresolved merge conflicts from the edits and returns a finding for each.
///
/// # Errors
/// A file that cannot be read, and `conflict-markers` if all files have such conflicts.
fn take_conflicts(open: &OpenVault, edits: &mut Vec<(NotePath, EditKind)>) -> Result<Vec<Finding>> {
    let (mut conflicts, mut sound) = (Vec::new(), Vec::with_capacity(edits.len()));
    let mut first = None;
    for (path, kind) in std::mem::take(edits) {
        let bytes = write::content_or_none(open, &path)?;
        match bytes.and_then(|bytes| conflict::finding(&path, &String::from_utf8_lossy(&bytes))) {
            Some(finding) => {
                first.get_or_insert_with(|| write::conflict_marker_error(&path, finding.line.unwrap_or(1)));
                conflicts.push(finding);
            }
            None => sound.push((path, kind)),
        }
    }
    *edits = sound;
    match first {
        Some(error) if edits.is_empty() => Err(error),
        _ => Ok(conflicts),
    }
}

/// Describes the files of the code beside the notes, which are not committed.
fn left_to_person(others: &[NotePath]) -> String {
    let mut shown: Vec<&str> = others.iter().take(MAX_NAMED_FILES).map(NotePath::as_str).collect();
    shown.extend((others.len() > MAX_NAMED_FILES).then_some("…"));
    let verb = if others.len() == 1 { "is" } else { "are" };
    format!(
        "{} of the code {verb} left for you to commit with Git: {}",
        count(others.len(), "file"),
        shown.join(", ")
    )
}

fn word(changed: EditKind) -> &'static str {
    match changed {
        EditKind::Added => "added",
        EditKind::Modified | EditKind::Replaced => "modified",
        EditKind::Deleted => "deleted",
    }
}

fn message(op: CommitOp, subject: Option<&str>, files: &[CommittedFile]) -> CommitMessage {
    let made = match (subject, files) {
        (Some(subject), _) => subject.to_owned(),
        (None, [CommittedFile { path, from: Some(from), .. }]) => format!("Move {from} to {path}"),
        (None, [file]) => format!("Commit {} {}", file.change, file.path),
        (None, files) if files.iter().all(|file| file.from.is_some()) => {
            format!("Move {} files", files.len())
        }
        (None, files) => format!("Commit {} changed files", files.len()),
    };
    CommitMessage::new(op, made)
}

fn listed(files: &[CommittedFile]) -> String {
    let mut lines: Vec<String> = files.iter().take(MAX_LISTED_NOTES).map(CommittedFile::line).collect();
    if files.len() > MAX_LISTED_NOTES {
        lines.push(format!("and {} more", files.len() - MAX_LISTED_NOTES));
    }
    lines.join("\n")
}

/// Adds the IDs of up to [`MAX_LISTED_NOTES`] notes to the commit message.
fn ids(context: &Context, paths: &[NotePath], message: CommitMessage) -> CommitMessage {
    let open = context.target();
    let ids = paths.iter().take(MAX_LISTED_NOTES).filter_map(|path| {
        // A deleted note is named by its former ID.
        let bytes = open.vault.read(path).ok().or_else(|| write::committed_bytes(open, path).ok()?)?;
        open.parse(path, &bytes).note.id
    });
    ids.fold(message, |message, id| message.id(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;
    use crate::verbs::status;

    #[test]
    fn problems_that_an_edit_brings_are_reported_and_counted_in_the_status() {
        let note = "---\nid: 00000001-0000-4000-8000-000000000001\ntype: fix\ntitle: Fix\nimportance: 0.5\n\
                    created: 2026-01-01\nupdated: 2026-01-01\n---\n\nText.\n";
        let vault = FixtureVault::new();
        vault.put("graph/fixes/a.md", note);
        let added = commit(&vault.at("2026-01-02"), None).unwrap();
        assert_eq!(added.findings, []);
        assert_eq!(status::status(&vault.at("2026-01-02")).unwrap().errors, 0);
        vault.put("graph/fixes/a.md", &note.replace("type: fix", "type: [fix"));
        let edited = commit(&vault.at("2026-01-03"), None).unwrap();
        assert!(edited.commit.is_some());
        let error = &edited.findings[0];
        assert_eq!((error.severity, error.path.as_str()), (Severity::Error, "graph/fixes/a.md"));
        assert!(status::status(&vault.at("2026-01-03")).unwrap().errors > 0);
        vault.put("graph/fixes/a.md", &note.replace("Text", "Other text"));
        assert_eq!(commit(&vault.at("2026-01-04"), None).unwrap().findings, []);
    }
}
