//! Selects the entries of a briefing that fit the token budget.

use super::history::project;
use super::{Briefing, BriefingMemory, BriefingRule, SessionPassage, any_work};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use cm_note::bullet::BulletType;
use cm_note::query::Query;
use cm_playbook::briefing::warning::BriefingWarning;
use cm_playbook::briefing::{
    self, BriefingEntry, BriefingSection, EntryTier, OmittedCounts, lines, searches,
};
use cm_text::stop_words::is_stop_word;

/// Value of a suggested search; the best-matching rule has 1.
const SEARCH_VALUE: f64 = 0.15;

/// Factor for the value of a past session, compared with a memory: `PERSON_WEIGHT` for the person's
/// own messages and sessions with a diary, `AGENT_WEIGHT` for an agent's messages.
const PERSON_WEIGHT: f64 = 0.6;
const AGENT_WEIGHT: f64 = 0.3;

/// A rule with its value, by which it competes for the token budget.
pub(super) struct RankedRule {
    pub rule: BriefingRule,
    pub worth: f64,
    pub pointer: Option<String>,
}

/// Contents of a briefing before the token budget is applied.
pub(super) struct BriefingDraft {
    pub rules: Vec<RankedRule>,
    pub memories: Vec<BriefingMemory>,
    pub unverified: Vec<BriefingMemory>,
    pub history: Vec<SessionPassage>,
    pub warnings: Vec<BriefingWarning>,
    pub notices: Vec<String>,
    pub omitted: OmittedCounts,
}

impl BriefingDraft {
    /// Drops the least valuable entries until the briefing fits into `budget` tokens. Suggested
    /// searches and feedback are worded for the interface of the caller.
    pub fn fit(self, task: &str, workspace: String, context: &Context, budget: usize) -> Briefing {
        let (now, interface) = (context.now(), context.request.caller.interface);
        let BriefingDraft { rules, memories, unverified, history, warnings, notices, omitted } = self;
        let pointers = rules.iter().filter_map(|ruled| ruled.pointer.as_deref());
        let mut suggested = searches::searches(pointers, &searches::salient(task, is_stop_word), now);
        suggested.retain(|query| finds_notes(context, query));
        let mut entries: Vec<BriefingEntry> = rules.iter().map(rule_entry).collect();
        entries.extend(memories.iter().map(memory_entry));
        let of_unverified = entries.len();
        entries.extend(
            unverified
                .iter()
                .map(|it| BriefingEntry { section: BriefingSection::Unverified, ..memory_entry(it) }),
        );
        let of_history = entries.len();
        entries.extend(history.iter().map(passage_entry));
        let place = |id: &str| {
            rules
                .iter()
                .position(|ruled| ruled.rule.id == id)
                .or_else(|| memories.iter().position(|memory| memory.id == id).map(|at| rules.len() + at))
        };
        let warned = entries.len();
        entries.extend(warnings.iter().map(|warning| BriefingEntry {
            about: place(&warning.place).filter(|_| warning.place != BriefingWarning::TASK),
            ..entry(BriefingSection::Warnings, EntryTier::Warning, 0.0, lines::warning(warning))
        }));
        let searched = entries.len();
        entries.extend(suggested.iter().map(|query| {
            entry(BriefingSection::Searches, EntryTier::Worth, SEARCH_VALUE, lines::search(query, interface))
        }));
        entries.push(entry(
            BriefingSection::Feedback,
            EntryTier::Feedback,
            0.0,
            format!("Feedback: {}\n", lines::feedback(interface)),
        ));
        entries.extend(
            notices
                .iter()
                .map(|notice| entry(BriefingSection::Notices, EntryTier::Notice, 0.0, lines::notice(notice))),
        );
        let shown_task = if task.is_empty() { any_work(context) } else { task.to_owned() };
        let plan = briefing::plan(&shown_task, &entries, omitted, budget);
        let stays = |from: usize| plan.included[from..].iter().copied();
        let of_memories = rules.len();
        let rules = included(rules, stays(0)).into_iter().map(|ruled| ruled.rule);
        let (pitfalls, rules) = rules.partition(|rule| rule.bullet_type == BulletType::AntiPattern);
        Briefing {
            task: shown_task,
            handoff: None,
            workspace,
            rules,
            pitfalls,
            memories: included(memories, stays(of_memories)),
            unverified: included(unverified, stays(of_unverified)),
            history: included(history, stays(of_history)),
            warnings: included(warnings, stays(warned)),
            searches: included(suggested, stays(searched)),
            feedback: lines::feedback(interface).replace('`', ""),
            omitted: plan.omitted,
            tokens: plan.tokens,
            as_of: context.read_at(),
            notices,
            text: plan.text,
        }
    }
}

/// Whether a note matches the words and filters of a query. True where only a snapshot is read, which has no index.
fn finds_notes(context: &Context, query: &str) -> bool {
    let query = Query::parse(query, context.now());
    let finds = |open: &OpenVault| {
        context
            .query_index(open, |index| index.search(&query, 0, 1))
            .map_or(true, |found| !found.hits.is_empty())
    };
    context.read_at().is_some() || context.vaults.iter().any(finds)
}

fn included<T>(items: Vec<T>, stays: impl Iterator<Item = bool>) -> Vec<T> {
    items.into_iter().zip(stays).filter_map(|(item, stays)| stays.then_some(item)).collect()
}

fn entry(section: BriefingSection, tier: EntryTier, worth: f64, line: String) -> BriefingEntry {
    BriefingEntry { section, tier, worth, about: None, line }
}

fn rule_entry(ruled: &RankedRule) -> BriefingEntry {
    let rule = &ruled.rule;
    let section = match rule.bullet_type {
        BulletType::Rule => BriefingSection::Rules,
        BulletType::AntiPattern => BriefingSection::Pitfalls,
    };
    let tier = if rule.pinned { EntryTier::Pinned } else { EntryTier::Worth };
    entry(section, tier, ruled.worth, rule_line(rule))
}

/// Formats a rule as a line of Markdown.
pub(crate) fn rule_line(rule: &BriefingRule) -> String {
    let pinned = if rule.pinned { "pinned" } else { "" };
    let harm = lines::harm(rule.helpful, rule.harmful);
    lines::rule(&rule.content, &[&rule.id, &rule.category, rule.maturity.name(), pinned, &harm])
}

fn memory_entry(memory: &BriefingMemory) -> BriefingEntry {
    entry(BriefingSection::Memories, EntryTier::Worth, memory.score, memory_line(memory))
}

/// Formats a memory as a line of Markdown.
pub(crate) fn memory_line(memory: &BriefingMemory) -> String {
    let id = match uuid::Uuid::try_parse(&memory.id) {
        Ok(_) => memory.id.get(..8).unwrap_or(&memory.id),
        Err(_) => &memory.id,
    };
    let origin = format!("by {}", memory.origin);
    let date = memory.date.as_deref().unwrap_or_default();
    let labels = [date, memory.note_type.as_deref().unwrap_or_default(), id, &origin];
    lines::memory(&memory.title, &labels, &memory.snippet)
}

fn passage_entry(passage: &SessionPassage) -> BriefingEntry {
    let worth = if passage.by_person || passage.diary.is_some() { PERSON_WEIGHT } else { AGENT_WEIGHT }
        * passage.score;
    entry(BriefingSection::History, EntryTier::Worth, worth, passage_line(passage))
}

/// Formats a past session as a line of Markdown.
pub(crate) fn passage_line(passage: &SessionPassage) -> String {
    // The beginning is enough to name it, as `cm sessions` shows.
    let session = match uuid::Uuid::try_parse(&passage.session) {
        Ok(_) => passage.session.get(..8).unwrap_or(&passage.session),
        Err(_) => &passage.session,
    };
    let labels = [
        passage.date.as_deref().unwrap_or_default(),
        passage.agent.as_deref().unwrap_or_default(),
        session,
        passage.workspace.as_deref().map(project).unwrap_or_default(),
        passage.outcome.as_deref().unwrap_or_default(),
    ];
    lines::passage(&labels, &passage.snippet)
}
