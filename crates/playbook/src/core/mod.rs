//! Generates CORE.md: the memories and rules that an agent loads into its system prompt, best
//! first, within a token budget.
//!
//! It lists titles, not bodies; the title of a rule is its text. Paths take at most a fifth of the
//! file: the best entries have a link, the others their id. This module accesses no files.

mod entry;
mod listing;

use cm_note::markdown::escape::escape_link_text;
use cm_note::note::check::RULE;

use crate::generated::{GeneratedFile, head, tokens};
use entry::CoreLine;

pub use crate::generated::same_but_for_day;
use cm_text::plural::count;
pub use entry::{
    CoreEntry, EntryScore, LinkStyle, OmissionReason, core_entries, excluded_notes, memory_entries,
};
pub use listing::{may_be_listed, without_entries};

/// The core file, and what it lists and leaves out.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreContents {
    pub file: GeneratedFile,
    /// Estimated tokens of the header above the first section.
    pub header_tokens: usize,
    /// Sections with at least one entry, in the order of the file.
    pub sections: Vec<SectionContents>,
    /// Entries that are left out, by their index.
    pub omitted: Vec<(usize, OmissionReason)>,
}

/// A section of the core file.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionContents {
    pub title: String,
    /// Estimated tokens of the section with its heading.
    pub tokens: usize,
    /// Maximum number of entries, not counting pinned ones beyond it; `None` if only the token
    /// budget limits the section.
    pub limit: Option<usize>,
    /// Entries in the order of the file.
    pub entries: Vec<ListedEntry>,
}

/// An entry that the core file lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedEntry {
    /// Index of the entry.
    pub entry: usize,
    /// Estimated tokens of its line.
    pub tokens: usize,
}

/// Limits and contents of the core file.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreSettings {
    /// Token budget of the whole core file.
    pub tokens: usize,
    /// Maximum number of entries per section; pinned entries are listed in addition.
    pub per_section: usize,
    /// Score below which an entry is fading: listed only if space remains.
    pub least_score: f64,
    /// Format of links.
    pub links: LinkStyle,
    /// Additional sections: their titles, each with the note types that it lists.
    pub extra_sections: Vec<(String, Vec<String>)>,
}

impl Default for CoreSettings {
    /// Default limits, with additional sections for preferences, insights and observations. All
    /// other note types are listed last.
    fn default() -> Self {
        let section = |title: &str, types: &[&str]| {
            (title.to_owned(), types.iter().map(|name| (*name).to_owned()).collect())
        };
        Self {
            tokens: 3_000,
            per_section: 15,
            least_score: 0.2,
            links: LinkStyle::Path,
            extra_sections: vec![
                section("Preferences & Facts", &["preference", "fact"]),
                section("Insights", &["insight"]),
                section("Observations", &["observation"]),
            ],
        }
    }
}

/// A section of the core file.
enum CoreSection<'s> {
    /// Pinned memories of any type.
    Pinned,
    /// Memories of certain note types.
    Memories {
        title: &'s str,
        types: Vec<&'s str>,
    },
    Rules,
    /// Anti-patterns.
    Pitfalls,
    /// Memories of the types that no other section lists.
    Other,
    /// Plain notes, which have no score; listed only if space remains.
    Notes,
    /// Entries with a score below [`CoreSettings::least_score`]; listed only if space remains.
    Fading,
}

const BUILT_IN: [(&str, &[&str]); 5] = [
    ("Critical Solutions", &["solution"]),
    ("Active Decisions", &["decision"]),
    ("Key Fixes", &["fix"]),
    ("Configurations", &["configuration"]),
    ("Patterns & Workflows", &["code_pattern", "workflow", "procedure"]),
];

impl<'s> CoreSection<'s> {
    /// Returns all sections in display order. An entry belongs to the first section that accepts
    /// it.
    fn all(settings: &'s CoreSettings) -> Vec<Self> {
        let built_in = BUILT_IN.iter().map(|(title, types)| Self::Memories { title, types: types.to_vec() });
        let extra = settings.extra_sections.iter().map(|(title, types)| Self::Memories {
            title,
            types: types.iter().map(String::as_str).collect(),
        });
        let bullets = [Self::Rules, Self::Pitfalls];
        let last = [Self::Other, Self::Notes, Self::Fading];
        [Self::Pinned].into_iter().chain(built_in).chain(bullets).chain(extra).chain(last).collect()
    }

    fn takes(&self, entry: &CoreEntry, fading: bool) -> bool {
        match (self, entry.worth) {
            (Self::Notes, _) => entry.plain && !entry.pinned,
            (Self::Fading, _) => true,
            _ if fading => false,
            (Self::Pinned, EntryScore::Memory(_)) => entry.pinned,
            (Self::Memories { types, .. }, EntryScore::Memory(_)) => {
                types.contains(&entry.note_type.as_str())
            }
            (Self::Rules, EntryScore::Bullet { anti_pattern, .. }) => !anti_pattern,
            (Self::Pitfalls, EntryScore::Bullet { anti_pattern, .. }) => anti_pattern,
            (Self::Other, EntryScore::Memory(_)) => true,
            _ => false,
        }
    }

    fn title(&self) -> &'s str {
        match self {
            Self::Pinned => "Pinned",
            Self::Memories { title, .. } => title,
            Self::Rules => "Rules",
            Self::Pitfalls => "Pitfalls",
            Self::Other => "Other",
            Self::Notes => "Notes",
            Self::Fading => "Fading",
        }
    }

    fn heading(&self) -> String {
        format!("\n## {}\n\n", escape_link_text(self.title()))
    }

    /// Whether only the token budget limits the number of entries.
    fn is_filler(&self) -> bool {
        matches!(self, Self::Notes | Self::Fading)
    }
}

/// An entry with its section and rank.
struct PlacedEntry {
    /// Index of the entry.
    entry: usize,
    section: usize,
    /// Rank within the section, 0 for the best entry.
    at: usize,
    line: CoreLine,
}

/// Omitted entries, by reason.
#[derive(Default)]
struct OmittedEntries {
    harmful: Vec<usize>,
    full_section: Vec<usize>,
    too_long: Vec<usize>,
    /// Entries that cannot fit, whatever else is listed.
    beyond: Vec<usize>,
    /// Number of entries for which there is no space, with those beyond.
    no_space: usize,
}

/// The paths of all links may use at most the file's length divided by this number.
const PATH_SHARE: usize = 5;

/// Generates the file for `day`. Entries with the lowest scores are dropped until it fits the
/// budget. The output is deterministic.
pub fn core_contents(entries: &[CoreEntry], settings: &CoreSettings, day: &str) -> CoreContents {
    let sections = CoreSection::all(settings);
    let (placed, mut left_out) = place(entries, &sections, settings);
    let (counts, all) = (counts(entries), placed.len() + left_out.beyond.len());
    let is_fading = |entry: &&PlacedEntry| matches!(sections.get(entry.section), Some(CoreSection::Fading));
    let head = |listed: &[PlacedEntry], left_out: &OmittedEntries| {
        let fading = match listed.iter().filter(is_fading).count() {
            0 => String::new(),
            count => format!(", {count} of them fading"),
        };
        let figures = format!("{counts}; {} listed{fading}. {}", listed.len(), left_out.describe(settings));
        head("Core memory", day, "cm core", &figures)
    };
    let headings: Vec<String> = sections.iter().map(CoreSection::heading).collect();
    let growth = CumulativeLengths::of(&placed, &headings);
    let mut listed = placed.len();
    loop {
        left_out.no_space = all - listed;
        let characters = head(&placed[..listed], &left_out).chars().count() + growth.characters(listed);
        if listed == 0 || tokens(characters) <= settings.tokens {
            break;
        }
        listed -= 1;
    }
    let (placed, dropped) = placed.split_at(listed);
    let linked = CumulativeLengths::of(placed, &headings).linked;
    let mut text = head(placed, &left_out);
    let header_tokens = tokens(text.chars().count());
    let mut in_order: Vec<(&PlacedEntry, bool)> = placed.iter().zip(linked).collect();
    in_order.sort_by_key(|(entry, _)| (entry.section, entry.at));
    let mut contents = Vec::new();
    for of_one in in_order.chunk_by(|(a, _), (b, _)| a.section == b.section) {
        let begin = text.len();
        let section = of_one[0].0.section;
        text += &headings[section];
        let entries = of_one.iter().map(|(entry, linked)| {
            let line = entry.line.shown(*linked);
            text += line;
            ListedEntry { entry: entry.entry, tokens: tokens(line.chars().count()) }
        });
        let entries = entries.collect();
        contents.push(SectionContents {
            title: sections[section].title().to_owned(),
            tokens: tokens(text[begin..].chars().count()),
            limit: (!sections[section].is_filler()).then_some(settings.per_section),
            entries,
        });
    }
    let file = GeneratedFile::new(text, listed, left_out.total());
    CoreContents { file, header_tokens, sections: contents, omitted: left_out.into_reasons(dropped) }
}

/// Length of the core file after each entry, for finding how many entries fit the budget.
struct CumulativeLengths {
    /// Length of the file in characters if it ended after this entry, including section headings.
    after: Vec<usize>,
    /// For each entry, whether the file links to it.
    linked: Vec<bool>,
}

impl CumulativeLengths {
    fn of(placed: &[PlacedEntry], headings: &[String]) -> Self {
        let (mut characters, mut paths, mut next) = (0_usize, 0_usize, 0_usize);
        let mut begun = vec![false; headings.len()];
        let mut growth = Self { after: Vec::with_capacity(placed.len()), linked: vec![false; placed.len()] };
        for (at, entry) in placed.iter().enumerate() {
            characters += entry.line.bare.chars().count();
            if !std::mem::replace(&mut begun[entry.section], true) {
                characters += headings[entry.section].chars().count();
            }
            while let Some(waiting) = placed.get(next).filter(|_| next <= at) {
                if let Some((line, path)) = &waiting.line.linked {
                    let longer =
                        characters + line.chars().count() - waiting.line.bare.chars().count().min(characters);
                    if (paths + path) * PATH_SHARE > longer {
                        break;
                    }
                    (characters, paths) = (longer, paths + path);
                    growth.linked[next] = true;
                }
                next += 1;
            }
            growth.after.push(characters);
        }
        growth
    }

    /// Length of the first `listed` entries, in characters.
    fn characters(&self, listed: usize) -> usize {
        listed.checked_sub(1).and_then(|last| self.after.get(last)).copied().unwrap_or(0)
    }
}

impl CoreLine {
    /// Length of the shorter form, in characters.
    fn least_characters(&self) -> usize {
        let bare = self.bare.chars().count();
        self.linked.as_ref().map_or(bare, |(line, _)| line.chars().count().min(bare))
    }

    fn shown(&self, linked: bool) -> &str {
        self.linked.as_ref().filter(|_| linked).map_or(self.bare.as_str(), |(line, _)| line)
    }
}

/// Describes how many memories, plain notes and rules are listed, such as "3 memories, 2 rules in
/// use".
fn counts(entries: &[CoreEntry]) -> String {
    let (mut memories, mut plain, mut bullets) = (0, 0, 0);
    for entry in entries {
        match entry.worth {
            EntryScore::Bullet { .. } => bullets += 1,
            EntryScore::Memory(_) if entry.plain => plain += 1,
            EntryScore::Memory(_) => memories += 1,
        }
    }
    let parts = [(memories, "memory", ""), (plain, "plain note", ""), (bullets, "rule", " in use")];
    let listed = parts.into_iter().filter(|(number, ..)| *number > 0);
    let parts: Vec<String> = listed.map(|(number, noun, which)| count(number, noun) + which).collect();
    if parts.is_empty() { "0 memories".to_owned() } else { parts.join(", ") }
}

/// Assigns the entries to sections, best first, and counts those that are never listed.
fn place(
    entries: &[CoreEntry],
    sections: &[CoreSection<'_>],
    settings: &CoreSettings,
) -> (Vec<PlacedEntry>, OmittedEntries) {
    let least = settings.least_score;
    let mut left_out = OmittedEntries::default();
    let mut of_section: Vec<Vec<(usize, &CoreEntry)>> = vec![Vec::new(); sections.len()];
    for (at, entry) in entries.iter().enumerate() {
        let fading = entry.is_fading(least);
        match sections.iter().position(|section| section.takes(entry, fading)) {
            _ if entry.is_harmful() => left_out.harmful.push(at),
            Some(section) if !entry.is_too_long() => of_section[section].push((at, entry)),
            _ => left_out.too_long.push(at),
        }
    }
    let mut ranked = Vec::new();
    for (section, mut entries) in of_section.into_iter().enumerate() {
        if sections[section].is_filler() {
            entries.sort_by_cached_key(|(_, entry)| entry.rank(least));
        } else {
            entries.sort_by_cached_key(|(_, entry)| entry.place(least));
            let pinned = entries.iter().filter(|(_, entry)| entry.pinned).count();
            let most = settings.per_section.max(pinned).min(entries.len());
            left_out.full_section.extend(entries.drain(most..).map(|(at, _)| at));
        }
        ranked.extend(entries.into_iter().enumerate().map(|(at, entry)| (entry, section, at)));
    }
    ranked.sort_by(|((_, a), ..), ((_, b), ..)| a.rank(least).cmp(&b.rank(least)));
    let mut ranked = ranked.into_iter();
    let (mut placed, mut characters) = (Vec::new(), 0);
    // Only so many lines are written as can fit, because a vault may have very many entries.
    while tokens(characters) <= settings.tokens
        && let Some(((index, entry), section, at)) = ranked.next()
    {
        let line = entry.line(settings.links);
        characters += line.least_characters();
        placed.push(PlacedEntry { entry: index, section, at, line });
    }
    left_out.beyond = ranked.map(|((at, _), ..)| at).collect();
    (placed, left_out)
}

impl OmittedEntries {
    /// Number of omitted entries that would be listed if the budget were larger.
    fn total(&self) -> usize {
        self.full_section.len() + self.no_space + self.too_long.len()
    }

    /// Returns all omitted entries with their reasons; `dropped` are those that the budget dropped,
    /// best first.
    fn into_reasons(self, dropped: &[PlacedEntry]) -> Vec<(usize, OmissionReason)> {
        let no_space = dropped.iter().map(|entry| entry.entry).chain(self.beyond);
        let with = |reason: OmissionReason| move |entry: usize| (entry, reason);
        no_space
            .map(with(OmissionReason::NoSpace))
            .chain(self.full_section.into_iter().map(with(OmissionReason::FullSection)))
            .chain(self.too_long.into_iter().map(with(OmissionReason::TooLong)))
            .chain(self.harmful.into_iter().map(with(OmissionReason::Harmful)))
            .collect()
    }

    fn describe(&self, settings: &CoreSettings) -> String {
        let reasons = [
            (self.no_space, "for space".to_owned()),
            (self.full_section.len(), format!("beyond {} a section", settings.per_section)),
            (self.too_long.len(), format!("longer than the {} characters of a rule", RULE.end())),
            (self.harmful.len(), "with more harm than help".to_owned()),
        ];
        let labels: Vec<String> = reasons
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        if labels.is_empty() {
            "Nothing left out.".to_owned()
        } else {
            format!("Left out: {}.", labels.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
