//! Resolves references to notes. References by people and programs try ids first; links are
//! resolved as in Obsidian, then by title, id or slug.
//!
//! The lookup tables are built on first use, because most vaults need only a few of them.

mod mention;
mod obsidian;
mod tables;

use std::borrow::Cow;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;

use crate::note::{LinkForm, Note, NoteKind, NoteLink};

pub use mention::{Mention, NameKey, further_mentions, keys_of, mentions, names_of};
use obsidian::is_fixed;
use tables::{HashedNames, IdTable, NameTable, NotesOfName};

/// Result of resolving a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly one note, by its position.
    One(usize),
    /// Several candidates, by their positions in ascending order.
    Many(Vec<usize>),
    /// No note.
    None,
}

/// Minimum length of a slug that matches a name in another spelling, so that `C++` is not `C`.
const MIN_SLUG_BYTES: usize = 3;

/// Maximum number of notes with the same file name that are searched linearly.
const MAX_LINEAR_NOTES: usize = 16;

/// Lookup tables for the names of a slice of notes.
pub struct NoteNames<'n> {
    notes: &'n [Note],
    ids: OnceLock<IdTable<'n>>,
    paths: OnceLock<NameTable<&'n str>>,
    titles: OnceLock<NameTable<&'n str>>,
    aliases: OnceLock<NameTable<&'n str>>,
    stems: OnceLock<NameTable<&'n str>>,
    slugs: OnceLock<HashedNames>,
    folded: OnceLock<HashedNames>,
}

impl<'n> NoteNames<'n> {
    /// Prepares lookups for these notes; the tables are built on first use.
    pub fn of(notes: &'n [Note]) -> Self {
        Self {
            notes,
            ids: OnceLock::new(),
            paths: OnceLock::new(),
            titles: OnceLock::new(),
            aliases: OnceLock::new(),
            stems: OnceLock::new(),
            slugs: OnceLock::new(),
            folded: OnceLock::new(),
        }
    }

    /// Resolves a reference by the first of these that matches: id, full path, id prefix of at
    /// least six bytes, title, alias, file name or end of a path, slug, any of these ignoring case.
    pub fn resolve(&self, reference: &str) -> Resolution {
        let reference = reference.trim();
        if reference.is_empty() {
            return Resolution::None;
        }
        let ways: [&dyn Fn() -> Resolution; 8] = [
            &|| self.ids().whole(reference),
            &|| self.by_path(reference),
            &|| self.ids().beginning_with(reference),
            &|| self.by_title(reference),
            &|| self.aliases().get(reference).into(),
            &|| self.by_file(reference),
            &|| self.by_slug(reference),
            &|| self.by_any_case(reference),
        ];
        ways.iter().map(|way| way()).find(|found| *found != Resolution::None).unwrap_or(Resolution::None)
    }

    /// Resolves a link in the note `from`. Markdown links try the relative path, then the Obsidian
    /// rules and aliases, never titles. Wikilinks try the Obsidian rules, then alias, title, and
    /// [`NoteNames::resolve`].
    pub fn resolve_link(&self, from: usize, link: &NoteLink) -> Resolution {
        let (target, path) = (link.target.trim(), &self.notes[from].path);
        let along = || path.resolve(target).and_then(|path| self.at(path.as_str()));
        let found = match link.form {
            LinkForm::Wiki => None,
            LinkForm::Markdown => along(),
        };
        if let Some(found) = found.or_else(|| self.as_obsidian(path, target)) {
            return Resolution::One(found);
        }
        if target.is_empty() || is_fixed(target) {
            return Resolution::None;
        }
        if link.form == LinkForm::Markdown {
            return self.by_alias(target);
        }
        let ways: [&dyn Fn() -> Resolution; 3] =
            [&|| self.by_alias(target), &|| self.by_title(target), &|| self.resolve(target)];
        ways.iter().map(|way| way()).find(|found| *found != Resolution::None).unwrap_or(Resolution::None)
    }

    /// Resolves an alias, preferring an exact match over one that ignores case.
    fn by_alias(&self, reference: &str) -> Resolution {
        let as_written = Resolution::from(self.aliases().get(reference));
        if as_written != Resolution::None {
            return as_written;
        }
        let folded_alias = fold(reference);
        let has = |note: &usize| self.notes[*note].aliases.iter().any(|alias| fold(alias) == folded_alias);
        let mut found: Vec<usize> =
            Resolution::from(self.aliases().get(&*folded_alias)).into_iter().collect();
        found.extend(self.folded().get(&folded_alias).filter(has));
        found.into()
    }

    /// Resolves a full path, with or without `.md`.
    fn by_path(&self, reference: &str) -> Resolution {
        let stem = without_ending(reference);
        if stem.is_none() && !reference.contains('/') {
            return Resolution::None;
        }
        // The file names are wanted anyway, and most are of one note.
        match self.stems().get(last_part(stem.unwrap_or(reference))) {
            None => Resolution::None,
            Some(NotesOfName::Many(notes)) if notes.len() > MAX_LINEAR_NOTES => {
                let paths = self.paths();
                let found = Resolution::from(paths.get(reference));
                if found != Resolution::None || stem.is_some() {
                    found
                } else {
                    paths.get(&*format!("{reference}.md")).into()
                }
            }
            bearers => {
                let is_path = |note: &usize| {
                    let path = self.notes[*note].path.as_str();
                    path == reference || (stem.is_none() && path.strip_suffix(".md") == Some(reference))
                };
                Resolution::from(bearers).into_iter().find(is_path).map_or(Resolution::None, Resolution::One)
            }
        }
    }

    /// Resolves a title. Among several notes with the title, prefers the one whose file has that
    /// name.
    fn by_title(&self, reference: &str) -> Resolution {
        match self.titles().get(reference).into() {
            Resolution::Many(notes) => {
                only(notes.iter().filter(|note| self.notes[**note].path.stem() == reference))
                    .unwrap_or(Resolution::Many(notes))
            }
            found => found,
        }
    }

    /// Resolves `note` or `folder/note`, with or without `.md`. Among several matches, prefers the
    /// exact path.
    fn by_file(&self, reference: &str) -> Resolution {
        let stem_or_path = without_ending(reference).unwrap_or(reference);
        let candidates = self.stems().get(last_part(stem_or_path)).into();
        let path = |note: usize| {
            let path = self.notes[note].path.as_str();
            Cow::Borrowed(without_ending(path).unwrap_or(path))
        };
        at_path(candidates, stem_or_path, path)
    }

    /// Resolves any name except a slug, ignoring case. The `folded` table has only names that
    /// folding changes; all others are found in the tables of exact names.
    fn by_any_case(&self, reference: &str) -> Resolution {
        let folded_name = fold(without_ending(reference).unwrap_or(reference));
        let mut found = self.of_any_case(&folded_name);
        found.extend(self.ids().beginning_with(&folded_name));
        if found.is_empty() && folded_name.contains('/') {
            found = self.of_any_case(last_part(&folded_name));
            let path = |note: usize| {
                let path = self.notes[note].path.as_str();
                fold(without_ending(path).unwrap_or(path))
            };
            return at_path(Resolution::from(found), &folded_name, path);
        }
        found.into()
    }

    fn of_any_case(&self, folded: &str) -> Vec<usize> {
        let tables = [self.titles(), self.aliases(), self.stems()];
        let mut found: Vec<usize> =
            tables.iter().flat_map(|table| Resolution::from(table.get(folded))).collect();
        let has = |note: &usize| folds_of(&self.notes[*note]).any(|name_of_note| name_of_note == folded);
        found.extend(self.folded().get(folded).filter(has));
        found
    }

    /// Resolves a slug of an ASCII reference. Other scripts are excluded, because transliteration
    /// can give different Chinese words the same slug.
    fn by_slug(&self, reference: &str) -> Resolution {
        if !reference.is_ascii() {
            return Resolution::None;
        }
        let slug = slug::slugify(reference);
        if slug.len() < MIN_SLUG_BYTES && slug != reference {
            return Resolution::None;
        }
        let has = |note: &usize| slugs_of(&self.notes[*note]).any(|name_of_note| *name_of_note == *slug);
        self.slugs().get(&slug).filter(has).collect::<Vec<_>>().into()
    }

    fn ids(&self) -> &IdTable<'n> {
        self.ids.get_or_init(|| IdTable::of(self.notes))
    }

    fn paths(&self) -> &NameTable<&'n str> {
        self.paths.get_or_init(|| NameTable::of(self.notes.len(), self.each(|note| Some(note.path.as_str()))))
    }

    fn titles(&self) -> &NameTable<&'n str> {
        // An edge is named by its id; its title repeats those of its ends.
        self.titles.get_or_init(|| {
            NameTable::of(
                self.notes.len(),
                self.each(|note| (note.kind != NoteKind::Edge).then_some(note.title.as_str())),
            )
        })
    }

    fn aliases(&self) -> &NameTable<&'n str> {
        self.aliases
            .get_or_init(|| NameTable::of(0, self.each(|note| note.aliases.iter().map(String::as_str))))
    }

    fn stems(&self) -> &NameTable<&'n str> {
        self.stems.get_or_init(|| NameTable::of(self.notes.len(), self.each(|note| Some(note.path.stem()))))
    }

    fn slugs(&self) -> &HashedNames {
        self.slugs.get_or_init(|| HashedNames::of(self.each(slugs_of)))
    }

    fn folded(&self) -> &HashedNames {
        self.folded.get_or_init(|| HashedNames::of(self.each(folds_of)))
    }

    fn each<K, I: IntoIterator<Item = K>>(
        &self,
        names: impl Fn(&'n Note) -> I,
    ) -> impl Iterator<Item = (K, u32)> {
        let notes = self.notes;
        notes
            .iter()
            .zip(0..)
            .flat_map(move |(note, position)| names(note).into_iter().map(move |name| (name, position)))
    }
}

impl From<Vec<usize>> for Resolution {
    fn from(mut notes: Vec<usize>) -> Self {
        notes.sort_unstable();
        notes.dedup();
        match notes[..] {
            [] => Self::None,
            [one] => Self::One(one),
            _ => Self::Many(notes),
        }
    }
}

impl IntoIterator for Resolution {
    type Item = usize;
    type IntoIter = std::vec::IntoIter<usize>;

    fn into_iter(self) -> Self::IntoIter {
        match self {
            Self::None => Vec::new(),
            Self::One(note) => vec![note],
            Self::Many(notes) => notes,
        }
        .into_iter()
    }
}

/// Returns the slugs of a note: of its title, and of its file name if that differs.
fn slugs_of(note: &Note) -> impl Iterator<Item = Cow<'_, str>> {
    let title = if note.kind == NoteKind::Edge { String::new() } else { slug::slugify(&note.title) };
    let file = slug_of_stem(note.path.stem()).filter(|slug| *slug != title).map(Cow::Borrowed);
    [Some(Cow::Owned(title)), file].into_iter().flatten().filter(|slug| !slug.is_empty())
}

/// Returns the case-folded title, aliases, file name and id of a note, without those that folding
/// leaves unchanged.
fn folds_of(note: &Note) -> impl Iterator<Item = String> {
    let title = (note.kind != NoteKind::Edge).then_some(note.title.as_str());
    let names = title.into_iter().chain(note.aliases.iter().map(String::as_str)).chain([note.path.stem()]);
    names.chain(note.id.iter().map(|id| id.as_str())).filter_map(|name| match fold(name) {
        Cow::Owned(folded) if folded != name => Some(folded),
        _ => None,
    })
}

/// Among candidates, returns those at path `wanted`, else those whose path ends with it.
fn at_path<'p>(candidates: Resolution, wanted: &str, path: impl Fn(usize) -> Cow<'p, str>) -> Resolution {
    let mut fitting: Vec<usize> = candidates.into_iter().collect();
    fitting.retain(|note| {
        path(*note).strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    });
    if let Some(exact) = only(fitting.iter().filter(|note| path(**note) == wanted)) {
        return exact;
    }
    fitting.into()
}

pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn only<'a>(mut notes: impl Iterator<Item = &'a usize>) -> Option<Resolution> {
    let first = notes.next()?;
    notes.next().is_none().then_some(Resolution::One(*first))
}

pub(super) fn without_ending(path: &str) -> Option<&str> {
    path.strip_suffix(".md").or_else(|| path.strip_suffix(".markdown"))
}

/// Removes the id suffix of a generated file name: `retry-with-jitter-a48555` becomes
/// `retry-with-jitter`.
fn slug_of_stem(stem: &str) -> Option<&str> {
    let (slug, short) = stem.rsplit_once('-')?;
    (short.len() == 6 && short.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(slug)
}

/// Folds case and normalizes accents, so that all variants compare equal.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return text.to_ascii_lowercase().into();
        }
        return text.into();
    }
    text.nfc().flat_map(char::to_lowercase).nfc().collect::<String>().into()
}
