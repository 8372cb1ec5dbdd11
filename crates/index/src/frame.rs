//! Bytes in a file that say of themselves whether they are whole: a version, a length and a checksum.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::error::Unusable;

/// The layout of everything below `_index`, the cut of words included; raised when any of it changes.
pub(super) const FORMAT: u32 = 5;

const MAGIC: [u8; 4] = *b"cm\x01i";
/// Magic, format, checksum, length.
const HEADER: usize = 4 + 4 + 4 + 8;

/// The payload with its header.
pub(super) fn framed(payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The payload at the beginning of `bytes` and how long its frame is.
pub(super) fn unframed<'a>(bytes: &'a [u8], what: &str) -> Result<(&'a [u8], usize), Unusable> {
    let damaged = || Unusable::damaged(what);
    let header = bytes.get(..HEADER).ok_or_else(damaged)?;
    if header[..4] != MAGIC {
        return Err(damaged());
    }
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if number(4) != FORMAT {
        return Err(Unusable::Foreign);
    }
    let length = u64::from(number(12)) | u64::from(number(16)) << 32;
    let end =
        usize::try_from(length).ok().and_then(|length| HEADER.checked_add(length)).ok_or_else(damaged)?;
    let payload = bytes.get(HEADER..end).ok_or_else(damaged)?;
    if crc32fast::hash(payload) != number(8) {
        return Err(damaged());
    }
    Ok((payload, end))
}

/// Reads a file that [`write`] wrote; `None` where there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Result<Vec<u8>, Unusable>>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Some(unframed(&bytes, &name).and_then(|(payload, end)| {
        if end == bytes.len() { Ok(payload.to_vec()) } else { Err(Unusable::damaged(&name)) }
    })))
}

/// Replaces a file as a whole. It is not forced to the disk: what a power cut leaves half-written is told by
/// its frame, and rebuilt.
pub(super) fn write(path: &Path, payload: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".new").tempfile_in(folder)?;
    file.write_all(&framed(payload))?;
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
        foreign[4..8].copy_from_slice(&(FORMAT + 1).to_le_bytes());
        assert_eq!(unframed(&foreign, "x"), Err(Unusable::Foreign));
    }
}
