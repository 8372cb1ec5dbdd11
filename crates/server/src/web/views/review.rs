//! The inbox: everything that waits for a person, with what they need to decide.

use askama::Template;

use super::reviewed::{Reviewed, reviewed};
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, difference, note_address};
use cm_app::verbs::inbox::{InboxKind, InboxNote, Settlement};
use cm_app::verbs::inbox_details::{self, InboxDetail, InboxDetails, RelatedNote, ReviewedText};
use cm_app::{Context, Result};
use cm_note::finding::Finding;
use cm_render::html;
use cm_render::text::review::heading;
use cm_text::shorten::short_line;

/// Number of entries on a page.
const ENTRIES_PER_PAGE: usize = 40;

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    shell: Shell,
    filters: Vec<Filter>,
    /// Whether all sections are shown.
    is_whole: bool,
    sections: Vec<Section>,
    leftovers: Vec<Leftover>,
    /// Address of the next page.
    next: Option<String>,
}

/// A link to one section.
struct Filter {
    name: &'static str,
    heading: &'static str,
    count: usize,
    is_chosen: bool,
}

struct Section {
    kind: &'static str,
    heading: &'static str,
    explanation: &'static str,
    total: usize,
    entries: Vec<InboxRow>,
}

struct InboxRow {
    /// Number in the inbox, which makes ids of elements unique.
    number: usize,
    why: String,
    since: Option<ShownTime>,
    sides: Vec<Reviewed>,
    related: Vec<Related>,
    difference: String,
    /// Reference to the leftover to decide on.
    leftover: Option<String>,
    can_accept: bool,
    can_reject: bool,
    can_confirm: bool,
    can_take: bool,
    can_keep: bool,
    can_merge: bool,
    can_supersede: bool,
    can_invert: bool,
    can_pin: bool,
    /// Suggested text of a merge.
    merged: String,
    /// Names of the two notes on buttons; empty unless there are two.
    names: Vec<String>,
}

struct Related {
    relation: String,
    title: String,
    address: String,
    state: Option<String>,
    updated: Option<ShownTime>,
}

/// A file with an unresolved merge.
struct Leftover {
    address: String,
    place: String,
    message: String,
}

fn explanation(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Drafts => "Agents do not see a draft until it is accepted or enough evidence admits it.",
        InboxKind::Conflicts => {
            "Both cannot be followed. Reject the one that does not hold, let one replace the other, or confirm both."
        }
        InboxKind::Quarantined => {
            "Kept away from agents: drafts of memories, and notes with hidden characters."
        }
        InboxKind::Merges => {
            "Two rules that nearly say the same become one, which keeps the evidence of both. Of two notes with one title, one replaces the other, or both hold."
        }
        InboxKind::Due => "Confirm what still holds; reject what does not.",
        InboxKind::Inversions => "Retired because they caused harm. A warning states their opposite.",
        InboxKind::NotFollowed => "People repeated these rules although the agent had been shown them.",
        InboxKind::Leftovers => {
            "Two clones changed the same part. One version stands, and the other waits here."
        }
    }
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let section_name = request.query.get("section");
    let section = InboxKind::ALL.into_iter().find(|kind| Some(kind.name()) == section_name);
    let offset = request.query.number("offset").unwrap_or(0);
    let options = inbox_details::Options { section, limit: ENTRIES_PER_PAGE, offset };
    let mut inbox = inbox_details::inbox_details(context, &options)?;
    let entries = std::mem::take(&mut inbox.entries);
    render(&ReviewPage {
        filters: filters(&inbox, section),
        is_whole: section.is_none(),
        sections: sections(context, &inbox, entries),
        leftovers: inbox.leftovers.iter().map(leftover).collect(),
        next: inbox.next.map(|next| {
            let section = section.map(|kind| format!("section={}&", kind.name())).unwrap_or_default();
            format!("/review?{section}offset={next}")
        }),
        shell: Shell::of(context, request, "review", "Inbox"),
    })
}

fn filters(inbox: &InboxDetails, chosen: Option<InboxKind>) -> Vec<Filter> {
    let filter = |(kind, count): (&InboxKind, &usize)| Filter {
        name: kind.name(),
        heading: heading(*kind),
        count: *count,
        is_chosen: chosen == Some(*kind),
    };
    inbox.counts.iter().map(filter).collect()
}

fn sections(context: &Context, inbox: &InboxDetails, entries: Vec<InboxDetail>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for detail in entries {
        let kind = detail.kind;
        if sections.last().is_none_or(|last| last.kind != kind.name()) {
            sections.push(Section {
                kind: kind.name(),
                heading: heading(kind),
                explanation: explanation(kind),
                total: inbox.counts.get(&kind).copied().unwrap_or_default(),
                entries: Vec::new(),
            });
        }
        if let Some(section) = sections.last_mut() {
            section.entries.push(row(context, detail));
        }
    }
    sections
}

fn row(context: &Context, detail: InboxDetail) -> InboxRow {
    let (now, entry) = (context.now(), detail.entry);
    let can = |settlement| detail.settlements.contains(&settlement);
    let longest = entry.notes.iter().map(|note| note.title.as_str()).max_by_key(|title| title.len());
    InboxRow {
        number: entry.number,
        since: ShownTime::maybe(entry.since, now),
        related: detail.related.iter().map(|note| related(context, note)).collect(),
        difference: difference(&detail.diff),
        leftover: entry.leftover,
        can_accept: can(Settlement::Accept),
        can_reject: can(Settlement::Reject),
        can_confirm: can(Settlement::Confirm),
        can_take: can(Settlement::Take),
        can_keep: can(Settlement::Keep),
        can_merge: can(Settlement::Merge),
        can_supersede: can(Settlement::Supersede),
        can_invert: can(Settlement::Invert),
        can_pin: can(Settlement::Pin),
        merged: longest.unwrap_or_default().to_owned(),
        names: names(&entry.notes, &detail.texts),
        why: entry.why,
        sides: entry
            .notes
            .into_iter()
            .zip(detail.texts)
            .map(|(note, text)| reviewed(note, text, now))
            .collect(),
    }
}

/// Maximum length of the text that tells two notes of one title apart, in characters.
const MAX_NAME_CHARS: usize = 60;

/// Names two notes by their titles; notes of one title by their texts.
fn names(notes: &[InboxNote], texts: &[ReviewedText]) -> Vec<String> {
    let [one, other] = notes else { return Vec::new() };
    if one.title != other.title {
        return [one, other].map(|note| format!("“{}”", note.title)).into();
    }
    let name = |(place, text): (&str, &ReviewedText)| {
        let lines = text.text.lines().filter(|line| !line.starts_with('#'));
        let text = short_line(&lines.collect::<Vec<_>>().join(" "), MAX_NAME_CHARS);
        format!("The {place} (“{text}”)")
    };
    ["first", "second"].into_iter().zip(texts).map(name).collect()
}

fn related(context: &Context, note: &RelatedNote) -> Related {
    Related {
        relation: note.relation.replace('_', " ").to_lowercase(),
        title: note.title.clone(),
        address: note_address(&note.id),
        state: note.state.clone(),
        updated: ShownTime::maybe(note.updated, context.now()),
    }
}

fn leftover(finding: &Finding) -> Leftover {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    Leftover {
        address: format!("/edit/{}", html::encode(finding.path.as_str())),
        place: format!("{}{line}", finding.path),
        message: finding.message.clone(),
    }
}
