//! Ranks the possible contents of a briefing: rules, memories and warnings.

use std::collections::{BTreeMap, HashSet};

use super::budget::RankedRule;
use super::candidates::{BriefingCandidates, BulletCandidate, MIN_SHARE_OF_BEST, MemoryCandidate};
use super::kinds::WorkspaceKinds;
use super::{BriefingMemory, BriefingRule, RuleReason, SessionPassage};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::project_scope::ProjectScope;
use crate::context::snippet::NoteSnippets;
use crate::error::Result;
use cm_note::bullet::blocked::BlockKind;
use cm_note::bullet::visibility::same_project;
use cm_note::bullet::{BulletType, Maturity, Scope};
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;
use cm_note::note::session_key::{SessionKey, order_in_time};
use cm_note::note::{Feedback, FeedbackSignal};
use cm_note::query::Query;
use cm_note::query::several::asks_for_several;
use cm_note::rank;
use cm_note::rank::need::Need;
use cm_note::score::Scoring;
use cm_note::score::bullet::{effective, selection_score};
use cm_playbook::briefing::OmittedCounts;
use cm_playbook::briefing::warning::{BriefingWarning, MentionIndex, WarningKind, is_about};
use cm_text::stop_words::is_stop_word;

/// Maximum number of memories in a briefing.
const MAX_SHOWN_MEMORIES: usize = 12;
/// Maximum number of unverified memories in a briefing.
const MAX_SHOWN_UNVERIFIED: usize = 4;
/// Maximum number of unpinned rules that are included although they do not match the task.
const MAX_STANDING_RULES: usize = 2;
/// Minimum need for a rule that was learned in a session which matches the task.
const MIN_NEED_FROM_SESSION: f64 = 0.05;
/// Minimum need for a rule or memory, as a share of the best confirmed one's, unless it was learned in a session that
/// matches the task.
const MIN_SHARE_OF_BEST_NEED: f64 = 0.3;
/// Minimum score of a rule, as a share of the best rule's, to match the task.
const MIN_SHARE_OF_BEST_RULE: f64 = 0.4;
/// Minimum score of a rule that was learned in a session which matches the task, as a share of the best rule's.
const MIN_SHARE_OF_BEST_RULE_FROM_SESSION: f64 = 0.2;
/// Value of a rule that does not match the task; the best match has 1.
const UNMATCHED_RULE_VALUE: f64 = 0.1;
/// Factor for the value of a memory of another project.
const OTHER_PROJECT_FACTOR: f64 = 0.5;

/// The task, the workspace and the candidates from which a briefing is built.
pub(super) struct BriefingBuilder<'m> {
    pub context: &'m Context,
    /// Empty if the briefing is for any work.
    pub task: &'m str,
    /// Whether the caller named the workspace, rather than that it was derived from the vault.
    pub is_explicit: bool,
    pub workspace: String,
    pub scope: ProjectScope<'m>,
    pub kinds: WorkspaceKinds<'m>,
    pub scoring: Scoring,
    pub candidates: BriefingCandidates<'m>,
    /// IDs of the past sessions that the briefing shows because they match the task.
    pub sessions: HashSet<String>,
}

impl BriefingBuilder<'_> {
    /// Returns the confirmed and the unverified memories that match, each most valuable first. If the
    /// task counts or orders, it is one of each session, in order of time.
    pub fn memories(&self, omitted: &mut OmittedCounts) -> (Vec<BriefingMemory>, Vec<BriefingMemory>) {
        let least_need = self.least_need();
        let mut scores = BTreeMap::new();
        let mut valued: Vec<(f64, &MemoryCandidate<'_>)> = Vec::new();
        for found in &self.candidates.memories {
            let is_of_matching_session =
                found.note.session.as_ref().is_some_and(|id| self.sessions.contains(id));
            let is_little_needed = found.need.is_some_and(|need| need.value() < least_need);
            if self.is_chance(found.score)
                || ((found.is_weak || is_little_needed) && !is_of_matching_session)
                || !self.scope.includes_memory(&found.note, found.open.level)
            {
                continue;
            }
            let note = &found.note;
            let scores =
                scores.entry(found.open.level).or_insert_with(|| MemoryScores::of(self.context, found.open));
            let score = scores.score(note);
            let vivid = rank::decay_factor(score, scores.status(score), found.replaced);
            let elsewhere = note
                .workspace
                .as_deref()
                .is_some_and(|own| self.is_explicit && !same_project(own, &self.workspace));
            let here = if elsewhere { OTHER_PROJECT_FACTOR } else { 1.0 };
            valued.push((rank::relevance(found.score, self.candidates.best_memory) * vivid * here, found));
        }
        valued.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.note.key().cmp(y.note.key())));
        let in_time = asks_for_several(self.task);
        if in_time {
            let all = valued.len();
            let mut sessions = HashSet::new();
            valued.retain(|(_, found)| sessions.insert(SessionKey::of(&found.note)));
            omitted.memories += all - valued.len();
        }
        let (unverified, confirmed): (Vec<_>, Vec<_>) =
            valued.into_iter().partition(|(_, found)| found.note.is_unverified());
        omitted.memories += confirmed.len().saturating_sub(MAX_SHOWN_MEMORIES)
            + unverified.len().saturating_sub(MAX_SHOWN_UNVERIFIED);
        let query = Query { root: self.candidates.words(), notices: Vec::new() };
        let mut snippets = NoteSnippets::of(&query);
        let mut shown = |valued: Vec<(f64, &MemoryCandidate<'_>)>, most| -> Vec<BriefingMemory> {
            let mut few: Vec<_> = valued.into_iter().take(most).collect();
            if in_time {
                few.sort_by_key(|(_, found)| order_in_time(&found.note));
            }
            let day = |found: &MemoryCandidate<'_>| order_in_time(&found.note).0.map(Instant::day);
            let memory = |(worth, found)| BriefingMemory {
                date: day(found).filter(|_| in_time),
                ..remembered(worth, found, &mut snippets)
            };
            few.into_iter().map(memory).collect()
        };
        (shown(confirmed, MAX_SHOWN_MEMORIES), shown(unverified, MAX_SHOWN_UNVERIFIED))
    }

    /// Returns rules and pitfalls: pinned ones, those that match the task, then a few established ones
    /// that apply to every task.
    pub fn rules(
        &self,
        memories: &[BriefingMemory],
        limit: usize,
        omitted: &mut OmittedCounts,
    ) -> Vec<RankedRule> {
        let mut seen = self.task.to_owned();
        for memory in memories {
            seen.push_str(&format!("\n{} {} {}", memory.title, memory.tags.join(" "), memory.snippet));
        }
        let seen = MentionIndex::of(&seen);
        let least_need = self.least_need();
        let (mut pinned, mut fitting, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let is_for = |candidate: &&BulletCandidate| {
            self.scope.includes(&candidate.bullet, candidate.level)
                && self.kinds.holds(&candidate.bullet, &seen)
        };
        for candidate in self.candidates.bullets.iter().filter(is_for) {
            let (score, bullet) = (candidate.score.unwrap_or(0.0), &candidate.bullet);
            let useful = rank::usefulness(selection_score(bullet, self.context.now(), &self.scoring));
            let relevance = rank::relevance(score, self.candidates.best_bullet);
            let is_of_matching_session =
                bullet.fields.sources.iter().any(|it| self.sessions.contains(&it.session));
            let least = if is_of_matching_session {
                MIN_SHARE_OF_BEST_RULE_FROM_SESSION
            } else {
                MIN_SHARE_OF_BEST_RULE
            };
            let fits = match candidate.need {
                Some(need) if is_of_matching_session => need.value() >= MIN_NEED_FROM_SESSION,
                Some(need) => need.is_worth_showing() && need.value() >= least_need,
                None => candidate.score.is_some() && relevance >= least && !self.is_chance(score),
            };
            let why = if fits { RuleReason::Task } else { RuleReason::Standing };
            if bullet.pinned {
                pinned.push(self.ruled(candidate, (UNMATCHED_RULE_VALUE + relevance) * useful, why));
            } else if fits {
                fitting.push(self.ruled(candidate, relevance * useful, why));
            } else if useful >= 1.0 && self.is_standing(candidate) {
                others.push(self.ruled(candidate, UNMATCHED_RULE_VALUE * useful * (1.0 + relevance), why));
            }
        }
        for part in [&mut pinned, &mut fitting, &mut others] {
            part.sort_by(|a, b| b.worth.total_cmp(&a.worth).then_with(|| a.rule.id.cmp(&b.rule.id)));
        }
        // Without a task these rules are the answer; those beyond the limit are counted below.
        if !self.task.is_empty() {
            others.truncate(MAX_STANDING_RULES.min(limit.saturating_sub(pinned.len() + fitting.len())));
        }
        let mut rules: Vec<RankedRule> = pinned.into_iter().chain(fitting).chain(others).collect();
        omitted.rules += self.candidates.unseen;
        for out in rules.drain(limit.min(rules.len())..) {
            match out.rule.bullet_type {
                BulletType::Rule => omitted.rules += 1,
                BulletType::AntiPattern => omitted.pitfalls += 1,
            }
        }
        rules
    }

    fn ruled(&self, candidate: &BulletCandidate, worth: f64, why: RuleReason) -> RankedRule {
        let bullet = &candidate.bullet;
        let given = |signal| Feedback::count(&bullet.feedback, signal);
        let rule = BriefingRule {
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            category: bullet.category.clone(),
            bullet_type: bullet.bullet_type,
            maturity: bullet.maturity,
            score: effective(bullet, self.context.now(), &self.scoring),
            helpful: given(FeedbackSignal::Helpful),
            harmful: given(FeedbackSignal::Harmful),
            pinned: bullet.pinned,
            why,
            path: bullet.path.to_string(),
            vault: candidate.level,
        };
        RankedRule { rule, worth, pointer: bullet.fields.search_pointer.clone() }
    }

    pub(super) fn is_chance(&self, score: f32) -> bool {
        score < MIN_SHARE_OF_BEST * self.candidates.best_memory.max(self.candidates.best_bullet)
    }

    /// Returns the minimum need for a rule or memory: a share of that for the best one that may be shown. Unverified
    /// memories do not raise it.
    fn least_need(&self) -> f64 {
        let bullets = self.candidates.bullets.iter().filter(|it| self.scope.includes(&it.bullet, it.level));
        let memories = self.candidates.memories.iter().filter(|it| {
            !it.replaced && !it.note.is_unverified() && self.scope.includes_memory(&it.note, it.open.level)
        });
        let needs = bullets.filter_map(|it| it.need).chain(memories.filter_map(|it| it.need));
        MIN_SHARE_OF_BEST_NEED * needs.map(Need::value).fold(0.0, f64::max)
    }

    /// Whether a bullet is shown although it does not match the task: it was made for this kind of work, or it applies
    /// to every task here and, if there is a task, has proved useful.
    fn is_standing(&self, candidate: &BulletCandidate) -> bool {
        let bullet = &candidate.bullet;
        let is_established = self.task.is_empty() || bullet.maturity >= Maturity::Established;
        match bullet.scope {
            Scope::Global => is_established,
            // Whether it is this project was asked before.
            Scope::Workspace => is_established && bullet.project().is_some(),
            // Whether the work is of that kind was asked before.
            Scope::Language | Scope::Framework | Scope::Task => bullet.fields.scope_key.is_some(),
        }
    }

    /// Returns warnings about blocked patterns in the task, the rules and the memories. Pitfalls
    /// are not checked, because they name what to avoid.
    pub fn warnings(
        &self,
        rules: &[RankedRule],
        memories: &[BriefingMemory],
    ) -> Result<Vec<BriefingWarning>> {
        let mut warnings: Vec<BriefingWarning> = Vec::new();
        let task = MentionIndex::of(self.task);
        let rules = rules.iter().map(|ruled| &ruled.rule).filter(|rule| rule.bullet_type == BulletType::Rule);
        let rules = rules.map(|rule| (&rule.id, MentionIndex::of(&rule.content)));
        let memories =
            memories.iter().map(|it| (&it.id, MentionIndex::of(&format!("{}\n{}", it.title, it.snippet))));
        let shown: Vec<(&String, MentionIndex)> = rules.chain(memories).collect();
        for blocked in &self.candidates.blocked {
            let pattern = blocked.text();
            let is_near = self.candidates.near_blocked.contains(blocked.id.as_str());
            match blocked.kind {
                BlockKind::Toxic if is_near || task.quotes(pattern) => {
                    warnings.push(BriefingWarning::of(blocked, BriefingWarning::TASK))
                }
                BlockKind::Deprecated if is_near || task.mentions(pattern) => {
                    warnings.push(BriefingWarning::of(blocked, BriefingWarning::TASK));
                }
                BlockKind::Deprecated => {
                    let mentioned = shown.iter().filter(|(_, index)| index.mentions(pattern));
                    warnings.extend(mentioned.map(|(id, _)| BriefingWarning::of(blocked, id)));
                }
                BlockKind::Toxic => {}
            }
        }
        for (bullet, is_near) in self.candidates.replaced(self.context)? {
            if is_near || is_about(bullet.content(), self.task, is_stop_word) {
                let by = bullet.fields.replaced_by.as_deref().unwrap_or_default();
                let content = self.candidates.content_of(self.context, by)?;
                warnings.push(BriefingWarning {
                    kind: WarningKind::Replaced,
                    id: bullet.id.to_string(),
                    pattern: bullet.content().to_owned(),
                    reason: bullet.fields.deprecation_reason.clone(),
                    replacement: Some(
                        content.map_or_else(|| by.to_owned(), |content| format!("{content} ({by})")),
                    ),
                    place: BriefingWarning::TASK.to_owned(),
                });
            }
        }
        let mut seen = Vec::new();
        warnings.retain(|warning| {
            let key = (warning.pattern.to_lowercase(), warning.place.clone());
            let new = !seen.contains(&key);
            seen.push(key);
            new
        });
        Ok(warnings)
    }

    /// Returns notices for missing notes, rules or sessions.
    pub fn notices(&self, history: Option<&[SessionPassage]>) -> Vec<String> {
        let past = self.context.read_at().map(|past| format!("this is the memory {past}"));
        let mut notices: Vec<String> = past.into_iter().chain(self.candidates.notices.clone()).collect();
        if self.candidates.is_empty() {
            notices.push("the vault has no notes".to_owned());
        } else {
            if !self.candidates.has_playbook {
                notices.push("the playbook has no rules".to_owned());
            }
            let has_history = history.is_some_and(|history| !history.is_empty());
            if !self.task.is_empty()
                && self.candidates.best_memory == 0.0
                && self.candidates.best_bullet == 0.0
                && !has_history
            {
                notices.push("no note contains a word of the task".to_owned());
            }
        }
        if history.is_none() {
            notices.push("no sessions are indexed".to_owned());
        }
        notices
    }
}

/// Whether two texts have the same letters and digits.
fn is_same_text(one: &str, other: &str) -> bool {
    let letters = |text: &'_ str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    letters(one) == letters(other)
}

fn remembered(worth: f64, found: &MemoryCandidate<'_>, snippets: &mut NoteSnippets) -> BriefingMemory {
    let note = &found.note;
    // The file may be gone where the index was not refreshed; the memory is then shown without its text.
    let snippet = snippets.of_note(found.open, note, found.passage);
    let snippet = if is_same_text(&snippet, &note.title) { String::new() } else { snippet };
    BriefingMemory {
        id: note.key().to_owned(),
        title: visible(&note.title),
        note_type: note.note_type.clone(),
        path: note.path.to_string(),
        score: worth,
        snippet: visible(&snippet),
        tags: note.tags.clone(),
        origin: visible(&note.origin()),
        date: None,
        vault: found.open.level,
    }
}
