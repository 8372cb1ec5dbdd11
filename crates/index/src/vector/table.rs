//! The vectors of one model, mapped from their file, and the comparison of all of them with one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};

use super::kernel::Needle;
use super::rows::{header, is_whole, key_of, stride};
use super::{Version, kernel};
use crate::frame;
use crate::text::touched;
use cm_note::passage::{PassageKey, PassageSet};
use cm_text::embedding::Embedding;

/// All vectors of a model.
#[derive(Debug)]
pub struct Table {
    bytes: OwnedBytes,
    begin: usize,
    dimension: usize,
    complete: Option<Version>,
    damaged: bool,
}

/// How near each passage of a table is to a vector.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// The passages, in the order of the table.
    pub keys: Vec<PassageKey>,
    /// The cosine of each, −1 to 1, about as exact as one byte a part is.
    pub cosines: Vec<f32>,
}

/// What was known of a file when it was last found whole.
#[derive(Serialize, Deserialize)]
struct Seal {
    touched: [u64; 4],
    complete: Option<Version>,
}

/// Where the seal of a file lies.
pub(super) fn seal_of(path: &Path) -> PathBuf {
    path.with_extension("seal")
}

/// Notes that the file is whole, and which state of the index it has all passages of.
pub(super) fn seal(path: &Path, complete: Option<&Version>) -> io::Result<()> {
    let seal = Seal { touched: touched(path)?, complete: complete.cloned() };
    frame::write(&seal_of(path), &postcard::to_allocvec(&seal).unwrap_or_default())
}

impl Table {
    /// Maps the file; none where there is none or it is of something else. A file that was altered since it was last
    /// found whole is compared with its checksums, and what is damaged in it left out.
    pub(super) fn open(path: &Path, model: &str, dimension: usize) -> io::Result<Option<Self>> {
        let Some(bytes) = mapped(path)? else { return Ok(None) };
        let header = header(model, dimension);
        if !bytes.starts_with(&header) {
            return Ok(None);
        }
        let sealed: Option<Seal> = match frame::read(&seal_of(path)) {
            Ok(Some(Ok(bytes))) => postcard::from_bytes(&bytes).ok(),
            _ => None,
        };
        let sealed = sealed.filter(|seal| touched(path).is_ok_and(|now| now == seal.touched));
        let known = sealed.is_some();
        let complete = sealed.and_then(|seal| seal.complete);
        let table = Self { bytes, begin: header.len(), dimension, complete, damaged: false };
        if known || table.rows().all(is_whole) {
            return Ok(Some(table));
        }
        let whole = table.rows().filter(|row| is_whole(row)).flatten().copied();
        let bytes = OwnedBytes::new(header.into_iter().chain(whole).collect::<Vec<u8>>());
        Ok(Some(Self { bytes, damaged: true, ..table }))
    }

    /// Whether something in the file was left out.
    pub(super) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// The state of the index of which it has all passages, where that is known.
    pub fn complete(&self) -> Option<&Version> {
        self.complete.as_ref()
    }

    /// How many vectors it holds.
    pub fn len(&self) -> usize {
        (self.bytes.len() - self.begin) / stride(self.dimension)
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many parts each has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes[self.begin..].chunks_exact(stride(self.dimension))
    }

    /// The passages that it has vectors of.
    pub fn keys(&self) -> PassageSet {
        self.rows().map(key_of).collect()
    }

    /// The vector of a passage, as it is kept; for few passages, since all are looked through.
    pub fn vectors(&self, wanted: &PassageSet) -> Vec<(PassageKey, Embedding)> {
        let found = self.rows().filter(|row| wanted.contains(&key_of(row)));
        found.filter_map(|row| Some((key_of(row), kernel::embedding(row)?))).collect()
    }

    /// How near all passages are to a vector; nothing for one of another dimension.
    pub fn scan(&self, to: &Embedding) -> Scan {
        if to.dimension() != self.dimension {
            return Scan::default();
        }
        kernel::scan(&Needle::of(to), &self.bytes[self.begin..], stride(self.dimension))
    }
}

/// The bytes of a file without reading them; none where there is none.
fn mapped(path: &Path) -> io::Result<Option<OwnedBytes>> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() && file.len() > 0 => {}
        Ok(_) => return Ok(None),
        // A file in the place of the folder is cleared away by whoever writes.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    // The mapping of the search library is the one audited place for it; a second would need `unsafe` of our own.
    let folder = MmapDirectory::open(folder).map_err(io::Error::other)?;
    let file = folder.open_read(Path::new(name)).map_err(io::Error::other)?;
    file.read_bytes().map(Some)
}
