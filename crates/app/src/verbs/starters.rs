//! Lists the built-in starter sets of rules, and adds them to the playbook.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::curate::{self, CurationOptions, elsewhere};
use crate::verbs::playbook::{as_written, limits, merged};
use cm_note::bullet::content::RuleHash;
use cm_note::bullet::{BulletState, Scope};
use cm_note::message::CommitOp;
use cm_playbook::curation::Authority;
use cm_playbook::curation::admission::{Admission, AdmissionCheck, ProposedRule};
use cm_playbook::curation::bullet_index::BulletIndex;
use cm_playbook::curation::delta::DeltaFile;
use cm_playbook::curation::history::NoHistory;
use cm_playbook::curation::report::{RuleConflict, UnappliedDelta};
use cm_playbook::embedding_model::WordVectors;
use cm_playbook::starters::{self, Starter, StarterRule};
use cm_text::plural::count;
use cm_text::spelling::nearest;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StarterSet {
    /// Name by which the set is added.
    pub name: String,
    /// Summary of what the rules are for.
    pub about: String,
    /// Scope of the rules in the set.
    pub scope: Scope,
    /// Language or framework that the rules apply to.
    pub scope_key: Option<String>,
    /// Categories of the rules in the set, sorted.
    pub categories: Vec<String>,
    /// Number of rules in the set.
    pub rules: usize,
    /// Number of rules in the set that the playbook contains already.
    pub present: usize,
}

/// The starter sets, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StarterList {
    /// Every built-in set.
    pub starters: Vec<StarterSet>,
}

/// Lists the built-in starter sets.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn list(context: &Context) -> Result<StarterList> {
    let present_hashes = existing_hashes(context)?;
    let set = |starter: Starter| {
        let mut categories: Vec<String> = starter.rules.iter().map(|rule| rule.category.clone()).collect();
        categories.sort();
        categories.dedup();
        StarterSet {
            name: starter.name.to_owned(),
            scope: starter.scope,
            categories,
            rules: starter.rules.len(),
            present: starter.rules.iter().filter(|rule| present_hashes.contains(&rule.hash())).count(),
            about: starter.about,
            scope_key: starter.scope_key,
        }
    };
    Ok(StarterList { starters: starters::all().into_iter().map(set).collect() })
}

/// Returns the hashes of all rules in the playbook, whatever their state.
fn existing_hashes(context: &Context) -> Result<HashSet<RuleHash>> {
    let bullets = merged(context)?.bullets;
    Ok(bullets.iter().map(|vault_bullet| RuleHash::of(vault_bullet.bullet.content())).collect())
}

/// Categories of a starter set to add, and the mode.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only rules of these categories; empty for all.
    pub categories: Vec<String>,
    /// Report the changes without writing them.
    pub dry_run: bool,
}

/// A rule that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddedRule {
    /// Id of the new bullet.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// State of the bullet: active or draft.
    pub state: BulletState,
    /// Why the bullet is a draft.
    pub note: Option<String>,
}

/// A rule that was not added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedRule {
    /// Text of the rule.
    pub content: String,
    /// Why the rule was not added.
    pub reason: String,
    /// Id of the bullet that duplicates the rule, or of the pattern that blocks it.
    pub id: Option<String>,
}

/// Result of adding a starter set.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StarterResult {
    /// Name of the starter set.
    pub name: String,
    /// Rules that were added.
    pub added: Vec<AddedRule>,
    /// Rules that were not added.
    pub left_out: Vec<SkippedRule>,
    /// Existing bullets that contradict an added rule; each conflict gives the rule's number in the
    /// set.
    pub conflicts: Vec<RuleConflict>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// Adds the rules of a starter set in one commit, without those that the playbook contains or
/// blocks. Existing rules get no feedback for the repetition.
///
/// # Errors
/// Returns an error if the set or a category does not exist, or if the write fails.
pub fn add(context: &Context, name: &str, options: &Options) -> Result<StarterResult> {
    let starter = starters::find_starter(name).ok_or_else(|| unknown(name))?;
    let selected_rules = wanted(&starter, &options.categories)?;
    let (proposed, left_out) = split_admitted(context, &starter, &selected_rules)?;
    let mut outcome = StarterResult {
        name: starter.name.to_owned(),
        added: Vec::new(),
        left_out,
        conflicts: Vec::new(),
        dry_run: options.dry_run,
        commit: None,
    };
    if proposed.is_empty() {
        return Ok(outcome);
    }
    let subject = format!("Add {} of the starter set {name}", count(proposed.len(), "rule"));
    let how = CurationOptions {
        dry_run: options.dry_run,
        ..CurationOptions::by_caller(context, CommitOp::Starters).with_subject(subject)
    };
    let deltas = proposed.iter().map(|rule| starter.delta(rule)).collect();
    let curated = curate::curate(context, &DeltaFile { deltas, ..DeltaFile::default() }, &how)?;
    let report = curated.report;
    outcome.added = report
        .applied
        .into_iter()
        .map(|one| AddedRule { id: one.id, content: one.content, state: one.state, note: one.note })
        .collect();
    // Another writer was faster.
    let late = report.skipped.into_iter().chain(report.refused);
    outcome.left_out.extend(late.map(|passed| late_rule(passed, &proposed)));
    outcome.conflicts = report.conflicts;
    for conflict in &mut outcome.conflicts {
        conflict.delta = number(&starter, &proposed, conflict.delta);
    }
    outcome.commit = curated.commit;
    Ok(outcome)
}

/// Converts a rule that was refused when it was written, although the check before had accepted it.
fn late_rule(passed: UnappliedDelta, proposed: &[&StarterRule]) -> SkippedRule {
    let rule = passed.delta.checked_sub(1).and_then(|at| proposed.get(at));
    SkippedRule {
        content: rule.map(|rule| rule.content.clone()).unwrap_or_default(),
        reason: passed.reason,
        id: passed.id,
    }
}

/// Returns the number of the rule in its set, from 1, to which a delta belongs.
fn number(starter: &Starter, proposed: &[&StarterRule], delta: usize) -> usize {
    let rule = delta.checked_sub(1).and_then(|at| proposed.get(at));
    rule.and_then(|rule| starter.rules.iter().position(|starter_rule| starter_rule == *rule))
        .map_or(delta, |at| at + 1)
}

fn unknown(name: &str) -> Error {
    let hint = match nearest(name, starters::names()) {
        Some(nearest_name) => format!("did you mean `{nearest_name}`?"),
        None => format!("available: {}", starters::names().collect::<Vec<_>>().join(", ")),
    };
    Error::not_found(format!("unknown starter set `{name}`")).hint(hint)
}

fn wanted<'s>(starter: &'s Starter, categories: &[String]) -> Result<Vec<&'s StarterRule>> {
    for category in categories {
        if starter.rules.iter().all(|rule| rule.category != *category) {
            let mut categories: Vec<&str> = starter.rules.iter().map(|rule| rule.category.as_str()).collect();
            categories.sort_unstable();
            categories.dedup();
            return Err(Error::usage(format!(
                "`{}` has no rules in the category `{category}`",
                starter.name
            ))
            .hint(format!("available: {}", categories.join(", "))));
        }
    }
    let is_wanted = |rule: &&StarterRule| categories.is_empty() || categories.contains(&rule.category);
    Ok(starter.rules.iter().filter(is_wanted).collect())
}

/// Splits the rules into those that may be added and those that may not, with the reason.
fn split_admitted<'r>(
    context: &Context,
    starter: &Starter,
    rules: &[&'r StarterRule],
) -> Result<(Vec<&'r StarterRule>, Vec<SkippedRule>)> {
    let open = context.target();
    let own = as_written(context, open)?;
    let other = elsewhere(context, open, &own)?;
    let (bullet_index, others) = (BulletIndex::of(&own), BulletIndex::of(&other));
    let blocked = [own.blocked, other.blocked].concat();
    let admission_check = AdmissionCheck {
        bullet_index: &bullet_index,
        other_vaults: &others,
        blocked: &blocked,
        limits: &limits(open),
        history: &NoHistory,
        word_vectors: &WordVectors::of(meaning(open)),
        authority: Authority::Person,
    };
    let (mut proposed, mut left_out) = (Vec::new(), Vec::new());
    for &rule in rules {
        let candidate = ProposedRule {
            content: &rule.content,
            category: &rule.category,
            bullet_type: rule.bullet_type,
            rule_scope: starter.rule_scope(),
            excludes: &[],
        };
        let (reason, id) = match admission_check.admit(candidate) {
            Admission::Admitted(_) => {
                proposed.push(rule);
                continue;
            }
            Admission::Duplicate { at, reworded: false } => ("it already exists".to_owned(), Some(at)),
            Admission::Duplicate { at, reworded: true } => {
                ("it already exists in other words".to_owned(), Some(at))
            }
            Admission::Deprecated { at } => ("it was deprecated here".to_owned(), Some(at)),
            Admission::Elsewhere { id } => {
                left_out.push(left(rule, "the other vault has it".to_owned(), Some(id)));
                continue;
            }
            Admission::Blocked { id, reason, .. } => {
                let why = reason.map(|reason| format!("it is blocked: {reason}"));
                left_out.push(left(rule, why.unwrap_or_else(|| "it is blocked".to_owned()), Some(id)));
                continue;
            }
            Admission::Malformed(error) => (error.to_string(), None),
            Admission::BadCategory => (format!("`{}` is not a valid category", rule.category), None),
            Admission::Failed(_) => ("past sessions failed with it".to_owned(), None),
        };
        left_out.push(left(rule, reason, id.map(|at| bullet_index.get(at).id.to_string())));
    }
    Ok((proposed, left_out))
}

fn left(rule: &StarterRule, reason: String, id: Option<String>) -> SkippedRule {
    SkippedRule { content: rule.content.clone(), reason, id }
}

#[cfg(test)]
mod tests {
    use cm_playbook::curation::report::UnappliedCode;

    use super::*;

    #[test]
    fn a_rule_that_came_too_late_is_named_and_numbered_as_in_its_set() {
        let starter = starters::find_starter("rust").unwrap();
        let proposed = [&starter.rules[2], &starter.rules[5]];
        let passed = UnappliedDelta {
            delta: 2,
            op: "add".to_owned(),
            id: None,
            code: UnappliedCode::Duplicate,
            reason: "it already exists".to_owned(),
            credited: false,
        };
        assert_eq!(late_rule(passed, &proposed).content, starter.rules[5].content);
        assert_eq!(number(&starter, &proposed, 1), 3);
    }
}
