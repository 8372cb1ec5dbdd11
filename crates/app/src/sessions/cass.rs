//! Queries the session search program `cass`, if the user enabled it (`sources.cass`).
//!
//! Its hits are listed separately. They pass the same filter and redaction as local sessions. If
//! the program is missing or fails, the answer only carries a notice.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::search::Options;
use super::session_filter::{SessionFilter, is_below};
use super::{access_log, agent, agents};
use crate::context::open::Context;
use crate::context::paths::resolve_path;
use crate::context::retrieve::rounded;
use crate::context::secrets;
use crate::error::Result;
use crate::sessions::logs;
use crate::verbs::privacy;
use cm_agents::ingest::cass::{self, CassHit};
use cm_llm::{ExternalProgram, RetrySleeper};
use cm_note::instant::Instant;
use cm_secrets::RedactionRules;
use cm_session::{Agent, SessionMeta};
use cm_store::config::keys;

const PROGRAM: &str = "cass";
/// Maximum output of the program `cass`, in bytes.
const MAX_OUTPUT_BYTES: usize = 4 << 20;
/// Maximum length of a snippet in characters.
const MAX_SNIPPET_CHARS: usize = 400;
/// Environment variables that are passed to the program.
const PASSED_VARIABLES: [&str; 4] = ["PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA"];

/// A search hit from an external program's session index.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExternalHit {
    /// Name of the external program, such as `cass`.
    pub source: &'static str,
    /// Agent name in the spelling of the external program.
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
    /// Score that the external program assigned; not comparable with cm's scores.
    pub score: Option<f64>,
    /// Excerpt of the session text, with secrets redacted.
    pub snippet: String,
}

/// Searches with the external program `cass`. Returns no hits if it is disabled, not installed or
/// fails.
///
/// # Errors
/// Returns an error if a redaction pattern or an agent name is invalid.
pub fn outside(context: &Context, options: &Options, since: Option<Instant>) -> Result<Vec<ExternalHit>> {
    if !privacy::flag(context, keys::SOURCES_CASS) {
        return Ok(Vec::new());
    }
    let Some(printed) = run_program(context, options) else { return Ok(Vec::new()) };
    let Some(hits) = cass::parse(&printed) else {
        context.notice("the answer of cass is not valid; its sessions are skipped");
        return Ok(Vec::new());
    };
    let (rules, _) = secrets::rules_of_logs(context, context.target())?;
    let which = HitFilter {
        allowed: SessionFilter::of(context, context.target()),
        agents: options.which.agents.as_deref().map(agents).transpose()?.unwrap_or_default(),
        workspace: options
            .which
            .workspace
            .as_deref()
            .map(|typed| resolve_path(context, &context.request.cwd, typed)),
        since,
    };
    let found = hits.into_iter().filter(|hit| which.matches(hit)).map(|hit| shown(hit, &rules));
    let found: Vec<ExternalHit> = found.take(options.limit.max(1)).collect();
    let bytes = found.iter().map(|found| found.snippet.len() as u64).sum();
    let read =
        access_log::SessionRead { agent: PROGRAM.to_owned(), bytes, ..access_log::SessionRead::default() };
    access_log::record(context, vec![read]);
    Ok(found)
}

/// Runs `cass` and returns its output; `None` with a notice if it fails.
fn run_program(context: &Context, options: &Options) -> Option<String> {
    let request = &context.request;
    let mut environment: BTreeMap<String, String> = request
        .variables
        .iter()
        .filter(|(name, _)| PASSED_VARIABLES.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let home = request.home.as_deref().filter(|home| home.is_dir());
    environment.extend(home.map(|home| ("HOME".to_owned(), home.display().to_string())));
    // A query that begins with a dash would be taken for a flag.
    let dash = if options.query.starts_with('-') { " " } else { "" };
    let query = format!("{dash}{}", options.query);
    let limit = options.limit.max(1).to_string();
    let argv = [PROGRAM, "search", &query, "--robot", "--limit", &limit].map(str::to_owned);
    let program = ExternalProgram {
        argv: &argv,
        environment: &environment,
        folder: home.unwrap_or(&request.cwd),
        timeout: Duration::from_secs_f64(context.target().settings.number(keys::SOURCES_CASS_TIMEOUT_S)),
        max_output_bytes: MAX_OUTPUT_BYTES,
        is_interactive: false,
    };
    match program.run("", &RetrySleeper::default()) {
        Ok(printed) => Some(printed),
        Err(error) => {
            // What it complained of may repeat what sessions say.
            let why = match error {
                cm_llm::LlmError::NotStarted { .. } => "is not installed".to_owned(),
                cm_llm::LlmError::TimedOut { after, .. } => format!("did not answer within {after:?}"),
                cm_llm::LlmError::Failed { status, .. } => format!("failed with {status}"),
                _ => "cannot be started".to_owned(),
            };
            context.notice(format!("cass {why}; its sessions are skipped"));
            None
        }
    }
}

struct HitFilter {
    allowed: SessionFilter,
    agents: Vec<Agent>,
    workspace: Option<String>,
    since: Option<Instant>,
}

impl HitFilter {
    /// Returns whether a hit passes the filter. A hit without a field that the filter tests does
    /// not pass.
    fn matches(&self, hit: &CassHit) -> bool {
        let hit_agent = hit.agent.as_deref().and_then(agent_like);
        let all = self.allowed.agents.len() == Agent::ALL.len();
        let may = all || hit_agent.is_some_and(|agent| self.allowed.agents.contains(&agent));
        let meta = SessionMeta {
            workspace: hit.workspace.clone(),
            ..SessionMeta::new(hit_agent.unwrap_or(Agent::ClaudeCode), "".into())
        };
        let of_agents = self.agents.is_empty() || hit_agent.is_some_and(|agent| self.agents.contains(&agent));
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

fn shown(hit: CassHit, rules: &RedactionRules) -> ExternalHit {
    let clean = |text: String| logs::text(&text, rules);
    let words: String = clean(hit.text).chars().take(MAX_SNIPPET_CHARS).collect();
    ExternalHit {
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
        let hit = |agent: Option<&str>| CassHit { agent: agent.map(str::to_owned), ..CassHit::default() };
        let wanted = |agents: &[Agent]| {
            let mut allowed = SessionFilter::all();
            allowed.agents = agents.to_vec();
            HitFilter { allowed, agents: Vec::new(), workspace: None, since: None }
        };
        assert!(wanted(&Agent::ALL).matches(&hit(None)));
        let few = wanted(&[Agent::Pi]);
        assert!(few.matches(&hit(Some("pi_agent"))));
        assert!(!few.matches(&hit(Some("codex"))) && !few.matches(&hit(None)));
        let recent = HitFilter { since: Some(Instant::from_unix(0)), ..wanted(&Agent::ALL) };
        assert!(!recent.matches(&hit(Some("pi"))));
    }
}
