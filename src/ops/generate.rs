//! The files that are written from the notes: CORE.md and REFLECTION.md. Where nothing but the day would change, the file
//! stays as it is and nothing is committed.

use std::rc::Rc;

use schemars::JsonSchema;
use serde::Serialize;

use super::decay::{score_of, scoring};
use super::error::{Error, Result};
use super::meaning::meaning;
use super::memory::{Memory, OpenVault};
use super::playbook::limits;
use super::write;
use crate::curate::core::{self, CoreSettings, same_but_for_day};
use crate::curate::generated::GeneratedFile;
use crate::curate::meaning::Sense;
use crate::curate::reflection::{self, ReflectionSettings};
use crate::domain::change::{Change, ChangeSet};
use crate::domain::graph::Graph;
use crate::domain::message::Message;
use crate::domain::note::Note;
use crate::domain::path::NotePath;
use crate::domain::score::{Score, Usage};
use crate::vault::layout;

/// A file that was written, or would have been the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Generated {
    /// The file.
    pub path: String,
    /// How many entries it lists.
    pub entries: usize,
    /// How many more there were to list.
    pub omitted: usize,
    /// About how many tokens it costs a prompt.
    pub tokens: usize,
    /// The commit; null where commits are manual or nothing but the day would have changed.
    pub commit: Option<String>,
    /// Whether the file was written.
    pub changed: bool,
    /// The text, where it was to be shown and not to be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Writes CORE.md; with `dry_run` only says what it would hold.
///
/// # Errors
/// Where the notes cannot be read, and those of [`write::apply`].
pub fn core(memory: &Memory, dry_run: bool) -> Result<Generated> {
    let open = memory.target();
    let constants = scoring(&open.settings);
    let settings = CoreSettings {
        tokens: open.settings.whole("core.max_tokens"),
        per_section: open.settings.whole("core.max_entries"),
        least_score: constants.fading,
        active_score: constants.active,
        ..CoreSettings::default()
    };
    let view = View::of(memory, open)?;
    let graph = Graph::connect(&view.notes);
    let entries = core::core_entries(&graph, &view.scores, memory.now(), &constants);
    let planned = core::plan_core(&entries, &settings, &memory.now().day());
    keep(memory, layout::CORE, "core", "Write CORE.md", planned, dry_run)
}

/// Writes REFLECTION.md; with `dry_run` only says what it would hold.
///
/// # Errors
/// Those of [`core()`].
pub fn reflection(memory: &Memory, dry_run: bool) -> Result<Generated> {
    let open = memory.target();
    let settings = ReflectionSettings {
        projects: open.settings.texts("projects"),
        scoring: scoring(&open.settings),
        merge: limits(open).merge(),
    };
    let view = View::of(memory, open)?;
    let graph = Graph::connect(&view.notes);
    let sense = Sense::of(meaning(open));
    let planned =
        reflection::plan_reflection(&graph, &view.scores, &view.usage, &settings, &sense, memory.now());
    keep(memory, layout::REFLECTION, "reflection", "Write REFLECTION.md", planned, dry_run)
}

/// The notes with their scores and use, in one order.
struct View {
    notes: Rc<Vec<Note>>,
    scores: Vec<Score>,
    usage: Vec<Usage>,
}

impl View {
    fn of(memory: &Memory, open: &OpenVault) -> Result<Self> {
        let notes = memory.notes_of(open)?;
        let (table, notices) = open.usage().load();
        notices.into_iter().for_each(|notice| memory.notice(notice));
        let constants = scoring(&open.settings);
        let used: Vec<_> =
            notes.iter().map(|note| table.get(note.key()).copied().unwrap_or_default()).collect();
        let scores = notes
            .iter()
            .zip(&used)
            .map(|(note, used)| score_of(note, *used, &open.settings, &constants, memory.now()))
            .collect();
        let usage =
            used.into_iter().map(|used| Usage { accesses: used.accesses, last_access: used.last }).collect();
        Ok(Self { notes, scores, usage })
    }
}

/// Writes the file unless it says the same already.
fn keep(
    memory: &Memory,
    name: &str,
    op: &str,
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
    };
    let before = memory.target().vault.read_own(name)?;
    if dry_run || before.is_some_and(|before| same_but_for_day(&before, &planned.text)) {
        return Ok(outcome);
    }
    let path = NotePath::parse(name).map_err(|error| Error::usage(error.to_string()))?;
    let change = Change::Replace { path, expected: None, text: planned.text };
    let set = ChangeSet { message: Message::new(op, subject), changes: vec![change] };
    let written = write::apply(memory, set)?;
    outcome.commit = written.commit;
    outcome.changed = !written.changed.is_empty();
    Ok(outcome)
}
