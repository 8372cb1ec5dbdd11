//! Index keys for names and mentions of notes. A note that a mention refers to always shares a key
//! with it; a shared key is not proof, so [`Names`](super::NoteNames) resolves the candidates.

use crate::note::{LinkForm, Note};
use crate::path::NotePath;

use super::{fold, last_part, slugs_of, tables::MIN_PREFIX_BYTES, without_ending};
use crate::note::NoteKind;

/// Hash below 2⁴⁰ of a normalized name; spelling variants of a name have the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(u64);

/// A reference from one note to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'n> {
    /// Target as written.
    target: &'n str,
    /// Whether the target is a path, possibly relative, rather than a name.
    is_path: bool,
    /// Whether the reference makes a typed edge.
    pub typed: bool,
}

/// Length in bytes from which a text is a complete id rather than a prefix.
const MIN_WHOLE_ID_BYTES: usize = 36;

impl NameKey {
    /// Computes the key of a name from its slug after case folding, so that all comparisons of
    /// names agree on it.
    fn of(name: &str) -> Self {
        let folded = fold(name.trim());
        let slug = slug::slugify(&*folded);
        Self::hash(if slug.is_empty() { folded.as_bytes() } else { slug.as_bytes() })
    }

    /// Computes the key shared by all ids with the same first six bytes; `None` for a shorter text.
    fn of_beginning(id: &str) -> Option<Self> {
        let folded = fold(id.trim());
        let mut marked = [0xff; MIN_PREFIX_BYTES + 1];
        marked[1..].copy_from_slice(folded.as_bytes().get(..MIN_PREFIX_BYTES)?);
        Some(Self::hash(&marked))
    }

    fn hash(bytes: &[u8]) -> Self {
        let hash = blake3::hash(bytes);
        Self(hash.as_bytes()[..5].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub fn number(self) -> u64 {
        self.0
    }
}

/// Returns the keys of a note's names: title, aliases and file name, without its id.
pub fn names_of(note: &Note) -> Vec<NameKey> {
    let title = (note.kind != NoteKind::Edge).then_some(note.title.as_str());
    let names = title.into_iter().chain(note.aliases.iter().map(String::as_str)).chain([note.path.stem()]);
    let slugs = slugs_of(note).map(|slug| NameKey::hash(slug.as_bytes()));
    sorted_unique(names.map(NameKey::of).chain(slugs))
}

/// Returns the keys of a note. Every mention of the note has at least one of them.
pub fn keys_of(note: &Note) -> Vec<NameKey> {
    let id = note.id.as_ref().map(|id| id.as_str());
    let by_id = id.into_iter().flat_map(|id| [Some(NameKey::of(id)), NameKey::of_beginning(id)]);
    sorted_unique(names_of(note).into_iter().chain(by_id.flatten()))
}

/// Returns a note's references to other notes, without duplicates, typed edges first: the ends of
/// an edge file, or else relations and links.
pub fn mentions(note: &Note) -> Vec<Mention<'_>> {
    match &note.edge {
        Some(ends) => vec![Mention::by_name(&ends.from), Mention::by_name(&ends.to)],
        None => relations_and_links(note),
    }
}

/// Returns the references that [`mentions`] leaves out: the relations and links of an edge file, and the
/// edge files that relations name.
pub fn further_mentions(note: &Note) -> Vec<Mention<'_>> {
    let mut mentions = if note.edge.is_some() { relations_and_links(note) } else { Vec::new() };
    mentions
        .extend(note.relations.iter().filter_map(|entry| Some(Mention::by_name(entry.edge_id.as_ref()?))));
    mentions
}

fn relations_and_links(note: &Note) -> Vec<Mention<'_>> {
    let mut mentions: Vec<Mention<'_>> =
        note.relations.iter().map(|entry| Mention::by_name(&entry.target)).collect();
    if !note.path.is_generated() {
        mentions.extend(note.links.iter().map(|link| Mention {
            is_path: link.form == LinkForm::Markdown || is_relative(&link.target),
            target: &link.target,
            typed: link.relation.is_some(),
        }));
    }
    mentions.sort_by_key(|mention| !mention.typed);
    let mut seen = std::collections::HashSet::new();
    mentions.retain(|mention| seen.insert((mention.target, mention.is_path)));
    mentions
}

impl<'n> Mention<'n> {
    /// The mention by a name, an id or a path from the vault's root, as in a relation.
    pub fn by_name(target: &'n str) -> Self {
        Self { target, is_path: false, typed: true }
    }

    /// Returns the keys of the mention. Every possible target has one of them in [`names_of`], or
    /// an id that starts with [`Mention::beginning`], or a path in [`Mention::paths`].
    pub fn keys(&self) -> Vec<NameKey> {
        let target = self.target.trim();
        let bare = without_ending(target).unwrap_or(target);
        let last = NameKey::of(last_part(bare.trim_end_matches('/')));
        if self.is_fixed() {
            return vec![last];
        }
        let whole = (!self.is_path).then(|| NameKey::of(target));
        let id = (target.len() < MIN_WHOLE_ID_BYTES).then(|| NameKey::of_beginning(bare)).flatten();
        sorted_unique([Some(NameKey::of(bare)), Some(last), whole, id].into_iter().flatten())
    }

    /// Returns the keys of the mention in a note at `from`. Every note to which it refers has one of them
    /// in [`keys_of`].
    pub fn keys_from(&self, from: &NotePath) -> Vec<NameKey> {
        // A path such as `notes/..` ends with another name than it means.
        let along = self.is_path.then(|| from.resolve(self.target.trim())).flatten();
        let along = along.map(|path| NameKey::of(path.stem()));
        sorted_unique(self.keys().into_iter().chain(along))
    }

    /// Returns the prefix of the ids that the mention may refer to; `None` for a path that cannot
    /// be an id.
    pub fn beginning(&self) -> Option<&'n str> {
        let target = self.target.trim();
        (!self.is_fixed()).then(|| without_ending(target).unwrap_or(target))
    }

    /// Returns the full paths that the mention may refer to from a note at `from`; `None` for a mention
    /// outside the vault.
    pub fn paths(&self, from: Option<&NotePath>) -> Vec<NotePath> {
        let target = self.target.trim();
        let along = from.filter(|_| self.is_path).and_then(|from| from.resolve(target));
        let rooted = if self.is_fixed() { None } else { NotePath::parse(target).ok() };
        let mut paths: Vec<NotePath> = along.into_iter().chain(rooted).collect();
        let bare = paths.iter().filter(|path| without_ending(path.as_str()).is_none());
        let whole: Vec<_> = bare.filter_map(|path| NotePath::parse(&format!("{path}.md")).ok()).collect();
        paths.extend(whole);
        paths.dedup();
        paths
    }

    /// Whether the target can only be a path, relative to the note's folder or the root.
    fn is_fixed(&self) -> bool {
        self.is_path && (is_relative(self.target) || self.target.starts_with('/'))
    }
}

fn is_relative(target: &str) -> bool {
    target.starts_with("./") || target.starts_with("../")
}

fn sorted_unique(keys: impl Iterator<Item = NameKey>) -> Vec<NameKey> {
    let mut keys: Vec<NameKey> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{NoteNames, Resolution};
    use super::*;
    use crate::graph::sample::note;

    fn shares(a: &[NameKey], b: &[NameKey]) -> bool {
        a.iter().any(|key| b.contains(key))
    }

    #[test]
    fn every_way_of_naming_a_note_shares_a_key_with_it() {
        let retry = Note {
            aliases: vec!["Nochmal ÜBEN".into()],
            ..note("graph/fixes/retry-uploads-a48555.md", "Retry uploads!")
                .with_id("a4855549-0184-4510-b102-e83a63a6de27")
        };
        for reference in [
            "a4855549-0184-4510-b102-e83a63a6de27",
            "A48555",
            "a4855549-01",
            "retry-uploads",
            "RETRY uploads",
            "fixes/retry-uploads-a48555",
            "nochmal u\u{308}ben",
            "graph/fixes/retry-uploads-a48555.md",
        ] {
            assert!(shares(&Mention::by_name(reference).keys(), &keys_of(&retry)), "{reference}");
        }
        assert!(!shares(&Mention::by_name("uploads").keys(), &keys_of(&retry)));
    }

    #[test]
    fn mentions_are_listed_once_and_typed_ones_first() {
        let mut linked = note("a/x.md", "X").with_relation("SOLVES", "id-b", true, None);
        linked = linked.with_body("[[C]] [d](../d.md) [[C|again]]\n\nCAUSES:: [[E]]");
        let found = mentions(&linked);
        let targets: Vec<&str> = found.iter().map(|mention| mention.target).collect();
        assert_eq!(targets, ["id-b", "E", "C", "../d.md"]);
        let paths = found[3].paths(Some(&linked.path));
        assert_eq!(paths.iter().map(NotePath::as_str).collect::<Vec<_>>(), ["d.md"]);
        assert_eq!(mentions(&note("CORE.md", "Core").with_body("[[C]]")), []);
    }

    proptest! {
        #[test]
        fn whatever_a_text_means_shares_a_key_with_it(
            title in "\\PC{0,8}", stem in "[a-cA-C.é-]{1,4}", alias in "\\PC{0,6}", id in "[a-cA-C1-]{5,9}",
            which in 0usize..6, case in 0usize..3, free in "\\PC{0,8}",
        ) {
            let held = note(&format!("folder/{stem}.md"), &title).with_id(&id);
            let held = Note { aliases: vec![alias.clone()], ..held };
            let slug = slug::slugify(&title);
            let text = [&*title, &*alias, &*id, id.get(..6).unwrap_or(""), &*slug, &*free][which].to_owned();
            let text = [text.clone(), text.to_uppercase(), format!("folder/{stem}")][case].clone();
            let notes = [held];
            if NoteNames::of(&notes).resolve(&text) != Resolution::None {
                prop_assert!(shares(&Mention::by_name(&text).keys(), &keys_of(&notes[0])), "{text:?}");
            }
        }
    }
}
