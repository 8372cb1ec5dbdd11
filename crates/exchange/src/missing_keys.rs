//! Fills in the keys that every memory has, derived from what the note already contains.
//!
//! Existing keys stay unchanged, with one exception: a `type` that the vault does not define is
//! replaced by a defined one, and the old value moves to `source_type`.

use yaml_serde::Value;

use cm_note::frontmatter::edit::{self, Edit, EditError};
use cm_note::frontmatter::parse::{FrontmatterField, FrontmatterFields};
use cm_note::instant::Instant;
use cm_note::markdown;
use cm_note::note::TypeTable;
use cm_note::path::NotePath;
use cm_text::shorten::fold_whitespace;

/// Where the title comes from if a note has no `title`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleFrom {
    /// The file name, as in Obsidian.
    Name,
    /// The first level-1 heading, else the file name.
    Heading,
}

/// Context from which missing keys are derived.
#[derive(Debug, Clone, Copy)]
pub struct CompletionContext<'a> {
    /// Path of the note; its folders may name the type.
    pub path: &'a NotePath,
    /// Modification time of the file.
    pub modified: Instant,
    /// Where the title comes from.
    pub title: TitleFrom,
    /// Types of the vault.
    pub types: &'a TypeTable,
}

/// Maximum length of a derived title, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Keys that other tools use for `created`, in order of preference.
const CREATED: [&str; 9] = [
    "date",
    "created_at",
    "createdAt",
    "created-at",
    "date created",
    "date-created",
    "date_created",
    "creation_date",
    "creation-date",
];

/// Keys that other tools use for `updated`, in order of preference.
const UPDATED: [&str; 12] = [
    "updated_at",
    "updatedAt",
    "updated-at",
    "modified",
    "modified_at",
    "last_modified",
    "lastmod",
    "date modified",
    "date-modified",
    "date_modified",
    "date updated",
    "last-modified",
];

/// The edits that add `type`, `title`, `importance`, `created` and `updated` where they are
/// missing.
pub fn edits(fields: &FrontmatterFields, body: &str, context: CompletionContext<'_>) -> Vec<Edit> {
    let mut edits = type_edits(fields, context);
    if !written(fields, "title") {
        edits.push(Edit::set_text("title", title(body, context)));
    }
    if !written(fields, "importance") {
        edits.push(Edit::Set { key: "importance".to_owned(), value: 0.5.into() });
    }
    let (created, updated) = times(fields, context.modified);
    for (key, at) in [("created", created), ("updated", updated)] {
        if !written(fields, key) {
            edits.push(Edit::set_text(key, at.to_string()));
        }
    }
    edits
}

/// Applies each edit that can be applied and returns the errors of the others. Text with invalid
/// frontmatter stays unchanged and fails every edit.
pub(crate) fn apply_each(text: &str, edits: &[Edit]) -> (String, Vec<EditError>) {
    match edit::apply(text, edits) {
        Ok(done) => (done, Vec::new()),
        Err(_) => {
            let mut done = text.to_owned();
            let mut refused = Vec::new();
            for edit in edits {
                match edit::apply(&done, std::slice::from_ref(edit)) {
                    Ok(next) => done = next,
                    Err(error) => refused.push(error),
                }
            }
            (done, refused)
        }
    }
}

/// Whether a key has a value that is neither null nor blank.
pub fn written(fields: &FrontmatterFields, key: &str) -> bool {
    fields.get(key).is_some_and(|field| match &field.value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    })
}

fn type_edits(fields: &FrontmatterFields, context: CompletionContext<'_>) -> Vec<Edit> {
    let own = fields.get("type").filter(|_| written(fields, "type"));
    let Some(own) = own else {
        return vec![Edit::set_text("type", type_of_folders(context))];
    };
    let text = own.text().unwrap_or_default();
    if context.types.get(&text).is_some() {
        return Vec::new();
    }
    if let Some(fitting) = find_type(&text, context.types) {
        return vec![Edit::set_text("type", fitting)];
    }
    let mut edits = vec![Edit::set_text("type", type_of_folders(context))];
    // `note` is what tools write that know no types; it says nothing worth keeping.
    if !text.eq_ignore_ascii_case("note") && fields.get("source_type").is_none() {
        edits.push(Edit::Set { key: "source_type".to_owned(), value: own.value.clone() });
    }
    edits
}

/// The type with this name or folder; case, spaces, `-` and `_` do not matter.
fn find_type(word: &str, types: &TypeTable) -> Option<String> {
    let folder = word.trim().to_lowercase().replace([' ', '_'], "-");
    let name = folder.replace('-', "_");
    types.get(&name).or_else(|| types.of_folder(&folder)).map(|found| found.name.clone())
}

/// The type named by the nearest parent folder, else `general`.
fn type_of_folders(context: CompletionContext<'_>) -> String {
    let folders = context.path.folder().rsplit('/');
    folders
        .filter(|folder| !folder.is_empty())
        .find_map(|folder| find_type(folder, context.types))
        .unwrap_or_else(|| "general".to_owned())
}

fn title(body: &str, context: CompletionContext<'_>) -> String {
    let heading = || {
        let headings = markdown::outline(body, 1).headings;
        headings.into_iter().find(|heading| heading.level == 1).map(|heading| heading.text)
    };
    let found = if context.title == TitleFrom::Heading { heading() } else { None };
    let title = found.unwrap_or_else(|| context.path.stem().to_owned());
    let line = fold_whitespace(&title);
    let short: String = line.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect();
    if short.is_empty() { context.path.stem().to_owned() } else { short }
}

/// Creation and modification time, from the note's own keys, else from the file; the modification
/// is never earlier.
fn times(fields: &FrontmatterFields, modified: Instant) -> (Instant, Instant) {
    let first = |own: &str, others: &[&str]| {
        std::iter::once(own).chain(others.iter().copied()).find_map(|key| fields.get(key).and_then(instant))
    };
    match (first("created", &CREATED), first("updated", &UPDATED)) {
        (Some(created), Some(updated)) => (created, updated.max(created)),
        (Some(created), None) => (created, modified.max(created)),
        (None, Some(updated)) => (modified.min(updated), updated),
        (None, None) => (modified, modified),
    }
}

fn instant(field: &FrontmatterField) -> Option<Instant> {
    Instant::parse(&field.text()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::frontmatter::{parse, split::Split};

    fn completed(path: &str, text: &str, from: TitleFrom) -> String {
        let split = Split::of(text);
        let path = NotePath::parse(path).unwrap();
        let modified = Instant::parse("2026-05-01T10:00:00Z").unwrap();
        let types = TypeTable::default();
        let context = CompletionContext { path: &path, modified, title: from, types: &types };
        let edits = edits(&parse::parse(&split).fields, split.body(), context);
        let (text, refused) = apply_each(text, &edits);
        assert_eq!(refused, []);
        text
    }

    #[test]
    fn a_note_without_frontmatter_gets_all_keys_and_keeps_its_body() {
        let text = completed("a/Decisions/Use it.md", "# Use Postgres\n\ntext", TitleFrom::Heading);
        insta::assert_snapshot!(text, @r"
        ---
        type: decision
        title: Use Postgres
        importance: 0.5
        created: 2026-05-01T10:00:00Z
        updated: 2026-05-01T10:00:00Z
        ---
        # Use Postgres

        text
        ");
        let completion = completed("Use it.md", "# Use Postgres\n", TitleFrom::Name);
        assert!(completion.contains("type: general\ntitle: Use it\n"));
    }

    #[test]
    fn keys_that_are_there_stay_and_other_tools_dates_count() {
        let note = "---\ntitle: 'T'  # mine\nimportance: 0.9\ndate: 2024-01-02\nmodified: 2024-03-04 05:06\ntype: Code Pattern\n---\nb";
        let text = completed("x.md", note, TitleFrom::Heading);
        assert_eq!(
            text,
            "---\ntitle: 'T'  # mine\nimportance: 0.9\ndate: 2024-01-02\nmodified: 2024-03-04 05:06\ntype: code_pattern\n\
             created: 2024-01-02T00:00:00Z\nupdated: 2024-03-04T05:06:00Z\n---\nb"
        );
    }

    #[test]
    fn an_unknown_type_moves_and_the_word_note_goes() {
        let text = completed("x.md", "---\ntype: Person\n---\n", TitleFrom::Name);
        assert!(text.starts_with("---\ntype: general\nsource_type: Person\n"), "{text}");
        let text = completed("facts/x.md", "---\ntype: note\n---\n", TitleFrom::Name);
        assert!(text.starts_with("---\ntype: fact\ntitle: x\n"), "{text}");
    }

    #[test]
    fn nothing_is_changed_before_it_was_written() {
        let modified = Instant::parse("2026-05-01").unwrap();
        let times_of = |yaml: &str| {
            let text = format!("---\n{yaml}\n---\n");
            let (created, updated) = times(&parse::parse(&Split::of(&text)).fields, modified);
            (created.day(), updated.day())
        };
        assert_eq!(times_of("updated: 2020-01-01"), ("2020-01-01".to_owned(), "2020-01-01".to_owned()));
        assert_eq!(times_of("created: 2030-01-01"), ("2030-01-01".to_owned(), "2030-01-01".to_owned()));
        assert_eq!(times_of("created: [[daily]]"), ("2026-05-01".to_owned(), "2026-05-01".to_owned()));
    }
}
