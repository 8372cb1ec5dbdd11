//! Updates by agents. A note that awaits confirmation is edited in place. New text for a confirmed
//! note becomes a separate unverified note, and the confirmed text stays in use until a person
//! accepts the new one.

use crate::context::find::ResolvedNote;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::add;
use crate::verbs::quarantine;
use crate::verbs::relate;
use crate::verbs::update::{Options, UpdateResult, revision_of};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::split::Split;
use cm_note::note::suspicion::order;
use cm_note::note::types::{EXTENDS, SUPERSEDES};
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;

/// Whether the update must be stored as a proposal, because an agent changes the text of a
/// confirmed note.
///
/// # Errors
/// Returns `persons-only` if an agent may not make the change at all: trust and weight keys, rules,
/// pinned notes, generated files, and text that gives orders to the reader.
pub(crate) fn is_proposal(context: &Context, found: &ResolvedNote<'_>, options: &Options) -> Result<bool> {
    if context.is_person() {
        return Ok(false);
    }
    let note = &found.note;
    if note.path.is_generated() {
        context.persons_only("change a generated file")?;
    }
    let keys = options.set.iter().map(|(key, _)| key.as_str());
    quarantine::own_keys_only(context, keys.chain(options.remove.iter().map(String::as_str)))?;
    let is_reworded = words(options).next().is_some();
    let is_order = has_order(options);
    let is_more = is_reworded || is_order || !options.set.is_empty() || !options.remove.is_empty();
    if is_more && !matches!(note.kind, NoteKind::Memory | NoteKind::Plain) {
        context.persons_only(&format!("change more than the tags of a {}", note.kind.name()))?;
    }
    if note.is_waiting() || note.is_retired() {
        return Ok(false);
    }
    quarantine::keeps_weight(context, note, &options.set, &options.remove)?;
    if note.pinned && (is_reworded || is_order) {
        context.persons_only("reword a pinned note")?;
    }
    if is_order && !is_reworded {
        context.persons_only("add instructions to a confirmed note")?;
    }
    Ok(is_reworded)
}

/// Returns the edit that turns an unverified note into a draft; `None` unless an agent's update
/// gives orders to the reader.
pub(crate) fn held_as_draft(context: &Context, note: &Note, options: &Options) -> Option<Edit> {
    if context.is_person() || !note.is_unverified() || !has_order(options) {
        return None;
    }
    context.notice(
        "it is a draft now because it reads like an instruction; a person can confirm it with `cm review --accept`",
    );
    Some(Edit::set_text("state", Note::DRAFT))
}

/// Stores an agent's new text as a separate note that is linked to the confirmed one. After
/// confirmation, appended text extends the old note; a new title or body supersedes it.
///
/// # Errors
/// Returns an error if the update also changes other keys, and the errors of [`add::add`] and
/// [`relate::relate`].
pub(crate) fn propose(
    context: &Context,
    found: &ResolvedNote<'_>,
    options: &Options,
) -> Result<UpdateResult> {
    let keys = options.set.iter().map(|(key, _)| key).chain(&options.remove);
    if let Some(key) = keys.map(|key| key.trim()).find(|key| *key != "title") {
        return Err(Error::usage(format!(
            "`{key}` cannot be changed together with the text of a confirmed note"
        ))
        .hint("change the key in a separate call; the new text becomes a note of its own"));
    }
    let note = &found.note;
    let is_replaced = options.body.is_some() || new_title(options).is_some();
    let relation = if is_replaced { SUPERSEDES } else { EXTENDS };
    let suffix = if is_replaced { "reworded" } else { "more" };
    let tags = note.tags.iter().filter(|tag| !options.remove_tags.contains(tag)).chain(&options.add_tags);
    let new = add::Options {
        note_type: note.note_type.clone().unwrap_or_else(|| "fact".to_owned()),
        title: new_title(options).map_or_else(|| format!("{}, {suffix}", note.title), str::to_owned),
        tags: tags.cloned().collect(),
        body: Some(proposed_body(found, options)),
        allow_duplicate: true,
        ..add::Options::default()
    };
    let added = add::add(context, &new)?;
    let edge = relate::Options {
        from: added.id.clone(),
        to: note.key().to_owned(),
        relation: Some(relation.to_owned()),
        ..relate::Options::default()
    };
    relate::relate(context, &edge)?;
    context.notice(format!(
        "\"{}\" is unchanged: the new text is in a separate note until a person confirms it (`cm review`)",
        note.title
    ));
    let revision = NotePath::parse(&added.path).ok().and_then(|path| revision_of(context.target(), &path));
    Ok(UpdateResult { id: added.id, path: added.path, commit: added.commit, changed: true, revision })
}

/// Returns the body of the proposed note: the new body, the confirmed body if only the title
/// changes, or only the appended text.
fn proposed_body(found: &ResolvedNote<'_>, options: &Options) -> String {
    let text = found.text();
    let confirmed = Split::of(&text).body().trim_start();
    let heading = format!("# {}\n", found.note.title);
    let confirmed = confirmed.strip_prefix(&heading).unwrap_or(confirmed).trim();
    let confirmed_body = new_title(options).map(|_| confirmed);
    let parts = [options.body.as_deref().or(confirmed_body), options.append.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn new_title(options: &Options) -> Option<&str> {
    options.set.iter().find(|(key, _)| key.trim() == "title").map(|(_, title)| title.trim())
}

fn words(options: &Options) -> impl Iterator<Item = &str> {
    [new_title(options), options.body.as_deref(), options.append.as_deref()].into_iter().flatten()
}

/// Whether any new text gives orders to the reader.
fn has_order(options: &Options) -> bool {
    let values = options.set.iter().map(|(_, value)| value.as_str());
    let tags = options.add_tags.iter().map(String::as_str);
    words(options).chain(values).chain(tags).any(|text| order(text).is_some())
}
