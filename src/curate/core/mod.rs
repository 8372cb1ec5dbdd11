//! CORE.md: the memories that an agent loads into its system prompt, best first, within a budget of tokens.
//!
//! It lists titles and paths, never bodies. It reads and writes no file.

use std::cmp::Reverse;

use crate::domain::graph::Graph;
use crate::domain::markdown::escape::escape_link_text;
use crate::domain::note::{Kind, Note};
use crate::domain::path::NotePath;
use crate::domain::score::Score;

use super::generated::{GeneratedFile, head, link, tokens};
use super::live::live;

pub use super::generated::same_but_for_day;

/// A memory that may be listed.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreEntry {
    /// What it answers to.
    pub id: String,
    /// Its title, as written.
    pub title: String,
    /// Where it lies.
    pub path: NotePath,
    /// Its type, empty for none.
    pub note_type: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its decay score.
    pub score: Score,
    /// Whether somebody pinned it.
    pub pinned: bool,
}

/// The limits of the file, and what a vault adds to it.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreSettings {
    /// The whole file's budget.
    pub tokens: usize,
    /// The most entries of a section; pinned ones have no such limit.
    pub per_section: usize,
    /// The least score that is listed.
    pub least_score: f64,
    /// The least score that counts as active in the header.
    pub active_score: f64,
    /// Sections after the built-in ones: titles with types.
    pub extra_sections: Vec<(String, Vec<String>)>,
}

impl Default for CoreSettings {
    /// What an agent wants beside the built-in sections: what the people around it prefer and take for granted,
    /// what was understood, and the team's own observations. Problems and errors are reached through their
    /// solutions, and `general` says too little.
    fn default() -> Self {
        let section = |title: &str, types: &[&str]| {
            (title.to_owned(), types.iter().map(|name| (*name).to_owned()).collect())
        };
        Self {
            tokens: 3_000,
            per_section: 15,
            least_score: 0.2,
            active_score: 0.5,
            extra_sections: vec![
                section("Preferences & Facts", &["preference", "fact"]),
                section("Insights", &["insight"]),
                section("Observations", &["observation"]),
            ],
        }
    }
}

/// A section of the file.
enum Section<'s> {
    /// Pinned memories of any type.
    Pinned,
    /// Memories of some types.
    Memories { title: &'s str, types: Vec<&'s str> },
}

const BUILT_IN: [(&str, &[&str]); 5] = [
    ("Critical Solutions", &["solution"]),
    ("Active Decisions", &["decision"]),
    ("Key Fixes", &["fix"]),
    ("Configurations", &["configuration"]),
    ("Patterns & Workflows", &["code_pattern", "workflow", "procedure"]),
];

impl<'s> Section<'s> {
    /// All sections in order. An entry belongs to the first that takes it.
    fn all(settings: &'s CoreSettings) -> Vec<Self> {
        let built_in = BUILT_IN.iter().map(|(title, types)| Self::Memories { title, types: types.to_vec() });
        let extra = settings.extra_sections.iter().map(|(title, types)| Self::Memories {
            title,
            types: types.iter().map(String::as_str).collect(),
        });
        [Self::Pinned].into_iter().chain(built_in).chain(extra).collect()
    }

    fn takes(&self, entry: &CoreEntry) -> bool {
        match self {
            Self::Pinned => entry.pinned,
            Self::Memories { types, .. } => types.contains(&entry.note_type.as_str()),
        }
    }

    fn heading(&self) -> String {
        let title = match self {
            Self::Pinned => "Pinned",
            Self::Memories { title, .. } => title,
        };
        format!("\n## {}\n\n", escape_link_text(title))
    }
}

/// The memories that may be listed: those that hold, with their scores, which stand in the order of the notes.
/// A pinned one is listed even where another supersedes it: a person has said so, and can take it back.
pub fn core_entries(graph: &Graph<'_>, scores: &[Score]) -> Vec<CoreEntry> {
    let live = live(graph);
    let listed = |(note, live): (&Note, bool)| {
        let draft = note.state.as_deref() == Some("draft");
        note.kind == Kind::Memory && !draft && (live || note.pinned)
    };
    let notes = graph.notes().iter().zip(live).zip(scores);
    notes.filter(|(note, _)| listed(*note)).map(|((note, _), score)| CoreEntry::of(note, *score)).collect()
}

impl CoreEntry {
    fn of(note: &Note, score: Score) -> Self {
        Self {
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.clone(),
            note_type: note.note_type.clone().unwrap_or_default(),
            tags: note.tags.clone(),
            score,
            pinned: note.pinned,
        }
    }

    fn line(&self) -> String {
        let tags: Vec<String> =
            self.tags.iter().map(|tag| escape_link_text(tag)).filter(|tag| !tag.is_empty()).collect();
        let tags = if tags.is_empty() { String::new() } else { format!(" ({})", tags.join(", ")) };
        format!("- {}{tags}\n", link(&self.title, &self.path))
    }
}

/// An entry with its place in the file.
struct Placed {
    section: usize,
    line: String,
    characters: usize,
}

/// How many entries are left out, and why.
#[derive(Default)]
struct LeftOut {
    faded: usize,
    no_section: usize,
    full_section: usize,
    no_space: usize,
}

/// The file for these memories on that day. Entries leave it lowest score first until it fits its budget; the
/// same arguments give the same bytes.
pub fn plan_core(entries: &[CoreEntry], settings: &CoreSettings, day: &str) -> GeneratedFile {
    let sections = Section::all(settings);
    let (mut placed, mut left_out) = place(entries, &sections, settings);
    let active =
        entries.iter().filter(|entry| entry.pinned || entry.score.value() >= settings.active_score).count();
    let head = |listed: usize, left_out: &LeftOut| {
        let figures = format!(
            "{active} active of {} memories, {listed} listed. {}",
            entries.len(),
            left_out.say(settings)
        );
        head("Core memory", day, "cm core", &figures)
    };
    let headings: Vec<String> = sections.iter().map(Section::heading).collect();
    let mut of_section = vec![0; sections.len()];
    let mut characters = 0;
    for entry in &placed {
        if of_section[entry.section] == 0 {
            characters += headings[entry.section].chars().count();
        }
        of_section[entry.section] += 1;
        characters += entry.characters;
    }
    while tokens(head(placed.len(), &left_out).chars().count() + characters) > settings.tokens {
        let Some(dropped) = placed.pop() else { break };
        left_out.no_space += 1;
        characters -= dropped.characters;
        of_section[dropped.section] -= 1;
        if of_section[dropped.section] == 0 {
            characters -= headings[dropped.section].chars().count();
        }
    }
    let mut text = head(placed.len(), &left_out);
    for (section, heading) in headings.iter().enumerate().filter(|(section, _)| of_section[*section] > 0) {
        text += heading;
        text.extend(placed.iter().filter(|entry| entry.section == section).map(|entry| entry.line.as_str()));
    }
    GeneratedFile::new(text, placed.len(), left_out.total())
}

/// The entries that have a place, best first, before the budget is looked at.
fn place(entries: &[CoreEntry], sections: &[Section<'_>], settings: &CoreSettings) -> (Vec<Placed>, LeftOut) {
    let mut left_out = LeftOut::default();
    let mut ranked: Vec<&CoreEntry> =
        entries.iter().filter(|entry| entry.score.value() >= settings.least_score).collect();
    left_out.faded = entries.len() - ranked.len();
    ranked.sort_by_key(|entry| (Reverse(entry.score), &entry.id, &entry.path));
    let mut filled = vec![0; sections.len()];
    let mut placed = Vec::new();
    for entry in ranked {
        let Some(section) = sections.iter().position(|section| section.takes(entry)) else {
            left_out.no_section += 1;
            continue;
        };
        if filled[section] == settings.per_section && !entry.pinned {
            left_out.full_section += 1;
            continue;
        }
        filled[section] += 1;
        let line = entry.line();
        placed.push(Placed { section, characters: line.chars().count(), line });
    }
    (placed, left_out)
}

impl LeftOut {
    /// What is left out although its score is high enough.
    fn total(&self) -> usize {
        self.no_section + self.full_section + self.no_space
    }

    fn say(&self, settings: &CoreSettings) -> String {
        let reasons = [
            (self.no_space, "for space".to_owned()),
            (self.full_section, format!("beyond {} a section", settings.per_section)),
            (self.no_section, "of types without a section".to_owned()),
            (self.faded, format!("below a score of {}", settings.least_score)),
        ];
        let said: Vec<String> = reasons
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        if said.is_empty() {
            "Nothing left out.".to_owned()
        } else {
            format!("Left out: {}.", said.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
