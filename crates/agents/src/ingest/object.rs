//! Reads one record: a JSON object, mended where only its characters are broken.

use super::mend::mended;
use super::out::Out;

/// Reads the bytes of an object.
pub fn read<T>(bytes: &[u8], mut read: impl FnMut(&[u8]) -> serde_json::Result<T>) -> serde_json::Result<T> {
    // A list would be taken for an object's fields in their order.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(serde::de::Error::custom("no object"));
    }
    read(bytes).or_else(|error| match mended(bytes) {
        Some(mended) => read(&mended),
        None => Err(error),
    })
}

/// Tells what an object says; one that cannot be read is counted as bad.
pub fn tell(
    bytes: &[u8],
    out: &mut Out<'_>,
    mut tell: impl FnMut(&[u8], &mut Out<'_>) -> serde_json::Result<()>,
) {
    if read(bytes, |bytes| tell(bytes, out)).is_err() {
        out.bad();
    }
}
