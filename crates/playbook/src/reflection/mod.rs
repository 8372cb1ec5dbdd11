//! Generates REFLECTION.md, an overview of the vault: themes, patterns across projects, usage, the
//! state of the playbook, contradictions and replacements.
//!
//! It only counts and lists; no model is called.

mod history;
mod playbook;
mod tagging;

use std::cmp::Reverse;

use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::markdown::escape::escape_inline;
use cm_note::note::{Note, NoteKind};
use cm_note::score::{AccessStatistics, DecayScore, Scoring};

use crate::current_notes::live;
use crate::generated::{GeneratedFile, clipped, head, link};
use crate::rule_pairs::PairFinder;
use tagging::TagIndex;

/// Settings for the generated overview of a vault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReflectionSettings {
    /// Names of the vault's projects. If empty, every workspace is a project.
    pub projects: Vec<String>,
    /// Constants for computing scores from feedback.
    pub scoring: Scoring,
}

// Maximum numbers of entries in the sections of REFLECTION.md.
const MAX_THEMES: usize = 8;
/// Maximum number of notes named for a theme.
const MAX_EXAMPLES: usize = 3;
const MAX_PATTERNS: usize = 10;
const MAX_PROJECTS: usize = 8;
/// Maximum number of notes in the list of those read most.
const MAX_READ_NOTES: usize = 10;
const MAX_INSIGHTS: usize = 10;
/// Maximum length of an insight, in characters.
const MAX_INSIGHT_CHARS: usize = 80;
const MAX_CONTRADICTIONS: usize = 20;
const MAX_HISTORY_ENTRIES: usize = 20;

/// Generates the overview of a vault at `now`. `scores` and `usage` are parallel to the graph's
/// notes; missing values count as zero. `pairs` compares the live rules.
pub fn plan_reflection(
    graph: &Graph<'_>,
    scores: &[DecayScore],
    usage: &[AccessStatistics],
    settings: &ReflectionSettings,
    pairs: &PairFinder<'_>,
    now: Instant,
) -> GeneratedFile {
    let view = VaultView { graph, scores, usage, live: live(graph) };
    let memories: Vec<usize> = (0..graph.notes().len()).filter(|note| view.is_live_memory(*note)).collect();
    let tagging = TagIndex::of(graph.notes(), &memories);
    let playbook_view = playbook::PlaybookView::of(&view, settings, pairs, now);
    let sections = [
        ReflectionSection::of(
            "Themes",
            view.themes(&tagging),
            "No two tags occur together on several notes.",
        ),
        ReflectionSection::of(
            "Cross-Project Patterns",
            view.patterns(&tagging, settings),
            "No tag occurs in two or more projects.",
        ),
        ReflectionSection::of("Most Accessed", view.accessed(), "No note was read yet."),
        ReflectionSection::of("Recent Insights", view.insights(), "No insights yet."),
        ReflectionSection::of(
            "Playbook health",
            view.playbook(&playbook_view, settings, now),
            "No rules yet.",
        ),
        ReflectionSection::of("Contradictions", view.contradictions(&playbook_view), "No open conflicts."),
        ReflectionSection::of(
            "Consolidation History",
            view.history(),
            "Nothing was merged or superseded yet.",
        ),
    ];
    let counted = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let (valid, edges) = (memories.len(), graph.edges().len());
    let (valid, edges) = (counted(valid, "valid memory", "valid memories"), counted(edges, "edge", "edges"));
    let figures = format!("{valid}, {edges}.");
    let mut text = head("Reflection", &now.day(), "cm reflection", &figures);
    text.extend(sections.iter().map(ReflectionSection::text));
    let entries = sections.iter().map(|section| section.list.lines.len()).sum();
    let omitted = sections.iter().map(|section| section.list.more).sum();
    GeneratedFile::new(text, entries, omitted)
}

/// A section of the overview: heading, lines, and a text for an empty list.
struct ReflectionSection {
    title: &'static str,
    list: SectionLines,
    empty: &'static str,
}

/// Lines of a list, with the number of items that are not shown.
struct SectionLines {
    lines: Vec<String>,
    more: usize,
}

impl SectionLines {
    /// Formats the first `most` items and does not mention the others.
    fn top<T>(items: &[T], most: usize, line: impl Fn(&T) -> String) -> Self {
        Self { lines: items.iter().take(most).map(line).collect(), more: 0 }
    }

    /// Formats the first `most` items and counts the others as `more`.
    fn all<T>(items: &[T], most: usize, line: impl Fn(&T) -> String) -> Self {
        Self { more: items.len().saturating_sub(most), ..Self::top(items, most, line) }
    }
}

impl ReflectionSection {
    fn of(title: &'static str, list: SectionLines, empty: &'static str) -> Self {
        Self { title, list, empty }
    }

    fn text(&self) -> String {
        let mut text = format!("\n## {}\n\n", self.title);
        for line in &self.list.lines {
            text += &format!("- {line}\n");
        }
        if self.list.lines.is_empty() {
            text += &format!("{}\n", self.empty);
        }
        if self.list.more > 0 {
            text += &format!("- and {} more\n", self.list.more);
        }
        text
    }
}

struct VaultView<'v, 'n> {
    graph: &'v Graph<'n>,
    scores: &'v [DecayScore],
    usage: &'v [AccessStatistics],
    live: Vec<bool>,
}

impl<'v> VaultView<'v, '_> {
    fn note(&self, note: usize) -> &'v Note {
        &self.graph.notes()[note]
    }

    fn link(&self, note: usize) -> String {
        link(&self.note(note).title, &self.note(note).path)
    }

    fn score(&self, note: usize) -> DecayScore {
        self.scores.get(note).copied().unwrap_or_default()
    }

    fn is_live_memory(&self, note: usize) -> bool {
        self.live[note] && self.note(note).kind == NoteKind::Memory
    }

    /// Lists the pairs of tags that occur together in the most notes, with example notes.
    fn themes(&self, tagging: &TagIndex<'_>) -> SectionLines {
        SectionLines::top(&tagging.pairs(), MAX_THEMES, |pair| {
            let mut notes = tagging.notes_with(pair.tags);
            notes.sort_by_key(|note| (Reverse(self.score(*note)), self.note(*note).key()));
            let examples: Vec<String> =
                notes.iter().take(MAX_EXAMPLES).map(|note| self.link(*note)).collect();
            let [a, b] = pair.tags.map(|tag| escape_inline(tagging.name(tag)));
            format!("**{a} + {b}** ({}): {}", pair.count, examples.join(", "))
        })
    }

    /// Lists the tags that the most projects use, with the number of notes per project.
    fn patterns(&self, tagging: &TagIndex<'_>, settings: &ReflectionSettings) -> SectionLines {
        let patterns = tagging.across_projects(self.graph.notes(), &settings.projects);
        SectionLines::top(&patterns, MAX_PATTERNS, |pattern| {
            let counted = |(name, count): &(&str, usize)| format!("{} {count}", escape_inline(name));
            let mut counts: Vec<String> = pattern.projects.iter().take(MAX_PROJECTS).map(counted).collect();
            if pattern.projects.len() > MAX_PROJECTS {
                counts.push(format!("and {} more", pattern.projects.len() - MAX_PROJECTS));
            }
            format!("**{}**: {}", escape_inline(tagging.name(pattern.tag)), counts.join(", "))
        })
    }

    fn accessed(&self) -> SectionLines {
        let accesses = |note: usize| self.usage.get(note).map_or(0, |usage| usage.accesses);
        let is_accessed = |note: &usize| accesses(*note) > 0 && self.note(*note).kind != NoteKind::Edge;
        let mut notes: Vec<usize> = (0..self.graph.notes().len()).filter(is_accessed).collect();
        notes.sort_by_key(|note| (Reverse(accesses(*note)), self.note(*note).key()));
        SectionLines::top(&notes, MAX_READ_NOTES, |note| match accesses(*note) {
            1 => format!("{} (1 time)", self.link(*note)),
            times => format!("{} ({times} times)", self.link(*note)),
        })
    }

    fn insights(&self) -> SectionLines {
        let written = |note: usize| self.note(note).created.or(self.note(note).updated);
        let is_insight = |note: &usize| {
            self.is_live_memory(*note) && self.note(*note).note_type.as_deref() == Some("insight")
        };
        let mut notes: Vec<usize> = (0..self.graph.notes().len()).filter(is_insight).collect();
        notes.sort_by_key(|note| (Reverse(written(*note)), self.note(*note).key()));
        SectionLines::top(&notes, MAX_INSIGHTS, |note| {
            let Note { title, summary, .. } = self.note(*note);
            // A body often begins with its title once more.
            let rest = clipped(summary.strip_prefix(title.as_str()).unwrap_or(summary), MAX_INSIGHT_CHARS);
            let rest = if rest.is_empty() { rest } else { format!(": {rest}") };
            format!("{}{}{rest}", dated(written(*note)), self.link(*note))
        })
    }
}

fn dated(at: Option<Instant>) -> String {
    at.map_or(String::new(), |at| format!("{} ", at.day()))
}

#[cfg(test)]
mod tests;
