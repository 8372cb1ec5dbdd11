//! Collects the memories that agents keep by themselves: those of its own project for a project's
//! vault, those about the user for the global vault.

use std::path::{Path, PathBuf};

use crate::context::find::load;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::sessions::session_filter::{is_global, project};
use cm_exchange::import::{ImportPlan, ImportSkipReason, SkippedFile, native};
use cm_note::frontmatter::split::Split;
use cm_note::import_source::{ImportFile, ImportFolder};
use cm_note::path::NotePath;
use cm_store::vault::external_folder;
use std::collections::HashSet;

/// Returns the memories for the target vault, in a folder for each agent.
///
/// # Errors
/// A folder that exists and cannot be read.
pub(crate) fn memories(memory: &Context) -> Result<ImportFolder> {
    let open = memory.target();
    let scope = if is_global(memory, open) { None } else { Some(project(open).to_owned()) };
    let mut all = ImportFolder { name: "native".to_owned(), ..ImportFolder::default() };
    for folder in claude_folders(memory, scope.as_deref()) {
        take(open, &folder, "claude-code", &mut all, |_| true)?;
    }
    let codex = variable(memory, "CODEX_HOME", ".codex").map(|home| home.join("memories"));
    if let Some(folder) = codex.filter(|folder| folder.is_dir()) {
        let mut found = ImportFolder::default();
        take(open, &folder, "codex", &mut found, |path| path == "MEMORY.md")?;
        let scope = scope.as_deref().map(|folder| folder.display().to_string());
        for handbook in found.notes {
            let groups = native::codex_groups(handbook.text().unwrap_or_default(), scope.as_deref());
            all.notes.extend(groups.into_iter().filter_map(|(name, text)| {
                let path = NotePath::parse(&format!("codex/{name}")).ok()?;
                Some(ImportFile { path, bytes: text.into_bytes(), modified: handbook.modified })
            }));
        }
    }
    all.notes.sort_by(|a, b| a.path.cmp(&b.path));
    all.notes.dedup_by(|a, b| a.path == b.path);
    Ok(all)
}

/// Moves memories whose text the vault or an earlier memory has to the skipped files.
///
/// # Errors
/// A note that cannot be read.
pub(crate) fn leave_known(memory: &Context, open: &OpenVault, plan: &mut ImportPlan) -> Result<()> {
    let mut known = HashSet::new();
    for note in memory.notes_of(open)?.iter() {
        known.insert(words(&load(open, &note.path)?.text()));
    }
    let mut skipped = Vec::new();
    plan.incoming.retain(|file| {
        let is_new = known.insert(words(&String::from_utf8_lossy(&file.bytes)));
        if !is_new {
            let path = file.source.to_string();
            skipped.push(SkippedFile { path, why: ImportSkipReason::ThereAlready, line: None });
        }
        is_new
    });
    plan.skipped.extend(skipped);
    plan.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(())
}

/// The words of a note's body without its first heading, for comparison.
pub(crate) fn words(text: &str) -> String {
    let body = Split::of(text).body().trim_start();
    let body = if body.starts_with("# ") { body.split_once('\n').map_or("", |(_, rest)| rest) } else { body };
    let words = body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The folder of an agent's state: from its variable, else below the home folder.
fn variable(memory: &Context, name: &str, default: &str) -> Option<PathBuf> {
    let named = memory.call.variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(memory.call.home.as_ref()?.join(default)))
}

/// Existing folders with memories of Claude Code and of its agents.
fn claude_folders(memory: &Context, scope: Option<&Path>) -> Vec<PathBuf> {
    let home = variable(memory, "CLAUDE_CONFIG_DIR", ".claude");
    let folders = match scope {
        None => vec![home.map(|home| home.join("agent-memory"))],
        Some(project) => {
            let name = native::claude_folder(&project.display().to_string());
            vec![
                home.zip(name).map(|(home, name)| home.join("projects").join(name).join("memory")),
                Some(project.join(".claude/agent-memory")),
                Some(project.join(".claude/agent-memory-local")),
            ]
        }
    };
    folders.into_iter().flatten().filter(|folder| folder.is_dir()).collect()
}

/// Adds the notes of a folder that are no lists of others, below the agent's name.
fn take(
    open: &OpenVault,
    folder: &Path,
    agent: &str,
    all: &mut ImportFolder,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<()> {
    let found = external_folder::read(folder, open.vault.root())?;
    let is_memory = |file: &ImportFile| {
        is_wanted(file.path.as_str()) && file.text().is_some_and(|text| !native::is_list_of_files(text))
    };
    for file in found.notes.into_iter().filter(is_memory) {
        let Ok(path) = NotePath::parse(&format!("{agent}/{}", file.path)) else { continue };
        all.notes.push(ImportFile { path, ..file });
    }
    all.findings.extend(found.findings);
    Ok(())
}
