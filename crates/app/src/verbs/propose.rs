//! Records what a person said, as read by the agent in the session.
//!
//! The agent judges, the program checks: a proposal is active only if a person typed its quote in
//! this session, the quote is judged to be meant to last, and the proposal says nothing that the
//! quote and what it answers do not say. Everything else is a draft.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::actor::is_headless;
use crate::context::find::find;
use crate::context::meaning::judge_statements;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::receipts::ShownRules;
use crate::context::secrets;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::SessionAccess;
use crate::sessions::gathered_evidence::GatheredEvidence;
use crate::sessions::signals::{ProposalRecord, Signal, SignalLog};
use crate::sessions::tool_signals::signals_of;
use crate::verbs::curate::{self, CurationOptions, ExtraChangeSet, ExtraChanges, curate_with};
use crate::verbs::diary::session::SessionReader;
use crate::verbs::neighbours::{self, OwnProposal, SettledProposal};
use crate::verbs::playbook;
use crate::verbs::reflect::commit::active_rule;
use crate::verbs::reflect::later_word::{StatementOrigin, excluded_rules};
use crate::verbs::reflect::memories::{ExistingMemories, MemoryProposal, edges_to_replaced, plan_memory};
use cm_index::sessions::Session;
use cm_learn::confidence::statement_confidence;
use cm_learn::diary::StatementAuthor;
use cm_learn::evidence_quote::EvidenceQuote;
use cm_learn::prose::cut;
use cm_learn::reflect::draft::{DraftOrigin, ProposedMemory};
use cm_learn::reflect::stated::TypedSentences;
use cm_learn::statement::{Certainty, Statement};
use cm_note::bullet::content::{fold_whitespace, rule};
use cm_note::bullet::{Bullet, BulletKind, BulletState, Scope};
use cm_note::instant::Instant;
use cm_note::message::CommitOp;
use cm_playbook::curation::delta::{AddDelta, CurationDelta, DeltaFile, RuleProposal, StatedRule};
use cm_playbook::curation::{CurationResult, Playbook};
use cm_secrets::redact;
use cm_session::event::{EventKind, SessionEvent};
use cm_text::named_enum;

pub use crate::verbs::neighbours::Neighbour;
pub use cm_learn::reflect::neighbour::{NeighbourVerdict, Verdict};

/// Minimum length of a quote, in characters.
const MIN_QUOTE_CHARS: usize = 4;

named_enum! {
    /// Kind of a proposed statement.
    pub enum ProposalKind {
        /// An instruction that holds in later sessions.
        Rule = "rule",
        /// A fact about the project, its machines or people.
        Fact = "fact",
        /// How the person likes work to be done.
        Preference = "preference",
        /// A choice that later work depends on.
        Decision = "decision",
        /// How an error was ended.
        Fix = "fix",
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
struct CheckedQuote {
    /// Full ID of the session; as given if it is unknown.
    session: String,
    agent: String,
    /// Author of the quoted words; the agent of the session unless a prompt or hook shows that the person typed them.
    author: StatementAuthor,
    /// Line of the prompt in the log, from 1; 0 if only a hook saw it.
    line: u64,
    /// Time of the prompt; `None` if it is unknown.
    at: Option<Instant>,
    /// Why the quote does not make the proposal active; `None` if it does.
    doubt: Option<String>,
    /// Working folder of the session; `None` if no log of it is known.
    workspace: Option<String>,
}

/// Stores a proposal.
///
/// # Errors
/// An invalid text, a blocked rule, and the errors of [`crate::context::write::apply`].
pub fn propose(context: &Context, proposal: &Proposal) -> Result<ProposalAnswer> {
    let text = fold_whitespace(&proposal.text);
    let quote = fold_whitespace(&proposal.quote);
    if quote.chars().count() < MIN_QUOTE_CHARS {
        return Err(Error::usage("the quote is too short").hint("quote the person's words, verbatim"));
    }
    let found = check_quote(context, proposal, StatedText { text: &text, quote: &quote })?;
    let is_stated = found.doubt.is_none();
    let mut neighbours = neighbours::neighbours(context, &text)?;
    let stored = match proposal.kind {
        ProposalKind::Rule => propose_rule(context, proposal, &text, &found)?,
        _ => propose_memory(context, proposal, &text, &found)?,
    };
    let state = if stored.is_active { BulletState::Active } else { BulletState::Draft };
    let why = match (stored.note, &found.doubt) {
        (Some(note), _) => note,
        (None, Some(doubt)) => doubt.clone(),
        (None, None) => "a person typed it in this session as lasting".to_owned(),
    };
    neighbours.retain(|neighbour| neighbour.id != stored.id || stored.is_credited);
    let record = ProposalRecord {
        at: context.now().to_string(),
        session: found.session.clone(),
        proposed: stored.id.clone(),
        is_credited: stored.is_credited,
        is_stated,
        words: redact(&cut(&quote, 2_000), &secrets::rules_of_logs(context, context.target())?.0)
            .0
            .into_string(),
        neighbours: neighbours.iter().map(|neighbour| neighbour.id.clone()).collect(),
        rule: stored.rule,
    };
    let mut seen = SignalLog::of(context, &found.session);
    seen.session.clone_from(&found.session);
    seen.record_proposal(context, record, proposal.answers.as_deref())?;
    Ok(ProposalAnswer { id: stored.id, state, why, neighbours, commit: stored.commit })
}

/// The text of a proposal and the quote for it, on one line each.
#[derive(Clone, Copy)]
struct StatedText<'a> {
    text: &'a str,
    quote: &'a str,
}

/// Finds the quote among what the person typed, in the session's log or in what its hooks saw, and
/// checks the proposal against it.
fn check_quote(context: &Context, proposal: &Proposal, stated: StatedText<'_>) -> Result<CheckedQuote> {
    let seen = SignalLog::of(context, &proposal.session);
    let access = SessionAccess::open(context, &mut |_| {})?;
    match access.find(&proposal.session) {
        Ok(listed) => check_in_log(context, proposal, &listed.session, seen, stated),
        Err(error) if error.is_not_found() => Ok(check_in_hooks(context, proposal, seen, stated)),
        Err(error) => Err(error),
    }
}

/// Checks the quote if no log of the session is known.
fn check_in_hooks(
    context: &Context,
    proposal: &Proposal,
    seen: SignalLog,
    stated: StatedText<'_>,
) -> CheckedQuote {
    let is_headless = is_headless(&context.request.environment);
    let signal = seen.find(stated.quote);
    let at = signal.and_then(|signal| Instant::parse(&signal.at).ok());
    let doubt = match signal.filter(|_| !is_headless) {
        Some(signal) => {
            let calls = seen.calls_of(stated.quote, proposal.answers.as_deref());
            doubt_of_signal(context, signal, stated, &calls)
        }
        None => Some("no log of this session is known yet".to_owned()),
    };
    let author = match signal {
        Some(_) if is_headless => StatementAuthor::Sender,
        Some(_) => StatementAuthor::Person,
        None => StatementAuthor::Agent,
    };
    let agent = context.request.caller.agent_name().unwrap_or_default();
    CheckedQuote { session: seen.session, agent, author, line: 0, at, doubt, workspace: None }
}

/// Checks the quote in a session whose log can be read.
fn check_in_log(
    context: &Context,
    proposal: &Proposal,
    session: &Session,
    mut seen: SignalLog,
    stated: StatedText<'_>,
) -> Result<CheckedQuote> {
    let StatedText { text, quote } = stated;
    let transcript = SessionReader::open(context)?.read(context, session, None)?;
    seen.extend(signals_of(&context.now().to_string(), &transcript.meta, &transcript.events));
    let calls = seen.calls_of(quote, proposal.answers.as_deref());
    let quotable = transcript.quotable();
    let typed = quotable.typed_line(quote);
    let is_interactive = transcript.prompts == StatementAuthor::Person && !transcript.meta.subagent;
    // The log may lag behind the prompt.
    let unlogged =
        seen.find(quote).filter(|signal| typed.is_none() && is_interactive && !signal.typed.is_empty());
    let is_call = seen.is_call(quote);
    let doubt = match unlogged {
        Some(signal) => doubt_of_signal(context, signal, stated, &calls),
        None if typed.is_none() && is_call => {
            Some("it quotes a command and its result, not the person".to_owned())
        }
        None => quotable.doubt(text, quote, &calls).map(|doubt| doubt.to_string()),
    };
    let (line, author) = match typed {
        Some(typed) => typed,
        None if unlogged.is_some() => (0, StatementAuthor::Person),
        None if is_call => (0, StatementAuthor::Log),
        None => (0, StatementAuthor::Agent),
    };
    Ok(CheckedQuote {
        session: transcript.meta.id.to_string(),
        agent: transcript.meta.agent.name().to_owned(),
        author,
        line,
        at: time_of_prompt(&transcript.events, line),
        doubt,
        workspace: transcript.meta.workspace.clone(),
    })
}

/// Checks a proposal against the sentences of a prompt that a hook saw.
fn doubt_of_signal(
    context: &Context,
    signal: &Signal,
    StatedText { text, quote }: StatedText<'_>,
    calls: &[String],
) -> Option<String> {
    let statement_context = signal.cause.statement_context();
    let typed: Vec<Statement> = (0..)
        .zip(&signal.typed)
        .map(|(place, text)| {
            let text = text.clone();
            Statement { text, line: 0, place, context: statement_context, answers: None, is_pasted: false }
        })
        .collect();
    let judged = judge_statements(context.target(), &typed);
    TypedSentences::of(&typed, &judged).doubt(text, quote, calls).map(|doubt| doubt.to_string())
}

/// Returns the time of the prompt on a line of the log.
fn time_of_prompt(events: &[SessionEvent], line: u64) -> Option<Instant> {
    let is_prompt = |event: &&SessionEvent| matches!(event.kind, EventKind::UserPrompt { .. });
    events.iter().filter(is_prompt).find(|event| event.line == line)?.at
}

/// A stored proposal.
struct Stored {
    id: String,
    is_active: bool,
    /// Whether an existing rule says the same, which was credited instead.
    is_credited: bool,
    /// The proposed rule; `None` for a memory.
    rule: Option<Box<AddDelta>>,
    /// What curation says about it; `None` if there is nothing to say.
    note: Option<String>,
    commit: Option<String>,
}

fn propose_rule(context: &Context, proposal: &Proposal, text: &str, found: &CheckedQuote) -> Result<Stored> {
    let is_stated = found.doubt.is_none();
    let playbook = playbook::as_written(context, context.target())?;
    let add = rule_delta(context, proposal, text, found, &playbook)?;
    let file = DeltaFile {
        session: Some(found.session.clone()),
        agent: Some(found.agent.clone()).filter(|agent| !agent.is_empty()),
        deltas: vec![CurationDelta::Add(Box::new(add.clone()))],
    };
    let live: Vec<&Bullet> = playbook.bullets.iter().filter(|bullet| bullet.is_live()).collect();
    let shown = ShownRules::of_session(context, &found.session, &live);
    let mut gathered = GatheredEvidence::default().with_shown(shown);
    if is_stated {
        gathered.admit(&add.bullet.content);
    }
    let changes = |open: &OpenVault, curated: &CurationResult| {
        let Some(end) = active_rule(curated, 1).filter(|_| is_stated) else {
            return Ok(ExtraChangeSet::default());
        };
        let notes = playbook::notes_as_written(context, open)?;
        let changes = edges_to_replaced(context, open, &notes, &end, origin_of(context, found))?;
        Ok(ExtraChangeSet { changes, ..ExtraChangeSet::default() })
    };
    let extra = ExtraChanges { history: Some(&gathered), changes: &changes, ..ExtraChanges::NOTHING };
    let (outcome, ()) = curate_with(context, &file, &CurationOptions::by_program(CommitOp::Propose), &extra)?;
    curate::check_refusals(&outcome.report)?;
    let applied = outcome.report.applied.first();
    let skipped = outcome.report.skipped.first();
    let id = applied.map(|one| one.id.clone()).or_else(|| skipped.and_then(|one| one.id.clone()));
    let nothing =
        || Error::new(ErrorKind::Failed, "internal", "the curation neither stored the rule nor said why not");
    let id = id.ok_or_else(nothing)?;
    let note = applied.and_then(|one| one.note.clone()).filter(|_| is_stated);
    let note = note.or_else(|| skipped.map(|one| one.reason.clone()));
    let is_credited = applied.is_none();
    let is_active = outcome.stored(context, &id)?.state == BulletState::Active;
    Ok(Stored { id, is_active, is_credited, rule: Some(Box::new(add)), note, commit: outcome.commit })
}

/// Returns the delta that adds a proposed rule; if a person stated it, without the rules that it
/// replaces.
fn rule_delta(
    context: &Context,
    proposal: &Proposal,
    text: &str,
    found: &CheckedQuote,
    playbook: &Playbook,
) -> Result<AddDelta> {
    let is_stated = found.doubt.is_none();
    let content = rule(text).map_err(|error| Error::usage(error.to_string()))?;
    let excludes = match is_stated {
        true => excluded_rules(context, &playbook.bullets, &content, origin_of(context, found)),
        false => Default::default(),
    };
    let stated = found.at.filter(|_| is_stated);
    let bullet = RuleProposal {
        category: cm_learn::reflect::rule_category::category(&content).to_owned(),
        content,
        kind: Some(BulletKind::WorkflowRule),
        scope: proposal.scope,
        workspace: Some(context.workspace()).filter(|_| proposal.scope == Some(Scope::Workspace)),
        evidence: evidence(proposal, found),
        ..RuleProposal::default()
    };
    Ok(AddDelta {
        bullet,
        reason: Some("the agent in the session recorded it".to_owned()),
        session: Some(found.session.clone()),
        line: Some(found.line).filter(|line| *line > 0),
        stated: stated.map(|at| StatedRule { at, quote: fold_whitespace(&proposal.quote) }),
        excludes,
    })
}

fn propose_memory(
    context: &Context,
    proposal: &Proposal,
    text: &str,
    found: &CheckedQuote,
) -> Result<Stored> {
    let is_stated = found.doubt.is_none();
    let remembered = ProposedMemory {
        note_type: proposal.kind.name(),
        text: text.to_owned(),
        observations: 1,
        confidence: statement_confidence(1),
        evidence: evidence(proposal, found),
        is_acknowledged: false,
    };
    let certainty = if is_stated { Certainty::High } else { Certainty::Medium };
    let origin = DraftOrigin { session: found.session.clone(), agent: found.agent.clone(), line: found.line };
    let changes = |open: &OpenVault, _: &CurationResult| {
        let mut existing = ExistingMemories::of(playbook::notes_as_written(context, open)?);
        let statement = Some(origin_of(context, found)).filter(|_| is_stated);
        let workspace = found.workspace.as_deref();
        let stated = Some(certainty);
        let proposal =
            MemoryProposal { remembered: &remembered, stated, origin: &origin, statement, workspace };
        let plan = plan_memory(context, open, &mut existing, proposal)?;
        let changes = plan.iter().flat_map(|plan| plan.changes.clone()).collect();
        let ids = plan.iter().map(|plan| plan.id.clone()).collect();
        Ok(ExtraChangeSet { changes, ids, result: plan })
    };
    let how = CurationOptions::by_program(CommitOp::Propose).with_subject(format!(
        "Record a {}: {}",
        proposal.kind.name(),
        cut(text, 60)
    ));
    let extra = ExtraChanges { history: None, changes: &changes, may_rewrite: false };
    let (outcome, planned) = curate_with(context, &DeltaFile::default(), &how, &extra)?;
    match planned {
        Some(plan) => Ok(Stored {
            id: plan.id,
            is_active: !plan.is_draft,
            is_credited: false,
            rule: None,
            note: None,
            commit: outcome.commit,
        }),
        None => Err(Error::refused("exists", "a memory with this text exists already")),
    }
}

/// Returns when and where the quoted statement was made: just now, in a session that still runs.
fn origin_of<'a>(context: &Context, found: &'a CheckedQuote) -> StatementOrigin<'a> {
    StatementOrigin { session: &found.session, at: context.now(), workspace: found.workspace.as_deref() }
}

fn evidence(proposal: &Proposal, found: &CheckedQuote) -> Vec<String> {
    let quote = EvidenceQuote {
        author: found.author,
        session: found.session.clone(),
        line: (found.line > 0).then_some(found.line),
        day: None,
        text: fold_whitespace(&proposal.quote),
    };
    let answers = proposal.answers.as_deref().map(|answers| format!("it answers: {}", cut(answers, 200)));
    let citations = proposal.citations.iter().map(|citation| format!("it cites: {}", cut(citation, 200)));
    std::iter::once(cut(&quote.to_string(), 400)).chain(answers).chain(citations.take(3)).collect()
}

/// Settles the neighbours of an earlier proposal by the agent's verdicts. `session` is the one in which
/// it was made; any session if it is `None`.
///
/// # Errors
/// A note that was not proposed in the session, a verdict on another note than its neighbours, and the
/// errors of [`crate::context::write::apply`].
pub fn settle(
    context: &Context,
    session: Option<&str>,
    id: &str,
    verdicts: &[Verdict],
) -> Result<ProposalAnswer> {
    let key = find(context, id)?.note.key().to_owned();
    let Some(record) = SignalLog::proposal_of(context, session, &key) else {
        return Err(Error::refused("not-proposed", format!("{key} was not proposed in this session"))
            .hint("`cm review` decides on other notes"));
    };
    neighbours::check_listed(context, verdicts, &record.neighbours)?;
    let own = OwnProposal {
        id: key,
        session: Some(record.session),
        is_stated: record.is_stated,
        is_credited: record.is_credited,
        rule: record.rule.map(|rule| *rule),
    };
    let SettledProposal { id, state, why, neighbours, commit } = neighbours::settle(context, own, verdicts)?;
    Ok(ProposalAnswer { id, state, why, neighbours, commit })
}
