//! Builds a new generation of the index in its own folder; the current one stays in use until the
//! new one is complete.

use std::fs;

use super::diff::ManifestEntry;
use super::error::{Error, at};
use super::frame;
use super::manifest::Manifest;
use super::refresh::{HeldLock, Parse, RefreshReport, RefreshSource};
use super::store::Index;
use super::text::TextIndexWriter;

/// Prefix of the names of generation folders.
const PREFIX: &str = "g";

impl Index {
    /// Indexes all notes into a new generation and makes it the current one. On failure the index
    /// stays unchanged.
    pub(super) fn build(
        &self,
        source: &RefreshSource<'_>,
        parse: &Parse<'_>,
        (lock, lock_path): HeldLock<'_>,
    ) -> Result<RefreshReport, Error> {
        let folder = self.folder();
        let read_at = lock.file_time(lock_path)?;
        let generation =
            tempfile::Builder::new().prefix(PREFIX).rand_bytes(8).tempdir_in(folder).map_err(at(folder))?;
        let text = generation.path().join("text");
        fs::create_dir(&text).map_err(at(&text))?;
        let writer = TextIndexWriter::create(&text, source.listing.files.len())?;
        let mut refreshed = RefreshReport::default();
        let mut entries: Vec<(&str, ManifestEntry)> = Vec::with_capacity(source.listing.files.len());
        for file in &source.listing.files {
            let Some((bytes, hash)) = source.content(file, &mut refreshed.findings) else { continue };
            let entry = parse(&file.path, &bytes);
            writer.add(&entry)?;
            entries.push((
                file.path.as_str(),
                ManifestEntry::new(file, hash, read_at).parsed(&entry.reading.note),
            ));
            refreshed.added.push(file.path.clone());
        }
        writer.commit(&text, 1)?;
        refreshed.notes = entries.len();
        Manifest::create(generation.path(), 1, entries.into_iter())?;
        let name = generation.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let current = self.current_file();
        frame::write(&current, name.as_bytes()).map_err(at(&current))?;
        // From here on it counts: it must not go when the handle does.
        let _ = generation.keep();
        self.reopen();
        self.remove_outdated(&name);
        match self.text() {
            Ok(opened) => Ok(opened.report(refreshed)),
            Err(Error::Unusable(_)) => Ok(refreshed),
            Err(error) => Err(error),
        }
    }

    /// Creates the index folder and removes files and folders that block its own paths.
    pub(super) fn prepare_folder(&self) -> Result<(), Error> {
        let folder = self.folder();
        if folder.is_file() {
            fs::remove_file(folder).map_err(at(folder))?;
        }
        fs::create_dir_all(folder).map_err(at(folder))?;
        for name in ["lock", "current", "queue", "queue.taken"] {
            let path = folder.join(name);
            if path.is_dir() {
                fs::remove_dir_all(&path).map_err(at(&path))?;
            }
        }
        Ok(())
    }

    /// Deletes outdated generations and the leftovers of interrupted builds. Failures are ignored;
    /// the next change tries again.
    pub(super) fn remove_outdated(&self, current: &str) {
        let Ok(entries) = fs::read_dir(self.folder()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(PREFIX) && name != current {
                let _ = fs::remove_dir_all(entry.path());
            } else if name.starts_with(".new") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
