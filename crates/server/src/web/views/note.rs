//! The page of a note: its text, fields, edges, evidence and score.

use std::collections::BTreeSet;

use askama::Template;
use serde_json::Value;

use super::history::{self, CommitRow};
use super::local_graph;
use super::score_chart::{self, ScoreChart};
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{
    ShownTime, marked, moment, note_address, session_address, type_words, without_title,
};
use cm_app::context::find::find;
use cm_app::verbs::embedded_notes::{EmbeddedNote, embedded_notes};
use cm_app::verbs::get::LinkedNoteRow;
use cm_app::verbs::score_history::score_history;
use cm_app::verbs::session_receipts::RecordedSessions;
use cm_app::verbs::unlinked_mentions::{UnlinkedMention, unlinked_mentions};
use cm_app::verbs::why::NoteEvidence;
use cm_app::verbs::{get, why};
use cm_app::{Context, ErrorKind, Result};
use cm_note::finding::Severity;
use cm_note::instant::Instant;
use cm_note::markdown::escape::{escape_link_text, link_destination};
use cm_note::markdown::{comments, percent_decode, without_comments};
use cm_note::note::types::LINKS_TO;
use cm_note::note::{Note, NoteKind};
use cm_render::html;

/// Maximum number of unlinked mentions on the page.
const MAX_MENTIONS: usize = 20;

#[derive(Template)]
#[template(path = "note.html")]
struct NotePage {
    shell: Shell,
    id: String,
    /// Revision of the file that is shown, which deleting expects.
    revision: String,
    title: String,
    path: String,
    kind: String,
    vault: &'static str,
    state: Option<String>,
    is_rule: bool,
    /// Whether feedback can be given and the note be pinned: it is a memory or a rule.
    takes_feedback: bool,
    is_pinned: bool,
    is_draft: bool,
    /// Whether it has a title of its own, so that it can be renamed and deleted here.
    can_rename: bool,
    body: String,
    /// Comments of the text, which are not shown in it; none in a site.
    comments: Vec<String>,
    fields: Vec<(String, String)>,
    score: Vec<(&'static str, String)>,
    chart: Option<ScoreChart>,
    mentions: Vec<Mention>,
    has_more_mentions: bool,
    edges: Vec<EdgeGroup>,
    backlinks: Vec<EdgeGroup>,
    conflicts: Vec<Link>,
    succession: Vec<Succession>,
    quotes: Vec<String>,
    sources: Vec<Source>,
    feedback: Vec<FeedbackRow>,
    commits: Vec<CommitRow>,
    findings: Vec<String>,
    graph: Option<local_graph::LocalGraph>,
    reference: String,
}

pub(super) struct Link {
    pub(super) title: String,
    pub(super) address: String,
}

struct EdgeGroup {
    relation: String,
    /// Whether the links have no type, so that the heading of the list says all.
    is_plain: bool,
    notes: Vec<Link>,
}

struct Succession {
    through: &'static str,
    note: Link,
}

struct Source {
    session: String,
    /// Address of the session; `None` if nothing of it is known here.
    address: Option<String>,
    agent: String,
}

struct FeedbackRow {
    signal: &'static str,
    by: String,
    at: ShownTime,
    reason: Option<String>,
}

struct Mention {
    title: String,
    address: String,
    line: u32,
    /// The text around it as HTML, with a mark.
    snippet: String,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    // As requested: another note may have the same ID.
    let reference = &request.reference;
    let note = get::get(context, reference, None)?;
    // An open page loads the commits after the rest, because that reads the history of the vault.
    let commits = if request.is_static { history::COMMITS_PER_NOTE } else { 0 };
    let evidence = why::why(context, reference, commits)?;
    let (now, sessions) = (context.now(), RecordedSessions::of(context));
    let graph = local_graph::of(context, reference)?;
    let has_score = evidence.score.is_some() || evidence.decay.is_some();
    let history = has_score.then(|| score_history(context, reference)).transpose()?;
    let mentioned = unlinked_mentions(context, reference, MAX_MENTIONS)?;
    // Agents read comments too, so that a person has to find them; readers of a site do not get them.
    let body = without_title(&note.body, &note.title);
    let comments = if request.is_static { Vec::new() } else { comments(body) };
    let (body, embedded) = embedded_notes(context, &without_comments(body));
    let state = evidence.state.map(|state| state.name().to_owned());
    let state = state.or_else(|| text_of(&note.frontmatter, "state"));
    render(&NotePage {
        body: with_missing_marked(context, with_embedded(html::note(&body, &note.path), &embedded)),
        comments: comments.into_iter().map(|comment| html::shown(comment.trim()).into_owned()).collect(),
        revision: note.revision,
        can_rename: matches!(note.kind, NoteKind::Memory | NoteKind::Plain | NoteKind::Stash),
        fields: fields(&note.frontmatter),
        kind: type_words(note.note_type.as_deref(), note.kind),
        vault: note.vault.name(),
        is_rule: note.kind == NoteKind::Bullet,
        takes_feedback: matches!(note.kind, NoteKind::Bullet | NoteKind::Memory),
        is_pinned: evidence.pinned,
        is_draft: matches!(state.as_deref(), Some(Note::DRAFT | Note::UNVERIFIED)),
        state,
        score: score(&evidence),
        chart: history.as_ref().and_then(score_chart::of),
        mentions: mentioned.mentions.iter().map(mention).collect(),
        has_more_mentions: mentioned.more,
        edges: groups(note.links),
        backlinks: groups(note.backlinks),
        conflicts: evidence
            .conflicts
            .iter()
            .map(|conflict| link(&conflict.note.id, conflict.note.title.as_deref()))
            .collect(),
        succession: evidence
            .succession
            .iter()
            .map(|step| Succession {
                through: cm_render::text::why::succession(step),
                note: link(&step.note.id, step.note.title.as_deref()),
            })
            .collect(),
        quotes: evidence.derived_from.quotes,
        sources: evidence
            .sources
            .into_iter()
            .map(|source| Source {
                address: session_address(&sessions, &source.session),
                session: source.session,
                agent: source.agent.unwrap_or_default(),
            })
            .collect(),
        feedback: evidence
            .feedback
            .into_iter()
            .rev()
            .map(|event| FeedbackRow {
                signal: event.signal.name(),
                by: event.agent.or(event.author).unwrap_or_default(),
                at: ShownTime::of(event.at, now),
                reason: event.reason.or(event.note),
            })
            .collect(),
        commits: evidence.commits.into_iter().map(|commit| CommitRow::of(commit, now)).collect(),
        // What is only a remark, as that a plain note has no ID, is for `cm validate`.
        findings: note
            .findings
            .iter()
            .filter(|finding| finding.severity != Severity::Info)
            .map(|finding| finding.message.clone())
            .collect(),
        graph,
        reference: html::encode(&note.id),
        shell: Shell::of(context, request, "", note.title.clone()),
        id: note.id,
        title: note.title,
        path: note.path,
    })
}

fn link(id: &str, title: Option<&str>) -> Link {
    Link { title: title.unwrap_or(id).to_owned(), address: note_address(id) }
}

fn mention(found: &UnlinkedMention) -> Mention {
    Mention {
        title: found.title.clone(),
        address: note_address(&found.id),
        line: found.line,
        snippet: marked(&found.snippet, std::slice::from_ref(&found.matched)),
    }
}

fn text_of(fields: &serde_json::Map<String, Value>, key: &str) -> Option<String> {
    fields.get(key)?.as_str().map(str::to_owned)
}

/// The frontmatter as names and texts, without what the page shows elsewhere.
fn fields(frontmatter: &serde_json::Map<String, Value>) -> Vec<(String, String)> {
    const ELSEWHERE: [&str; 5] = ["title", "feedback", "derived_from", "sources", "relations"];
    let text = |value: &Value| match value {
        Value::String(text) => match Instant::parse(text) {
            Ok(at) if text.contains('T') => moment(at),
            _ => text.clone(),
        },
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    };
    let shown =
        frontmatter.iter().filter(|(key, value)| !ELSEWHERE.contains(&key.as_str()) && !value.is_null());
    shown.map(|(key, value)| (key.clone(), text(value))).collect()
}

/// The parts of the score with their names.
fn score(evidence: &NoteEvidence) -> Vec<(&'static str, String)> {
    if let Some(score) = &evidence.score {
        return vec![
            ("Score", format!("{:.2}", score.score.value())),
            ("Rating", score.band.name().to_owned()),
            ("Helpful", format!("{:.2}", score.helpful)),
            ("Harmful", format!("{:.2} × {}", score.harmful, score.harm_weight)),
            (
                "Maturity",
                format!(
                    "{} × {}",
                    evidence.maturity.map_or("", |maturity| maturity.name()),
                    score.multiplier
                ),
            ),
            ("Half-life", format!("{} days", score.half_life_days)),
        ];
    }
    evidence.decay.as_ref().map_or_else(Vec::new, |decay| {
        vec![
            ("Score", format!("{:.2}", decay.score.value())),
            ("Status", decay.status.name().to_owned()),
            ("Reads", decay.accesses.to_string()),
        ]
    })
}

/// Puts embedded notes in the place of their placeholders, as quotes with their titles. Embeds within them stay links, so
/// that no circle arises.
fn with_embedded(mut page: String, notes: &[EmbeddedNote]) -> String {
    for note in notes {
        let title = format!("**[{}](/{})**", escape_link_text(&note.title), link_destination(&note.path));
        let quote = format!(
            "<blockquote>{}{}</blockquote>",
            html::note(&title, &note.path),
            html::note(without_title(&note.text, &note.title), &note.path)
        );
        page = page.replacen(&format!("<p>{}</p>", note.placeholder), &quote, 1);
    }
    page
}

/// Maximum number of links of a page that are checked.
const MAX_CHECKED_LINKS: usize = 100;

/// Marks the links of a page that lead to no note.
fn with_missing_marked(context: &Context, page: String) -> String {
    let start = format!("<a href=\"{}", html::NOTE);
    let references = page.split(start.as_str()).skip(1).filter_map(|rest| rest.split(['"', '#']).next());
    let references: BTreeSet<String> = references.take(MAX_CHECKED_LINKS).map(str::to_owned).collect();
    let is_missing = |reference: &String| {
        find(context, &percent_decode(reference)).is_err_and(|error| error.kind == ErrorKind::NotFound)
    };
    let missing: Vec<String> = references.into_iter().filter(is_missing).collect();
    missing.iter().fold(page, |page, reference| {
        let marked = |end: char| {
            let link = format!("href=\"{}{reference}{end}", html::NOTE);
            (format!("<a {link}"), format!("<a class=\"missing\" title=\"There is no such note\" {link}"))
        };
        ['"', '#'].map(marked).iter().fold(page, |page, (link, marked)| page.replace(link, marked))
    })
}

/// Groups edges by type, in the order in which types appear; links without a type are first.
fn groups(links: Vec<LinkedNoteRow>) -> Vec<EdgeGroup> {
    let mut groups: Vec<EdgeGroup> = Vec::new();
    for note in links {
        let relation = note.relation.replace('_', " ").to_lowercase();
        let link = link(&note.id, Some(&note.title));
        match groups.iter_mut().find(|group| group.relation == relation) {
            Some(group) => group.notes.push(link),
            None => {
                let is_plain = note.relation == LINKS_TO;
                groups.push(EdgeGroup { relation, is_plain, notes: vec![link] });
            }
        }
    }
    groups.sort_by_key(|group| !group.is_plain);
    groups
}
