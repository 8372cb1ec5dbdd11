//! What of agents' sessions may be read, where their text may go, and what was read lately.
//!
//! It opens no log and no index: it shows settings, and what others wrote down as they read.

use schemars::JsonSchema;
use serde::Serialize;

use super::config;
use super::error::{Error, Result};
use super::memory::{Memory, OpenVault};
use super::secrets;
use super::sessions::allowed::{Allowed, is_global, project, resolved};
use super::sessions::{agent, agents, reads};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_store::config::Origin;

pub use super::sessions::reads::Entry;

/// How many of the latest reads are shown beside the settings.
const LATEST: usize = 5;

/// What may be read, and what was.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Privacy {
    /// The agents whose sessions may be read.
    pub agents: Vec<String>,
    /// Those whose sessions are never read.
    pub denied: Vec<String>,
    /// Lists of folders: a session is read where each list has its folder or one above it; all where there is no list. Of a
    /// vault inside a project the first list has the project's folders and those that the person names.
    pub workspaces: Vec<Vec<String>>,
    /// Whether one agent may be shown sessions of another.
    pub cross_agent: bool,
    /// What is taken out of the text of sessions.
    pub redaction: Redaction,
    /// Who runs the language model that text of sessions may be given to; `none` where none is.
    pub provider: String,
    /// Whether the program `cass` is asked where sessions are searched.
    pub cass: bool,
    /// What was read last, the latest first.
    pub latest: Vec<Entry>,
}

/// What is taken out of the text of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Redaction {
    /// Whether the built-in rules hold.
    pub enabled: bool,
    /// How many patterns and rules of one's own hold.
    pub own: usize,
}

/// Shows it.
///
/// # Errors
/// Patterns of secrets that are none, and a log of reads that cannot be read.
pub fn privacy(memory: &Memory) -> Result<Privacy> {
    let open = memory.target();
    let allowed = Allowed::of(memory, open);
    let names = |may: bool| {
        let of = Agent::ALL.into_iter().filter(|agent| allowed.agents.contains(agent) == may);
        of.map(|agent| agent.name().to_owned()).collect()
    };
    let (rules, _) = secrets::rules_of_logs(memory, open)?;
    let provider = own(open, "llm.provider").and_then(|value| value.as_str()).unwrap_or("none");
    Ok(Privacy {
        agents: names(true),
        denied: names(false),
        workspaces: allowed.lists().to_vec(),
        cross_agent: cross_agent(memory),
        redaction: Redaction { enabled: rules.built_in(), own: rules.own() },
        provider: provider.to_owned(),
        cass: flag(memory, "sources.cass"),
        latest: log(memory, &Options { limit: LATEST, since: None })?.reads,
    })
}

/// Whether one agent may be shown sessions of another: the person's word alone.
pub fn cross_agent(memory: &Memory) -> bool {
    flag(memory, "sessions.cross_agent")
}

/// A setting that lets something be read. One of a vault's own file does not count, which becomes a notice.
pub(super) fn flag(memory: &Memory, name: &str) -> bool {
    let settings = &memory.target().settings;
    settings.ignored(name).for_each(|notice| memory.notice(notice));
    settings.flag(name).unwrap_or(false)
}

fn own<'a>(open: &'a OpenVault, name: &str) -> Option<&'a toml::Value> {
    open.settings.get_from(name, Origin::is_users).map(|(value, _)| value)
}

/// Which reads.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// At most so many.
    pub limit: usize,
    /// Only those then or later.
    pub since: Option<Instant>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Logged {
    /// The reads, the latest first.
    pub reads: Vec<Entry>,
    /// How many there are.
    pub total: usize,
}

/// Lists what was read.
///
/// # Errors
/// Where the log of reads cannot be read.
pub fn log(memory: &Memory, options: &Options) -> Result<Logged> {
    let mut reads = reads::entries(memory)?;
    reads.retain(|read| options.since.is_none_or(|since| read.at >= since));
    let total = reads.len();
    reads.reverse();
    reads.truncate(options.limit);
    Ok(Logged { reads, total })
}

/// Of what it is said whether it may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// An agent's sessions, by its name.
    Agent(String),
    /// The sessions of a folder and those below it, as typed.
    Workspace(String),
}

/// What holds now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Set {
    /// The setting.
    pub key: String,
    /// Its items; all are read where there are none.
    pub items: Vec<String>,
    /// The file that holds it.
    pub path: String,
    /// Whether anything changed.
    pub changed: bool,
}

/// Lets something be read, or keeps it from being read, in the user's private settings of the vault.
///
/// # Errors
/// No such agent, what a list of those that may be read cannot say, and those of [`config::set`].
pub fn set(memory: &Memory, what: &What, allow: bool) -> Result<Set> {
    let (key, items) = match what {
        What::Agent(name) => ("sessions.agents", agents_with(memory, name, allow)?),
        What::Workspace(typed) => ("sessions.workspaces", workspaces_with(memory, typed, allow)?),
    };
    let typed = items.join(",");
    let written = config::set(
        memory,
        key,
        Some(typed.as_str()).filter(|typed| !typed.is_empty()),
        config::Target::Private,
    )?;
    Ok(Set { key: key.to_owned(), items, path: written.path, changed: written.changed })
}

/// What the person's own list says.
fn listed(memory: &Memory, name: &str) -> Vec<String> {
    let items = own(memory.target(), name).and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

fn agents_with(memory: &Memory, name: &str, allow: bool) -> Result<Vec<String>> {
    agents(name)?;
    let mut named: Vec<Agent> =
        listed(memory, "sessions.agents").iter().filter_map(|name| agent(name)).collect();
    if named.is_empty() {
        named = Agent::ALL.to_vec();
    }
    named.retain(|known| known.name() != name);
    named.extend(agent(name).filter(|_| allow));
    named.sort();
    if named.is_empty() {
        return Err(Error::refused(
            "nothing-left",
            format!("{name} is the last agent whose sessions are read"),
        )
        .hint("a list that is empty lets all through; allow another agent first"));
    }
    // All of them are said by no list, so that agents of a later version are among them.
    let all = named.len() == Agent::ALL.len();
    Ok(if all { Vec::new() } else { named.iter().map(|agent| agent.name().to_owned()).collect() })
}

fn workspaces_with(memory: &Memory, typed: &str, allow: bool) -> Result<Vec<String>> {
    const NAME: &str = "sessions.workspaces";
    let folder = resolved(memory, &memory.call.cwd, typed);
    if folder.contains(',') {
        return Err(Error::usage(
            "a folder whose name has a comma is written into your settings of the vault by hand",
        ));
    }
    let base = project(memory.target());
    let mut named = listed(memory, NAME);
    let before = named.len();
    if allow && Allowed::of(memory, memory.target()).is_everything() {
        return Err(Error::refused("all-allowed", "sessions of all folders are read already")
            .hint(format!("`cm config set {NAME} {folder} --private` reads those of this folder alone")));
    }
    named.retain(|item| resolved(memory, base, item) != folder);
    if !allow && named.len() == before {
        return Err(Error::refused("not-listed", format!("{folder} is none of the folders that are read"))
            .hint(format!(
                "`{NAME}` lists the folders that are read; set it to those, and all others are left out"
            )));
    }
    if allow {
        named.push(folder);
    } else if named.is_empty() && is_global(memory, memory.target()) {
        return Err(Error::refused(
            "nothing-left",
            format!("{folder} is the last folder whose sessions are read"),
        )
        .hint("a list that is empty lets all through; allow another folder first"));
    }
    Ok(named)
}
