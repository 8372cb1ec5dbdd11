//! Verifies a model's answer against its session: each quote must occur in the session, and each
//! bullet must exist. Verified parts become drafts with an origin that the program sets.

use std::collections::{BTreeMap, HashSet};

use super::answer::{
    DeltasAnswer, DiaryAnswer, ProposedChange, ProposedDelta, QuotedStatement, StatedKind, StatedMemory,
};
use super::draft::{DraftChange, DraftOrigin, ProposedMemory, ReflectionDraft, strongest};
use super::fence::neutralize;
use super::stated::{QuoteDoubt, TypedSentences};
use crate::confidence::statement_confidence;
use crate::diary::{Diary, DiaryItem, DiaryOrigin, MAX_SECTION_ITEMS, StatementAuthor, distinct};
use crate::evidence_quote::EvidenceQuote;
use crate::outcome::OutcomeVerdict;
use crate::statement::Certainty;
use cm_note::bullet::content::{fold_whitespace, rule};
use cm_note::note::check::is_category;
use cm_note::note::length::{MIN_STATEMENT_CHARS, is_too_short};
use cm_playbook::curation::delta::{
    AddDelta, CurationDelta, DeprecateDelta, FeedbackDelta, MergeDelta, ReplaceDelta, RuleProposal,
};
use cm_session::event::{EventKind, SessionEvent};
use cm_session::status::SessionStatus;

/// The texts of a session that a model's answer may quote, by line of the log.
#[derive(Debug, Clone, Default)]
pub struct QuotableSession {
    session: String,
    agent: String,
    lines: BTreeMap<u64, Vec<(StatementAuthor, String)>>,
    typed: TypedSentences,
    /// What the person typed about refused and failed calls, with the call.
    calls: Vec<(String, String)>,
}

/// Why a delta or diary item in a model's answer was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The quote is too short to be evidence.
    #[error("the quote `{0}` is too short")]
    ShortQuote(String),
    /// The session does not contain the quote.
    #[error("the session does not contain `{0}`")]
    NoSuchQuote(String),
    /// The bullet does not exist.
    #[error("rule {0} not found")]
    UnknownBullet(String),
    /// The text is not a valid rule or memory.
    #[error("{0}")]
    NotARule(String),
    /// The category name is invalid.
    #[error("`{0}` is not a valid category")]
    BadCategory(String),
    /// The text exceeds its limit.
    #[error("the text has {length} characters; the limit is {most}")]
    TooLong {
        /// Length in characters.
        length: usize,
        /// Maximum length in characters.
        most: usize,
    },
    /// A merge of fewer than two bullets.
    #[error("a merge needs at least two rules")]
    NothingToMerge,
}

/// Minimum length of a quote that counts as evidence, in characters.
const MIN_QUOTE_CHARS: usize = 8;
/// Maximum length of a memory in an answer, in characters.
const MAX_MEMORY_CHARS: usize = 160;
/// Maximum length of the summary of an event in an answer, in characters.
const MAX_EPISODE_CHARS: usize = 280;

impl QuotableSession {
    /// Collects the quotable texts of a session: messages, tool calls and their output, but neither
    /// thinking nor text that a program inserted. `prompts` is the author of the prompts.
    pub fn of(session: &str, agent: &str, events: &[SessionEvent], prompts: StatementAuthor) -> Self {
        let mut lines: BTreeMap<u64, Vec<(StatementAuthor, String)>> = BTreeMap::new();
        for event in events {
            let (voice, text) = match &event.kind {
                // The prompts of a subagent are the agent's.
                EventKind::UserPrompt { text } if event.side => (StatementAuthor::Agent, text.clone()),
                EventKind::UserPrompt { text } => (prompts, text.clone()),
                EventKind::AssistantText { text } => (StatementAuthor::Agent, text.clone()),
                EventKind::ToolCall { input, .. } => {
                    (StatementAuthor::Agent, input.as_str().map_or_else(|| input.to_string(), str::to_owned))
                }
                EventKind::ToolResult { text, .. } => (StatementAuthor::Log, text.clone()),
                EventKind::PersonCommand { command, output, .. } => {
                    (StatementAuthor::Log, format!("{command}\n{}", output.as_deref().unwrap_or("")))
                }
                _ => continue,
            };
            lines.entry(event.line).or_default().push((voice, normalize_quoted(&text)));
        }
        Self { session: session.to_owned(), agent: agent.to_owned(), lines, ..Self::default() }
    }

    /// Adds the judged sentences of the session's person, and what they typed about refused and failed
    /// calls, each with its call. Without them, nothing is admitted.
    #[must_use]
    pub fn with_typed(self, typed: TypedSentences, calls: Vec<(String, String)>) -> Self {
        let calls = calls.into_iter().map(|(words, call)| (normalize_quoted(&words), call)).collect();
        Self { typed, calls, ..self }
    }

    /// Returns why a quote does not make a proposal active; `None` if it does. `calls` are further
    /// calls that the quote answers.
    pub fn doubt(&self, proposal: &str, quote: &str, calls: &[String]) -> Option<QuoteDoubt> {
        match self.typed_line(quote) {
            None => Some(QuoteDoubt::NotTyped),
            Some((_, StatementAuthor::Person)) => {
                let wanted = normalize_quoted(quote);
                let own = self.calls.iter().filter(|(words, _)| words.contains(&wanted));
                let all: Vec<String> =
                    own.map(|(_, call)| call.clone()).chain(calls.iter().cloned()).collect();
                self.typed.doubt(proposal, quote, &all)
            }
            Some(_) => Some(QuoteDoubt::NotInteractive),
        }
    }

    /// Makes the lines of a text quotable, each with its author.
    pub fn of_lines(lines: impl IntoIterator<Item = (u64, StatementAuthor, String)>) -> Self {
        let one = |(line, author, text): (u64, _, String)| (line, vec![(author, normalize_quoted(&text))]);
        Self { lines: lines.into_iter().map(one).collect(), ..Self::default() }
    }

    /// Returns the first line on which a user typed a quote, with its author; `None` if none did.
    pub fn typed_line(&self, quote: &str) -> Option<(u64, StatementAuthor)> {
        let wanted = normalize_quoted(quote);
        let texts = self.lines.iter().flat_map(|(line, texts)| texts.iter().map(move |text| (*line, text)));
        let mut typed = texts.filter(|(_, (voice, _))| voice.is_persons());
        typed.find(|(_, (_, text))| text.contains(&wanted)).map(|(line, (voice, _))| (line, *voice))
    }

    /// Finds a quote on line `line` or else on the first line that contains it.
    fn find(&self, line: u64, quote: &str) -> Result<(DraftOrigin, StatementAuthor), Rejection> {
        let wanted = normalize_quoted(quote);
        if wanted.chars().count() < MIN_QUOTE_CHARS {
            return Err(Rejection::ShortQuote(quote.to_owned()));
        }
        let on = |line: u64| {
            let texts = self.lines.get(&line).into_iter().flatten();
            texts.into_iter().find(|(_, text)| text.contains(&wanted)).map(|(voice, _)| (line, *voice))
        };
        let found = on(line).or_else(|| self.lines.keys().find_map(|line| on(*line)));
        let (line, voice) = found.ok_or_else(|| Rejection::NoSuchQuote(crate::prose::cut(quote, 80)))?;
        Ok((DraftOrigin { session: self.session.clone(), agent: self.agent.clone(), line }, voice))
    }
}

/// Normalizes white space, case and fences of a text, for comparison with quotes.
fn normalize_quoted(text: &str) -> String {
    fold_whitespace(&neutralize(text)).to_lowercase()
}

/// Checks the deltas of a model's answer. Returns the drafts of the valid ones, and the rejected
/// ones by their number in the answer, from 1.
pub fn deltas(
    answer: &DeltasAnswer,
    bullet_ids: &HashSet<&str>,
    session: &QuotableSession,
) -> (Vec<ReflectionDraft>, Vec<(usize, Rejection)>) {
    let (mut drafts, mut refused) = (Vec::new(), Vec::new());
    for (number, proposed) in (1..).zip(&answer.deltas) {
        match verify_delta(proposed, bullet_ids, session) {
            Ok(draft) => drafts.push(draft),
            Err(why) => refused.push((number, why)),
        }
    }
    (strongest(drafts).0, refused)
}

fn verify_delta(
    proposed: &ProposedDelta,
    bullet_ids: &HashSet<&str>,
    session: &QuotableSession,
) -> Result<ReflectionDraft, Rejection> {
    let (origin, voice) = session.find(proposed.line, &proposed.quote)?;
    let bullet = |id: &str| {
        if bullet_ids.contains(id) { Ok(id.to_owned()) } else { Err(Rejection::UnknownBullet(id.to_owned())) }
    };
    let ruled = |text: &str| rule(text).map_err(|error| Rejection::NotARule(error.to_string()));
    let reason = proposed.reason.as_deref().map(|reason| crate::prose::cut(&fold_whitespace(reason), 300));
    let quote = fold_whitespace(&proposed.quote);
    let shortened = crate::prose::cut(&quote, 300);
    let evidence = EvidenceQuote::new(voice, &origin.session, origin.line, &shortened);
    let proof = || vec![evidence.to_string()];
    let judge = |id: &str| {
        bullet(id).map(|id| FeedbackDelta {
            id,
            session: Some(origin.session.clone()),
            reason: reason.clone(),
            weight: None,
            invert: false,
            is_session_outcome: true,
        })
    };
    let what = match &proposed.step {
        ProposedChange::Add { category, content, bullet_type, scope, tags } => {
            if !is_category(category) {
                return Err(Rejection::BadCategory(category.clone()));
            }
            let bullet = RuleProposal {
                category: category.clone(),
                content: ruled(content)?,
                bullet_type: *bullet_type,
                scope: *scope,
                tags: tags.iter().take(8).cloned().collect(),
                evidence: proof(),
                ..RuleProposal::default()
            };
            let (session, line) = (Some(origin.session.clone()), Some(origin.line));
            DraftChange::Delta(CurationDelta::Add(Box::new(AddDelta {
                bullet,
                reason,
                session,
                line,
                ..AddDelta::default()
            })))
        }
        ProposedChange::Helpful { id } => DraftChange::Delta(CurationDelta::Helpful(judge(id)?)),
        ProposedChange::Harmful { id } => DraftChange::Delta(CurationDelta::Harmful(judge(id)?)),
        ProposedChange::Replace { id, content } => DraftChange::Delta(CurationDelta::Replace(ReplaceDelta {
            id: bullet(id)?,
            content: ruled(content)?,
            reason,
        })),
        ProposedChange::Deprecate { id } => DraftChange::Delta(CurationDelta::Deprecate(DeprecateDelta {
            id: bullet(id)?,
            reason,
            ..DeprecateDelta::default()
        })),
        ProposedChange::Merge { ids, content } => {
            let ids = ids.iter().map(|id| bullet(id)).collect::<Result<Vec<_>, _>>()?;
            if ids.iter().collect::<HashSet<_>>().len() < 2 {
                return Err(Rejection::NothingToMerge);
            }
            DraftChange::Delta(CurationDelta::Merge(MergeDelta { ids, content: ruled(content)?, reason }))
        }
        ProposedChange::Fact { content } => DraftChange::Memory(verify_memory("fact", content, proof())?),
        ProposedChange::Preference { content } => {
            DraftChange::Memory(verify_memory("preference", content, proof())?)
        }
        ProposedChange::Decision { content } => {
            DraftChange::Memory(verify_memory("decision", content, proof())?)
        }
        ProposedChange::Fix { content } => DraftChange::Memory(verify_memory("fix", content, proof())?),
    };
    let strength = if voice.is_persons() { 60 } else { 40 };
    let draft = ReflectionDraft::new(what, vec![origin], strength);
    let is_stated = draft.new_text().is_some_and(|text| session.doubt(text, &proposed.quote, &[]).is_none());
    let verdicts = proposed.verdicts.iter().filter(|one| bullet_ids.contains(one.id.as_str())).cloned();
    Ok(ReflectionDraft {
        certainty: is_stated.then_some(Certainty::High),
        quote: Some(quote),
        verdicts: verdicts.collect(),
        ..draft
    })
}

/// Finds the line that a memory of an answer quotes, and checks the memory's length. Returns the
/// line with its author.
///
/// # Errors
/// The reason why the memory is rejected.
pub fn stated(memory: &StatedMemory, session: &QuotableSession) -> Result<(u64, StatementAuthor), Rejection> {
    let (origin, author) = session.find(memory.line, &memory.quote)?;
    let most = if memory.kind == StatedKind::Episode { MAX_EPISODE_CHARS } else { MAX_MEMORY_CHARS };
    let text = fold_whitespace(&memory.text);
    match text.chars().count() {
        length if length > most => Err(Rejection::TooLong { length, most }),
        _ if is_too_short(&text) => {
            Err(Rejection::NotARule(format!("a memory needs at least {MIN_STATEMENT_CHARS} characters")))
        }
        _ => Ok((origin.line, author)),
    }
}

fn verify_memory(
    note_type: &'static str,
    content: &str,
    evidence: Vec<String>,
) -> Result<ProposedMemory, Rejection> {
    let text = fold_whitespace(content);
    match text.chars().count() {
        length if length > MAX_MEMORY_CHARS => Err(Rejection::TooLong { length, most: MAX_MEMORY_CHARS }),
        _ if is_too_short(&text) => {
            Err(Rejection::NotARule(format!("a memory needs at least {MIN_STATEMENT_CHARS} characters")))
        }
        _ => Ok(ProposedMemory {
            note_type,
            text,
            observations: 1,
            confidence: statement_confidence(1),
            evidence,
            is_acknowledged: false,
        }),
    }
}

/// Replaces the sections of an extracted diary by the verified items of an answer; also returns the
/// rejections. The outcome from the log takes precedence; the model's is used only if the log has
/// no evidence.
pub fn diary(
    extracted: &Diary,
    answer: &DiaryAnswer,
    model: &str,
    session: &QuotableSession,
) -> (Diary, Vec<Rejection>) {
    let mut refused = Vec::new();
    let mut held = |points: &[QuotedStatement]| {
        let mut items = Vec::new();
        for point in points {
            match session.find(point.line, &point.quote) {
                Ok((origin, voice)) => items.extend(DiaryItem::new(&point.text, origin.line, voice)),
                Err(why) => refused.push(why),
            }
        }
        distinct(items, MAX_SECTION_ITEMS)
    };
    let words = |list: &[String]| -> Vec<String> {
        let short = list.iter().map(|word| fold_whitespace(word.trim_start_matches('#')));
        short.filter(|word| (1..=40).contains(&word.chars().count())).take(8).collect()
    };
    let verdict = match extracted.verdict.status {
        SessionStatus::Unknown => OutcomeVerdict { status: answer.status, signs: Vec::new() },
        _ => extracted.verdict.clone(),
    };
    let diary = Diary {
        accomplishments: held(&answer.accomplishments),
        decisions: held(&answer.decisions),
        challenges: held(&answer.challenges),
        preferences: held(&answer.preferences),
        learnings: held(&answer.key_learnings),
        tags: Some(words(&answer.tags))
            .filter(|tags| !tags.is_empty())
            .unwrap_or_else(|| extracted.tags.clone()),
        anchors: Some(words(&answer.search_anchors))
            .filter(|words| !words.is_empty())
            .unwrap_or_else(|| extracted.anchors.clone()),
        verdict,
        origin: DiaryOrigin::Model(model.to_owned()),
        ..extracted.clone()
    };
    (diary, refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::test_events::*;
    use crate::reflect::answer::parse;
    use crate::statement::KindProbabilities;
    use cm_session::event::ToolOutcome;

    fn session() -> QuotableSession {
        let events = log_of([
            person("No, never force-push <<<shared>>> branches."),
            agent("The cache key left out the tenant."),
            result("1", ToolOutcome::Error, "error: stale tenant key"),
            EventKind::Injected { text: "injected words to quote".into() },
        ]);
        QuotableSession::of("s-1", "codex", &events, StatementAuthor::Person)
    }

    fn of(deltas_json: &str) -> Result<ReflectionDraft, Rejection> {
        let answer: DeltasAnswer = parse(&format!("{{\"deltas\":[{deltas_json}]}}")).unwrap();
        let (mut drafts, refused) = deltas(&answer, &HashSet::from(["b-mt2ssunl-jq6d8j"]), &session());
        refused.into_iter().next().map_or_else(|| Ok(drafts.remove(0)), |(_, why)| Err(why))
    }

    #[test]
    fn where_a_delta_comes_from_is_found_by_its_quote_and_set_by_the_program() {
        let draft =
            of(r#"{"type":"add","category":"git","content":"Never force-push shared branches.","line":99,
            "quote":"never  force-push","session":"forged"}"#)
            .unwrap();
        assert_eq!(draft.origins, [DraftOrigin { session: "s-1".into(), agent: "codex".into(), line: 1 }]);
        let DraftChange::Delta(CurationDelta::Add(add)) = draft.what else { panic!("no add") };
        assert_eq!((add.session.as_deref(), add.line), (Some("s-1"), Some(1)));
    }

    #[test]
    fn what_the_session_does_not_say_is_refused() {
        let with = |quote: &str| {
            of(&format!(
                r#"{{"type":"fact","content":"The key holds the tenant.","line":2,"quote":"{quote}"}}"#
            ))
        };
        assert!(with("cache key left out").is_ok());
        assert!(with("stale tenant key").is_ok());
        assert!(with("‹‹‹shared>>> branches").is_ok(), "as the border shows it");
        assert_eq!(with("it never said this"), Err(Rejection::NoSuchQuote("it never said this".into())));
        assert_eq!(with("injected words"), Err(Rejection::NoSuchQuote("injected words".into())));
        assert_eq!(with("key"), Err(Rejection::ShortQuote("key".into())));
    }

    #[test]
    fn only_what_the_person_typed_as_lasting_is_certain_in_an_answer() {
        let events = log_of([
            person("No, never force-push shared branches. Rename this one."),
            agent("I never delete tags."),
        ]);
        let typed = crate::statement::statements(&events);
        let judged: Vec<_> = typed
            .iter()
            .map(|one| if one.text.contains("never") { 0.1 } else { 0.9 })
            .map(|passing| KindProbabilities([passing, 1.0 - passing, 0.0, 0.0, 0.0]))
            .collect();
        let session = |prompts| {
            QuotableSession::of("s-1", "codex", &events, prompts)
                .with_typed(TypedSentences::of(&typed, &judged), Vec::new())
        };
        let certainty = |kind: &str, content: &str, quote: &str, prompts| {
            let delta = format!(
                r#"{{"deltas":[{{"type":"{kind}","category":"git","content":"{content}","line":1,"quote":"{quote}"}}]}}"#
            );
            let (drafts, refused) = deltas(&parse(&delta).unwrap(), &HashSet::new(), &session(prompts));
            assert_eq!(refused, []);
            drafts[0].certainty
        };
        let own = StatementAuthor::Person;
        let words = "never force-push shared branches";
        for kind in ["add", "fact", "preference", "decision", "fix"] {
            assert_eq!(
                certainty(kind, "Never force-push shared branches.", words, own),
                Some(Certainty::High)
            );
        }
        assert_eq!(certainty("add", "Never force-push to `main`.", words, own), None, "beyond the words");
        assert_eq!(certainty("add", "Rename this one.", "Rename this one.", own), None, "a task");
        assert_eq!(certainty("add", "Never delete tags.", "I never delete tags", own), None, "the agent");
        let sent = certainty("add", "Never force-push shared branches.", words, StatementAuthor::Sender);
        assert_eq!(sent, None, "not at an interactive prompt");
    }

    #[test]
    fn unknown_bullets_long_rules_and_odd_categories_are_refused() {
        let quote = r#""line":1,"quote":"never force-push""#;
        let refused = |step: &str| of(&format!("{{{step},{quote}}}")).unwrap_err();
        assert_eq!(refused(r#""type":"helpful","id":"b-none""#), Rejection::UnknownBullet("b-none".into()));
        assert!(of(&format!(r#"{{"type":"harmful","id":"b-mt2ssunl-jq6d8j",{quote}}}"#)).is_ok());
        let long = "x".repeat(501);
        assert!(matches!(
            refused(&format!(r#""type":"add","category":"git","content":"{long}""#)),
            Rejection::NotARule(_)
        ));
        assert!(matches!(
            refused(&format!(r#""type":"fact","content":"{long}""#)),
            Rejection::TooLong { .. }
        ));
        assert_eq!(
            refused(r#""type":"add","category":"Not One","content":"Never force-push.""#),
            Rejection::BadCategory("Not One".into())
        );
        assert_eq!(
            refused(r#""type":"merge","ids":["b-mt2ssunl-jq6d8j"],"content":"Never force-push.""#),
            Rejection::NothingToMerge
        );
    }

    #[test]
    fn a_models_diary_keeps_what_holds_and_the_verdict_that_has_signs() {
        let answer: DiaryAnswer = parse(
            r#"{"status":"success","preferences":[
            {"text":"Never force-push shared branches.","line":1,"quote":"never force-push"},
            {"text":"Made up.","line":1,"quote":"something made up"}]}"#,
        )
        .unwrap();
        let mut extracted = Diary { session: "s-1".into(), ..Diary::default() };
        let (made, refused) = diary(&extracted, &answer, "m", &session());
        assert_eq!(
            (made.preferences.len(), refused.len(), made.verdict.status),
            (1, 1, SessionStatus::Success)
        );
        assert_eq!((made.preferences[0].line, made.preferences[0].voice), (1, StatementAuthor::Person));
        extracted.verdict.status = SessionStatus::Failure;
        assert_eq!(diary(&extracted, &answer, "m", &session()).0.verdict.status, SessionStatus::Failure);
    }
}
