//! Shows the notes that a note embeds, such as with `![[Note]]` in Obsidian.

use std::borrow::Cow;

use crate::context::find::find_in_target;
use crate::context::open::Context;
use cm_note::frontmatter::split::Split;
use cm_note::markdown::escape::{escape_link_text, link_destination};
use cm_note::markdown::{note_embeds, outline, section};
use cm_text::shorten::shorten;

/// Maximum number of notes that are shown within another.
const MOST: usize = 20;
/// Maximum length of an embedded text in characters.
const LONGEST: usize = 8_000;

/// Replaces each paragraph that only embeds a note by a quote with its title and text, or with the
/// section that the embed names. Embeds within these texts stay links, so that no circle arises; so do
/// those of notes that the target vault does not have.
pub fn with_embedded_notes<'t>(memory: &Context, body: &'t str) -> Cow<'t, str> {
    let embeds = note_embeds(body);
    if embeds.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut text = String::with_capacity(body.len() * 2);
    let mut end = 0;
    for (range, target, anchor) in embeds.into_iter().take(MOST) {
        let Some(quote) = quoted(memory, &target, anchor.as_deref()) else { continue };
        text.push_str(body.get(end..range.start).unwrap_or_default());
        text.push_str(&quote);
        end = range.end;
    }
    text.push_str(body.get(end..).unwrap_or_default());
    Cow::Owned(text)
}

fn quoted(memory: &Context, target: &str, anchor: Option<&str>) -> Option<String> {
    // A site of the vault must not show notes of the global vault.
    let found = find_in_target(memory, target).ok()?;
    let file = found.text();
    let split = Split::of(&file);
    let section = anchor.and_then(|anchor| section::find(&split, anchor).ok());
    let body = section.map_or_else(|| without_heading(split.body(), &found.note.title), |part| part.text);
    let (title, path) = (escape_link_text(&found.note.title), link_destination(found.note.path.as_str()));
    let mut quote = format!("> **[{title}](/{path})**\n>\n");
    for line in shorten(body.trim(), LONGEST).lines() {
        quote.push_str(&format!("> {line}\n"));
    }
    Some(quote)
}

/// The body without a first heading that is the title, which the quote names already.
fn without_heading<'t>(body: &'t str, title: &str) -> &'t str {
    let body = body.trim_start();
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    if first.starts_with("# ") && outline(first, 1).text == title { rest } else { body }
}
