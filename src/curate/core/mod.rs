//! CORE.md: the memories and rules that an agent loads into its system prompt, best first, within a budget of tokens.
//!
//! It lists titles and paths, never bodies; the title of a bullet is its rule, which is to be followed without opening a
//! file. It reads and writes no file.

mod entry;

use crate::domain::markdown::escape::escape_link_text;
use crate::domain::note::check::RULE;

use super::generated::{GeneratedFile, head, tokens};

pub use super::generated::same_but_for_day;
pub use entry::{CoreEntry, Worth, core_entries};

/// The limits of the file, and what a vault adds to it.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreSettings {
    /// The whole file's budget.
    pub tokens: usize,
    /// The most entries of a section; pinned ones are listed beyond it.
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
    /// Bullets that say what to do.
    Rules,
    /// Bullets that say what to avoid.
    Pitfalls,
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
        let bullets = [Self::Rules, Self::Pitfalls];
        [Self::Pinned].into_iter().chain(built_in).chain(bullets).chain(extra).collect()
    }

    fn takes(&self, entry: &CoreEntry) -> bool {
        match (self, entry.worth) {
            (Self::Pinned, Worth::Memory(_)) => entry.pinned,
            (Self::Memories { types, .. }, Worth::Memory(_)) => types.contains(&entry.note_type.as_str()),
            (Self::Rules, Worth::Bullet { anti_pattern, .. }) => !anti_pattern,
            (Self::Pitfalls, Worth::Bullet { anti_pattern, .. }) => anti_pattern,
            _ => false,
        }
    }

    fn heading(&self) -> String {
        let title = match self {
            Self::Pinned => "Pinned",
            Self::Memories { title, .. } => title,
            Self::Rules => "Rules",
            Self::Pitfalls => "Pitfalls",
        };
        format!("\n## {}\n\n", escape_link_text(title))
    }
}

/// An entry with its place in the file.
struct Placed {
    section: usize,
    /// Which of its section it is, from the best.
    at: usize,
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
    too_long: usize,
}

/// The file for these entries on that day. They leave it lowest score first until it fits its budget; the same
/// arguments give the same bytes.
pub fn plan_core(entries: &[CoreEntry], settings: &CoreSettings, day: &str) -> GeneratedFile {
    let sections = Section::all(settings);
    let (mut placed, mut left_out) = place(entries, &sections, settings);
    let counts = counts(entries, settings);
    let head = |listed: usize, left_out: &LeftOut| {
        let figures = format!("{counts}, {listed} listed. {}", left_out.say(settings));
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
    placed.sort_by_key(|entry| (entry.section, entry.at));
    for of_one in placed.chunk_by(|a, b| a.section == b.section) {
        text += &headings[of_one[0].section];
        text.extend(of_one.iter().map(|entry| entry.line.as_str()));
    }
    GeneratedFile::new(text, placed.len(), left_out.total())
}

/// How many entries there are, and how many of the memories are active.
fn counts(entries: &[CoreEntry], settings: &CoreSettings) -> String {
    let scores = entries.iter().filter_map(|entry| match entry.worth {
        Worth::Memory(score) => Some((entry.pinned, score)),
        Worth::Bullet { .. } => None,
    });
    let memories = scores.clone().count();
    let active = scores.filter(|(pinned, score)| *pinned || score.value() >= settings.active_score).count();
    match entries.len() - memories {
        0 => format!("{active} active of {memories} memories"),
        1 => format!("{active} active of {memories} memories, 1 bullet in use"),
        bullets => format!("{active} active of {memories} memories, {bullets} bullets in use"),
    }
}

/// The entries that have a place, the last to leave first, before the budget is looked at.
fn place(entries: &[CoreEntry], sections: &[Section<'_>], settings: &CoreSettings) -> (Vec<Placed>, LeftOut) {
    let least = settings.least_score;
    let mut left_out = LeftOut::default();
    let mut of_section: Vec<Vec<&CoreEntry>> = vec![Vec::new(); sections.len()];
    for entry in entries {
        match sections.iter().position(|section| section.takes(entry)) {
            _ if !entry.counts(least) => left_out.faded += 1,
            _ if entry.is_too_long() => left_out.too_long += 1,
            None => left_out.no_section += 1,
            Some(section) => of_section[section].push(entry),
        }
    }
    let mut ranked = Vec::new();
    for (section, mut entries) in of_section.into_iter().enumerate() {
        entries.sort_by_key(|entry| entry.place(least));
        let pinned = entries.iter().filter(|entry| entry.pinned).count();
        let most = settings.per_section.max(pinned);
        left_out.full_section += entries.len().saturating_sub(most);
        ranked.extend(entries.into_iter().take(most).enumerate().map(|(at, entry)| (entry, section, at)));
    }
    ranked.sort_by_key(|(entry, ..)| entry.rank(least));
    let placed = ranked.into_iter().map(|(entry, section, at)| {
        let line = entry.line();
        Placed { section, at, characters: line.chars().count(), line }
    });
    (placed.collect(), left_out)
}

impl LeftOut {
    /// What is left out although its score is high enough.
    fn total(&self) -> usize {
        self.no_section + self.full_section + self.no_space + self.too_long
    }

    fn say(&self, settings: &CoreSettings) -> String {
        let reasons = [
            (self.no_space, "for space".to_owned()),
            (self.full_section, format!("beyond {} a section", settings.per_section)),
            (self.no_section, "of types without a section".to_owned()),
            (self.too_long, format!("longer than the {} characters of a rule", RULE.end())),
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
