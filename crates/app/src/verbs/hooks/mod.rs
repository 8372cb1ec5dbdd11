//! Installs, removes and inspects cm's hooks in agents' settings. Other lines of a file stay byte
//! for byte, changes are planned before they are written, and nothing is written through a symbolic
//! link that leaves the folder.
//!
//! No vault is needed or changed.

mod deliver;
mod server;
mod server_status;
mod status;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::request::Request;
use crate::context::secrets;
use crate::error::{CHANGED_MEANWHILE, Error, ErrorKind, Result};
use cm_agents::hook::mcp::{self, ServerRegistration};
use cm_agents::hook::owned_file::{self, OwnedFile};
use cm_agents::hook::program::ProgramPath;
use cm_agents::hook::settings::summary::summary;
use cm_agents::hook::settings::{self, InstallStatus};
use cm_agents::hook::skill::{self, SkillFile};
use cm_agents::hook::{HookAgent, hook_agent, hook_agents};
use cm_note::path::NotePath;
use cm_secrets::redact;
use cm_session::Agent;
use cm_store::git::Repo;
use cm_store::vault::external_folder;

pub use crate::verbs::server_client::former_server::FormerServer;
pub use cm_agents::hook::SettingsScope as HookScope;
pub use deliver::{HooksDelivery, deliver};
pub use server::{ConnectionAction, ConnectionChange, ServerOptions, TokenOrigin, asks_for_token};
pub use server_status::{RefusedUpload, ServerState, used_server};
pub(crate) use status::can_propose;
pub use status::{AgentState, HookFailure, HookState, HooksStatus, status};

/// Agents and settings for which hooks are installed or removed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names of agents; if empty, the agents used in this folder.
    pub agents: Vec<String>,
    /// Change project or user settings; by default the project's inside a repository, else the
    /// user's.
    pub scope: Option<HookScope>,
    /// Also install cm's skills.
    pub skills: bool,
    /// Also register cm's MCP server.
    pub mcp: bool,
    /// The team server that the hooks shall call; `None` leaves it as it is.
    pub server: Option<ServerOptions>,
}

/// A planned change of an agent's settings or skill file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingsFileChange {
    pub agent: String,
    /// Path of the file, relative to the settings root.
    pub path: String,
    /// `make`, `change`, `remove`, or `keep` if the file is up to date.
    pub action: FileAction,
    /// Unified diff of the change; empty for a skill.
    pub diff: String,
    #[serde(skip)]
    before: Option<Vec<u8>>,
    #[serde(skip)]
    after: String,
    /// Whether the agent runs the file as a program.
    #[serde(skip)]
    is_executable: bool,
}

/// What happens to a settings or skill file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileAction {
    /// Create the file.
    Make,
    /// Change only the lines that belong to cm.
    Change,
    /// Remove the file, because it contains nothing but cm's text.
    Remove,
    /// Leave the file unchanged.
    Keep,
}

/// Changes of agents' settings, planned or already written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HookChanges {
    /// Whether the project's or the user's settings change.
    #[serde(rename = "reach")]
    pub scope: HookScope,
    /// Folder to which the paths of the files are relative.
    pub folder: String,
    /// The file changes, grouped by agent.
    pub files: Vec<SettingsFileChange>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// The team server that the hooks call; null for a vault on this machine.
    pub server: Option<ConnectionChange>,
    /// Warnings, and steps that the user must take.
    pub notices: Vec<String>,
    #[serde(skip)]
    root: PathBuf,
}

/// Plans the installation of hooks; writes nothing.
///
/// # Errors
/// An unknown agent, no agent found, or settings that cannot be parsed or safely edited.
pub fn install(request: &Request, options: &Options) -> Result<HookChanges> {
    let mut changes = empty_changes(request, options)?;
    let program = ProgramPath::default();
    let agents = agents(request, options, changes.scope, &changes.root, "install")?;
    changes.connect(request, options)?;
    for agent in agents {
        let path = agent.hooks_file(changes.scope);
        let way = options.mcp.then(|| agent.server_registration(changes.scope, &program));
        let is_same_file = way == Some(ServerRegistration::File(path));
        let owned = agent.owned_files(changes.scope, &program);
        for file in &owned {
            changes.settings(agent, &file.path, |text| {
                file.install(text).map_err(|error| unreadable_settings_error(&file.path, &error.to_string()))
            })?;
            changes.mark_executable(file);
        }
        if owned.is_empty() {
            changes.settings(agent, path, |text| {
                let with_hooks =
                    settings::install(agent, text, &program).map_err(|fault| faulty(path, &fault))?;
                if is_same_file { with_server(agent, path, &with_hooks, &program) } else { Ok(with_hooks) }
            })?;
        }
        match way {
            Some(ServerRegistration::File(path)) if !is_same_file => {
                changes.settings(agent, path, |text| with_server(agent, path, text, &program))?;
            }
            Some(ServerRegistration::Command(line)) => {
                changes.notices.push(format!("{agent} registers the server with its own command: {line}"));
            }
            Some(ServerRegistration::Unsupported) => {
                changes.notices.push(format!("{agent} has no MCP; `--skills` gives it cm's commands"));
            }
            _ => {}
        }
        if options.skills {
            for file in skill::files(agent, changes.scope) {
                changes.skill(agent, &file, &file.text)?;
            }
        }
        changes.notices.extend(agent.trust_notice(changes.scope).map(str::to_owned));
        changes.notices.extend(duplicate_warning(request, agent, changes.scope, &program));
    }
    if !is_on_path(request) {
        changes.notices.push("agents start `cm`, but it is not on the PATH: install it there".to_owned());
    }
    redact_diffs(request, changes)
}

/// Plans the removal of hooks, skills and the MCP server; writes nothing.
///
/// # Errors
/// An unknown agent, no agent found, or settings that cannot be parsed.
pub fn uninstall(request: &Request, options: &Options) -> Result<HookChanges> {
    let mut changes = empty_changes(request, options)?;
    let agents = agents(request, options, changes.scope, &changes.root, "uninstall")?;
    changes.disconnect(request, &agents)?;
    for agent in agents {
        let path = agent.hooks_file(changes.scope);
        let server = mcp::file(agent, changes.scope);
        let owned = agent.owned_files(changes.scope, &ProgramPath::default());
        for file in &owned {
            // Another's file of that name is none of ours.
            changes.settings(agent, &file.path, |text| {
                Ok(owned_file::uninstall(text).unwrap_or_else(|_| text.to_owned()))
            })?;
        }
        if owned.is_empty() {
            changes.settings(agent, path, |text| {
                let without_hooks = settings::uninstall(agent, text).map_err(|fault| faulty(path, &fault))?;
                if server == Some(path) {
                    without_server(agent, path, &without_hooks)
                } else {
                    Ok(without_hooks)
                }
            })?;
        }
        if let Some(server) = server.filter(|server| *server != path) {
            changes.settings(agent, server, |text| without_server(agent, server, text))?;
        }
        for file in skill::files(agent, changes.scope) {
            changes.skill(agent, &file, "")?;
        }
    }
    redact_diffs(request, changes)
}

/// Returns the settings text with an entry for cm's MCP server.
fn with_server(agent: HookAgent, path: &str, text: &str, program: &ProgramPath) -> Result<String> {
    mcp::install(agent, text, program).map_err(|fault| faulty(path, &fault))
}

/// Returns the settings text without the entry for cm's MCP server.
fn without_server(agent: HookAgent, path: &str, text: &str) -> Result<String> {
    mcp::uninstall(agent, text, &ProgramPath::default()).map_err(|fault| faulty(path, &fault))
}

/// Writes the planned changes.
///
/// # Errors
/// A file that changed since it was planned or cannot be written; earlier files stay written.
pub fn apply(request: &Request, changes: &HookChanges) -> Result<()> {
    // Before the hooks, so that none of them uses the wrong memory.
    changes.server.as_ref().map_or(Ok(()), |server| server.apply(request))?;
    for file in changes.files.iter().filter(|file| file.action != FileAction::Keep) {
        let path = note_path(&file.path)?;
        let there = read_if_any(&changes.root, &path)?;
        if there != file.before {
            return Err(Error::refused(
                CHANGED_MEANWHILE,
                format!("{} was changed in the meantime", file.path),
            )
            .at(&file.path, None, None)
            .hint("the file is unchanged; run the command again"));
        }
        if file.action == FileAction::Remove {
            external_folder::remove(&changes.root, &path).map_err(|error| folder_error(&file.path, error))?;
        } else {
            let bytes = [(path, file.after.clone().into_bytes())];
            external_folder::write(&changes.root, &bytes, &|_, now| Some(now) == file.before.as_deref())
                .map_err(|error| folder_error(&file.path, error))?;
            if file.is_executable {
                external_folder::make_executable(&changes.root, &note_path(&file.path)?)
                    .map_err(|error| folder_error(&file.path, error))?;
            }
        }
    }
    Ok(())
}

/// Creates a plan without changes for the selected scope.
fn empty_changes(request: &Request, options: &Options) -> Result<HookChanges> {
    let in_repository = || Repo::discover(&request.cwd).ok().flatten().is_some();
    let scope =
        options.scope.unwrap_or_else(|| if in_repository() { HookScope::Project } else { HookScope::User });
    let root = root(request, scope).ok_or_else(|| {
        Error::usage("the home directory is unknown").hint("use `--project` in a project's folder")
    })?;
    let folder = root.display().to_string();
    let (files, notices) = (Vec::new(), Vec::new());
    Ok(HookChanges { scope, folder, files, dry_run: false, server: None, notices, root })
}

/// Returns the folder that contains the settings: the home folder, or the root of the repository's
/// work tree, or the working directory outside a repository.
fn root(request: &Request, whose: HookScope) -> Option<PathBuf> {
    match whose {
        HookScope::User => request.home.clone(),
        HookScope::Project => {
            let repo = Repo::discover(&request.cwd).ok().flatten();
            Some(repo.map_or_else(|| request.cwd.clone(), |repo| repo.workdir().to_owned()))
        }
    }
}

fn parse_agents(names: &[String]) -> Result<Vec<HookAgent>> {
    let one = |name: &String| {
        hook_agent(name).ok_or_else(|| {
            let supported = hook_agents().map(|agent| agent.name()).collect::<Vec<_>>().join(", ");
            Error::usage(format!("`{name}` is not an agent with hooks"))
                .hint(format!("supported agents: {supported}"))
        })
    };
    let mut agents = names.iter().map(one).collect::<Result<Vec<_>>>()?;
    agents.sort_by_key(|agent| agent.agent());
    agents.dedup();
    Ok(agents)
}

/// The named agents, else those with a settings folder under `root`. `verb` is the command that the hint of the error names.
fn agents(
    request: &Request,
    options: &Options,
    whose: HookScope,
    root: &Path,
    verb: &str,
) -> Result<Vec<HookAgent>> {
    let agents = parse_agents(&options.agents)?;
    if !agents.is_empty() {
        return Ok(agents);
    }
    let is_used = |agent: &HookAgent| root.join(agent.folder(whose)).is_dir();
    let used: Vec<HookAgent> = hook_agents().filter(is_used).collect();
    if !used.is_empty() {
        return Ok(used);
    }
    let where_else = if whose == HookScope::Project && request.home.is_some() {
        "; or `--user` for your own settings"
    } else {
        ""
    };
    Err(Error::new(
        ErrorKind::NothingDone,
        "no-agent",
        format!("no agent keeps settings in {}", root.display()),
    )
    .hint(format!("pass an agent, as in `cm hooks {verb} claude`{where_else}")))
}

impl HookChanges {
    /// Plans the connection to the wanted server; without one, an existing connection stays.
    fn connect(&mut self, request: &Request, options: &Options) -> Result<()> {
        let existing = server::of_scope(request, self.scope, &self.root)?;
        let Some(url) = &options.server else {
            let keep = |open| server::change_of(request, &open, ConnectionAction::Keep);
            self.server = existing.map(keep).transpose()?;
            return Ok(());
        };
        let (change, notices) = server::connect(request, self.scope, &self.root, url)?;
        let replaced = existing.filter(|open| open.url.to_string() != change.url);
        self.notices.extend(notices);
        self.notices.extend(replaced.as_ref().and_then(server::undelivered_to_former));
        self.server = Some(change);
        Ok(())
    }

    /// Plans to end the connection if these agents are the last ones that have hooks here.
    fn disconnect(&mut self, request: &Request, agents: &[HookAgent]) -> Result<()> {
        let Some(open) = server::of_scope(request, self.scope, &self.root)? else { return Ok(()) };
        let program = ProgramPath::default();
        let has_hooks = |agent: &HookAgent| {
            let status = status::install_status(&self.root, *agent, self.scope, &program);
            status.map_or(true, |(state, _)| state != InstallStatus::Absent)
        };
        let is_last = !hook_agents().filter(|agent| !agents.contains(agent)).any(|agent| has_hooks(&agent));
        let action = if is_last { ConnectionAction::Disconnect } else { ConnectionAction::Keep };
        if is_last {
            self.notices.extend(server::undelivered(&open));
            self.notices.extend(open.memory_file.as_ref().map(|file| format!("{file} stays as it is")));
        }
        self.server = Some(server::change_of(request, &open, action)?);
        Ok(())
    }

    fn settings(
        &mut self,
        agent: HookAgent,
        path: &str,
        change: impl FnOnce(&str) -> Result<String>,
    ) -> Result<()> {
        let before = read_if_any(&self.root, &note_path(path)?)?;
        let text = text_of(&before, path)?;
        let after = change(&text)?;
        let diff = summary(path, &text, &after);
        self.push(agent, path, before, after, diff);
        Ok(())
    }

    /// Plans a change of a skill file; a file that cm did not create stays as it is.
    fn skill(&mut self, agent: HookAgent, file: &SkillFile, after: &str) -> Result<()> {
        let before = read_if_any(&self.root, &note_path(&file.path)?)?;
        let is_theirs = |bytes: &Vec<u8>| !skill::is_ours(&String::from_utf8_lossy(bytes));
        if before.as_ref().is_some_and(is_theirs) {
            if !after.is_empty() {
                self.notices.push(format!("{} was not installed by cm and stays unchanged", file.path));
            }
            return Ok(());
        }
        if before.is_some() || !after.is_empty() {
            self.push(agent, &file.path, before, after.to_owned(), String::new());
        }
        Ok(())
    }

    fn mark_executable(&mut self, file: &OwnedFile) {
        let planned = self.files.iter_mut().find(|planned| planned.path == file.path);
        if let Some(planned) = planned {
            planned.is_executable = file.is_executable;
        }
    }

    fn push(&mut self, agent: HookAgent, path: &str, before: Option<Vec<u8>>, after: String, diff: String) {
        // What two agents share is written once.
        if self.files.iter().any(|file| file.path == path) {
            return;
        }
        let action = match &before {
            None if after.is_empty() => return,
            None => FileAction::Make,
            // An empty file holds nobody's settings.
            Some(_) if after.is_empty() => FileAction::Remove,
            Some(bytes) if *bytes == after.as_bytes() => FileAction::Keep,
            Some(_) => FileAction::Change,
        };
        let (agent, path) = (agent.name().to_owned(), path.to_owned());
        let is_executable = false;
        self.files.push(SettingsFileChange { agent, path, action, diff, before, after, is_executable });
    }
}

/// Redacts secrets in the diffs that are shown to the user.
fn redact_diffs(request: &Request, mut changes: HookChanges) -> Result<HookChanges> {
    let rules = secrets::rules_for_request(request)?;
    for file in &mut changes.files {
        file.diff = redact(&file.diff, &rules).0.into_string();
    }
    Ok(changes)
}

/// Returns a warning if an agent has hooks in both project and user settings and would run them
/// twice.
fn duplicate_warning(
    request: &Request,
    agent: HookAgent,
    whose: HookScope,
    program: &ProgramPath,
) -> Option<String> {
    let plugin = [HookScope::Project, HookScope::User].into_iter().filter_map(|scope| root(request, scope));
    if let Some(path) = plugin.into_iter().find_map(|root| status::plugin_settings(&root, agent)) {
        return Some(format!(
            "{path} enables the plugin of cm, which has the same hooks; each event is answered once, so either can go"
        ));
    }
    let other = if whose == HookScope::Project { HookScope::User } else { HookScope::Project };
    let root = root(request, other)?;
    let path = agent.hooks_file(other);
    let state = match agent.agent() {
        // It runs identical hooks once.
        Agent::ClaudeCode => InstallStatus::Absent,
        _ => status::install_status(&root, agent, other, program).ok()?.0,
    };
    (state != InstallStatus::Absent && request.home != self::root(request, HookScope::Project)).then(|| {
        let flag = if other == HookScope::User { "--user" } else { "--project" };
        format!(
            "{} also has hooks of cm, and {agent} runs both; `cm hooks uninstall {agent} {flag}` removes them",
            root.join(path).display()
        )
    })
}

/// Whether `PATH` contains an executable named `cm`.
fn is_on_path(request: &Request) -> bool {
    let folders = request.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let is_there = |folder: PathBuf| ["cm", "cm.exe"].iter().any(|name| folder.join(name).is_file());
    std::env::split_paths(folders).any(is_there)
}

fn read_if_any(root: &Path, path: &NotePath) -> Result<Option<Vec<u8>>> {
    external_folder::below(root, path).map_err(|error| folder_error(path.as_str(), error))
}

/// Converts an I/O error; a symbolic link that leads out of the settings folder gets its own
/// message.
fn folder_error(path: &str, error: cm_store::vault::Error) -> Error {
    match error {
        cm_store::vault::Error::LeadsOut { .. } => Error::refused(
            "leads-out",
            format!("{path} is a symbolic link that is broken or leads out of the folder"),
        )
        .at(path, None, None)
        .hint("cm does not write through it; install the hooks in the folder it points to"),
        error => error.into(),
    }
}

fn text_of(bytes: &Option<Vec<u8>>, path: &str) -> Result<String> {
    let bytes = bytes.clone().unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| {
        Error::not_utf8(path).hint("save the file as UTF-8, then run the command again; nothing was written")
    })
}

fn note_path(path: &str) -> Result<NotePath> {
    Ok(NotePath::parse(path)?)
}

fn faulty(path: &str, fault: &settings::SettingsError) -> Error {
    unreadable_settings_error(path, &fault.message).at(
        path,
        u32::try_from(fault.line).ok(),
        u32::try_from(fault.column).ok(),
    )
}

fn unreadable_settings_error(path: &str, why: &str) -> Error {
    Error::refused("unreadable-settings", why.to_owned())
        .at(path, None, None)
        .hint("fix the file, then run the command again; nothing was written")
}
