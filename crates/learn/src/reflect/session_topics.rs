//! Determines which rules a session may be evidence for.

use std::collections::BTreeSet;

use super::evidence::{keywords, min_keywords};
use crate::content_words::content_words;
use crate::recurring::SessionTrace;
use crate::recurring::named_command::DemandedCommands;
use crate::recurring::trace::TracedKind;
use cm_session::event::{EventKind, SessionEvent};

/// What a session is about: the words of its messages and the commands that passed.
#[derive(Debug, Default)]
pub struct SessionTopics {
    words: BTreeSet<String>,
    commands: BTreeSet<String>,
}

impl SessionTopics {
    pub fn of(events: &[SessionEvent], trace: &SessionTrace) -> Self {
        let messages = events.iter().filter_map(|event| match &event.kind {
            EventKind::UserPrompt { text } | EventKind::AssistantText { text } => Some(text),
            _ => None,
        });
        let commands = trace.steps.iter().filter_map(|step| match &step.kind {
            TracedKind::Passed { command } => Some(command.text.clone()),
            _ => None,
        });
        Self { words: messages.flat_map(|text| content_words(text)).collect(), commands: commands.collect() }
    }

    /// Whether the session has enough words of the rule, or ran a command that the rule demands.
    pub fn concern(&self, rule: &str) -> bool {
        let words = keywords(rule);
        let found = words.iter().filter(|word| self.words.contains(*word)).count();
        let demanded = DemandedCommands::of(rule);
        !words.is_empty() && found >= min_keywords(words.len())
            || self.commands.iter().any(|command| demanded.has(command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::test_events::{log_of, person};
    use crate::recurring::support::test_traces::script;

    #[test]
    fn a_session_concerns_the_rules_whose_words_it_has_or_whose_commands_it_ran() {
        let events = log_of([person("please install the packages with pnpm")]);
        let topics = SessionTopics::of(&events, &script("s", &["$ make fmt"]));
        assert!(topics.concern("Install packages of the workspace with pnpm."));
        assert!(topics.concern("Run `make fmt` before each commit."));
        assert!(!topics.concern("Retry requests with full jitter."));
    }
}
