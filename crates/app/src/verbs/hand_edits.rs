//! Selects the manual edits that cm commits. In a vault that is also a code repository these are notes,
//! the attachments that notes use, and the files of the vault: committing code is the person's act.

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::project_scope::code_mark;
use crate::context::write;
use crate::error::Result;
use cm_exchange::import::attachments;
use cm_note::path::NotePath;
use cm_store::git::{EditKind, Repo};
use cm_store::vault::caches::CACHES;
use cm_store::vault::layout;
use cm_store::vault::write::is_temporary;

/// The files of a vault that differ from HEAD.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HandEdits {
    /// Files that cm commits.
    pub ours: Vec<(NotePath, EditKind)>,
    /// Files of the code in the same repository, which cm leaves to the person.
    pub others: Vec<NotePath>,
}

/// Returns the files that differ from HEAD, without derived, private and temporary ones.
///
/// # Errors
/// Returns an error if the repository or a note cannot be read.
pub(crate) fn hand_edits(open: &OpenVault, repo: &Repo) -> Result<HandEdits> {
    let mut ours: Vec<(NotePath, EditKind)> =
        repo.hand_edits()?.into_iter().filter(|(path, _)| is_ours(path)).collect();
    let has_others = repo.is_own() && ours.iter().any(|(path, _)| !is_of_vault(path));
    if !has_others || code_mark(open.vault.root()).is_none() {
        return Ok(HandEdits { ours, others: Vec::new() });
    }
    let candidates: Vec<String> =
        ours.iter().filter(|(path, _)| may_be_attachment(path)).map(|(path, _)| path.to_string()).collect();
    let used = if candidates.is_empty() { Vec::new() } else { used_by_notes(open, &candidates)? };
    let others: Vec<NotePath> = ours
        .extract_if(.., |(path, _)| {
            !is_of_vault(path) && used.binary_search_by(|used| used.as_str().cmp(path.as_str())).is_err()
        })
        .map(|(path, _)| path)
        .collect();
    Ok(HandEdits { ours, others })
}

/// Reports a file that a person removed from Git's index and not from the last commit, unless it is among the edits.
///
/// # Errors
/// Returns an error if the repository cannot be read.
pub(crate) fn report_unindexed(context: &Context, repo: &Repo, edits: &[(NotePath, EditKind)]) -> Result<()> {
    // Jujutsu keeps no index of its own.
    if repo.is_jujutsu() {
        return Ok(());
    }
    let is_left = |path: &&NotePath| is_ours(path) && edits.iter().all(|(edited, _)| edited != *path);
    if let Some(first) = repo.unindexed()?.iter().find(is_left) {
        context.notice(format!(
            "{first} was removed from Git's index, but is still in the last commit; `git commit` completes the removal"
        ));
    }
    Ok(())
}

/// Whether a file may be committed. Derived, private and temporary files may not, even if no ignore
/// rule covers them, and the sides of a conflict that Jujutsu stores in a commit never are in the work
/// tree.
fn is_ours(path: &NotePath) -> bool {
    let former = ["_config.toml", "_tokens.toml"].contains(&path.as_str());
    let of_conflict = path.as_str() == "JJ-CONFLICT-README" || path.top().starts_with(".jjconflict-");
    !former && !of_conflict && !CACHES.contains(&path.top()) && !is_temporary(path.file_name())
}

/// Whether a file is a note, or a file that a vault has beside its notes.
fn is_of_vault(path: &NotePath) -> bool {
    const BESIDE_NOTES: [&str; 3] = [layout::SETTINGS, ".gitignore", ".gitattributes"];
    let is_installed = path.as_str().split('/').any(|folder| folder == "node_modules");
    let is_drawing = path.as_str().ends_with(".canvas") || path.as_str().ends_with(".base");
    !is_installed
        && (path.is_markdown()
            || is_drawing
            || BESIDE_NOTES.contains(&path.as_str())
            || path.top() == ".obsidian")
}

/// Whether notes may use a file: a hidden file is none of theirs.
fn may_be_attachment(path: &NotePath) -> bool {
    !is_of_vault(path) && !path.as_str().split('/').any(|name| name.starts_with('.'))
}

/// Returns those of the files that the notes of the vault use, sorted.
fn used_by_notes(open: &OpenVault, files: &[String]) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for file in open.walk().files {
        if let Some(bytes) = write::content_or_none(open, &file.path)? {
            notes.push((file.path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(attachments::used(files, notes.iter().map(|(path, text)| (path, text.as_str()))))
}

#[cfg(test)]
mod tests {
    use crate::fixture_vault::FixtureVault;
    use crate::verbs::commit;

    fn committed(vault: &FixtureVault) -> (Vec<String>, Vec<String>) {
        let context = vault.at("2026-01-02");
        let files = commit::commit(&context, None).unwrap().files;
        let notices = context.take_notices().iter().map(|notice| notice.for_terminal().to_owned()).collect();
        (files.into_iter().map(|file| file.path).collect(), notices)
    }

    #[test]
    fn beside_code_only_notes_and_what_they_use_are_committed() {
        let vault = FixtureVault::new();
        vault.put("src/app.py", "print()\n");
        vault.put(".env", "PORT=1\n");
        vault.put("node_modules/x/README.md", "# X\n");
        vault.put("dist/bundle.bin", "bundle");
        vault.put("img/plan.png", "png");
        vault.put("notes/plan.md", "# Plan\n\n![the plan](../img/plan.png)\n");
        let (files, notices) = committed(&vault);
        assert_eq!(files, ["img/plan.png", "notes/plan.md"]);
        let left = "4 files of the code are left for you to commit with Git: .env, dist/bundle.bin, node_modules/x/README.md, …";
        assert!(notices.iter().any(|notice| notice == left), "{notices:?}");
        let (files, _) = committed(&vault);
        assert_eq!(files, Vec::<String>::new());
    }

    #[test]
    fn a_vault_of_notes_alone_is_committed_whole() {
        let vault = FixtureVault::new();
        vault.put("data/table.csv", "1\n");
        vault.put("plan.md", "# Plan\n");
        assert_eq!(committed(&vault).0, ["data/table.csv", "plan.md"]);
    }
}
