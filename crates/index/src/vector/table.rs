//! Memory-mapped vectors of one model, and their comparison with a query vector.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};

use super::kernel::QueryVector;
use super::rows::{header, is_whole, key_of, stride};
use super::{IndexVersion, kernel};
use crate::frame;
use crate::text::touched;
use cm_note::passage::{PassageKey, PassageSet};
use cm_text::embedding::Embedding;

/// The vectors of one model.
#[derive(Debug)]
pub struct VectorTable {
    bytes: OwnedBytes,
    begin: usize,
    dimension: usize,
    complete: Option<IndexVersion>,
    damaged: bool,
}

/// Similarities of all passages of a table to a vector.
#[derive(Debug, Clone, Default)]
pub struct SimilarityScan {
    /// Keys of the passages, in the order of the table.
    pub keys: Vec<PassageKey>,
    /// Cosine per passage, −1 to 1, with the precision of one byte per component.
    pub cosines: Vec<f32>,
}

/// Record that a vector file was verified: the metadata that it had, and the index version that it
/// covers.
#[derive(Serialize, Deserialize)]
struct VectorSeal {
    touched: [u64; 4],
    complete: Option<IndexVersion>,
}

/// Returns the path of the seal of a vector file: the same path with the extension `seal`.
pub(super) fn seal_of(path: &Path) -> PathBuf {
    path.with_extension("seal")
}

/// Records the file as verified, with the state of the index whose passages it covers.
pub(super) fn seal(path: &Path, complete: Option<&IndexVersion>) -> io::Result<()> {
    let seal = VectorSeal { touched: touched(path)?, complete: complete.cloned() };
    frame::write(&seal_of(path), &postcard::to_allocvec(&seal).unwrap_or_default())
}

impl VectorTable {
    /// Maps the file. Returns `None` if it does not exist or has another header. A file that
    /// changed since the last verification is checked, and damaged rows are omitted.
    pub(super) fn open(path: &Path, model: &str, dimension: usize) -> io::Result<Option<Self>> {
        let Some(bytes) = mapped(path)? else { return Ok(None) };
        let header = header(model, dimension);
        if !bytes.starts_with(&header) {
            return Ok(None);
        }
        let sealed: Option<VectorSeal> = match frame::read(&seal_of(path)) {
            Ok(Some(Ok(bytes))) => postcard::from_bytes(&bytes).ok(),
            _ => None,
        };
        let sealed = sealed.filter(|seal| touched(path).is_ok_and(|now| now == seal.touched));
        let is_sealed = sealed.is_some();
        let complete = sealed.and_then(|seal| seal.complete);
        let table = Self { bytes, begin: header.len(), dimension, complete, damaged: false };
        if is_sealed || table.rows().all(is_whole) {
            return Ok(Some(table));
        }
        let whole = table.rows().filter(|row| is_whole(row)).flatten().copied();
        let bytes = OwnedBytes::new(header.into_iter().chain(whole).collect::<Vec<u8>>());
        Ok(Some(Self { bytes, damaged: true, ..table }))
    }

    /// Whether damaged rows were omitted.
    pub(super) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// The state of the index whose passages the table fully covers, if recorded.
    pub fn complete(&self) -> Option<&IndexVersion> {
        self.complete.as_ref()
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        (self.bytes.len() - self.begin) / stride(self.dimension)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of components per vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes[self.begin..].chunks_exact(stride(self.dimension))
    }

    /// Returns the keys of all passages that have a vector.
    pub fn keys(&self) -> PassageSet {
        self.rows().map(key_of).collect()
    }

    /// Returns the passages of a set that have a vector.
    pub fn keys_among(&self, wanted: &PassageSet) -> PassageSet {
        self.rows().map(key_of).filter(|key| wanted.contains(key)).collect()
    }

    /// Returns the dequantized vectors of some passages. Scans the whole table.
    pub fn vectors(&self, wanted: &PassageSet) -> Vec<(PassageKey, Embedding)> {
        let found = self.rows().filter(|row| wanted.contains(&key_of(row)));
        found.filter_map(|row| Some((key_of(row), kernel::embedding(row)?))).collect()
    }

    /// Compares all passages with a vector. Returns an empty scan if the dimensions differ.
    pub fn scan(&self, to: &Embedding) -> SimilarityScan {
        if to.dimension() != self.dimension {
            return SimilarityScan::default();
        }
        kernel::scan(&QueryVector::of(to), &self.bytes[self.begin..], stride(self.dimension))
    }
}

/// Maps a file into memory. Returns `None` if it is missing or empty.
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
