//! Reflection without a model: derives drafts from statements of a session and from the diaries of
//! several sessions.
//!
//! Rules, decisions, facts and preferences come from lasting statements of the user; feedback from
//! markers and citations; fixes from confirmed causes.

use std::collections::BTreeSet;

use super::cause::{fixed_since, lower_first};
use super::draft::{
    DraftChange, DraftOrigin, MAX_DRAFTS, ProposedMemory, ReflectionDraft, strongest, strongest_of,
};
use super::rule_category::{bullet_type, category};
use crate::confidence::statement_confidence;
use crate::content_words::content_words;
use crate::diary::{Diary, DiaryItem, StatementAuthor};
use crate::evidence_quote::EvidenceQuote;
use crate::outcome::feedback::RuleFeedback;
use crate::prose::{capitalized, pattern};
use crate::statement::{Certainty, LastingStatement, StatementKind};
use crate::workspace_path::project_name;
use cm_note::bullet::content;
use cm_note::bullet::{BulletKind, Scope};
use cm_note::note::FeedbackSignal;
use cm_playbook::conflict::RuleStatement;
use cm_playbook::curation::delta::{AddDelta, CurationDelta, FeedbackDelta, RuleProposal};
use cm_session::status::SessionStatus;
use cm_text::plural::count;
use cm_text::similarity::jaccard;

#[derive(Debug, Clone, Copy)]
pub struct SessionInput<'a> {
    pub diary: &'a Diary,
    /// Feedback that the session gives on rules.
    pub feedback: &'a [RuleFeedback],
    /// Statements of the session's user that are meant to last.
    pub lasting: &'a [LastingStatement],
    /// Author of `lasting`: the vault's owner, or the sender of the session.
    pub author: StatementAuthor,
}

impl<'a> SessionInput<'a> {
    /// A session of which only the diary is known.
    pub fn of_diary(diary: &'a Diary) -> Self {
        Self { diary, feedback: &[], lasting: &[], author: StatementAuthor::Person }
    }
}

/// Changes that sessions suggest, and how many suggestions were dropped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reflection {
    /// Proposed changes, those from feedback first; at most [`MAX_DRAFTS`].
    pub drafts: Vec<ReflectionDraft>,
    /// Number of drafts that were dropped because they exceed the limit.
    pub dropped: usize,
}

/// Minimum share of content words, 0–1, that two equivalent statements have in common.
const MIN_COMMON_WORD_SHARE: f64 = 0.6;

/// Equivalent statements, found in one or more sessions.
struct StatementGroup<'a> {
    first: &'a DiaryItem,
    of: Vec<(&'a Diary, &'a DiaryItem)>,
    saying: PreparedStatement,
}

/// Content words and parsed form of a statement, for comparison with others.
struct PreparedStatement {
    words: BTreeSet<String>,
    statement: RuleStatement,
}

impl PreparedStatement {
    fn of(text: &str) -> Self {
        Self { words: content_words(text), statement: RuleStatement::of(text) }
    }

    /// Returns `true` if two statements are equivalent: their content words are similar, and they
    /// do not differ in a number, a name or a negation.
    fn is_equivalent(&self, other: &Self) -> bool {
        jaccard(&self.words, &other.words) >= MIN_COMMON_WORD_SHARE
            && self.statement.may_be_one_with(&other.statement)
    }
}

impl StatementGroup<'_> {
    /// Number of sessions in which the statement was made. Identical texts count once, because
    /// sessions are forked and prompts are pasted.
    fn sessions(&self) -> usize {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let fresh = self.of.iter().filter(|(_, item)| seen.insert(item.text.as_str()));
        fresh.map(|(diary, _)| diary.session.as_str()).collect::<BTreeSet<_>>().len()
    }

    fn origins(&self) -> Vec<DraftOrigin> {
        self.of.iter().map(|(diary, item)| origin(diary, item.line)).collect()
    }

    fn evidence(&self) -> Vec<String> {
        self.of.iter().map(|(diary, item)| quote(diary, item)).take(5).collect()
    }
}

/// Formats a diary item as evidence, with its author, session and line.
pub(super) fn quote(diary: &Diary, item: &DiaryItem) -> String {
    EvidenceQuote::new(item.voice, &diary.session, item.line, &item.text).to_string()
}

pub(super) fn origin(diary: &Diary, line: u64) -> DraftOrigin {
    DraftOrigin { session: diary.session.clone(), agent: diary.agent.clone(), line }
}

/// Proposes changes of the playbook and the memory from several sessions, without a model.
pub fn reflect(sessions: &[SessionInput<'_>]) -> Reflection {
    let (drafts, dropped) = strongest(drafts(sessions));
    Reflection { drafts, dropped }
}

/// Proposes at most `most` changes from one session. Equivalent statements of `earlier` sessions
/// support a change, but do not cause one on their own.
pub fn reflect_on(session: &SessionInput<'_>, earlier: &[Diary], most: usize) -> Reflection {
    let lasting = session.lasting.iter().map(|statement| statement.text.as_str());
    let items = statement_items(session.diary).map(|item| item.text.as_str());
    let own: Vec<PreparedStatement> = items.chain(lasting).map(PreparedStatement::of).collect();
    let same = |item: &DiaryItem| {
        let saying = PreparedStatement::of(&item.text);
        own.iter().any(|other| other.is_equivalent(&saying))
    };
    let others: Vec<Diary> = earlier.iter().filter_map(|diary| with_items(diary, same)).collect();
    let all: Vec<SessionInput<'_>> =
        std::iter::once(*session).chain(others.iter().map(SessionInput::of_diary)).collect();
    let is_own =
        |origin: &DraftOrigin| origin.session == session.diary.session && origin.agent == session.diary.agent;
    let drafts = drafts(&all).into_iter().filter(|draft| draft.origins.iter().any(is_own)).collect();
    let (drafts, dropped) = strongest_of(drafts, most.min(MAX_DRAFTS));
    Reflection { drafts, dropped }
}

/// Returns the diary items that can lead to a proposal: preferences, decisions, learnings and
/// challenges.
fn statement_items(diary: &Diary) -> impl Iterator<Item = &DiaryItem> {
    [&diary.preferences, &diary.decisions, &diary.learnings, &diary.challenges].into_iter().flatten()
}

/// Returns a copy of a diary with only the items for which `passes` returns true; `None` if there
/// are none.
fn with_items(diary: &Diary, passes: impl Fn(&DiaryItem) -> bool) -> Option<Diary> {
    let remainder =
        |items: &[DiaryItem]| items.iter().filter(|item| passes(item)).cloned().collect::<Vec<_>>();
    let remainder = Diary {
        id: diary.id.clone(),
        session: diary.session.clone(),
        agent: diary.agent.clone(),
        workspace: diary.workspace.clone(),
        verdict: diary.verdict.clone(),
        preferences: remainder(&diary.preferences),
        decisions: remainder(&diary.decisions),
        learnings: remainder(&diary.learnings),
        challenges: remainder(&diary.challenges),
        ..Diary::default()
    };
    let says = statement_items(&remainder).next().is_some();
    says.then_some(remainder)
}

fn drafts(sessions: &[SessionInput<'_>]) -> Vec<ReflectionDraft> {
    let mut drafts: Vec<ReflectionDraft> = sessions.iter().flat_map(feedback_drafts).collect();
    for session in sessions {
        drafts.extend(session.lasting.iter().filter_map(|statement| propose_lasting(session, statement)));
    }
    let facts = sessions.iter().flat_map(|session| {
        let held = session.diary.verdict.status != SessionStatus::Failure;
        let counts = move |item: &&DiaryItem| item.line > 0 && (item.voice.is_persons() || held);
        session.diary.learnings.iter().filter(counts).map(|item| (session.diary, item)).collect::<Vec<_>>()
    });
    drafts.extend(group_statements(facts).iter().filter_map(propose_fact));
    let pairs = sessions.iter().flat_map(|session| {
        let solved = |item: &&DiaryItem| {
            item.line > 0 && item.voice == StatementAuthor::Log && SOLVED.is_match(&item.text)
        };
        session.diary.challenges.iter().filter(solved).map(|item| (session.diary, item)).collect::<Vec<_>>()
    });
    drafts.extend(group_statements(pairs).iter().filter_map(propose_fix));
    drafts
}

fn group_statements<'a>(items: impl Iterator<Item = (&'a Diary, &'a DiaryItem)>) -> Vec<StatementGroup<'a>> {
    let mut groups: Vec<StatementGroup<'a>> = Vec::new();
    for (diary, item) in items {
        let saying = PreparedStatement::of(&item.text);
        match groups.iter_mut().find(|group| group.saying.is_equivalent(&saying)) {
            Some(group) => group.of.push((diary, item)),
            None => groups.push(StatementGroup { first: item, of: vec![(diary, item)], saying }),
        }
    }
    groups
}

/// Proposes what a lasting statement says: a rule, or a memory for a decision, fact or preference.
/// `None` if the text is too short or too long for a rule.
fn propose_lasting(session: &SessionInput<'_>, statement: &LastingStatement) -> Option<ReflectionDraft> {
    let diary = session.diary;
    let certainty = match session.author {
        StatementAuthor::Person => statement.certainty,
        _ => Certainty::Medium,
    };
    let item = DiaryItem::new(&statement.quote, statement.line, session.author)?;
    let strength = if certainty == Certainty::High { 70 } else { 50 };
    let origins = vec![origin(diary, statement.line)];
    let note_type = match statement.kind {
        StatementKind::Decision => "decision",
        StatementKind::Fact => "fact",
        StatementKind::Preference => "preference",
        StatementKind::Rule | StatementKind::Passing => {
            let draft = rule_of(&statement.text, &[(diary, &item)], "the user stated it as lasting".into())?;
            let quote = Some(statement.quote.clone());
            return Some(ReflectionDraft { certainty: Some(certainty), origins, strength, quote, ..draft });
        }
    };
    let proposals = statement.proposals.iter().map(|sentence| {
        EvidenceQuote::new(StatementAuthor::Agent, &diary.session, sentence.line, &sentence.text).to_string()
    });
    let what = ProposedMemory {
        note_type,
        text: statement.text.clone(),
        observations: 1,
        confidence: statement_confidence(1),
        evidence: std::iter::once(quote(diary, &item)).chain(proposals).collect(),
        is_acknowledged: false,
    };
    let draft = ReflectionDraft::new(DraftChange::Memory(what), origins, strength);
    Some(ReflectionDraft { certainty: Some(certainty), quote: Some(statement.quote.clone()), ..draft })
}

/// Proposes a rule with its evidence. Its scope is the project if all evidence is of one. `None` if
/// the text is too short or too long for a rule.
pub(super) fn rule_of(
    text: &str,
    evidence: &[(&Diary, &DiaryItem)],
    reason: String,
) -> Option<ReflectionDraft> {
    let (first, item) = evidence.first()?;
    let rule = content::rule(text).ok()?;
    let one_place = evidence.iter().all(|(other, _)| other.workspace == first.workspace);
    let workspace = first.workspace.clone().filter(|_| one_place);
    let diaries: BTreeSet<String> = evidence.iter().map(|(diary, _)| diary.id.clone()).collect();
    let bullet = RuleProposal {
        category: category(&rule).to_owned(),
        bullet_type: Some(bullet_type(&rule)),
        content: rule,
        kind: Some(BulletKind::WorkflowRule),
        scope: workspace.as_ref().map(|_| Scope::Workspace),
        workspace: workspace.as_deref().map(project_name),
        evidence: evidence.iter().map(|(diary, item)| quote(diary, item)).take(5).collect(),
        diaries: diaries.into_iter().collect(),
        ..RuleProposal::default()
    };
    Some(add_draft(bullet, reason, vec![origin(first, item.line)], 0))
}

fn add_draft(
    bullet: RuleProposal,
    reason: String,
    origins: Vec<DraftOrigin>,
    strength: u32,
) -> ReflectionDraft {
    let first = origins.first();
    let delta = CurationDelta::Add(Box::new(AddDelta {
        bullet,
        reason: Some(reason),
        session: first.map(|origin| origin.session.clone()),
        line: first.map(|origin| origin.line),
        ..AddDelta::default()
    }));
    ReflectionDraft::new(DraftChange::Delta(delta), origins, strength)
}

fn in_sessions(sessions: usize) -> String {
    format!("in {}", count(sessions, "session"))
}

fn memory_of_group(note_type: &'static str, group: &StatementGroup<'_>) -> ProposedMemory {
    let observations = group.sessions();
    let lead = TOLD_LEAD.find(&group.first.text).map_or(0, |found| found.end());
    ProposedMemory {
        note_type,
        text: as_sentence(&group.first.text[lead..]),
        observations,
        confidence: statement_confidence(observations),
        evidence: group.evidence(),
        is_acknowledged: false,
    }
}

/// Proposes to remember a fact if a person stated it in two sessions, or a fix if the agent named a
/// cause: it was fixed afterwards, so that it is no longer a fact.
fn propose_fact(group: &StatementGroup<'_>) -> Option<ReflectionDraft> {
    let own = group.of.iter().any(|(_, item)| item.voice.is_persons());
    if own && group.sessions() < 2 {
        return None;
    }
    let strength = 20 + 10 * group.sessions() as u32 + if own { 10 } else { 0 };
    let what = if own { memory_of_group("fact", group) } else { memory_of_group("fix", group) };
    let text = if own { what.text.clone() } else { fixed_since(&what.text) };
    let what = DraftChange::Memory(ProposedMemory { text, ..what });
    let quote = own.then(|| group.first.text.clone());
    Some(ReflectionDraft { quote, ..ReflectionDraft::new(what, group.origins(), strength) })
}

pattern!(
    TOLD_LEAD = r"(?i)^(?:fyi|for the record|for context|heads[ -]up|note|remember|keep in mind|bear in mind)\b(?:\s+(?:also|that))*[\s,:]+"
);
pattern!(SOLVED = r"^(`[^`]+`) failed.*, and passed after changes to .*?[`e]\. (.{20,})$");

/// Proposes a rule for an error and its fix if two sessions had the error, otherwise a fix to
/// remember.
fn propose_fix(group: &StatementGroup<'_>) -> Option<ReflectionDraft> {
    let captures = SOLVED.captures(&group.first.text)?;
    let (check, cause) = (captures.get(1)?.as_str(), captures.get(2)?.as_str());
    if cause.contains('…') {
        return None;
    }
    let text = format!("When {check} fails, one cause was: {}", lower_first(cause));
    if group.sessions() < 2 {
        let memory = ProposedMemory { text: as_sentence(&text), ..memory_of_group("fix", group) };
        return Some(ReflectionDraft::new(DraftChange::Memory(memory), group.origins(), 15));
    }
    let bullet = RuleProposal {
        category: "debugging".to_owned(),
        content: content::rule(&format!("When {check} fails, check first: {}", lower_first(cause))).ok()?,
        kind: Some(BulletKind::ProjectConvention),
        evidence: group.evidence(),
        ..RuleProposal::default()
    };
    let reason = format!("the same error occurred and was fixed {}", in_sessions(group.sessions()));
    Some(add_draft(bullet, reason, group.origins(), 35 + 10 * group.sessions() as u32))
}

/// Converts the feedback that a session gives on rules to drafts.
fn feedback_drafts(session: &SessionInput<'_>) -> Vec<ReflectionDraft> {
    let diary = session.diary;
    let one = |word: &RuleFeedback| {
        let reason = word.reason.clone().or_else(|| {
            let status = diary.verdict.status.name();
            (!word.explicit)
                .then(|| format!("cited in line {} of a session that ended in {status}", word.line))
        });
        let judge = FeedbackDelta {
            id: word.id.clone(),
            session: Some(diary.session.clone()),
            reason,
            weight: Some(word.weight),
            invert: false,
            is_session_outcome: true,
        };
        let delta = match word.signal {
            FeedbackSignal::Helpful => CurationDelta::Helpful(judge),
            FeedbackSignal::Harmful => CurationDelta::Harmful(judge),
            FeedbackSignal::Irrelevant | FeedbackSignal::Ignored => CurationDelta::Irrelevant(judge),
        };
        let strength = if word.explicit { 100 } else { 30 };
        let origins = vec![origin(diary, word.line)];
        ReflectionDraft::new(DraftChange::Delta(delta), origins, strength)
    };
    session.feedback.iter().map(one).collect()
}

/// Formats a clause as a sentence, with a capital letter and a period.
fn as_sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';', ':']);
    let stop = if text.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    capitalized(text) + stop
}

const _: () = assert!(MAX_DRAFTS <= 50);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diary(session: &str, learnings: &[&str]) -> Diary {
        let item = |text: &&str| DiaryItem {
            text: (*text).into(),
            line: 7,
            voice: StatementAuthor::Person,
            standing: false,
        };
        Diary {
            id: format!("id-{session}"),
            session: session.into(),
            agent: "codex".into(),
            workspace: Some("/home/mara/shop".into()),
            learnings: learnings.iter().map(item).collect(),
            ..Diary::default()
        }
    }

    fn of(diaries: &[Diary]) -> Vec<ReflectionDraft> {
        let sessions: Vec<SessionInput<'_>> = diaries.iter().map(SessionInput::of_diary).collect();
        reflect(&sessions).drafts
    }

    fn rules(drafts: &[ReflectionDraft]) -> Vec<String> {
        let rule = |draft: &ReflectionDraft| match &draft.what {
            DraftChange::Delta(CurationDelta::Add(add)) => add.bullet.content.clone(),
            DraftChange::Delta(delta) => delta.kind().name().to_owned(),
            DraftChange::Memory(memory) => format!("{}: {}", memory.note_type, memory.text),
        };
        drafts.iter().map(rule).collect()
    }

    fn lasting(text: &str, kind: StatementKind, certainty: Certainty) -> LastingStatement {
        LastingStatement {
            text: text.into(),
            quote: text.into(),
            line: 9,
            kind,
            certainty,
            proposals: Vec::new(),
        }
    }

    #[test]
    fn a_lasting_statement_is_proposed_at_once() {
        let one = diary("a", &[]);
        let stated = [
            lasting("Always run the linter before you commit.", StatementKind::Rule, Certainty::High),
            lasting("Staging has 2 GB of memory.", StatementKind::Fact, Certainty::Medium),
        ];
        let input = SessionInput { lasting: &stated, ..SessionInput::of_diary(&one) };
        let drafts = reflect(&[input]).drafts;
        assert_eq!(
            rules(&drafts),
            ["Always run the linter before you commit.", "fact: Staging has 2 GB of memory."]
        );
        assert_eq!(
            [drafts[0].certainty, drafts[1].certainty],
            [Some(Certainty::High), Some(Certainty::Medium)]
        );
        let sent = reflect(&[SessionInput { author: StatementAuthor::Sender, ..input }]).drafts;
        assert_eq!(sent[0].certainty, Some(Certainty::Medium), "another person's session");
        let DraftChange::Delta(CurationDelta::Add(add)) = &drafts[0].what else { panic!("{drafts:?}") };
        assert_eq!((add.session.as_deref(), add.line), (Some("a"), Some(9)));
        assert_eq!(add.bullet.workspace.as_deref(), Some("shop"));
    }

    #[test]
    fn a_fact_is_proposed_when_it_is_repeated_in_other_words_and_grows_surer_with_the_sessions() {
        let fact = |n: &str| diary(n, &[&format!("the staging server has two cores {n}")]);
        let sure = |count: usize| {
            let ends = ["each", "please", "always", "here", "everywhere"];
            let diaries: Vec<Diary> = ends.iter().take(count).map(|end| fact(end)).collect();
            match &of(&diaries)[0].what {
                DraftChange::Memory(memory) => (memory.observations, memory.confidence),
                DraftChange::Delta(delta) => panic!("{delta:?}"),
            }
        };
        assert_eq!((sure(2), sure(3), sure(5)), ((2, 0.4), (3, 0.6), (5, 0.8)));
        for (one, other) in [
            ("the tide table has 3 columns", "the tide table has 5 columns"),
            ("the worker writes the tide table", "the worker never writes the tide table"),
            ("the worker writes the tide table", "the worker writes the tide table"),
        ] {
            let drafts = of(&[diary("a", &[one]), diary("b", &[other])]);
            assert_eq!(rules(&drafts), Vec::<String>::new(), "{one} / {other}");
        }
    }

    #[test]
    fn feedback_keeps_its_weight_and_says_where_it_comes_from() {
        let mut diary_of_success = diary("a", &[]);
        diary_of_success.verdict.status = SessionStatus::Success;
        let word = |explicit: bool| RuleFeedback {
            id: "b-mt2ssunl-jq6d8j".into(),
            signal: FeedbackSignal::Helpful,
            weight: if explicit { 1.0 } else { 0.3 },
            reason: None,
            line: 9,
            explicit,
        };
        let draft = |explicit| {
            reflect(&[SessionInput {
                feedback: &[word(explicit)],
                ..SessionInput::of_diary(&diary_of_success)
            }])
            .drafts
            .remove(0)
        };
        let DraftChange::Delta(CurationDelta::Helpful(judge)) = draft(false).what else { panic!("no word") };
        assert_eq!((judge.weight, judge.session.as_deref()), (Some(0.3), Some("a")));
        assert_eq!(judge.reason.as_deref(), Some("cited in line 9 of a session that ended in success"));
        let DraftChange::Delta(CurationDelta::Helpful(judge)) = draft(true).what else { panic!("no word") };
        assert_eq!((judge.weight, judge.reason), (Some(1.0), None));
        assert_eq!(
            draft(true).origins,
            [DraftOrigin { session: "a".into(), agent: "codex".into(), line: 9 }]
        );
    }

    #[test]
    fn an_error_with_its_fix_is_remembered_and_a_rule_when_it_comes_back() {
        let text = "`go test` failed, and passed after changes to `push.go`. The issue is that the push leaves out the upstream flag.";
        let failing = |session: &str| {
            let challenge =
                DiaryItem { text: text.into(), line: 3, voice: StatementAuthor::Log, standing: false };
            let text = format!("{} ({session})", challenge.text);
            Diary { challenges: vec![DiaryItem { text, ..challenge }], ..diary(session, &[]) }
        };
        assert_eq!(
            rules(&of(&[failing("a")])),
            [
                "fix: When `go test` fails, one cause was: the issue is that the push leaves out the upstream flag. (a)."
            ]
        );
        assert_eq!(
            rules(&of(&[failing("a"), failing("b")])),
            [
                "When `go test` fails, check first: the issue is that the push leaves out the upstream flag. (a)"
            ]
        );
    }

    proptest! {
        #[test]
        fn there_are_never_more_than_fifty_and_each_has_an_origin(count in 0_usize..120) {
            let text = |n: usize| format!("Always run check number{n} alpha{n} before beta{n}.");
            let stated: Vec<LastingStatement> =
                (0..count).map(|n| lasting(&text(n), StatementKind::Rule, Certainty::High)).collect();
            let diary = diary("a", &[]);
            let reflected = reflect(&[SessionInput { lasting: &stated, ..SessionInput::of_diary(&diary) }]);
            prop_assert_eq!(reflected.drafts.len(), count.min(MAX_DRAFTS));
            prop_assert_eq!(reflected.dropped, count.saturating_sub(MAX_DRAFTS));
            prop_assert!(reflected.drafts.iter().all(|draft| !draft.origins.is_empty()));
        }
    }
}
