//! Records feedback: a note was helpful, harmful or irrelevant.

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use super::curate::{self, Options as Curation};
use super::decay::{score_of, scoring};
use super::error::{Error, Result};
use super::find::{Found, find, load};
use super::memory::Memory;
use super::{quarantine, witnesses, write};
use cm_note::bullet::{Bullet, Maturity, State};
use cm_note::change::{Change, ChangeSet};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::Message;
use cm_note::note::bullet::event;
use cm_note::note::{Feedback, Kind, Note, REASONS, Signal};
use cm_note::score::Scoring;
use cm_note::score::bullet::{Track, Verdict, effective, verdict};
use cm_playbook::curation::Authority;
use cm_playbook::curation::curation::uncounted_by;
use cm_playbook::curation::delta::{Delta, DeltaFile, Judge};
use cm_playbook::curation::report::{Inversion, Step};

/// A feedback event.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether the note was helpful, harmful or irrelevant.
    pub signal: Signal,
    /// Reason; for harm, one of the known reasons or free text.
    pub because: Option<String>,
    /// Weight: 1 for explicit feedback, less for inferred feedback.
    pub weight: Option<f64>,
    /// For harm: states that the opposite of the rule is true. Requires a person.
    pub invert: bool,
}

/// The result of recording feedback.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Marked {
    /// Note ID.
    pub id: String,
    /// Path of the note's file.
    pub path: String,
    /// New score: the effective score of a bullet, the decay score of a memory.
    pub score: f64,
    /// New maturity; null for a memory without one.
    pub maturity: Option<Maturity>,
    /// Number of helpful marks.
    pub helpful: usize,
    /// Number of harmful marks.
    pub harmful: usize,
    /// The commit; null if commits are manual or the feedback is a duplicate.
    pub commit: Option<String>,
    /// Whether the feedback was recorded; false for a duplicate from the same session.
    pub changed: bool,
    /// Why the feedback was recorded without weight; null if it counts.
    pub uncounted: Option<String>,
    /// Why a draft became active; null if none did.
    pub activation: Option<String>,
    /// The resulting promotion.
    pub promotion: Option<Step>,
    /// The resulting demotion.
    pub demotion: Option<Step>,
    /// The anti-pattern created from the rule.
    pub inversion: Option<Inversion>,
}

/// Records feedback in the note's file, in the vault that contains it.
///
/// # Errors
/// A note that is not found or cannot be marked, an invalid reason or weight, and the errors of
/// [`write::apply`].
pub fn mark(memory: &Memory, reference: &str, options: &Options) -> Result<Marked> {
    check(options)?;
    let found = find(memory, reference)?;
    // The word goes to where the note lies: a copy of it in another vault would hide the note's later changes.
    if found.open.level != memory.target().level {
        let there = memory.alone(found.open)?;
        let marked = mark_in(&there, &load(there.target(), &found.note.path)?, options);
        there.take_notices().into_iter().for_each(|notice| memory.notice(notice));
        return marked;
    }
    mark_in(memory, &found, options)
}

fn mark_in(memory: &Memory, found: &Found<'_>, options: &Options) -> Result<Marked> {
    match found.note.kind {
        Kind::Bullet => mark_bullet(memory, found, options),
        Kind::Memory => mark_memory(memory, found, options),
        other => Err(Error::usage(format!(
            "{} is of the kind {}, and only bullets and memories are judged",
            found.note.path,
            other.name()
        ))),
    }
}

fn check(options: &Options) -> Result<()> {
    if let Some(weight) = options.weight.filter(|weight| !(0.0..=1.0).contains(weight)) {
        return Err(Error::usage(format!("a weight lies between 0.0 and 1.0, and {weight} does not")));
    }
    if options.invert && options.signal != Signal::Harmful {
        return Err(Error::usage("only harm says that the opposite holds").hint("use --harmful --invert"));
    }
    if options.because.as_deref().is_some_and(|because| because.trim().is_empty()) {
        return Err(Error::usage("the reason is empty")
            .hint(format!("of harm: {}; or any words", REASONS.join(", "))));
    }
    Ok(())
}

fn mark_bullet(memory: &Memory, found: &Found<'_>, options: &Options) -> Result<Marked> {
    let id = found.note.key().to_owned();
    if options.invert && curate::authority(memory) == Authority::Automation {
        return Err(Error::refused("person-only", "only a person says that the opposite holds")
            .hint("leave --invert, --agent and --session out, or mark it harmful"));
    }
    let Options { because, weight, invert, .. } = options.clone();
    let judge = Judge { id: id.clone(), session: None, reason: because, weight, invert };
    let delta = match options.signal {
        Signal::Helpful => Delta::Helpful(judge),
        Signal::Harmful => Delta::Harmful(judge),
        Signal::Irrelevant => Delta::Irrelevant(judge),
    };
    let file = DeltaFile { deltas: vec![delta], ..DeltaFile::default() };
    // Somebody looked at the rule and said so: that is a word of its own, not a program's guess.
    let how =
        Curation { authority: Authority::Person, dry_run: false, sweep: false, op: "mark", subject: None };
    let outcome = curate::curate(memory, &file, &how)?;
    if let Some(error) = curate::refusal(&outcome.report) {
        return Err(error);
    }
    let bullet = outcome.bullet(&id).cloned().or_else(|| Bullet::of(&found.note));
    let bullet = bullet.ok_or_else(|| Error::not_found(format!("there is no bullet `{id}`")))?;
    let constants = scoring(&memory.target().settings);
    let step = |steps: &[Step]| steps.iter().find(|step| step.id == id).cloned();
    Ok(Marked {
        path: bullet.path.to_string(),
        score: effective(&bullet, memory.now(), &constants).value(),
        maturity: Some(bullet.maturity),
        helpful: count(&bullet.feedback, Signal::Helpful),
        harmful: count(&bullet.feedback, Signal::Harmful),
        commit: outcome.commit.clone(),
        changed: !outcome.report.applied.is_empty(),
        uncounted: outcome.report.applied.iter().find_map(|applied| applied.note.clone()),
        activation: outcome.report.activations.iter().find(|one| one.id == id).map(|one| one.reason.clone()),
        promotion: step(&outcome.report.promotions),
        demotion: step(&outcome.report.demotions),
        inversion: outcome.report.inversions.iter().find(|inversion| inversion.from == id).cloned(),
        id,
    })
}

/// Number of events with this signal and a positive weight.
pub(super) fn count(feedback: &[Feedback], signal: Signal) -> usize {
    feedback.iter().filter(|event| event.signal == signal && event.weight > 0.0).count()
}

fn mark_memory(memory: &Memory, found: &Found<'_>, options: &Options) -> Result<Marked> {
    let given = event_of(memory, options);
    let path = found.note.path.clone();
    let mut note = found.note.clone();
    let said = given.session.is_some()
        && note.feedback.iter().any(|old| old.signal == given.signal && old.session == given.session);
    let seen = given
        .session
        .as_deref()
        .is_none_or(|session| !witnesses::seen(memory, std::iter::once(session)).is_empty());
    let (mut commit, mut uncounted) = (None, None);
    let constants = scoring(&memory.target().settings);
    if !said {
        let word = signal_word(options.signal);
        let message =
            Message::new("mark", format!("Mark \"{}\" {word}", note.title)).id(note.key().to_owned());
        let written = write::apply_with(memory, |open| {
            note = load(open, &path)?.note;
            uncounted = uncounted_by(&note.feedback, &given, seen);
            let mut given = given.clone();
            if uncounted.is_some() {
                given.weight = 0.0;
            }
            while note.feedback.contains(&given) {
                given.at = given.at.plus_second();
            }
            note.feedback.push(given.clone());
            let mut edits = vec![Edit::Push { key: "feedback".to_owned(), item: event(&given) }];
            edits.extend(matured(&mut note, &given, &constants));
            if quarantine::is_confirmed_by(memory, &note, &given) {
                let value = Value::String(State::Active.name().to_owned());
                edits.push(Edit::Set { key: "state".to_owned(), value });
            }
            Ok(ChangeSet { message, changes: vec![Change::Edit { path: path.clone(), edits }] })
        })?;
        commit = written.commit;
    }
    let open = memory.target();
    let (table, _) = open.usage().load();
    let used = table.get(note.key()).copied().unwrap_or_default();
    let score = score_of(&note, used, &open.settings, &constants, memory.now());
    Ok(Marked {
        id: note.key().to_owned(),
        path: path.to_string(),
        score: score.value(),
        maturity: note.maturity.as_deref().and_then(Maturity::of),
        helpful: count(&note.feedback, Signal::Helpful),
        harmful: count(&note.feedback, Signal::Harmful),
        commit,
        changed: !said,
        uncounted: uncounted.map(|why| format!("kept without weight: {why}")),
        activation: None,
        promotion: None,
        demotion: None,
        inversion: None,
    })
}

/// Builds the feedback event from the call and the options.
fn event_of(memory: &Memory, options: &Options) -> Feedback {
    let by = &memory.call.by;
    let because = options.because.as_deref().map(str::trim);
    let known = because.filter(|because| REASONS.contains(because) && options.signal == Signal::Harmful);
    Feedback {
        weight: options.weight.unwrap_or(1.0),
        session: by.session.clone(),
        agent: by.agent_name(),
        author: by.actor.clone(),
        reason: known.map(str::to_owned),
        note: because.filter(|_| known.is_none()).map(str::to_owned),
        ..Feedback::new(memory.now(), options.signal)
    }
}

/// For an observation, returns the edits that change its maturity and end its validity after a
/// deprecation.
fn matured(note: &mut Note, given: &Feedback, scoring: &Scoring) -> Vec<Edit> {
    if note.note_type.as_deref() != Some(Note::OBSERVATION) {
        return Vec::new();
    }
    let stored = note.maturity.as_deref().and_then(Maturity::of).unwrap_or_default();
    let harmed = given.signal == Signal::Harmful && given.weight > 0.0;
    let track =
        Track { feedback: &note.feedback, half_life_days: None, pinned: note.pinned, validated: None };
    let to = match verdict(track, stored, harmed, scoring) {
        Verdict::Rises(to) => to,
        Verdict::Sinks(to) if harmed => to,
        Verdict::Falls(_) if harmed => Maturity::Deprecated,
        Verdict::Stays | Verdict::Sinks(_) | Verdict::Falls(_) => return Vec::new(),
    };
    note.maturity = Some(to.name().to_owned());
    let set =
        |key: &str, value: &str| Edit::Set { key: key.to_owned(), value: Value::String(value.to_owned()) };
    let mut edits = vec![set("maturity", to.name())];
    if to == Maturity::Deprecated {
        edits.push(set("state", State::Retired.name()));
    }
    edits
}

/// Name of a signal in files, options and messages.
pub fn signal_word(signal: Signal) -> &'static str {
    match signal {
        Signal::Helpful => "helpful",
        Signal::Harmful => "harmful",
        Signal::Irrelevant => "irrelevant",
    }
}
