//! Privacy settings for agents' sessions: which may be read, where their text may be sent, and
//! which were read recently.
//!
//! It opens no log and no index; it reports settings and the recorded reads.

mod without_vault;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::paths::resolve_path;
use crate::context::secrets;
use crate::error::{Error, Result};
use crate::sessions::session_filter::{SessionFilter, is_global, project};
use crate::sessions::{access_log, agent, agents};
use crate::verbs::config;
use crate::verbs::server_client::connection::ServerConnection;
use crate::verbs::server_client::outbox::Outbox;
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_store::config::SettingOrigin;
use cm_store::config::keys::{self, SettingKey, TypedSetting};

pub use crate::sessions::access_log::ReadLogEntry;
pub use without_vault::without_vault;

/// Number of recent reads of sessions that are shown.
const SHOWN_READS: usize = 5;

/// Which sessions cm may read, and what it read recently.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PrivacyStatus {
    /// Agents whose sessions may be read.
    pub agents: Vec<String>,
    /// Agents whose sessions are never read.
    pub denied: Vec<String>,
    /// Lists of folders. A session is read if each list contains its folder or a parent of it;
    /// without lists, all sessions are read. For a vault inside a project, the first list contains
    /// the folders of the project and those that the user added.
    pub workspaces: Vec<Vec<String>>,
    /// Whether an agent may see sessions of other agents.
    pub cross_agent: bool,
    /// Redaction of session text.
    pub redaction: Redaction,
    /// Provider of the language model that may receive session text; `none` if there is none.
    pub provider: String,
    /// Address of the team server to which the hooks of this folder send sessions and prompts; null if
    /// there is none.
    pub server: Option<String>,
    /// Number of uploads that wait on this machine for that server.
    pub waiting: usize,
    /// Whether session searches also use the program `cass`.
    pub cass: bool,
    /// Recent reads of sessions, latest first.
    pub latest: Vec<ReadLogEntry>,
}

/// How secrets in session text are redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Redaction {
    /// Whether the built-in redaction rules are enabled.
    pub enabled: bool,
    /// Number of redaction patterns and rules that the user added.
    pub own: usize,
}

/// Reports which sessions may be read, and the latest reads.
///
/// # Errors
/// Invalid secret patterns, or an unreadable log of reads or list of servers.
pub fn privacy(context: &Context) -> Result<PrivacyStatus> {
    let open = context.target();
    let allowed = SessionFilter::of(context, open);
    let names = |may: bool| {
        let of = Agent::ALL.into_iter().filter(|agent| allowed.agents.contains(agent) == may);
        of.map(|agent| agent.name().to_owned()).collect()
    };
    let (rules, _) = secrets::rules_of_logs(context, open)?;
    let server = ServerConnection::of_request(&context.request)?;
    let provider = own(open, keys::LLM_PROVIDER).and_then(|value| value.as_str()).unwrap_or("none");
    Ok(PrivacyStatus {
        agents: names(true),
        denied: names(false),
        workspaces: allowed.lists().to_vec(),
        cross_agent: cross_agent(context),
        redaction: Redaction { enabled: rules.built_in(), own: rules.custom_count() },
        provider: provider.to_owned(),
        waiting: server.as_ref().map_or(Ok(0), waiting)?,
        server: server.map(|server| server.url.to_string()),
        cass: flag(context, keys::SOURCES_CASS),
        latest: log(context, &Options { limit: SHOWN_READS, since: None })?.reads,
    })
}

/// Number of uploads that wait for a server.
fn waiting(server: &ServerConnection) -> Result<usize> {
    Ok(Outbox::of(&server.private).size()?.items)
}

/// Whether an agent may see sessions of other agents. Only the user's own settings can allow it.
pub fn cross_agent(context: &Context) -> bool {
    flag(context, keys::SESSIONS_CROSS_AGENT)
}

/// Returns a setting that permits reads. A value in the vault's shared file is ignored with a
/// notice.
pub(crate) fn flag(context: &Context, setting: &TypedSetting<bool>) -> bool {
    let settings = &context.target().settings;
    settings.ignored(setting.name).for_each(|notice| context.notice(notice));
    settings.flag(setting).unwrap_or(false)
}

fn own<'a>(open: &'a OpenVault, key: &SettingKey) -> Option<&'a toml::Value> {
    open.settings.get_from(key, SettingOrigin::is_users).map(|(value, _)| value)
}

/// Filter and limit of the list of reads.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Maximum number of reads.
    pub limit: usize,
    /// Only reads at or after this instant.
    pub since: Option<Instant>,
}

/// Recorded reads of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReadLog {
    /// The reads, latest first.
    pub reads: Vec<ReadLogEntry>,
    /// Number of matching reads, including those beyond the limit.
    pub total: usize,
}

/// Lists the recorded reads of sessions.
///
/// # Errors
/// Returns an error if the log of reads cannot be read.
pub fn log(context: &Context, options: &Options) -> Result<ReadLog> {
    let mut reads = access_log::entries(context)?;
    reads.retain(|read| options.since.is_none_or(|since| read.at >= since));
    let total = reads.len();
    reads.reverse();
    reads.truncate(options.limit);
    Ok(ReadLog { reads, total })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionTarget {
    /// Sessions of an agent, by name.
    Agent(String),
    /// Sessions in a folder and its subfolders; the path as the user typed it.
    Workspace(String),
}

/// Value of a privacy setting after it was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedPermission {
    /// Name of the setting.
    pub key: String,
    /// Permitted agents or folders; if empty, all are permitted.
    pub items: Vec<String>,
    /// Path of the settings file.
    pub path: String,
    /// Whether anything changed.
    pub changed: bool,
}

/// Allows or denies reads in the user's private settings of the vault.
///
/// # Errors
/// An unknown agent, a denial that a list of permitted items cannot express, and the errors of
/// [`config::set`].
pub fn set(context: &Context, what: &PermissionTarget, allow: bool) -> Result<ChangedPermission> {
    let (key, items) = match what {
        PermissionTarget::Agent(name) => (keys::SESSIONS_AGENTS, agents_with(context, name, allow)?),
        PermissionTarget::Workspace(typed) => {
            (keys::SESSIONS_WORKSPACES, workspaces_with(context, typed, allow)?)
        }
    };
    let typed = items.join(",");
    let written = config::set(
        context,
        key.name,
        Some(typed.as_str()).filter(|typed| !typed.is_empty()),
        config::SettingsTarget::Private,
    )?;
    Ok(ChangedPermission { key: key.name.to_owned(), items, path: written.path, changed: written.changed })
}

/// Returns the items of a list in the user's own settings, without those of the shared file.
fn listed(context: &Context, setting: &TypedSetting<Vec<String>>) -> Vec<String> {
    let items = own(context.target(), setting).and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

fn agents_with(context: &Context, name: &str, allow: bool) -> Result<Vec<String>> {
    agents(name)?;
    let mut selected: Vec<Agent> =
        listed(context, keys::SESSIONS_AGENTS).iter().filter_map(|name| agent(name)).collect();
    if selected.is_empty() {
        selected = Agent::ALL.to_vec();
    }
    selected.retain(|listed_agent| listed_agent.name() != name);
    selected.extend(agent(name).filter(|_| allow));
    selected.sort();
    if selected.is_empty() {
        return Err(Error::refused(
            "nothing-left",
            format!("{name} is the only agent whose sessions are read"),
        )
        .hint("an empty list allows all agents; allow another agent first"));
    }
    // All of them are said by no list, so that agents of a later version are among them.
    let all = selected.len() == Agent::ALL.len();
    Ok(if all { Vec::new() } else { selected.iter().map(|agent| agent.name().to_owned()).collect() })
}

fn workspaces_with(context: &Context, typed: &str, allow: bool) -> Result<Vec<String>> {
    let name = keys::SESSIONS_WORKSPACES.name;
    let folder = resolve_path(context, &context.request.cwd, typed);
    if folder.contains(',') {
        return Err(Error::usage(
            "a folder name with a comma must be added by hand to your settings for this vault",
        ));
    }
    let base = project(context.target());
    let mut folders = listed(context, keys::SESSIONS_WORKSPACES);
    let before = folders.len();
    if allow && SessionFilter::of(context, context.target()).allows_all() {
        return Err(Error::refused("all-allowed", "sessions of all folders are already read")
            .hint(format!("`cm config set {name} {folder} --private` limits reading to this folder")));
    }
    folders.retain(|item| resolve_path(context, base, item) != folder);
    if !allow && folders.len() == before {
        return Err(Error::refused("not-listed", format!("the sessions of {folder} are not read")).hint(
            format!("`{name}` lists the folders whose sessions are read; set it to exclude all others"),
        ));
    }
    if allow {
        folders.push(folder);
    } else if folders.is_empty() && is_global(context, context.target()) {
        return Err(Error::refused(
            "nothing-left",
            format!("{folder} is the only folder whose sessions are read"),
        )
        .hint("an empty list allows all folders; allow another folder first"));
    }
    Ok(folders)
}
