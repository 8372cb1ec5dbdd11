//! Detects the tool that a folder belongs to, by the files that only this tool creates, else by the
//! contents of the notes.

use super::{ImportFormat, basic_memory};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::import_source::{ImportFile, ImportFolder};
use cm_note::note::TypeTable;

/// The format of a folder and the reason for it; plain Markdown if nothing else is detected.
pub fn detect(folder: &ImportFolder) -> (ImportFormat, &'static str) {
    let has = |name: &str| folder.attachments.iter().any(|path| path == name);
    let hidden = |name: &str| folder.hidden.iter().any(|path| path == name);
    if has("_index.json") && has("_state.json") {
        (ImportFormat::ClaudeMemory, "it has _index.json and _state.json")
    } else if folder.notes.iter().any(in_our_layout) {
        (ImportFormat::ClaudeMemory, "its notes are in folders of graph/ by type")
    } else if has_permalinks(folder) && often_has_a_list(folder) {
        // Before Obsidian: its application is what many people look at such a folder with.
        (ImportFormat::BasicMemory, "its notes have permalinks, and lists of observations or relations")
    } else if hidden(".obsidian") {
        (ImportFormat::Obsidian, "it has a folder .obsidian")
    } else if folder.tool_files.contains_key(".zk/config.toml") {
        (ImportFormat::Zk, "it has .zk/config.toml")
    } else if folder.notes.iter().any(has_both_lists) {
        (ImportFormat::BasicMemory, "a note has lists of observations and of relations")
    } else {
        (ImportFormat::Markdown, "it matches no known tool")
    }
}

/// Whether the note is in a folder for memories or edges of a vault.
fn in_our_layout(file: &ImportFile) -> bool {
    let folder = file.path.folder().strip_prefix("graph/").and_then(|inner| inner.split('/').next());
    folder.is_some_and(|folder| folder == "edges" || TypeTable::default().of_folder(folder).is_some())
}

/// Whether at least half of the notes have a permalink in the style of basic-memory, without a
/// leading slash.
fn has_permalinks(folder: &ImportFolder) -> bool {
    let with = folder.notes.iter().filter(|file| {
        let text = file.text().unwrap_or("");
        let field =
            parse::parse(&Split::of(text)).fields.get("permalink").and_then(parse::FrontmatterField::text);
        field.is_some_and(|link| {
            !link.trim().is_empty() && !link.trim().starts_with('/') && !link.contains("://")
        })
    });
    let with = with.count();
    with > 0 && with * 2 >= folder.notes.len()
}

/// Whether at least a tenth of the notes have an observation or a relation. A sentence such as
/// `- In [[Search]], type …` looks like a relation, so that a few in many notes say nothing.
fn often_has_a_list(folder: &ImportFolder) -> bool {
    let with = folder.notes.iter().filter(|file| has_a_list(file)).count();
    with > 0 && with * 10 >= folder.notes.len()
}

fn has_a_list(file: &ImportFile) -> bool {
    let body = Split::of(file.text().unwrap_or("")).body();
    basic_memory::has_observation(body) || !basic_memory::relations(body).is_empty()
}

fn has_both_lists(file: &ImportFile) -> bool {
    let body = Split::of(file.text().unwrap_or("")).body();
    basic_memory::has_observation(body) && !basic_memory::relations(body).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::instant::Instant;
    use cm_note::path::NotePath;

    fn folder(notes: &[(&str, &str)], attachments: &[&str], hidden: &[&str]) -> ImportFolder {
        let file = |(path, text): &(&str, &str)| ImportFile {
            path: NotePath::parse(path).unwrap(),
            bytes: text.as_bytes().to_vec(),
            modified: Instant::from_unix(0),
        };
        ImportFolder {
            notes: notes.iter().map(file).collect(),
            attachments: attachments.iter().map(ToString::to_string).collect(),
            hidden: hidden.iter().map(ToString::to_string).collect(),
            ..ImportFolder::default()
        }
    }

    #[test]
    fn each_tool_is_recognized_by_its_marks() {
        let key_alone = ("a.md", "---\npermalink: a/b\n---\n");
        let linked = ("a.md", "---\npermalink: a/b\n---\n- [tech] SQLite\n");
        let page = ("a.md", "---\npermalink: /about/\n---\n");
        let lists = ("a.md", "- [tech] SQLite\n- uses [[B]]\n");
        let cases = [
            (folder(&[("a.md", "")], &["_index.json", "_state.json"], &[]), ImportFormat::ClaudeMemory),
            (folder(&[("graph/fixes/a.md", "")], &[], &[".obsidian"]), ImportFormat::ClaudeMemory),
            (folder(&[("graph/theory/a.md", "")], &[], &[]), ImportFormat::Markdown),
            (folder(&[linked], &[], &[".obsidian"]), ImportFormat::BasicMemory),
            (folder(&[linked, ("b.md", ""), ("c.md", "")], &[], &[".obsidian"]), ImportFormat::Obsidian),
            (folder(&[page], &[], &[]), ImportFormat::Markdown),
            (folder(&[key_alone], &[], &[]), ImportFormat::Markdown),
            (folder(&[key_alone], &[], &[".obsidian"]), ImportFormat::Obsidian),
            (folder(&[lists], &[], &[]), ImportFormat::BasicMemory),
            (folder(&[lists], &[], &[".obsidian"]), ImportFormat::Obsidian),
            (
                folder(&[("a.md", "- [ ] task\n- [[B]]\n")], &["_index.json"], &[".git"]),
                ImportFormat::Markdown,
            ),
        ];
        for (folder, format) in cases {
            assert_eq!(detect(&folder).0, format, "{folder:?}");
        }
        let sentence = ("tags.md", "---\npermalink: tags\n---\n- In [[Search]], type a word.\n");
        let pages = [("a.md", "---\npermalink: a\n---\n"); 10];
        let published = folder(&[&[sentence], &pages[..]].concat(), &[], &[]);
        assert_eq!(detect(&published).0, ImportFormat::Markdown);
        let mut zk = folder(&[lists], &[], &[".zk"]);
        zk.tool_files.insert(".zk/config.toml".to_owned(), String::new());
        assert_eq!(detect(&zk).0, ImportFormat::Zk);
    }
}
