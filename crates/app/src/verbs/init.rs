//! Creates a vault in a folder. Existing notes are not changed.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::project_scope::code_mark;
use crate::context::request::Request;
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::reflection_log::ReflectionLog;
use crate::verbs::{merge_driver, trust};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_store::git::{Repo, is_jujutsu_only};
use cm_store::vault::{self, Vault, layout};

/// Location of the new vault.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder; by default the working directory.
    pub folder: Option<PathBuf>,
    /// Creates the global vault in the platform's data folder.
    pub global: bool,
}

/// The result of creating a vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedVault {
    /// Path of the vault's root.
    pub vault: String,
    /// Work tree of the repository that contains the vault.
    pub repository: Option<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing was
    /// missing.
    pub commit: Option<String>,
    /// Paths of the files that were written.
    pub created: Vec<String>,
}

const SETTINGS: &str = include_str!("../../../../templates/vault/cm.toml");
/// Git ignore rules for derived, private and temporary files. The JSON files belong to an earlier
/// tool; its `_config.json` may contain API keys.
const IGNORED: [&str; 10] = [
    "/_index/",
    "/_state/",
    "/_embeddings/",
    "/_config.toml",
    "/_tokens.toml",
    ".cm-*.tmp",
    "/_index.json",
    "/_state.json",
    "/_embeddings.json",
    "/_config.json",
];
/// Git ignore rules for what editors and operating systems write beside the files that they open; a new vault gets
/// them, and may do without.
const IGNORED_OF_EDITORS: [&str; 11] = [
    "*~",
    ".*.sw[a-p]",
    ".#*",
    "#*#",
    "~$*",
    "/4913",
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    ".trash/",
    ".obsidian/workspace*.json",
];
/// Git attributes: generated files, and the files that the merge driver merges. A clone without the
/// driver merges them as text.
const ATTRIBUTES: [&str; 4] = [
    "/CORE.md linguist-generated",
    "/REFLECTION.md linguist-generated",
    "*.md merge=cm",
    "/cm.toml merge=cm",
];

/// Creates a vault with settings and ignore rules, and a repository if there is none yet.
///
/// # Errors
/// A folder or repository that cannot be created or used.
pub fn init(request: Request, options: &Options) -> Result<(Context, CreatedVault)> {
    let folder = folder_of(&request, options)?;
    if !options.global && is_jujutsu_only(&folder) {
        return Err(Error::refused(
            "not-colocated",
            "the folder is in a Jujutsu workspace without a Git repository",
        )
        .hint(
            "run `jj git colocation enable` in the main workspace, and create the vault there; or `git init` \
             in this folder first, if the workspace is not to have it",
        ));
    }
    vault::make(&folder)?;
    let vault = Vault::at(&folder)?.prepare(request.private.as_ref());
    let mut files = missing_rules(&vault)?;
    // A folder that came with settings was made by somebody else, and `cm trust` is asked for.
    let is_new = vault.read_own(layout::SETTINGS)?.is_none();
    if is_new {
        files.push((NotePath::parse(layout::SETTINGS)?, SETTINGS.to_owned()));
    }
    if Repo::discover(vault.root())?.is_none() {
        Repo::init(vault.root())?;
    }
    let changes = files
        .into_iter()
        .map(|(path, text)| VaultFileChange::Replace { path, expected: None, text })
        .collect();
    let vault_root = vault.root().to_owned();
    let level = if options.global { VaultLevel::Global } else { VaultLevel::Project };
    let mut context = Context::open_new(request.clone(), level, vault.clone())?;
    if is_new && context.is_person() {
        trust::grant_new(&context)?;
        // Opened again, because programs may run for the repository of a trusted vault.
        context = Context::open_new(request, level, vault)?;
    }
    if is_new && !has_learned(&vault_root) && ReflectionLog::forget(&context.target().vault)? {
        context.notice("sessions from which an earlier vault in this folder learned are learned from again");
    }
    if is_new && let Some(mark) = code_mark(&vault_root) {
        context.notice(format!(
            "this folder has code ({mark}): each Markdown file of the project is now a note; for a memory beside the code, remove cm.toml and run `cm init .memory`"
        ));
    }
    let message = CommitMessage::new(CommitOp::Init, "Create a vault in this folder");
    let written = write::apply(&context, ChangeSet { message, changes })?;
    let repo = context.target().repo()?;
    // A repository whose configuration cannot be written is a vault all the same; `cm doctor` says so.
    let _ = repo.map(merge_driver::register);
    let repository = repo.map(|repo| repo.workdir().display().to_string());
    let outcome = CreatedVault {
        vault: context.target().vault.root().display().to_string(),
        repository,
        commit: written.commit,
        created: written.changed.iter().map(ToString::to_string).collect(),
    };
    Ok((context, outcome))
}

/// Whether a folder has notes that were learned from sessions, or where these would be.
fn has_learned(root: &Path) -> bool {
    ["playbook", "graph", "diary"].into_iter().any(|folder| root.join(folder).is_dir())
}

/// Returns path and new contents of `.gitignore` and `.gitattributes` if they lack required lines.
pub(crate) fn missing_rules(vault: &Vault) -> Result<Vec<(NotePath, String)>> {
    let mut files = Vec::new();
    let rules = [(".gitattributes", &ATTRIBUTES[..], &[][..]), (".gitignore", &IGNORED, &IGNORED_OF_EDITORS)];
    for (name, required, further) in rules {
        let text = vault.read_own(name)?.unwrap_or_default();
        if let Some(longer) = with_lines(&text, required) {
            files.push((NotePath::parse(name)?, with_lines(&longer, further).unwrap_or(longer)));
        }
    }
    Ok(files)
}

fn folder_of(request: &Request, options: &Options) -> Result<PathBuf> {
    if options.global {
        return request.global.clone().ok_or_else(|| {
            Error::usage("cannot find a data directory on this platform")
                .hint("set CM_GLOBAL_VAULT to a folder")
        });
    }
    let folder = options.folder.as_deref().or(request.vault.as_deref()).unwrap_or_else(|| Path::new("."));
    Ok(request.cwd.join(folder))
}

/// Returns `text` with the missing lines appended; `None` if no line is missing.
fn with_lines(text: &str, wanted: &[&str]) -> Option<String> {
    let missing: Vec<&str> =
        wanted.iter().copied().filter(|line| text.lines().all(|there| there.trim() != *line)).collect();
    if missing.is_empty() {
        return None;
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{gap}{}\n", missing.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_are_there_are_not_written_twice() {
        let once = with_lines("target", &IGNORED).unwrap();
        assert_eq!(once, format!("target\n{}\n", IGNORED.join("\n")));
        assert_eq!(with_lines(&once, &IGNORED), None);
    }
}
