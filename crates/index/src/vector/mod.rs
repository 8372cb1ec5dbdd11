//! The vectors of passages, one file a model, kept as long as a passage says the same.
//!
//! ```text
//! _embeddings/lock
//! _embeddings/<model>-<dimension>.vectors       a header, then rows
//! _embeddings/<model>-<dimension>.seal          what the file looked like when it was last found whole
//! ```
//!
//! All of it is derived and can be deleted. It computes no vector; it finds those nearest to one by comparing all, which
//! is exact and, on numbers of one byte, fast enough for a million.

mod kernel;
mod rows;
mod table;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::error::{Error, at};
use super::lock::Lock;
use super::text::touched;
use cm_note::passage::PassageKey;
use cm_text::embedding::Embedding;
use rows::Rows;

pub use table::{Scan, Table};

/// The folder of all vectors of a vault. Clones share what is open.
#[derive(Debug, Clone)]
pub struct Vectors {
    folder: PathBuf,
    opened: Arc<Mutex<HashMap<PathBuf, Opened>>>,
}

/// A table with what its files looked like when it was opened.
#[derive(Debug)]
struct Opened {
    stamp: [Option<[u64; 4]>; 2],
    table: Arc<Table>,
}

/// What a table holds besides its vectors: the state of the index whose passages it has all of.
pub type Version = String;

/// How long a writer waits for another: what it would write can be computed again.
const PATIENCE: Duration = Duration::from_secs(5);

impl Vectors {
    /// The vectors in `folder`, which need not exist.
    pub fn open(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), opened: Arc::default() }
    }

    /// The vectors of a model that are whole; none where there are none, or the file is none of ours. It is opened anew
    /// only where somebody changed it.
    ///
    /// # Errors
    /// A file that exists and cannot be read.
    pub fn table(&self, model: &str, dimension: usize) -> Result<Option<Arc<Table>>, Error> {
        let path = self.path(model, dimension);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken before opening: a change in between makes the next question open it again.
        let stamp = [&path, &table::seal_of(&path)].map(|path| touched(path).ok());
        if let Some(same) = opened.get(&path).filter(|opened| opened.stamp == stamp) {
            return Ok(Some(Arc::clone(&same.table)));
        }
        opened.remove(&path);
        let table = Table::open(&path, model, dimension).map_err(at(&path))?.map(Arc::new);
        if let Some(table) = &table {
            opened.insert(path, Opened { stamp, table: Arc::clone(table) });
        }
        Ok(table)
    }

    /// The models of which there are vectors, by name.
    pub fn models(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let files = entries.flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "vectors"));
        let mut models: Vec<String> = files.filter_map(|path| rows::model_of(&path)).collect();
        models.sort();
        models.dedup();
        models
    }

    /// The dimensions in which there are vectors of a model, and how many bytes they take.
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

    /// Begins to add vectors of a model. None while another process does.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn writer(&self, model: &str, dimension: usize) -> Result<Option<Writer>, Error> {
        if self.folder.is_file() {
            fs::remove_file(&self.folder).map_err(at(&self.folder))?;
        }
        fs::create_dir_all(&self.folder).map_err(at(&self.folder))?;
        let path = self.path(model, dimension);
        let lock = self.folder.join("lock");
        for file in [&lock, &path, &table::seal_of(&path)].into_iter().filter(|path| path.is_dir()) {
            fs::remove_dir_all(file).map_err(at(file))?;
        }
        let Some(lock) = Lock::acquire(&lock, PATIENCE)? else { return Ok(None) };
        let rows = || Rows::append(&path, model, dimension).map_err(at(&path));
        let damaged = self.table(model, dimension)?.is_some_and(|table| table.is_damaged());
        if damaged {
            // What is added is sealed together with what was there.
            rows()?.keep(&|_| true).map_err(at(&path))?;
        }
        Ok(Some(Writer { rows: rows()?, path, _lock: lock }))
    }

    /// Forgets the vectors of a model in all dimensions.
    ///
    /// # Errors
    /// A file that cannot be removed.
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

/// A model's name as a file's; the header tells models apart that this does not.
fn slug(model: &str) -> String {
    let mut slug: String =
        model.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    slug.truncate(100);
    slug
}

/// Adds vectors, alone. What is not finished is as if it was never begun.
pub struct Writer {
    path: PathBuf,
    rows: Rows,
    _lock: Lock,
}

impl Writer {
    /// Adds a vector of the table's dimension; others are left out.
    ///
    /// # Errors
    /// A full disk.
    pub fn push(&mut self, key: PassageKey, embedding: &Embedding) -> Result<(), Error> {
        self.rows.push(key, embedding).map_err(at(&self.path))
    }

    /// Makes what was added count; `complete` says that the table has all passages of this state of the index.
    ///
    /// # Errors
    /// A full disk.
    pub fn finish(self, complete: Option<&Version>) -> Result<(), Error> {
        self.rows.finish().map_err(at(&self.path))?;
        table::seal(&self.path, complete).map_err(at(&self.path))
    }

    /// Leaves only the vectors of these passages, and makes that count.
    ///
    /// # Errors
    /// A full disk.
    pub fn keep(self, live: &dyn Fn(PassageKey) -> bool, complete: Option<&Version>) -> Result<(), Error> {
        self.rows.keep(live).map_err(at(&self.path))?;
        table::seal(&self.path, complete).map_err(at(&self.path))
    }
}
