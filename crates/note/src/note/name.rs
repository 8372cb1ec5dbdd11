//! File names of new notes: readable, unique by their id, and short enough for any file system.
//!
//! A file name carries no information of its own, so a file can be renamed.

use crate::id::NoteId;
use crate::markdown::escape::visible;
use crate::path::NotePath;
use cm_text::shorten::fold_whitespace;

/// Maximum length of the title's slug in a file name, in characters.
const MAX_SLUG_CHARS: usize = 60;

/// Maximum length of each end's slug in an edge's file name, in characters.
const MAX_END_CHARS: usize = 40;

/// Maximum length of a file name from a whole title, without extension, in bytes.
const MAX_STEM_BYTES: usize = 200;

/// Maximum length of the relation in an edge's file name, in characters.
const MAX_RELATION_CHARS: usize = 40;

/// The first letter after the blocks of Latin letters.
const FIRST_OTHER_SCRIPT: char = '\u{250}';
/// Latin letters with several marks, such as those of Vietnamese.
const EXTENDED_LATIN: std::ops::RangeInclusive<char> = '\u{1e00}'..='\u{1eff}';

/// Returns `{slug of the title}-{six hex digits}.md`.
///
/// ```
/// use cm_note::{id::NoteId, note::name::file_name};
/// let id = NoteId::parse("a4855549-0184-4510-b102-e83a63a6de27")?;
/// assert_eq!(file_name("Retry: the *Upload*", &id), "retry-the-upload-a48555.md");
/// # Ok::<(), cm_note::id::InvalidId>(())
/// ```
pub fn file_name(title: &str, id: &NoteId) -> String {
    format!("{}-{}.md", slug(title, MAX_SLUG_CHARS), id.short())
}

/// Returns `{from}--{TYPE}--{to}-{six hex digits}.md`.
pub fn edge_file_name(from: &str, relation: &str, to: &str, id: &NoteId) -> String {
    let relation: String = relation
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .take(MAX_RELATION_CHARS)
        .collect();
    let relation = relation.to_ascii_uppercase();
    format!("{}--{relation}--{}-{}.md", slug(from, MAX_END_CHARS), slug(to, MAX_END_CHARS), id.short())
}

/// Returns a title in lower case with dashes, at most `most` bytes; `note` if nothing of it remains. Latin letters
/// become ASCII, those of other scripts stay, because their sounds in another script are hard to read.
pub fn slug(title: &str, most: usize) -> String {
    // Slugs of symbols spell them out; a title of nothing but such says nothing in a file name.
    let title: String =
        title.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).take(4 * most).collect();
    let mut slug = String::new();
    for word in title.split_whitespace() {
        slug.extend((!slug.is_empty()).then_some('-'));
        let mut latin = String::new();
        for c in word.chars() {
            if c < FIRST_OTHER_SCRIPT || EXTENDED_LATIN.contains(&c) {
                latin.push(c);
            } else {
                slug.push_str(&slug::slugify(std::mem::take(&mut latin)));
                slug.extend(c.to_lowercase());
            }
        }
        slug.push_str(&slug::slugify(latin));
    }
    slug.truncate(slug.floor_char_boundary(most));
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "note".to_owned() } else { slug.to_owned() }
}

/// Returns a file name for a title that Obsidian and every file system allow, without `.md`.
///
/// ```
/// assert_eq!(cm_note::note::name::file_stem("TCP/IP: how? [draft]"), "TCP-IP how draft");
/// ```
pub fn file_stem(title: &str) -> String {
    let mut stem = String::new();
    for c in visible(title).chars() {
        match c {
            // Obsidian reads two as the start of a comment.
            '%' if stem.ends_with('%') => {}
            '/' | '\\' => stem.push('-'),
            '*' | '"' | '<' | '>' | ':' | '|' | '?' | '#' | '^' | '[' | ']' | '`' => {}
            c => stem.push(c),
        }
    }
    let stem = fold_whitespace(&stem);
    let mut stem = stem.trim_start_matches(['.', ' ']);
    while stem.len() > MAX_STEM_BYTES {
        stem =
            stem.get(..stem.len() - stem.chars().next_back().map_or(1, char::len_utf8)).unwrap_or_default();
    }
    let stem = stem.trim_end_matches(['.', ' ']);
    let is_name = NotePath::parse(&format!("{stem}.md")).is_ok() && !stem.is_empty();
    match is_name {
        true if is_device(stem) => format!("{stem}_"),
        true => stem.to_owned(),
        false => "note".to_owned(),
    }
}

/// Whether Windows opens a device instead of a file with this name, whatever its extension.
fn is_device(stem: &str) -> bool {
    let name = stem.split('.').next().unwrap_or(stem).trim_end().to_ascii_uppercase();
    let is_port =
        |port: &str| name.strip_prefix(port).is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']));
    matches!(name.as_str(), "CON" | "PRN" | "AUX" | "NUL") || is_port("COM") || is_port("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id() -> NoteId {
        NoteId::parse("a4855549-0184-4510-b102-e83a63a6de27").unwrap()
    }

    #[test]
    fn titles_of_all_scripts_give_names() {
        for (title, name) in [
            ("Grüße an die Welt", "grusse-an-die-welt-a48555.md"),
            ("Daily extremes test fails twice a year", "daily-extremes-test-fails-twice-a-year-a48555.md"),
            ("🦀🦀", "note-a48555.md"),
            ("", "note-a48555.md"),
            ("../../etc/passwd", "etc-passwd-a48555.md"),
            ("Who's `that`?", "who-s-that-a48555.md"),
            ("Tiếng Việt", "tieng-viet-a48555.md"),
            ("テスト用DBの作り方", "テスト用dbの作り方-a48555.md"),
            ("Сервер API: порты", "сервер-api-порты-a48555.md"),
        ] {
            assert_eq!(file_name(title, &id()), name);
        }
    }

    #[test]
    fn edges_name_both_ends() {
        let name = edge_file_name(
            "Compute daily extremes over UTC bounds of the local day",
            "solves",
            "Daily extremes test fails twice a year",
            &id(),
        );
        assert_eq!(
            name,
            "compute-daily-extremes-over-utc-bounds-o--SOLVES--daily-extremes-test-fails-twice-a-year-a48555.md"
        );
    }

    #[test]
    fn a_title_becomes_a_file_name_that_links_can_hold() {
        for (title, stem) in [
            ("Plain title", "Plain title"),
            ("a/b: c|d", "a-b cd"),
            ("...", "note"),
            ("C# and F#", "C and F"),
            ("Größe 日本", "Größe 日本"),
            ("%%hidden%%", "%hidden%"),
            ("100 %%%", "100 %"),
            ("a %|% b", "a % b"),
            (". .a", "a"),
            ("con", "con_"),
            ("COM1", "COM1_"),
            ("Nul.txt", "Nul.txt_"),
            ("Conference", "Conference"),
        ] {
            assert_eq!(file_stem(title), stem);
        }
        assert!(file_stem(&"ä".repeat(300)).len() <= MAX_STEM_BYTES);
    }

    proptest! {
        #[test]
        fn a_file_name_is_valid_and_stays_the_same(title in "(\\PC|[%. #-]){0,40}") {
            let stem = file_stem(&title);
            prop_assert!(NotePath::parse(&(stem.clone() + ".md")).is_ok());
            prop_assert!(!stem.contains(['#', '^', '|', '[', ']', '/', '\\', ':', '*', '?', '"', '<', '>']));
            prop_assert_eq!(file_stem(&stem), stem);
        }

        #[test]
        fn every_name_is_a_sane_file_name(title in ".{0,200}", other in ".{0,200}", relation in ".{0,80}") {
            for name in [file_name(&title, &id()), edge_file_name(&title, &relation, &other, &id())] {
                prop_assert!(name.len() < 200 && name.ends_with("-a48555.md"), "{}", name);
                // A letter in lower case can have a mark of its own.
                prop_assert!(name.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.".contains(c)));
                prop_assert!(NotePath::parse(&name).is_ok() && !name.starts_with(['-', '.']), "{}", name);
            }
        }
    }
}
