//! Exports the playbook as one file for other tools. The vault is not changed.

use std::collections::HashSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::list::BulletFilter;
use super::merged;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::export::one_file;
use cm_exchange::exchange::write;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::{BlockKind, BlockedNote};

pub use cm_exchange::exchange::PlaybookFormat;

/// Format, filter and destination of a playbook export.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Format of the document.
    pub form: PlaybookFormat,
    /// Selects bullets.
    pub filter: BulletFilter,
    /// Output file; without it the document is returned.
    pub out: Option<PathBuf>,
    /// Overwrite a file with other contents.
    pub force: bool,
}

/// Result of a playbook export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaybookExport {
    /// Format of the document.
    pub form: PlaybookFormat,
    /// Path of the file; null if the document is returned.
    pub out: Option<String>,
    /// Number of bullets.
    pub bullets: usize,
    /// Number of deprecated patterns.
    pub patterns: usize,
    /// Number of toxic patterns, which were left out because the format cannot represent them.
    pub left_out: usize,
    /// Whether the file was written; false if it was up to date or the document is returned.
    pub written: bool,
    /// The document, if no file was given.
    #[serde(skip)]
    pub document: Option<String>,
}

/// Exports the bullets of all open vaults, sorted by ID.
///
/// # Errors
/// A destination that cannot be written, or an existing file with other contents.
pub fn export(context: &Context, options: &Options) -> Result<PlaybookExport> {
    let merged = merged(context)?;
    let bullets = merged.bullets.into_iter().map(|vault_bullet| vault_bullet.bullet);
    let mut bullets: Vec<Bullet> = bullets.filter(|bullet| options.filter.takes(bullet)).collect();
    bullets.sort_by(|a, b| (&a.id, &a.path).cmp(&(&b.id, &b.path)));
    let mut seen = HashSet::new();
    let blocked = merged.blocked.into_iter().map(|(_, blocked)| blocked);
    let mut blocked: Vec<BlockedNote> = blocked.filter(|blocked| seen.insert(blocked.id.clone())).collect();
    blocked.sort_by(|a, b| (&a.id, &a.path).cmp(&(&b.id, &b.path)));
    let text = write(&bullets, &blocked, options.form);
    let patterns = blocked.iter().filter(|blocked| blocked.kind == BlockKind::Deprecated).count();
    let mut outcome = PlaybookExport {
        form: options.form,
        out: options.out.as_deref().map(|out| out.display().to_string()),
        bullets: bullets.len(),
        patterns,
        left_out: blocked.len() - patterns,
        written: false,
        document: None,
    };
    let Some(out) = options.out.as_deref().map(|out| context.request.cwd.join(out)) else {
        outcome.document = Some(text);
        return Ok(outcome);
    };
    let wrote = one_file(&out, text.into_bytes(), &|_| options.force)?;
    if !wrote.in_the_way.is_empty() {
        let shown = outcome.out.unwrap_or_default();
        return Err(Error::refused("exists", format!("{shown} would be overwritten"))
            .at(shown, None, None)
            .hint("nothing was written; choose another path, or use `--force`"));
    }
    outcome.written = !wrote.written.is_empty();
    Ok(outcome)
}
