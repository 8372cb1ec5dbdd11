//! Whose sessions may be read: the person's word, which a file that others can write narrows and never widens.

use std::path::{Component, Path, PathBuf};

use crate::config::Origin;
use crate::domain::session::{Agent, Meta};
use crate::ops::embedding::is_own_word;
use crate::ops::memory::{Memory, OpenVault};

/// Which sessions are read.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// Of these agents.
    pub agents: Vec<Agent>,
    /// In a folder of each of these lists, or below one; an empty list lets all through.
    lists: Vec<Vec<String>>,
}

impl Allowed {
    /// What the settings of a vault say.
    pub fn of(memory: &Memory, open: &OpenVault) -> Self {
        let named = lists(memory, open, "sessions.agents");
        for name in named.iter().flatten().filter(|name| super::agent(name).is_none()) {
            memory.notice(format!("sessions.agents names `{name}`, and there is no such agent"));
        }
        let passes = |agent: &Agent| {
            named.iter().all(|list| list.is_empty() || list.iter().any(|name| name == agent.name()))
        };
        let folders = lists(memory, open, "sessions.workspaces");
        let base = project(open);
        let resolved = |list: Vec<String>| list.iter().map(|typed| resolved(memory, base, typed)).collect();
        Self {
            agents: Agent::ALL.into_iter().filter(passes).collect(),
            lists: folders.into_iter().filter(|list| !list.is_empty()).map(resolved).collect(),
        }
    }

    /// All sessions, where there is no vault that says otherwise.
    pub fn all() -> Self {
        Self { agents: Agent::ALL.to_vec(), lists: Vec::new() }
    }

    /// The same in words, so that a change of it shows.
    pub fn words(&self) -> String {
        // A new version that knows more agents is no change of what is allowed.
        let all = self.agents.len() == Agent::ALL.len();
        let agents = if all { "all".to_owned() } else { format!("{:?}", self.agents) };
        format!("{agents} {:?}", self.lists)
    }

    /// Whether it depends on the folder if a session is read.
    pub fn is_by_folder(&self) -> bool {
        !self.lists.is_empty()
    }

    /// The lists of folders: a session is read where each of them has its folder.
    pub fn lists(&self) -> &[Vec<String>] {
        &self.lists
    }

    /// The folders that are named.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.lists.iter().flatten().map(PathBuf::from)
    }

    /// Whether a session is read. One that names no folder is in none.
    pub fn allows(&self, meta: &Meta) -> bool {
        self.lists.iter().all(|list| {
            list.iter().any(|folder| meta.workspace.as_deref().is_some_and(|inner| is_below(inner, folder)))
        })
    }
}

/// What the person says, and what a shared file says.
fn lists(memory: &Memory, open: &OpenVault, name: &str) -> Vec<Vec<String>> {
    let own = |origin: &Origin| is_own_word(memory, open, origin);
    let mine = open.settings.get_from(name, own);
    let shared = open.settings.get_from(name, |origin| !own(origin));
    let texts = |value: &toml::Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    mine.into_iter().chain(shared).map(|(value, _)| texts(value)).collect()
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
        let some = Allowed { agents: Vec::new(), lists: vec![list(&["/a", "/c"]), list(&["/a/b"])] };
        assert!(some.allows(&meta(Some("/a/b"))) && some.allows(&meta(Some("/a/b/d"))));
        for outside in [None, Some("/a"), Some("/c"), Some("/a/bc"), Some("/x")] {
            assert!(!some.allows(&meta(outside)), "{outside:?}");
        }
    }
}
