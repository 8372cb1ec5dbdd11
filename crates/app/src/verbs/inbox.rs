//! The review inbox of the target vault.

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::open::Context;
use crate::error::Result;
use crate::verbs::draft_reasons::{draft_memory_reason, draft_reason};
use crate::verbs::playbook::rule_pairs::rule_pairs;
use crate::verbs::{leftovers, playbook};
use cm_note::bullet::{Bullet, BulletState};
use cm_note::finding::{Finding, FindingCode};
use cm_note::instant::Instant;
use cm_note::note::name::slug;
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::review_decision::{self, ReviewRefusal};
use cm_playbook::inbox::{self, InboxNoteEntry, InboxSections};
use cm_playbook::rule_command::{RuleCommand, command_of};
use cm_store::config::keys;
use cm_text::plural::count;

pub use cm_playbook::inbox::InboxKind;

/// Maximum length of the file name in a proposed guard pattern, in characters.
const MAX_SLUG_CHARS: usize = 40;

/// Filter and limit of the list of notes that need a decision.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only the entries of this section.
    pub section: Option<InboxKind>,
    /// Maximum number of entries per section.
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InboxNote {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Type of the note, or its kind if it has no type.
    #[serde(rename = "type")]
    pub note_type: String,
    /// Title of the note; for a bullet, the text of the rule.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InboxEntry {
    /// Number of the entry in the whole list, from 1.
    pub number: usize,
    /// The notes to decide on, one or two.
    pub notes: Vec<InboxNote>,
    /// Why the entry needs a decision.
    pub why: String,
    /// Time since which the entry needs a decision; null if unknown.
    pub since: Option<Instant>,
    /// Commands that settle the entry; running one of them is enough.
    pub commands: Vec<String>,
    /// Ways to settle the entry that need no command line; one of them is enough.
    #[serde(skip)]
    pub settlements: Vec<Settlement>,
    /// Reference to the leftover to decide on, in place of the ID of its note.
    #[serde(skip)]
    pub leftover: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InboxSection {
    /// Why the entries of this section need a decision.
    pub kind: InboxKind,
    /// Number of entries, including those beyond the limit.
    pub total: usize,
    /// Entries, most important first.
    pub items: Vec<InboxEntry>,
}

/// The entries that need a decision, by section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Inbox {
    /// All sections, including empty ones.
    pub sections: Vec<InboxSection>,
    /// Number of entries in all sections, including those beyond the limit.
    pub total: usize,
}

cm_text::named_enum! {
    /// A way to settle an entry of the inbox.
    pub enum Settlement {
        /// Accepts the note.
        Accept = "accept",
        /// Rejects one of the notes.
        Reject = "reject",
        /// Confirms that the note holds; of two notes, that both hold.
        Confirm = "confirm",
        /// Merges the two rules.
        Merge = "merge",
        /// Lets a note replace another.
        Supersede = "supersede",
        /// Blocks the rule and writes an anti-pattern that states its opposite.
        Invert = "invert",
        /// Pins the rule.
        Pin = "pin",
        /// Takes the versions that a merge left over.
        Take = "take",
        /// Removes the versions that a merge left over.
        Keep = "keep",
    }
}

/// Lists the entries that need a person's decision.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn inbox(context: &Context, options: &Options) -> Result<Inbox> {
    let notes = context.overview_of(context.target())?;
    let waiting = waiting(context, options.section)?;
    let mut number = 0;
    let mut sections = Vec::new();
    for (kind, entries) in waiting {
        if options.section.is_some_and(|section| section != kind) {
            continue;
        }
        let total = entries.len();
        let items = entries.into_iter().take(options.limit).map(|entry| {
            number += 1;
            item(context, number, kind, entry, &notes)
        });
        sections.push(InboxSection { kind, items: items.collect(), total });
    }
    let total = sections.iter().map(|section| section.total).sum();
    if options.section == Some(InboxKind::Conflicts) && total == 0 {
        let drafts = inbox::contradicting_drafts(&notes.graph());
        if drafts > 0 {
            let verb = if drafts == 1 { "contradicts" } else { "contradict" };
            context.notice(format!(
                "{} {verb} a note in use: `cm review --kind drafts`",
                count(drafts, "draft")
            ));
        }
    }
    Ok(Inbox { sections, total })
}

/// Collects what needs a decision in the target vault. Without the due notes if `wanted` is another
/// section. All rules are compared with each other once for each version of the notes.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub(crate) fn waiting(context: &Context, wanted: Option<InboxKind>) -> Result<InboxSections> {
    let open = context.target();
    let least = playbook::limits(open).merge();
    let basis = format!("{least:?} {:?}", open.settings.text(keys::EMBEDDINGS_PROVIDER));
    let timeless = context.value_of_notes(open, &basis, |notes| {
        Ok(inbox::timeless_sections(&notes.graph(), &|rules| rule_pairs(open, rules)))
    })?;
    let mut sections = InboxSections::clone(&timeless);
    if wanted.is_none_or(|section| section == InboxKind::Due) {
        sections.insert(InboxKind::Due, inbox::due(&context.overview_of(open)?.graph(), context.now()));
    }
    Ok(sections)
}

pub(crate) fn item(
    context: &Context,
    number: usize,
    kind: InboxKind,
    entry: InboxNoteEntry,
    notes: &[Note],
) -> InboxEntry {
    let notes: Vec<&Note> = entry.notes.iter().map(|at| &notes[*at]).collect();
    let (commands, settlements) = ways_to_settle(kind, &notes, entry.leftover.as_ref());
    let leftover = entry.leftover.as_ref().zip(notes.first());
    let reason = notes.first().and_then(|note| match kind {
        InboxKind::Drafts => draft_reason(note),
        InboxKind::Quarantined => draft_memory_reason(context.target(), note),
        _ => None,
    });
    let why = reason.map_or(entry.why.clone(), |reason| format!("{}: {reason}", entry.why));
    InboxEntry {
        leftover: leftover.map(|(leftover, note)| leftovers::reference(note, leftover)),
        number,
        notes: notes.into_iter().map(listed).collect(),
        why,
        since: entry.since,
        commands,
        settlements,
    }
}

fn listed(note: &Note) -> InboxNote {
    InboxNote {
        id: note.key().to_owned(),
        note_type: note.note_type.clone().unwrap_or_else(|| note.kind.name().to_owned()),
        title: note.title.clone(),
        path: note.path.to_string(),
    }
}

/// Returns the alternative commands that settle an entry, and the ways to settle it that need no
/// command line.
fn ways_to_settle(
    kind: InboxKind,
    notes: &[&Note],
    leftover: Option<&Finding>,
) -> (Vec<String>, Vec<Settlement>) {
    use Settlement::{Accept, Confirm, Invert, Keep, Merge, Pin, Reject, Supersede, Take};
    // The key of a note without an ID is its path, which may contain spaces.
    let review = |settlement: Settlement, at: usize| {
        format!("cm review --{} {}", settlement.name(), shell_words::quote(notes[at].key()))
    };
    let accept = || review(Accept, 0);
    let reject = || review(Reject, 0);
    let confirm = || review(Confirm, 0);
    let left = |settlement: Settlement| {
        let reference =
            leftover.map_or(notes[0].key().to_owned(), |leftover| leftovers::reference(notes[0], leftover));
        format!("cm review --{} {}", settlement.name(), shell_words::quote(&reference))
    };
    let keep = || left(Keep);
    let is_left = |code: FindingCode| leftover.is_some_and(|leftover| leftover.code == code);
    let edit = || format!("cm edit {}", shell_words::quote(notes[0].key()));
    let confirm_all = || {
        let keys: Vec<_> = notes.iter().map(|note| shell_words::quote(note.key())).collect();
        format!("cm review --confirm {}", keys.join(" "))
    };
    match (kind, notes) {
        (InboxKind::Drafts, _) => (vec![accept(), reject()], vec![Accept, Reject, Supersede]),
        (InboxKind::Merges, [a, b]) if [a, b].iter().all(|note| note.kind == NoteKind::Bullet) => {
            let merge = format!("cm review --merge {} {} --content \"…\"", a.key(), b.key());
            (vec![merge, confirm_all()], vec![Merge, Reject, Confirm, Supersede])
        }
        (InboxKind::Conflicts | InboxKind::Merges, _) => {
            let reject = |at| review(Reject, at);
            let commands = (0..notes.len()).map(reject).chain([confirm_all()]).collect();
            (commands, vec![Reject, Confirm, Supersede])
        }
        (InboxKind::Quarantined, [note]) if may_be_accepted(note) => {
            (vec![accept(), reject()], vec![Accept, Reject, Supersede])
        }
        (InboxKind::Quarantined, [note]) if is_reviewed(note) => (vec![edit(), reject()], vec![Reject]),
        (InboxKind::Quarantined, _) => (vec![edit()], Vec::new()),
        (InboxKind::Due, _) => (vec![confirm(), reject()], vec![Confirm, Reject, Supersede]),
        (InboxKind::Inversions, _) => {
            let invert = format!("cm forget {} --invert --reason \"it caused harm\"", notes[0].key());
            (vec![invert, confirm()], vec![Invert, Confirm])
        }
        (InboxKind::Leftovers, [note]) if has(note, FindingCode::ConflictMarker) => {
            (vec![edit()], Vec::new())
        }
        (InboxKind::Leftovers, _) if is_left(FindingCode::MergeCopy) => (vec![edit(), keep()], vec![Keep]),
        (InboxKind::Leftovers, [note]) if is_left(FindingCode::MergeDeletion) => {
            let delete = format!("cm delete {}", shell_words::quote(note.key()));
            (vec![delete, keep()], vec![Keep])
        }
        (InboxKind::Leftovers, _) => (vec![left(Take), keep()], vec![Take, Keep]),
        (InboxKind::NotFollowed, _) => {
            let pin = format!("cm pin {} --reason \"agents do not follow it\"", notes[0].key());
            let bullet = Bullet::of(notes[0]);
            let command = bullet.as_ref().and_then(|bullet| command_of(bullet.content()));
            let commands = [Some(edit()), Some(pin), command.map(enforcement), Some(confirm())];
            (commands.into_iter().flatten().collect(), vec![Confirm, Pin, Reject, Supersede])
        }
    }
}

/// Returns the shell command that makes agents notice a command that a rule is about: a pattern for
/// the guard if the rule forbids it, else the hooks that show the rule at matching prompts.
fn enforcement(command: RuleCommand<'_>) -> String {
    if !command.is_forbidden {
        return "cm hooks install".to_owned();
    }
    // A string of JSON is one of YAML; `%s` leaves its backslashes alone.
    let pattern = Value::String(command.text.to_owned());
    let pattern = serde_json::to_string(&pattern).unwrap_or_default();
    let lines = ["---", "kind: deprecated", &format!("pattern: {pattern}"), "---"];
    let lines: Vec<_> = lines.iter().map(|line| shell_words::quote(line)).collect();
    format!(
        "mkdir -p blocked && printf '%s\\n' {} > blocked/{}.md && cm commit",
        lines.join(" "),
        slug(command.text, MAX_SLUG_CHARS)
    )
}

/// Returns whether the note is a draft that can be accepted.
fn may_be_accepted(note: &Note) -> bool {
    let draft = Bullet::of(note).map_or_else(|| is_draft(note), |bullet| review_decision::is_draft(&bullet));
    is_reviewed(note) && draft.is_ok()
}

fn has(note: &Note, code: FindingCode) -> bool {
    note.findings.iter().any(|finding| finding.code == code)
}

/// Returns whether notes of this kind can be reviewed.
pub(super) fn is_reviewed(note: &Note) -> bool {
    matches!(note.kind, NoteKind::Memory | NoteKind::Bullet)
}

/// Checks that the note is a draft.
pub(super) fn is_draft(note: &Note) -> std::result::Result<(), ReviewRefusal> {
    match note.state.as_deref().map(BulletState::of) {
        _ if note.is_unverified() => Ok(()),
        Some(Some(BulletState::Draft)) => Ok(()),
        Some(Some(state)) => Err(ReviewRefusal::NotADraft { is: state.name() }),
        Some(None) | None => Err(ReviewRefusal::NotADraft { is: "in use" }),
    }
}
