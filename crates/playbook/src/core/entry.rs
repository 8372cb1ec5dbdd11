//! Entries of CORE.md: current memories, and rules that may be shown to agents.

use std::cmp::Reverse;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::visibility::may_be_shown;
use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::graph::Graph;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::markdown::escape::{
    escape_inline, escape_link_text, escape_rule, link_destination, visible, wikilink,
};
use cm_note::markdown::outline;
use cm_note::note::check::RULE;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::score::bullet::{EffectiveScore, selection_score};
use cm_note::score::{DecayScore, Scoring};

use crate::current_notes::{NotCurrent, live, not_current};
use crate::generated::link;
use crate::starters;

/// A memory, rule or plain note that the core file may list.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreEntry {
    /// ID of the note.
    pub id: String,
    /// Shortest unique prefix of the note's id; empty for a note without id.
    pub short_id: String,
    /// Title as written; for a rule, its text.
    pub title: String,
    pub path: NotePath,
    /// Target of a wikilink to the note: the file name, or the path if another file has the same
    /// name. Empty for [`LinkStyle::Path`].
    pub target: String,
    /// Note type such as `decision`; empty if the note has none.
    pub note_type: String,
    pub tags: Vec<String>,
    pub worth: EntryScore,
    pub pinned: bool,
    /// Whether the note is a plain Markdown note without type and score.
    pub plain: bool,
    /// Number of edges from and to the note.
    pub links: usize,
    /// Time of the last change that the note records, if any.
    pub changed: Option<Instant>,
}

/// Score of an entry. Memories and rules use different scales.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EntryScore {
    Memory(DecayScore),
    /// Feedback score of a rule.
    Bullet {
        /// Whether the bullet is an anti-pattern.
        anti_pattern: bool,
        maturity: Maturity,
        /// Score of the bullet's feedback, see [`selection_score`].
        standing: EffectiveScore,
    },
}

/// How the core file links to notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LinkStyle {
    /// `[title](path)`, supported by all editors and hosting sites.
    #[default]
    Path,
    /// `[[file-stem|title]]`, shorter, supported by note-taking programs.
    Stem,
}

/// A line of the core file, with and without a link.
pub(super) struct CoreLine {
    /// The line with the note's id instead of a link.
    pub(super) bare: String,
    /// The line with a link, and the length of the link's path. `None` for a rule, which is
    /// complete without its note.
    pub(super) linked: Option<(String, usize)>,
}

/// Upper bound of a rule's score on the scale of memories.
///
/// Importance, usage and type weight raise a frequently read memory to about 2; a pinned one has
/// 999.
const MAX_RULE_SCORE: f64 = 2.0;

/// Minimum length of a memory's short id, in characters.
const MIN_SHORT_ID_CHARS: usize = 8;

/// Why the core file does not list a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// The token budget of the file is used up by better entries.
    NoSpace,
    /// The section has as many entries as sections may have.
    FullSection,
    /// The rule is longer than rules may be.
    TooLong,
    /// The rule has more harm than help.
    Harmful,
    /// The note is a draft or an unverified memory, and no person or evidence has confirmed it.
    Waiting,
    /// Another note supersedes it, or it was condensed into others.
    Replaced,
    Retired,
    /// The observation was condensed or marked irrelevant.
    Stale,
    /// The note was demoted: its maturity is `deprecated`.
    Deprecated,
    /// The note has hidden characters.
    HiddenCharacters,
    /// The note contains an unresolved merge conflict.
    Conflict,
}

impl From<NotCurrent> for OmissionReason {
    fn from(reason: NotCurrent) -> Self {
        match reason {
            NotCurrent::Replaced => Self::Replaced,
            NotCurrent::Waiting => Self::Waiting,
            NotCurrent::Retired => Self::Retired,
            NotCurrent::Stale => Self::Stale,
        }
    }
}

/// The notes that may be listed, with their scores; `scores` is in the order of the notes. Excludes
/// retired, deprecated and superseded notes even if pinned, and rules that are not in use or
/// contain hidden characters. `links` is the format in which the file will link to them.
pub fn core_entries(
    graph: &Graph<'_>,
    scores: &[DecayScore],
    now: Instant,
    scoring: &Scoring,
    links: LinkStyle,
) -> Vec<CoreEntry> {
    let ids = ShortIds::of(graph.notes());
    let entry = |((at, note), score): ((usize, &Note), &DecayScore)| {
        let entry = match note.kind {
            NoteKind::Memory => CoreEntry::of(note, *score),
            NoteKind::Plain => CoreEntry { plain: true, ..CoreEntry::of(note, DecayScore::default()) },
            NoteKind::Bullet => CoreEntry::of_bullet(Bullet::of(note)?, now, scoring),
            _ => return None,
        };
        let short_id = match note.kind {
            NoteKind::Bullet => entry.id.clone(),
            _ => ids.short(note),
        };
        let edges = graph.outgoing(at).count() + graph.incoming(at).count();
        let target = match links {
            LinkStyle::Path => String::new(),
            LinkStyle::Stem => graph.link_target(at).to_owned(),
        };
        Some(CoreEntry { short_id, target, links: edges, ..entry })
    };
    let notes = graph.notes().iter().enumerate().zip(scores).zip(not_current(graph));
    let may_be_listed =
        |note: &Note, reason: Option<NotCurrent>| reason.is_none() && held_back(note).is_none();
    let listed = notes.filter(|(((_, note), _), reason)| may_be_listed(note, *reason));
    listed.filter_map(|(listed, _)| entry(listed)).collect()
}

/// Returns the memories, rules and plain notes that [`core_entries`] excludes, by their index, each
/// with the reason. Generated files are not among them.
pub fn excluded_notes(graph: &Graph<'_>) -> Vec<(usize, OmissionReason)> {
    let is_candidate = |note: &Note| {
        matches!(note.kind, NoteKind::Memory | NoteKind::Plain | NoteKind::Bullet)
            && !note.path.is_generated()
    };
    let notes = graph.notes().iter().zip(not_current(graph)).enumerate();
    let candidates = notes.filter(|(_, (note, _))| is_candidate(note));
    candidates
        .filter_map(|(at, (note, reason))| Some((at, reason.map(Into::into).or_else(|| held_back(note))?)))
        .collect()
}

/// Returns why a current note is not shown to agents; `None` if it may be shown.
pub(super) fn held_back(note: &Note) -> Option<OmissionReason> {
    match note.kind {
        NoteKind::Bullet => {
            let bullet = Bullet::of(note).filter(|bullet| !may_be_shown(bullet, note))?;
            Some(match (bullet.state, bullet.maturity) {
                (_, Maturity::Deprecated) => OmissionReason::Deprecated,
                _ if note.has_conflict() => OmissionReason::Conflict,
                (BulletState::Active, _) => OmissionReason::HiddenCharacters,
                (BulletState::Draft, _) => OmissionReason::Waiting,
                (BulletState::Retired, _) => OmissionReason::Retired,
            })
        }
        _ if note.has_conflict() => Some(OmissionReason::Conflict),
        _ if note.is_deprecated() => Some(OmissionReason::Deprecated),
        _ => is_held_back(note).then_some(OmissionReason::Waiting),
    }
}

fn is_held_back(note: &Note) -> bool {
    note.is_waiting() || note.is_deprecated() || note.path.is_generated() || note.has_conflict()
}

/// Number of note ids for each prefix.
struct ShortIds<'n>(HashMap<&'n str, usize>);

impl<'n> ShortIds<'n> {
    fn of(notes: &'n [Note]) -> Self {
        let mut counts = HashMap::with_capacity(notes.len());
        for id in notes.iter().filter_map(|note| note.id.as_ref()) {
            *counts.entry(begin(id.as_str())).or_insert(0) += 1;
        }
        Self(counts)
    }

    fn short(&self, note: &Note) -> String {
        let Some(id) = note.id.as_ref().map(NoteId::as_str) else { return String::new() };
        let unique = self.0.get(begin(id)).is_none_or(|count| *count == 1);
        if unique { begin(id).to_owned() } else { id.to_owned() }
    }
}

fn begin(id: &str) -> &str {
    id.get(..MIN_SHORT_ID_CHARS).unwrap_or(id)
}

/// The memories that may be listed, with their decay scores: current ones, and pinned ones even if
/// superseded.
pub fn memory_entries(graph: &Graph<'_>, scores: &[DecayScore]) -> Vec<(CoreEntry, DecayScore)> {
    let notes = graph.notes().iter().zip(live(graph)).zip(scores);
    let listed = |note: &Note, live: bool| {
        note.kind == NoteKind::Memory && !is_held_back(note) && (live || note.pinned)
    };
    let of = |((note, live), score): ((&Note, bool), &DecayScore)| {
        listed(note, live).then(|| (CoreEntry::of(note, *score), *score))
    };
    notes.filter_map(of).collect()
}

impl CoreEntry {
    fn of(note: &Note, score: DecayScore) -> Self {
        Self {
            id: note.key().to_owned(),
            short_id: String::new(),
            title: note.title.clone(),
            path: note.path.clone(),
            target: String::new(),
            note_type: note.note_type.clone().unwrap_or_default(),
            tags: note.tags.clone(),
            worth: EntryScore::Memory(score),
            pinned: note.pinned,
            plain: false,
            links: 0,
            changed: note.updated.or(note.created),
        }
    }

    fn of_bullet(bullet: Bullet, now: Instant, scoring: &Scoring) -> Self {
        let worth = EntryScore::Bullet {
            anti_pattern: bullet.is_anti_pattern(),
            maturity: bullet.maturity,
            standing: selection_score(&bullet, now, scoring),
        };
        Self {
            id: bullet.id.to_string(),
            short_id: bullet.id.to_string(),
            note_type: bullet.bullet_type.name().to_owned(),
            title: bullet.fields.content,
            target: String::new(),
            path: bullet.path,
            tags: bullet.tags,
            worth,
            pinned: bullet.pinned,
            plain: false,
            links: 0,
            changed: bullet.updated.or(bullet.created),
        }
    }

    /// Whether the entry has so low a score (below `least`) that it is listed only if space
    /// remains.
    pub(super) fn is_fading(&self, least: f64) -> bool {
        match self.worth {
            _ if self.pinned => false,
            EntryScore::Memory(score) => self.plain || score.value() < least,
            EntryScore::Bullet { standing, .. } => standing.value() < least,
        }
    }

    /// Whether the entry is an unpinned rule with a negative score; such rules are never listed.
    pub(super) fn is_harmful(&self) -> bool {
        matches!(self.worth, EntryScore::Bullet { standing, .. } if standing.value() < 0.0 && !self.pinned)
    }

    /// Whether the entry is a rule that is longer than rules may be.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self.worth, EntryScore::Bullet { .. }) && self.title.chars().count() > *RULE.end()
    }

    /// Sort key for dropping entries if the budget is short, best first: entries with a score of at
    /// least `least`, pinned ones leading, then fading ones by score, links and recency.
    pub(super) fn rank(&self, least: f64) -> impl Ord + '_ {
        let fading = self.is_fading(least);
        let score = Reverse(self.comparable(least));
        let tie = fading.then_some((Reverse(self.links), Reverse(self.changed)));
        // What somebody here said goes before the built-in rules, until one of these has proved itself.
        let is_starter = self.tags.iter().any(|tag| tag == starters::TAG);
        (fading, Reverse(self.pinned), self.plain, score, is_starter, tie, &self.id, &self.path)
    }

    /// Sort key for displaying entries within a section: pinned entries first, then by maturity,
    /// then by [`rank`](Self::rank).
    pub(super) fn place(&self, least: f64) -> impl Ord + '_ {
        let maturity = match self.worth {
            EntryScore::Memory(_) => Maturity::default(),
            EntryScore::Bullet { maturity, .. } => maturity,
        };
        (Reverse(self.pinned), Reverse(maturity), self.rank(least))
    }

    /// The entry's score, converted to the scale of memories so that rules and memories can be
    /// compared.
    ///
    /// A rule's score grows with every piece of feedback, while a memory's hardly exceeds 2. So a
    /// rule's score is mapped to a bounded, increasing function that leaves `least` fixed: a newly
    /// established rule (2) equals a memory of highest importance that was read today (1), and a
    /// rule with a hundred helpful marks does not displace all memories.
    pub(super) fn comparable(&self, least: f64) -> DecayScore {
        match self.worth {
            EntryScore::Memory(score) => score,
            EntryScore::Bullet { standing, .. } => {
                let standing = standing.value().max(0.0);
                DecayScore::new(MAX_RULE_SCORE * standing / (standing + (MAX_RULE_SCORE - least).max(0.0)))
            }
        }
    }

    /// The line of the entry in both forms.
    pub(super) fn line(&self, style: LinkStyle) -> CoreLine {
        let tags: Vec<String> =
            self.tags.iter().map(|tag| escape_link_text(tag)).filter(|tag| !tag.is_empty()).collect();
        let tags = if tags.is_empty() { String::new() } else { format!(" ({})", tags.join(", ")) };
        let id = match self.short_id.replace('`', "") {
            id if id.is_empty() => id,
            id => format!(" `{}`", visible(&id)),
        };
        let title = &self.title;
        let shown = match self.worth {
            EntryScore::Memory(_) => escape_inline(title),
            EntryScore::Bullet { .. } => rule_line(title),
        };
        let shown = if shown.is_empty() { escape_inline(self.path.stem()) } else { shown };
        let linked = match (self.worth, style) {
            (EntryScore::Bullet { .. }, _) => None,
            (_, LinkStyle::Path) => {
                Some((link(title, &self.path), link_destination(self.path.as_str()).chars().count()))
            }
            (_, LinkStyle::Stem) => Some((wikilink(&self.target, title), self.target.chars().count())),
        };
        CoreLine {
            bare: format!("- {shown}{tags}{id}\n"),
            linked: linked.map(|(link, path)| (format!("- {link}{tags}\n"), path)),
        }
    }
}

/// A rule as written, on one line. A link is reduced to its text, because its path would lead elsewhere from the core file.
fn rule_line(rule: &str) -> String {
    if rule.contains("](") || rule.contains("[[") {
        return escape_inline(&without_markup(rule));
    }
    escape_rule(&fold_whitespace(rule))
}

/// Removes Markdown markup from a rule, unless that would remove letters.
fn without_markup(rule: &str) -> String {
    let text = fold_whitespace(&outline(rule, 1).text);
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if letters(&text) == letters(rule) { text } else { fold_whitespace(rule) }
}
