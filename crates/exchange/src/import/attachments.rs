//! Attachments of imported notes; they are copied to the same relative path, so that links remain
//! valid.

use std::collections::BTreeSet;

use super::PlacedFile;
use cm_note::frontmatter::split::Split;
use cm_note::import_source::ImportFolder;
use cm_note::markdown;
use cm_note::path::NotePath;

/// The attachments that the notes link to, sorted.
pub(super) fn used(folder: &ImportFolder, placed: &[&PlacedFile<'_>]) -> Vec<String> {
    let mut used = BTreeSet::new();
    for placed in placed {
        let body = placed.file.text().map(|text| Split::of(text).body().to_owned()).unwrap_or_default();
        for target in markdown::attachments(&body) {
            used.extend(find(folder, &placed.file.path, &target));
        }
    }
    used.into_iter().cloned().collect()
}

/// The file that a link refers to: relative to the note, relative to the folder's root, else the
/// shortest path that ends with the target.
fn find<'f>(folder: &'f ImportFolder, from: &NotePath, target: &str) -> Option<&'f String> {
    let has = |path: &str| folder.attachments.iter().find(|attachment| *attachment == path);
    let along = from.resolve(target).and_then(|path| has(path.as_str()));
    let rooted = || has(target.trim_start_matches('/'));
    let by_end = || {
        let end = format!("/{target}").to_lowercase();
        let fits = |attachment: &&String| format!("/{attachment}").to_lowercase().ends_with(&end);
        folder
            .attachments
            .iter()
            .filter(fits)
            .min_by_key(|attachment| (attachment.len(), attachment.as_str()))
    };
    along.or_else(rooted).or_else(by_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_file_along_its_path_or_by_the_end_of_it() {
        let folder = ImportFolder {
            attachments: ["a/pic.png", "deep/er/pic.png", "files/Paper v1.PDF", "pic.png"]
                .map(str::to_owned)
                .to_vec(),
            ..ImportFolder::default()
        };
        let from = NotePath::parse("a/note.md").unwrap();
        for (target, expected) in [
            ("pic.png", Some("a/pic.png")),
            ("../pic.png", Some("pic.png")),
            ("/pic.png", Some("pic.png")),
            ("er/pic.png", Some("deep/er/pic.png")),
            ("paper v1.pdf", Some("files/Paper v1.PDF")),
            ("none.png", None),
        ] {
            assert_eq!(find(&folder, &from, target).map(String::as_str), expected, "{target}");
        }
    }
}
