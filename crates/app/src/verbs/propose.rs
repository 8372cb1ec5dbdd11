//! Records what a person said, as read by the agent in the session.
//!
//! The agent judges, the program checks: a proposal is active only if a person typed its quote in
//! this session, the quote is judged to be meant to last, and the proposal says nothing that the
//! quote and what it answers do not say. Everything else is a draft.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::find::find;
use crate::context::meaning::judge_statements;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use crate::sessions::SessionAccess;
use crate::sessions::gathered_evidence::GatheredEvidence;
use crate::verbs::curate::{self, ExtraChanges, curate_beside};
use crate::verbs::diary::session::SessionReader;
use crate::verbs::hook::occasions::signals_of;
use crate::verbs::hook::signals::SignalLog;
use crate::verbs::reflect::commit::active_rule;
use crate::verbs::reflect::later_word::{StatementOrigin, excluded_rules};
use crate::verbs::reflect::memories::{ExistingMemories, MemoryProposal, edges_to_replaced, plan_memory};
use crate::verbs::similar::SimilarNote;
use crate::verbs::{playbook, relate, similar};
use cm_learn::diary::StatementAuthor;
use cm_learn::prose::cut;
use cm_learn::reflect::draft::{DraftOrigin, ProposedMemory, confidence};
use cm_learn::reflect::grounding::missing_parts;
use cm_learn::statement::{Answered, Certainty, StatementContext, THRESHOLD_MEDIUM, of_prompt, statements};
use cm_note::bullet::content::{fold_whitespace, rule};
use cm_note::bullet::{Bullet, BulletKind, BulletState, Scope};
use cm_note::note::types::CONTRADICTS;
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::delta::{
    AddDelta, CurationDelta, DeltaFile, DeprecateDelta, FeedbackDelta, RuleProposal,
};
use cm_playbook::curation::{Authority, CurationResult, SweepScope};

/// Maximum number of neighbours in an answer.
const NEIGHBOURS: usize = 5;
/// Edge type for neighbours that do not contradict.
const RELATED_TO: &str = "RELATED_TO";
/// Minimum length of a quote, in characters.
const QUOTE: usize = 4;

/// What kind of statement is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposalKind {
    /// An instruction that holds in later sessions.
    Rule,
    /// A fact about the project, its machines or people.
    Fact,
    /// How the person likes work to be done.
    Preference,
    /// A choice that later work depends on.
    Decision,
    /// How an error was ended.
    Fix,
}

impl ProposalKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Rule, Self::Fact, Self::Preference, Self::Decision, Self::Fix];

    /// Name in commands and tools.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Fact => "fact",
            Self::Preference => "preference",
            Self::Decision => "decision",
            Self::Fix => "fix",
        }
    }
}

/// A proposal of the agent in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    pub kind: ProposalKind,
    /// The statement, so that it can be understood without the session.
    pub text: String,
    /// The person's words, verbatim.
    pub quote: String,
    /// ID of the session, or its unique beginning.
    pub session: String,
    pub scope: Option<Scope>,
    /// Files, commands or links that the statement is about.
    pub citations: Vec<String>,
    /// What the quote answers: a refused call, a failed command, the agent's sentence.
    pub answers: Option<String>,
}

// Not a doc comment: these would be listed with the tool, and cost tokens in each session.
// How an existing note relates to a proposal, as the agent sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeighbourVerdict {
    /// Both say the same: the proposal is retired, and the other one credited.
    Same,
    /// The proposal says it more precisely.
    Refines,
    /// Both cannot hold.
    Contradicts,
    /// They have nothing to do with each other.
    Unrelated,
}

// A verdict on one neighbour, named by its ID.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub id: String,
    pub verdict: NeighbourVerdict,
}

/// An existing note that is near to the proposal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbour {
    /// ID of the note.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The given verdict; null if there is none yet.
    pub verdict: Option<NeighbourVerdict>,
}

/// Result of a proposal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProposalAnswer {
    /// ID of the new note, or of the existing one that states the same.
    pub id: String,
    /// State of the note: active, or a draft for review.
    pub state: BulletState,
    /// Why it is in this state.
    pub why: String,
    /// The most similar notes, nearest first.
    pub neighbours: Vec<Neighbour>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// What was found of a quote in its session.
struct QuotedStatement {
    /// Full ID of the session; as given if it is unknown.
    session: String,
    agent: String,
    /// Line of the prompt in the log, from 1; 0 if only a hook saw it.
    line: u64,
    /// Why the quote does not make the proposal active; `None` if it does.
    doubt: Option<String>,
    /// Working folder of the session; `None` if no log of it is known.
    workspace: Option<String>,
    /// What the agent did before, quoted: commands, files and errors.
    answered: Vec<String>,
}

/// Stores a proposal.
///
/// # Errors
/// An invalid text, a blocked rule, and the errors of [`crate::context::write::apply`].
pub fn propose(memory: &Context, proposal: &Proposal) -> Result<ProposalAnswer> {
    let text = fold_whitespace(&proposal.text);
    let quote = fold_whitespace(&proposal.quote);
    if quote.chars().count() < QUOTE {
        return Err(Error::usage("the quote is too short").hint("quote the person's words, verbatim"));
    }
    let found = find_quote(memory, proposal, &quote)?;
    let sources: Vec<&str> =
        std::iter::once(quote.as_str()).chain(found.answered.iter().map(String::as_str)).collect();
    let missing = missing_parts(&text, &sources);
    let doubt = found.doubt.clone().or_else(|| {
        let first = missing.first()?;
        Some(format!("`{}` is not in the quoted words", cut(first, 60)))
    });
    let neighbours = neighbours(memory, &text)?;
    let answer = match proposal.kind {
        ProposalKind::Rule => propose_rule(memory, proposal, &text, &found, doubt.is_none())?,
        kind => propose_memory(memory, (kind, proposal), &text, &found, doubt.is_none())?,
    };
    let Stored { id, is_active, note, commit } = answer;
    let state = if is_active { BulletState::Active } else { BulletState::Draft };
    let why = match (note, doubt) {
        (Some(note), _) => note,
        (None, Some(doubt)) => doubt,
        (None, None) => "a person typed it in this session as lasting".to_owned(),
    };
    let neighbours = neighbours.into_iter().filter(|neighbour| neighbour.id != id).collect();
    let mut seen = SignalLog::of(memory, &found.session);
    seen.record_proposal(memory, &quote, proposal.answers.as_deref())?;
    Ok(ProposalAnswer { id, state, why, neighbours, commit })
}

/// Finds the quote among what the person typed, in the session's log or in what its hooks saw.
fn find_quote(memory: &Context, proposal: &Proposal, quote: &str) -> Result<QuotedStatement> {
    let open = memory.target();
    let mut seen = SignalLog::of(memory, &proposal.session);
    let shelf = SessionAccess::open(memory, &mut |_| {})?;
    let listed = shelf.find(&proposal.session).ok().map(|summary| summary.session);
    let agent = memory.call.by.agent_name().unwrap_or_default();
    let unknown = |why: &str| QuotedStatement {
        session: proposal.session.clone(),
        agent: agent.clone(),
        line: 0,
        doubt: Some(why.to_owned()),
        workspace: None,
        answered: Vec::new(),
    };
    let given = proposal.answers.as_deref();
    let Some(session) = listed else {
        return Ok(match seen.find(quote) {
            Some(signal) if signal.lasting >= THRESHOLD_MEDIUM => QuotedStatement {
                doubt: None,
                session: seen.session.clone(),
                answered: seen.calls_of(quote, given),
                ..unknown("")
            },
            Some(_) => unknown("the quoted words do not say that it is meant to last"),
            None => unknown("no log of this session is known yet"),
        });
    };
    let transcript = SessionReader::open(memory)?.read(memory, &session, None)?;
    let typed = statements(&transcript.events);
    seen.extend(signals_of(&memory.now().to_string(), &transcript.meta, &transcript.events));
    let calls = seen.calls_of(quote, given);
    let wanted = quote.to_lowercase();
    let prompt = transcript.quotable().typed_line(quote);
    let (line, author) = match prompt {
        Some((line, author)) => (line, author),
        None if seen.find(quote).is_some() => (0, StatementAuthor::Person),
        None => {
            let why = match seen.is_call(quote) {
                true => "it quotes a command and its result, not the person",
                false => "the person did not type these words in this session",
            };
            return Ok(QuotedStatement { answered: calls, ..unknown(why) });
        }
    };
    let near: Vec<_> = typed.iter().filter(|one| one.line == line).cloned().collect();
    let within: Vec<_> = near
        .iter()
        .filter(|one| {
            let own = fold_whitespace(&one.text).to_lowercase();
            wanted.contains(&own) || own.contains(&wanted)
        })
        .cloned()
        .collect();
    let context = near.first().map_or(StatementContext::After, |one| one.context);
    let answers: Option<Answered> = near.first().and_then(|one| one.answers.clone());
    let judged = if within.is_empty() { of_prompt(quote, line, context, answers.as_ref()) } else { within };
    let most = judge_statements(open, &judged).iter().map(|one| one.lasting()).fold(0.0, f32::max);
    let doubt = match author {
        StatementAuthor::Person if most >= THRESHOLD_MEDIUM => None,
        StatementAuthor::Person => Some("the quoted words do not say that it is meant to last".to_owned()),
        _ => Some("the words were not typed at an interactive prompt".to_owned()),
    };
    Ok(QuotedStatement {
        session: transcript.meta.id.to_string(),
        agent: transcript.meta.agent.name().to_owned(),
        line,
        doubt,
        workspace: transcript.meta.workspace.clone(),
        answered: answers.iter().map(|answered| answered.text().to_owned()).chain(calls).collect(),
    })
}

/// A stored proposal.
struct Stored {
    id: String,
    is_active: bool,
    /// What curation says about it; `None` if there is nothing to say.
    note: Option<String>,
    commit: Option<String>,
}

fn propose_rule(
    memory: &Context,
    proposal: &Proposal,
    text: &str,
    found: &QuotedStatement,
    is_stated: bool,
) -> Result<Stored> {
    let content = rule(text).map_err(|error| Error::usage(error.to_string()))?;
    let workspace = Some(memory.workspace()).filter(|_| proposal.scope == Some(Scope::Workspace));
    let bullet = RuleProposal {
        category: cm_learn::reflect::without_model::category(&content).to_owned(),
        content: content.clone(),
        kind: Some(BulletKind::WorkflowRule),
        scope: proposal.scope,
        workspace,
        evidence: evidence(proposal, found),
        ..RuleProposal::default()
    };
    let mut add = AddDelta {
        bullet,
        reason: Some("the agent in the session recorded it".to_owned()),
        session: Some(found.session.clone()),
        line: Some(found.line).filter(|line| *line > 0),
        ..AddDelta::default()
    };
    let stated = origin_of(memory, found);
    if is_stated {
        let playbook = playbook::as_written(memory, memory.target())?;
        add.excludes = excluded_rules(memory, &playbook.bullets, &content, stated);
    }
    let file = DeltaFile {
        session: Some(found.session.clone()),
        agent: Some(found.agent.clone()).filter(|agent| !agent.is_empty()),
        deltas: vec![CurationDelta::Add(Box::new(add))],
    };
    let mut gathered = GatheredEvidence::default();
    if is_stated {
        gathered.admit(&content);
    }
    let how = curate::Options {
        authority: Authority::Automation,
        dry_run: false,
        sweep: SweepScope::Changed,
        op: "propose",
        subject: None,
    };
    let changes = |open: &OpenVault, curated: &CurationResult| {
        let Some(end) = active_rule(curated, 1).filter(|_| is_stated) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let notes = playbook::notes_as_written(memory, open)?;
        Ok((edges_to_replaced(memory, open, &notes, &end, stated)?, Vec::new()))
    };
    let outcome =
        curate_beside(memory, &file, &how, &ExtraChanges { history: Some(&gathered), changes: &changes })?;
    if let Some(error) = curate::refusal(&outcome.report) {
        return Err(error);
    }
    let applied = outcome.report.applied.first();
    let skipped = outcome.report.skipped.first();
    let id = applied.map(|one| one.id.clone()).or_else(|| skipped.and_then(|one| one.id.clone()));
    let id = id.unwrap_or_default();
    let state = match outcome.bullet(&id) {
        Some(bullet) => bullet.state,
        None => playbook::find_bullet(memory, &id)?.1.state,
    };
    let note = applied.and_then(|one| one.note.clone()).filter(|_| is_stated);
    let note = note.or_else(|| skipped.map(|one| one.reason.clone()));
    Ok(Stored { id, is_active: state == BulletState::Active, note, commit: outcome.commit })
}

fn propose_memory(
    memory: &Context,
    (kind, proposal): (ProposalKind, &Proposal),
    text: &str,
    found: &QuotedStatement,
    is_stated: bool,
) -> Result<Stored> {
    let remembered = ProposedMemory {
        note_type: kind.name(),
        text: text.to_owned(),
        observations: 1,
        confidence: confidence(1),
        evidence: evidence(proposal, found),
    };
    let certainty = if is_stated { Certainty::High } else { Certainty::Medium };
    let origin = DraftOrigin { session: found.session.clone(), agent: found.agent.clone(), line: found.line };
    let planned = std::cell::RefCell::new(None);
    let changes = |open: &OpenVault, _: &CurationResult| {
        let mut existing = ExistingMemories::of(playbook::notes_as_written(memory, open)?);
        let place = Some(origin_of(memory, found)).filter(|_| is_stated);
        let proposal =
            MemoryProposal { remembered: &remembered, stated: Some(certainty), origin: &origin, place };
        let plan = plan_memory(memory, open, &mut existing, proposal)?;
        let changes = plan.iter().flat_map(|plan| plan.changes.clone()).collect();
        let ids = plan.iter().map(|plan| plan.id.clone()).collect();
        *planned.borrow_mut() = plan;
        Ok((changes, ids))
    };
    let how = curate::Options {
        authority: Authority::Automation,
        dry_run: false,
        sweep: SweepScope::Changed,
        op: "propose",
        subject: Some(format!("Record a {}: {}", kind.name(), cut(text, 60))),
    };
    let outcome = curate_beside(
        memory,
        &DeltaFile::default(),
        &how,
        &ExtraChanges { history: None, changes: &changes },
    )?;
    match planned.into_inner() {
        Some(plan) => {
            Ok(Stored { id: plan.id, is_active: !plan.is_draft, note: None, commit: outcome.commit })
        }
        None => Err(Error::refused("exists", "a memory with this text exists already")),
    }
}

/// Returns when and where the quoted statement was made: just now, in a session that still runs.
fn origin_of<'a>(memory: &Context, found: &'a QuotedStatement) -> StatementOrigin<'a> {
    StatementOrigin { session: &found.session, at: memory.now(), workspace: found.workspace.as_deref() }
}

fn evidence(proposal: &Proposal, found: &QuotedStatement) -> Vec<String> {
    let place = if found.line > 0 { format!(" line {}", found.line) } else { String::new() };
    let quote = format!("the user in {}{place}: {}", found.session, fold_whitespace(&proposal.quote));
    let answers = proposal.answers.as_deref().map(|answers| format!("it answers: {}", cut(answers, 200)));
    let citations = proposal.citations.iter().map(|citation| format!("it cites: {}", cut(citation, 200)));
    std::iter::once(cut(&quote, 400)).chain(answers).chain(citations.take(3)).collect()
}

/// Returns the rules and memories that are nearest to a text.
fn neighbours(memory: &Context, text: &str) -> Result<Vec<Neighbour>> {
    let mut alike = Vec::new();
    for kind in [NoteKind::Bullet, NoteKind::Memory] {
        alike.extend(similar::similar_to_text(memory, text, kind, NEIGHBOURS)?);
    }
    alike.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    alike.truncate(NEIGHBOURS);
    let neighbour =
        |(note, _): (SimilarNote, String)| Neighbour { id: note.id, text: note.title, verdict: None };
    Ok(alike.into_iter().map(neighbour).collect())
}

/// Settles the neighbours of a proposal by the agent's verdicts.
///
/// # Errors
/// A note that does not exist, and the errors of [`crate::context::write::apply`].
pub fn settle(memory: &Context, id: &str, verdicts: &[Verdict]) -> Result<ProposalAnswer> {
    let own = find(memory, id)?.note;
    let state_of = |note: &Note| {
        Bullet::of(note).map_or_else(
            || if note.is_waiting() { BulletState::Draft } else { BulletState::Active },
            |bullet| bullet.state,
        )
    };
    let (mut state, mut why, mut commit) = (state_of(&own), "its neighbours are settled".to_owned(), None);
    let mut neighbours = Vec::new();
    for Verdict { id: other, verdict } in verdicts {
        let neighbour = find(memory, other)?.note;
        let edge = |relation: &str, why: &str| relate::Options {
            from: id.to_owned(),
            to: other.clone(),
            relation: Some(relation.to_owned()),
            strength: None,
            why: Some(why.to_owned()),
        };
        let both_rules = own.kind == NoteKind::Bullet && neighbour.kind == NoteKind::Bullet;
        let written = match verdict {
            NeighbourVerdict::Same if both_rules && state != BulletState::Retired => {
                (state, why) = (BulletState::Retired, format!("{other} says the same"));
                same(memory, id, other)?
            }
            NeighbourVerdict::Same => relate::relate(memory, &edge(RELATED_TO, "says the same"))?.commit,
            NeighbourVerdict::Refines => relate::relate(memory, &edge(RELATED_TO, "refines it"))?.commit,
            NeighbourVerdict::Contradicts => {
                relate::relate(memory, &edge(CONTRADICTS, "the agent that read both says so"))?.commit
            }
            NeighbourVerdict::Unrelated => None,
        };
        commit = written.or(commit);
        neighbours.push(Neighbour { id: other.clone(), text: neighbour.title, verdict: Some(*verdict) });
    }
    Ok(ProposalAnswer { id: id.to_owned(), state, why, neighbours, commit })
}

/// Retires a proposal in favour of a rule that says the same, and credits that rule.
fn same(memory: &Context, id: &str, other: &str) -> Result<Option<String>> {
    let session = memory.call.by.session.clone();
    let credit = FeedbackDelta {
        id: other.to_owned(),
        session,
        reason: Some(format!("{id} says the same")),
        ..FeedbackDelta::default()
    };
    let retire = DeprecateDelta {
        id: id.to_owned(),
        reason: Some(format!("{other} says the same")),
        replaced_by: Some(other.to_owned()),
    };
    let file = DeltaFile {
        deltas: vec![CurationDelta::Helpful(credit), CurationDelta::Deprecate(retire)],
        ..DeltaFile::default()
    };
    let how = curate::Options {
        authority: Authority::Automation,
        dry_run: false,
        sweep: SweepScope::Changed,
        op: "propose",
        subject: Some(format!("Retire {id}: {other} says the same")),
    };
    let outcome = curate::curate(memory, &file, &how)?;
    match curate::refusal(&outcome.report) {
        Some(error) => Err(error),
        None => Ok(outcome.commit),
    }
}
