//! Stored vectors of passages, one file per model and dimension. A vector stays valid as long as
//! the text of its passage does not change.
//!
//! ```text
//! _embeddings/lock
//! _embeddings/<model>-<dimension>.vectors       a header, then rows
//! _embeddings/<model>-<dimension>.seal          file metadata at the last verification
//! ```
//!
//! All files are derived and can be deleted. This module computes no vectors. It finds the nearest
//! ones by comparing all of them, which is exact and, with one byte per component, fast enough for
//! a million.

mod kernel;
mod rows;
mod table;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::error::{Error, at};
use super::lock::IndexWriteLock;
use super::text::touched;
use cm_note::passage::PassageKey;
use cm_text::embedding::Embedding;
use parking_lot::Mutex;
use rows::Rows;

pub use table::{SimilarityScan, VectorTable};

/// The folder of a vault's vectors. Clones share the opened tables.
#[derive(Debug, Clone)]
pub struct Vectors {
    folder: PathBuf,
    opened: Arc<Mutex<HashMap<PathBuf, Opened>>>,
}

/// An opened table with the metadata of its files at that time.
#[derive(Debug)]
struct Opened {
    stamp: [Option<[u64; 4]>; 2],
    table: Arc<VectorTable>,
}

/// State of the index, as recorded with a table that covers all its passages.
pub type IndexVersion = String;

/// Maximum wait for another writer. Vectors that cannot be written are computed again later.
const PATIENCE: Duration = Duration::from_secs(5);

impl Vectors {
    /// Returns a handle to the vectors in `folder`, which need not exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), opened: Arc::default() }
    }

    /// Returns the undamaged vectors of a model, or `None` if there is no file or it has another
    /// header. The table is reopened only if it changed.
    ///
    /// # Errors
    ///
    /// A file exists but cannot be read.
    pub fn table(&self, model: &str, dimension: usize) -> Result<Option<Arc<VectorTable>>, Error> {
        let path = self.path(model, dimension);
        let mut opened = self.opened.lock();
        // Taken before opening: a change in between makes the next question open it again.
        let stamp = [&path, &table::seal_of(&path)].map(|path| touched(path).ok());
        if let Some(same) = opened.get(&path).filter(|opened| opened.stamp == stamp) {
            return Ok(Some(Arc::clone(&same.table)));
        }
        opened.remove(&path);
        let table = VectorTable::open(&path, model, dimension).map_err(at(&path))?.map(Arc::new);
        if let Some(table) = &table {
            opened.insert(path, Opened { stamp, table: Arc::clone(table) });
        }
        Ok(table)
    }

    /// Closes the opened tables; their memory is freed once no caller holds one.
    pub fn close(&self) {
        self.opened.lock().clear();
    }

    /// Returns the names of the models that have vectors, sorted.
    pub fn models(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let files = entries.flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "vectors"));
        let mut models: Vec<String> = files.filter_map(|path| rows::model_of(&path)).collect();
        models.sort();
        models.dedup();
        models
    }

    /// Returns the stored dimensions of a model with their file sizes in bytes.
    pub fn dimensions(&self, model: &str) -> Vec<(usize, u64)> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let prefix = format!("{}-", slug(model));
        let dimension = |name: &str| name.strip_prefix(&prefix)?.strip_suffix(".vectors")?.parse().ok();
        let mut found: Vec<(usize, u64)> = entries
            .flatten()
            .filter_map(|entry| {
                let dimension = dimension(&entry.file_name().to_string_lossy())?;
                Some((dimension, entry.metadata().map_or(0, |file| file.len())))
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Opens a writer for the vectors of a model. Returns `None` while another process is writing.
    ///
    /// # Errors
    ///
    /// The folder is not writable.
    pub fn writer(&self, model: &str, dimension: usize) -> Result<Option<VectorWriter>, Error> {
        if self.folder.is_file() {
            fs::remove_file(&self.folder).map_err(at(&self.folder))?;
        }
        fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        let path = self.path(model, dimension);
        let lock = self.folder.join("lock");
        for file in [&lock, &path, &table::seal_of(&path)].into_iter().filter(|path| path.is_dir()) {
            fs::remove_dir_all(file).map_err(at(file))?;
        }
        let Some(lock) = IndexWriteLock::acquire(&lock, PATIENCE)? else { return Ok(None) };
        let rows = || Rows::append(&path, model, dimension).map_err(at(&path));
        let damaged = self.table(model, dimension)?.is_some_and(|table| table.is_damaged());
        if damaged {
            // What is added is sealed together with what was there.
            rows()?.keep(&|_| true).map_err(at(&path))?;
        }
        Ok(Some(VectorWriter { rows: rows()?, path, _lock: lock }))
    }

    /// Deletes the vectors of a model in all dimensions.
    ///
    /// # Errors
    ///
    /// A file cannot be removed.
    pub fn forget(&self, model: &str) -> Result<(), Error> {
        for (dimension, _) in self.dimensions(model) {
            let path = self.path(model, dimension);
            for path in [table::seal_of(&path), path] {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(at(&path)(error)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn path(&self, model: &str, dimension: usize) -> PathBuf {
        self.folder.join(format!("{}-{dimension}.vectors", slug(model)))
    }
}

/// Converts a model name to a file name. Models with equal file names are distinguished by the
/// header.
fn slug(model: &str) -> String {
    let mut slug: String =
        model.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    slug.truncate(100);
    slug
}

/// Exclusive writer of vectors. Unfinished additions are discarded.
pub struct VectorWriter {
    path: PathBuf,
    rows: Rows,
    _lock: IndexWriteLock,
}

impl VectorWriter {
    /// Adds a vector. Vectors of another dimension are ignored.
    ///
    /// # Errors
    ///
    /// The disk is full.
    pub fn push(&mut self, key: PassageKey, embedding: &Embedding) -> Result<(), Error> {
        self.rows.push(key, embedding).map_err(at(&self.path))
    }

    /// Saves the added vectors. `complete` is the state of the index whose passages the table fully
    /// covers.
    ///
    /// # Errors
    ///
    /// The disk is full.
    pub fn finish(self, complete: Option<&IndexVersion>) -> Result<(), Error> {
        self.rows.finish().map_err(at(&self.path))?;
        table::seal(&self.path, complete).map_err(at(&self.path))
    }

    /// Deletes all vectors except those of the live passages, and saves the table.
    ///
    /// # Errors
    ///
    /// The disk is full.
    pub fn keep(
        self,
        live: &dyn Fn(PassageKey) -> bool,
        complete: Option<&IndexVersion>,
    ) -> Result<(), Error> {
        self.rows.keep(live).map_err(at(&self.path))?;
        table::seal(&self.path, complete).map_err(at(&self.path))
    }
}
