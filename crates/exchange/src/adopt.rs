//! Giving notes an id where they lie: which notes, which edits, and which are left alone.
//!
//! Nothing but the id is added unless everything that a memory has is asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::complete::{self, Known, TitleFrom};
use cm_note::finding::{Code, Finding, Severity};
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::{Kind, TypeTable};
use cm_note::path::NotePath;

/// A note that may be adopted.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Where it lies.
    pub path: &'a NotePath,
    /// What it holds.
    pub bytes: &'a [u8],
    /// When its file was last written.
    pub modified: Instant,
    /// Whether somebody named this very file.
    pub named: bool,
}

/// How notes are adopted.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// Give them all keys that a memory has, not the id alone.
    pub full: bool,
    /// The types of the vault.
    pub types: &'a TypeTable,
}

/// A note that gets an id.
#[derive(Debug, Clone, PartialEq)]
pub struct Adopted {
    /// Where it lies.
    pub path: NotePath,
    /// Its id from now on.
    pub id: NoteId,
    /// What changes in it.
    pub edits: Vec<Edit>,
}

/// Why a note is left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It has an id.
    HasId,
    /// A day's log, which is known by its date.
    DayLog,
    /// A document of the repository, such as its README; name it to adopt it.
    Document,
    /// It cannot be changed safely; the findings say why.
    Invalid,
    /// It cannot be read.
    Unreadable,
}

impl Why {
    /// Whether something was asked for that was not done.
    pub fn failed(self) -> bool {
        matches!(self, Self::Invalid | Self::Unreadable)
    }
}

/// A note that is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// Where it lies.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// What an adoption comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The notes that get an id.
    pub adopted: Vec<Adopted>,
    /// The notes that do not, but for those that have one and were not named.
    pub left: Vec<Left>,
    /// What is wrong in them.
    pub findings: Vec<Finding>,
}

impl Plan {
    /// Adds a note to the plan. `draw` makes the id, should it need one.
    pub fn add(&mut self, note: Candidate<'_>, how: How<'_>, draw: &mut dyn FnMut() -> NoteId) {
        match consider(note, how, draw) {
            Ok(adopted) => self.adopted.extend(adopted),
            Err((why, finding)) => {
                self.findings.extend(finding);
                self.left.push(Left { path: note.path.to_string(), why });
            }
        }
    }
}

type Refusal = (Why, Option<Finding>);

fn consider(
    note: Candidate<'_>,
    how: How<'_>,
    draw: &mut dyn FnMut() -> NoteId,
) -> Result<Option<Adopted>, Refusal> {
    if Kind::of(note.path) == Kind::Episode {
        return if note.named { Err((Why::DayLog, None)) } else { Ok(None) };
    }
    let Ok(text) = std::str::from_utf8(note.bytes) else {
        let found = Finding::new(note.path, Code::InvalidUtf8, Severity::Error, "the file is not UTF-8")
            .hint("save it as UTF-8, then adopt it");
        return Err((Why::Invalid, Some(found)));
    };
    let split = Split::of(text);
    let parsed = parse::parse(&split);
    if parsed.faults.is_empty() && complete::written(&parsed.fields, "id") {
        return if note.named { Err((Why::HasId, None)) } else { Ok(None) };
    }
    if is_document(note.path) && !note.named {
        return Err((Why::Document, None));
    }
    if let Some(fault) = parsed.faults.into_iter().next() {
        return Err((Why::Invalid, Some(fault.finding(note.path))));
    }
    let id = draw();
    let mut edits = vec![complete::set("id", id.as_str())];
    if how.full {
        let (path, modified) = (note.path, note.modified);
        let known = Known { path, modified, title: TitleFrom::Heading, types: how.types };
        edits.extend(complete::edits(&parsed.fields, split.body(), known));
    }
    match edit::apply(text, &edits) {
        Ok(_) => Ok(Some(Adopted { path: note.path.clone(), id, edits })),
        Err(error) => {
            let found = Finding::new(note.path, Code::InvalidValue, Severity::Error, error.to_string());
            Err((Why::Invalid, Some(found.hint(error.hint()))))
        }
    }
}

/// Whether a file belongs to the repository rather than to the vault: at the root, its name in capitals.
fn is_document(path: &NotePath) -> bool {
    path.folder().is_empty() && !path.stem().chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(notes: &[(&str, &[u8], bool)], full: bool) -> Plan {
        let mut plan = Plan::default();
        let mut count = 0;
        let types = TypeTable::default();
        for (path, bytes, named) in notes {
            let path = NotePath::parse(path).unwrap();
            let modified = Instant::parse("2026-05-01").unwrap();
            let note = Candidate { path: &path, bytes, modified, named: *named };
            plan.add(note, How { full, types: &types }, &mut || {
                count += 1;
                NoteId::parse(&format!("id-{count}")).unwrap()
            });
        }
        plan
    }

    fn left(plan: &Plan) -> Vec<(&str, Why)> {
        plan.left.iter().map(|left| (left.path.as_str(), left.why)).collect()
    }

    #[test]
    fn only_notes_without_an_id_get_one_and_nothing_else_changes() {
        let text = b"\xef\xbb\xbf---\r\ntags: [a]  # mine\r\n---\r\nbody";
        let plan = plan(
            &[("a.md", text, false), ("b.md", b"---\nid: x\n---\n", false), ("c.md", b"c", false)],
            false,
        );
        let [a, c] = plan.adopted.as_slice() else { panic!("{plan:?}") };
        let after = edit::apply(std::str::from_utf8(text).unwrap(), &a.edits).unwrap();
        assert_eq!(after, "\u{feff}---\r\ntags: [a]  # mine\r\nid: id-1\r\n---\r\nbody");
        assert_eq!(edit::apply("c", &c.edits).unwrap(), "---\nid: id-2\n---\nc");
        assert!(plan.left.is_empty() && plan.findings.is_empty());
    }

    #[test]
    fn logs_documents_and_broken_notes_are_left_and_named() {
        let notes: [(&str, &[u8], bool); 7] = [
            ("README.md", b"# R", false),
            ("AGENTS.md", b"# A", true),
            ("episodes/2026-05-01.md", b"# 2026-05-01", false),
            ("episodes/2026-05-02.md", b"# 2026-05-02", true),
            ("b.md", b"---\nid: x\n---\n", true),
            ("broken.md", b"---\na: [\n---\n", false),
            ("latin.md", b"caf\xe9", false),
        ];
        let plan = plan(&notes, false);
        assert_eq!(plan.adopted.len(), 1);
        assert_eq!(
            left(&plan),
            [
                ("README.md", Why::Document),
                ("episodes/2026-05-02.md", Why::DayLog),
                ("b.md", Why::HasId),
                ("broken.md", Why::Invalid),
                ("latin.md", Why::Invalid),
            ]
        );
        assert_eq!(plan.findings.len(), 2);
    }

    #[test]
    fn everything_that_a_memory_has_comes_on_request() {
        let plan = plan(&[("graph/fixes/a.md", b"# Fix it\n", false)], true);
        let after = edit::apply("# Fix it\n", &plan.adopted[0].edits).unwrap();
        insta::assert_snapshot!(after, @r"
        ---
        id: id-1
        type: fix
        title: Fix it
        importance: 0.5
        created: 2026-05-01T00:00:00Z
        updated: 2026-05-01T00:00:00Z
        ---
        # Fix it
        ");
    }
}
