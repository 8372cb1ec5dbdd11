//! Writes the vector file of one model.
//!
//! A header with model and dimension is followed by rows of equal length: passage key, checksum,
//! scale, and one signed byte per component. Rows are only appended, or the whole file is replaced,
//! so that readers never see a mapped file change.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use cm_note::passage::PassageKey;
use cm_text::embedding::Embedding;

/// Start of every file. The last byte changes with the format, and when the built-in models embed a text otherwise.
const MAGIC: [u8; 8] = *b"cm\x01vec\x00\x02";
/// Length of the header without the name: magic number, dimension, name length and checksum.
const FIXED_HEADER_BYTES: usize = 8 + 4 + 4 + 4;
/// Maximum length of a model name in bytes.
const MAX_NAME_BYTES: usize = 4096;
/// Length of a row's key, checksum and scale.
pub(super) const ROW_HEAD_BYTES: usize = 8 + 4 + 4;

/// Returns the header of a vector file: magic number, dimension, name length, checksum and model
/// name.
pub(super) fn header(model: &str, dimension: usize) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(dimension as u32).to_le_bytes());
    bytes.extend_from_slice(&(model.len() as u32).to_le_bytes());
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&bytes[8..]);
    checksum.update(model.as_bytes());
    bytes.extend_from_slice(&checksum.finalize().to_le_bytes());
    bytes.extend_from_slice(model.as_bytes());
    debug_assert_eq!(bytes.len(), FIXED_HEADER_BYTES + model.len());
    bytes
}

/// Returns the model of a vector file, or `None` if the file has no valid header.
pub(super) fn model_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut fixed = [0; FIXED_HEADER_BYTES];
    file.read_exact(&mut fixed).ok()?;
    let number = |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let mut name = vec![0; usize::try_from(number(12)).ok().filter(|length| *length <= MAX_NAME_BYTES)?];
    file.read_exact(&mut name).ok()?;
    let name = String::from_utf8(name).ok()?;
    let whole = header(&name, number(8) as usize);
    whole.starts_with(&fixed).then_some(name)
}

/// Returns the length of a row in bytes.
pub(super) fn stride(dimension: usize) -> usize {
    ROW_HEAD_BYTES + dimension
}

/// Encodes a row. The vector is quantized to a scale and one signed byte per component; the largest
/// magnitude becomes 127.
pub(super) fn row(key: PassageKey, embedding: &Embedding) -> Vec<u8> {
    let most = embedding.parts().iter().fold(0.0f32, |most, part| most.max(part.abs()));
    let scale = most / 127.0;
    let mut row = Vec::with_capacity(stride(embedding.dimension()));
    row.extend_from_slice(&key.number().to_le_bytes());
    row.extend_from_slice(&[0; 4]);
    row.extend_from_slice(&scale.to_le_bytes());
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    row.extend(embedding.parts().iter().map(|part| ((part * inverse).round() as i8) as u8));
    let checksum = checksum(&row);
    row[8..12].copy_from_slice(&checksum.to_le_bytes());
    row
}

/// Computes the CRC-32 of a row, without the bytes that store it.
pub(super) fn checksum(row: &[u8]) -> u32 {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&row[..8]);
    checksum.update(&row[12..]);
    checksum.finalize()
}

/// Whether the checksum of a row is correct.
pub(super) fn is_whole(row: &[u8]) -> bool {
    row[8..12] == checksum(row).to_le_bytes()
}

/// A vector file, opened for appending.
pub(super) struct Rows {
    path: PathBuf,
    header: Vec<u8>,
    dimension: usize,
    file: BufWriter<File>,
}

impl Rows {
    /// Opens the file for appending. A file with another header is replaced; a truncated last row
    /// is cut off.
    pub(super) fn append(path: &Path, model: &str, dimension: usize) -> io::Result<Self> {
        let header = header(model, dimension);
        if !begins_with(path, &header)? {
            replace(path, |file| file.write_all(&header))?;
        }
        let file = OpenOptions::new().append(true).open(path)?;
        let length = file.metadata()?.len();
        let rows = length.saturating_sub(header.len() as u64) / stride(dimension) as u64;
        let whole = header.len() as u64 + rows * stride(dimension) as u64;
        // A whole file stays untouched, and with it what its seal says.
        if whole != length {
            file.set_len(whole)?;
        }
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(Self { path: path.to_owned(), header, dimension, file })
    }

    pub(super) fn push(&mut self, key: PassageKey, embedding: &Embedding) -> io::Result<()> {
        if embedding.dimension() == self.dimension {
            self.file.write_all(&row(key, embedding))?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Rewrites the file with the rows that are intact and live, one per passage.
    pub(super) fn keep(mut self, live: &dyn Fn(PassageKey) -> bool) -> io::Result<()> {
        self.file.flush()?;
        let bytes = fs::read(&self.path)?;
        let rows = bytes.get(self.header.len()..).unwrap_or_default().chunks_exact(stride(self.dimension));
        let mut seen = std::collections::HashSet::new();
        replace(&self.path, |file| {
            file.write_all(&self.header)?;
            for row in rows {
                let key = key_of(row);
                if is_whole(row) && live(key) && seen.insert(key) {
                    file.write_all(row)?;
                }
            }
            Ok(())
        })
    }
}

pub(super) fn key_of(row: &[u8]) -> PassageKey {
    let mut key = [0; 8];
    key.copy_from_slice(&row[..8]);
    PassageKey::from_number(u64::from_le_bytes(key))
}

fn begins_with(path: &Path, header: &[u8]) -> io::Result<bool> {
    let mut begin = vec![0; header.len()];
    match File::open(path) {
        Ok(mut file) => Ok(file.read_exact(&mut begin).is_ok() && begin == header),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a temporary file and moves it into place.
fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    }
    let new = tempfile::Builder::new().prefix(".new").tempfile_in(folder)?;
    let mut file = BufWriter::new(new.as_file());
    write(&mut file)?;
    file.flush()?;
    drop(file);
    new.persist(path).map_err(|error| error.error)?;
    Ok(())
}
