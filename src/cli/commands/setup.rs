//! `cm setup`

use std::path::PathBuf;

use clap::Args;
use inquire::{Confirm, InquireError, MultiSelect, Select, Text};

use crate::cli::answer::{Output, Printed};
use crate::cli::ask::{answer_error, can_ask};
use crate::cli::interrupt::{InterruptMode, listen};
use cm_app::context::cancellation::Cancellation;
use cm_app::context::paths::resolve_with_home;
use cm_app::verbs::hooks::HookScope;
use cm_app::verbs::setup::{self, DAYS, PROJECT_FOLDER, Place, Plan, Stage, Surroundings};
use cm_app::{Error, Request, Result};
use cm_render::text;

/// Set up the memory: choose its folder, connect agents, learn from recent sessions
///
/// Finds Obsidian's folders and the agents on this machine, asks, shows what would change, and does it. An existing folder of
/// notes becomes the memory in place; its notes are not changed. With --yes nothing is asked: the memory is the vault in use
/// here, else the project's .memory, else your only Obsidian vault, else the global vault; all agents with settings in your
/// home folder are connected, and the sessions of the last 30 days are read. Running it again changes nothing that is set up.
///
/// The steps are commands of their own: `cm init`, `cm commit`, `cm hooks install --skills --mcp`, `cm reflect --days 30`,
/// `cm core`. `cm undo` takes back a change of notes; `cm hooks uninstall --user` those of agents' settings.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cm setup\n  cm setup --yes\n  cm setup --folder ~/notes --global --connect claude\n  cm setup --yes --no-agents --no-sessions"
)]
pub struct Arguments {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Folder of the memory; an existing folder of notes is used in place
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Use the memory in every project, not only in and below its folder
    #[arg(long)]
    global: bool,
    /// Connect only this agent, such as claude; may be repeated
    #[arg(long = "connect", value_name = "AGENT")]
    agents: Vec<String>,
    /// Do not connect agents
    #[arg(long, conflicts_with = "agents")]
    no_agents: bool,
    /// Learn from sessions of the last N days [default: 30]
    #[arg(long, value_name = "N")]
    days: Option<f64>,
    /// Do not read sessions
    #[arg(long, conflicts_with = "days")]
    no_sessions: bool,
    /// Show what would be set up without changing anything
    #[arg(long)]
    dry_run: bool,
}

pub fn run(arguments: Arguments, request: Request, output: &Output) -> Result<Printed> {
    let found = setup::find(&request);
    let mut plan = setup::default_plan(&request, &found)?;
    let asks = !arguments.yes && !arguments.dry_run;
    if asks && !can_ask(output) {
        return Err(Error::usage("`cm setup` asks questions, and there is no terminal")
            .hint("`cm setup --yes` sets up without questions, `--dry-run` shows what it would do"));
    }
    apply(&arguments, &request, &mut plan);
    if asks {
        plan = ask(&arguments, &request, &found, plan).map_err(|error| unanswered(&error))?;
    }
    let agents = setup::planned_agents(&request, &plan)?;
    if arguments.dry_run {
        return output.result(&plan, |plan| text::setup::planned(plan, agents.as_ref()));
    }
    if asks {
        output.fitted(&text::setup::planned(&plan, agents.as_ref()))?;
        if !Confirm::new("Set this up?").with_default(true).prompt().map_err(|error| unanswered(&error))? {
            return Err(unanswered(&InquireError::OperationCanceled));
        }
    }
    let stop = Cancellation::default();
    let notices = *output;
    listen(&stop, InterruptMode::AfterCurrent, move || notices.notice("finishing the current session"));
    let display = output.progress("sessions");
    let (context, done) = setup::setup(request, &plan, &stop, &|stage| {
        if let Stage::Sessions(at) = stage {
            display.show(at, "");
        }
    })?;
    drop(display);
    output.print(&context, &done, text::setup::done)
}

/// Applies the options to the plan.
fn apply(arguments: &Arguments, request: &Request, plan: &mut Plan) {
    if let Some(folder) = &arguments.folder {
        let path = request.cwd.join(folder).display().to_string();
        plan.place = Place { path, global: arguments.global };
    } else if arguments.global
        && let Some(global) = &request.global
        && !plan.place.global
    {
        plan.place = Place { path: global.display().to_string(), global: true };
    }
    if arguments.no_agents {
        plan.agents.clear();
    } else if !arguments.agents.is_empty() {
        plan.agents = arguments.agents.clone();
    }
    if arguments.no_sessions {
        plan.days = None;
    } else if let Some(days) = arguments.days {
        plan.days = Some(days);
    }
}

/// A place with its description in the list.
struct Choice {
    place: Option<Place>,
    shown: String,
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Asks for everything that the options leave open.
fn ask(
    arguments: &Arguments,
    request: &Request,
    found: &Surroundings,
    mut plan: Plan,
) -> std::result::Result<Plan, InquireError> {
    if arguments.folder.is_none() && found.vault.is_none() {
        plan.place = ask_place(request, found, &plan.place)?;
        plan.scope = if plan.place.global { HookScope::User } else { plan.scope };
    }
    if !arguments.no_agents && arguments.agents.is_empty() && !found.agents.is_empty() {
        let names: Vec<&str> = found.agents.iter().map(|agent| agent.agent.as_str()).collect();
        let all: Vec<usize> = (0..names.len()).collect();
        let chosen = MultiSelect::new("Which agents should use it?", names).with_default(&all).prompt()?;
        plan.agents = chosen.into_iter().map(str::to_owned).collect();
    }
    if !arguments.no_sessions && arguments.days.is_none() {
        let question =
            format!("Learn from your sessions of the last {DAYS} days? Everything stays on this machine.");
        let reads = Confirm::new(&question).with_default(true).prompt()?;
        plan.days = reads.then_some(DAYS);
    }
    Ok(plan)
}

fn ask_place(
    request: &Request,
    found: &Surroundings,
    default: &Place,
) -> std::result::Result<Place, InquireError> {
    let mut choices = Vec::new();
    let mut push = |path: &str, global: bool, about: &str| {
        let scope = if global { "for every project" } else { "for this project" };
        let place = Place { path: path.to_owned(), global };
        choices.push(Choice { shown: format!("{path}  ({about}, {scope})"), place: Some(place) });
    };
    if let Some(project) = &found.project {
        let folder = std::path::Path::new(project).join(PROJECT_FOLDER);
        push(&folder.display().to_string(), false, "a new folder, shared with the repository");
    }
    for folder in &found.note_folders {
        push(&folder.path, true, &format!("your Obsidian vault with {} notes", folder.notes));
    }
    if let Some(global) = &found.global {
        push(global, true, if found.has_global { "your global vault" } else { "a new folder" });
    }
    choices.push(Choice { place: None, shown: "another folder …".to_owned() });
    let start = choices.iter().position(|choice| choice.place.as_ref() == Some(default)).unwrap_or_default();
    let chosen = Select::new("Which folder is the memory?", choices).with_starting_cursor(start).prompt()?;
    match chosen.place {
        Some(place) => Ok(place),
        None => {
            let typed = Text::new("Folder:").prompt()?;
            let folder = resolve_with_home(request.home.as_deref(), &request.cwd, &typed);
            let global = Confirm::new("Use it in every project?").with_default(true).prompt()?;
            Ok(Place { path: folder, global })
        }
    }
}

fn unanswered(error: &InquireError) -> Error {
    answer_error(error, "nothing was set up")
}
