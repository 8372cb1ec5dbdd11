//! The list of files that an export wrote to a folder, with the hashes of their contents.
//!
//! A later export overwrites exactly the files that still have a listed hash. It did not create the
//! other files in the folder, or they were edited since.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::pretty;
use cm_note::path::NotePath;

/// Name of the list in the target folder.
pub const NAME: &str = ".cm-export.json";

/// Paths and content hashes of exported files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportManifest {
    files: BTreeMap<String, String>,
}

impl ExportManifest {
    /// Parses a list; an invalid one is empty, so that nothing is overwritten.
    pub fn parse(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    /// Whether an export wrote exactly this content to this path.
    pub fn has(&self, path: &NotePath, content: &[u8]) -> bool {
        self.files.get(path.as_str()).is_some_and(|listed| *listed == hash(content))
    }

    /// Adds a written file.
    pub fn add(&mut self, path: &NotePath, content: &[u8]) {
        self.files.insert(path.to_string(), hash(content));
    }

    /// Whether the list is empty: no export wrote to the folder.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Takes the files out of the list that are not among `kept`, and returns their paths.
    pub fn take_others(&mut self, exported: &BTreeSet<&NotePath>) -> Vec<NotePath> {
        let listed = self.files.keys().filter_map(|path| NotePath::parse(path).ok());
        let obsolete_files: Vec<NotePath> = listed.filter(|path| !exported.contains(path)).collect();
        obsolete_files.iter().for_each(|path| drop(self.files.remove(path.as_str())));
        obsolete_files
    }

    /// The list as JSON.
    pub fn text(&self) -> String {
        pretty(&serde_json::json!(self))
    }
}

fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_written_content_at_the_written_path_is_known() {
        let path = |text: &str| NotePath::parse(text).unwrap();
        let mut manifest = ExportManifest::default();
        manifest.add(&path("a.md"), b"ours");
        let read = ExportManifest::parse(manifest.text().as_bytes());
        assert_eq!(read, manifest);
        assert!(read.has(&path("a.md"), b"ours"));
        assert!(!read.has(&path("a.md"), b"edited") && !read.has(&path("b.md"), b"ours"));
        let (mut fewer, kept) = (read, path("c.md"));
        assert_eq!(fewer.take_others(&BTreeSet::from([&kept])), [path("a.md")]);
        assert!(fewer.is_empty() && fewer.take_others(&BTreeSet::new()).is_empty());
        assert_eq!(ExportManifest::parse(b"{\"files\": 7}"), ExportManifest::default());
    }
}
