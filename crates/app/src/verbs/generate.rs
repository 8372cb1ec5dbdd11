//! Generates CORE.md and REFLECTION.md from the notes. A file is not rewritten if only its date
//! would change.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::as_of::AsOf;
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::scoring::scoring;
use crate::context::write;
use crate::error::Result;
use crate::verbs::playbook::rule_pairs::rule_pairs;
use cm_note::bullet::Bullet;
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::graph::LinkedNotes;
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_note::score::{AccessStatistics, DecayScore};
use cm_playbook::core::{
    self, CoreContents, CoreEntry, CoreSettings, LinkStyle, OmissionReason, same_but_for_day,
};
use cm_playbook::generated::GeneratedFile;
use cm_playbook::reflection::{self, ReflectionSettings};
use cm_store::config::keys;
use cm_store::git::Repo;
use cm_store::vault::layout;
use cm_store::vault::usage::UsageCounts;

/// Result of generating CORE.md or REFLECTION.md.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Generated {
    /// Path of the file.
    pub path: String,
    /// Number of notes listed in the file.
    pub entries: usize,
    /// Number of notes that were left out because of size limits.
    pub omitted: usize,
    /// Estimated number of tokens of the file.
    pub tokens: usize,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or the file is up
    /// to date.
    pub commit: Option<String>,
    /// Whether the file was written.
    pub changed: bool,
    /// Contents of the file; null unless this was a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Commit that was read; absent for the current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
}

/// Generates CORE.md; with `dry_run` only returns its contents.
///
/// # Errors
/// Unreadable notes, and the errors of [`write::apply`].
pub fn core(context: &Context, dry_run: bool) -> Result<Generated> {
    let planned = planned_core(context)?.contents.file;
    keep(context, layout::CORE, CommitOp::Core, "Write CORE.md", planned, dry_run)
}

/// CORE.md as it would be written, with the notes and entries to which its indices refer.
pub(crate) struct PlannedCore {
    pub settings: CoreSettings,
    pub notes: Arc<LinkedNotes>,
    /// Entries that may be listed.
    pub entries: Vec<CoreEntry>,
    /// Notes that may not be listed, by their index.
    pub excluded: Vec<(usize, OmissionReason)>,
    pub contents: CoreContents,
}

/// Plans CORE.md of the target vault, or as of the commit that the context reads.
///
/// # Errors
/// Unreadable notes.
pub(crate) fn planned_core(context: &Context) -> Result<PlannedCore> {
    let open = context.target();
    let constants = scoring(&open.settings);
    let settings = CoreSettings {
        tokens: open.settings.integer(keys::CORE_MAX_TOKENS),
        per_section: open.settings.integer(keys::CORE_MAX_ENTRIES),
        least_score: constants.fading,
        links: match open.settings.text(keys::CORE_LINKS) {
            Some("stem") => LinkStyle::Stem,
            _ => LinkStyle::Path,
        },
        ..CoreSettings::default()
    };
    let basis = ScoreBasis::of(context, open)?;
    let view = ScoredNotes::of(context, open, Some(basis))?;
    let graph = view.notes.graph();
    let entries = core::core_entries(&graph, &view.scores, basis.now, &constants, settings.links);
    let contents = core::core_contents(&entries, &settings, &basis.now.day());
    let excluded = core::excluded_notes(&graph);
    Ok(PlannedCore { settings, notes: Arc::clone(&view.notes), entries, excluded, contents })
}

/// Generates REFLECTION.md; with `dry_run` only returns its contents.
///
/// # Errors
/// The errors of [`core()`].
pub fn reflection(context: &Context, dry_run: bool) -> Result<Generated> {
    let open = context.target();
    let settings = ReflectionSettings {
        projects: open.settings.texts(keys::PROJECTS),
        scoring: scoring(&open.settings),
    };
    let view = ScoredNotes::of(context, open, None)?;
    let graph = view.notes.graph();
    let pairs = |rules: &[&Bullet]| rule_pairs(open, rules);
    let planned =
        reflection::plan_reflection(&graph, &view.scores, &view.usage, &settings, &pairs, context.now());
    keep(context, layout::REFLECTION, CommitOp::Reflection, "Write REFLECTION.md", planned, dry_run)
}

/// Time and usage data from which the scores in CORE.md are computed.
#[derive(Clone, Copy)]
struct ScoreBasis {
    /// Whether access counts of this clone are used; they are not committed.
    local: bool,
    now: Instant,
}

impl ScoreBasis {
    /// In a shared vault, selects only committed data, so that every clone generates the same file
    /// from the same commit. A past commit is scored at its own time.
    fn of(context: &Context, open: &OpenVault) -> Result<Self> {
        if open.past.is_some() {
            return Ok(Self { local: false, now: context.now() });
        }
        let repo = open.repo()?;
        let local = match open.settings.text(keys::CORE_USAGE) {
            Some("local") => true,
            Some("none") => false,
            _ => !repo.is_some_and(Repo::has_remote),
        };
        let is_note = |path: &NotePath| {
            path.is_markdown() && ![layout::CORE, layout::REFLECTION].contains(&path.as_str())
        };
        let shared = match repo.filter(|_| !local) {
            Some(repo) => repo.last_change(&is_note)?,
            None => None,
        };
        Ok(Self { local, now: shared.unwrap_or(context.now()) })
    }
}

/// The notes of a vault with their scores and usage; equal positions belong together.
struct ScoredNotes {
    notes: Arc<LinkedNotes>,
    scores: Vec<DecayScore>,
    usage: Vec<AccessStatistics>,
}

impl ScoredNotes {
    /// Loads and scores the notes. With `core`, uses its time and usage data, and the creation of a
    /// note counts as its first access.
    fn of(context: &Context, open: &OpenVault, core: Option<ScoreBasis>) -> Result<Self> {
        let notes = context.overview_of(open)?;
        let (mut table, notices) = open.usage().load();
        notices.into_iter().for_each(|notice| context.notice(notice));
        if core.is_some_and(|basis| !basis.local) {
            table.clear();
        }
        let now = core.map_or(context.now(), |basis| basis.now);
        let first = |used: UsageCounts| UsageCounts {
            accesses: used.accesses.max(u64::from(core.is_some())),
            ..used
        };
        let memory_scores = MemoryScores::at(open, table, now);
        let (scores, usage) = notes
            .iter()
            .map(|note| {
                let used = memory_scores.used(note);
                let usage = AccessStatistics { accesses: used.accesses, last_access: used.last };
                (memory_scores.score_at(note, first(used), now), usage)
            })
            .unzip();
        Ok(Self { notes, scores, usage })
    }
}

/// Writes the generated file unless its contents are up to date or this is a dry run.
fn keep(
    context: &Context,
    name: &str,
    op: CommitOp,
    subject: &str,
    planned: GeneratedFile,
    dry_run: bool,
) -> Result<Generated> {
    let mut outcome = Generated {
        path: name.to_owned(),
        entries: planned.entries,
        omitted: planned.omitted,
        tokens: planned.tokens,
        commit: None,
        changed: false,
        text: dry_run.then(|| planned.text.clone()),
        as_of: context.read_at(),
    };
    if !dry_run {
        context.target().writable()?;
    }
    let before = context.target().vault.read_own(name)?;
    if dry_run || before.is_some_and(|before| same_but_for_day(&before, &planned.text)) {
        return Ok(outcome);
    }
    let path = NotePath::parse(name)?;
    let change = VaultFileChange::Replace { path, expected: None, text: planned.text };
    let set = ChangeSet { message: CommitMessage::new(op, subject), changes: vec![change] };
    let written = write::apply(context, set)?;
    outcome.commit = written.commit;
    outcome.changed = !written.changed.is_empty();
    Ok(outcome)
}
