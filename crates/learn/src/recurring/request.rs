//! Finds what a person asks for in several sessions, near in meaning, and proposes it as a rule.
//!
//! Sentences that are tasks are left out before: see [`crate::statement::candidates`]. The caller
//! computes the embeddings.

use std::collections::BTreeSet;

use super::proposal::CountedProposal;
use super::support::{MAX_QUOTES, Occurrence};
use super::trace::{SessionTrace, TracedRequest};
use crate::diary::StatementAuthor;
use crate::reflect::draft::{DraftChange, ReflectionDraft};
use crate::reflect::rule_category::{bullet_type, category};
use crate::statement::THRESHOLD_MEDIUM;
use crate::workspace_path::project_name;
use cm_note::bullet::{BulletKind, Scope, content};
use cm_playbook::conflict::{RuleStatement, opposition};
use cm_playbook::curation::delta::{AddDelta, CurationDelta, RuleProposal};
use cm_playbook::curation::history::SessionCounts;
use cm_session::status::SessionStatus;
use cm_text::embedding::Embedding;

/// Minimum cosine of two sentences that ask for the same.
const MIN_SAME_REQUEST_COSINE: f64 = 0.75;
/// Maximum number of proposals from one session.
const MAX_SESSION_PROPOSALS: usize = 3;

/// A sentence of a session, prepared for comparison.
struct ComparedRequest<'t> {
    trace: &'t SessionTrace,
    request: &'t TracedRequest,
    vector: Embedding,
    statement: RuleStatement,
    place: Occurrence,
}

impl<'t> ComparedRequest<'t> {
    fn of(trace: &'t SessionTrace, request: &'t TracedRequest) -> Option<Self> {
        let vector = request.embedding()?;
        let place = Occurrence {
            at: request.at.or(trace.ended),
            agent: trace.agent.clone(),
            session: trace.session.clone(),
            line: request.line,
            quote: request.quote.clone(),
        };
        Some(Self { trace, request, vector, statement: RuleStatement::of(&request.text), place })
    }

    /// Returns the cosine of two sentences if they may ask for the same: they name the same code and
    /// numbers, and do not contradict each other.
    fn likeness(&self, other: &Self) -> Option<f64> {
        let cosine = self.vector.cosine(&other.vector);
        let is_same = cosine >= MIN_SAME_REQUEST_COSINE
            && code_and_numbers(&self.request.text) == code_and_numbers(&other.request.text)
            && opposition(&self.statement, &other.statement).is_none();
        is_same.then_some(cosine)
    }
}

/// Returns the texts in backticks and the words with digits.
fn code_and_numbers(text: &str) -> BTreeSet<String> {
    let code = text.split('`').skip(1).step_by(2).map(str::trim);
    let plain = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let numbers = plain.filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    code.chain(numbers).map(str::to_lowercase).filter(|name| !name.is_empty()).collect()
}

/// Proposes what the person of the session `own` asks for and asked for in other sessions of `traces`.
/// What this session states as lasting is left out, because it is proposed by that.
pub fn repeated_requests(traces: &[&SessionTrace], own: &SessionTrace) -> Vec<CountedProposal> {
    let mut sentences: Vec<ComparedRequest<'_>> = traces
        .iter()
        .flat_map(|trace| trace.requests.iter().filter_map(|request| ComparedRequest::of(trace, request)))
        .collect();
    sentences.sort_by(|one, other| one.place.cmp(&other.place));
    let groups = group_requests(&sentences);
    groups.iter().filter_map(|group| propose_group(group, own)).take(MAX_SESSION_PROPOSALS).collect()
}

/// Groups the sentences, which are in the order of time, by their likeness with the first one of a
/// group.
fn group_requests<'s, 't>(sentences: &'s [ComparedRequest<'t>]) -> Vec<Vec<&'s ComparedRequest<'t>>> {
    let mut groups: Vec<Vec<&ComparedRequest<'_>>> = Vec::new();
    for sentence in sentences {
        let nearest = groups
            .iter_mut()
            .filter_map(|group| Some((group.first()?.likeness(sentence)?, group)))
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        match nearest {
            Some((_, group)) => group.push(sentence),
            None => groups.push(vec![sentence]),
        }
    }
    groups
}

fn propose_group(group: &[&ComparedRequest<'_>], own: &SessionTrace) -> Option<CountedProposal> {
    let (mut conversations, mut texts) = (BTreeSet::new(), BTreeSet::new());
    // Identical texts count once, because prompts are pasted.
    let fresh = |sentence: &&&ComparedRequest<'_>| {
        texts.insert(sentence.request.quote.to_lowercase())
            && conversations.insert(sentence.trace.conversation)
    };
    let places: Vec<&ComparedRequest<'_>> = group.iter().filter(fresh).copied().collect();
    let mine = places.iter().find(|one| one.trace.conversation == own.conversation)?;
    if places.len() < 2 || mine.request.lasting >= THRESHOLD_MEDIUM {
        return None;
    }
    let text = content::rule(&places.first()?.request.text).ok()?;
    let bullet = RuleProposal {
        category: category(&text).to_owned(),
        bullet_type: Some(bullet_type(&text)),
        content: text.clone(),
        kind: Some(BulletKind::WorkflowRule),
        scope: own.workspace.as_ref().map(|_| Scope::Workspace),
        workspace: own.workspace.as_deref().map(project_name),
        evidence: places
            .iter()
            .take(MAX_QUOTES)
            .map(|one| one.place.evidence_of(StatementAuthor::Person))
            .collect(),
        ..RuleProposal::default()
    };
    let sessions = places.len();
    let add = AddDelta {
        bullet,
        reason: Some(format!("the user asked for it in {sessions} sessions")),
        session: Some(mine.place.session.clone()),
        line: Some(mine.place.line),
        ..AddDelta::default()
    };
    let others = places.iter().filter(|one| one.trace.conversation != own.conversation);
    let origins = std::iter::once(mine).chain(others).map(|one| one.place.origin()).collect();
    let what = DraftChange::Delta(CurationDelta::Add(Box::new(add)));
    let draft = ReflectionDraft::new(what, origins, 40 + 10 * sessions as u32);
    Some(CountedProposal { draft, head: text, commands: Vec::new(), counts: counts(&places) })
}

/// Counts the sessions as the evidence gate does: by how they ended.
fn counts(places: &[&ComparedRequest<'_>]) -> SessionCounts {
    let ended = |status| places.iter().filter(|one| one.trace.status == status).count();
    SessionCounts {
        sessions: places.len(),
        successes: ended(SessionStatus::Success),
        failures: ended(SessionStatus::Failure),
        quotes: places.iter().take(MAX_QUOTES).map(|one| one.place.session_quote()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::instant::Instant;

    fn trace(conversation: u64, requests: &[(&str, f32, [f32; 2])]) -> SessionTrace {
        let one = |(text, lasting, vector): &(&str, f32, [f32; 2])| {
            let vector = Embedding::of(vector.to_vec()).unwrap();
            TracedRequest {
                line: 3,
                at: Some(Instant::from_unix(conversation as i64 * 86_400)),
                text: format!("{text}."),
                quote: (*text).to_owned(),
                lasting: *lasting,
                vector: Vec::new(),
            }
            .with_vector(&vector)
        };
        SessionTrace {
            session: format!("s{conversation}"),
            agent: "codex".to_owned(),
            conversation,
            requests: requests.iter().map(one).collect(),
            status: SessionStatus::Success,
            ..SessionTrace::default()
        }
    }

    fn proposed(traces: &[SessionTrace]) -> Vec<CountedProposal> {
        let all: Vec<&SessionTrace> = traces.iter().collect();
        repeated_requests(&all, all.last().unwrap())
    }

    #[test]
    fn what_is_requested_in_two_sessions_in_other_words_is_a_draft_with_dated_quotes() {
        let traces = [
            trace(1, &[("Run the formatter over it", 0.3, [1.0, 0.0]), ("Add a button", 0.3, [0.0, 1.0])]),
            trace(2, &[("Please let the formatter run", 0.4, [0.95, 0.1])]),
        ];
        let [one] = &proposed(&traces)[..] else { panic!("one proposal") };
        let DraftChange::Delta(CurationDelta::Add(add)) = &one.draft.what else { panic!("{one:?}") };
        assert_eq!(add.bullet.content, "Run the formatter over it.");
        assert_eq!(
            add.bullet.evidence,
            [
                "the user in s1 line 3 on 1970-01-02: Run the formatter over it",
                "the user in s2 line 3 on 1970-01-03: Please let the formatter run",
            ]
        );
        assert_eq!((one.counts.sessions, one.counts.successes), (2, 2));
        assert_eq!((one.draft.certainty, add.session.as_deref()), (None, Some("s2")));
    }

    #[test]
    fn pasted_lasting_and_contradicting_sentences_are_no_repeated_requests() {
        let near = [1.0, 0.0];
        for (one, other, lasting) in [
            ("Run the formatter over it", "run the formatter over it", 0.3),
            ("Run the formatter over it", "Let the formatter run", 0.7),
            ("Retry the upload 3 times", "Retry the upload 5 times", 0.3),
            ("Use `make a` for it", "Use `make b` for it", 0.3),
            ("Always squash the commits", "Never squash the commits", 0.3),
        ] {
            let traces = [trace(1, &[(one, 0.3, near)]), trace(2, &[(other, lasting, near)])];
            assert!(proposed(&traces).is_empty(), "{one} / {other}");
        }
        assert!(proposed(&[trace(1, &[("Run the formatter", 0.3, near)])]).is_empty());
    }
}
