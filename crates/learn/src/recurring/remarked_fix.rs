//! Turns the explanations of agents into fixes, and what they say after a hint into facts.

use std::collections::BTreeSet;

use super::command::TracedCommand;
use super::explanation::stated;
use super::pattern::{PatternNote, RecurringPattern};
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind};
use super::wording::{code, with_message};

/// Adds the agents' remarks to the patterns of the same commands, and returns a fix for each other remark. Of several
/// remarks about the same commands one counts, and a person's answer confirms only the remark that it answers: one with
/// an answer takes precedence.
pub(super) fn fixes(traces: &[&SessionTrace], found: &mut [RecurringPattern]) -> Vec<RecurringPattern> {
    let steps = traces.iter().flat_map(|trace| trace.steps.iter().map(move |step| (*trace, step)));
    let mut remarked: Vec<_> =
        steps.filter_map(|(trace, step)| Some((trace, step, RemarkedFix::of(&step.kind)?))).collect();
    remarked.sort_by_key(|(.., fix)| fix.answer.is_none());
    let mut explained: BTreeSet<usize> = BTreeSet::new();
    let mut fixes: Vec<RecurringPattern> = Vec::new();
    for (trace, step, fix) in remarked {
        let is_of_same = |one: &RecurringPattern| !fix.commands.is_empty() && one.commands == fix.commands;
        if let Some(at) = found.iter().position(is_of_same) {
            if explained.insert(at) {
                found[at].explain(fix.remark, fix.answer.is_some());
            }
            continue;
        }
        let occurrence = Occurrence::new(trace, step, fix.quote());
        if let Some(same) = fixes.iter_mut().find(|one| one.head == fix.head) {
            same.support.add(trace.conversation, occurrence);
            continue;
        }
        let mut support = PatternSupport::default();
        support.add(trace.conversation, occurrence);
        if fix.answer.is_some() {
            support.acknowledge();
        }
        let note = match fix.is_convention {
            true => PatternNote::Fact { text: fix.text },
            false => PatternNote::Fix { text: fix.text },
        };
        fixes.push(RecurringPattern { head: fix.head, note, commands: fix.commands, support });
    }
    fixes.sort_by(|one, other| one.head.cmp(&other.head));
    fixes
}

/// The explanation of an agent, as a fix.
struct RemarkedFix<'t> {
    head: String,
    text: String,
    /// The command that passed and the one that failed, if others can run them.
    commands: Vec<String>,
    is_convention: bool,
    /// Events before the explanation, for the evidence.
    before: String,
    /// The agent's words.
    remark: &'t str,
    answer: Option<&'t str>,
}

impl<'t> RemarkedFix<'t> {
    fn of(kind: &'t TracedKind) -> Option<Self> {
        match kind {
            TracedKind::ExplainedReplacement { failed, failure, used, text, answer } => {
                let message = with_message(failure);
                let typed = |command: &TracedCommand| match &command.folder {
                    Some(folder) if failed.folder != used.folder => {
                        code(&format!("cd {folder} && {}", command.key()))
                    }
                    _ => code(&command.key()),
                };
                let happened = format!("{} failed{message}", typed(failed));
                let worked = typed(used);
                let fix =
                    Self::of_remark(text, format!("{happened}, then {worked} passed"), answer.as_deref());
                if failed.reusable && used.reusable {
                    let (head, commands) = (format!("{happened}; {worked}"), vec![used.key(), failed.key()]);
                    return Some(Self {
                        text: format!("{head} worked instead: {}", fix.text),
                        head,
                        commands,
                        ..fix
                    });
                }
                // The words alone do not say what they are about.
                let about = if message.is_empty() {
                    String::new()
                } else {
                    format!("{} failed{message}: ", code(&failed.name))
                };
                let text = format!("{about}{}", fix.text);
                Some(Self { head: text.clone(), text, ..fix })
            }
            TracedKind::NamedCause { text, answer } => {
                Some(Self::of_remark(text, "the agent explained it".to_owned(), answer.as_deref()))
            }
            TracedKind::TookHint { text, answer } => {
                let fix = Self::of_remark(text, "after a hint of the user".to_owned(), answer.as_deref());
                Some(Self { is_convention: true, ..fix })
            }
            _ => None,
        }
    }

    fn of_remark(remark: &'t str, before: String, answer: Option<&'t str>) -> Self {
        let text = stated(remark);
        Self { head: text.clone(), text, commands: Vec::new(), is_convention: false, before, remark, answer }
    }

    fn quote(&self) -> String {
        let answer = self.answer.map(|answer| format!("; the user: \"{answer}\"")).unwrap_or_default();
        format!("{}; the agent: \"{}\"{answer}", self.before, self.remark)
    }
}
