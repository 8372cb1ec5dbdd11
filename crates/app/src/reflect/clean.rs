//! Redacts secrets in proposals. Text that a model or rule combined from several places can contain
//! a secret that no single place contained.

use crate::logs;
use cm_learn::reflect::draft::{Draft, What};
use cm_playbook::curation::delta::Delta;
use cm_secrets::Rules;

/// Redacts every text of a draft.
pub fn without_secrets(mut draft: Draft, rules: &Rules) -> Draft {
    let clean = |said: &mut String| *said = logs::text(said, rules);
    match &mut draft.what {
        What::Memory(memory) => {
            clean(&mut memory.text);
            memory.evidence.iter_mut().for_each(clean);
        }
        What::Delta(delta) => match delta {
            Delta::Add(add) => {
                clean(&mut add.bullet.content);
                add.bullet.evidence.iter_mut().chain(&mut add.bullet.tags).for_each(clean);
                add.reason.iter_mut().chain(&mut add.bullet.reasoning).for_each(clean);
                add.bullet.workspace.iter_mut().for_each(clean);
            }
            Delta::Helpful(judge) | Delta::Harmful(judge) | Delta::Irrelevant(judge) => {
                judge.reason.iter_mut().for_each(clean);
            }
            Delta::Replace(replace) => {
                clean(&mut replace.content);
                replace.reason.iter_mut().for_each(clean);
            }
            Delta::Deprecate(deprecate) => deprecate.reason.iter_mut().for_each(clean),
            Delta::Merge(merge) => {
                clean(&mut merge.content);
                merge.reason.iter_mut().for_each(clean);
            }
            Delta::Pin(pin) | Delta::Unpin(pin) => pin.reason.iter_mut().for_each(clean),
        },
    }
    draft
}

/// Returns whether the text of a rule or memory contains a redaction placeholder.
pub fn is_hollow(draft: &Draft) -> bool {
    let text = match &draft.what {
        What::Memory(memory) => &memory.text,
        What::Delta(Delta::Add(add)) => &add.bullet.content,
        What::Delta(Delta::Replace(replace)) => &replace.content,
        What::Delta(Delta::Merge(merge)) => &merge.content,
        What::Delta(_) => return false,
    };
    text.contains("[redacted: ")
}
