//! Queries the session search program `cass`, if the user enabled it (`sources.cass`).
//!
//! Its hits are listed separately. They pass the same filter and redaction as local sessions. If
//! the program is missing or fails, the answer only carries a notice.

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

const PROGRAM: &str = "cass";
/// Maximum output size in bytes.
const LARGEST: usize = 4 << 20;
/// Maximum length of a snippet in characters.
const LONGEST: usize = 400;
/// Environment variables that are passed to the program.
const GIVEN: [&str; 4] = ["PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA"];

/// A hit of another program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outside {
    /// Name of the program.
    pub source: &'static str,
    /// Agent of the session, in the program's spelling.
    pub agent: Option<String>,
    /// Session id, if the program reports it.
    pub session: Option<String>,
    /// Title of the session, if the program reports it.
    pub title: Option<String>,
    /// Working directory of the session.
    pub workspace: Option<String>,
    /// Path of the log file, if the program reports it.
    pub log: Option<String>,
    /// Line number in the log, from 1.
    pub line: Option<u64>,
    /// Time of the hit.
    pub at: Option<Instant>,
    /// Score by the program's own measure; not comparable with other scores.
    pub score: Option<f64>,
    /// Excerpt, redacted.
    pub snippet: String,
}

/// Queries the program. Returns no hits if it is disabled, not installed or fails.
///
/// # Errors
/// Returns an error if a redaction pattern or an agent name is invalid.
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

/// Runs the program and returns its output; `None`, with a notice, if it fails.
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

/// Filter for hits.
struct Wanted {
    allowed: Allowed,
    agents: Vec<Agent>,
    workspace: Option<String>,
    since: Option<Instant>,
}

impl Wanted {
    /// Returns whether a hit passes the filter. A missing field fails every condition on it.
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

/// Parses an agent name in the spelling of other programs: `claude_code`, `Claude Code`,
/// `gemini-cli`.
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
