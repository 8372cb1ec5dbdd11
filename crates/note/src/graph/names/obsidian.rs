//! Link resolution as in Obsidian: by path, by the end of a path or by file name, never by title.
//!
//! Comparisons ignore case and normalize accents. Aliases and titles are left to the caller.

use crate::note::Note;
use crate::path::NotePath;

use super::{NoteNames, fold, last_part, without_ending};

impl<'n> NoteNames<'n> {
    /// Returns the shortest target that links to a note from anywhere: its file name, or its full
    /// path without `.md` if the name is ambiguous.
    pub fn link_target(&self, note: usize) -> &'n str {
        let path = &self.notes[note].path;
        let stem = fold(path.stem());
        if self.with_stem(&stem).nth(1).is_none() {
            path.stem()
        } else {
            without_ending(path.as_str()).unwrap_or(path.as_str())
        }
    }

    /// Returns the note that Obsidian opens for a link target in the note at `from`. Among several
    /// matches, prefers the exact path, then files below the folder of `from`, then the shortest
    /// path.
    pub(super) fn as_obsidian(&self, from: &NotePath, target: &str) -> Option<usize> {
        if let Some(path) = fixed_path(from, target) {
            return self.at(path.as_ref()?.as_str());
        }
        let link_path = wanted_path(target);
        let fitting: Vec<usize> = self.with_stem(last_part(&link_path)).collect();
        let own = format!("{}/", from.folder());
        let rank = |note: &usize| {
            let path = self.notes[*note].path.as_str();
            let exact = fits(&self.notes[*note], &link_path) == Some(PathMatch::Whole);
            (!exact, !path.starts_with(&own), path.chars().count(), path)
        };
        fitting.into_iter().filter(|note| fits(&self.notes[*note], &link_path).is_some()).min_by_key(rank)
    }

    /// Returns the note at a path from the vault's root, with or without `.md`.
    pub(super) fn at(&self, path: &str) -> Option<usize> {
        let link_path = wanted_path(path);
        let mut fitting: Vec<usize> = self
            .with_stem(last_part(&link_path))
            .filter(|note| fits(&self.notes[*note], &link_path) == Some(PathMatch::Whole))
            .collect();
        // Two files may differ in letter case alone; the path as it is written names one of them.
        fitting.sort_by_key(|note| {
            let own_name = self.notes[*note].path.as_str();
            (without_ending(own_name) != Some(without_ending(path).unwrap_or(path)), *note)
        });
        fitting.first().copied()
    }

    /// Returns the notes with this file name, which is folded and without an extension.
    fn with_stem<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = usize> + 'a {
        let as_written = super::Resolution::from(self.stems().get(stem)).into_iter();
        let has = move |note: &usize| {
            let own_name = self.notes[*note].path.stem();
            own_name != stem && fold(own_name) == stem
        };
        as_written.chain(self.folded().get(stem).filter(has))
    }
}

/// How much of a note's path a target matches.
#[derive(PartialEq, Eq)]
enum PathMatch {
    Whole,
    End,
}

fn fits(note: &Note, wanted: &str) -> Option<PathMatch> {
    let path = note.path.as_str();
    let path = fold(without_ending(path).unwrap_or(path));
    match path.strip_suffix(wanted)? {
        "" => Some(PathMatch::Whole),
        rest => rest.ends_with('/').then_some(PathMatch::End),
    }
}

/// Resolves a target that begins with `/`, `./` or `../`; the inner value is `None` if the path
/// leaves the vault. Returns `None` for any other target.
fn fixed_path(from: &NotePath, target: &str) -> Option<Option<NotePath>> {
    is_fixed(target).then(|| from.resolve(target))
}

/// Whether a target can only be a path from the vault's root or the note's folder.
pub(super) fn is_fixed(target: &str) -> bool {
    ["/", "./", "../"].iter().any(|begin| target.starts_with(begin))
}

fn wanted_path(target: &str) -> String {
    fold(without_ending(target).unwrap_or(target)).into_owned()
}
