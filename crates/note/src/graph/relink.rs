//! Rewrites links after one note got another path or other names, so that every link leads to the
//! same note as before.
//!
//! Reads and writes no files. References by id need no change.

use crate::markdown::escape::{escape_link_text, wikilink_text};
use crate::markdown::rewrite::{LinkRewrite, rewrite_links};
use crate::note::{LinkForm, Note, NoteLink};

use super::names::{fold, last_part, without_ending};
use super::{NoteNames, Resolution};
use cm_text::shorten::fold_whitespace;

/// The notes of a vault before and after a change of one note.
pub struct Relinker<'n> {
    before: NoteNames<'n>,
    after: NoteNames<'n>,
    old: &'n [Note],
    new: &'n [Note],
    /// Position of the changed note.
    changed: usize,
    /// Old and new text of a level-1 heading of the note, which links may name.
    heading: Option<(String, String)>,
}

impl<'n> Relinker<'n> {
    /// Both slices have the same notes at the same positions.
    pub fn new(old: &'n [Note], new: &'n [Note], changed: usize) -> Self {
        Self { before: NoteNames::of(old), after: NoteNames::of(new), old, new, changed, heading: None }
    }

    /// Also rewrites links to a heading that changes with the title.
    #[must_use]
    pub fn with_heading(self, old: &str, new: &str) -> Self {
        Self { heading: Some((anchor_text(old), anchor_text(new))), ..self }
    }

    /// Returns the positions of the notes whose text may need another link.
    pub fn affected(&self) -> Vec<usize> {
        let needs = |at: &usize| {
            let leads = |link: &NoteLink| {
                let was = self.before.resolve_link(*at, link);
                was == Resolution::One(self.changed)
                    || (matches!(was, Resolution::One(_)) && self.after.resolve_link(*at, link) != was)
            };
            *at == self.changed || self.old.get(*at).is_some_and(|note| note.links.iter().any(leads))
        };
        (0..self.old.len()).filter(needs).collect()
    }

    /// Returns the text of the note at position `from` with rewritten links.
    pub fn relinked(&self, from: usize, text: &str) -> String {
        rewrite_links(text, |link, display| self.rewrite(from, link, display))
    }

    /// Returns whether a reference outside of links, such as `from_id`, leads to the changed note
    /// and has to name it anew.
    pub fn loses(&self, reference: &str) -> bool {
        let changed_note = Resolution::One(self.changed);
        self.before.resolve(reference) == changed_note && self.after.resolve(reference) != changed_note
    }

    fn rewrite(&self, from: usize, link: &NoteLink, display: Option<&str>) -> Option<LinkRewrite> {
        let to = match self.before.resolve_link(from, link) {
            Resolution::One(to) => to,
            _ if link.target.is_empty() => from,
            _ => return None,
        };
        let mut change = LinkRewrite::default();
        if !link.target.is_empty() && self.is_outdated(from, to, link) {
            change.target = self.target(from, to, link);
        }
        if to == self.changed {
            let (old, new) = (self.old.get(to)?, self.new.get(to)?);
            let shown = |title: &str| match link.form {
                LinkForm::Wiki => wikilink_text(title),
                LinkForm::Markdown => escape_link_text(title),
            };
            let is_old = |display: &str| display == shown(&old.title) || display.trim() == old.title;
            change.display = match display {
                Some(display) => (old.title != new.title && is_old(display)).then(|| shown(&new.title)),
                // The link showed the title because it was the target.
                None => {
                    (change.target.is_some() && !self.names_the_file(to, link)).then(|| shown(&new.title))
                }
            };
            change.anchor = self.heading.as_ref().and_then(|(old, new)| {
                let anchor = link.anchor.as_deref()?;
                (fold(&anchor_text(anchor)) == fold(old)).then(|| new.clone())
            });
        }
        Some(change).filter(|change| *change != LinkRewrite::default())
    }

    /// Whether the target is the former name of the file or title, or no longer leads to the note.
    fn is_outdated(&self, from: usize, to: usize, link: &NoteLink) -> bool {
        if self.after.resolve_link(from, link) != Resolution::One(to) {
            return true;
        }
        let (Some(old), Some(new)) = (self.old.get(to), self.new.get(to)) else { return false };
        if to != self.changed {
            return false;
        }
        let is_alias = old.aliases.iter().any(|alias| fold(alias) == fold(&link.target));
        let names_title = fold(&link.target) == fold(&old.title) && !is_alias;
        match self.names_the_file(to, link) {
            true => old.path.stem() != new.path.stem(),
            false => link.form == LinkForm::Wiki && names_title && old.title != new.title,
        }
    }

    fn names_the_file(&self, to: usize, link: &NoteLink) -> bool {
        let name = last_part(without_ending(&link.target).unwrap_or(&link.target));
        self.old.get(to).is_some_and(|note| fold(name) == fold(note.path.stem()))
    }

    /// Returns the target that leads to a note after the change, in the form of the old one if
    /// possible.
    fn target(&self, from: usize, to: usize, link: &NoteLink) -> Option<String> {
        let (here, there) = (&self.new.get(from)?.path, &self.new.get(to)?.path);
        let extension = |path: &str| match without_ending(&link.target) {
            Some(bare) => format!("{}{}", without_ending(path).unwrap_or(path), &link.target[bare.len()..]),
            None => without_ending(path).unwrap_or(path).to_owned(),
        };
        let mut candidates = Vec::new();
        if self.names_the_file(to, link) {
            let folder = &link.target[..link.target.len() - last_part(&link.target).len()];
            candidates.push(format!("{folder}{}", extension(there.file_name())));
        }
        match link.form {
            LinkForm::Markdown => candidates.push(extension(&there.relative_to(here.folder()))),
            LinkForm::Wiki => candidates.push(self.after.link_target(to).to_owned()),
        }
        candidates.push(extension(there.as_str()));
        candidates.push(format!("/{}", extension(there.as_str())));
        let leads = |target: &String| {
            let link = NoteLink { target: target.clone(), ..link.clone() };
            self.after.resolve_link(from, &link) == Resolution::One(to)
        };
        candidates.into_iter().find(leads)
    }
}

/// Returns a heading as a link names it: without characters that have a meaning in links.
fn anchor_text(heading: &str) -> String {
    let plain = heading.replace(['#', '^', '|', '[', ']', '\\'], " ");
    fold_whitespace(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::sample::note;
    use crate::path::NotePath;

    /// Renames the note at position 0 and returns the rewritten body of the note at `from`.
    fn relinked(notes: Vec<Note>, path: &str, title: &str, from: usize, body: &str) -> String {
        let mut old = notes;
        old[from] = old[from].clone().with_body(body);
        let mut new = old.clone();
        new[0].aliases.push(old[0].title.clone());
        (new[0].path, new[0].title) = (NotePath::parse(path).unwrap(), title.to_owned());
        let relinker = Relinker::new(&old, &new, 0).with_heading(&old[0].title, title);
        assert!(relinker.affected().contains(&from) || !body.contains('['));
        let text = relinker.relinked(from, body);
        // The graph is the same as before.
        let mut relinked = new.clone();
        relinked[from] = relinked[from].clone().with_body(&text);
        let (before, after) = (NoteNames::of(&old), NoteNames::of(&relinked));
        let ends = |names: &NoteNames<'_>, notes: &[Note]| {
            notes[from].links.iter().map(|link| names.resolve_link(from, link)).collect::<Vec<_>>()
        };
        assert_eq!(ends(&before, &old), ends(&after, &relinked), "{body}\n{text}");
        text
    }

    #[test]
    fn each_form_of_reference_follows_a_renamed_note() {
        let vault = || {
            let cats = Note { aliases: vec!["Felines".into()], ..note("Topics/Cats.md", "All cats") };
            vec![
                cats.with_id("a4855549-0184-4510-b102-e83a63a6de27"),
                note("Home.md", "Home"),
                note("Other/Dogs.md", "Dogs"),
            ]
        };
        for (before, after) in [
            ("[[Cats]] [[Topics/cats#Food|them]]", "[[Dogs 2]] [[Topics/Dogs 2#Food|them]]"),
            ("![[Cats.md|All cats]] [[All cats]]", "![[Dogs 2.md|About dogs]] [[Dogs 2|About dogs]]"),
            (
                "[All cats](Topics/Cats.md) [x](Topics/Cats)",
                "[About dogs](Topics/Dogs%202.md) [x](Topics/Dogs%202)",
            ),
            ("[[Cats#All cats]] [[all-cats]]", "[[Dogs 2#About dogs]] [[Dogs 2|About dogs]]"),
            ("[[Felines]] [[a48555]] [[Dogs]] [[Nothing]]", "[[Felines]] [[a48555]] [[Dogs]] [[Nothing]]"),
        ] {
            assert_eq!(relinked(vault(), "Topics/Dogs 2.md", "About dogs", 1, before), after);
        }
    }

    #[test]
    fn a_link_to_another_note_is_kept_from_the_new_name() {
        let vault = || vec![note("A/Old.md", "Old"), note("A/Here.md", "Here"), note("B/Twin.md", "Twin")];
        assert_eq!(relinked(vault(), "A/Twin.md", "Twin", 1, "[[Twin]] [[Old]]"), "[[B/Twin]] [[Twin]]");
    }

    #[test]
    fn a_link_that_still_leads_to_a_moved_note_stays_as_it_is() {
        let vault = || vec![note("Topics/Cats.md", "All cats"), note("Home.md", "Home")];
        let links = "[[cats]] [[CATS.md#Food|them]] ![[Cats]] [[all cats]] [x](cats.md)";
        assert_eq!(relinked(vault(), "vault/Cats.md", "All cats", 1, links), links);
        assert_eq!(
            relinked(vault(), "vault/Cats.md", "All cats", 1, "[[topics/cats]] [x](Topics/Cats.md)"),
            "[[Cats]] [x](vault/Cats.md)"
        );
    }

    #[test]
    fn a_note_that_moves_keeps_its_relative_links() {
        let vault = || vec![note("graph/a/Old.md", "Old"), note("graph/b/To.md", "To")];
        assert_eq!(
            relinked(vault(), "vault/Old.md", "Old", 0, "[x](../b/To.md#y) [[To]]"),
            "[x](../graph/b/To.md#y) [[To]]"
        );
    }
}
