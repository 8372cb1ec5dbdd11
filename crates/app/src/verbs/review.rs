//! The review inbox of the target vault, and a person's decisions on its entries.

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::find::{ResolvedNote, find_in_target, load};
use crate::context::open::Context;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::curate::{CurationOptions, curate_one};
use crate::verbs::playbook;
use crate::verbs::playbook::rule_pairs::rule_pairs;
use cm_note::bullet::{Bullet, BulletState};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::finding::FindingCode;
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::message::CommitMessage;
use cm_note::note::leftover::{self, LeftoverError, MERGE};
use cm_note::note::name::slug;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_playbook::curation::delta::{CurationDelta, MergeDelta};
use cm_playbook::curation::plan;
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
            item(number, kind, entry, &notes)
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

pub(crate) fn item(number: usize, kind: InboxKind, entry: InboxNoteEntry, notes: &[Note]) -> InboxEntry {
    let notes: Vec<&Note> = entry.notes.iter().map(|at| &notes[*at]).collect();
    let (commands, settlements) = ways_to_settle(kind, &notes);
    InboxEntry {
        number,
        notes: notes.into_iter().map(listed).collect(),
        why: entry.why,
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
fn ways_to_settle(kind: InboxKind, notes: &[&Note]) -> (Vec<String>, Vec<Settlement>) {
    use Settlement::{Accept, Confirm, Invert, Keep, Merge, Pin, Reject, Supersede, Take};
    // The key of a note without an ID is its path, which may contain spaces.
    let review = |decision: ReviewDecision, at: usize| {
        format!("cm review --{} {}", decision.name(), shell_words::quote(notes[at].key()))
    };
    let accept = || review(ReviewDecision::Accept, 0);
    let reject = || review(ReviewDecision::Reject, 0);
    let confirm = || review(ReviewDecision::Confirm, 0);
    let keep = || review(ReviewDecision::Keep, 0);
    let edit = || format!("cm edit {}", shell_words::quote(notes[0].key()));
    let confirm_all = || {
        let keys: Vec<_> = notes.iter().map(|note| shell_words::quote(note.key())).collect();
        format!("cm review --confirm {}", keys.join(" "))
    };
    match (kind, notes) {
        (InboxKind::Drafts, _) => (vec![accept(), reject()], vec![Accept, Reject, Supersede]),
        (InboxKind::Merges, [a, b]) if a.kind == NoteKind::Bullet => {
            let merge = format!("cm review --merge {} {} --content \"…\"", a.key(), b.key());
            (vec![merge, confirm_all()], vec![Merge, Reject, Confirm, Supersede])
        }
        (InboxKind::Conflicts | InboxKind::Merges, _) => {
            let reject = |at| review(ReviewDecision::Reject, at);
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
        (InboxKind::Leftovers, [note]) if has(note, FindingCode::MergeCopy) => {
            (vec![edit(), keep()], vec![Keep])
        }
        (InboxKind::Leftovers, [note]) if has(note, FindingCode::MergeDeletion) => {
            let delete = format!("cm delete {}", shell_words::quote(note.key()));
            (vec![delete, keep()], vec![Keep])
        }
        (InboxKind::Leftovers, _) => (vec![review(ReviewDecision::Take, 0), keep()], vec![Take, Keep]),
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
fn is_reviewed(note: &Note) -> bool {
    matches!(note.kind, NoteKind::Memory | NoteKind::Bullet)
}

/// A person's decision on a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    /// Activates a draft or verifies an unverified note.
    Accept,
    /// Retires the note; a bullet is also deprecated.
    Reject,
    /// Confirms that the note still holds.
    Confirm,
    /// Combines several bullets into one.
    Merge,
    /// Takes the versions that a merge left over.
    Take,
    /// Keeps the note as it is and removes what a merge left over.
    Keep,
}

impl ReviewDecision {
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Confirm => "confirm",
            Self::Merge => "merge",
            Self::Take => "take",
            Self::Keep => "keep",
        }
    }
}

/// A way to settle an entry of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// Accepts the note.
    Accept,
    /// Rejects one of the notes.
    Reject,
    /// Confirms that the note holds; of two notes, that both hold.
    Confirm,
    /// Merges the two rules.
    Merge,
    /// Lets a note replace another (`verbs::supersede`).
    Supersede,
    /// Blocks the rule and writes an anti-pattern that states its opposite.
    Invert,
    /// Pins the rule.
    Pin,
    /// Takes the versions that a merge left over.
    Take,
    /// Removes the versions that a merge left over.
    Keep,
}

/// A decision that was applied to one or more notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppliedDecision {
    /// The decision: accept, reject, confirm, merge, take or keep.
    #[serde(rename = "word")]
    pub decision: ReviewDecision,
    /// Ids of the notes that were changed.
    pub ids: Vec<String>,
    /// Id of the bullet that a merge created; null for other decisions.
    pub into: Option<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// Decisions that one call applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewResult {
    /// Applied decisions; each has its own commit.
    pub decisions: Vec<AppliedDecision>,
}

/// Notes to decide on, by decision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewDecisions {
    /// Ids, titles or paths of drafts to accept.
    pub accept: Vec<String>,
    /// Ids, titles or paths of notes to reject.
    pub reject: Vec<String>,
    /// Ids, titles or paths of notes to confirm.
    pub confirm: Vec<String>,
    /// Ids, titles or paths of notes that take what a merge left over.
    pub take: Vec<String>,
    /// Ids, titles or paths of notes that drop what a merge left over.
    pub keep: Vec<String>,
    /// Whether each note gets its own commit instead of one commit per kind.
    pub one_by_one: bool,
}

impl ReviewDecisions {
    /// Returns whether there is no decision.
    pub fn is_empty(&self) -> bool {
        [&self.accept, &self.reject, &self.confirm, &self.take, &self.keep].into_iter().all(Vec::is_empty)
    }
}

/// Applies the decisions, one commit per kind or per note. All notes are checked before the first
/// change, and once more under the lock.
///
/// # Errors
/// Returns an error if a note is not found, if it cannot be accepted or rejected, or if a write
/// fails.
pub fn apply_decisions(context: &Context, decisions: &ReviewDecisions) -> Result<ReviewResult> {
    context.persons_only("accept, reject or confirm in review")?;
    let mut checked = Vec::new();
    for (decision, ids) in [
        (ReviewDecision::Accept, &decisions.accept),
        (ReviewDecision::Reject, &decisions.reject),
        (ReviewDecision::Confirm, &decisions.confirm),
        (ReviewDecision::Take, &decisions.take),
        (ReviewDecision::Keep, &decisions.keep),
    ] {
        let mut paths: Vec<NotePath> = Vec::new();
        for id in ids {
            let found = find_in_target(context, id)?;
            edits_for(context, decision, &found)?;
            if !paths.contains(&found.note.path) {
                paths.push(found.note.path);
            }
        }
        if decisions.one_by_one {
            checked.extend(paths.into_iter().map(|path| (decision, vec![path])));
        } else if !paths.is_empty() {
            checked.push((decision, paths));
        }
    }
    let applied: Result<_> =
        checked.into_iter().map(|(decision, paths)| apply_decision(context, decision, &paths)).collect();
    Ok(ReviewResult { decisions: applied? })
}

/// Merges several bullets into one, in one commit.
///
/// # Errors
/// Returns an error if a reference is not found or is not a bullet, if curation refuses the merge,
/// or if the write fails.
pub fn merge(context: &Context, ids: &[String], content: &str) -> Result<ReviewResult> {
    context.persons_only("merge in review")?;
    let found: Result<Vec<String>> =
        ids.iter().map(|id| Ok(playbook::find_bullet(context, id)?.1.id.to_string())).collect();
    let merge =
        MergeDelta { ids: found?, content: content.to_owned(), reason: context.call.by.reason.clone() };
    let delta = CurationDelta::Merge(merge.clone());
    let outcome = curate_one(context, delta, &CurationOptions::by_person("review"))?;
    let into = outcome.report.applied.first().map(|applied| applied.id.clone());
    let ids = if into.is_some() { merge.ids } else { Vec::new() };
    Ok(ReviewResult {
        decisions: vec![AppliedDecision {
            decision: ReviewDecision::Merge,
            ids,
            into,
            commit: outcome.commit,
        }],
    })
}

/// Returns the edits that a decision makes to a note.
fn edits_for(context: &Context, decision: ReviewDecision, found: &ResolvedNote<'_>) -> Result<Vec<Edit>> {
    let note = &found.note;
    if matches!(decision, ReviewDecision::Take | ReviewDecision::Keep) {
        return of_leftovers(decision, found, context.now());
    }
    if !is_reviewed(note) {
        let message =
            format!("{} is a {}; only memories and rules can be reviewed", note.path, note.kind.name());
        return Err(Error::usage(message));
    }
    let now = context.now();
    let reason = context.call.by.reason.as_deref().filter(|reason| !reason.trim().is_empty());
    let reason = reason.unwrap_or("rejected in review");
    match Bullet::of(note) {
        Some(bullet) => of_bullet(decision, &bullet, reason, now).map_err(|unmoved| refused(note, unmoved)),
        None => of_memory(decision, note, now).map_err(|unmoved| refused(note, unmoved)),
    }
}

/// Returns the edits that take or drop what a merge left over.
fn of_leftovers(decision: ReviewDecision, found: &ResolvedNote<'_>, now: Instant) -> Result<Vec<Edit>> {
    let note = &found.note;
    if note.findings.iter().all(|finding| !finding.code.is_leftover()) {
        let error =
            Error::refused("no-leftover", format!("{} has nothing left over from a merge", note.key()));
        return Err(error.at(&note.path, None, None).hint("`cm review --kind leftovers` lists the notes"));
    }
    if decision == ReviewDecision::Keep {
        return Ok(leftover::removal().to_vec());
    }
    let text = found.text();
    let mut edits = leftover::taken(&text).map_err(|error| {
        let hint = match error {
            LeftoverError::TextChanged | LeftoverError::SeveralVersions => {
                "change the note by hand, then use `cm review --keep`"
            }
            LeftoverError::AboutFile => "`cm review --kind leftovers` shows what can be done",
        };
        Error::refused("leftover", format!("{}: {error}", note.key())).at(&note.path, None, None).hint(hint)
    })?;
    // A note without frontmatter has no date, and gets none.
    if parse(&Split::of(&text)).fields.iter().any(|field| field.key != MERGE) {
        edits.push(Edit::set_text("updated", now.to_string()));
    }
    Ok(edits)
}

fn of_bullet(
    decision: ReviewDecision,
    bullet: &Bullet,
    reason: &str,
    now: Instant,
) -> std::result::Result<Vec<Edit>, ReviewRefusal> {
    let decided = match decision {
        ReviewDecision::Accept => review_decision::accept(bullet, now)?,
        ReviewDecision::Reject => review_decision::reject(bullet, reason, now)?,
        _ => review_decision::confirm(bullet, now),
    };
    // No word changes what a bullet says, so that its text is not asked for.
    Ok(plan::edits(bullet, &decided, &|_| None))
}

fn of_memory(
    decision: ReviewDecision,
    note: &Note,
    now: Instant,
) -> std::result::Result<Vec<Edit>, ReviewRefusal> {
    let state = match decision {
        ReviewDecision::Accept => is_draft(note).map(|()| BulletState::Active)?,
        ReviewDecision::Reject if note.is_retired() => {
            return Err(ReviewRefusal::Retired);
        }
        ReviewDecision::Reject => BulletState::Retired,
        _ => {
            return Ok(vec![Edit::set_text("last_checked", now.to_string())]);
        }
    };
    Ok(vec![Edit::set_text("state", state.name()), Edit::set_text("updated", now.to_string())])
}

/// Checks that the note is a draft.
fn is_draft(note: &Note) -> std::result::Result<(), ReviewRefusal> {
    match note.state.as_deref().map(BulletState::of) {
        _ if note.is_unverified() => Ok(()),
        Some(Some(BulletState::Draft)) => Ok(()),
        Some(Some(state)) => Err(ReviewRefusal::NotADraft { is: state.name() }),
        Some(None) | None => Err(ReviewRefusal::NotADraft { is: "in use" }),
    }
}

/// Creates the error for a note on which the decision is not possible.
fn refused(note: &Note, unmoved: ReviewRefusal) -> Error {
    let (code, hint) = match unmoved {
        ReviewRefusal::NotADraft { .. } => ("not-a-draft", "`cm review` lists the notes to review"),
        _ => ("retired", "`cm why` shows its history"),
    };
    Error::refused(code, format!("{} is {unmoved}", note.key())).at(&note.path, None, None).hint(hint)
}

/// Checks the notes again while the lock is held, then writes the decision.
fn apply_decision(
    context: &Context,
    decision: ReviewDecision,
    paths: &[NotePath],
) -> Result<AppliedDecision> {
    let mut ids = Vec::new();
    let written = write::apply_with(context, |open| {
        let mut titles = Vec::new();
        let mut changes = Vec::new();
        for path in paths {
            let found = load(open, path)?;
            changes.push(VaultFileChange::Edit {
                path: path.clone(),
                edits: edits_for(context, decision, &found)?,
            });
            ids.push(found.note.key().to_owned());
            titles.push(found.note.title);
        }
        let message = CommitMessage::new("review", subject(decision, &titles));
        let message = ids.iter().fold(message, |message, id| message.id(id.clone()));
        Ok(ChangeSet { message, changes })
    })?;
    Ok(AppliedDecision { decision, ids, into: None, commit: written.commit })
}

fn subject(decision: ReviewDecision, titles: &[String]) -> String {
    let verb = match decision {
        ReviewDecision::Accept => "Accept",
        ReviewDecision::Reject => "Reject",
        ReviewDecision::Confirm | ReviewDecision::Merge => "Confirm",
        ReviewDecision::Take => "Take the other version of",
        ReviewDecision::Keep => "Keep the version of",
    };
    match titles {
        [one] => format!("{verb} \"{one}\""),
        several => format!("{verb} {} notes in review", several.len()),
    }
}
