//! Renames a note: title, file name, and every link to it, in one commit.

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::find::{ResolvedNote, find_in_target, in_vault_of};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::note_fields::title_of;
use crate::verbs::relink::{self, LinkChanges, RelinkedNote};
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::frontmatter::edit::{self, Edit, line_edits};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::markdown::escape::escape_inline;
use cm_note::markdown::outline;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::{Note, NoteKind, name, read};
use cm_note::path::NotePath;
use cm_text::word_diff;

/// Result of renaming a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RenameResult {
    /// ID of the note, or its new path if it has none.
    pub id: String,
    /// The new title.
    pub title: String,
    /// Path of the note's file before.
    pub from: String,
    /// Path of the note's file after, relative to the vault.
    pub path: String,
    /// Paths of the other files whose links or titles changed.
    pub linked: Vec<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether any file changed; in a dry run, whether any would change.
    pub changed: bool,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// The changes as a unified diff; null unless this was a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Renames a note. Its old title becomes an alias, and all links lead to the same notes as before;
/// with `dry_run`, only returns the changes.
///
/// # Errors
/// Returns an error if the note is not found, is a rule, an edge or a file that cm names itself
/// (`not-renamable`), if the caller is an agent (`persons-only`), if the new path exists, or if the
/// write fails.
pub fn rename(context: &Context, reference: &str, title: &str, dry_run: bool) -> Result<RenameResult> {
    context.persons_only("rename a note")?;
    let title = new_title(title)?;
    in_vault_of(context, reference, |context| rename_here(context, reference, title, dry_run))
}

fn rename_here(context: &Context, reference: &str, title: String, dry_run: bool) -> Result<RenameResult> {
    refuse_fixed_names(&find_in_target(context, reference)?.note)?;
    let applied = write::apply_or_preview(context, dry_run, |open| {
        let found = find_in_target(context, reference)?;
        let rename = RenamePlan::of(context, open, &found, &title)?;
        Ok((rename.change_set(&found), rename))
    })?;
    let rename = applied.result;
    Ok(RenameResult {
        id: rename.after.key().to_owned(),
        title,
        from: rename.from.to_string(),
        path: rename.after.path.to_string(),
        linked: rename.links.others.iter().map(|(path, ..)| path.to_string()).collect(),
        commit: applied.commit,
        changed: rename.from != rename.after.path || !rename.edits.is_empty(),
        dry_run,
        diff: if dry_run { Some(rename.diff()?) } else { None },
    })
}

/// Normalizes the new title. The ending of a file name, such as `Bilge pump.md`, is removed. A title such as "About
/// README.md" names another document and stays.
fn new_title(typed: &str) -> Result<String> {
    let title = title_of(typed)?;
    let names_document = |bare: &&str| {
        let last_word = bare.rsplit_once(char::is_whitespace).map(|(_, word)| word);
        last_word.is_some_and(|word| !word.chars().any(char::is_lowercase))
    };
    let without_ending = [".md", ".markdown"].into_iter().find_map(|ending| title.strip_suffix(ending));
    let bare = without_ending.filter(|bare| !names_document(bare)).unwrap_or(&title);
    match bare.trim_matches(['.', ' ']).is_empty() {
        true => {
            Err(Error::usage(format!("`{title}` is not a title")).hint("describe the note in a few words"))
        }
        false => Ok(bare.trim_end().to_owned()),
    }
}

/// Refuses notes whose title is not their own: rules, edges, blocked patterns, daily logs, diaries
/// and generated files.
fn refuse_fixed_names(note: &Note) -> Result<()> {
    let is_named = matches!(note.kind, NoteKind::Memory | NoteKind::Plain | NoteKind::Stash);
    if is_named && !note.path.is_generated() {
        return Ok(());
    }
    let message = format!("{} has no title of its own", note.path);
    let hint = match note.kind {
        NoteKind::Bullet => "`cm update --body` changes the text of a rule",
        NoteKind::Edge => "the title of an edge follows from the two notes; rename one of them",
        _ => "only memories and other notes with a title can be renamed",
    };
    Err(Error::refused("not-renamable", message).hint(hint))
}

/// Refuses a path that differs from another note's only in case: macOS and Windows would take both for
/// one file.
fn refuse_same_but_for_case<'p>(
    mut paths: impl Iterator<Item = &'p NotePath>,
    from: &NotePath,
    to: &NotePath,
) -> Result<()> {
    let folded = to.as_str().to_lowercase();
    let is_same = |path: &&NotePath| *path != from && *path != to && path.as_str().to_lowercase() == folded;
    let Some(other) = paths.find(is_same) else { return Ok(()) };
    let message = format!("{to} would differ from {other} only in upper and lower case");
    Err(Error::refused("exists", message).hint("choose another title: macOS and Windows hold one of the two"))
}

/// All changes of a rename.
struct RenamePlan {
    from: NotePath,
    /// Text of the note before.
    before: String,
    /// The note with its new path and title.
    after: Note,
    /// Edits of the note, its links included.
    edits: Vec<Edit>,
    /// Edits of the other files.
    links: LinkChanges,
}

impl RenamePlan {
    fn of(context: &Context, open: &OpenVault, found: &ResolvedNote<'_>, title: &str) -> Result<Self> {
        let notes = context.notes_of(open)?;
        let at = notes
            .iter()
            .position(|note| note.path == found.note.path)
            .ok_or_else(|| Error::not_found(format!("{} is not indexed", found.note.path)))?;
        let note = &notes[at];
        let path = new_path(note, title)?;
        refuse_same_but_for_case(notes.iter().map(|note| &note.path), &note.path, &path)?;
        let text = read::text(&note.path, &found.bytes)
            .map_err(|finding| Error::of_encoding(&note.path, &finding))?;
        let heading = title_heading(note, text);
        let mut edits = title_edits(note, text, title, heading.as_ref(), &path)?;
        let other_of = |name: &str| {
            notes.iter().filter(|other| other.path != note.path).find(|other| is_called(other, name))
        };
        if let Some(other) = other_of(title) {
            context.notice(format!("{} is called the same: links and commands may find either", other.path));
        }
        // A name that another note has as well would lead to this one alone.
        let is_unique = other_of(&note.title).is_none();
        if !edits.is_empty() || path != note.path {
            if is_unique && note.title != title {
                edits.push(alias_edit(text, &note.title));
            }
            if note.updated.is_some() || note.kind == NoteKind::Memory {
                edits.push(Edit::set_text("updated", context.now().to_string()));
            }
        }
        let renamed = relink::edited(&note.path, text, &edits)?;
        let change = RelinkedNote {
            at,
            path: path.clone(),
            text: &renamed,
            heading: heading.map(|heading| (heading.text, title.to_owned())),
        };
        let links = relink::plan(context, open, &notes, change)?;
        edits.extend(links.own.iter().cloned());
        let after = open.parse(&path, renamed.as_bytes()).note;
        Ok(Self { from: note.path.clone(), before: text.to_owned(), after, edits, links })
    }

    fn change_set(&self, found: &ResolvedNote<'_>) -> ChangeSet {
        let subject = format!("Rename \"{}\" to \"{}\"", found.note.title, self.after.title);
        let message = CommitMessage::new(CommitOp::Rename, subject).id(self.after.key());
        let (from, to, edits) = (self.from.clone(), self.after.path.clone(), self.edits.clone());
        let own = match (from == to, edits.is_empty()) {
            (true, true) => None,
            (true, false) => Some(VaultFileChange::edit(from, edits)),
            (false, _) => {
                Some(VaultFileChange::Move { from, to, expected: ContentHash::of(&found.bytes), edits })
            }
        };
        ChangeSet { message, changes: own.into_iter().chain(self.links.file_changes()).collect() }
    }

    fn diff(&self) -> Result<String> {
        let own = (&self.from, &self.after.path, &self.before, &self.edits);
        let others = self.links.others.iter().map(|(path, text, edits)| (path, path, text, edits));
        let mut all = String::new();
        for (from, to, before, edits) in std::iter::once(own).chain(others) {
            let after = relink::edited(from, before, edits)?;
            if from != to {
                all += &format!("rename from {from}\nrename to {to}\n");
            }
            all += &word_diff::unified(&format!("a/{from}"), &format!("b/{to}"), before, &after);
        }
        Ok(all)
    }
}

/// Whether a link with this name may lead to the note.
fn is_called(note: &Note, name: &str) -> bool {
    let is_same = |own: &str| own.to_lowercase() == name.to_lowercase();
    is_same(&note.title) || is_same(note.path.stem()) || note.aliases.iter().any(|alias| is_same(alias))
}

/// Returns the new path: by title and ID if the file is named so, else by title alone. Repository
/// documents such as README.md keep their name.
fn new_path(note: &Note, title: &str) -> Result<NotePath> {
    let stem = note.path.stem();
    let generated = note.id.as_ref().filter(|id| stem.ends_with(&format!("-{}", id.short())));
    let is_document =
        note.path.folder().is_empty() && stem.len() > 3 && !stem.chars().any(char::is_lowercase);
    if is_document || (note.title == title && generated.is_none()) {
        return Ok(note.path.clone());
    }
    let extension = if note.path.as_str().ends_with(".markdown") { "markdown" } else { "md" };
    let file = match generated {
        Some(id) => name::file_name(title, id),
        None => format!("{}.{extension}", name::file_stem(title)),
    };
    NotePath::below(note.path.folder(), &file)
        .ok_or_else(|| Error::usage(format!("`{file}` is not a valid file name")))
}

/// The first level-1 heading of a note, if it carries the title.
struct TitleHeading {
    text: String,
    /// Line in the file, from 0.
    line: usize,
}

fn title_heading(note: &Note, text: &str) -> Option<TitleHeading> {
    let split = Split::of(text);
    let outline = outline(split.body(), split.body_line());
    let heading = outline.headings.into_iter().find(|heading| heading.level == 1)?;
    let line = usize::try_from(heading.line).ok()?.checked_sub(1)?;
    (heading.text.trim() == note.title).then_some(TitleHeading { text: heading.text, line })
}

/// Returns edits of the places that carry the title: the key, the heading, or both. A title that
/// only the file name carried becomes a key if the new file name differs from it.
fn title_edits(
    note: &Note,
    text: &str,
    title: &str,
    heading: Option<&TitleHeading>,
    path: &NotePath,
) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    if note.title == title {
        return Ok(edits);
    }
    let has_key = parse::parse(&Split::of(text)).fields.get("title").is_some();
    if let Some(heading) = heading {
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        if let Some(line) = lines.get_mut(heading.line) {
            *line = with_heading(line, title);
        }
        edits.extend(line_edits(text, &lines.join("\n")).unwrap_or_default());
    }
    let is_read_back = || -> Result<bool> {
        let text = edit::apply(text, &edits).map_err(|error| Error::of_edit(&note.path, &error))?;
        let split = Split::of(&text);
        let headings = outline(split.body(), split.body_line()).headings;
        let heading = headings.into_iter().find(|heading| heading.level == 1);
        Ok(heading.map_or_else(|| path.stem().to_owned(), |heading| heading.text.trim().to_owned()) == title)
    };
    if has_key || !is_read_back()? {
        edits.push(Edit::set_text("title", title));
    }
    Ok(edits)
}

/// Replaces the text of a heading line; its marks, indentation and line break stay.
fn with_heading(line: &str, title: &str) -> String {
    let content = line.trim_end();
    let end = &line[content.len()..];
    let indent = content.len() - content.trim_start().len();
    let marks = content.trim_start().len() - content.trim_start().trim_start_matches('#').len();
    let begin = indent + marks;
    let begin = begin + content[begin..].len() - content[begin..].trim_start().len();
    let inner = &content[begin..];
    let closing = inner.trim_end_matches('#');
    let closing = match closing.ends_with([' ', '\t']) && marks > 0 {
        true => &inner[closing.trim_end().len()..],
        false => "",
    };
    format!("{}{}{closing}{end}", &content[..begin], escape_inline(title))
}

/// Returns an edit that adds an alias, also where `aliases` is one text instead of a list.
fn alias_edit(text: &str, alias: &str) -> Edit {
    let fields = parse::parse(&Split::of(text)).fields;
    match fields.get("aliases").and_then(|field| field.value.as_str()) {
        Some(words) => {
            let aliases = edit::words("aliases", words).map(Value::String);
            let all = aliases.chain([Value::String(alias.to_owned())]).collect();
            Edit::Set { key: "aliases".to_owned(), value: Value::Sequence(all) }
        }
        None => Edit::Push { key: "aliases".to_owned(), item: Value::String(alias.to_owned()) },
    }
}
