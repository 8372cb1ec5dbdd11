//! The notes and rules learned lately, in sentences and figures. The home page loads this page after the rest.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{count, kind_noun, note_address, type_words};
use cm_app::verbs::learned::{LearnedChange, LearnedNote, learned};
use cm_app::verbs::timeline;
use cm_app::{Context, Error, Result};
use cm_note::note::NoteKind;

/// Maximum number of notes by name.
const MAX_NOTES: usize = 200;
/// Number of days if none is given, and the most that can be asked for.
const DAYS: (usize, usize) = (7, 3650);

#[derive(Template)]
#[template(path = "learned.html")]
struct LearnedPage {
    shell: Shell,
    days: usize,
    /// Whether the home page shows the figures alone.
    is_part: bool,
    period: String,
    summary: String,
    figures: Vec<(String, String)>,
    groups: Vec<Group>,
    left_out: usize,
}

struct Group {
    heading: &'static str,
    notes: Vec<Row>,
}

struct Row {
    title: String,
    address: Option<String>,
    kind: String,
}

fn heading(change: LearnedChange) -> &'static str {
    match change {
        LearnedChange::Added => "Added",
        LearnedChange::Activated => "Came into use",
        LearnedChange::Promoted => "Promoted",
        LearnedChange::Changed => "Changed",
        LearnedChange::Demoted => "Demoted",
        LearnedChange::Retired => "Retired",
        LearnedChange::Removed => "Removed",
    }
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let days = request.query.number("days").unwrap_or(DAYS.0).clamp(1, DAYS.1);
    let learned = match learned(context, Some(&format!("{days}d")), None, MAX_NOTES) {
        // The history is younger than that, so that everything in it is new.
        Err(error) if error.is_not_found() => learned(context, Some(&first(context)?), None, MAX_NOTES)?,
        other => other?,
    };
    let total: usize = learned.counts.values().map(|count| count.rules + count.memories).sum();
    let figures = learned.counts.iter().flat_map(|(change, counts)| {
        let of = |n: usize, kind| {
            (n > 0).then(|| (format!("{n} {}", kind_noun(kind, n)), heading(*change).to_lowercase()))
        };
        [of(counts.rules, NoteKind::Bullet), of(counts.memories, NoteKind::Memory)]
    });
    render(&LearnedPage {
        period: if days == DAYS.0 { "this week".to_owned() } else { format!("in {}", count(days, "day")) },
        days,
        is_part: request.is_of_script,
        figures: figures.flatten().collect(),
        left_out: total - learned.notes.len(),
        groups: groups(learned.notes),
        summary: learned.summary,
        shell: Shell::of(context, request, "home", "Learned"),
    })
}

/// The first commit of the vault.
fn first(context: &Context) -> Result<String> {
    let points = timeline::timeline(context, &timeline::Options { points: 2, counts: false })?.points;
    let first = points.into_iter().next().ok_or_else(|| Error::not_found("the vault has no commit"))?;
    Ok(first.commit)
}

fn groups(notes: Vec<LearnedNote>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for learned in notes {
        let heading = heading(learned.change);
        let row = Row {
            // The page of a note that is gone would not be found.
            address: (learned.change != LearnedChange::Removed).then(|| note_address(&learned.note.id)),
            kind: type_words(learned.note.note_type.as_deref(), learned.note.kind),
            title: learned.note.title,
        };
        match groups.last_mut().filter(|group| group.heading == heading) {
            Some(group) => group.notes.push(row),
            None => groups.push(Group { heading, notes: vec![row] }),
        }
    }
    groups
}
