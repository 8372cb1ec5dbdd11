//! Records feedback: a note was helpful, harmful or irrelevant.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::actor::CallerIdentity;
use crate::context::actor::PERSONS_ONLY;
use crate::context::feedback_author::feedback_author;
use crate::context::find::{ResolvedNote, find, in_other_vault, load};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::scoring::scoring;
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::{evidence, sources};
use crate::verbs::curate::{self, CurationOptions, curate_one};
use crate::verbs::quarantine;
use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::bullet::event;
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind, REASONS};
use cm_note::score::Scoring;
use cm_note::score::bullet::{MaturityChange, MaturityInput, effective, verdict};
use cm_playbook::curation::Authority;
use cm_playbook::curation::delta::{CurationDelta, FeedbackDelta};
use cm_playbook::curation::feedback::uncounted_by;
use cm_playbook::curation::report::{Inversion, MaturityStep};

/// Feedback on a note.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether the note was helpful, harmful or irrelevant.
    pub signal: FeedbackSignal,
    /// Reason; for harmful feedback, one of the known reasons or free text.
    pub because: Option<String>,
    /// Weight: 1 for explicit feedback, less for inferred feedback.
    pub weight: Option<f64>,
    /// For harmful feedback: states that the opposite of the rule is true. Requires a person.
    pub invert: bool,
}

/// Result of giving feedback on a note.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MarkResult {
    /// ID of the note.
    pub id: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// New score: the effective score of a bullet, the decay score of a memory.
    pub score: f64,
    /// New maturity; null for a memory without one.
    pub maturity: Option<Maturity>,
    /// Number of feedback events with the signal `helpful`.
    pub helpful: usize,
    /// Number of feedback events with the signal `harmful`.
    pub harmful: usize,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or the feedback is
    /// a duplicate.
    pub commit: Option<String>,
    /// Whether the feedback was recorded; false for a duplicate from the same session.
    pub changed: bool,
    /// Why the feedback has no weight; null if it counts.
    pub uncounted: Option<String>,
    /// Why the feedback turned a draft into an active note; null if it did not.
    pub activation: Option<String>,
    pub promotion: Option<MaturityStep>,
    pub demotion: Option<MaturityStep>,
    /// Anti-pattern that was created from the harmful rule; null if there is none.
    pub inversion: Option<Inversion>,
}

/// Records feedback in the note's file, in the vault that contains it.
///
/// # Errors
/// A note that is not found or cannot be marked, an invalid reason or weight, and the errors of
/// [`write::apply`].
pub fn mark(context: &Context, reference: &str, options: &Options) -> Result<MarkResult> {
    check(options)?;
    let caller = &context.request.caller;
    if let Some(name) = &caller.session
        && let Some(session) = evidence::full_session_id(context, name)?
    {
        let caller = CallerIdentity { session: Some(session), ..caller.clone() };
        return mark_as(&context.with_actor(caller)?, reference, options);
    }
    mark_as(context, reference, options)
}

fn mark_as(context: &Context, reference: &str, options: &Options) -> Result<MarkResult> {
    check_session(context)?;
    let found = find(context, reference)?;
    // Feedback is stored in the vault that has the note: a copy of the note in another one would hide its later changes.
    if found.open.level != context.target().level {
        return in_other_vault(context, found.open, |there| {
            mark_in(there, &load(there.target(), &found.note.path)?, options)
        });
    }
    mark_in(context, &found, options)
}

fn mark_in(context: &Context, found: &ResolvedNote<'_>, options: &Options) -> Result<MarkResult> {
    match found.note.kind {
        NoteKind::Bullet => mark_bullet(context, found, options),
        NoteKind::Memory => mark_memory(context, found, options),
        other => Err(Error::usage(format!(
            "{} has the kind {}; only rules and memories get feedback",
            found.note.path,
            other.name()
        ))),
    }
}

/// Refuses feedback in the name of a session that another person uploaded. It would take the place of that
/// session's own feedback.
fn check_session(context: &Context) -> Result<()> {
    match &context.request.caller.session {
        Some(session) if sources::is_of_another_sender(context, session) => {
            Err(Error::not_found(format!("session `{session}` not found"))
                .hint("name a session that you uploaded, or none"))
        }
        _ => Ok(()),
    }
}

fn check(options: &Options) -> Result<()> {
    if let Some(weight) = options.weight.filter(|weight| !(0.0..=1.0).contains(weight)) {
        return Err(Error::usage(format!("a weight must be between 0.0 and 1.0, not {weight}")));
    }
    if options.invert && options.signal != FeedbackSignal::Harmful {
        return Err(
            Error::usage("only harmful feedback can invert a rule").hint("use `--harmful` with `--invert`")
        );
    }
    if options.because.as_deref().is_some_and(|because| because.trim().is_empty()) {
        return Err(Error::usage("the reason is empty")
            .hint(format!("for harm: {}; or any other text", REASONS.join(", "))));
    }
    Ok(())
}

fn mark_bullet(context: &Context, found: &ResolvedNote<'_>, options: &Options) -> Result<MarkResult> {
    let id = found.note.key().to_owned();
    if options.invert && curate::authority(context) == Authority::Automation {
        return Err(Error::refused(PERSONS_ONLY, "only a person can state that the opposite holds")
            .hint("remove `--invert`, `--agent` and `--session`, or only mark it as harmful"));
    }
    let Options { because, weight, invert, .. } = options.clone();
    let judge = FeedbackDelta {
        id: id.clone(),
        session: None,
        reason: because,
        weight,
        invert,
        is_session_outcome: false,
    };
    let delta = match options.signal {
        FeedbackSignal::Helpful => CurationDelta::Helpful(judge),
        FeedbackSignal::Harmful => CurationDelta::Harmful(judge),
        FeedbackSignal::Irrelevant | FeedbackSignal::Ignored => CurationDelta::Irrelevant(judge),
    };
    // The caller judged the rule itself, so that this is explicit feedback and not an inference.
    let outcome = curate_one(context, delta, &CurationOptions::by_person(CommitOp::Mark))?;
    let bullet = outcome.bullet(&id).cloned().or_else(|| Bullet::of(&found.note));
    let bullet = bullet.ok_or_else(|| Error::not_found(format!("rule `{id}` not found")))?;
    let constants = scoring(&context.target().settings);
    let step = |steps: &[MaturityStep]| steps.iter().find(|step| step.id == id).cloned();
    Ok(MarkResult {
        path: bullet.path.to_string(),
        score: effective(&bullet, context.now(), &constants).value(),
        maturity: Some(bullet.maturity),
        helpful: Feedback::count(&bullet.feedback, FeedbackSignal::Helpful),
        harmful: Feedback::count(&bullet.feedback, FeedbackSignal::Harmful),
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

fn mark_memory(context: &Context, found: &ResolvedNote<'_>, options: &Options) -> Result<MarkResult> {
    let feedback = event_of(context, options);
    let path = found.note.path.clone();
    let mut note = found.note.clone();
    let is_repeated = feedback.session.is_some()
        && note.feedback.iter().any(|old| old.signal == feedback.signal && old.session == feedback.session);
    let seen = feedback
        .session
        .as_deref()
        .is_none_or(|session| !evidence::verified_sessions(context, std::iter::once(session)).is_empty());
    let (mut commit, mut uncounted) = (None, None);
    let constants = scoring(&context.target().settings);
    if !is_repeated {
        let word = options.signal.name();
        let message = CommitMessage::new(CommitOp::Mark, format!("Mark \"{}\" {word}", note.title))
            .id(note.key().to_owned());
        let written = write::apply_with(context, |open| {
            note = load(open, &path)?.note;
            uncounted = uncounted_by(&note.feedback, &feedback, seen);
            let mut feedback = feedback.clone();
            if uncounted.is_some() {
                feedback.weight = 0.0;
            }
            while note.feedback.contains(&feedback) {
                feedback.at = feedback.at.plus_second();
            }
            note.feedback.push(feedback.clone());
            let mut edits = vec![Edit::Push { key: "feedback".to_owned(), item: event(&feedback) }];
            edits.extend(matured(&mut note, &feedback, &constants));
            // An agent that only writes a marker, as a note may ask it to, confirms nothing.
            let is_full = options.weight.is_none_or(|weight| weight >= 1.0);
            if is_full && quarantine::is_confirmed_by(context, &note, &feedback) {
                edits.push(Edit::set_text("state", BulletState::Active.name()));
            }
            Ok(ChangeSet { message, changes: vec![VaultFileChange::edit(path.clone(), edits)] })
        })?;
        commit = written.commit;
    }
    let open = context.target();
    let score = MemoryScores::at(open, open.usage().load().0, context.now()).score(&note);
    Ok(MarkResult {
        id: note.key().to_owned(),
        path: path.to_string(),
        score: score.value(),
        maturity: note.maturity.as_deref().and_then(Maturity::of),
        helpful: Feedback::count(&note.feedback, FeedbackSignal::Helpful),
        harmful: Feedback::count(&note.feedback, FeedbackSignal::Harmful),
        commit,
        changed: !is_repeated,
        uncounted: uncounted.map(|why| format!("stored without weight: {why}")),
        activation: None,
        promotion: None,
        demotion: None,
        inversion: None,
    })
}

/// Builds the feedback event from the caller, the time and the options.
fn event_of(context: &Context, options: &Options) -> Feedback {
    let caller = &context.request.caller;
    let because = options.because.as_deref().map(str::trim);
    let known_reason =
        because.filter(|because| REASONS.contains(because) && options.signal == FeedbackSignal::Harmful);
    Feedback {
        weight: options.weight.unwrap_or(1.0),
        session: caller.session.clone(),
        agent: caller.agent_name(),
        author: feedback_author(context, caller.session.as_deref()),
        reason: known_reason.map(str::to_owned),
        note: because.filter(|_| known_reason.is_none()).map(str::to_owned),
        ..Feedback::new(context.now(), options.signal)
    }
}

/// Returns the edits that change an observation's maturity and, if it became deprecated, end its
/// validity. Empty for other notes.
pub(crate) fn matured(note: &mut Note, given: &Feedback, scoring: &Scoring) -> Vec<Edit> {
    if note.note_type.as_deref() != Some(Note::OBSERVATION) {
        return Vec::new();
    }
    let stored = note.maturity.as_deref().and_then(Maturity::of).unwrap_or_default();
    let harmed = given.signal == FeedbackSignal::Harmful && given.weight > 0.0;
    let track = MaturityInput {
        feedback: &note.feedback,
        half_life_days: None,
        pinned: note.pinned,
        validated: None,
    };
    let to = match verdict(track, stored, harmed, scoring) {
        MaturityChange::Promoted(to) => to,
        MaturityChange::Lowered(to) if harmed => to,
        MaturityChange::Deprecated(_) if harmed => Maturity::Deprecated,
        MaturityChange::Unchanged | MaturityChange::Lowered(_) | MaturityChange::Deprecated(_) => {
            return Vec::new();
        }
    };
    note.maturity = Some(to.name().to_owned());
    let mut edits = vec![Edit::set_text("maturity", to.name())];
    if to == Maturity::Deprecated {
        edits.push(Edit::set_text("state", BulletState::Retired.name()));
    }
    edits
}
