//! Finds for each line of a note the commit that last changed it, with its session and agent.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::find;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::verbs::history::versions;
use crate::verbs::log::{Commit, notice_if_manual};
use cm_note::path::NotePath;
use cm_store::git::NoteHistoryEntry;
use cm_text::word_diff::common_lines;

/// A line of a note's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineOrigin {
    /// Text of the line, without its line break.
    pub text: String,
    /// Index in `commits` of the commit that last changed the line; null if the change is not
    /// committed.
    pub commit: Option<usize>,
}

/// The lines of a note, each with its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineOrigins {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// All lines of the file, with the frontmatter.
    pub lines: Vec<LineOrigin>,
    /// Commits that last changed a line, newest first.
    pub commits: Vec<Commit>,
}

/// Returns the origin of each line of a note, across renames. In a context at a past commit, these
/// are the lines at that commit.
///
/// # Errors
/// A note that is not found, no repository, or an unreadable repository.
pub fn line_origins(context: &Context, reference: &str) -> Result<LineOrigins> {
    let found = find(context, reference)?;
    let text = found.text();
    let versions = versions_until(found.open, found.note.key(), &found.note.path)?;
    let changed_by = changed_by(&text, &versions);
    let mut commits = Vec::new();
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    for version in (0..versions.len()).filter(|version| changed_by.contains(&Some(*version))) {
        numbers.insert(version, commits.len());
        commits.push(Commit::of(&versions[version].commit));
    }
    let lines = text.lines().zip(changed_by);
    let lines = lines.map(|(line, version)| LineOrigin {
        text: line.to_owned(),
        commit: version.and_then(|version| numbers.get(&version).copied()),
    });
    let lines = lines.collect();
    notice_if_manual(context, versions.is_empty());
    Ok(LineOrigins { id: found.note.key().to_owned(), path: found.note.path.to_string(), lines, commits })
}

/// Returns the history of a note up to the commit that the context reads.
fn versions_until(open: &OpenVault, id: &str, path: &NotePath) -> Result<Vec<NoteHistoryEntry>> {
    let mut versions = versions(open, id, path)?;
    if let Some(past) = &open.past {
        versions.retain(|version| version.commit.time <= past.commit().time);
    }
    Ok(versions)
}

/// Lines whose origin is not found yet: their indices in the note, and in a version of it.
type OpenLines = Vec<(usize, usize)>;

/// Returns for each line of `text` the index of the version that introduced it; `None` for lines
/// that no version has.
fn changed_by(text: &str, versions: &[NoteHistoryEntry]) -> Vec<Option<usize>> {
    let mut origins = vec![None; text.lines().count()];
    // By the content of a version, so that the sides of a merge are told apart.
    let mut open: HashMap<&[u8], OpenLines> = HashMap::new();
    let newest = versions.first().and_then(|version| version.new.as_deref()).unwrap_or_default();
    let common = common_lines(&String::from_utf8_lossy(newest), text);
    open.insert(newest, common.into_iter().map(|(old, line)| (line, old)).collect());
    for (number, version) in versions.iter().enumerate() {
        let Some(new) = version.new.as_deref() else { continue };
        let Some(mut lines) = open.remove(new) else { continue };
        for old in version.old.iter().chain(&version.merged) {
            let older = take_common(&mut lines, old, new);
            open.entry(old).or_default().extend(older);
        }
        lines.iter().for_each(|(line, _)| origins[*line] = Some(number));
    }
    origins
}

/// Removes from `lines` those that the older content has too, and returns them with their indices
/// in it.
fn take_common(lines: &mut OpenLines, old: &[u8], new: &[u8]) -> OpenLines {
    let common = common_lines(&String::from_utf8_lossy(old), &String::from_utf8_lossy(new));
    let places: HashMap<usize, usize> = common.into_iter().map(|(old, new)| (new, old)).collect();
    let mut older = Vec::new();
    lines.retain(|(line, at)| match places.get(at) {
        Some(place) => {
            older.push((*line, *place));
            false
        }
        None => true,
    });
    older
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::{FixtureVault, rename, replace};

    fn note(lines: &[&str]) -> String {
        format!("---\nid: 1f0c2a00-0000-4000-8000-000000000001\ntitle: Retry\n---\n\n{}\n", lines.join("\n"))
    }

    /// Returns the lines of the body, each with the date of its commit.
    fn dated(context: &Context, reference: &str) -> Vec<(String, String)> {
        let found = line_origins(context, reference).unwrap();
        let date = |line: &LineOrigin| line.commit.map_or("-".to_owned(), |at| found.commits[at].at.day());
        found.lines.iter().skip(5).map(|line| (line.text.clone(), date(line))).collect()
    }

    fn pairs(lines: &[(&str, &str)]) -> Vec<(String, String)> {
        lines.iter().map(|(line, date)| ((*line).to_owned(), (*date).to_owned())).collect()
    }

    #[test]
    fn each_line_has_the_commit_that_last_changed_it_across_a_rename() {
        let vault = FixtureVault::new();
        vault.commit("2026-01-02", &[("graph/retry.md", &note(&["One.", "Two.", "Three."]))]);
        replace(
            &vault.at_by("2026-01-03", "codex", "s-7"),
            "graph/retry.md",
            &note(&["One.", "2.", "Three."]),
        );
        rename(&vault.at("2026-01-04"), "graph/retry.md", "graph/fixes/again.md");
        replace(&vault.at("2026-01-05"), "graph/fixes/again.md", &note(&["Zero.", "One.", "2.", "Three."]));
        vault.put("graph/fixes/again.md", &note(&["Zero.", "One.", "2.", "Three.", "By hand."]));
        let context = vault.at("2026-01-06");
        let expected = [
            ("Zero.", "2026-01-05"),
            ("One.", "2026-01-02"),
            ("2.", "2026-01-03"),
            ("Three.", "2026-01-02"),
            ("By hand.", "-"),
        ];
        assert_eq!(dated(&context, "Retry"), pairs(&expected));
        let found = line_origins(&context, "Retry").unwrap();
        assert_eq!(found.path, "graph/fixes/again.md");
        let of_agent = &found.commits[1];
        assert_eq!((of_agent.agent.as_deref(), of_agent.session.as_deref()), (Some("codex"), Some("s-7")));
        assert_eq!((found.commits.len(), found.commits[2].actor.as_str()), (3, "Ann"));
    }

    #[test]
    fn a_line_that_comes_back_is_of_the_commit_that_brought_it_back() {
        let vault = FixtureVault::new();
        let (a, b) = (note(&["One.", "Two."]), note(&["One."]));
        vault.commit("2026-01-02", &[("graph/a.md", &a)]);
        vault.commit("2026-01-03", &[("graph/a.md", &b)]);
        vault.commit("2026-01-04", &[("graph/a.md", &a)]);
        let expected = pairs(&[("One.", "2026-01-02"), ("Two.", "2026-01-04")]);
        assert_eq!(dated(&vault.at("2026-01-05"), "Retry"), expected);
        let past = vault.at("2026-01-05").as_of("2026-01-02").unwrap();
        assert_eq!(dated(&past, "Retry"), pairs(&[("One.", "2026-01-02"), ("Two.", "2026-01-02")]));
    }

    #[test]
    fn the_lines_of_both_sides_of_a_merge_keep_their_commits() {
        let version = |subject: &str, old: &[&str], merged: &[&str], new: &str| {
            let bytes = |text: &&str| text.as_bytes().to_vec();
            NoteHistoryEntry {
                commit: commit(subject),
                path: NotePath::parse("a.md").unwrap(),
                moved_from: None,
                old: old.first().map(bytes),
                merged: merged.iter().map(bytes).collect(),
                new: Some(new.as_bytes().to_vec()),
            }
        };
        let versions = [
            version("merge", &["x\nb\n"], &["a\ny\n"], "x\ny\nm\n"),
            version("theirs", &["a\nb\n"], &[], "a\ny\n"),
            version("ours", &["a\nb\n"], &[], "x\nb\n"),
            version("begin", &[], &[], "a\nb\n"),
        ];
        assert_eq!(changed_by("x\ny\nm\n", &versions), [Some(2), Some(1), Some(0)]);
    }

    fn commit(subject: &str) -> cm_store::git::CommitInfo {
        let vault = FixtureVault::new();
        let open = vault.at("2026-01-02");
        let repo = open.target().repo().unwrap().unwrap();
        let first = repo.first_commit().unwrap().unwrap();
        cm_store::git::CommitInfo { subject: subject.to_owned(), ..first }
    }
}
