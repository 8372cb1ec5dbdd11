//! Bringing the index up to the folder, and saying what was found.

use schemars::JsonSchema;
use serde::Serialize;

use super::embedding::budget;
use super::error::Result;
use super::meaning::known;
use super::memory::{Memory, OpenVault};
use cm_index::Index;

/// How.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Drop what is there and read everything anew.
    pub full: bool,
    /// Only say what is stale.
    pub check: bool,
}

/// What was found and done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reindexed {
    /// Notes in the index afterwards.
    pub notes: usize,
    /// New ones.
    pub added: usize,
    /// Changed ones.
    pub updated: usize,
    /// Ones that are gone.
    pub removed: usize,
    /// Errors and warnings in the notes; `cm validate` lists them.
    pub findings: usize,
    /// Wall time in milliseconds.
    pub ms: u64,
    /// The files that are stale, where nothing was to be changed.
    pub stale: Vec<String>,
    /// Why everything was read anew, where it was.
    pub rebuilt: Option<String>,
    /// Passages that the finer model has not read yet: later commands do, each for a moment.
    pub unread: usize,
}

/// The factor by which a reindexing may spend longer on the finer model than any other command.
const PATIENCE: u32 = 40;

/// Refreshes the index of every open vault. `clock` measures, in milliseconds.
///
/// # Errors
/// Where an index can neither be used nor rebuilt.
pub fn reindex(memory: &Memory, options: Options, clock: &dyn Fn() -> u64) -> Result<Reindexed> {
    let begun = clock();
    let mut outcome = Reindexed {
        notes: 0,
        added: 0,
        updated: 0,
        removed: 0,
        findings: 0,
        ms: 0,
        stale: Vec::new(),
        rebuilt: None,
        unread: 0,
    };
    for open in &memory.vaults {
        let listing = open.walk();
        if options.check {
            let stale = open.index().check(&listing, &|path| open.read(path))?;
            outcome.notes += listing.files.len();
            outcome.added += stale.added.len();
            outcome.updated += stale.updated.len();
            outcome.removed += stale.removed.len();
            let paths = stale.added.into_iter().chain(stale.updated).chain(stale.removed);
            outcome.stale.extend(paths.map(String::from));
            outcome.rebuilt = outcome.rebuilt.or(stale.unusable.map(|why| why.to_string()));
            continue;
        }
        let refreshed = open.reindex(&listing, options.full, memory.models().coarse())?;
        memory.complete(open);
        outcome.unread += read_finely(memory, open, options.full)?;
        open.set_fresh();
        outcome.notes += refreshed.notes;
        outcome.added += refreshed.added.len();
        outcome.updated += refreshed.updated.len();
        outcome.removed += refreshed.removed.len();
        memory.tell_stale(&refreshed);
        let refreshed_findings = refreshed.findings.len();
        outcome.rebuilt = outcome.rebuilt.or(refreshed.rebuilt.map(|why| why.to_string()));
        let in_notes = memory.ask(open, Index::note_findings)?;
        outcome.findings += listing.findings.len() + refreshed_findings + in_notes;
    }
    outcome.stale.sort();
    outcome.ms = clock().saturating_sub(begun);
    Ok(outcome)
}

/// Lets the finer model read what it lacks; how many passages it still lacks. A full reindexing is about texts, and gives
/// it no more time than any command.
fn read_finely(memory: &Memory, open: &OpenVault, full: bool) -> Result<usize> {
    let budget = budget(&open.settings);
    memory.refine_within(open, &[], if full { budget } else { budget * PATIENCE }, false);
    match memory.models().fine() {
        Some(Ok(model)) if !budget.is_zero() => {
            Ok(open.index().without(&known(open, model.name())?, usize::MAX)?.1)
        }
        _ => Ok(0),
    }
}
