//! Appends entries to the daily log `episodes/YYYY-MM-DD.md`. Existing entries are never changed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::find_in_target;
use crate::context::open::Context;
use crate::context::write;
use crate::error::Result;
use crate::verbs::note_fields::{clean_tags, title_of};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::compose::{self, EpisodeEntry};
use cm_note::path::NotePath;

/// An entry for the log of the current day.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Title in a few words.
    pub title: String,
    /// Summary in one or two sentences.
    pub summary: Option<String>,
    /// Type of the event, such as `fix`.
    pub note_type: Option<String>,
    /// Tags of the entry.
    pub tags: Vec<String>,
    /// ID, path or title of the related memory.
    pub memory: Option<String>,
}

/// Result of adding an entry to a daily log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppendedEpisode {
    /// Path of the daily log.
    pub path: String,
    /// Heading of the entry.
    pub entry: String,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`).
    pub commit: Option<String>,
}

/// Appends an entry to the log of the current day.
///
/// # Errors
/// An empty title, a memory that is not found, and the errors of [`write::apply`].
pub fn episode(context: &Context, options: &Options) -> Result<AppendedEpisode> {
    let title = title_of(&options.title)?;
    let now = context.now();
    let path = NotePath::parse(&compose::episode_path(now))?;
    let about = options.memory.as_deref().map(|reference| find_in_target(context, reference)).transpose()?;
    let entry = EpisodeEntry {
        at: now,
        title: title.clone(),
        note_type: options.note_type.clone(),
        tags: clean_tags(&options.tags)?,
        memory: about.as_ref().map(|found| (found.note.title.clone(), found.note.path.clone())),
        summary: options.summary.clone(),
        source: None,
    };
    let mut message = CommitMessage::new(CommitOp::Episode, format!("Log \"{title}\" on {}", now.day()));
    if let Some(found) = &about {
        message = message.id(found.note.key());
    }
    let written = write::apply_with(context, |open| {
        let change = if open.vault.file(&path).exists() {
            let text = compose::episode_entry(&entry);
            VaultFileChange::edit(path.clone(), vec![Edit::AppendBody { text }])
        } else {
            VaultFileChange::Create { path: path.clone(), text: compose::episode(&entry) }
        };
        Ok(ChangeSet { message, changes: vec![change] })
    })?;
    Ok(AppendedEpisode {
        path: path.into(),
        entry: format!("{} - {title}", now.minute()),
        commit: written.commit,
    })
}
