//! Redacts secrets in proposals. Text that a model or rule combined from several places can contain
//! a secret that no single place contained.

use crate::sessions::logs;
use cm_learn::reflect::draft::{DraftChange, ReflectionDraft};
use cm_playbook::curation::delta::CurationDelta;
use cm_secrets::RedactionRules;

/// Redacts secrets in every text of a proposed change.
pub fn redact_draft(mut draft: ReflectionDraft, rules: &RedactionRules) -> ReflectionDraft {
    let clean = |text: &mut String| *text = logs::text(text, rules);
    match &mut draft.what {
        DraftChange::Memory(memory) => {
            clean(&mut memory.text);
            memory.evidence.iter_mut().for_each(clean);
        }
        DraftChange::Delta(delta) => match delta {
            CurationDelta::Add(add) => {
                clean(&mut add.bullet.content);
                add.bullet.evidence.iter_mut().chain(&mut add.bullet.tags).for_each(clean);
                add.reason.iter_mut().chain(&mut add.bullet.reasoning).for_each(clean);
                add.bullet.workspace.iter_mut().for_each(clean);
            }
            CurationDelta::Helpful(judge)
            | CurationDelta::Harmful(judge)
            | CurationDelta::Irrelevant(judge) => {
                judge.reason.iter_mut().for_each(clean);
            }
            CurationDelta::Replace(replace) => {
                clean(&mut replace.content);
                replace.reason.iter_mut().for_each(clean);
            }
            CurationDelta::Deprecate(deprecate) => deprecate.reason.iter_mut().for_each(clean),
            CurationDelta::Merge(merge) => {
                clean(&mut merge.content);
                merge.reason.iter_mut().for_each(clean);
            }
            CurationDelta::Pin(pin) | CurationDelta::Unpin(pin) => pin.reason.iter_mut().for_each(clean),
        },
    }
    draft
}

/// Returns whether the text of the proposed rule or memory contains a placeholder for a secret.
pub fn is_redacted(draft: &ReflectionDraft) -> bool {
    let text = match &draft.what {
        DraftChange::Memory(memory) => &memory.text,
        DraftChange::Delta(CurationDelta::Add(add)) => &add.bullet.content,
        DraftChange::Delta(CurationDelta::Replace(replace)) => &replace.content,
        DraftChange::Delta(CurationDelta::Merge(merge)) => &merge.content,
        DraftChange::Delta(_) => return false,
    };
    text.contains("[redacted: ")
}
