//! Whose sessions may be read. A vault inside a project reads those of its project; the global vault reads all. The
//! person's settings name further folders; a file that others can write narrows and never widens.

use std::path::{Component, Path, PathBuf};

use super::project::ProjectFolders;
use crate::actor::Actor;
use crate::memory::{Level, Memory, OpenVault};
use cm_session::{Agent, Meta};
use cm_store::config::Origin;

/// Which sessions are read.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// Of these agents.
    pub agents: Vec<Agent>,
    /// In the folders of the vault's project, or in those that the person names; anywhere for the global vault.
    project: Option<ProjectFolders>,
    /// In a folder of each of these lists, or below one; an empty list lets all through.
    lists: Vec<Vec<String>>,
    /// Also conversations without a folder, of exports that the person names for this vault.
    exports: bool,
}

impl Allowed {
    /// What the settings of a vault say.
    pub fn of(memory: &Memory, open: &OpenVault) -> Self {
        let named = lists(open, "sessions.agents");
        for name in named.iter().flatten().filter(|name| super::agent(name).is_none()) {
            memory.notice(format!("sessions.agents names `{name}`, and there is no such agent"));
        }
        let passes = |agent: &Agent| {
            named.iter().all(|list| list.is_empty() || list.iter().any(|name| name == agent.name()))
        };
        let base = project(open);
        let folders = |whose| -> Vec<String> {
            let typed = list(open, "sessions.workspaces", whose).unwrap_or_default();
            typed.iter().map(|typed| resolved(memory, base, typed)).collect()
        };
        let (own, shared) = (folders(Whose::Own), folders(Whose::Shared));
        let is_job = memory.call.by.kind == Actor::Job;
        let (project, own) = match is_global(memory, open) {
            // Nobody watches a job: it reads what a person has named for it.
            _ if is_job => (Some(ProjectFolders::named(own)), Vec::new()),
            true => (None, own),
            false => (Some(ProjectFolders::of(memory, open, own)), Vec::new()),
        };
        let exports =
            open.settings.get_from("sessions.exports", |origin| *origin == Origin::Private).is_some();
        Self {
            agents: Agent::ALL.into_iter().filter(passes).collect(),
            project,
            lists: [own, shared].into_iter().filter(|list| !list.is_empty()).collect(),
            exports,
        }
    }

    /// All sessions, where there is no vault that says otherwise.
    pub fn all() -> Self {
        Self { agents: Agent::ALL.to_vec(), ..Self::default() }
    }

    /// The same in words, so that a change of it shows.
    pub fn words(&self) -> String {
        // A new version that knows more agents is no change of what is allowed.
        let all = self.agents.len() == Agent::ALL.len();
        let agents = if all { "all".to_owned() } else { format!("{:?}", self.agents) };
        match &self.project {
            None => format!("{agents} {:?}", self.lists),
            Some(project) => format!("{agents} {:?} of {:?}", self.lists, project.list()),
        }
    }

    /// Whether it depends on the folder if a session is read.
    pub fn is_by_folder(&self) -> bool {
        self.project.is_some() || !self.lists.is_empty()
    }

    /// Whether sessions of every project are read.
    pub fn is_everything(&self) -> bool {
        !self.is_by_folder()
    }

    /// Whether no folder is named at all, so that no session of the home folder is read.
    pub fn is_nothing(&self) -> bool {
        self.project.as_ref().is_some_and(|project| project.list().is_empty())
    }

    /// The lists of folders: a session is read where each of them has its folder.
    pub fn lists(&self) -> Vec<Vec<String>> {
        self.project.iter().map(ProjectFolders::list).chain(self.lists.iter().cloned()).collect()
    }

    /// The folders that are named.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.lists().into_iter().flatten().map(PathBuf::from)
    }

    /// Whether a session of the home folder is read. One that names no folder is in none.
    pub fn allows(&self, meta: &Meta) -> bool {
        let is_export = self.exports && meta.agent == Agent::Chatgpt && meta.workspace.is_none();
        let is_of_project = self
            .project
            .as_ref()
            .is_none_or(|project| meta.workspace.as_deref().is_some_and(|inner| project.holds(inner)));
        (is_export && self.lists.is_empty()) || (is_of_project && self.allows_sent(meta))
    }

    /// Whether a session that was sent to the vault is read: whoever sent it chose the vault.
    pub fn allows_sent(&self, meta: &Meta) -> bool {
        self.lists.iter().all(|list| {
            list.iter().any(|folder| meta.workspace.as_deref().is_some_and(|inner| is_below(inner, folder)))
        })
    }
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The person's.
    Own,
    /// Those of a file that others can write.
    Shared,
}

/// A list of the settings; `None` where it is not set.
fn list(open: &OpenVault, name: &str, whose: Whose) -> Option<Vec<String>> {
    let is_of = |origin: &Origin| origin.is_users() == (whose == Whose::Own);
    let (value, _) = open.settings.get_from(name, is_of)?;
    let items = value.as_array().into_iter().flatten();
    Some(items.filter_map(toml::Value::as_str).map(str::to_owned).collect())
}

/// What the person says, and what a shared file says.
fn lists(open: &OpenVault, name: &str) -> Vec<Vec<String>> {
    [Whose::Own, Whose::Shared].into_iter().filter_map(|whose| list(open, name, whose)).collect()
}

/// Whether it is the global vault, also where it was named.
pub fn is_global(memory: &Memory, open: &OpenVault) -> bool {
    let global = memory.call.global.as_ref().and_then(|path| path.canonicalize().ok());
    open.level == Level::Global
        || global.is_some_and(|path| open.vault.root().canonicalize().is_ok_and(|root| path == root))
}

/// The folder that a vault belongs to: itself, or the one above a `.memory`.
pub fn project(open: &OpenVault) -> &Path {
    let root = open.vault.root();
    let hidden = root.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    if hidden { root.parent().unwrap_or(root) } else { root }
}

/// A folder as logs write it: whole, with `~` for the home folder and all else from `base`.
pub fn resolved(memory: &Memory, base: &Path, typed: &str) -> String {
    let home = memory.call.home.as_deref();
    let path = match (typed.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => base.join(typed),
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain.to_string_lossy().into_owned()
}

pub fn is_below(inner: &str, folder: &str) -> bool {
    Path::new(inner).starts_with(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_allowed_where_every_list_has_its_folder() {
        let meta = |workspace: Option<&str>| Meta {
            workspace: workspace.map(str::to_owned),
            ..Meta::new(Agent::Pi, "s".into())
        };
        let list = |folders: &[&str]| folders.iter().map(|folder| (*folder).to_owned()).collect::<Vec<_>>();
        let all = Allowed::default();
        assert!(all.allows(&meta(None)) && all.allows(&meta(Some("/a"))));
        let some = Allowed { lists: vec![list(&["/a", "/c"]), list(&["/a/b"])], ..Allowed::default() };
        assert!(some.allows(&meta(Some("/a/b"))) && some.allows(&meta(Some("/a/b/d"))));
        for outside in [None, Some("/a"), Some("/c"), Some("/a/bc"), Some("/x")] {
            assert!(!some.allows(&meta(outside)), "{outside:?}");
        }
    }
}
