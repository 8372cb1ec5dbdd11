//! Determines which rules are credited for a session's outcome, and with which weight.

use std::collections::HashSet;

use super::which::Which;
use super::{Credited, Options, Passed, Why};
use crate::error::Result;
use crate::memory::{Level, Memory};
use crate::playbook::{find_bullet, merged};
use crate::sessions::whole;
use cm_learn::outcome::feedback::{FRACTION, Known, Word, feedback};
use cm_learn::outcome::steps::steps;
use cm_note::bullet::Bullet;
use cm_note::note::Signal;
use cm_playbook::curation::delta::{Delta, Judge};
use cm_session::status::SessionStatus;

/// Credits, with the rules that get none.
#[derive(Debug, Default)]
pub(super) struct Credits {
    list: Vec<(Level, Credited, Option<String>)>,
    pub passed: Vec<Passed>,
}

impl Credits {
    /// Credits for the rules of one vault, as deltas.
    pub fn deltas(&self, level: Level) -> Vec<Delta> {
        let of_level = self.list.iter().filter(|(own, ..)| *own == level);
        of_level
            .map(|(_, credited, reason)| {
                let weight = (credited.why == Why::Cited).then_some(credited.weight);
                let judge =
                    Judge { id: credited.id.clone(), reason: reason.clone(), weight, ..Judge::default() };
                match credited.signal {
                    Signal::Harmful => Delta::Harmful(judge),
                    Signal::Helpful | Signal::Irrelevant => Delta::Helpful(judge),
                }
            })
            .collect()
    }

    /// All credits.
    pub fn credited(&self) -> impl Iterator<Item = Credited> + use<> {
        self.list.iter().map(|(_, credited, _)| credited.clone()).collect::<Vec<_>>().into_iter()
    }
}

/// Credits for the named rules, followed by the rules that the session cites by ID.
pub(super) fn credits(memory: &Memory, session: &Which, options: &Options) -> Result<Credits> {
    let signal = match options.status {
        SessionStatus::Success => Some(Signal::Helpful),
        SessionStatus::Failure => Some(Signal::Harmful),
        SessionStatus::Partial | SessionStatus::Mixed | SessionStatus::Unknown => None,
    };
    let mut credits = Credits::default();
    let mut named: HashSet<String> = HashSet::new();
    for reference in &options.rules {
        let (found, bullet) = find_bullet(memory, reference)?;
        let id = bullet.id.to_string();
        if !named.insert(id.clone()) {
            continue;
        }
        let reason = memory.call.by.reason.clone();
        match (signal, said(&bullet, session)) {
            (None, _) => credits.pass(
                id,
                Why::Named,
                format!(
                    "a session that ended in {} speaks neither for nor against it",
                    options.status.name()
                ),
            ),
            (Some(_), Some(explicit)) if explicit => {
                credits.pass(
                    id,
                    Why::Named,
                    "this session has judged it already; `cm mark` adds a word".to_owned(),
                );
            }
            (Some(signal), _) => {
                let content = bullet.content().to_owned();
                let credited = Credited { id, content, signal, weight: 1.0, why: Why::Named, line: None };
                credits.list.push((found.open.level, credited, reason));
            }
        }
    }
    if signal.is_some() {
        cited(memory, session, options.status, &named, &mut credits)?;
    }
    Ok(credits)
}

fn cited(
    memory: &Memory,
    session: &Which,
    status: SessionStatus,
    named: &HashSet<String>,
    credits: &mut Credits,
) -> Result<()> {
    let bullets = merged(memory)?.bullets;
    let live: Vec<_> = bullets.iter().filter(|shelved| shelved.bullet.is_live()).collect();
    let known: Vec<Known<'_>> = live
        .iter()
        .map(|shelved| Known { id: shelved.bullet.id.as_str(), content: shelved.bullet.content() })
        .collect();
    for word in words(memory, session, &known, status) {
        let shelved = live.iter().find(|shelved| shelved.bullet.id.as_str() == word.id);
        let Some(shelved) = shelved.filter(|_| !named.contains(&word.id)) else { continue };
        if said(&shelved.bullet, session).is_some() {
            credits.pass(word.id, Why::Cited, "this session has judged it already".to_owned());
        } else if shelved.bullet.pinned {
            credits.pass(word.id, Why::Cited, "it is pinned, and a citation does not move it".to_owned());
        } else {
            let reason = format!("cited on line {} of a session that ended in {}", word.line, status.name());
            let credited = Credited {
                content: shelved.bullet.content().to_owned(),
                id: word.id,
                signal: word.signal,
                weight: word.weight,
                why: Why::Cited,
                line: Some(word.line),
            };
            credits.list.push((shelved.level, credited, Some(reason)));
        }
    }
    Ok(())
}

/// Inferred feedback from the session's log; explicit marks are excluded because they are recorded
/// separately.
fn words(memory: &Memory, session: &Which, known: &[Known<'_>], status: SessionStatus) -> Vec<Word> {
    let Some(log) = &session.log else { return Vec::new() };
    let told = match whole::told(memory, &log.meta, log.log.as_deref().unwrap_or_default()) {
        Ok(told) => told,
        Err(error) if error.code == whole::GONE => {
            memory.notice("the session's log is gone: the rules that it cites are not known");
            return Vec::new();
        }
        Err(error) => {
            memory.notice(format!("the rules that the session cites are not known: {}", error.message));
            return Vec::new();
        }
    };
    let said = feedback(&told.events, &steps(&told.events), known, status, FRACTION);
    said.into_iter().filter(|word| !word.explicit).collect()
}

/// Whether the session already gave explicit feedback on a rule; `None` if it gave none at all.
fn said(bullet: &Bullet, session: &Which) -> Option<bool> {
    let own = bullet.feedback.iter().filter(|event| event.session.as_deref() == Some(&session.id));
    own.map(|event| event.weight >= 1.0).max()
}

impl Credits {
    fn pass(&mut self, id: String, why: Why, reason: String) {
        self.passed.push(Passed { id, why, reason, refused: false });
    }
}
