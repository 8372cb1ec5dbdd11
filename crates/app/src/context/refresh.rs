//! Reads notes through the index, after checking whether files changed since it was written.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use crate::context::meaning::CoarseEmbedder;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::vault_cache::{VaultCache, VaultVersion};
use crate::error::Result;
use cm_embed::builtin::StaticModel;
use cm_index::{Index, IndexedNote, RefreshReport};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::graph::{EdgeFilter, Graph, LinkedNotes};
use cm_note::listing::VaultListing;
use cm_note::note::read::{self, ParsedNote};
use cm_note::note::{Note, NoteKind};
use cm_note::passage::passages;
use cm_note::path::NotePath;
use cm_store::vault::layout::{MAX_FULLY_INDEXED_BYTES, MAX_PARTLY_INDEXED_BYTES};
use cm_store::vault::walk;

/// The notes of one vault, without those whose id occurs in a vault of higher precedence.
#[derive(Debug)]
pub struct VaultNotes {
    /// Whether this is the project's or the global vault.
    pub level: VaultLevel,
    notes: Arc<LinkedNotes>,
    /// Ids that also occur in a vault of higher precedence; notes with them are skipped.
    hidden: HashSet<String>,
}

impl VaultNotes {
    /// Iterates over the notes of this vault that no vault of higher precedence overrides.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| {
            self.hidden.is_empty() || note.id.as_ref().is_none_or(|id| !self.hidden.contains(id.as_str()))
        })
    }
}

impl OpenVault {
    /// Lists the files of the vault: its folder, or the commit that the request reads at.
    pub fn walk(&self) -> VaultListing {
        let exclude = self.excluded_folders();
        match &self.past {
            Some(past) => past.walk(&exclude),
            None => walk::walk(self.vault.root(), &exclude),
        }
    }

    /// Returns the bytes of a note, from its file or from the commit that the request reads at.
    ///
    /// # Errors
    /// Returns an error if the file or the Git object cannot be read.
    pub fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        match &self.past {
            Some(past) => past.read(path),
            None => self.vault.read(path),
        }
    }

    /// Like [`Self::read`], with an error that has the file's name.
    ///
    /// # Errors
    /// Returns an error if the file or the Git object cannot be read.
    pub fn read_file(&self, path: &NotePath) -> Result<Vec<u8>> {
        Ok(self.read(path).map_err(cm_store::vault::Error::io("read", &self.vault.file(path)))?)
    }

    /// Parses a note with the vault's types and relations.
    pub fn parse(&self, path: &NotePath, bytes: &[u8]) -> ParsedNote {
        read::read(path, bytes, &self.settings.types, &self.settings.relations)
    }

    /// Updates the index from `listing`, or rebuilds it when `full` is set. If a `coarse` model is
    /// given, embeds the passages of every note that is read.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn reindex(
        &self,
        listing: &VaultListing,
        full: bool,
        coarse: Option<&'static StaticModel>,
    ) -> std::result::Result<RefreshReport, cm_index::Error> {
        let filling = coarse.map(|model| RefCell::new(CoarseEmbedder::new(self, model)));
        let cut: RefCell<HashMap<NotePath, u64>> = RefCell::default();
        let parse = |path: &NotePath, bytes: &[u8]| {
            let mut reading = self.parse(path, bytes);
            if let Some(size) = cut.borrow().get(path) {
                reading.note.findings.retain(|found| found.code != FindingCode::EmptyNote);
                reading.note.findings.push(too_large(path, *size));
            }
            let passages = passages(&reading.note, &reading.outline);
            let entry =
                IndexedNote { passages: passages.iter().map(|passage| passage.key).collect(), reading };
            if let Some(filling) = &filling {
                filling.borrow_mut().take(passages);
            }
            entry
        };
        let read = |path: &NotePath| {
            if self.past.is_some() {
                return self.read(path);
            }
            let (bytes, size) = self.vault.read_start(path)?;
            cut.borrow_mut().extend(size.map(|size| (path.clone(), size)));
            Ok(bytes)
        };
        let patience = self.lock_timeout();
        let refreshed = if full {
            self.index().rebuild(listing, &read, &parse, patience)?
        } else {
            self.index().refresh(listing, &read, &parse, patience)?
        };
        if let Some(filling) = filling {
            // A failure is ignored: missing vectors are computed, or reported, when they are needed.
            let _ = filling.into_inner().finish(&refreshed);
        }
        self.set_unread(refreshed.findings.clone());
        self.set_walk_findings(listing.findings.clone());
        self.index().keep_listing_findings(&listing.findings);
        Ok(refreshed)
    }

    /// Updates or rebuilds the index as [`Self::reindex`] does. If it cannot be stored, this request uses a
    /// temporary one: a vault that cannot be written to is answered all the same.
    fn reindex_for_call(
        &self,
        listing: &VaultListing,
        full: bool,
        coarse: Option<&'static StaticModel>,
    ) -> Result<RefreshReport> {
        match self.reindex(listing, full, coarse) {
            Err(error) => {
                self.use_temporary_index(error)?;
                Ok(self.reindex(listing, full, coarse)?)
            }
            Ok(refreshed) => Ok(refreshed),
        }
    }
}

/// Describes the notes that could not be read; `None` if all could be.
fn unreadable(open: &OpenVault, refreshed: &RefreshReport) -> Option<String> {
    let [first, rest @ ..] = refreshed.findings.as_slice() else { return None };
    let more = if rest.is_empty() { String::new() } else { format!(", and {} more", rest.len()) };
    let place = match &open.past {
        Some(past) => format!("from commit {}, ", past.commit().id.short()),
        None => String::new(),
    };
    Some(format!("{place}{} {}{more}", first.path, first.message))
}

/// Returns the finding about a note that exceeds the size limit and is only partly indexed.
fn too_large(path: &NotePath, size: u64) -> Finding {
    let megabytes = size >> 20;
    let message = match size {
        ..=MAX_PARTLY_INDEXED_BYTES => {
            format!(
                "the note has {megabytes} MB; only its first {} MB are searchable",
                MAX_FULLY_INDEXED_BYTES >> 20
            )
        }
        _ => format!("the note has {megabytes} MB; only its name is searchable"),
    };
    Finding::new(path, FindingCode::TooLarge, Severity::Warning, message)
        .with_hint("split it into several notes")
}

impl Context {
    /// Updates the index of this vault unless this request has already done so. With `no_refresh` set,
    /// the index stays as it is and the answer carries a notice.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn ensure_fresh(&self, open: &OpenVault) -> Result<()> {
        if self.request.no_refresh && open.past.is_none() {
            self.notice("the index was not updated (`--no-refresh`)");
            if self.may_trail() {
                open.set_lagging();
            }
            return Ok(());
        }
        if open.is_fresh() {
            return Ok(());
        }
        if let Some(past) = &open.past {
            past.hold();
        }
        match (open.cached(), &open.past) {
            (Some(vault_cache), None) => self.refresh_shared(open, vault_cache)?,
            _ => {
                let refreshed = open.reindex_for_call(&open.walk(), false, self.models().coarse())?;
                self.finish_refresh(open, refreshed);
            }
        }
        open.set_fresh();
        Ok(())
    }

    /// Reports a refresh and embeds what is new.
    fn finish_refresh(&self, open: &OpenVault, refreshed: RefreshReport) {
        self.add_refresh_notices(&refreshed);
        if let Some(text) = unreadable(open, &refreshed) {
            self.notice(text);
        }
        if let Some(why) = open.index_storage_error() {
            // Embeddings could not be stored either.
            return self
                .notice(format!("the index serves this call only, because it cannot be stored: {why}"));
        }
        self.complete(open);
        if open.past.is_none() {
            let changed: Vec<NotePath> = refreshed.updated.into_iter().chain(refreshed.added).collect();
            self.refine(open, &changed);
        }
    }

    /// Updates an index that other threads use as well, unless the vault's version shows that nothing
    /// changed. A request that may lag does not wait for another thread that is at it, and one that compares
    /// with the latest changes anyway leaves a few of them to a later refresh.
    fn refresh_shared(&self, open: &OpenVault, vault_cache: &VaultCache) -> Result<()> {
        let now = (self.request.clock)();
        let is_current = |moment: &Option<VaultVersion>| {
            moment.as_ref().is_some_and(|moment| vault_cache.is_current(moment, open, now))
        };
        if is_current(&vault_cache.current_version(open)) {
            return Ok(());
        }
        if self.may_trail() && vault_cache.is_nearly_current(open, now) {
            open.set_lagging();
            return Ok(());
        }
        let mut turn = match vault_cache.try_lock_refresh() {
            Some(turn) => turn,
            None if vault_cache.was_complete() && self.may_lag(vault_cache) => {
                open.set_lagging();
                return Ok(());
            }
            None => vault_cache.lock_refresh(),
        };
        // Taken before the listing: what happens from here on makes the next request look again.
        let (begun, writes) = (vault_cache.current_version(open), vault_cache.writes().count());
        if is_current(&begun) {
            return Ok(());
        }
        let listing = vault_cache.relist(&mut turn, open, now);
        let refreshed = open.reindex_for_call(listing, false, self.models().coarse())?;
        // An index that another process changes afterwards, with what it saw before, has another version.
        let is_whole =
            refreshed.stale.is_none() && refreshed.findings.is_empty() && listing.findings.is_empty();
        let version = refreshed.version.clone();
        if refreshed.stale.is_some() && self.may_trail() {
            open.set_lagging();
        }
        self.finish_refresh(open, refreshed);
        if let (true, Some(begun), Some(version)) = (is_whole, begun, version) {
            vault_cache.mark_indexed(begun, version, now);
            vault_cache.writes().mark_indexed(writes);
        }
        Ok(())
    }

    /// Adds notices about an index refresh: why the index was rebuilt, or why it may be outdated.
    pub(crate) fn add_refresh_notices(&self, refreshed: &RefreshReport) {
        // The first index of a vault is nothing to be told about.
        if let Some(why) = refreshed.rebuilt.as_ref().filter(|why| **why != cm_index::RebuildReason::Missing)
        {
            self.notice(format!("rebuilt the index: {why}"));
        }
        self.add_stale_notice(refreshed);
    }

    /// Adds a notice if the index could not be brought up to date.
    pub(crate) fn add_stale_notice(&self, refreshed: &RefreshReport) {
        if let Some(why) = &refreshed.stale {
            self.notice(format!("the answer may be out of date: {why}"));
        }
    }

    /// Queries the index. If it turns out to be damaged, rebuilds it and queries it once more.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt, or if it is damaged and the
    /// request must be answered quickly.
    pub fn query_index<T>(
        &self,
        open: &OpenVault,
        question: impl Fn(&Index) -> std::result::Result<T, cm_index::Error>,
    ) -> Result<T> {
        match question(open.index()) {
            Err(cm_index::Error::Unusable(why)) if !self.is_low_latency() => {
                let mut refreshed = open.reindex_for_call(&open.walk(), true, self.models().coarse())?;
                refreshed.rebuilt = Some(why);
                self.add_refresh_notices(&refreshed);
                Ok(question(open.index())?)
            }
            answer => Ok(answer?),
        }
    }

    /// Returns all notes of one vault, ordered by path. They are read once per request, and in a
    /// long-lived process once per version of the index.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn notes_of(&self, open: &OpenVault) -> Result<Arc<LinkedNotes>> {
        self.ensure_fresh(open)?;
        if let Some(notes) = open.read_notes() {
            return Ok(notes);
        }
        let Some(vault_cache) = open.cached().filter(|_| open.past.is_none()) else {
            return Ok(open.keep_notes(Arc::new(self.query_index(open, Index::notes)?.into()), None));
        };
        // Taken before the notes: notes that are newer than their version are read once more, never shown for another one.
        let version = self.query_index(open, Index::version)?;
        let read = || Ok(self.query_index(open, Index::notes)?.into());
        let notes = vault_cache.values.of_version(&version, read)?;
        Ok(open.keep_notes(notes, Some(version)))
    }

    /// Returns all notes of one vault, ordered by path, with all edges between them. They may be without
    /// their relations and links, and the summaries of other notes than insights.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn overview_of(&self, open: &OpenVault) -> Result<Arc<LinkedNotes>> {
        // A long-lived process keeps the complete notes; a request that must not write stores no overview.
        let keeps_notes = open.past.is_none() && open.cached().is_some();
        if open.read_notes().is_some() || keeps_notes || self.is_low_latency() {
            return self.notes_of(open);
        }
        self.ensure_fresh(open)?;
        if let Some(overview) = open.loaded_overview() {
            return Ok(Arc::clone(&overview.notes));
        }
        let basis = open.parse_fingerprint();
        let overview = self.query_index(open, |index| index.overview(&basis, &open.settings.relations))?;
        let notes = Arc::clone(&overview.notes);
        open.keep_overview(Arc::new(overview));
        Ok(notes)
    }

    /// Returns the findings about references between the notes that [`Self::overview_of`] returned.
    pub(crate) fn reference_findings(&self, open: &OpenVault, notes: &LinkedNotes) -> Vec<Finding> {
        match open.loaded_overview() {
            Some(overview) => overview.findings(),
            None => Graph::build(notes, &open.settings.relations).1,
        }
    }

    /// Returns the problems with files of a vault as of the last refresh.
    pub(crate) fn walk_findings(&self, open: &OpenVault) -> Vec<Finding> {
        let of_index = || open.index().listing_findings().filter(|_| self.request.no_refresh);
        open.walk_findings().or_else(of_index).unwrap_or_else(|| open.walk().findings)
    }

    /// Returns a note and the notes around it, or all notes of the vault, ordered by path. Their graph
    /// has all edges of the notes that are less than `hops` edges away from it on this route.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn notes_around(
        &self,
        open: &OpenVault,
        path: &NotePath,
        hops: u8,
        route: &EdgeFilter,
    ) -> Result<Arc<LinkedNotes>> {
        if let Some(notes) = self.loaded_notes(open)? {
            return Ok(notes);
        }
        match self.query_index(open, |index| index.surroundings(path, hops, route))? {
            Some(notes) => Ok(Arc::new(notes.into())),
            None => self.notes_of(open),
        }
    }

    /// Returns the notes of one vault that a name, a path or the beginning of an id may refer to, and
    /// perhaps others, ordered by path.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn notes_named(&self, open: &OpenVault, reference: &str) -> Result<Arc<LinkedNotes>> {
        match self.loaded_notes(open)? {
            Some(notes) => Ok(notes),
            None => Ok(Arc::new(self.query_index(open, |index| index.possible_targets(reference))?.into())),
        }
    }

    /// Updates the index unless this request has already done so, and returns all notes if they are loaded.
    fn loaded_notes(&self, open: &OpenVault) -> Result<Option<Arc<LinkedNotes>>> {
        self.ensure_fresh(open)?;
        if let Some(notes) = open.read_notes() {
            return Ok(Some(notes));
        }
        match open.cached().filter(|_| open.past.is_none()) {
            Some(vault_cache) => Ok(vault_cache.values.stored(&self.query_index(open, Index::version)?)),
            None => Ok(None),
        }
    }

    /// Returns a value that depends on nothing but the notes of a vault, without their relations and
    /// links, the edges between them and `basis`. A long-lived
    /// process computes it once for each version of the notes; the last value of its type is cached.
    ///
    /// # Errors
    /// Returns the error of `compute`, or an error if an index can be neither used nor rebuilt.
    pub(crate) fn value_of_notes<V: Send + Sync + 'static>(
        &self,
        open: &OpenVault,
        basis: &str,
        compute: impl FnOnce(&LinkedNotes) -> Result<V>,
    ) -> Result<Arc<V>> {
        let notes = self.overview_of(open)?;
        match open.notes_version() {
            Some(version) => open.value_of_version(&format!("{version} {basis}"), || compute(&notes)),
            None => Ok(Arc::new(compute(&notes)?)),
        }
    }

    /// Returns the bullets and blocked patterns of one vault, ordered by path, perhaps among other notes
    /// and without their relations and links.
    ///
    /// # Errors
    /// Returns an error if the index can be neither used nor rebuilt.
    pub fn playbook_notes(&self, open: &OpenVault) -> Result<Arc<LinkedNotes>> {
        if let Some(notes) = self.loaded_notes(open)? {
            return Ok(notes);
        }
        if let Some(overview) = open.loaded_overview() {
            return Ok(Arc::clone(&overview.notes));
        }
        let notes = self.query_index(open, |index| index.notes_of(&[NoteKind::Bullet, NoteKind::Blocked]))?;
        Ok(Arc::new(notes.into()))
    }

    /// Returns the notes of every open vault, the project's first, with what [`Self::overview_of`]
    /// has of them. If two notes have the same id, only the project's is visible.
    ///
    /// # Errors
    /// Returns an error if an index can be neither used nor rebuilt.
    pub fn notes(&self) -> Result<Vec<VaultNotes>> {
        let mut vaults: Vec<VaultNotes> = Vec::new();
        for open in &self.vaults {
            let notes = self.overview_of(open)?;
            let taken: HashSet<&str> = vaults
                .iter()
                .flat_map(|vault_notes| vault_notes.notes.iter())
                .filter_map(|note| Some(note.id.as_ref()?.as_str()))
                .collect();
            let hidden = notes
                .iter()
                .filter_map(|note| note.id.as_ref())
                .filter(|id| taken.contains(id.as_str()))
                .map(ToString::to_string)
                .collect();
            vaults.push(VaultNotes { level: open.level, notes, hidden });
        }
        Ok(vaults)
    }

    /// Returns the vault of this level, or the target vault if that level is not open.
    pub fn vault_at(&self, level: VaultLevel) -> &OpenVault {
        self.vaults.iter().find(|open| open.level == level).unwrap_or_else(|| self.target())
    }
}
