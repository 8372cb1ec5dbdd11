//! Verifies a model's answer against its session: each quote must occur in the session, and each
//! bullet must exist. Verified parts become drafts with an origin that the program sets.

use std::collections::{BTreeMap, HashSet};

use super::answer::{DeltasAnswer, DiaryAnswer, Point, Proposed, Step};
use super::border::disarmed;
use super::draft::{Draft, Origin, Remembered, What, bounded, confidence};
use crate::diary::{Diary, ITEMS, Item, Made, Voice, distinct};
use crate::outcome::Verdict;
use cm_note::bullet::content::{folded, rule};
use cm_note::note::check::is_category;
use cm_playbook::curation::delta::{Add, Delta, Deprecate, Judge, Merge, Proposal, Replace};
use cm_session::event::{Event, EventKind};
use cm_session::status::SessionStatus;

/// The quotable texts of a session, by line.
#[derive(Debug, Clone)]
pub struct Quotable {
    session: String,
    agent: String,
    lines: BTreeMap<u64, Vec<(Voice, String)>>,
}

/// Reason for rejecting a part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The quote is too short to be evidence.
    #[error("the quote `{0}` is too short")]
    ShortQuote(String),
    /// The quote does not occur in the session.
    #[error("the session does not say `{0}`")]
    NoSuchQuote(String),
    /// The bullet does not exist.
    #[error("there is no bullet {0}")]
    UnknownBullet(String),
    /// The text is not a valid rule or memory.
    #[error("{0}")]
    NotARule(String),
    /// The category name is invalid.
    #[error("`{0}` is no category")]
    BadCategory(String),
    /// The text exceeds its limit.
    #[error("the text has {length} characters, and {most} are allowed")]
    TooLong {
        /// Length in characters.
        length: usize,
        /// Maximum length in characters.
        most: usize,
    },
    /// A merge of fewer than two bullets.
    #[error("a merge names two bullets or more")]
    NothingToMerge,
}

/// Minimum length of a quote, in characters.
const QUOTE: usize = 8;
/// Maximum length of a fact or preference, in characters.
const MEMORY: usize = 160;

impl Quotable {
    /// Collects the quotable texts of a session: messages, tool calls and their output, but neither
    /// thinking nor text that a program inserted. `prompts` is the author of the prompts.
    pub fn of(session: &str, agent: &str, events: &[Event], prompts: Voice) -> Self {
        let mut lines: BTreeMap<u64, Vec<(Voice, String)>> = BTreeMap::new();
        for event in events {
            let (voice, text) = match &event.kind {
                EventKind::UserPrompt { text } => (prompts, text.clone()),
                EventKind::AssistantText { text } => (Voice::Agent, text.clone()),
                EventKind::ToolCall { input, .. } => {
                    (Voice::Agent, input.as_str().map_or_else(|| input.to_string(), str::to_owned))
                }
                EventKind::ToolResult { text, .. } => (Voice::Log, text.clone()),
                EventKind::PersonCommand { command, output, .. } => {
                    (Voice::Log, format!("{command}\n{}", output.as_deref().unwrap_or("")))
                }
                _ => continue,
            };
            lines.entry(event.line).or_default().push((voice, plain(&text)));
        }
        Self { session: session.to_owned(), agent: agent.to_owned(), lines }
    }

    /// Finds a quote on the stated line or else on the first line that contains it.
    fn find(&self, line: u64, quote: &str) -> Result<(Origin, Voice), Refused> {
        let wanted = plain(quote);
        if wanted.chars().count() < QUOTE {
            return Err(Refused::ShortQuote(quote.to_owned()));
        }
        let on = |line: u64| {
            let texts = self.lines.get(&line).into_iter().flatten();
            texts.into_iter().find(|(_, text)| text.contains(&wanted)).map(|(voice, _)| (line, *voice))
        };
        let found = on(line).or_else(|| self.lines.keys().find_map(|line| on(*line)));
        let (line, voice) = found.ok_or_else(|| Refused::NoSuchQuote(crate::prose::cut(quote, 80)))?;
        Ok((Origin { session: self.session.clone(), agent: self.agent.clone(), line }, voice))
    }
}

/// Normalizes a text for comparison with quotes: whitespace, case and fences.
fn plain(text: &str) -> String {
    folded(&disarmed(text)).to_lowercase()
}

/// Returns the verified drafts of an answer, and the rejected deltas by number, from 1.
pub fn deltas(
    answer: &DeltasAnswer,
    known: &HashSet<&str>,
    session: &Quotable,
) -> (Vec<Draft>, Vec<(usize, Refused)>) {
    let (mut drafts, mut refused) = (Vec::new(), Vec::new());
    for (number, proposed) in (1..).zip(&answer.deltas) {
        match one(proposed, known, session) {
            Ok(draft) => drafts.push(draft),
            Err(why) => refused.push((number, why)),
        }
    }
    (bounded(drafts).0, refused)
}

fn one(proposed: &Proposed, known: &HashSet<&str>, session: &Quotable) -> Result<Draft, Refused> {
    let (origin, voice) = session.find(proposed.line, &proposed.quote)?;
    let bullet = |id: &str| {
        if known.contains(id) { Ok(id.to_owned()) } else { Err(Refused::UnknownBullet(id.to_owned())) }
    };
    let ruled = |text: &str| rule(text).map_err(|error| Refused::NotARule(error.to_string()));
    let reason = proposed.reason.as_deref().map(|reason| crate::prose::cut(&folded(reason), 300));
    let quote = crate::prose::cut(&folded(&proposed.quote), 300);
    let judge = |id: &str| {
        bullet(id).map(|id| Judge {
            id,
            session: Some(origin.session.clone()),
            reason: reason.clone(),
            weight: None,
            invert: false,
        })
    };
    let what = match &proposed.step {
        Step::Add { category, content, bullet_type, scope, tags } => {
            if !is_category(category) {
                return Err(Refused::BadCategory(category.clone()));
            }
            let bullet = Proposal {
                category: category.clone(),
                content: ruled(content)?,
                bullet_type: *bullet_type,
                scope: *scope,
                tags: tags.iter().take(8).cloned().collect(),
                evidence: vec![quote],
                ..Proposal::default()
            };
            let (session, line) = (Some(origin.session.clone()), Some(origin.line));
            What::Delta(Delta::Add(Box::new(Add { bullet, reason, session, line })))
        }
        Step::Helpful { id } => What::Delta(Delta::Helpful(judge(id)?)),
        Step::Harmful { id } => What::Delta(Delta::Harmful(judge(id)?)),
        Step::Replace { id, content } => {
            What::Delta(Delta::Replace(Replace { id: bullet(id)?, content: ruled(content)?, reason }))
        }
        Step::Deprecate { id } => {
            What::Delta(Delta::Deprecate(Deprecate { id: bullet(id)?, reason, replaced_by: None }))
        }
        Step::Merge { ids, content } => {
            let ids = ids.iter().map(|id| bullet(id)).collect::<Result<Vec<_>, _>>()?;
            if ids.iter().collect::<HashSet<_>>().len() < 2 {
                return Err(Refused::NothingToMerge);
            }
            What::Delta(Delta::Merge(Merge { ids, content: ruled(content)?, reason }))
        }
        Step::Fact { content } => What::Memory(memory("fact", content, quote)?),
        Step::Preference { content } => What::Memory(memory("preference", content, quote)?),
    };
    let strength = if voice.is_persons() { 60 } else { 40 };
    Ok(Draft { what, origins: vec![origin], strength })
}

fn memory(note_type: &'static str, content: &str, quote: String) -> Result<Remembered, Refused> {
    let text = folded(content);
    match text.chars().count() {
        length if length > MEMORY => Err(Refused::TooLong { length, most: MEMORY }),
        0..10 => Err(Refused::NotARule("a memory has at least 10 characters".to_owned())),
        _ => Ok(Remembered {
            note_type,
            text,
            observations: 1,
            confidence: confidence(1),
            evidence: vec![quote],
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
    session: &Quotable,
) -> (Diary, Vec<Refused>) {
    let mut refused = Vec::new();
    let mut held = |points: &[Point]| {
        let mut items = Vec::new();
        for point in points {
            match session.find(point.line, &point.quote) {
                Ok((origin, voice)) => items.extend(Item::new(&point.text, origin.line, voice)),
                Err(why) => refused.push(why),
            }
        }
        distinct(items, ITEMS)
    };
    let words = |list: &[String]| -> Vec<String> {
        let short = list.iter().map(|word| folded(word.trim_start_matches('#')));
        short.filter(|word| (1..=40).contains(&word.chars().count())).take(8).collect()
    };
    let verdict = match extracted.verdict.status {
        SessionStatus::Unknown => Verdict { status: answer.status, signs: Vec::new() },
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
        made: Made::Model(model.to_owned()),
        ..extracted.clone()
    };
    (diary, refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::told::*;
    use crate::reflect::answer::parse;
    use cm_session::event::ToolOutcome;

    fn session() -> Quotable {
        let events = told([
            person("No, never force-push <<<shared>>> branches."),
            agent("The cache key left out the tenant."),
            result("1", ToolOutcome::Error, "error: stale tenant key"),
            EventKind::Injected { text: "injected words to quote".into() },
        ]);
        Quotable::of("s-1", "codex", &events, Voice::Person)
    }

    fn of(deltas_json: &str) -> Result<Draft, Refused> {
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
        assert_eq!(draft.origins, [Origin { session: "s-1".into(), agent: "codex".into(), line: 1 }]);
        let What::Delta(Delta::Add(add)) = draft.what else { panic!("no add") };
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
        assert_eq!(with("it never said this"), Err(Refused::NoSuchQuote("it never said this".into())));
        assert_eq!(with("injected words"), Err(Refused::NoSuchQuote("injected words".into())));
        assert_eq!(with("key"), Err(Refused::ShortQuote("key".into())));
    }

    #[test]
    fn unknown_bullets_long_rules_and_odd_categories_are_refused() {
        let quote = r#""line":1,"quote":"never force-push""#;
        let refused = |step: &str| of(&format!("{{{step},{quote}}}")).unwrap_err();
        assert_eq!(refused(r#""type":"helpful","id":"b-none""#), Refused::UnknownBullet("b-none".into()));
        assert!(of(&format!(r#"{{"type":"harmful","id":"b-mt2ssunl-jq6d8j",{quote}}}"#)).is_ok());
        let long = "x".repeat(501);
        assert!(matches!(
            refused(&format!(r#""type":"add","category":"git","content":"{long}""#)),
            Refused::NotARule(_)
        ));
        assert!(matches!(refused(&format!(r#""type":"fact","content":"{long}""#)), Refused::TooLong { .. }));
        assert_eq!(
            refused(r#""type":"add","category":"Not One","content":"Never force-push.""#),
            Refused::BadCategory("Not One".into())
        );
        assert_eq!(
            refused(r#""type":"merge","ids":["b-mt2ssunl-jq6d8j"],"content":"Never force-push.""#),
            Refused::NothingToMerge
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
        assert_eq!((made.preferences[0].line, made.preferences[0].voice), (1, Voice::Person));
        extracted.verdict.status = SessionStatus::Failure;
        assert_eq!(diary(&extracted, &answer, "m", &session()).0.verdict.status, SessionStatus::Failure);
    }
}
