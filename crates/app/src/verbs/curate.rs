//! Curation of the playbook: applies deltas in one commit and returns a report. Every command that
//! changes a bullet uses it.

mod message;
mod refusal;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::feedback_author::feedback_author;
use crate::context::find::{find_in_target, load};
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::scoring::scoring;
use crate::context::write::{self, FilePreview};
use crate::error::{Error, Result};
use crate::sessions::evidence::{self, FixedHistory, SessionEvidence};
use crate::verbs::note_fields::sharded;
use crate::verbs::playbook;
use crate::verbs::playbook::concerned::concerned_rules;
use cm_note::bullet::Bullet;
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_note::score::Scoring;
use cm_playbook::curation::apply::{self, CurationRequest, CurationResult, Proposer, SweepScope};
use cm_playbook::curation::delta::{CurationDelta, DeltaFile};
use cm_playbook::curation::history::RuleEvidenceSource;
use cm_playbook::curation::left_out::LeftOutRules;
use cm_playbook::curation::plan::{self, VaultFiles};
use cm_playbook::curation::report::{CurationReport, UnappliedCode};
use cm_playbook::curation::{Authority, CurationLimits, Playbook};
use cm_text::word_diff;

use message::message;
pub(crate) use refusal::check_refusals;

/// Authority and mode of a curation.
#[derive(Debug, Clone)]
pub struct CurationOptions {
    /// Whether the changes count as a person's decision or as proposals of a program.
    pub authority: Authority,
    /// Report the changes without writing them.
    pub dry_run: bool,
    /// Which bullets are evaluated again beside those that a delta changes.
    pub sweep: SweepScope,
    /// Name of the operation, as recorded in the commit message.
    pub op: CommitOp,
    /// The commit subject; generated from the report if `None`.
    pub subject: Option<String>,
}

impl CurationOptions {
    /// Creates the options of a single decision of a person.
    pub fn by_person(op: CommitOp) -> Self {
        Self { authority: Authority::Person, dry_run: false, sweep: SweepScope::Changed, op, subject: None }
    }

    /// Creates the options of a single proposal of a program.
    pub fn by_program(op: CommitOp) -> Self {
        Self { authority: Authority::Automation, ..Self::by_person(op) }
    }

    /// Creates the options of a single change by the caller: an agent's additions are proposals, a
    /// person's take effect.
    pub fn by_caller(context: &Context, op: CommitOp) -> Self {
        Self { authority: authority(context), ..Self::by_person(op) }
    }

    pub fn with_subject(self, subject: String) -> Self {
        Self { subject: Some(subject), ..self }
    }

    /// Creates the options for applying a delta file: changes are proposals, and the maturity of
    /// all bullets is re-evaluated.
    pub fn of_file(dry_run: bool) -> Self {
        Self { dry_run, sweep: SweepScope::All, ..Self::by_program(CommitOp::Curate) }
    }
}

/// Parses a delta file, whose `name` appears in error messages.
///
/// # Errors
/// Returns a usage error with the position of the first syntax error.
pub fn read(text: &str, name: &str) -> Result<DeltaFile> {
    DeltaFile::parse(text).map_err(|error| {
        Error::usage(error.message.clone())
            .at(name, error.line, error.column)
            .hint("see schema/deltas.json, or `cm help curate` for an example")
    })
}

/// Result of applying a list of changes (deltas) to the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CurationOutcome {
    /// Which deltas were applied, skipped or refused.
    #[serde(flatten)]
    pub report: CurationReport,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// The changes as a patch; only for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Paths of the other files that the same commit writes, such as the diary and memories of a
    /// reflected session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// All bullets and blocked patterns after the curation; not serialized.
    #[serde(skip)]
    pub playbook: Playbook,
    /// Files that changed or would change; not serialized.
    #[serde(skip)]
    pub files: Vec<NotePath>,
}

/// File changes to add to the commit of a curation.
#[derive(Default)]
pub(crate) struct ExtraChangeSet<T = ()> {
    pub changes: Vec<VaultFileChange>,
    /// IDs of the notes in them, for the commit message.
    pub ids: Vec<String>,
    /// The value that is returned to the caller with the outcome.
    pub result: T,
}

/// Evidence and file changes that a caller adds to a curation.
#[derive(Clone, Copy)]
pub(crate) struct ExtraChanges<'a, T = ()> {
    /// Source of evidence from past sessions; `None` uses the session index.
    pub history: Option<&'a dyn RuleEvidenceSource>,
    /// Returns the file changes to add to those of the curation; called while the vault's lock is
    /// held.
    pub changes: &'a dyn Fn(&OpenVault, &CurationResult) -> Result<ExtraChangeSet<T>>,
    /// Whether the deltas may rewrite and retire active rules although an agent asks for it, because
    /// they are the agent's own of this session, or a person's word replaces them.
    pub may_rewrite: bool,
}

impl ExtraChanges<'_> {
    pub(crate) const NOTHING: Self =
        ExtraChanges { history: None, changes: &|_, _| Ok(ExtraChangeSet::default()), may_rewrite: false };
}

/// A curation that is computed and not yet written.
pub(crate) struct PlannedCuration<T = ()> {
    /// Bullets and blocked patterns before the curation.
    pub before: Playbook,
    pub curated: CurationResult,
    pub extra: ExtraChangeSet<T>,
}

impl CurationOutcome {
    /// Whether a delta was refused.
    pub fn failed(&self) -> bool {
        !self.report.refused.is_empty()
    }

    /// Whether a delta was refused and nothing was applied, skipped or written.
    pub fn did_nothing(&self) -> bool {
        self.failed()
            && self.report.applied.is_empty()
            && self.report.skipped.is_empty()
            && self.notes.is_empty()
    }

    /// Returns the bullet with this ID after the curation, also if only an existing one states the same.
    ///
    /// # Errors
    /// Returns an error if the vaults have no such bullet.
    pub(crate) fn stored(&self, context: &Context, id: &str) -> Result<Bullet> {
        match self.bullet(id) {
            Some(bullet) => Ok(bullet.clone()),
            None => Ok(playbook::find_bullet(context, id)?.1),
        }
    }

    /// The bullet with this ID after the curation.
    pub fn bullet(&self, id: &str) -> Option<&Bullet> {
        self.playbook.bullets.iter().find(|bullet| bullet.id.as_str() == id)
    }
}

/// Applies deltas to the target vault.
///
/// # Errors
/// Unreadable notes, and the errors of [`write::apply`]. A refused delta is part of the report, not
/// an error.
pub fn curate(context: &Context, file: &DeltaFile, options: &CurationOptions) -> Result<CurationOutcome> {
    curate_with(context, file, options, &ExtraChanges::NOTHING).map(|(outcome, ())| outcome)
}

/// Applies one delta to the target vault.
///
/// # Errors
/// The errors of [`curate`], and that of a refused delta.
pub(crate) fn curate_one(
    context: &Context,
    delta: CurationDelta,
    options: &CurationOptions,
) -> Result<CurationOutcome> {
    let file = DeltaFile { deltas: vec![delta], ..DeltaFile::default() };
    let outcome = curate(context, &file, options)?;
    check_refusals(&outcome.report)?;
    Ok(outcome)
}

/// Like [`curate`], but with evidence and file changes of the caller; also returns their result.
pub(crate) fn curate_with<T>(
    context: &Context,
    file: &DeltaFile,
    options: &CurationOptions,
    extra: &ExtraChanges<'_, T>,
) -> Result<(CurationOutcome, T)> {
    let proposer = proposer(context, file);
    let is_alone = options.sweep == SweepScope::Changed;
    let targets = if is_alone { target_paths(context, &file.deltas) } else { None };
    let own = file.deltas.iter().filter_map(apply::delta_session).chain(proposer.session.as_deref());
    let sessions = evidence::verified_sessions(context, own);
    let run_with = |before: &Playbook,
                    (elsewhere, left_out): (&Playbook, &LeftOutRules),
                    closed: &[(NotePath, String)]| {
        let inputs = CurationInputs::of(context, &proposer, options);
        let request = inputs.request(elsewhere, &file.deltas);
        let history = extra.history.unwrap_or(request.history);
        let history = FixedHistory { history, sessions: &sessions };
        let only_proposes = request.only_proposes && !extra.may_rewrite;
        let request = CurationRequest {
            history: &history,
            only_proposes,
            left_out,
            read_only_paths: closed,
            ..request
        };
        apply::curate(before, &request)
    };
    // A file that cannot be edited is an error of the deltas that name it, and of no other.
    let run = |before: &Playbook, others: (&Playbook, &LeftOutRules)| {
        let curated = run_with(before, others, &[]);
        let closed = closed(context.target(), before, &curated);
        if closed.is_empty() { curated } else { run_with(before, others, &closed) }
    };
    let nothing_left_out = LeftOutRules::default();
    // What follows of a demotion or an activation is found among all bullets.
    let settles_alone =
        |report: &CurationReport| report.demotions.is_empty() && report.activations.is_empty();
    let plan = |open: &OpenVault| -> Result<(Playbook, CurationResult)> {
        if let Some(paths) = &targets {
            // What moved since is found among all bullets too.
            let moved = |report: &CurationReport| {
                report.refused.iter().any(|passed| passed.code == UnappliedCode::UnknownBullet)
            };
            if let Ok(before) = alone(open, paths) {
                let curated = run(&before, (&Playbook::default(), &nothing_left_out));
                if settles_alone(&curated.report) && !moved(&curated.report) {
                    return Ok((before, curated));
                }
            }
        } else if is_alone && let Ok(Some(rules)) = concerned_rules(context, open, &file.deltas) {
            let curated = run(&rules.own, (&rules.elsewhere, &rules.left_out));
            if settles_alone(&curated.report) {
                return Ok((rules.own, curated));
            }
        }
        let before = playbook::as_written(context, open)?;
        let elsewhere = elsewhere(context, open, &before)?;
        let curated = run(&before, (&elsewhere, &nothing_left_out));
        Ok((before, curated))
    };
    write_curation(context, options, &proposer, |open| {
        let (before, curated) = plan(open)?;
        let extra = (extra.changes)(open, &curated)?;
        Ok(PlannedCuration { before, curated, extra })
    })
}

/// Computes the curation with `plan` while the vault's lock is held, then writes its result.
pub(crate) fn write_curation<T>(
    context: &Context,
    options: &CurationOptions,
    proposer: &Proposer,
    plan: impl FnOnce(&OpenVault) -> Result<PlannedCuration<T>>,
) -> Result<(CurationOutcome, T)> {
    let applied = write::apply_or_preview(context, options.dry_run, |open| {
        let PlannedCuration { before, curated, extra } = plan(open)?;
        let mut changes = changes(context, open, &before, &curated)?;
        changes.extend(extra.changes);
        let message =
            extra.ids.iter().fold(message(options, &before, &curated), |message, id| message.id(id));
        let Proposer { session, agent, .. } = proposer.clone();
        let message = CommitMessage { session, agent, ..message };
        Ok((ChangeSet { message, changes }, (curated, extra.result)))
    })?;
    let (CurationResult { report, playbook, .. }, result) = applied.result;
    let outcome = CurationOutcome {
        report,
        commit: applied.commit,
        dry_run: options.dry_run,
        diff: options.dry_run.then(|| diff(&applied.preview)),
        notes: Vec::new(),
        playbook,
        files: applied.changed,
    };
    Ok((outcome, result))
}

/// Options, settings and evidence of a curation, from which its request is built.
pub(crate) struct CurationInputs<'a> {
    context: &'a Context,
    proposer: &'a Proposer,
    options: &'a CurationOptions,
    left_out: LeftOutRules,
    limits: CurationLimits,
    scoring: Scoring,
    history: SessionEvidence<'a>,
}

impl<'a> CurationInputs<'a> {
    pub fn of(context: &'a Context, proposer: &'a Proposer, options: &'a CurationOptions) -> Self {
        let open = context.target();
        Self {
            context,
            proposer,
            options,
            left_out: LeftOutRules::default(),
            limits: playbook::limits(open),
            scoring: scoring(&open.settings),
            history: SessionEvidence::of(context),
        }
    }

    /// Builds a request in which no rule is left out and every file can be edited.
    pub fn request<'r>(
        &'r self,
        elsewhere: &'r Playbook,
        deltas: &'r [CurationDelta],
    ) -> CurationRequest<'r> {
        CurationRequest {
            deltas,
            proposer: self.proposer,
            authority: self.options.authority,
            only_proposes: !self.context.is_person(),
            elsewhere,
            left_out: &self.left_out,
            limits: &self.limits,
            scoring: &self.scoring,
            history: &self.history,
            meaning: meaning(self.context.target()),
            now: self.context.now(),
            sweep: self.options.sweep,
            read_only_paths: &[],
        }
    }
}

/// Returns the session, agent and author of a delta file; missing ones are those of the caller.
pub(crate) fn proposer(context: &Context, file: &DeltaFile) -> Proposer {
    let caller = &context.request.caller;
    Proposer {
        session: file.session.clone().or_else(|| caller.session.clone()),
        agent: file.agent.clone().or_else(|| caller.agent_name()),
        author: caller.actor.clone(),
        own_name: feedback_author(context, None),
    }
}

/// Returns the changed bullets whose files cannot be edited, each with the reason.
fn closed(open: &OpenVault, before: &Playbook, after: &CurationResult) -> Vec<(NotePath, String)> {
    let changed = before.bullets.iter().zip(&after.playbook.bullets).filter(|(old, new)| old != new);
    let why = |path: &NotePath| {
        let bytes = load(open, path).ok()?.bytes;
        let text = std::str::from_utf8(&bytes).map_err(|_| "it is not UTF-8".to_owned());
        let probe = [
            Edit::Push { key: "feedback".to_owned(), item: Value::String("probe".to_owned()) },
            Edit::Set { key: "updated".to_owned(), value: Value::String("probe".to_owned()) },
        ];
        let edited = |text: &str| edit::apply(text, &probe).map_err(|error| error.to_string());
        text.and_then(edited).err()
    };
    changed.filter_map(|(old, _)| Some((old.path.clone(), why(&old.path)?))).collect()
}

/// Authority of a caller: an agent's additions are proposals, a person's take effect.
pub fn authority(context: &Context) -> Authority {
    if context.is_person() { Authority::Person } else { Authority::Automation }
}

/// Returns the files of the bullets that the deltas change, so that only these are loaded; `None`
/// if other bullets are needed as well.
fn target_paths(context: &Context, deltas: &[CurationDelta]) -> Option<Vec<NotePath>> {
    let alone = |delta: &CurationDelta| {
        matches!(
            delta,
            CurationDelta::Helpful(_)
                | CurationDelta::Harmful(_)
                | CurationDelta::Irrelevant(_)
                | CurationDelta::Pin(_)
                | CurationDelta::Unpin(_)
        )
    };
    if !deltas.iter().all(alone) {
        return None;
    }
    let mut paths: Vec<NotePath> = Vec::new();
    for id in deltas.iter().flat_map(CurationDelta::ids) {
        let found = find_in_target(context, id).ok()?;
        if found.note.id.as_ref().map(NoteId::as_str) != Some(id) {
            return None;
        }
        if !paths.contains(&found.note.path) {
            paths.push(found.note.path);
        }
    }
    paths.sort();
    Some(paths)
}

/// Loads only the bullets at the given paths.
fn alone(open: &OpenVault, paths: &[NotePath]) -> Result<Playbook> {
    let notes: Result<Vec<_>> = paths.iter().map(|path| Ok(load(open, path)?.note)).collect();
    Ok(playbook::of_notes(&notes?))
}

/// Merges the playbooks of the vaults other than `open`, without bullets that `own` overrides.
pub(crate) fn elsewhere(context: &Context, open: &OpenVault, own: &Playbook) -> Result<Playbook> {
    let mut all = Playbook::default();
    // What this vault says in its own words holds in their place.
    let ids: HashSet<&NoteId> = own.bullets.iter().map(|bullet| &bullet.id).collect();
    for other in context.vaults.iter().filter(|other| other.level != open.level) {
        let more = playbook::of_vault(context, other)?;
        all.bullets.extend(more.bullets.into_iter().filter(|bullet| !ids.contains(&bullet.id)));
        all.blocked.extend(more.blocked);
    }
    Ok(all)
}

fn changes(
    context: &Context,
    open: &OpenVault,
    before: &Playbook,
    after: &CurationResult,
) -> Result<Vec<VaultFileChange>> {
    let body = |path: &NotePath| {
        let text = load(open, path).ok()?.text();
        Some(Split::of(&text).body().to_owned())
    };
    let is_note = |id: &NoteId| {
        let candidates = open.index().lookup(id.as_str()).unwrap_or_default();
        candidates
            .iter()
            .any(|(_, path)| load(open, path).is_ok_and(|found| found.note.id.as_ref() == Some(id)))
    };
    // Folders that grow beyond a thousand notes take new ones in subfolders.
    let place = |path: &NotePath, id: &NoteId| {
        sharded(open, path.folder(), path.file_name(), id).unwrap_or_else(|_| path.clone())
    };
    Ok(plan::changes(
        before,
        after,
        context.now(),
        &VaultFiles { body: &body, is_known: &is_note, place: &place },
    ))
}

/// Formats file changes as a unified diff.
fn diff(files: &[FilePreview]) -> String {
    let mut all = String::new();
    for FilePreview { path, before, after } in files {
        let old = if before.is_empty() { "/dev/null".to_owned() } else { format!("a/{path}") };
        all += &word_diff::unified(&old, &format!("b/{path}"), before, after);
    }
    all
}
