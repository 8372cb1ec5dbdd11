//! Finds attachments that notes show, and headings and blocks that notes link to, which do not exist.

use std::collections::{HashMap, HashSet};

use crate::context::find::load;
use crate::context::open_vault::OpenVault;
use cm_exchange::import::attachments;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::split::Split;
use cm_note::graph::{NoteNames, Resolution};
use cm_note::markdown;
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_store::config::keys;
use cm_store::vault::attachment;

/// Returns a warning for each missing target. Only the notes that links with a heading or a block lead to are read.
pub(super) fn missing_targets(open: &OpenVault, notes: &[Note]) -> Vec<Finding> {
    let mut findings = missing_attachments(open, notes);
    findings.extend(missing_anchors(open, notes));
    findings
}

fn written(notes: &[Note]) -> impl Iterator<Item = (usize, &Note)> {
    notes.iter().enumerate().filter(|(_, note)| !note.path.is_generated())
}

fn missing_attachments(open: &OpenVault, notes: &[Note]) -> Vec<Finding> {
    let is_elsewhere = |path: &NotePath, target: &str| {
        let near = [path.resolve(target), NotePath::parse(target.trim_start_matches('/')).ok()];
        !near.into_iter().flatten().any(|path| open.vault.file(&path).is_file())
    };
    let shown = written(notes).flat_map(|(_, note)| note.attachments.iter().map(move |shown| (note, shown)));
    let elsewhere: Vec<(&Note, &str, u32)> = shown
        .filter(|(note, (target, _))| is_elsewhere(&note.path, target))
        .map(|(note, (target, line))| (note, target.as_str(), *line))
        .collect();
    if elsewhere.is_empty() {
        return Vec::new();
    }
    let name = |target: &str| target.rsplit('/').next().unwrap_or_default().to_lowercase();
    let names: HashSet<String> = elsewhere.iter().map(|(_, target, _)| name(target)).collect();
    let exclude = open.settings.texts(keys::VAULT_EXCLUDE);
    let files = attachment::with_names(&open.vault, &names, &exclude);
    let files: Vec<String> = files.into_iter().map(|path| path.to_string()).collect();
    let missing = elsewhere
        .into_iter()
        .filter(|(note, target, _)| attachments::find(&files, &note.path, target).is_none());
    let finding = |(note, target, line): (&Note, &str, u32)| {
        let message = format!("the attachment `{target}` does not exist");
        Finding::new(&note.path, FindingCode::MissingAttachment, Severity::Warning, message)
            .with_location(line, 1)
            .with_hint("add the file to the vault, or correct the link")
    };
    missing.map(finding).collect()
}

fn missing_anchors(open: &OpenVault, notes: &[Note]) -> Vec<Finding> {
    let names = NoteNames::of(notes);
    let mut texts: HashMap<usize, Option<String>> = HashMap::new();
    let mut findings = Vec::new();
    for (at, note) in written(notes) {
        for link in &note.anchored {
            let Resolution::One(to) = names.resolve_link(at, link) else { continue };
            let text =
                texts.entry(to).or_insert_with(|| load(open, &notes[to].path).ok().map(|found| found.text()));
            let (Some(text), Some(anchor)) = (text, &link.anchor) else { continue };
            if has_anchor(text, anchor) {
                continue;
            }
            let message = match anchor.strip_prefix('^') {
                Some(block) => format!("{} has no block `{block}`", notes[to].path),
                None => format!("{} has no heading `{anchor}`", notes[to].path),
            };
            let finding = Finding::new(&note.path, FindingCode::MissingAnchor, Severity::Warning, message);
            findings.push(finding.with_location(link.line, link.column).with_hint("correct the link"));
        }
    }
    findings
}

/// Whether a note has a heading or block. Of headings, letters and digits are compared, since editors
/// leave out other characters.
fn has_anchor(text: &str, anchor: &str) -> bool {
    if anchor.starts_with('^') {
        let is_block = |line: &str| {
            let before = line.trim_end().strip_suffix(anchor);
            before.is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
        };
        return text.lines().any(is_block);
    }
    let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let last = bare(anchor.rsplit('#').next().unwrap_or_default());
    let split = Split::of(text);
    last.is_empty()
        || markdown::outline(split.body(), split.body_line())
            .headings
            .iter()
            .any(|heading| is_heading(&bare(&heading.text), &last))
        || text.contains(&format!("\"{anchor}\""))
}

/// Whether an anchor leads to a heading; GitHub numbers the second and further ones of the same text.
fn is_heading(heading: &str, anchor: &str) -> bool {
    let rest = anchor.strip_prefix(heading);
    rest.is_some_and(|rest| rest.is_empty() || !heading.is_empty() && rest.parse::<u32>().is_ok())
}
