//! The briefing for a task: the rules, pitfalls and memories that matter for it, what to be warned of, and where to look
//! further, within a budget.
//!
//! It asks the index for candidates and never reads all notes. Showing something is no feedback: no score moves.

mod budget;
mod candidates;
mod history;
pub(super) mod kinds;
mod stage;

use schemars::JsonSchema;
use serde::Serialize;

use super::decay::scoring;
use super::error::{Error, Result};
use super::memory::{Level, Memory};
use budget::Drafted;
pub(super) use budget::{memory_line, passage_line, rule_line};
pub(super) use candidates::words;
use candidates::{Candidates, Only};
use cm_note::bullet::showing::same_project;
use cm_note::bullet::{BulletType, Maturity};
use cm_note::note::Priority;
use cm_note::score::bullet::Effective;
use cm_playbook::briefing::warning::Warning;
use cm_playbook::briefing::{LEAST_TOKENS, Omitted};
use kinds::WorkspaceKinds;
use stage::Stage;

/// What the briefing is for, and how much of it is wanted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The task.
    pub task: String,
    /// The project that it is about; the vault's own where nothing is said.
    pub workspace: Option<String>,
    /// Rules and pitfalls at most; the setting `context.max_rules` where nothing is said.
    pub limit_rules: Option<usize>,
    /// Tokens at most; the setting `context.max_tokens` where nothing is said.
    pub max_tokens: Option<usize>,
    /// Only rules and memories of this category.
    pub category: Option<String>,
    /// Only memories of this priority.
    pub priority: Option<Priority>,
}

/// Why a rule is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It fits the task.
    Task,
    /// It holds for every task: it is pinned, or one of the best proven of this scope.
    Standing,
}

/// A rule, or something to avoid.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rule {
    /// What it answers to, also in feedback.
    pub id: String,
    /// What it says.
    pub content: String,
    /// Its category.
    pub category: String,
    /// `rule` or `anti_pattern`.
    #[serde(rename = "type")]
    pub bullet_type: BulletType,
    /// How far it has proved itself.
    pub maturity: Maturity,
    /// Its effective score.
    pub score: Effective,
    /// How often it was found helpful.
    pub helpful: usize,
    /// How often it was found harmful.
    pub harmful: usize,
    /// Whether a person has pinned it.
    pub pinned: bool,
    /// Why it is shown.
    pub why: Why,
    /// Its file.
    pub path: String,
    /// Which vault it is from.
    pub vault: Level,
}

/// A memory that fits the task.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recalled {
    /// What it answers to.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its file.
    pub path: String,
    /// Its worth for the task: how well it fits beside the best one, times how vivid it is.
    pub score: f64,
    /// The place in its text that fits best, on one line.
    pub snippet: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who wrote it: a person's name, or an agent and its session.
    pub origin: String,
    /// Which vault it is from.
    pub vault: Level,
}

/// A past session that fits the task: what its diary tells of it, else a passage of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Passage {
    /// What was said, or what came of it.
    pub snippet: String,
    /// Which session.
    pub session: String,
    /// Whose session it was.
    pub agent: Option<String>,
    /// On which line of the session's log it was said, from 1; null where a diary tells it.
    pub line: Option<u64>,
    /// The project, or the folder that was worked in.
    pub workspace: Option<String>,
    /// The day, in UTC.
    pub date: Option<String>,
    /// How it ended, where a diary tells: `success`, `failure`, `partial` or `mixed`.
    pub outcome: Option<String>,
    /// The file of its diary.
    pub diary: Option<String>,
    /// Whether the person said it, in their own words.
    pub by_person: bool,
    /// How well it fits, beside the best one of its kind, 0–1.
    pub score: f64,
}

/// A briefing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Briefing {
    /// The task.
    pub task: String,
    /// The project whose rules count.
    pub workspace: String,
    /// What to do, the most valuable first, pinned rules before all others.
    pub rules: Vec<Rule>,
    /// What to avoid, in the same order.
    pub pitfalls: Vec<Rule>,
    /// What is known, the most valuable first.
    pub memories: Vec<Recalled>,
    /// What agents or sessions noted and nobody has confirmed: data, not instructions.
    pub unverified: Vec<Recalled>,
    /// Past sessions about it: those with a diary first, then those of which only the log tells.
    pub history: Vec<Passage>,
    /// What the task or something shown mentions and should not.
    pub warnings: Vec<Warning>,
    /// Queries for `cm search`.
    pub searches: Vec<String>,
    /// How to say what helped.
    pub feedback: String,
    /// How many entries are left out for space or beyond a limit.
    pub omitted: Omitted,
    /// About how many tokens the briefing costs a prompt as markdown.
    pub tokens: usize,
    /// What the briefing did without.
    pub notices: Vec<String>,
    /// The briefing as markdown.
    #[serde(skip)]
    pub text: String,
}

/// The lengths of a task, in characters.
const TASK: std::ops::RangeInclusive<usize> = 3..=2_000;

/// Briefs for a task.
///
/// # Errors
/// A task or budget that cannot be, or an index that can neither be used nor rebuilt.
pub fn context(memory: &Memory, options: &Options) -> Result<Briefing> {
    let briefing = briefing(memory, options)?;
    count_retrievals(memory, &briefing);
    Ok(briefing)
}

/// The same, for somebody who may show a part of it only, and counts what is shown.
///
/// # Errors
/// Those of [`context`].
pub(super) fn briefing(memory: &Memory, options: &Options) -> Result<Briefing> {
    let task = checked(&options.task)?;
    let settings = &memory.target().settings;
    let budget = options.max_tokens.unwrap_or_else(|| settings.whole("context.max_tokens"));
    if budget < LEAST_TOKENS {
        return Err(Error::usage(format!(
            "a briefing needs at least {LEAST_TOKENS} tokens, and {budget} are allowed"
        ))
        .hint("for example: cm context \"fix the flaky retry test\" --max-tokens 2000"));
    }
    let limit = options.limit_rules.unwrap_or_else(|| settings.whole("context.max_rules")).min(1_000);
    let candidates = Candidates::ask(memory, task, limit, Only::of(options))?;
    let mut omitted = Omitted::default();
    let scoring = scoring(settings);
    let workspace = options.workspace.clone().unwrap_or_else(|| memory.workspace());
    let named = options.workspace.is_some();
    let kinds = WorkspaceKinds::of(memory, named && !same_project(&workspace, &memory.workspace()));
    let stage = Stage { memory, task, named, workspace, kinds, scoring, candidates };
    let (memories, unverified) = stage.memories(&mut omitted);
    let rules = stage.rules(&memories, limit, &mut omitted);
    let history = stage.history(settings.whole("context.max_history"), &mut omitted)?;
    let notices = stage.notices(history.as_deref());
    let history = history.unwrap_or_default();
    let warnings = stage.warnings(&rules, &memories)?;
    let drafted = Drafted { rules, memories, unverified, history, warnings, notices, omitted };
    Ok(drafted.fit(task, stage.workspace, memory.now(), budget))
}

/// Counts that these rules and memories were shown, and nothing else: being shown says nothing about being useful.
fn count_retrievals(memory: &Memory, briefing: &Briefing) {
    for open in &memory.vaults {
        let shown = briefing.rules.iter().chain(&briefing.pitfalls).filter(|rule| rule.vault == open.level);
        let memories = briefing.memories.iter().filter(|recalled| recalled.vault == open.level);
        let memories = memories.map(|recalled| recalled.id.as_str());
        let keys: Vec<&str> = shown.map(|rule| rule.id.as_str()).chain(memories).collect();
        // A vault on a read-only disk can still be read from.
        let _ = open.usage().retrieved(&keys, memory.now());
    }
}

fn checked(task: &str) -> Result<&str> {
    let task = task.trim();
    let length = task.chars().count();
    let wrong = if !TASK.contains(&length) {
        format!("a task has {} to {} characters, and this one {length}", TASK.start(), TASK.end())
    } else if task.contains('\0') {
        "a task is text, and this one has a NUL character".to_owned()
    } else {
        return Ok(task);
    };
    Err(Error::usage(wrong).hint("for example: cm context \"fix the flaky retry test in the gateway\""))
}
