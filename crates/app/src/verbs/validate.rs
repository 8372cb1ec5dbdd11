//! Reports problems in single notes, between notes, and in settings.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::load;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use crate::verbs::missing_targets::missing_targets;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::note::Note;

/// Filter for findings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only files with this path prefix.
    pub under: Option<String>,
    /// Include findings of severity `info`.
    pub all: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ValidationResult {
    /// Number of checked notes.
    pub notes: usize,
    /// Findings, ordered by path and line.
    pub findings: Vec<Finding>,
    /// Number of findings of severity `error`.
    pub errors: usize,
    /// Number of findings of severity `warning`.
    pub warnings: usize,
    /// Number of findings of severity `info`, including unlisted ones.
    pub infos: usize,
}

/// Checks the target vault without changing it.
///
/// # Errors
/// Returns an error if no note matches the path prefix, or if the index can be neither used nor
/// rebuilt.
pub fn validate(context: &Context, options: &Options) -> Result<ValidationResult> {
    let open = context.target();
    let notes = context.overview_of(open)?;
    let mut findings = findings_of(context, open)?;
    if open.past.is_none() {
        findings.extend(missing_targets(open, &notes));
        sort(&mut findings);
    }
    let mut looked_at = notes.len();
    if let Some(under) = &options.under {
        findings.retain(|found| found.path.starts_with(under.as_str()));
        looked_at = notes.iter().filter(|note| note.path.as_str().starts_with(under.as_str())).count();
        if looked_at == 0 && findings.is_empty() {
            return Err(Error::not_found(format!("no note has a path that starts with `{under}`"))
                .hint("paths are relative to the vault, such as graph/fixes"));
        }
    }
    let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings, infos) = (count(Severity::Error), count(Severity::Warning), count(Severity::Info));
    if !options.all {
        findings.retain(|found| found.severity != Severity::Info);
    }
    Ok(ValidationResult { notes: looked_at, findings, errors, warnings, infos })
}

/// The findings of single notes and between notes, ordered by position.
#[derive(Clone)]
struct NoteFindings(Vec<Finding>);

impl NoteFindings {
    fn of(open: &OpenVault, notes: &[Note], between: Vec<Finding>) -> Self {
        let mut findings: Vec<Finding> =
            notes.iter().flat_map(|note| note.findings.iter().cloned()).collect();
        findings.extend(duplicate_ids(open, notes));
        findings.extend(between);
        sort(&mut findings);
        Self(findings)
    }
}

/// Returns all findings of a vault, ordered by position.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub(crate) fn findings_of(context: &Context, open: &OpenVault) -> Result<Vec<Finding>> {
    let of_notes = context.value_of_notes(open, &open.parse_fingerprint(), |notes| {
        Ok(NoteFindings::of(open, notes, context.reference_findings(open, notes)))
    })?;
    let mut findings = open.settings.findings.clone();
    findings.extend(context.walk_findings(open));
    findings.extend(open.unread());
    findings.extend(Arc::unwrap_or_clone(of_notes).0);
    sort(&mut findings);
    findings.dedup();
    Ok(findings)
}

/// Sorts findings by position.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| (&a.path, a.line, a.column, a.code).cmp(&(&b.path, b.line, b.column, b.code)));
}

/// Returns a finding for each note that shares its id with another.
fn duplicate_ids(open: &OpenVault, notes: &[Note]) -> Vec<Finding> {
    let mut first: HashMap<&str, Vec<&Note>> = HashMap::new();
    for note in notes {
        if let Some(id) = &note.id {
            first.entry(id.as_str()).or_default().push(note);
        }
    }
    let twice: BTreeMap<_, _> = first.into_iter().filter(|(_, notes)| notes.len() > 1).collect();
    let mut findings = Vec::new();
    for (id, notes) in twice {
        for note in &notes {
            let others: Vec<&str> = notes
                .iter()
                .filter(|other| other.path != note.path)
                .map(|other| other.path.as_str())
                .collect();
            let message = format!("the ID {id} is also used by {}", others.join(", "));
            let finding = Finding::new(&note.path, FindingCode::DuplicateId, Severity::Error, message)
                .with_hint("remove one of the IDs, then run `cm adopt` on that file to get a new one");
            findings.push(match id_place(open, note) {
                Some((line, column)) => finding.with_location(line, column),
                None => finding,
            });
        }
    }
    findings
}

/// Returns the line and column of a note's id; `None` if the file has changed meanwhile.
fn id_place(open: &OpenVault, note: &Note) -> Option<(u32, u32)> {
    let text = load(open, &note.path).ok()?.text();
    let fields = parse::parse(&Split::of(&text)).fields;
    fields.get("id").map(|field| (field.line, field.column))
}
