//! Finds what `cm setup` can connect: the vault in use, note folders, and agents.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::request::Request;
use crate::verbs::hooks::HookScope;
use cm_agents::hook::hook_agents;
use cm_store::git::Repo;
use cm_store::vault::note_folders::{OBSIDIAN, obsidian_vaults};
use cm_store::vault::{Vault, layout, walk};

/// What was found on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Surroundings {
    /// Vault that commands in the working directory use; null if there is none.
    pub vault: Option<String>,
    /// Work tree of the project's repository; null outside a repository and in the home folder.
    pub project: Option<String>,
    /// Folder of the global vault, whether it exists or not; null if the platform has none.
    pub global: Option<String>,
    /// Whether the global vault exists.
    pub has_global: bool,
    /// Obsidian's vaults.
    pub note_folders: Vec<NoteFolder>,
    /// Agents with settings in the project or the home folder.
    pub agents: Vec<FoundAgent>,
}

/// A folder with notes of another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteFolder {
    pub path: String,
    /// Number of Markdown files.
    pub notes: usize,
}

/// An agent that is used on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundAgent {
    pub agent: String,
    /// Whether its settings folder is the project's or the user's; the user's if both exist.
    #[serde(rename = "reach")]
    pub scope: HookScope,
}

/// Looks for the vault in use, note folders and agents.
pub fn find(request: &Request) -> Surroundings {
    let home = request.home.as_deref();
    let project = Repo::discover(&request.cwd).ok().flatten().map(|repo| repo.workdir().to_owned());
    let project = project.filter(|folder| home.is_none_or(|home| !home.starts_with(folder)));
    let has_global = request.global.as_deref().is_some_and(|global| global.join(layout::SETTINGS).is_file());
    let vault_folder = request.vault.as_ref().map(|vault| request.cwd.join(vault));
    let vault = match vault_folder {
        Some(folder) => Vault::open(&folder).ok(),
        None => Vault::find_upwards(&request.cwd),
    };
    Surroundings {
        vault: vault.map(|vault| vault.root().display().to_string()),
        global: request.global.as_ref().map(|global| global.display().to_string()),
        has_global,
        note_folders: note_folders(request),
        agents: agents(home, project.as_deref().unwrap_or(&request.cwd)),
        project: project.map(|folder| folder.display().to_string()),
    }
}

fn note_folders(request: &Request) -> Vec<NoteFolder> {
    let Some(home) = &request.home else { return Vec::new() };
    let mut configuration = vec![
        home.join(".config"),
        home.join("Library/Application Support"),
        home.join(".var/app/md.obsidian.Obsidian/config"),
    ];
    let folder_variables =
        ["XDG_CONFIG_HOME", "APPDATA"].iter().filter_map(|name| request.variables.get(*name));
    configuration.extend(folder_variables.map(PathBuf::from));
    let mut folders = obsidian_vaults(home, &configuration);
    let here = request.cwd.ancestors().find(|folder| folder.join(OBSIDIAN).is_dir());
    if let Some(here) = here.filter(|here| folders.iter().all(|folder| folder != here)) {
        folders.insert(0, here.to_owned());
    }
    let counted = |folder: PathBuf| NoteFolder {
        notes: walk::walk(&folder, &[]).files.len(),
        path: folder.display().to_string(),
    };
    folders.into_iter().map(counted).collect()
}

fn agents(home: Option<&Path>, project: &Path) -> Vec<FoundAgent> {
    let mut found = Vec::new();
    for agent in hook_agents() {
        let has = |root: Option<&Path>, scope: HookScope| {
            root.is_some_and(|root| root.join(agent.folder(scope)).is_dir())
        };
        let scope = if has(home, HookScope::User) {
            HookScope::User
        } else if has(Some(project), HookScope::Project) {
            HookScope::Project
        } else {
            continue;
        };
        found.push(FoundAgent { agent: agent.name().to_owned(), scope });
    }
    found
}
