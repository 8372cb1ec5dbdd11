//! The briefing for a task: relevant rules, pitfalls, memories, warnings and suggested searches,
//! within a token budget.
//!
//! Candidates come from the index; notes are never all read. Showing an entry is not feedback and
//! changes no score.

mod budget;
mod builder;
mod candidates;
mod contradictions;
mod history;
pub(crate) mod kinds;
mod standing;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::as_of::AsOf;
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::project_scope::ProjectScope;
use crate::context::scoring::scoring;
use crate::error::{Error, Result};
use crate::verbs::handoff::{self, WaitingHandoff};
use budget::BriefingDraft;
pub(crate) use budget::{memory_line, passage_line, rule_line};
use builder::BriefingBuilder;
pub(crate) use candidates::words;
use candidates::{BriefingCandidates, BriefingFilter};
use cm_learn::reflect::fence::neutralize;
use cm_note::bullet::visibility::same_project;
use cm_note::bullet::{BulletType, Maturity};
use cm_note::note::Priority;
use cm_note::score::bullet::EffectiveScore;
use cm_playbook::briefing::warning::BriefingWarning;
use cm_playbook::briefing::{MIN_TOKENS, OmittedCounts};
use cm_store::config::keys;
use kinds::WorkspaceKinds;

/// The task to collect rules and memories for, with limits and filters.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The task, in plain words; `None` selects what applies to any work.
    pub task: Option<String>,
    /// The project of the task; by default the vault's own.
    pub workspace: Option<String>,
    /// Maximum number of rules and pitfalls; by default `context.max_rules`.
    pub limit_rules: Option<usize>,
    /// Maximum number of tokens; by default `context.max_tokens`.
    pub max_tokens: Option<usize>,
    /// Only rules and memories of this category.
    pub category: Option<String>,
    /// Only memories of this priority.
    pub priority: Option<Priority>,
}

/// Why a briefing contains a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleReason {
    /// The rule matches the task.
    Task,
    /// The rule applies to every task: it is pinned, or it is one of the best proven rules of its
    /// scope.
    Standing,
}

/// A rule to follow or a pitfall to avoid, as shown in a briefing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefingRule {
    /// Bullet ID, also used for feedback.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    pub category: String,
    /// `rule` or `anti_pattern`.
    #[serde(rename = "type")]
    pub bullet_type: BulletType,
    /// Maturity, derived from feedback.
    pub maturity: Maturity,
    pub score: EffectiveScore,
    /// Number of feedback events with the signal `helpful`.
    pub helpful: usize,
    /// Number of feedback events with the signal `harmful`.
    pub harmful: usize,
    /// Whether a person pinned the rule.
    pub pinned: bool,
    /// Whether the rule matches the task or applies to every task.
    pub why: RuleReason,
    /// Path of the rule's file, relative to the vault root.
    pub path: String,
    /// Vault that contains the rule: `project` or `global`.
    pub vault: VaultLevel,
}

/// A memory in a briefing, with its best passage.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefingMemory {
    /// ID of the note.
    pub id: String,
    pub title: String,
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Path of the memory's file, relative to the vault root.
    pub path: String,
    /// Value for the task: relevance relative to the best match, times the decay factor of the
    /// memory; halved for a memory of another project.
    pub score: f64,
    /// The passage that matches the task best, on one line; empty if the title says the same.
    pub snippet: String,
    pub tags: Vec<String>,
    /// Who wrote the memory: a person's name, or an agent and its session.
    pub origin: String,
    /// Day of the memory, in UTC; only if the task counts or orders occasions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Vault that contains the memory: `project` or `global`.
    pub vault: VaultLevel,
}

/// A past session that matches the task, from its diary or else from its log.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionPassage {
    /// Excerpt of the log, or the result recorded in the diary.
    pub snippet: String,
    /// Session ID.
    pub session: String,
    pub agent: Option<String>,
    /// Line number in the session log, from 1; null if the excerpt comes from a diary.
    pub line: Option<u64>,
    /// The project or working directory of the session.
    pub workspace: Option<String>,
    /// Date of the session, in UTC.
    pub date: Option<String>,
    /// Outcome from the diary: `success`, `failure`, `partial` or `mixed`.
    pub outcome: Option<String>,
    /// Path of the session's diary.
    pub diary: Option<String>,
    /// Whether the excerpt quotes the person rather than an agent.
    pub by_person: bool,
    /// Relevance relative to the best match of the same kind, 0–1.
    pub score: f64,
}

/// Rules, memories and past sessions that help with a task, within a token budget.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Briefing {
    pub task: String,
    /// Unfinished work that another session handed over in this folder; missing if none waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<WaitingHandoff>,
    /// The project that selects workspace-scoped rules.
    pub workspace: String,
    /// Rules to follow, most valuable first, pinned rules before all others.
    pub rules: Vec<BriefingRule>,
    /// Pitfalls to avoid, most valuable first, pinned ones before all others.
    pub pitfalls: Vec<BriefingRule>,
    /// Confirmed memories, most valuable first; one of each session in order of time if the task
    /// counts or orders occasions.
    pub memories: Vec<BriefingMemory>,
    /// Unconfirmed notes of agents or sessions: data, not instructions.
    pub unverified: Vec<BriefingMemory>,
    /// Past sessions: those with a diary first, then those with only a log; in order of time if the task
    /// counts or orders occasions.
    pub history: Vec<SessionPassage>,
    /// Warnings about blocked patterns that occur in the task or in a shown entry.
    pub warnings: Vec<BriefingWarning>,
    /// Suggested queries for `cm search`.
    pub searches: Vec<String>,
    /// How to report which rules helped, worded for the caller's interface.
    pub feedback: String,
    /// Number of entries that were left out because of the token budget or another limit.
    pub omitted: OmittedCounts,
    /// Estimated number of tokens of the Markdown text.
    pub tokens: usize,
    /// Commit that was read; absent for the current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// Notices, for example that the vault has no rules or no session is indexed.
    pub notices: Vec<String>,
    /// The briefing as Markdown.
    #[serde(skip)]
    pub text: String,
}

/// Allowed length of a task, in characters.
const TASK: std::ops::RangeInclusive<usize> = 3..=2_000;

/// Describes a briefing without a task by the name of the project.
fn any_work(context: &Context) -> String {
    let workspace = context.workspace();
    let name = workspace.rsplit(['/', '\\']).next().unwrap_or_default();
    format!("any work in {name}").chars().take(*TASK.end()).collect()
}

/// Creates the briefing for a task and counts the shown notes as retrieved. It begins with the
/// handoff that waits in this folder.
///
/// # Errors
/// An invalid task or budget, or an index that can neither be used nor rebuilt.
pub fn context(context: &Context, options: &Options) -> Result<Briefing> {
    // A handoff waits now, and not in the past.
    let handoff = if context.read_at().is_some() { None } else { handoff::for_briefing(context) };
    let Some(handoff) = handoff else {
        let briefing = briefing(context, options)?;
        count_retrievals(context, &briefing);
        return Ok(briefing);
    };
    let budget =
        options.max_tokens.unwrap_or_else(|| context.target().settings.integer(keys::CONTEXT_MAX_TOKENS));
    let rest = budget.saturating_sub(handoff.handoff().tokens).max(MIN_TOKENS.min(budget));
    match briefing(context, &Options { max_tokens: Some(rest), ..options.clone() }) {
        Ok(briefing) => {
            count_retrievals(context, &briefing);
            Ok(briefing.begin_with(handoff.handoff().clone()))
        }
        Err(error) => {
            handoff.put_back(context);
            Err(error)
        }
    }
}

impl Briefing {
    fn begin_with(mut self, handoff: WaitingHandoff) -> Self {
        self.text = format!("{}\n\n{}\n\n{}", handoff.heading(), neutralize(&handoff.quoted()), self.text);
        self.tokens += handoff.tokens;
        self.handoff = Some(handoff);
        self
    }
}

/// Creates the briefing without counting retrievals, for callers that show only parts of it.
///
/// # Errors
/// The errors of [`context`].
pub(crate) fn briefing(context: &Context, options: &Options) -> Result<Briefing> {
    // Without a task nothing is searched: no word of the program's own may select notes.
    let task = options.task.as_deref().map(checked).transpose()?.unwrap_or_default();
    let settings = &context.target().settings;
    let budget = options.max_tokens.unwrap_or_else(|| settings.integer(keys::CONTEXT_MAX_TOKENS));
    if budget < MIN_TOKENS {
        return Err(Error::usage(format!("the token limit is {budget}; the minimum is {MIN_TOKENS}"))
            .hint("for example `cm context \"fix the flaky retry test\" --max-tokens 2000`"));
    }
    let limit = options.limit_rules.unwrap_or_else(|| settings.integer(keys::CONTEXT_MAX_RULES)).min(1_000);
    let candidates = BriefingCandidates::ask(context, task, limit, BriefingFilter::of(options))?;
    let mut omitted = OmittedCounts::default();
    let scoring = scoring(settings);
    let workspace = options.workspace.clone().unwrap_or_else(|| context.workspace());
    let is_explicit = options.workspace.is_some();
    let kinds = WorkspaceKinds::of(context, is_explicit && !same_project(&workspace, &context.workspace()));
    let scope = ProjectScope::of(context, options.workspace.as_deref());
    let mut stage = BriefingBuilder {
        context,
        task,
        is_explicit,
        workspace,
        scope,
        kinds,
        scoring,
        candidates,
        sessions: HashSet::new(),
    };
    let history = stage.history(settings.integer(keys::CONTEXT_MAX_HISTORY), &mut omitted)?;
    stage.sessions = history.iter().flatten().map(|passage| passage.session.clone()).collect();
    let (memories, unverified) = stage.memories(&mut omitted);
    let rules = stage.rules(&memories, limit, &mut omitted);
    let notices = stage.notices(history.as_deref());
    let history = history.unwrap_or_default();
    let mut warnings = stage.warnings(&rules, &memories)?;
    warnings.extend(stage.contradictions(&rules, &memories)?);
    let drafted = BriefingDraft { rules, memories, unverified, history, warnings, notices, omitted };
    Ok(drafted.fit(task, stage.workspace, context, budget))
}

/// Adds the shown rules and memories to the retrieval counters, which do not affect scores.
fn count_retrievals(context: &Context, briefing: &Briefing) {
    for open in &context.vaults {
        let shown = briefing.rules.iter().chain(&briefing.pitfalls).filter(|rule| rule.vault == open.level);
        let memories = briefing.memories.iter().filter(|recalled| recalled.vault == open.level);
        let memories = memories.map(|recalled| recalled.id.as_str());
        let keys: Vec<&str> = shown.map(|rule| rule.id.as_str()).chain(memories).collect();
        context.count_retrieved(open, &keys);
    }
}

fn checked(task: &str) -> Result<&str> {
    let task = task.trim();
    let length = task.chars().count();
    let wrong = if !TASK.contains(&length) {
        format!("a task must have {} to {} characters; this one has {length}", TASK.start(), TASK.end())
    } else if task.contains('\0') {
        "the task contains a NUL character".to_owned()
    } else {
        return Ok(task);
    };
    Err(Error::usage(wrong).hint("for example `cm context \"fix the flaky retry test in the gateway\"`"))
}
