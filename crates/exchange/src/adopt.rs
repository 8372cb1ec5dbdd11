//! Plans the adoption of notes: which notes get an id, with which edits, and which stay unchanged.
//!
//! By default only the id is added; `full` adds all keys of a memory, also to notes that have an id.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::missing_keys::{self, CompletionContext, TitleFrom};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::{NoteKind, TypeTable};
use cm_note::path::NotePath;

/// A note that may be adopted.
#[derive(Debug, Clone, Copy)]
pub struct AdoptionCandidate<'a> {
    pub path: &'a NotePath,
    pub bytes: &'a [u8],
    /// Modification time of the file.
    pub modified: Instant,
    /// Whether the user named this file explicitly.
    pub is_explicit: bool,
    /// Whether the file is in a folder of templates.
    pub is_template: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct AdoptionOptions<'a> {
    /// Adds all keys of a memory, not only the id.
    pub full: bool,
    /// Types of the vault.
    pub types: &'a TypeTable,
}

/// A note that gets an id or missing keys.
#[derive(Debug, Clone, PartialEq)]
pub struct AdoptedNote {
    pub path: NotePath,
    /// The new id, or the one that the note has.
    pub id: NoteId,
    /// Edits that adopt the note, including a new id.
    pub edits: Vec<Edit>,
}

/// Why a note stays unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdoptionSkipReason {
    /// The note has an id. With `full`, it has every other key that adoption adds, too.
    HasId,
    /// It is a daily log, which is identified by its date.
    DayLog,
    /// It is a repository document such as a README; name it explicitly to adopt it.
    Document,
    /// The file is a template, and every note made from it would get the same ID. Name it explicitly to adopt
    /// it.
    Template,
    /// The file is empty, as that of a note that an editor just created.
    Empty,
    /// It cannot be changed safely; the findings give the reason.
    Invalid,
    /// The file cannot be read.
    Unreadable,
}

impl AdoptionSkipReason {
    /// Whether the reason is a failure, as opposed to a note that needs no id.
    pub fn failed(self) -> bool {
        matches!(self, Self::Invalid | Self::Unreadable)
    }
}

/// A note that stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedNote {
    pub path: String,
    pub why: AdoptionSkipReason,
}

/// Which existing notes would get an id or missing keys, and which are skipped and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdoptionPlan {
    /// Notes that get an id or missing keys.
    pub adopted: Vec<AdoptedNote>,
    /// Notes that stay unchanged, except those with an id that were not named explicitly.
    pub left: Vec<SkippedNote>,
    /// Problems found in the notes.
    pub findings: Vec<Finding>,
}

impl AdoptionPlan {
    /// Adds a note to the plan. `draw` generates the id if the note needs one.
    pub fn add(
        &mut self,
        note: AdoptionCandidate<'_>,
        how: AdoptionOptions<'_>,
        draw: &mut dyn FnMut() -> NoteId,
    ) {
        match consider(note, how, draw) {
            Ok(adopted) => self.adopted.extend(adopted),
            Err((why, finding)) => {
                self.findings.extend(finding);
                self.left.push(SkippedNote { path: note.path.to_string(), why });
            }
        }
    }
}

type Refusal = (AdoptionSkipReason, Option<Finding>);

fn consider(
    note: AdoptionCandidate<'_>,
    how: AdoptionOptions<'_>,
    draw: &mut dyn FnMut() -> NoteId,
) -> Result<Option<AdoptedNote>, Refusal> {
    if NoteKind::of(note.path) == NoteKind::Episode {
        return if note.is_explicit { Err((AdoptionSkipReason::DayLog, None)) } else { Ok(None) };
    }
    if note.bytes.is_empty() {
        return Err((AdoptionSkipReason::Empty, None));
    }
    let Ok(text) = std::str::from_utf8(note.bytes) else {
        let found =
            Finding::new(note.path, FindingCode::InvalidUtf8, Severity::Error, "the file is not UTF-8")
                .with_hint("save it as UTF-8, then adopt it");
        return Err((AdoptionSkipReason::Invalid, Some(found)));
    };
    let split = Split::of(text);
    let parsed = parse::parse(&split);
    let missing = || {
        let (path, modified) = (note.path, note.modified);
        let context = CompletionContext { path, modified, title: TitleFrom::Heading, types: how.types };
        if how.full { missing_keys::edits(&parsed.fields, split.body(), context) } else { Vec::new() }
    };
    if parsed.faults.is_empty() && missing_keys::written(&parsed.fields, "id") {
        let is_memory = matches!(NoteKind::of(note.path), NoteKind::Memory | NoteKind::Plain);
        let id = parsed.fields.get("id").and_then(|field| NoteId::parse(&field.text()?).ok());
        let edits = if is_memory && !note.is_template { missing() } else { Vec::new() };
        return match id.filter(|_| !edits.is_empty()) {
            Some(id) => with_edits(note.path, text, id, edits).map(Some),
            None if note.is_explicit => Err((AdoptionSkipReason::HasId, None)),
            None => Ok(None),
        };
    }
    if is_document(note.path) && !note.is_explicit {
        return Err((AdoptionSkipReason::Document, None));
    }
    if note.is_template && !note.is_explicit {
        return Err((AdoptionSkipReason::Template, None));
    }
    if let Some(fault) = parsed.faults.first() {
        return Err((AdoptionSkipReason::Invalid, Some(fault.clone().finding(note.path))));
    }
    let id = draw();
    let edits = [Edit::set_text("id", id.as_str())].into_iter().chain(missing()).collect();
    with_edits(note.path, text, id, edits).map(Some)
}

/// Refuses edits that cannot be applied.
fn with_edits(path: &NotePath, text: &str, id: NoteId, edits: Vec<Edit>) -> Result<AdoptedNote, Refusal> {
    match edit::apply(text, &edits) {
        Ok(_) => Ok(AdoptedNote { path: path.clone(), id, edits }),
        Err(error) => {
            let found = Finding::new(path, FindingCode::InvalidValue, Severity::Error, error.to_string());
            Err((AdoptionSkipReason::Invalid, Some(found.with_hint(error.hint()))))
        }
    }
}

/// Names of the documents that a repository has at its root, and of the files that agents and cm read there.
const DOCUMENTS: [&str; 30] = [
    "AGENTS",
    "ARCHITECTURE",
    "AUTHORS",
    "BUILDING",
    "CHANGELOG",
    "CHANGES",
    "CLAUDE",
    "CODEOWNERS",
    "CODE_OF_CONDUCT",
    "CONTRIBUTING",
    "CONTRIBUTORS",
    "COPYING",
    "CORE",
    "CREDITS",
    "DEVELOPMENT",
    "GEMINI",
    "GOVERNANCE",
    "HISTORY",
    "INSTALL",
    "LICENCE",
    "LICENSE",
    "MAINTAINERS",
    "MEMORY",
    "NOTICE",
    "README",
    "REFLECTION",
    "RELEASING",
    "SECURITY",
    "SUPPORT",
    "UPGRADING",
];

/// Whether a file is a repository document: at the root, with one of these names in capitals, also with
/// a suffix such as `LICENSE-MIT`.
fn is_document(path: &NotePath) -> bool {
    let name = path.stem().split(['-', '.']).next().unwrap_or_default();
    let is_in_capitals = !path.stem().contains(char::is_lowercase);
    path.folder().is_empty() && is_in_capitals && DOCUMENTS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(notes: &[(&str, &[u8], bool)], full: bool) -> AdoptionPlan {
        let mut plan = AdoptionPlan::default();
        let mut count = 0;
        let types = TypeTable::default();
        for (path, bytes, has_id) in notes {
            let path = NotePath::parse(path).unwrap();
            let modified = Instant::parse("2026-05-01").unwrap();
            let note =
                AdoptionCandidate { path: &path, bytes, modified, is_explicit: *has_id, is_template: false };
            plan.add(note, AdoptionOptions { full, types: &types }, &mut || {
                count += 1;
                NoteId::parse(&format!("id-{count}")).unwrap()
            });
        }
        plan
    }

    fn left(plan: &AdoptionPlan) -> Vec<(&str, AdoptionSkipReason)> {
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
    fn logs_documents_and_broken_notes_are_left_and_listed() {
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
                ("README.md", AdoptionSkipReason::Document),
                ("episodes/2026-05-02.md", AdoptionSkipReason::DayLog),
                ("b.md", AdoptionSkipReason::HasId),
                ("broken.md", AdoptionSkipReason::Invalid),
                ("latin.md", AdoptionSkipReason::Invalid),
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

    #[test]
    fn a_note_with_an_id_gets_what_it_lacks_on_request() {
        let text = "---\nid: x\ntitle: T\n---\nBody\n";
        let notes = [("a.md", text.as_bytes(), false), ("playbook/r.md", text.as_bytes(), false)];
        assert!(plan(&notes, false).adopted.is_empty());
        let plan = plan(&notes, true);
        let [a] = plan.adopted.as_slice() else { panic!("{plan:?}") };
        assert_eq!(
            edit::apply(text, &a.edits).unwrap(),
            "---\nid: x\ntitle: T\ntype: general\nimportance: 0.5\ncreated: 2026-05-01T00:00:00Z\n\
             updated: 2026-05-01T00:00:00Z\n---\nBody\n"
        );
    }
}
