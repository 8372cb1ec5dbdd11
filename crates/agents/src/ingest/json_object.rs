//! Reads one record, which must be a JSON object; repairs invalid characters if necessary.

use super::emitter::Emitter;
use super::repair_json::repair;

/// Parses an object; if that fails because of invalid characters, parses the repaired bytes.
pub fn read<T>(bytes: &[u8], mut read: impl FnMut(&[u8]) -> serde_json::Result<T>) -> serde_json::Result<T> {
    // A list would be taken for an object's fields in their order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(serde::de::Error::custom("no object"));
    }
    read(bytes).or_else(|error| match repair(bytes) {
        Some(mended) => read(&mended),
        None => Err(error),
    })
}

/// Emits the events of an object; counts it as bad if it cannot be parsed.
pub fn emit_object(
    bytes: &[u8],
    out: &mut Emitter<'_>,
    mut emit: impl FnMut(&[u8], &mut Emitter<'_>) -> serde_json::Result<()>,
) {
    if read(bytes, |bytes| emit(bytes, out)).is_err() {
        out.count_invalid();
    }
}
