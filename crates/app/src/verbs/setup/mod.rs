//! Sets cm up on a machine: chooses and creates the vault, connects agents, learns from recent
//! sessions and writes CORE.md. Each step is a command of its own as well.

mod find;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::progress::Progress;
use crate::context::request::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::{SessionAccess, SessionSelection};
use crate::verbs::commit::{self, CommittedEdits};
use crate::verbs::generate::{self, Generated};
use crate::verbs::hooks::{self, HookChanges, HookScope};
use crate::verbs::init::{self, CreatedVault};
use crate::verbs::reflect::{self, ReflectResult};
use crate::verbs::{config, stats};
use cm_store::config::keys;
use cm_store::git::Repo;
use cm_store::vault::layout;

pub use find::{FoundAgent, NoteFolder, Surroundings, find};

/// Folder of a vault inside a project.
pub const PROJECT_FOLDER: &str = ".memory";
/// Number of days of sessions that are read by default.
pub const DAYS: f64 = 30.0;

/// The folder that becomes the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// Path of the folder.
    pub path: String,
    /// Whether it is used in every project (the global vault), or only in and below its folder.
    pub global: bool,
}

/// What to set up.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    pub place: Place,
    /// Names of the agents to connect.
    pub agents: Vec<String>,
    /// Whether the project's or the user's settings of these agents change.
    #[serde(rename = "reach")]
    pub scope: HookScope,
    /// Number of days whose sessions are read; null to read none.
    pub days: Option<f64>,
}

/// Result of the setup.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SetUp {
    pub place: Place,
    /// Created files and the first commit; null if the vault existed.
    pub created: Option<CreatedVault>,
    /// Existing notes that were committed; null unless the setup created their repository.
    pub committed: Option<CommittedEdits>,
    /// Changes of agents' settings; null if no agent was connected.
    pub agents: Option<HookChanges>,
    /// What was learned from recent sessions; null if they were not read.
    pub learned: Option<ReflectResult>,
    /// Number of notes in the vault.
    pub notes: usize,
    /// The written CORE.md.
    pub core: Generated,
}

/// A step of the setup, reported before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Vault,
    Agents,
    /// Reading sessions, with the number of read and of all logs or sessions.
    Sessions(Progress),
    Core,
}

/// Returns the plan that applies without any question. The memory is the vault in use here, else
/// Obsidian's vault around the working directory, else the project's `.memory`, else the global
/// vault, which is the only vault of Obsidian if there is exactly one.
///
/// # Errors
/// The platform has no folder for a global vault and nothing else applies.
pub fn default_plan(request: &Request, found: &Surroundings) -> Result<Plan> {
    let place = default_place(request, found)?;
    let user = found.agents.iter().any(|agent| agent.scope == HookScope::User);
    let scope = if user || place.global { HookScope::User } else { HookScope::Project };
    let agents = found.agents.iter().filter(|agent| agent.scope == scope);
    let agents = agents.map(|agent| agent.agent.clone()).collect();
    Ok(Plan { place, agents, scope, days: Some(DAYS) })
}

fn default_place(request: &Request, found: &Surroundings) -> Result<Place> {
    let place = |path: &str, global: bool| Place { path: path.to_owned(), global };
    if let Some(vault_path) = &request.vault {
        return Ok(place(&request.cwd.join(vault_path).display().to_string(), false));
    }
    if let Some(vault) = &found.vault {
        return Ok(place(vault, found.has_global && found.global.as_ref() == Some(vault)));
    }
    let around = |folder: &&NoteFolder| request.cwd.starts_with(Path::new(&folder.path));
    if let Some(folder) = found.note_folders.iter().find(around) {
        return Ok(place(&folder.path, !found.has_global));
    }
    if let Some(project) = &found.project {
        let folder = Path::new(project).join(PROJECT_FOLDER);
        return Ok(place(&folder.display().to_string(), false));
    }
    match (&found.global, found.note_folders.as_slice()) {
        (Some(global), _) if found.has_global => Ok(place(global, true)),
        (_, [only]) => Ok(place(&only.path, true)),
        (Some(global), _) => Ok(place(global, true)),
        (None, _) => {
            Err(Error::usage("no folder for the memory was found").hint("pass a folder with --vault"))
        }
    }
}

/// Carries out the plan. `stage` is called before each step.
///
/// # Errors
/// The caller is an agent, and the errors of each step. Steps that were finished stay.
pub fn setup(
    request: Request,
    plan: &Plan,
    stop: &Cancellation,
    stage: &dyn Fn(Stage),
) -> Result<(Context, SetUp)> {
    if !request.caller.is_person() {
        return Err(crate::context::actor::persons_only_error(
            "set cm up",
            "ask the person to run `cm setup` in their own terminal",
        ));
    }
    stage(Stage::Vault);
    let is_configured = request.global.as_deref() == Some(&*request.cwd.join(&plan.place.path));
    let (context, created, is_new_repository) = open_place(request, &plan.place)?;
    if plan.place.global && !is_configured {
        remember_place(&context)?;
    }
    let committed = is_new_repository.then(|| commit::take_over(&context));
    let committed = committed.transpose()?.filter(|edits| !edits.files.is_empty());
    let agents = connect(&context.request, plan, stage)?;
    let learned = plan.days.map(|days| learn(&context, plan, days, stop, stage)).transpose()?;
    stage(Stage::Core);
    let core = generate::core(&context, false)?;
    let notes = stats::kinds(&context)?.values().sum();
    let place = plan.place.clone();
    Ok((context, SetUp { place, created, committed, agents, learned, notes, core }))
}

/// Opens the vault at this place, creating what is missing. The last value tells whether its
/// repository was created.
fn open_place(request: Request, place: &Place) -> Result<(Context, Option<CreatedVault>, bool)> {
    let folder = request.cwd.join(&place.path);
    let is_vault = folder.join(layout::SETTINGS).is_file();
    if is_vault {
        let global = if place.global { Some(folder.clone()) } else { request.global.clone() };
        return Ok((Context::open(Request { global, vault: Some(folder), ..request })?, None, false));
    }
    let has_repository = folder.is_dir() && Repo::discover(&folder).ok().flatten().is_some();
    let (options, request) = if place.global {
        let request = Request { global: Some(folder), vault: None, ..request };
        (init::Options { folder: None, global: true }, request)
    } else {
        (init::Options { folder: Some(folder), global: false }, request)
    };
    let (context, created) = init::init(request, &options)?;
    Ok((context, Some(created), !has_repository))
}

/// Stores the place of the global vault in the user's settings.
fn remember_place(context: &Context) -> Result<()> {
    let root = context.target().vault.root().display().to_string();
    if context.request.variables.contains_key("CM_GLOBAL_VAULT") {
        context.notice(format!("CM_GLOBAL_VAULT is set and takes precedence over {root}"));
        return Ok(());
    }
    config::set(context, keys::VAULT_GLOBAL.name, Some(&root), config::SettingsTarget::User)?;
    Ok(())
}

/// Adds hooks, skills and the MCP server to the settings of the chosen agents.
fn connect(request: &Request, plan: &Plan, stage: &dyn Fn(Stage)) -> Result<Option<HookChanges>> {
    if plan.agents.is_empty() {
        return Ok(None);
    }
    stage(Stage::Agents);
    let changes = hooks::install(request, &hook_options(plan))?;
    hooks::apply(request, &changes)?;
    Ok(Some(changes))
}

/// Returns the changes of agents' settings that the plan would make; writes nothing.
///
/// # Errors
/// The errors of [`hooks::install`].
pub fn planned_agents(request: &Request, plan: &Plan) -> Result<Option<HookChanges>> {
    if plan.agents.is_empty() {
        return Ok(None);
    }
    let mut changes = hooks::install(request, &hook_options(plan))?;
    changes.dry_run = true;
    Ok(Some(changes))
}

fn hook_options(plan: &Plan) -> hooks::Options {
    hooks::Options {
        agents: plan.agents.clone(),
        scope: Some(plan.scope),
        skills: true,
        mcp: true,
        server: None,
    }
}

/// Learns from the sessions of the last `days` days. Sessions that fail do not fail the setup.
fn learn(
    context: &Context,
    plan: &Plan,
    days: f64,
    stop: &Cancellation,
    stage: &dyn Fn(Stage),
) -> Result<ReflectResult> {
    let access = SessionAccess::open(context, &mut |at| stage(Stage::Sessions(at)))?;
    let workspace = (!plan.place.global).then(|| {
        let root = Path::new(&plan.place.path);
        let project = if root.ends_with(PROJECT_FOLDER) { root.parent() } else { Some(root) };
        project.unwrap_or(root).display().to_string()
    });
    let selection = SessionSelection { agents: None, workspace, days: Some(days) };
    let options = reflect::Options { selection, limit: None, dry_run: false, no_model: false, again: false };
    let result = reflect::reflect(context, &access, &options, stop, &|at, _| stage(Stage::Sessions(at)))?;
    if result.interrupted {
        Err(Error::new(ErrorKind::Interrupted, "interrupted", "stopped while reading sessions"))
    } else {
        Ok(result)
    }
}
