//! Finds the notes that a note embeds, such as with `![[Note]]` in Obsidian.

use crate::context::find::find_in_target;
use crate::context::open::Context;
use cm_note::frontmatter::split::Split;
use cm_note::markdown::{note_embeds, section, without_comments};
use cm_text::shorten::shorten;

/// Maximum number of notes that are shown within another.
const MAX_EMBEDDED_NOTES: usize = 20;
/// Maximum length of an embedded text in characters.
const MAX_EMBEDDED_CHARS: usize = 8_000;
/// Beginning of the words that stand for embedded notes.
const PLACEHOLDER_PREFIX: &str = "cm-embedded-note-";

/// A note that another one embeds.
pub struct EmbeddedNote {
    /// The paragraph that stands for it in the text of the other note.
    pub placeholder: String,
    pub title: String,
    pub path: String,
    /// Text of the note, or of the section that the embed names, without comments.
    pub text: String,
}

/// Replaces each paragraph that only embeds a note of the target vault by a placeholder, and returns the text with the
/// embedded notes, in order. Other embeds stay as they are written.
pub fn embedded_notes(context: &Context, body: &str) -> (String, Vec<EmbeddedNote>) {
    let mut notes = Vec::new();
    let mut text = String::with_capacity(body.len());
    let mut end = 0;
    if body.contains(PLACEHOLDER_PREFIX) {
        return (body.to_owned(), notes);
    }
    for (range, target, anchor) in note_embeds(body).into_iter().take(MAX_EMBEDDED_NOTES) {
        let Some(note) = embedded(context, &target, anchor.as_deref(), notes.len()) else { continue };
        text.push_str(body.get(end..range.start).unwrap_or_default());
        text.push_str(&format!("{}\n", note.placeholder));
        end = range.end;
        notes.push(note);
    }
    text.push_str(body.get(end..).unwrap_or_default());
    (text, notes)
}

fn embedded(context: &Context, target: &str, anchor: Option<&str>, number: usize) -> Option<EmbeddedNote> {
    // A site of the vault must not show notes of the global vault.
    let found = find_in_target(context, target).ok()?;
    let file = found.text();
    let split = Split::of(&file);
    let text = match anchor {
        // The path of a heading, as in `Note#Fixes#Retry`; a block has no heading.
        Some(anchor) => section::find(&split, &anchor.replace('#', " > ")).ok()?.text,
        None => split.body(),
    };
    Some(EmbeddedNote {
        placeholder: format!("{PLACEHOLDER_PREFIX}{number}"),
        text: shorten(without_comments(text).trim(), MAX_EMBEDDED_CHARS).into_owned(),
        title: found.note.title.clone(),
        path: found.note.path.to_string(),
    })
}
