//! Imports bundles of the Open Knowledge Format: Markdown concepts with a `type`.
//!
//! Follows version 0.2 of the specification and accepts 0.1. Its keys stay in the notes. `index.md`
//! and `log.md` list and log the concepts and are not concepts.

use std::collections::BTreeSet;

use crate::links::{self, LinkChange};
use crate::missing_keys::written;
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::{self, FrontmatterField, FrontmatterFields};
use cm_note::frontmatter::split::Split;
use cm_note::import_source::{ImportFile, ImportFolder};
use cm_note::instant::Instant;
use cm_note::markdown::escape::link_destination;
use cm_note::markdown::percent_decode;
use cm_note::note::Note;
use cm_note::path::NotePath;

/// File names with a meaning of their own in every folder of a bundle.
pub const RESERVED: [&str; 2] = ["index.md", "log.md"];

/// Key of the root `index.md` with the version of the format.
pub const VERSION_KEY: &str = "okf_version";

/// Keys of a concept that plain notes rarely have together.
const TYPICAL: [&str; 5] = ["description", "resource", "timestamp", "generated", "verified"];

/// Whether the file lists or logs concepts.
pub fn is_reserved(path: &NotePath) -> bool {
    RESERVED.contains(&path.file_name())
}

/// Why a folder is a bundle; `None` if it does not look like one.
pub(super) fn recognize(folder: &ImportFolder) -> Option<&'static str> {
    let (reserved, concepts): (Vec<&ImportFile>, Vec<&ImportFile>) =
        folder.notes.iter().partition(|file| is_reserved(&file.path));
    let fields = |file: &ImportFile| parse::parse(&Split::of(file.text().unwrap_or(""))).fields;
    let all_typed = !concepts.is_empty() && concepts.iter().all(|file| written(&fields(file), "type"));
    let root = reserved.iter().find(|file| file.path.as_str() == "index.md")?;
    if !all_typed {
        return None;
    }
    if written(&fields(root), VERSION_KEY) {
        return Some("its index.md declares the Open Knowledge Format, and every note has a type");
    }
    let is_listing = Split::of(root.text()?).yaml().is_none() && root.text()?.contains("](");
    let typical = |file: &&&ImportFile| TYPICAL.iter().any(|key| written(&fields(file), key));
    let is_typical = concepts.iter().filter(typical).count() * 2 >= concepts.len();
    (is_listing && is_typical).then_some(
        "every note has a type, most have other keys of the Open Knowledge Format, and index.md lists notes",
    )
}

/// Time of the concept's last change: `generated.at`, else the older `timestamp`.
pub(super) fn changed(fields: &FrontmatterFields) -> Option<Instant> {
    let generated = fields.get("generated").and_then(|field| field.value.get("at")?.as_str());
    let old = || fields.get("timestamp").and_then(FrontmatterField::text);
    Instant::parse(&generated.map(str::to_owned).or_else(old)?).ok()
}

/// The edits of a concept besides missing keys: a draft stays a draft, and links from the root of
/// the bundle become relative. `files` are the files of the bundle; `None` if its root becomes the
/// root of the vault.
pub(super) fn edits(
    path: &NotePath,
    fields: &FrontmatterFields,
    body: &str,
    files: Option<&BTreeSet<String>>,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let is_draft =
        fields.get("status").and_then(FrontmatterField::text).is_some_and(|status| status.trim() == "draft");
    if is_draft && !written(fields, "state") {
        edits.push(Edit::set_text("state", Note::DRAFT));
    }
    let Some(files) = files else { return edits };
    let text = links::rewrite(body, &|link| {
        let rest = link.destination.strip_prefix('/').filter(|_| !link.is_wiki)?;
        let (target, anchor) =
            rest.split_once('#').map_or((rest, None), |(path, anchor)| (path, Some(anchor)));
        let target = NotePath::parse(&percent_decode(target)).ok()?;
        let is_imported = files.contains(target.as_str());
        let relative = is_imported.then(|| link_destination(&target.relative_to(path.folder())))?;
        Some(LinkChange::Destination(match anchor {
            Some(anchor) => format!("{relative}#{anchor}"),
            None => relative,
        }))
    });
    if text != body {
        edits.push(Edit::SetBody { text });
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(yaml: &str) -> FrontmatterFields {
        parse::parse(&Split::of(&format!("---\n{yaml}---\n"))).fields
    }

    #[test]
    fn the_time_is_that_of_the_last_change() {
        let at = |text: &str| Instant::parse(text).ok();
        let new = fields(
            "timestamp: 2026-01-01T00:00:00Z\ngenerated: { by: human:ada, at: 2026-02-02T00:00:00Z }\n",
        );
        assert_eq!(changed(&new), at("2026-02-02T00:00:00Z"));
        assert_eq!(changed(&fields("timestamp: 2026-01-01T00:00:00Z\n")), at("2026-01-01T00:00:00Z"));
        assert_eq!(changed(&fields("type: Metric\n")), None);
    }

    #[test]
    fn links_from_the_root_of_the_bundle_become_relative() {
        let files = BTreeSet::from(["tables/a b.md", "pic.png"].map(str::to_owned));
        let path = NotePath::parse("metrics/m.md").unwrap();
        let body = "[a](/tables/a%20b.md#Schema) ![p](/pic.png) [n](/none.md) [r](../tables/a%20b.md)\n";
        let expected =
            "[a](../tables/a%20b.md#Schema) ![p](../pic.png) [n](/none.md) [r](../tables/a%20b.md)\n";
        let made = edits(&path, &fields("status: draft\n"), body, Some(&files));
        assert_eq!(made, [Edit::set_text("state", Note::DRAFT), Edit::SetBody { text: expected.to_owned() }]);
        assert!(edits(&path, &fields("status: stable\n"), body, None).is_empty());
    }
}
