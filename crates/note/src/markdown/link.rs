//! Parses link destinations: target, anchor, and the edge type on its line.
//!
//! Whether the target exists is not checked.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A parsed link destination: the target, and the heading or block within it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinkDestination {
    pub(super) target: String,
    pub(super) anchor: Option<String>,
}

/// File extensions that Obsidian displays as attachments; a wikilink to such a file is not a link
/// to a note.
const ATTACHMENTS: [&str; 25] = [
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "bmp",
    "avif",
    "mp3",
    "wav",
    "m4a",
    "ogg",
    "oga",
    "opus",
    "flac",
    "3gp",
    "mp4",
    "webm",
    "ogv",
    "mov",
    "mkv",
    "pdf",
    "canvas",
    "base",
    "excalidraw",
];

/// Maximum length of `TYPE` in a `TYPE::` line, in bytes.
const MAX_RELATION_BYTES: usize = 64;

/// Parses the inside of `[[…]]` up to the `|`; `None` for a heading in the same note, an
/// attachment, or an empty name.
pub(super) fn wiki(inside: &str, has_alias: bool) -> Option<LinkDestination> {
    // In a table the bar of an alias is written `\|`.
    let inside = if has_alias { inside.strip_suffix('\\').unwrap_or(inside) } else { inside };
    if inside.contains(['[', ']', '\n', '\r']) {
        return None;
    }
    let (target, anchor) = split_anchor(inside);
    let (target, anchor) = match target.split_once('^').filter(|_| anchor.is_none()) {
        Some((target, block)) => (target, Some(format!("^{}", block.trim()))),
        None => (target, anchor),
    };
    let target = target.trim();
    if target.is_empty() || ending(target).is_some_and(|ending| ATTACHMENTS.contains(&ending.as_str())) {
        return None;
    }
    Some(LinkDestination { target: target.to_owned(), anchor })
}

/// Returns the attachment that a link shows or leads to; `None` for notes, URLs and headings in the
/// same note.
pub(super) fn attachment(destination: &str, is_wiki: bool) -> Option<String> {
    let target = file(destination, is_wiki)?;
    ending(&target).is_some_and(|ending| ATTACHMENTS.contains(&ending.as_str())).then_some(target)
}

/// Returns the path that a link leads to, of a note or of any other file; `None` for URLs and headings in the same note.
pub(super) fn file(destination: &str, is_wiki: bool) -> Option<String> {
    if !is_wiki && (destination.starts_with("//") || has_scheme(destination)) {
        return None;
    }
    let (target, _) = split_anchor(destination);
    let target =
        if is_wiki { target.trim().trim_end_matches('\\').to_owned() } else { percent_decode(target) };
    (!target.is_empty()).then_some(target)
}

/// Parses the destination of `[text](…)`; `None` for a URL, a heading in the same note, or a file
/// that is not a note.
pub(super) fn relative(destination: &str) -> Option<LinkDestination> {
    if destination.starts_with("//") || has_scheme(destination) {
        return None;
    }
    let (path, anchor) = split_anchor(destination);
    let target = percent_decode(path);
    let name = target.rsplit('/').next().unwrap_or("");
    let names_a_note = !matches!(name, "" | "." | "..")
        && ending(name).is_none_or(|ending| matches!(ending.as_str(), "md" | "markdown"));
    names_a_note.then(|| LinkDestination { anchor: anchor.map(|anchor| percent_decode(&anchor)), target })
}

/// Returns `TYPE` in upper case if the text before a link is exactly `TYPE::`.
pub(super) fn relation(before: &str) -> Option<String> {
    let name = before.trim().strip_suffix("::")?;
    let sound = (1..=MAX_RELATION_BYTES).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    sound.then(|| name.to_ascii_uppercase().replace('-', "_"))
}

fn split_anchor(text: &str) -> (&str, Option<String>) {
    match text.split_once('#') {
        Some((target, anchor)) => {
            let anchor = anchor.trim();
            (target, (!anchor.is_empty()).then(|| anchor.to_owned()))
        }
        None => (text, None),
    }
}

/// Returns the lower-case text after the last dot, if it looks like a file extension.
fn ending(name: &str) -> Option<String> {
    let (_, ending) = name.rsplit_once('.')?;
    let plausible = (1..=10).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic());
    plausible.then(|| ending.to_ascii_lowercase())
}

fn has_scheme(destination: &str) -> bool {
    let Some((scheme, _)) = destination.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
}

/// Decodes percent-encoding; returns the text unchanged if the result is not UTF-8.
pub fn percent_decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(found: Option<LinkDestination>) -> Option<(String, Option<String>)> {
        found.map(|found| (found.target, found.anchor))
    }

    #[test]
    fn addresses_places_and_files_that_are_no_notes_are_left_out() {
        for destination in [
            "",
            "#part",
            "https://example.org/a.md",
            "mailto:a@example.org",
            "//example.org/a.md",
            "obsidian://open?file=a.md",
            "C:\\notes\\a.md",
            "../src/main.rs",
            "picture.png",
            "folder/",
            "..",
        ] {
            assert_eq!(relative(destination), None, "{destination}");
        }
    }

    #[test]
    fn relative_paths_are_decoded_after_their_fragment_is_cut() {
        let cases = [
            ("b.md", "b.md", None),
            ("../a%20b/c%23d.md#The%20end", "../a b/c#d.md", Some("The end")),
            ("caf%C3%A9.md", "café.md", None),
            ("bad%FF.md", "bad%FF.md", None),
            ("50%.md", "50%.md", None),
            ("/vault/a.md", "/vault/a.md", None),
            ("note", "note", None),
            ("release-1.2", "release-1.2", None),
        ];
        for (destination, path, anchor) in cases {
            let expected = (path.to_owned(), anchor.map(str::to_owned));
            assert_eq!(target(relative(destination)), Some(expected), "{destination}");
        }
    }

    #[test]
    fn a_line_gives_a_type_only_when_it_begins_with_one() {
        assert_eq!(relation("SOLVES:: ").as_deref(), Some("SOLVES"));
        assert_eq!(relation("builds-on::").as_deref(), Some("BUILDS_ON"));
        for before in ["", "::", "see SOLVES:: ", "SOLVES: ", "1:: ", "SOLVES:: x", "a::b:: "] {
            assert_eq!(relation(before), None, "{before:?}");
        }
    }
}
