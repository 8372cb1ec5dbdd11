//! Sessions that another program knows: `cass`, where a person wants it asked (`sources.cass`).
//!
//! Its hits stand beside our own and change none of them. What may not be read is not shown, and its words lose their
//! secrets like all others. A program that is missing, fails or answers nonsense is a notice and nothing more.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::allowed::{Allowed, is_below, resolved};
use super::search::Options;
use super::{agent, agents, reads};
use crate::error::Result;
use crate::memory::Memory;
use crate::search::rounded;
use crate::{logs, privacy, secrets};
use cm_agents::ingest::cass::{self, Hit};
use cm_llm::{Pace, Program};
use cm_note::instant::Instant;
use cm_secrets::Rules;
use cm_session::{Agent, Meta};

/// The program.
const PROGRAM: &str = "cass";
/// The most that it may say, in bytes.
const LARGEST: usize = 4 << 20;
/// The longest words of a hit, in characters.
const LONGEST: usize = 400;
/// What it is given of the environment: where programs, and its own files, lie.
const GIVEN: [&str; 4] = ["PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA"];

/// A place that another program found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outside {
    /// The program.
    pub source: &'static str,
    /// Whose log tells it.
    pub agent: Option<String>,
    /// The session, where the program tells.
    pub session: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The folder that was worked in.
    pub workspace: Option<String>,
    /// The log.
    pub log: Option<String>,
    /// The line of the log, from 1.
    pub line: Option<u64>,
    /// When.
    pub at: Option<Instant>,
    /// How well it fits by the program's own measure; comparable with nothing else.
    pub score: Option<f64>,
    /// The words, without secrets.
    pub snippet: String,
}

/// What the program finds besides; nothing where it is not to be asked, or cannot be.
///
/// # Errors
/// Patterns of secrets that are none, and no such agent.
pub fn outside(memory: &Memory, options: &Options, since: Option<Instant>) -> Result<Vec<Outside>> {
    if !privacy::flag(memory, "sources.cass") {
        return Ok(Vec::new());
    }
    let Some(printed) = asked(memory, options) else { return Ok(Vec::new()) };
    let Some(hits) = cass::parse(&printed) else {
        memory.notice("cass answered nothing that is understood; its sessions are left out");
        return Ok(Vec::new());
    };
    let (rules, _) = secrets::rules_of_logs(memory, memory.target())?;
    let which = Wanted {
        allowed: Allowed::of(memory, memory.target()),
        agents: options.which.agents.as_deref().map(agents).transpose()?.unwrap_or_default(),
        workspace: options.which.workspace.as_deref().map(|typed| resolved(memory, &memory.call.cwd, typed)),
        since,
    };
    let found = hits.into_iter().filter(|hit| which.is_met_by(hit)).map(|hit| shown(hit, &rules));
    let found: Vec<Outside> = found.take(options.limit.max(1)).collect();
    let bytes = found.iter().map(|found| found.snippet.len() as u64).sum();
    let read = reads::Read { agent: PROGRAM.to_owned(), bytes, ..reads::Read::default() };
    reads::record(memory, vec![read]);
    Ok(found)
}

/// What the program prints; `None` where it cannot be asked.
fn asked(memory: &Memory, options: &Options) -> Option<String> {
    let call = &memory.call;
    let mut environment: BTreeMap<String, String> = call
        .variables
        .iter()
        .filter(|(name, _)| GIVEN.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let home = call.home.as_deref().filter(|home| home.is_dir());
    environment.extend(home.map(|home| ("HOME".to_owned(), home.display().to_string())));
    // A query that begins with a dash would be taken for a flag.
    let dash = if options.query.starts_with('-') { " " } else { "" };
    let query = format!("{dash}{}", options.query);
    let limit = options.limit.max(1).to_string();
    let argv = [PROGRAM, "search", &query, "--robot", "--limit", &limit].map(str::to_owned);
    let program = Program {
        argv: &argv,
        environment: &environment,
        folder: home.unwrap_or(&call.cwd),
        timeout: Duration::from_secs_f64(memory.target().settings.number("sources.cass_timeout_s")),
        largest: LARGEST,
        may_ask: false,
    };
    match program.run("", &Pace::default()) {
        Ok(printed) => Some(printed),
        Err(error) => {
            // What it complained of may repeat what sessions say.
            let why = match error {
                cm_llm::Error::NotStarted { .. } => "is not installed".to_owned(),
                cm_llm::Error::TimedOut { after, .. } => format!("did not answer within {after:?}"),
                cm_llm::Error::Failed { status, .. } => format!("failed with {status}"),
                _ => "cannot be asked".to_owned(),
            };
            memory.notice(format!("cass {why}; its sessions are left out"));
            None
        }
    }
}

/// Which of its hits are wanted, and may be shown.
struct Wanted {
    allowed: Allowed,
    agents: Vec<Agent>,
    workspace: Option<String>,
    since: Option<Instant>,
}

impl Wanted {
    /// What the program does not say of a hit speaks against it, where it matters.
    fn is_met_by(&self, hit: &Hit) -> bool {
        let known = hit.agent.as_deref().and_then(agent_like);
        let all = self.allowed.agents.len() == Agent::ALL.len();
        let may = all || known.is_some_and(|agent| self.allowed.agents.contains(&agent));
        let meta = Meta {
            workspace: hit.workspace.clone(),
            ..Meta::new(known.unwrap_or(Agent::ClaudeCode), "".into())
        };
        let of_agents = self.agents.is_empty() || known.is_some_and(|agent| self.agents.contains(&agent));
        let within = self
            .workspace
            .as_deref()
            .is_none_or(|folder| hit.workspace.as_deref().is_some_and(|inner| is_below(inner, folder)));
        let recent = self.since.is_none_or(|since| hit.at.is_some_and(|at| at >= since));
        may && self.allowed.allows(&meta) && of_agents && within && recent
    }
}

/// An agent in another's spelling: `claude_code`, `Claude Code`, `gemini-cli`.
fn agent_like(name: &str) -> Option<Agent> {
    let name = name.trim().to_lowercase().replace(['_', ' '], "-");
    match name.as_str() {
        "claude" => Some(Agent::ClaudeCode),
        "copilot" | "github-copilot" => Some(Agent::CopilotCli),
        "pi-agent" => Some(Agent::Pi),
        name => agent(name).or_else(|| agent(name.strip_suffix("-cli")?)),
    }
}

fn shown(hit: Hit, rules: &Rules) -> Outside {
    let clean = |text: String| logs::text(&text, rules);
    let words: String = clean(hit.text).chars().take(LONGEST).collect();
    Outside {
        source: PROGRAM,
        agent: hit.agent.map(clean),
        session: hit.session.map(clean),
        title: hit.title.map(clean),
        workspace: hit.workspace.map(clean),
        log: hit.path.map(clean),
        line: hit.line,
        at: hit.at,
        score: hit.score.map(rounded),
        snippet: words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_in_the_spellings_of_others() {
        for (name, expected) in [
            ("claude_code", Some(Agent::ClaudeCode)),
            ("Claude Code", Some(Agent::ClaudeCode)),
            ("gemini-cli", Some(Agent::Gemini)),
            ("copilot_cli", Some(Agent::CopilotCli)),
            ("otter", None),
        ] {
            assert_eq!(agent_like(name), expected, "{name}");
        }
    }

    #[test]
    fn what_may_not_be_read_is_not_wanted_and_neither_is_what_does_not_say() {
        let hit = |agent: Option<&str>| Hit { agent: agent.map(str::to_owned), ..Hit::default() };
        let wanted = |agents: &[Agent]| {
            let mut allowed = Allowed::all();
            allowed.agents = agents.to_vec();
            Wanted { allowed, agents: Vec::new(), workspace: None, since: None }
        };
        assert!(wanted(&Agent::ALL).is_met_by(&hit(None)));
        let few = wanted(&[Agent::Pi]);
        assert!(few.is_met_by(&hit(Some("pi_agent"))));
        assert!(!few.is_met_by(&hit(Some("codex"))) && !few.is_met_by(&hit(None)));
        let recent = Wanted { since: Some(Instant::from_unix(0)), ..wanted(&Agent::ALL) };
        assert!(!recent.is_met_by(&hit(Some("pi"))));
    }
}
