//! Files to merge: the notes of the example vault and odd ones, and random edits of them.

use std::sync::LazyLock;

use cm_note::frontmatter::edit::{Edit, apply};
use include_dir::{Dir, include_dir};
use proptest::prelude::*;
use yaml_serde::{Mapping, Value};

static VAULT: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../example-vault");

/// Path and text of a file.
pub type SampleFile = (String, String);

/// All text files of the example vault, and files that are hard to merge.
pub static FILES: LazyLock<Vec<SampleFile>> = LazyLock::new(|| {
    let mut files = Vec::new();
    let mut folders = vec![&VAULT];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        let text = |file: &include_dir::File<'_>| {
            let path = file.path().to_str().unwrap().replace('\\', "/");
            Some((path, file.contents_utf8()?.to_owned()))
        };
        files.extend(folder.files().filter_map(text));
    }
    files.sort();
    files.retain(|(path, _)| !matches!(path.as_str(), "CORE.md" | "REFLECTION.md"));
    let note = |keys: &str, body: &str| format!("---\nid: 0b8f7c52\ntype: fact\n{keys}---\n{body}");
    let fence = "```sh\nmake\n```\n\n";
    let odd = [
        ("graph/facts/crlf.md", note("tags: [a]\n", "\none\n\ntwo\n").replace('\n', "\r\n")),
        ("graph/facts/mixed.md", note("tags: [a]\n", "\none\r\n\ntwo\n")),
        ("graph/facts/bom.md", format!("\u{feff}{}", note("", "one\n\ntwo"))),
        ("graph/facts/fences.md", note("", &format!("\n{fence}a\n\n{fence}a\n\n{fence}"))),
        ("graph/facts/repeated.md", note("tags: [a, a]\n", "\na\na\n\na\na\n\na\n")),
        ("graph/facts/doubled.md", note("tags: [a]\ntags: [b]\n", "\na\n")),
        ("graph/facts/broken.md", note("tags: [a\n", "\na\n\nb\n")),
        ("graph/facts/open.md", "---\nid: x\n\n# Never closed\n".to_owned()),
        ("graph/facts/flow.md", "---\n{id: x, tags: [a]}\n---\n\na\n".to_owned()),
        ("graph/facts/anchors.md", note("a: &x [1, 2]\nb: *x\n", "\na\n")),
        (
            "graph/facts/comments.md",
            note("# top\ntags: # here\n  # one\n  - a\n\n  - b # two\n# end\n", "a\n"),
        ),
        ("graph/facts/plain.md", "# Heading\n\nText\n".to_owned()),
        ("graph/facts/empty.md", String::new()),
        ("notes/free.md", "One.\n\nTwo.\n".to_owned()),
        ("stash/table.md", "| a | b |\n|---|---|\n| 1 | 2 |\n".to_owned()),
        (".gitignore", "/_index/\n\n# Own\n*.tmp\n".to_owned()),
        (
            "notes/list.md",
            "# Tasks\n\n- [ ] one two three\n- [ ] four five\n\n| a | 1 |\n| b | 2 |\n".to_owned(),
        ),
        ("AGENTS.md", "# Top\n\n<!-- cm:begin playbook -->\n- a\n<!-- cm:end playbook -->\n".to_owned()),
        ("cm.toml", "# top\na = 1 # one\nlist = [\"a\"]\n\n[t]\nb = \"x\"\n".to_owned()),
    ];
    files.extend(odd.map(|(path, text)| (path.to_owned(), text)));
    files
});

/// A random edit. `at` is a position in the file, as a fraction.
#[derive(Debug, Clone)]
pub enum RandomEdit {
    AddTag,
    RemoveFirstTag,
    Event { day: u8, is_harm: bool, twice: bool },
    Relation,
    SetKey { which: u8 },
    RemoveKey { which: u8 },
    UnknownKey { is_list: bool },
    Updated { day: u8 },
    Comment,
    ValueComment,
    Line { at: f64, change: LineChange },
    AppendParagraph,
    AppendFence,
    Episode { hour: u8 },
    Setting { is_list: bool },
    Crlf,
    Bom,
    OpenEnd,
    BreakYaml,
    DoubleKey,
}

#[derive(Debug, Clone, Copy)]
pub enum LineChange {
    Insert,
    Replace,
    AppendWord,
    /// Ticks a check box, or appends a cell to a table row.
    Tick,
    Repeat,
    Delete,
}

pub fn edits() -> impl Strategy<Value = Vec<RandomEdit>> {
    let change = prop_oneof![
        Just(LineChange::Insert),
        Just(LineChange::Replace),
        Just(LineChange::AppendWord),
        Just(LineChange::Tick),
        Just(LineChange::Repeat),
        Just(LineChange::Delete),
    ];
    let edit = prop_oneof![
        3 => Just(RandomEdit::AddTag),
        2 => Just(RandomEdit::RemoveFirstTag),
        4 => (1_u8..29, any::<bool>(), any::<bool>())
            .prop_map(|(day, is_harm, twice)| RandomEdit::Event { day, is_harm, twice }),
        2 => Just(RandomEdit::Relation),
        3 => (0_u8..6).prop_map(|which| RandomEdit::SetKey { which }),
        1 => (0_u8..6).prop_map(|which| RandomEdit::RemoveKey { which }),
        2 => any::<bool>().prop_map(|is_list| RandomEdit::UnknownKey { is_list }),
        4 => (1_u8..29).prop_map(|day| RandomEdit::Updated { day }),
        1 => Just(RandomEdit::Comment),
        1 => Just(RandomEdit::ValueComment),
        8 => (0.0..1.0, change).prop_map(|(at, change)| RandomEdit::Line { at, change }),
        3 => Just(RandomEdit::AppendParagraph),
        1 => Just(RandomEdit::AppendFence),
        2 => (0_u8..24).prop_map(|hour| RandomEdit::Episode { hour }),
        2 => any::<bool>().prop_map(|is_list| RandomEdit::Setting { is_list }),
        1 => Just(RandomEdit::Crlf),
        1 => Just(RandomEdit::Bom),
        1 => Just(RandomEdit::OpenEnd),
        1 => Just(RandomEdit::BreakYaml),
        1 => Just(RandomEdit::DoubleKey),
    ];
    prop::collection::vec(edit, 1..5)
}

/// Applies edits. Each word that they add begins with `side` and occurs in no other file.
pub fn edited(file: &SampleFile, edits: &[RandomEdit], side: &str) -> String {
    let (path, mut text) = file.clone();
    for (edit, number) in edits.iter().zip(0..) {
        text = one(&path, &text, edit, &format!("{side}{number}"));
    }
    text
}

fn one(path: &str, text: &str, edit: &RandomEdit, word: &str) -> String {
    let keyed = |edits: &[Edit]| apply(text, edits).unwrap_or_else(|_| text.to_owned());
    let value = |word: &str| Value::String(word.to_owned());
    let mapping = |pairs: &[(&str, &str)]| {
        Value::Mapping(pairs.iter().map(|(key, word)| (value(key), value(word))).collect::<Mapping>())
    };
    let push = |key: &str, item: Value| Edit::Push { key: key.to_owned(), item };
    let set = |key: &str, word: &str| Edit::Set { key: key.to_owned(), value: value(word) };
    let key = |which: u8| ["title", "category", "owner", "state", "author", "workspace"][usize::from(which)];
    if path == "cm.toml" {
        return match edit {
            RandomEdit::Setting { is_list: true } => {
                text.replacen("list = [", &format!("list = [\"{word}\", "), 1)
            }
            RandomEdit::Setting { is_list: false } => {
                text.replacen("b = \"x\"", &format!("b = \"{word}\""), 1)
            }
            RandomEdit::UnknownKey { .. } => format!("{text}\n[{word}]\nx = 1\n"),
            RandomEdit::Comment => format!("# {word}\n{text}"),
            _ => text.to_owned(),
        };
    }
    match edit {
        RandomEdit::AddTag => keyed(&[push("tags", value(word))]),
        RandomEdit::RemoveFirstTag => {
            let first = text.split_once("tags: [").and_then(|(_, rest)| rest.split([',', ']']).next());
            first.map_or_else(
                || text.to_owned(),
                |tag| keyed(&[Edit::Pull { key: "tags".to_owned(), item: value(tag) }]),
            )
        }
        RandomEdit::Event { day, is_harm, twice } => {
            let signal = if *is_harm { "harmful" } else { "helpful" };
            let at = format!("2026-11-{day:02}T09:00:00Z");
            let event = mapping(&[("at", &at), ("signal", signal), ("session", word)]);
            let once = keyed(&[push("feedback", event.clone())]);
            if !twice {
                return once;
            }
            // Two equal events: `Push` adds one alone.
            let line = format!("    session: {word}");
            match once.find(&line).map(|at| at + line.len() + 1) {
                Some(end) if once[..end].ends_with('\n') => {
                    let item = once[..end].rfind("  - at:").unwrap();
                    format!("{}{}{}", &once[..end], &once[item..end], &once[end..])
                }
                _ => once,
            }
        }
        RandomEdit::Relation => keyed(&[push("relations", mapping(&[("target", word), ("type", "SOLVES")]))]),
        RandomEdit::SetKey { which } => keyed(&[set(key(*which), word)]),
        RandomEdit::RemoveKey { which } => keyed(&[Edit::Remove { key: key(*which).to_owned() }]),
        RandomEdit::UnknownKey { is_list: true } => keyed(&[push(&format!("list{word}"), value(word))]),
        RandomEdit::UnknownKey { is_list: false } => keyed(&[set(&format!("key{word}"), word)]),
        RandomEdit::Updated { day } => keyed(&[set("updated", &format!("2026-12-{day:02}T10:00:00Z"))]),
        RandomEdit::Comment => text.replacen("---\n", &format!("---\n# {word}\n"), 1),
        RandomEdit::ValueComment => match text.split_once("\ntype: ") {
            Some((before, after)) => {
                let end = after.find(['\r', '\n']).unwrap_or(after.len());
                format!("{before}\ntype: {} # {word}{}", &after[..end], &after[end..])
            }
            None => text.to_owned(),
        },
        RandomEdit::Line { at, change } => line(text, *at, *change, word),
        RandomEdit::AppendParagraph => format!("{text}\n{word} {word}\n"),
        RandomEdit::AppendFence => format!("{text}\n```\n{word}\n```\n"),
        RandomEdit::Episode { hour } => format!("{text}\n## {hour:02}:00 - {word}\n- **Type**: fix\n"),
        RandomEdit::Setting { .. } => text.to_owned(),
        RandomEdit::Crlf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        RandomEdit::Bom => format!("\u{feff}{}", text.trim_start_matches('\u{feff}')),
        RandomEdit::OpenEnd => text.trim_end_matches(['\r', '\n']).to_owned(),
        RandomEdit::BreakYaml => text.replacen("---\n", &format!("---\n{word}: [\n"), 1),
        RandomEdit::DoubleKey => text.replacen("---\n", &format!("---\nid: {word}\n"), 1),
    }
}

/// Changes a line of the body.
fn line(text: &str, at: f64, change: LineChange, word: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let body = lines.iter().skip(1).position(|line| line.trim_end() == "---").map_or(0, |end| end + 2);
    let at = body + ((lines.len() - body) as f64 * at) as usize;
    let Some(line) = lines.get(at).cloned() else { return format!("{text}{word}\n") };
    match change {
        LineChange::Insert => lines.insert(at, format!("{word}\n")),
        LineChange::Replace => lines[at] = format!("{word} {word}\n"),
        LineChange::AppendWord => lines[at] = format!("{} {word}\n", line.trim_end()),
        LineChange::Tick if line.contains('|') => lines[at] = format!("{} {word} |\n", line.trim_end()),
        LineChange::Tick => lines[at] = line.replacen("[ ]", "[x]", 1),
        LineChange::Repeat => lines.insert(at, line),
        LineChange::Delete => drop(lines.remove(at)),
    }
    lines.concat()
}
