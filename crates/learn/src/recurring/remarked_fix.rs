//! Turns what agents remarked after trial and error into fixes.

use super::command::TracedCommand;
use super::pattern::{PatternNote, RecurringPattern};
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind};
use super::wording::{code, with_message};

/// Adds the agents' remarks to the patterns of the same commands, and returns a fix for all else.
pub(super) fn fixes(traces: &[&SessionTrace], found: &mut [RecurringPattern]) -> Vec<RecurringPattern> {
    let mut fixes: Vec<RecurringPattern> = Vec::new();
    for trace in traces {
        for step in &trace.steps {
            let Some(fix) = RemarkedFix::of(&step.kind) else { continue };
            let known = found.iter_mut().find(|one| !fix.commands.is_empty() && one.commands == fix.commands);
            if let Some(known) = known {
                known.explain(fix.remark);
                if fix.answer.is_some() {
                    known.support.acknowledge();
                }
                continue;
            }
            let occurrence = Occurrence::new(trace, step, fix.quote());
            let is_answered = fix.answer.is_some();
            let at = fixes.iter().position(|one| one.head == fix.head).unwrap_or(fixes.len());
            if at == fixes.len() {
                let (note, support) = (PatternNote::Fix { text: fix.text }, PatternSupport::default());
                fixes.push(RecurringPattern { head: fix.head, note, commands: fix.commands, support });
            }
            fixes[at].support.add(trace.conversation, occurrence);
            if is_answered {
                fixes[at].support.acknowledge();
            }
        }
    }
    fixes.sort_by(|one, other| one.head.cmp(&other.head));
    fixes
}

/// What an agent remarked, as a fix.
struct RemarkedFix<'t> {
    head: String,
    text: String,
    /// The command that passed and the one that failed, if others can run them.
    commands: Vec<String>,
    /// What happened before the agent said it.
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
                Some(Self::of_remark(text, "after trial and error".to_owned(), answer.as_deref()))
            }
            _ => None,
        }
    }

    fn of_remark(remark: &'t str, before: String, answer: Option<&'t str>) -> Self {
        let text = remark.trim_end_matches('.').to_owned();
        Self { head: text.clone(), text, commands: Vec::new(), before, remark, answer }
    }

    fn quote(&self) -> String {
        let answer = self.answer.map(|answer| format!("; the user: \"{answer}\"")).unwrap_or_default();
        format!("{}; the agent: \"{}\"{answer}", self.before, self.remark)
    }
}
