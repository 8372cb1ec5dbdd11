//! Updates the index from the files and reports what changed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::embedding::budget;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_index::Index;

/// Mode of refreshing the indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Discard the index and read every note again.
    pub full: bool,
    /// Report stale files without updating the index.
    pub check: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReindexResult {
    /// Number of indexed notes after the refresh.
    pub notes: usize,
    /// Number of notes that were added to the index.
    pub added: usize,
    /// Number of notes that were indexed again because they changed.
    pub updated: usize,
    /// Number of notes that were removed from the index.
    pub removed: usize,
    /// Number of errors and warnings in the notes; `cm validate` lists them.
    pub findings: usize,
    /// Wall time in milliseconds.
    pub ms: u64,
    /// Paths of files that differ from the index; only with `check`.
    pub stale: Vec<String>,
    /// Why the index was rebuilt; null if it was only updated.
    pub rebuilt: Option<String>,
    /// Number of passages that the larger model has not embedded yet; approximate if there are
    /// many. `cm embed` embeds all of them, later commands a few at a time unless there are many.
    pub unread: usize,
}

/// Factor for the time that a reindex may spend on the larger embedding model, relative to other
/// commands.
const REINDEX_TIME_FACTOR: u32 = 40;

/// Refreshes the index of every open vault. `clock` returns milliseconds.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub fn reindex(context: &Context, options: Options, clock: &dyn Fn() -> u64) -> Result<ReindexResult> {
    let begun = clock();
    let mut outcome = ReindexResult {
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
    for open in &context.vaults {
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
        let refreshed = open.reindex(&listing, options.full, context.models().coarse())?;
        context.complete(open);
        outcome.unread += embed_missing(context, open, options.full)?;
        open.set_fresh();
        outcome.notes += refreshed.notes;
        outcome.added += refreshed.added.len();
        outcome.updated += refreshed.updated.len();
        outcome.removed += refreshed.removed.len();
        context.add_stale_notice(&refreshed);
        let refreshed_findings = refreshed.findings.len();
        outcome.rebuilt = outcome.rebuilt.or(refreshed.rebuilt.map(|why| why.to_string()));
        let in_notes = context.query_index(open, Index::note_findings)?;
        outcome.findings += listing.findings.len() + refreshed_findings + in_notes;
    }
    outcome.stale.sort();
    outcome.ms = clock().saturating_sub(begun);
    Ok(outcome)
}

/// Embeds missing passages with the larger model and returns the number of passages that are still
/// missing. A full reindex gets only the usual time budget.
fn embed_missing(context: &Context, open: &OpenVault, full: bool) -> Result<usize> {
    let budget = budget(&open.settings);
    context.refine_within(open, &[], if full { budget } else { budget * REINDEX_TIME_FACTOR }, false);
    if budget.is_zero() { Ok(0) } else { context.missing_passages(open) }
}
