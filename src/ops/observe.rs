//! What somebody saw, told by a program: a new observation, or credit for the memory that says so already.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::memory::Memory;
use super::{add, mark, similar};
use crate::curate::conflict::{Statement, opposition};
use crate::domain::note::check::is_category;
use crate::domain::note::{Kind, Priority, Signal};

/// What was seen.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// In markdown; its first sentence becomes the title.
    pub content: String,
    /// What it is about: `gotcha`, `convention`, …
    pub category: Option<String>,
    /// How slowly it fades.
    pub priority: Option<Priority>,
    /// Its tags.
    pub tags: Vec<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Observed {
    /// The new note, or the one that says so already.
    pub id: String,
    /// Its file.
    pub path: String,
    /// Whether it is new.
    pub added: bool,
    /// Whether the note that says so already was credited; a session credits a note once.
    pub credited: bool,
    /// The commit; null where commits are manual or nothing changed.
    pub commit: Option<String>,
}

/// The lengths of what is told, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 10..=20_000;
/// The longest title that is made of it, in characters.
const TITLE: usize = 80;
/// So many memories are compared with it.
const COMPARED: usize = 5;

/// Stores what was seen, or credits the memory that says so already.
///
/// # Errors
/// A text or category that cannot be, and those of [`add::add`] and [`mark::mark`].
pub fn observe(memory: &Memory, options: &Options) -> Result<Observed> {
    let told = checked(options)?;
    if let Some(known) = known(memory, told)? {
        let word = mark::Options { signal: Signal::Helpful, because: None, weight: None };
        let marked = mark::mark(memory, &known, &word)?;
        let mark::Marked { id, path, commit, changed, .. } = marked;
        return Ok(Observed { id, path, added: false, credited: changed, commit });
    }
    let category = options.category.clone().map(|category| ("category".to_owned(), category));
    let priority = options.priority.map(|priority| ("priority".to_owned(), priority.name().to_owned()));
    let added = add::add(
        memory,
        &add::Options {
            note_type: "observation".to_owned(),
            title: title(told),
            tags: options.tags.clone(),
            body: Some(told.to_owned()),
            extra: category.into_iter().chain(priority).collect(),
            ..add::Options::default()
        },
    )?;
    Ok(Observed { id: added.id, path: added.path, added: true, credited: false, commit: added.commit })
}

fn checked(options: &Options) -> Result<&str> {
    let told = options.content.trim();
    let length = told.chars().count();
    if !LENGTH.contains(&length) || told.contains('\0') {
        let (least, most) = (LENGTH.start(), LENGTH.end());
        return Err(Error::usage(format!(
            "an observation is text of {least} to {most} characters, and this one has {length}"
        ))
        .hint("for example: The gateway drops idle sockets after 60 s."));
    }
    if let Some(category) = options.category.as_deref().filter(|category| !is_category(category)) {
        return Err(
            Error::usage(format!("`{category}` is no category")).hint("for example: gotcha, or build-tools")
        );
    }
    Ok(told)
}

/// The memory that says the same, by its words or by what it means, and not the opposite.
fn known(memory: &Memory, told: &str) -> Result<Option<String>> {
    let settings = &memory.target().settings;
    let (words, meaning) =
        (settings.number("curation.duplicate_jaccard"), settings.number("curation.duplicate_cosine"));
    let statement = Statement::of(told);
    let found = similar::like_text(memory, told, Kind::Memory, COMPARED)?;
    let same = found.into_iter().find(|(alike, text)| {
        (alike.words >= words || alike.meaning >= Some(meaning))
            && opposition(&statement, &Statement::of(text)).is_none()
    });
    Ok(same.map(|(alike, _)| alike.id))
}

/// The first sentence on one line, cut where a word ends.
fn title(told: &str) -> String {
    let line = told
        .lines()
        .map(|line| line.trim_start_matches(['#', '-', '*', '>', ' ']))
        .find(|line| !line.is_empty());
    let line = line.unwrap_or(told).trim();
    let sentence = line.find(". ").map_or(line, |end| &line[..end]).trim_end_matches('.');
    if sentence.chars().count() <= TITLE {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(TITLE).collect();
    let end = cut.rfind(char::is_whitespace).filter(|end| *end > 0).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_is_the_first_sentence_or_as_many_words_of_it_as_fit() {
        assert_eq!(title("The gateway drops idle sockets. After 60 s."), "The gateway drops idle sockets");
        assert_eq!(title("# Heading\n\nText."), "Heading");
        let long = "word ".repeat(40);
        assert_eq!(title(&long).chars().count(), 80);
        assert!(title(&long).ends_with("word…"));
    }

    proptest! {
        #[test]
        fn a_title_is_short_whatever_is_told(told in any::<String>()) {
            prop_assert!(title(&told).chars().count() <= TITLE + 1);
        }
    }
}
