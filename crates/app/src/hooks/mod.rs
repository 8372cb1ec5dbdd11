//! Our hooks in agents' settings: put in, taken out, looked for. Settings are people's: what others wrote in them stays
//! byte for byte, the change is known before it is made, and nothing is written through a link that leads out.
//!
//! No vault is needed, and none is changed.

mod status;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Kind, Result};
use super::memory::Call;
use super::secrets;
use cm_agents::hook::mcp::{self, Way};
use cm_agents::hook::program::Program;
use cm_agents::hook::settings::summary::summary;
use cm_agents::hook::settings::{self, State};
use cm_agents::hook::skill::{self, SkillFile};
use cm_agents::hook::{Agent, Reach, opencode};
use cm_note::path::NotePath;
use cm_secrets::redact;
use cm_store::git::Repo;
use cm_store::vault::foreign;

pub use status::{AgentState, HookFailure, HooksStatus, Standing, status};

/// Which settings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The agents by name; those that are used here where there is none.
    pub agents: Vec<String>,
    /// Whose settings; a project's within a repository, else the person's, where nothing is said.
    pub reach: Option<Whose>,
    /// Give agents our skills, too.
    pub skills: bool,
    /// Tell agents of our MCP server, too.
    pub mcp: bool,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Whose {
    /// Everybody's who works in the project's folder.
    Project,
    /// One person's, in all folders.
    User,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// Whose settings it is of.
    pub agent: String,
    /// The file, from the folder below which settings lie.
    pub path: String,
    /// What is done to it: `make`, `change`, `remove`, or `keep` where it is as it should be.
    pub action: Action,
    /// The lines that come and go; of a skill, nothing.
    pub diff: String,
    #[serde(skip)]
    before: Option<Vec<u8>>,
    #[serde(skip)]
    after: String,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is made.
    Make,
    /// Lines of it change.
    Change,
    /// It was ours whole, and goes.
    Remove,
    /// It is as it should be.
    Keep,
}

/// What is to be written, or was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changes {
    /// Whose settings.
    pub reach: Whose,
    /// The folder below which they lie.
    pub folder: String,
    /// The files, by agent.
    pub files: Vec<FileChange>,
    /// Whether this only says what would be done.
    pub dry_run: bool,
    /// What a person has to do or to know besides.
    pub notices: Vec<String>,
    #[serde(skip)]
    root: PathBuf,
}

impl From<Whose> for Reach {
    fn from(whose: Whose) -> Self {
        match whose {
            Whose::Project => Self::Project,
            Whose::User => Self::User,
        }
    }
}

/// What putting our hooks in would do; nothing is written.
///
/// # Errors
/// An agent that is not known or not named, and settings that cannot be read or had back.
pub fn install(call: &Call, options: &Options) -> Result<Changes> {
    let mut changes = begun(call, options)?;
    let program = Program::default();
    for agent in agents(call, options, changes.reach, &changes.root)? {
        let path = agent.hooks_file(changes.reach.into());
        let way = options.mcp.then(|| mcp::way(agent, changes.reach.into(), &program));
        let is_told_there = way == Some(Way::File(path));
        changes.settings(agent, path, |text| {
            let with_hooks = match agent {
                Agent::Opencode => {
                    opencode::install(text, &program).map_err(|error| refused(path, &error.to_string()))?
                }
                _ => settings::install(agent, text, &program).map_err(|fault| faulty(path, &fault))?,
            };
            if is_told_there { served(agent, path, &with_hooks, &program) } else { Ok(with_hooks) }
        })?;
        match way {
            Some(Way::File(path)) if !is_told_there => {
                changes.settings(agent, path, |text| served(agent, path, text, &program))?;
            }
            Some(Way::Command(line)) => {
                changes.notices.push(format!("{agent} is told of the server by its own command: {line}"));
            }
            _ => {}
        }
        if options.skills {
            for file in skill::files(agent, changes.reach.into()) {
                changes.skill(agent, &file, &file.text)?;
            }
        }
        changes.notices.extend(agent.trust(changes.reach.into()).map(str::to_owned));
        changes.notices.extend(twice(call, agent, changes.reach, &program));
    }
    if !is_on_path(call) {
        changes.notices.push("agents start `cm`, and it is not on the path: install it there".to_owned());
    }
    shown(call, changes)
}

/// What taking our hooks, skills and server out would do; nothing is written.
///
/// # Errors
/// An agent that is not known, and settings that cannot be read.
pub fn uninstall(call: &Call, options: &Options) -> Result<Changes> {
    let mut changes = begun(call, options)?;
    for agent in agents(call, options, changes.reach, &changes.root)? {
        let path = agent.hooks_file(changes.reach.into());
        let server = mcp::file(agent, changes.reach.into());
        changes.settings(agent, path, |text| {
            let without_hooks = match agent {
                // Another's plugin of that name is none of ours.
                Agent::Opencode => opencode::uninstall(text).unwrap_or_else(|_| text.to_owned()),
                _ => settings::uninstall(agent, text).map_err(|fault| faulty(path, &fault))?,
            };
            if server == Some(path) { unserved(agent, path, &without_hooks) } else { Ok(without_hooks) }
        })?;
        if let Some(server) = server.filter(|server| *server != path) {
            changes.settings(agent, server, |text| unserved(agent, server, text))?;
        }
        for file in skill::files(agent, changes.reach.into()) {
            changes.skill(agent, &file, "")?;
        }
    }
    shown(call, changes)
}

/// The settings with our server in them.
fn served(agent: Agent, path: &str, text: &str, program: &Program) -> Result<String> {
    mcp::install(agent, text, program).map_err(|fault| faulty(path, &fault))
}

/// The settings without our server.
fn unserved(agent: Agent, path: &str, text: &str) -> Result<String> {
    mcp::uninstall(agent, text, &Program::default()).map_err(|fault| faulty(path, &fault))
}

/// Writes what was planned.
///
/// # Errors
/// A file that was changed meanwhile, or cannot be written; those before it are written then.
pub fn apply(changes: &Changes) -> Result<()> {
    for file in changes.files.iter().filter(|file| file.action != Action::Keep) {
        let path = note_path(&file.path)?;
        let there = there(&changes.root, &path)?;
        if there != file.before {
            return Err(Error::refused("changed-meanwhile", format!("{} was changed meanwhile", file.path))
                .at(&file.path, None, None)
                .hint("it is as it was; run the command again"));
        }
        if file.action == Action::Remove {
            foreign::remove(&changes.root, &path).map_err(|error| outside(&file.path, error))?;
        } else {
            let bytes = [(path, file.after.clone().into_bytes())];
            foreign::write(&changes.root, &bytes, &|_, now| Some(now) == file.before.as_deref())
                .map_err(|error| outside(&file.path, error))?;
        }
    }
    Ok(())
}

/// Changes of no file yet.
fn begun(call: &Call, options: &Options) -> Result<Changes> {
    let in_repository = || Repo::discover(&call.cwd).ok().flatten().is_some();
    let reach = options.reach.unwrap_or_else(|| if in_repository() { Whose::Project } else { Whose::User });
    let root = root(call, reach).ok_or_else(|| {
        Error::usage("the home folder is not known").hint("run it with --project in a project's folder")
    })?;
    let folder = root.display().to_string();
    Ok(Changes { reach, folder, files: Vec::new(), dry_run: false, notices: Vec::new(), root })
}

/// The folder below which settings lie: the repository's work tree, or the home.
fn root(call: &Call, whose: Whose) -> Option<PathBuf> {
    match whose {
        Whose::User => call.home.clone(),
        Whose::Project => {
            let repo = Repo::discover(&call.cwd).ok().flatten();
            Some(repo.map_or_else(|| call.cwd.clone(), |repo| repo.workdir().to_owned()))
        }
    }
}

fn named(names: &[String]) -> Result<Vec<Agent>> {
    let one = |name: &String| {
        Agent::named(name).ok_or_else(|| {
            let known = Agent::ALL.map(Agent::name).join(", ");
            Error::usage(format!("`{name}` is no agent that has hooks")).hint(format!("those are {known}"))
        })
    };
    let mut agents = names.iter().map(one).collect::<Result<Vec<_>>>()?;
    agents.sort();
    agents.dedup();
    Ok(agents)
}

/// The agents that are named, else those that are used here.
fn agents(call: &Call, options: &Options, whose: Whose, root: &Path) -> Result<Vec<Agent>> {
    let agents = named(&options.agents)?;
    if !agents.is_empty() {
        return Ok(agents);
    }
    let is_used = |agent: &Agent| root.join(agent.folder(whose.into())).is_dir();
    let used: Vec<Agent> = Agent::ALL.into_iter().filter(is_used).collect();
    if !used.is_empty() {
        return Ok(used);
    }
    let where_else =
        if whose == Whose::Project && call.home.is_some() { "; or --user for your own settings" } else { "" };
    Err(Error::new(Kind::NothingDone, "no-agent", format!("no agent keeps settings in {}", root.display()))
        .hint(format!("name one: cm hooks install claude{where_else}")))
}

impl Changes {
    fn settings(
        &mut self,
        agent: Agent,
        path: &str,
        change: impl FnOnce(&str) -> Result<String>,
    ) -> Result<()> {
        let before = there(&self.root, &note_path(path)?)?;
        let text = text_of(&before, path)?;
        let after = change(&text)?;
        let diff = summary(path, &text, &after);
        self.push(agent, path, before, after, diff);
        Ok(())
    }

    /// A skill's file becomes this text, unless another's lies there.
    fn skill(&mut self, agent: Agent, file: &SkillFile, after: &str) -> Result<()> {
        let before = there(&self.root, &note_path(&file.path)?)?;
        let is_theirs = |bytes: &Vec<u8>| !skill::is_ours(&String::from_utf8_lossy(bytes));
        if before.as_ref().is_some_and(is_theirs) {
            if !after.is_empty() {
                self.notices.push(format!("{} is not ours and stays as it is", file.path));
            }
            return Ok(());
        }
        if before.is_some() || !after.is_empty() {
            self.push(agent, &file.path, before, after.to_owned(), String::new());
        }
        Ok(())
    }

    fn push(&mut self, agent: Agent, path: &str, before: Option<Vec<u8>>, after: String, diff: String) {
        // What two agents share is written once.
        if self.files.iter().any(|file| file.path == path) {
            return;
        }
        let action = match &before {
            None if after.is_empty() => return,
            None => Action::Make,
            // An empty file holds nobody's settings.
            Some(_) if after.is_empty() => Action::Remove,
            Some(bytes) if *bytes == after.as_bytes() => Action::Keep,
            Some(_) => Action::Change,
        };
        let (agent, path) = (agent.name().to_owned(), path.to_owned());
        self.files.push(FileChange { agent, path, action, diff, before, after });
    }
}

/// The changes without secrets that stand beside our lines in the person's settings.
fn shown(call: &Call, mut changes: Changes) -> Result<Changes> {
    let rules = secrets::rules_at(call)?;
    for file in &mut changes.files {
        file.diff = redact(&file.diff, &rules).0.into_string();
    }
    Ok(changes)
}

/// That an agent runs the hooks of both, where both have them.
fn twice(call: &Call, agent: Agent, whose: Whose, program: &Program) -> Option<String> {
    let other = if whose == Whose::Project { Whose::User } else { Whose::Project };
    let root = root(call, other)?;
    let path = agent.hooks_file(other.into());
    let text = text_of(&there(&root, &note_path(path).ok()?).ok()?, path).ok()?;
    let state = match agent {
        Agent::Opencode => opencode::status(&text, program),
        // It runs identical hooks once.
        Agent::Claude => State::Absent,
        _ => settings::status(agent, &text, program).ok()?,
    };
    (state != State::Absent && call.home != self::root(call, Whose::Project)).then(|| {
        let flag = if other == Whose::User { "--user" } else { "--project" };
        format!(
            "{} has our hooks too, and {agent} runs both: cm hooks uninstall {agent} {flag}",
            root.join(path).display()
        )
    })
}

/// Whether a program of our name lies on the path.
fn is_on_path(call: &Call) -> bool {
    let folders = call.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let is_there = |folder: PathBuf| ["cm", "cm.exe"].iter().any(|name| folder.join(name).is_file());
    std::env::split_paths(folders).any(is_there)
}

fn there(root: &Path, path: &NotePath) -> Result<Option<Vec<u8>>> {
    foreign::below(root, path).map_err(|error| outside(path.as_str(), error))
}

/// A link that leads out says so in words that fit settings.
fn outside(path: &str, error: cm_store::vault::Error) -> Error {
    match error {
        cm_store::vault::Error::LeadsOut { .. } => Error::refused(
            "leads-out",
            format!("{path} is a symbolic link that leads out of the folder, or to nothing"),
        )
        .at(path, None, None)
        .hint("nothing is written through it; put our hooks in where it leads to"),
        error => error.into(),
    }
}

fn text_of(bytes: &Option<Vec<u8>>, path: &str) -> Result<String> {
    let bytes = bytes.clone().unwrap_or_default();
    String::from_utf8(bytes).map_err(|_| {
        Error::refused("invalid-utf8", format!("{path} is no UTF-8"))
            .at(path, None, None)
            .hint("save the file as UTF-8, then run the command again; nothing was written")
    })
}

fn note_path(path: &str) -> Result<NotePath> {
    NotePath::parse(path).map_err(|error| Error::usage(error.to_string()))
}

fn faulty(path: &str, fault: &settings::Fault) -> Error {
    refused(path, &fault.message).at(path, u32::try_from(fault.line).ok(), u32::try_from(fault.column).ok())
}

fn refused(path: &str, why: &str) -> Error {
    Error::refused("unreadable-settings", why.to_owned())
        .at(path, None, None)
        .hint("mend the file, then run the command again; nothing was written")
}
