//! Detects the tool that a folder belongs to, by the files that only this tool creates, else by the
//! contents of the notes.

use super::{ImportFormat, basic_memory, okf};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::import_source::{ImportFile, ImportFolder};
use cm_note::note::TypeTable;

/// The format of a folder and the reason for it; plain Markdown if nothing else is detected. A
/// single key of a note is never a reason: people choose keys as they like.
pub fn detect(folder: &ImportFolder) -> (ImportFormat, &'static str) {
    let has = |name: &str| folder.attachments.iter().any(|path| path == name);
    let hidden = |name: &str| folder.hidden.iter().any(|path| path == name);
    let setting =
        |name: &str, word: &str| folder.tool_files.get(name).is_some_and(|text| text.contains(word));
    if has("_index.json") && has("_state.json") {
        (ImportFormat::ClaudeMemory, "it has _index.json and _state.json")
    } else if let Some(because) = okf::recognize(folder) {
        // Before the layout: a bundle that was exported from a vault has the folders of one.
        (ImportFormat::Okf, because)
    } else if folder.notes.iter().any(in_our_layout) {
        (
            ImportFormat::ClaudeMemory,
            "it has notes with an ID and a type in the folder of graph/ for this type",
        )
    } else if has_permalinks(folder) && often_has_a_list(folder) {
        // Before Obsidian: its application is what many people look at such a folder with.
        (ImportFormat::BasicMemory, "its notes have permalinks, and lists of observations or relations")
    } else if hidden(".foam") {
        // Before Obsidian for the same reason.
        (ImportFormat::Foam, "it has a folder .foam")
    } else if hidden(".obsidian") {
        (ImportFormat::Obsidian, "it has a folder .obsidian")
    } else if folder.tool_files.contains_key(".zk/config.toml") {
        (ImportFormat::Zk, "it has .zk/config.toml")
    } else if setting(".vscode/extensions.json", "foam.foam-vscode") {
        (ImportFormat::Foam, "its .vscode/extensions.json recommends Foam")
    } else if setting(".vscode/settings.json", "\"foam.") {
        (ImportFormat::Foam, "its .vscode/settings.json has settings of Foam")
    } else if folder.notes.iter().any(has_both_lists) {
        (ImportFormat::BasicMemory, "a note has lists of observations and of relations")
    } else {
        (ImportFormat::Markdown, "it matches no known tool")
    }
}

/// Whether the note has an id and a type, and is in the folder of a vault for this type.
fn in_our_layout(file: &ImportFile) -> bool {
    let folder = file.path.folder().strip_prefix("graph/").and_then(|inner| inner.split('/').next());
    let Some(folder) = folder else { return false };
    let fields = parse::parse(&Split::of(file.text().unwrap_or(""))).fields;
    let text = |key: &str| fields.get(key).and_then(parse::FrontmatterField::text);
    let is_edge = || folder == "edges" && text("from_id").is_some() && text("to_id").is_some();
    let is_memory = || {
        let types = TypeTable::default();
        let folder_type = types.of_folder(folder);
        folder_type.is_some_and(|folder_type| text("type").is_some_and(|own| own == folder_type.name))
    };
    text("id").is_some() && (is_edge() || is_memory())
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
            workspace: None,
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
        let memory = ("graph/fixes/a.md", "---\nid: 1\ntype: fix\n---\n");
        let edge = ("graph/edges/a.md", "---\nid: 1\ntype: SOLVES\nfrom_id: 2\nto_id: 3\n---\n");
        let bundle = ("index.md", "---\nokf_version: \"0.2\"\n---\n# Notes\n\n* [A](a.md) - one\n");
        let concept = ("a.md", "---\ntype: Metric\n---\n");
        let lists = ("a.md", "- [tech] SQLite\n- uses [[B]]\n");
        let cases = [
            (folder(&[("a.md", "")], &["_index.json", "_state.json"], &[]), ImportFormat::ClaudeMemory),
            (folder(&[memory], &[], &[".obsidian"]), ImportFormat::ClaudeMemory),
            (folder(&[edge], &[], &[]), ImportFormat::ClaudeMemory),
            (
                folder(&[("graph/fixes/a.md", "---\nid: 1\n---\n")], &[], &[".obsidian"]),
                ImportFormat::Obsidian,
            ),
            (folder(&[("graph/fixes/a.md", "---\ntype: fix\n---\n")], &[], &[]), ImportFormat::Markdown),
            (folder(&[("a.md", "---\ntype: fix\nid: 1\n---\n")], &[], &[]), ImportFormat::Markdown),
            (folder(&[("a.md", "")], &["_index.json"], &[]), ImportFormat::Markdown),
            (folder(&[("a.md", "[[b]]")], &[], &[".foam", ".obsidian"]), ImportFormat::Foam),
            (folder(&[bundle, concept], &[], &[]), ImportFormat::Okf),
            (folder(&[concept], &[], &[]), ImportFormat::Markdown),
            (folder(&[bundle, ("a.md", "")], &[], &[]), ImportFormat::Markdown),
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
        for (file, text) in [
            (".vscode/extensions.json", "{\"recommendations\": [\"foam.foam-vscode\"]}"),
            (".vscode/settings.json", "{\"foam.edit.linkReferenceDefinitions\": \"off\"}"),
        ] {
            let mut foam = folder(&[("a.md", "")], &[], &[".vscode"]);
            foam.tool_files.insert(file.to_owned(), text.to_owned());
            assert_eq!(detect(&foam).0, ImportFormat::Foam);
        }
    }
}
