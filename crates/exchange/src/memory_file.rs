//! Generates MEMORY.md, a self-contained export of proven rules, pitfalls and active memories.
//!
//! Unlike CORE.md it contains the text of the notes and has no token limit.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use cm_note::bullet::visibility::may_be_shown;
use cm_note::bullet::{Bullet, Maturity};
use cm_note::graph::Graph;
use cm_note::markdown::escape::{escape_inline, escape_rule, visible};
use cm_note::note::Note;
use cm_note::score::DecayScore;
use cm_note::score::bullet::EffectiveScore;
use cm_playbook::core::{CoreEntry, memory_entries};
use cm_playbook::generated::{GeneratedFile, clipped, head};
use cm_text::plural::count;

/// Command named in the file's header.
const COMMAND: &str = "cm export --format memory.md";

const TITLE: &str = "Memory, exported";

/// First characters of every file written by an export.
pub const OPENING: &str = "# Memory, exported\n\n> Written ";

const RULES: &str = "Rules";
const PITFALLS: &str = "Pitfalls";
const OTHER: &str = "Other";

/// Sections of memories with their types; all other types come last.
const SECTIONS: [(&str, &[&str]); 9] = [
    ("Decisions", &["decision"]),
    ("Solutions", &["solution"]),
    ("Fixes", &["fix"]),
    ("Configurations", &["configuration"]),
    ("Patterns & Workflows", &["code_pattern", "workflow", "procedure"]),
    ("Insights", &["insight"]),
    ("Preferences & Facts", &["preference", "fact"]),
    ("Observations", &["observation"]),
    ("Problems & Errors", &["problem", "error"]),
];

/// Whether a file of an export may have a section with this title.
#[must_use]
pub fn is_section(title: &str) -> bool {
    [RULES, PITFALLS, OTHER].contains(&title)
        || SECTIONS.iter().any(|(section_title, _)| *section_title == title)
}

/// Generates the file for `day`: established and proven rules, and memories that are pinned or have
/// at least the score `active`. `scores` is in the order of the graph's notes.
pub fn plan(
    bullets: &[(&Bullet, EffectiveScore)],
    graph: &Graph<'_>,
    scores: &[DecayScore],
    active: f64,
    day: &str,
) -> GeneratedFile {
    let mut text = String::new();
    let notes: HashMap<&str, &Note> = graph.notes().iter().map(|note| (note.path.as_str(), note)).collect();
    let proven = ranked(bullets, &notes);
    let (pitfalls, rules): (Vec<&Bullet>, Vec<&Bullet>) =
        proven.iter().copied().partition(|bullet| bullet.is_anti_pattern());
    for (title, bullets) in [(RULES, rules), (PITFALLS, pitfalls)] {
        let line = |bullet: &&Bullet| {
            format!("- {}: {}\n", escape_inline(&bullet.category), escape_rule(bullet.content()))
        };
        section(&mut text, title, bullets.iter().map(line));
    }
    let all = memory_entries(graph, scores);
    let mut shown: Vec<&(CoreEntry, DecayScore)> =
        all.iter().filter(|(entry, score)| entry.pinned || score.value() >= active).collect();
    shown.sort_by_key(|(entry, score)| (Reverse(*score), &entry.id, &entry.path));
    let shown: Vec<&CoreEntry> = shown.into_iter().map(|(entry, _)| entry).collect();
    let is_ours_line =
        |entry: &CoreEntry| SECTIONS.iter().any(|(_, types)| types.contains(&entry.note_type.as_str()));
    for (title, types) in SECTIONS {
        let own = shown.iter().filter(|entry| types.contains(&entry.note_type.as_str()));
        section(&mut text, title, own.map(|entry| memory(entry, &notes)));
    }
    let others = shown.iter().filter(|entry| !is_ours_line(entry));
    section(&mut text, OTHER, others.map(|entry| memory(entry, &notes)));
    let figures = format!("{} and {}", count(proven.len(), "proven rule"), count(shown.len(), "memory"));
    let omitted = bullets.len() - proven.len() + all.len() - shown.len();
    let head = head(TITLE, day, COMMAND, &format!("{figures} in use; {omitted} left out."));
    GeneratedFile::new(head + &text, proven.len() + shown.len(), omitted)
}

/// Established and proven rules that may be shown to agents: proven first, then by score.
fn ranked<'a>(bullets: &[(&'a Bullet, EffectiveScore)], notes: &HashMap<&str, &Note>) -> Vec<&'a Bullet> {
    let good = |bullet: &Bullet| {
        notes.get(bullet.path.as_str()).is_some_and(|note| may_be_shown(bullet, note))
            && matches!(bullet.maturity, Maturity::Established | Maturity::Proven)
    };
    let mut ranked: Vec<_> = bullets.iter().filter(|(bullet, _)| good(bullet)).collect();
    ranked.sort_by_key(|(bullet, score)| (Reverse((bullet.maturity, *score)), &bullet.id, &bullet.path));
    ranked.into_iter().map(|(bullet, _)| *bullet).collect()
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        text.push_str(&format!("\n## {title}\n\n"));
        text.extend(lines);
    }
}

fn memory(entry: &CoreEntry, notes: &HashMap<&str, &Note>) -> String {
    let summary = notes.get(entry.path.as_str()).map_or("", |note| note.summary.as_str());
    let title = escape_inline(&entry.title);
    let statement = |text: &str| visible(text).trim_end_matches('.').to_owned();
    if statement(summary).is_empty() || statement(summary) == statement(&entry.title) {
        return format!("- {title}\n");
    }
    format!("- {title}: {}\n", clipped(&ended(summary), Note::MAX_SUMMARY_CHARS + 1))
}

/// Length from which a summary that ends within a sentence was cut: the next word did not fit.
const MIN_CUT_SUMMARY_CHARS: usize = Note::MAX_SUMMARY_CHARS - 20;

/// Returns a summary that was cut within a sentence up to its last whole sentence; with an ellipsis if that would drop
/// more than half of it.
fn ended(summary: &str) -> Cow<'_, str> {
    let text = summary.trim_end();
    if text.chars().count() < MIN_CUT_SUMMARY_CHARS || text.ends_with(['.', '!', '?', '…', ':']) {
        return Cow::Borrowed(text);
    }
    let end = [". ", "! ", "? "].iter().filter_map(|end| text.rfind(end)).max();
    match end.and_then(|end| text.get(..=end)) {
        Some(whole) if whole.len() * 2 >= text.len() => Cow::Borrowed(whole),
        _ => Cow::Owned(format!("{text}…")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::note::read::read;
    use cm_note::note::{RelationTable, TypeTable};

    #[test]
    fn a_note_of_one_line_is_listed_once() {
        let path = cm_note::path::NotePath::parse("graph/observations/a.md").unwrap();
        let text = "---\nid: 7a7a7a7a-0000-4000-8000-000000000007\ntype: observation\ntitle: The pier lamp is broken\n---\n\nThe pier lamp is broken.\n";
        let (types, relations) = (TypeTable::default(), RelationTable::default());
        let note = read(&path, text.as_bytes(), &types, &relations).note;
        let notes = [note];
        let graph = Graph::connect(&notes);
        let file = plan(&[], &graph, &[DecayScore::new(1.0)], 0.5, "2026-11-21");
        assert!(file.text.contains("- The pier lamp is broken\n"), "{}", file.text);
    }

    #[test]
    fn a_cut_summary_ends_with_a_sentence_or_an_ellipsis() {
        let cut = "Positions change every four seconds for 2,100 bikes and nobody needs them after an hour. Bookings are money, so they stay in Postgres with point-in-time";
        assert_eq!(
            ended(cut),
            "Positions change every four seconds for 2,100 bikes and nobody needs them after an hour."
        );
        let one = cut.replace(". B", "; b");
        assert_eq!(ended(&one), format!("{one}…"));
        assert_eq!(ended("Short, without a full stop"), "Short, without a full stop");
    }

    #[test]
    fn a_file_of_ours_is_recognized_by_its_beginning() {
        let graph = Graph::connect(&[]);
        let file = plan(&[], &graph, &[], 0.5, "2026-11-21");
        assert!(file.text.starts_with(OPENING), "{}", file.text);
        assert!(file.text.contains("0 proven rules and 0 memories in use; 0 left out."));
    }
}
