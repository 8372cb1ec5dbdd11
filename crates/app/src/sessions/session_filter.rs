//! Decides which sessions may be read. A project vault reads the sessions of its project, the
//! global vault reads all. The user's settings can add folders; a shared settings file can only
//! restrict.

use std::path::{Path, PathBuf};

use super::project_folders::ProjectFolders;
use crate::context::actor::Actor;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::paths::resolve_path;
use cm_session::{Agent, SessionMeta};
use cm_store::config::SettingOrigin;
use cm_store::config::keys::{self, TypedSetting};
use cm_store::vault::Vault;

/// Decides which sessions may be read, by agent and folder.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Agents whose sessions may be read.
    pub agents: Vec<Agent>,
    /// Folders of the project and those that the user added; `None` for the global vault, which
    /// accepts sessions of every folder.
    project: Option<ProjectFolders>,
    /// Lists of permitted folders, one from the user's and one from the shared settings. A session
    /// must be in or below a folder of every list.
    lists: Vec<Vec<String>>,
    /// Whether to accept ChatGPT exports, which have no folder; set by `sessions.exports` in the
    /// private settings.
    exports: bool,
}

impl SessionFilter {
    /// Builds the filter from the settings of a vault.
    pub fn of(context: &Context, open: &OpenVault) -> Self {
        let agent_names = lists(open, keys::SESSIONS_AGENTS);
        for name in agent_names.iter().flatten().filter(|name| super::agent(name).is_none()) {
            context.notice(format!("sessions.agents contains `{name}`, which is not a known agent"));
        }
        let passes = |agent: &Agent| {
            agent_names.iter().all(|list| list.is_empty() || list.iter().any(|name| name == agent.name()))
        };
        let base = project(open);
        let folders = |whose| -> Vec<String> {
            let typed = list(open, keys::SESSIONS_WORKSPACES, whose).unwrap_or_default();
            typed.iter().map(|typed| resolve_path(context, base, typed)).collect()
        };
        let (own, shared) = (folders(SettingsOwner::Own), folders(SettingsOwner::Shared));
        let is_job = context.request.caller.kind == Actor::Job;
        let (project, own) = match is_global(context, open) {
            // Nobody watches a job: it reads what a person has named for it.
            _ if is_job => (Some(ProjectFolders::with_names(own)), Vec::new()),
            true => (None, own),
            false => (Some(ProjectFolders::of(context, open, own)), Vec::new()),
        };
        let exports = open
            .settings
            .get_from(keys::SESSIONS_EXPORTS, |origin| *origin == SettingOrigin::Private)
            .is_some();
        Self {
            agents: Agent::ALL.into_iter().filter(passes).collect(),
            project,
            lists: [own, shared].into_iter().filter(|list| !list.is_empty()).collect(),
            exports,
        }
    }

    /// Creates a filter that accepts every session, for calls without a vault.
    pub fn all() -> Self {
        Self { agents: Agent::ALL.to_vec(), ..Self::default() }
    }

    /// Returns a text that identifies the filter, to detect changes of it.
    pub fn fingerprint(&self) -> String {
        // A new version that knows more agents is no change of what is allowed.
        let all = self.agents.len() == Agent::ALL.len();
        let agents = if all { "all".to_owned() } else { format!("{:?}", self.agents) };
        match &self.project {
            None => format!("{agents} {:?}", self.lists),
            Some(project) => format!("{agents} {:?} of {:?}", self.lists, project.list()),
        }
    }

    /// Returns whether the filter restricts the folders of sessions.
    pub fn is_by_folder(&self) -> bool {
        self.project.is_some() || !self.lists.is_empty()
    }

    /// Returns whether sessions of every folder are accepted.
    pub fn allows_all(&self) -> bool {
        !self.is_by_folder()
    }

    /// Returns whether the project has no folders, so that no local session is accepted.
    pub fn allows_none(&self) -> bool {
        self.project.as_ref().is_some_and(|project| project.list().is_empty())
    }

    /// Returns the lists of permitted folders, including the project's; a session must match every
    /// list.
    pub fn lists(&self) -> Vec<Vec<String>> {
        self.project.iter().map(ProjectFolders::list).chain(self.lists.iter().cloned()).collect()
    }

    /// Iterates over the folders of all lists.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.lists().into_iter().flatten().map(PathBuf::from)
    }

    /// Returns whether a local session may be read. A session without a folder belongs to no
    /// project.
    pub fn allows(&self, meta: &SessionMeta) -> bool {
        let is_export = self.exports && meta.agent == Agent::Chatgpt && meta.workspace.is_none();
        let is_of_project = self
            .project
            .as_ref()
            .is_none_or(|project| meta.workspace.as_deref().is_some_and(|inner| project.holds(inner)));
        (is_export && self.lists.is_empty()) || (is_of_project && self.allows_upload(meta))
    }

    /// Returns whether an uploaded session may be read. The project does not matter, because the
    /// sender chose the vault.
    pub fn allows_upload(&self, meta: &SessionMeta) -> bool {
        self.lists.iter().all(|list| {
            list.iter().any(|folder| meta.workspace.as_deref().is_some_and(|inner| is_below(inner, folder)))
        })
    }
}

/// Who controls a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingsOwner {
    /// Only the user, for example the private files.
    Own,
    /// Everyone who can write to the vault, which contains `cm.toml`.
    Shared,
}

/// Returns a list setting from the user's or the shared settings; `None` if it is not set there.
fn list(open: &OpenVault, setting: &TypedSetting<Vec<String>>, whose: SettingsOwner) -> Option<Vec<String>> {
    let is_of = |origin: &SettingOrigin| origin.is_users() == (whose == SettingsOwner::Own);
    let (value, _) = open.settings.get_from(setting, is_of)?;
    let items = value.as_array().into_iter().flatten();
    Some(items.filter_map(toml::Value::as_str).map(str::to_owned).collect())
}

/// Returns the user's and the shared value of a list setting, in this order, if set.
fn lists(open: &OpenVault, setting: &TypedSetting<Vec<String>>) -> Vec<Vec<String>> {
    [SettingsOwner::Own, SettingsOwner::Shared]
        .into_iter()
        .filter_map(|whose| list(open, setting, whose))
        .collect()
}

/// Returns whether this is the global vault, even if it was opened by path.
pub fn is_global(context: &Context, open: &OpenVault) -> bool {
    let global = context.request.global.as_ref().and_then(|path| path.canonicalize().ok());
    open.level == VaultLevel::Global
        || global.is_some_and(|path| open.vault.root().canonicalize().is_ok_and(|root| path == root))
}

/// Whether the vault of a project's folder is another than the global one.
pub fn has_own_vault(global: &OpenVault, project: &str) -> bool {
    // The folder of a session may be gone while its project is there.
    let folder = Path::new(project).ancestors().find(|folder| folder.is_dir());
    let own = folder.and_then(Vault::find_upwards).and_then(|vault| vault.root().canonicalize().ok());
    own.is_some_and(|own| global.vault.root().canonicalize().is_ok_and(|global| global != own))
}

/// Returns the project folder of a vault: the vault's root, or its parent if the root is hidden,
/// such as `.memory`.
pub fn project(open: &OpenVault) -> &Path {
    let root = open.vault.root();
    let hidden = root.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    if hidden { root.parent().unwrap_or(root) } else { root }
}

pub fn is_below(inner: &str, folder: &str) -> bool {
    Path::new(inner).starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_allowed_where_every_list_has_its_folder() {
        let meta = |workspace: Option<&str>| SessionMeta {
            workspace: workspace.map(str::to_owned),
            ..SessionMeta::new(Agent::Pi, "s".into())
        };
        let list = |folders: &[&str]| folders.iter().map(|folder| (*folder).to_owned()).collect::<Vec<_>>();
        let all = SessionFilter::default();
        assert!(all.allows(&meta(None)) && all.allows(&meta(Some("/a"))));
        let some =
            SessionFilter { lists: vec![list(&["/a", "/c"]), list(&["/a/b"])], ..SessionFilter::default() };
        assert!(some.allows(&meta(Some("/a/b"))) && some.allows(&meta(Some("/a/b/d"))));
        for outside in [None, Some("/a"), Some("/c"), Some("/a/bc"), Some("/x")] {
            assert!(!some.allows(&meta(outside)), "{outside:?}");
        }
    }
}
