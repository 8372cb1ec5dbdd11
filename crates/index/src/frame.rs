//! File frames: a version, a length and a checksum in front of a payload, so that damage is
//! detected.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::error::RebuildReason;

/// Format version of all files below `_index`, tokenization included. Increased with every change
/// of any of them.
pub(super) const FORMAT_VERSION: u32 = 18;

const MAGIC: [u8; 4] = *b"cm\x01i";
/// Length of the header: magic number, format version, checksum and payload length.
const HEADER_BYTES: usize = 4 + 4 + 4 + 8;

/// Returns the payload with its header in front.
pub(super) fn framed(payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns the payload of the frame at the start of `bytes` and the length of that frame. Fails if
/// the frame is damaged or of another format version.
pub(super) fn unframed<'a>(bytes: &'a [u8], what: &str) -> Result<(&'a [u8], usize), RebuildReason> {
    let damaged = || RebuildReason::damaged(what);
    let header = bytes.get(..HEADER_BYTES).ok_or_else(damaged)?;
    if header[..4] != MAGIC {
        return Err(damaged());
    }
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if number(4) != FORMAT_VERSION {
        return Err(RebuildReason::Foreign);
    }
    let length = u64::from(number(12)) | u64::from(number(16)) << 32;
    let end = usize::try_from(length)
        .ok()
        .and_then(|length| HEADER_BYTES.checked_add(length))
        .ok_or_else(damaged)?;
    let payload = bytes.get(HEADER_BYTES..end).ok_or_else(damaged)?;
    if crc32fast::hash(payload) != number(8) {
        return Err(damaged());
    }
    Ok((payload, end))
}

/// Reads a file written by [`write()`]. Returns `None` if the file does not exist.
pub(super) fn read(path: &Path) -> io::Result<Option<Result<Vec<u8>, RebuildReason>>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Some(unframed(&bytes, &name).and_then(|(payload, end)| {
        if end == bytes.len() { Ok(payload.to_vec()) } else { Err(RebuildReason::damaged(&name)) }
    })))
}

/// Replaces a file atomically, without syncing it to disk. After a power failure the frame reveals
/// a partial file, and the index is rebuilt.
pub(super) fn write(path: &Path, payload: &[u8]) -> io::Result<()> {
    write_frames(path, &[payload])
}

/// Like [`write()`], for a file of several frames.
pub(super) fn write_frames(path: &Path, payloads: &[impl AsRef<[u8]>]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".new").tempfile_in(folder)?;
    for payload in payloads {
        file.write_all(&framed(payload.as_ref()))?;
    }
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flipped_bit_and_any_cut_is_noticed() {
        let bytes = framed(b"payload");
        assert_eq!(unframed(&bytes, "x"), Ok((&b"payload"[..], bytes.len())));
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(unframed(&flipped, "x").is_err(), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(unframed(&bytes[..length], "x").is_err(), "{length} bytes");
        }
        let mut foreign = bytes;
        foreign[4..8].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
        assert_eq!(unframed(&foreign, "x"), Err(RebuildReason::Foreign));
    }
}
