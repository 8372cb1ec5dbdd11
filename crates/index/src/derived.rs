//! Files derived from the indexed notes, such as the map. Each is valid for one version of the
//! index.

use std::fs;

use super::error::{Error, at};
use super::frame;
use super::store::Index;
use super::vector::IndexVersion;
use cm_note::finding::Finding;

/// Name of the file with the findings of the last listing.
const LISTING_FINDINGS: &str = "listing-findings";

impl Index {
    /// Stores the problems with files that the listing of a refresh found. Where nothing can be written,
    /// the next one tries again.
    pub fn keep_listing_findings(&self, findings: &[Finding]) {
        let path = self.folder().join(LISTING_FINDINGS);
        let bytes = postcard::to_allocvec(findings).unwrap_or_default();
        if frame::read(&path).ok().flatten() != Some(Ok(bytes.clone())) {
            let _ = frame::write(&path, &bytes);
        }
    }

    /// Returns what [`Index::keep_listing_findings`] stored; `None` if there is no sound file.
    pub fn listing_findings(&self) -> Option<Vec<Finding>> {
        let bytes = frame::read(&self.folder().join(LISTING_FINDINGS)).ok()??.ok()?;
        postcard::from_bytes(&bytes).ok()
    }

    /// Returns what [`Index::store_derived`] stored last under this name. `None` if there is no
    /// such file, if it is damaged, or if it is of another version of the index or of `format`.
    pub fn derived(&self, name: &str, format: u32, version: &IndexVersion) -> Option<Vec<u8>> {
        let mut payload = frame::read(&self.folder().join(name)).ok()??.ok()?;
        let key = key(format, version);
        if !payload.ends_with(&key) {
            return None;
        }
        payload.truncate(payload.len() - key.len());
        Some(payload)
    }

    /// Stores bytes for [`Index::derived`] in place of those of another version.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn store_derived(
        &self,
        name: &str,
        format: u32,
        version: &IndexVersion,
        mut bytes: Vec<u8>,
    ) -> Result<(), Error> {
        bytes.extend(key(format, version));
        let path = self.folder().join(name);
        fs::create_dir_all(self.folder()).map_err(at(self.folder()))?;
        frame::write(&path, &bytes).map_err(at(&path))
    }
}

/// The end of a derived file. The length comes last, so that no key is the end of another one.
fn key(format: u32, version: &IndexVersion) -> Vec<u8> {
    let mut key = format.to_le_bytes().to_vec();
    key.extend_from_slice(version.as_bytes());
    key.extend((version.len() as u32).to_le_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_file_is_read_for_its_version_and_format_only() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(&folder.path().join("new"));
        let version = "gabc-7".to_owned();
        assert_eq!(index.derived("map", 1, &version), None);
        index.store_derived("map", 1, &version, b"bytes".to_vec()).unwrap();
        assert_eq!(index.derived("map", 1, &version), Some(b"bytes".to_vec()));
        assert_eq!(index.derived("map", 2, &version), None);
        assert_eq!(index.derived("map", 1, &"gabc-8".to_owned()), None);
        assert_eq!(index.derived("other", 1, &version), None);
    }

    #[test]
    fn a_damaged_derived_file_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let (index, version) = (Index::open(folder.path()), "gabc-7".to_owned());
        index.store_derived("map", 1, &version, b"bytes".to_vec()).unwrap();
        let path = folder.path().join("map");
        let mut bytes = fs::read(&path).unwrap();
        bytes[22] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(index.derived("map", 1, &version), None);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(index.derived("map", 1, &version), None);
    }
}
