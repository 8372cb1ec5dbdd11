//! Where Obsidian leads a link: by path, by the end of a path or by the file's name, never by a title.
//!
//! It compares without letter case and in one composition of accents. Aliases and titles are the caller's business.

use crate::note::Note;
use crate::path::NotePath;

use super::{Names, fold, last_part, without_ending};

impl<'n> Names<'n> {
    /// The shortest target that leads to a note from every other one: its file's name, or its whole path without `.md`
    /// where another file has that name.
    pub fn link_target(&self, note: usize) -> &'n str {
        let path = &self.notes[note].path;
        let stem = fold(path.stem());
        if self.with_stem(&stem).nth(1).is_none() {
            path.stem()
        } else {
            without_ending(path.as_str()).unwrap_or(path.as_str())
        }
    }

    /// The note that Obsidian opens for the target of a link in the note at `from`. Of several files that fit, the one
    /// with exactly this path, else one below the folder of `from`, else the one with the shortest path.
    pub(super) fn as_obsidian(&self, from: &NotePath, target: &str) -> Option<usize> {
        if let Some(path) = fixed_path(from, target) {
            return self.at(path.as_ref()?.as_str());
        }
        let wanted = wanted_path(target);
        let fitting: Vec<usize> = self.with_stem(last_part(&wanted)).collect();
        let own = format!("{}/", from.folder());
        let rank = |note: &usize| {
            let path = self.notes[*note].path.as_str();
            let exact = fits(&self.notes[*note], &wanted) == Some(Fit::Whole);
            (!exact, !path.starts_with(&own), path.chars().count(), path)
        };
        fitting.into_iter().filter(|note| fits(&self.notes[*note], &wanted).is_some()).min_by_key(rank)
    }

    /// The note at this path from the vault's root, with or without `.md`.
    pub(super) fn at(&self, path: &str) -> Option<usize> {
        let wanted = wanted_path(path);
        let mut fitting: Vec<usize> = self
            .with_stem(last_part(&wanted))
            .filter(|note| fits(&self.notes[*note], &wanted) == Some(Fit::Whole))
            .collect();
        // Two files may differ in letter case alone; the path as it is written names one of them.
        fitting.sort_by_key(|note| {
            let known = self.notes[*note].path.as_str();
            (without_ending(known) != Some(without_ending(path).unwrap_or(path)), *note)
        });
        fitting.first().copied()
    }

    /// The notes whose file has this name, which is folded and without an ending.
    fn with_stem<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = usize> + 'a {
        let as_written = super::Resolution::from(self.stems().get(stem)).into_iter();
        let has = move |note: &usize| {
            let known = self.notes[*note].path.stem();
            known != stem && fold(known) == stem
        };
        as_written.chain(self.folded().get(stem).filter(has))
    }
}

/// How much of a note's path a target names.
#[derive(PartialEq, Eq)]
enum Fit {
    Whole,
    End,
}

fn fits(note: &Note, wanted: &str) -> Option<Fit> {
    let path = note.path.as_str();
    let path = fold(without_ending(path).unwrap_or(path));
    match path.strip_suffix(wanted)? {
        "" => Some(Fit::Whole),
        rest => rest.ends_with('/').then_some(Fit::End),
    }
}

/// The one path that `/…`, `./…` and `../…` can mean, which is `None` within where it leaves the vault; `None` for a
/// target that is to be looked for.
fn fixed_path(from: &NotePath, target: &str) -> Option<Option<NotePath>> {
    is_fixed(target).then(|| from.resolve(target))
}

/// Whether a target is a path from the vault's root or from the note's own folder, and nothing else.
pub(super) fn is_fixed(target: &str) -> bool {
    ["/", "./", "../"].iter().any(|begin| target.starts_with(begin))
}

fn wanted_path(target: &str) -> String {
    fold(without_ending(target).unwrap_or(target)).into_owned()
}
