//! Proposals that the agent made in the session itself, and its verdicts on neighbours: a session that
//! is read afterwards adds neither a second note for a sentence, nor a rule beside one that says the
//! same.

use super::commit::CommitResult;
use super::session_processor::SessionProposals;
use crate::context::open::Context;
use crate::sessions::signals::SignalLog;
use crate::verbs::neighbours::{self, OwnProposal};
use cm_learn::reflect::draft::{DraftChange, ReflectionDraft};
use cm_learn::statement::Certainty;
use cm_note::bullet::{Bullet, BulletState};
use cm_playbook::curation::delta::{AddDelta, CurationDelta, ReplaceDelta};

/// Removes the drafts from sentences that the agent recorded in the session. Where its proposal went
/// beyond the person's words and waits as a draft, the words themselves replace its text.
pub fn without_recorded(
    context: &Context,
    drafts: Vec<ReflectionDraft>,
    session: &str,
    live: &[&Bullet],
) -> Vec<ReflectionDraft> {
    let log = SignalLog::of(context, session);
    let remaining = drafts.into_iter().filter_map(|mut draft| {
        let quote = draft.quote.as_deref().filter(|_| draft.new_text().is_some());
        let Some(record) = quote.and_then(|quote| log.proposal_from(quote)) else { return Some(draft) };
        let is_draft =
            |bullet: &&&Bullet| bullet.id.as_str() == record.proposed && bullet.state == BulletState::Draft;
        live.iter()
            .find(is_draft)
            .filter(|_| draft.certainty == Some(Certainty::High) && !record.is_stated)?;
        let DraftChange::Delta(CurationDelta::Add(add)) = &draft.what else { return None };
        draft.what = DraftChange::Delta(CurationDelta::Replace(ReplaceDelta {
            id: record.proposed.clone(),
            content: add.bullet.content.clone(),
            reason: add.reason.clone(),
        }));
        Some(draft)
    });
    remaining.collect()
}

/// Settles the neighbours of what was learned by the reader's verdicts; returns notices for the user.
pub fn settle_verdicts(
    context: &Context,
    proposed: &SessionProposals<'_>,
    committed: &CommitResult,
) -> Vec<String> {
    let mut notices = Vec::new();
    let mut number = 0;
    for draft in &proposed.drafts {
        let own = match &draft.what {
            DraftChange::Delta(delta) => {
                number += 1;
                let CurationDelta::Add(add) = delta else { continue };
                own_rule(committed, number, add)
            }
            DraftChange::Memory(remembered) => {
                let title = remembered.text.trim_end_matches('.');
                let planned = committed.memories.iter().find(|planned| planned.title == title);
                planned.map(|planned| (planned.id.clone(), false, None))
            }
        };
        let Some((id, is_credited, rule)) = own.filter(|_| !draft.verdicts.is_empty()) else { continue };
        let session = Some(proposed.diary.session.clone());
        let is_stated = draft.certainty == Some(Certainty::High);
        let own = OwnProposal { id, session, is_stated, is_credited, rule };
        notices.push(match neighbours::settle(context, own, &draft.verdicts) {
            Ok(settled) => format!("{}: {}", settled.id, settled.why),
            Err(error) => format!("a verdict was not applied: {}", error.message),
        });
    }
    notices
}

/// Returns the ID of an added rule, or of the rule that was credited instead.
fn own_rule(
    committed: &CommitResult,
    number: usize,
    add: &AddDelta,
) -> Option<(String, bool, Option<AddDelta>)> {
    let report = &committed.outcome.report;
    let applied = report.applied.iter().find(|one| one.delta == number);
    if let Some(applied) = applied {
        return Some((applied.id.clone(), false, Some(add.clone())));
    }
    let skipped = report.skipped.iter().find(|one| one.delta == number)?;
    Some((skipped.id.clone()?, true, Some(add.clone())))
}
