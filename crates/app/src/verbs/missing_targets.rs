//! Finds attachments that notes show, and headings and blocks that notes link to, which do not exist.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::context::find::load;
use crate::context::open_vault::OpenVault;
use cm_exchange::import::attachments;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::split::Split;
use cm_note::graph::{NoteNames, Resolution};
use cm_note::markdown;
use cm_note::note::{Note, NoteLink};
use cm_note::path::NotePath;
use cm_store::vault::attachment;

/// Targets of one note, besides notes themselves.
struct NoteTargets {
    /// Position of the note.
    note: usize,
    /// Attachments as written, each with its line.
    attachments: Vec<(String, u32)>,
    /// Links to a heading or a block.
    anchored: Vec<NoteLink>,
}

/// Returns a warning for each missing target. The files are read, because the index does not have these
/// targets; those that cannot be read have none.
pub(super) fn missing_targets(open: &OpenVault, notes: &[Note]) -> Vec<Finding> {
    let vault = &open.vault;
    let texts = notes.par_iter().enumerate().filter(|(_, note)| !note.path.is_generated());
    let candidates = texts.filter_map(|(at, note)| {
        let text = String::from_utf8(vault.read(&note.path).ok()?).ok()?;
        (text.contains("![") || has_anchored_link(&text)).then_some((at, text))
    });
    let candidates: Vec<(usize, String)> = candidates.collect();
    let targets: Vec<NoteTargets> =
        candidates.iter().map(|(at, text)| targets_of(open, *at, &notes[*at].path, text)).collect();
    let mut findings = missing_attachments(open, notes, &targets);
    findings.extend(missing_anchors(open, notes, &targets));
    findings
}

/// Whether a text may have a link to a heading or a block.
fn has_anchored_link(text: &str) -> bool {
    let mut links = text.split("[[").skip(1);
    links.any(|link| link.split("]]").next().is_some_and(|link| link.contains('#'))) || text.contains(".md#")
}

fn targets_of(open: &OpenVault, note: usize, path: &NotePath, text: &str) -> NoteTargets {
    let split = Split::of(text);
    let attachments = markdown::shown_attachments(split.body(), split.body_line());
    let links = open.parse(path, text.as_bytes()).note.links;
    NoteTargets {
        note,
        attachments,
        anchored: links.into_iter().filter(|link| link.anchor.is_some()).collect(),
    }
}

fn missing_attachments(open: &OpenVault, notes: &[Note], targets: &[NoteTargets]) -> Vec<Finding> {
    let mut files: Option<Vec<String>> = None;
    let mut findings = Vec::new();
    for NoteTargets { note, attachments: shown, .. } in targets {
        let path = &notes[*note].path;
        for (target, line) in shown {
            let near = [path.resolve(target), NotePath::parse(target.trim_start_matches('/')).ok()];
            if near.into_iter().flatten().any(|path| open.vault.file(&path).is_file()) {
                continue;
            }
            let all = files.get_or_insert_with(|| {
                let all = attachment::with_ending(&open.vault, "", &open.excluded_folders());
                all.into_iter().map(|path| path.to_string()).collect()
            });
            if attachments::find(all, path, target).is_none() {
                let message = format!("the attachment `{target}` does not exist");
                let finding = Finding::new(path, FindingCode::MissingAttachment, Severity::Warning, message);
                findings.push(
                    finding
                        .with_location(*line, 1)
                        .with_hint("add the file to the vault, or correct the link"),
                );
            }
        }
    }
    findings
}

fn missing_anchors(open: &OpenVault, notes: &[Note], targets: &[NoteTargets]) -> Vec<Finding> {
    let names = NoteNames::of(notes);
    let mut texts: HashMap<usize, Option<String>> = HashMap::new();
    let mut findings = Vec::new();
    for NoteTargets { note, anchored, .. } in targets {
        for link in anchored {
            let Resolution::One(to) = names.resolve_link(*note, link) else { continue };
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
            let finding =
                Finding::new(&notes[*note].path, FindingCode::MissingAnchor, Severity::Warning, message);
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
            .any(|heading| bare(&heading.text) == last)
        || text.contains(&format!("\"{anchor}\""))
}
