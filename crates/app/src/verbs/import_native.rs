//! Collects the memories that agents keep by themselves: those of its own project for a project's
//! vault, those about the user and of projects without a vault for the global vault.

use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

use crate::context::find::load;
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::paths::expand_home;
use crate::error::Result;
use crate::sessions::SessionAccess;
use crate::sessions::session_filter::{has_own_vault, is_global, project};
use cm_exchange::import::{ImportPlan, ImportSkipReason, SkippedFile, native};
use cm_index::sessions::SessionIndexFilter;
use cm_note::frontmatter::parse::{FrontmatterField, parse};
use cm_note::frontmatter::split::Split;
use cm_note::import_source::{ImportFile, ImportFolder};
use cm_note::path::NotePath;
use cm_playbook::conflict::{restated, statement_of_note};
use cm_playbook::embedding_model::WordVectors;
use cm_session::Agent;
use cm_store::vault::external_folder;

/// A folder with memories of Claude Code.
struct ClaudeFolder {
    folder: PathBuf,
    /// Folder of the notes in the import, below the agent's name; empty for none.
    below: String,
    /// Project of the memories, if the vault is not the project's own.
    workspace: Option<String>,
}

/// Returns the memories for the target vault, in a folder for each agent. The global vault gets
/// those of every project without a vault of its own, with the project as their workspace.
///
/// # Errors
/// A folder that exists and cannot be read.
pub(crate) fn memories(context: &Context) -> Result<ImportFolder> {
    let open = context.target();
    let scope = if is_global(context, open) { None } else { Some(project(open).to_owned()) };
    let mut all = ImportFolder { name: "native".to_owned(), ..ImportFolder::default() };
    let folders = match &scope {
        Some(project) => project_folders(context, project, None),
        None => global_folders(context)?,
    };
    for folder in folders.iter().filter(|folder| folder.folder.is_dir()) {
        take(open, folder, "claude-code", &mut all, |_| true)?;
    }
    let codex = variable(context, "CODEX_HOME", ".codex").map(|home| home.join("memories"));
    if let Some(folder) = codex.filter(|folder| folder.is_dir()) {
        let mut found = ImportFolder::default();
        let folder = ClaudeFolder { folder, below: String::new(), workspace: None };
        take(open, &folder, "codex", &mut found, |path| path == "MEMORY.md")?;
        let scope = scope.as_deref().map(|folder| folder.display().to_string());
        for handbook in found.notes {
            let mut groups = native::codex_groups(handbook.text().unwrap_or_default(), scope.as_deref());
            groups.retain(|group| {
                let own = |folder: &String| scope.is_none() && has_own_vault(open, folder);
                !group.folder.as_ref().is_some_and(own)
            });
            all.notes.extend(groups.into_iter().filter_map(|group| {
                let path = NotePath::parse(&format!("codex/{}", group.name)).ok()?;
                let workspace = group.folder.filter(|_| scope.is_none());
                let (bytes, modified) = (group.text.into_bytes(), handbook.modified);
                Some(ImportFile { path, bytes, modified, workspace })
            }));
        }
    }
    all.notes.sort_by(|a, b| a.path.cmp(&b.path));
    all.notes.dedup_by(|a, b| a.path == b.path);
    Ok(all)
}

/// Moves memories that say what the vault or an earlier memory says to the skipped files.
///
/// # Errors
/// A note that cannot be read.
pub(crate) fn leave_known(context: &Context, open: &OpenVault, plan: &mut ImportPlan) -> Result<()> {
    let mut texts = HashSet::new();
    let mut statements = Statements::default();
    for note in context.notes_of(open)?.iter() {
        let text = load(open, &note.path)?.text();
        texts.insert(words(&text));
        statements.add(&note.title, &text);
    }
    for file in &plan.incoming {
        let text = String::from_utf8_lossy(&file.bytes);
        let title = parse(&Split::of(&text)).fields.get("title").and_then(FrontmatterField::text);
        statements.add(&title.unwrap_or_default(), &text);
    }
    let repeated = statements.repeated(open);
    let mut number = statements.notes - plan.incoming.len();
    let mut skipped = Vec::new();
    plan.incoming.retain(|file| {
        let is_new =
            texts.insert(words(&String::from_utf8_lossy(&file.bytes))) && !repeated.contains(&number);
        number += 1;
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

/// What notes say, for comparison: each with and without its title, which may be a file name only.
#[derive(Default)]
struct Statements {
    texts: Vec<String>,
    /// Number of the note of each text.
    owners: Vec<usize>,
    notes: usize,
}

impl Statements {
    fn add(&mut self, title: &str, text: &str) {
        let titles = [title, ""].into_iter();
        let texts: BTreeSet<String> = titles.filter_map(|title| statement_of_note(title, text)).collect();
        self.owners.extend(texts.iter().map(|_| self.notes));
        self.texts.extend(texts);
        self.notes += 1;
    }

    /// Numbers of the notes that say the same as an earlier one.
    fn repeated(&self, open: &OpenVault) -> HashSet<usize> {
        let word_vectors = WordVectors::of(meaning(open));
        let groups = restated(&self.texts, &word_vectors);
        let owners = |group: Vec<usize>| -> BTreeSet<usize> {
            group.into_iter().filter_map(|at| self.owners.get(at).copied()).collect()
        };
        groups.into_iter().flat_map(|group| owners(group).into_iter().skip(1)).collect()
    }
}

/// The words of a note's body without its first heading, for comparison.
pub(crate) fn words(text: &str) -> String {
    let body = Split::of(text).body().trim_start();
    let body = if body.starts_with("# ") { body.split_once('\n').map_or("", |(_, rest)| rest) } else { body };
    let words = body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The folder of an agent's state: from its variable, else below the home folder.
fn variable(context: &Context, name: &str, default: &str) -> Option<PathBuf> {
    let variable = context.request.variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable.or_else(|| Some(context.request.home.as_ref()?.join(default)))
}

/// Folders of the memories of one project. `workspace` is the project if the vault is not its own.
fn project_folders(context: &Context, project: &Path, workspace: Option<&str>) -> Vec<ClaudeFolder> {
    let path = project.display().to_string();
    let home = variable(context, "CLAUDE_CONFIG_DIR", ".claude");
    let name = native::claude_folder(&path);
    if name.is_none() {
        context.notice(format!(
            "Claude Code shortens the name of its folder for {path}, so its memories of this project were not read"
        ));
    }
    let local = auto_memory_folder(context, &project.join(".claude/settings.local.json"));
    // A repository can contain this file, and must not point at other folders of the user.
    let local = local.filter(|folder| {
        folder.starts_with(project) || home.as_ref().is_some_and(|home| folder.starts_with(home))
    });
    let below = workspace.and(name.clone()).unwrap_or_default();
    let folders = [
        home.zip(name).map(|(home, name)| home.join("projects").join(name).join("memory")),
        local,
        Some(project.join(".claude/agent-memory")),
        Some(project.join(".claude/agent-memory-local")),
    ];
    let one = |folder| ClaudeFolder {
        folder,
        below: below.trim_matches('-').to_owned(),
        workspace: workspace.map(str::to_owned),
    };
    folders.into_iter().flatten().map(one).collect()
}

/// Folders of the memories about the user, and of those of every project in the session index that
/// has no vault of its own.
///
/// # Errors
/// A session index that cannot be read.
fn global_folders(context: &Context) -> Result<Vec<ClaudeFolder>> {
    let open = context.target();
    let home = variable(context, "CLAUDE_CONFIG_DIR", ".claude");
    let shared = home.as_ref().and_then(|home| auto_memory_folder(context, &home.join("settings.json")));
    let about_user = home.map(|home| home.join("agent-memory")).into_iter().chain(shared);
    let mut folders: Vec<ClaudeFolder> =
        about_user.map(|folder| ClaudeFolder { folder, below: String::new(), workspace: None }).collect();
    let access = SessionAccess::open(context, &mut |_| {})?;
    let filter = SessionIndexFilter { agents: vec![Agent::ClaudeCode], ..SessionIndexFilter::default() };
    let listing = access.query(|sessions| sessions.list(&filter, 0, usize::MAX))?.unwrap_or_default();
    let workspaces: BTreeSet<String> =
        listing.list.into_iter().filter_map(|listed| listed.session.meta.workspace).collect();
    for workspace in workspaces.iter().filter(|workspace| !has_own_vault(open, workspace)) {
        folders.extend(project_folders(context, Path::new(workspace), Some(workspace)));
    }
    Ok(folders)
}

/// The folder that `autoMemoryDirectory` names in a settings file of Claude Code.
fn auto_memory_folder(context: &Context, settings: &Path) -> Option<PathBuf> {
    let settings: serde_json::Value = serde_json::from_str(&external_folder::text(settings).ok()?).ok()?;
    let typed = settings.get("autoMemoryDirectory")?.as_str()?;
    let folder = expand_home(context.request.home.as_deref(), typed);
    let is_plain = folder.components().all(|part| part != Component::ParentDir);
    (folder.is_absolute() && is_plain).then_some(folder)
}

/// Adds the notes of a folder that are no lists of others, below the agent's name.
fn take(
    open: &OpenVault,
    folder: &ClaudeFolder,
    agent: &str,
    all: &mut ImportFolder,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<()> {
    let found = external_folder::read(&folder.folder, open.vault.root())?;
    let is_memory = |file: &ImportFile| {
        is_wanted(file.path.as_str()) && file.text().is_some_and(|text| !native::is_list_of_files(text))
    };
    let agent = match folder.below.as_str() {
        "" => agent.to_owned(),
        below => format!("{agent}/{below}"),
    };
    for file in found.notes.into_iter().filter(is_memory) {
        let Ok(path) = NotePath::parse(&format!("{agent}/{}", file.path)) else { continue };
        all.notes.push(ImportFile { path, workspace: folder.workspace.clone(), ..file });
    }
    all.findings.extend(found.findings);
    Ok(())
}
