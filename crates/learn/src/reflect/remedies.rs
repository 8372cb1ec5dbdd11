//! Proposes what ended the failures of commands, from the challenges of diaries: a memory after one
//! session, a rule where it recurs.

use std::collections::BTreeMap;

use super::draft::{DraftChange, ProposedMemory, ReflectionDraft, confidence};
use super::without_model::{origin, quote, rule_of};
use crate::diary::{Diary, DiaryItem, StatementAuthor};
use crate::prose::pattern;
use crate::statement::Certainty;

/// Number of sessions from which on the rule needs no further evidence.
const ENOUGH: usize = 3;

pattern!(ENABLED = r#"^`([^`]+)` failed(?: with "([^"]+)")?, and passed after `([^`]+)`$"#);
pattern!(REPLACED = r#"^`([^`]+)` failed(?: with "([^"]+)")?; `([^`]+)` worked instead$"#);

/// What ended a failure, with the sessions in which it did.
struct Remedy<'d> {
    failed: String,
    error: Option<String>,
    by: String,
    is_replacement: bool,
    of: Vec<(&'d Diary, &'d DiaryItem)>,
}

/// Returns the proposals of these diaries, by command.
pub(super) fn propose<'d>(diaries: impl Iterator<Item = &'d Diary>) -> Vec<ReflectionDraft> {
    let mut remedies: BTreeMap<(String, String), Remedy<'d>> = BTreeMap::new();
    for diary in diaries {
        let own = |item: &&DiaryItem| item.voice == StatementAuthor::Log && item.line > 0;
        for item in diary.challenges.iter().filter(own) {
            let Some(found) = parse(item) else { continue };
            let key = (found.failed.clone(), found.by.clone());
            remedies.entry(key).or_insert(found).of.push((diary, item));
        }
    }
    remedies.into_values().filter_map(|remedy| remedy.proposed()).collect()
}

fn parse<'d>(item: &DiaryItem) -> Option<Remedy<'d>> {
    let text = item.text.trim_end_matches('.');
    let (found, is_replacement) = match ENABLED.captures(text) {
        Some(found) => (found, false),
        None => (REPLACED.captures(text)?, true),
    };
    let part = |at: usize| found.get(at).map(|part| part.as_str().to_owned());
    Some(Remedy { failed: part(1)?, error: part(2), by: part(3)?, is_replacement, of: Vec::new() })
}

impl Remedy<'_> {
    fn text(&self) -> String {
        let Self { failed, by, .. } = self;
        let error = self.error.as_deref().map(|error| format!(" with \"{error}\"")).unwrap_or_default();
        match self.is_replacement {
            false => format!("Run `{by}` before `{failed}`, which otherwise fails{error}."),
            true => format!("Run `{by}`, not `{failed}`, which fails{error}."),
        }
    }

    fn proposed(mut self) -> Option<ReflectionDraft> {
        // The order of the diaries must not decide which error is quoted.
        self.of
            .sort_by(|(a, x), (b, y)| (a.started, &a.session, x.line).cmp(&(b.started, &b.session, y.line)));
        let first = self.of.first().and_then(|(_, item)| parse(item)).and_then(|first| first.error);
        self.error = first;
        let mut sessions: Vec<&str> = self.of.iter().map(|(diary, _)| diary.session.as_str()).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let origins = self.of.iter().map(|(diary, item)| origin(diary, item.line)).collect();
        if sessions.len() < 2 {
            let what = ProposedMemory {
                note_type: "fix",
                text: self.text(),
                observations: 1,
                confidence: confidence(1),
                evidence: self.of.iter().map(|(diary, item)| quote(diary, item)).collect(),
            };
            return Some(ReflectionDraft {
                what: DraftChange::Memory(what),
                origins,
                strength: 20,
                certainty: None,
            });
        }
        let reason = format!("it ended the failure in {} sessions", sessions.len());
        let draft = rule_of(&self.text(), &self.of, reason)?;
        let certainty = (sessions.len() >= ENOUGH).then_some(Certainty::High);
        Some(ReflectionDraft { origins, strength: 40 + sessions.len() as u32, certainty, ..draft })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_playbook::curation::delta::CurationDelta;

    fn diary(session: &str, day: u8, text: &str) -> Diary {
        let item = DiaryItem { text: text.into(), line: 4, voice: StatementAuthor::Log, standing: false };
        Diary {
            session: session.into(),
            agent: "codex".into(),
            started: cm_note::instant::Instant::parse(&format!("2026-11-{day:02}T10:00:00Z")).ok(),
            challenges: vec![item],
            ..Diary::default()
        }
    }

    fn texts(diaries: &[Diary]) -> Vec<String> {
        let text = |draft: &ReflectionDraft| match &draft.what {
            DraftChange::Memory(memory) => format!("{}: {}", memory.note_type, memory.text),
            DraftChange::Delta(CurationDelta::Add(add)) => add.bullet.content.clone(),
            DraftChange::Delta(_) => String::new(),
        };
        propose(diaries.iter()).iter().map(text).collect()
    }

    #[test]
    fn what_helped_once_is_a_memory_and_twice_a_rule_whatever_the_order() {
        let one = diary("a", 1, "`make test-db` failed with \"refused\", and passed after `make up`");
        let two = diary("b", 2, "`make test-db` failed with \"no route\", and passed after `make up`");
        let rule = "Run `make up` before `make test-db`, which otherwise fails with \"refused\".";
        assert_eq!(texts(std::slice::from_ref(&one)), [format!("fix: {rule}")]);
        assert_eq!(texts(&[one.clone(), one.clone()]), [format!("fix: {rule}")], "one session twice");
        assert_eq!(texts(&[one.clone(), two.clone()]), [rule]);
        assert_eq!(texts(&[two, one]), [rule]);
    }

    #[test]
    fn a_command_that_replaces_another_is_named_first() {
        let one = diary("a", 1, "`npm test` failed with \"Missing script\"; `pnpm test:unit` worked instead");
        assert_eq!(
            texts(&[one]),
            ["fix: Run `pnpm test:unit`, not `npm test`, which fails with \"Missing script\"."]
        );
    }
}
