//! Global flags and environment variables, combined into a request.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use etcetera::BaseStrategy as _;

use super::ancestors;
use super::terminal::Color;
use cm_app::context::actor::{agent_of_ancestors, agent_of_environment};
use cm_app::context::global_vault::global_vault;
use cm_app::{Actor, CallerIdentity, Error, PrivateHome, ProgressWatch, Request, Result};
use cm_note::instant::Instant;
use cm_note::user_text::Interface;

/// Variables of other programs that cm reads: substitutes for settings, and locations of agents' files.
const FOREIGN: [&str; 16] = [
    "AIDER_CHAT_HISTORY_FILE",
    "AMP_THREADS_DIR",
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_HOME",
    "OPENAI_API_KEY",
    "OPENCODE_DB",
    "ORT_DYLIB_PATH",
    "PATH",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "PI_SESSIONS_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Globals {
    /// Use only this vault [default: nearest cm.toml or .memory/ at or above the working directory, plus the global vault]
    #[arg(long, global = true, value_name = "DIR", env = "CM_VAULT", hide_env_values = true)]
    pub vault: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Do not print notices
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print which vaults are used and how long the command took
    #[arg(long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to use colours: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub color: Color,
    /// Print long output at once instead of in a pager
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// Use the index as is, without looking for changed files
    #[arg(long, global = true)]
    pub no_refresh: bool,
    /// Time to use as now: a date, RFC 3339, or an age such as 7d
    #[arg(long, global = true, value_name = "WHEN", env = "CM_NOW", hide_env = true)]
    pub now: Option<String>,
    /// Name of the calling agent, recorded in the commit
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub agent: Option<String>,
    /// Session ID of the calling agent, recorded in the commit
    #[arg(
        long,
        global = true,
        value_name = "ID",
        env = "CM_SESSION",
        hide_env = true,
        hide_short_help = true
    )]
    pub session: Option<String>,
    /// Name of the person, the author of the commit [default: the Git author]
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "CM_ACTOR",
        hide_env = true,
        hide_short_help = true
    )]
    pub actor: Option<String>,
    /// Reason for the change, recorded in the commit
    #[arg(long, global = true, value_name = "TEXT", hide_short_help = true)]
    pub reason: Option<String>,
}

impl Globals {
    /// Builds a request from these flags and the environment.
    ///
    /// # Errors
    /// `--now` is invalid or before 1970, or the working directory cannot be read.
    pub fn request(&self, arguments: &[OsString]) -> Result<Request> {
        let clock = Instant::from(chrono::Utc::now()).truncate_to_second();
        let now = match &self.now {
            Some(typed) => {
                Instant::parse_typed(typed, clock).map_err(|error| Error::usage(format!("--now: {error}")))?
            }
            None => clock,
        }
        .truncate_to_second();
        if now.unix() < 0 {
            // Git does not accept commits before 1970.
            let which = if self.now.is_some() { "--now" } else { "the system's clock" };
            return Err(
                Error::usage(format!("{which} is before 1970: {now}")).hint("pass a later time with --now")
            );
        }
        let cwd = std::env::current_dir()
            .map_err(|error| Error::usage(format!("cannot use the working directory: {error}")))?;
        let ours = |name: &str| name.starts_with("CM_") || FOREIGN.contains(&name);
        let environment: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let mut variables = environment.clone();
        variables.retain(|name, _| ours(name));
        let agent = variables.get("CM_AGENT").cloned();
        let (home, private) = (etcetera::home_dir().ok(), private());
        let detected = agent_of_environment(&environment).or_else(|| agent_of_ancestors(&ancestors::lines()));
        let verb = command_name(arguments).map_or_else(|| "cm".to_owned(), |name| format!("cm {name}"));
        Ok(Request {
            cwd,
            vault: self.vault.clone(),
            global: global_vault(&variables, private.as_ref(), home.as_deref(), data_folder()),
            home,
            private,
            now,
            now_is_given: self.now.is_some(),
            // Without the program's path, which differs between machines.
            seed: variables.get("CM_SEED").map(|seed| format!("{seed} {:?}", arguments.get(1..))),
            variables,
            environment,
            no_refresh: self.no_refresh,
            for_prompts: false,
            caller: CallerIdentity {
                kind: if detected.is_some() { Actor::Agent } else { Actor::Person },
                detected: detected.map(str::to_owned),
                actor: self.actor.clone(),
                // Read here and not by clap: some commands have an --agent option with another meaning.
                agent: self.agent.clone().or_else(|| agent.filter(|name| !name.is_empty())),
                session: self.session.clone(),
                reason: self.reason.clone(),
                has_token: false,
                is_remote: false,
                interface: Interface::CommandLine,
            },
            clock: milliseconds,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            holder: format!("process {} ({verb}) since {clock}", std::process::id()),
            verb,
            watch: ProgressWatch::default(),
        })
    }
}

/// Name of the command among the program's arguments, behind global options and their values.
pub fn command_name(arguments: &[OsString]) -> Option<String> {
    let globals = Globals::augment_args(clap::Command::new("cm"));
    let takes_value = |word: &str| {
        let mut valued = globals.get_arguments().filter(|option| option.get_action().takes_values());
        valued.any(|option| option.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long)))
    };
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if takes_value(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word.into_owned());
        }
    }
    None
}

/// Milliseconds since the first call of this function.
fn milliseconds() -> u64 {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let begun = BEGUN.get_or_init(std::time::Instant::now);
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Default folder of the global vault: `cm` in the platform's data directory.
fn data_folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.data_dir().join("cm"))
}

/// Private directories of the user: `cm` in the XDG state and config directories or their platform equivalents.
fn private() -> Option<PrivateHome> {
    let folders = etcetera::choose_base_strategy().ok()?;
    let state = folders.state_dir().unwrap_or_else(|| folders.data_dir().join("state"));
    Some(PrivateHome { state: state.join("cm"), config: folders.config_dir().join("cm") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_found_behind_flags_and_their_values() {
        for (line, expected) in [
            ("cm sessions --days 3", Some("sessions")),
            ("cm --vault notes --json sessions", Some("sessions")),
            ("cm --vault=notes get x", Some("get")),
            ("cm --color never -q hook claude prompt", Some("hook")),
            ("cm --json", None),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(command_name(&arguments).as_deref(), expected);
        }
    }
}
