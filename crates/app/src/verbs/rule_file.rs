//! A rule file of an agent, such as CLAUDE.md, and the section in it that cm writes.

use std::path::{Path, PathBuf};

use crate::context::open::Context;
use crate::context::paths::shown;
use crate::error::{CHANGED_MEANWHILE, Error, Result};
use crate::verbs::export::one_file;
use cm_note::markdown::managed_section::{ManagedSection, UnpairedMarker};
use cm_store::vault::external_folder;

/// A rule file as it was read; it may not exist yet.
pub(super) struct RuleFile {
    pub file: PathBuf,
    /// Path for messages and results.
    pub path: String,
    bytes: Option<Vec<u8>>,
}

/// New content of a section, in its file.
pub(super) struct SectionEdit {
    /// Text of the whole file.
    after: String,
    /// Whether the file changes.
    pub changed: bool,
    /// List items that are new in the section.
    pub added: Vec<String>,
    /// List items that are no longer in the section.
    pub removed: Vec<String>,
}

impl RuleFile {
    /// # Errors
    /// Returns an error if the file exists and cannot be read.
    pub fn read(context: &Context, file: &Path) -> Result<Self> {
        let bytes = match external_folder::file(file) {
            Ok(bytes) => Some(bytes),
            Err(_) if file.symlink_metadata().is_err() => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { file: file.to_owned(), path: shown(file, &context.request.cwd), bytes })
    }

    pub fn exists(&self) -> bool {
        self.bytes.is_some()
    }

    /// Returns the text of the file; empty if it does not exist.
    ///
    /// # Errors
    /// Returns `invalid-utf8`.
    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(self.bytes.as_deref().unwrap_or_default())
            .map_err(|_| Error::not_utf8(&self.path))
    }

    /// Whether the file has the section, or a broken part of it.
    pub fn has_section(&self, section: &ManagedSection) -> bool {
        let text = self.bytes.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        section.find(&text) != Ok(None)
    }

    /// Replaces the section in `before`, the file's text or the beginning of a new file.
    ///
    /// # Errors
    /// Returns `broken-markers` if the section's markers do not form a pair.
    pub fn with_section(&self, section: &ManagedSection, before: &str, inner: &str) -> Result<SectionEdit> {
        let broken = |unpaired: UnpairedMarker| {
            let (opening, closing) = (section.shown_opening(), section.closing);
            Error::refused("broken-markers", unpaired.message)
                .at(&self.path, Some(unpaired.line), None)
                .hint(format!("fix the lines `{opening}` and `{closing}`; nothing was written"))
        };
        let after = section.put(before, inner).map_err(broken)?;
        let (old, new) = (section.items(before), section.items(&after));
        let without = |lines: &[&str], other: &[&str]| -> Vec<String> {
            let line = |line: &&&str| !other.contains(*line);
            lines.iter().filter(line).map(|line| line.trim_start_matches("- ").to_owned()).collect()
        };
        let (added, removed) = (without(&new, &old), without(&old, &new));
        let changed = self.bytes.as_deref() != Some(after.as_bytes());
        Ok(SectionEdit { after, changed, added, removed })
    }

    /// Writes an edit unless the file changed since it was read; `hint` is for that case.
    ///
    /// # Errors
    /// Returns `changed-meanwhile`, or an error if the file cannot be written.
    pub fn write(&self, edit: SectionEdit, hint: &str) -> Result<()> {
        let may_replace = |found: &[u8]| Some(found) == self.bytes.as_deref();
        let written = one_file(&self.file, edit.after.into_bytes(), &may_replace)?;
        if written.in_the_way.is_empty() {
            return Ok(());
        }
        Err(Error::refused(CHANGED_MEANWHILE, format!("{} was changed in the meantime", self.path))
            .at(&self.path, None, None)
            .hint(hint))
    }
}
