//! Finds the sessions that ran a command which a rule demands.

use std::collections::BTreeSet;

use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind};
use cm_note::bullet::content::fold_whitespace;
use cm_playbook::conflict::RuleStatement;
use cm_session::status::SessionStatus;

/// The commands that a rule demands, for comparison with those of sessions.
#[derive(Debug)]
pub struct DemandedCommands {
    statement: RuleStatement,
    /// The rule in lower case, with single spaces and without backticks.
    text: String,
    /// Texts in backticks.
    code: BTreeSet<String>,
}

impl DemandedCommands {
    pub fn of(rule: &str) -> Self {
        let code = rule.split('`').skip(1).step_by(2).map(fold_command).filter(|code| !code.is_empty());
        let (statement, code) = (RuleStatement::of(rule), code.collect());
        Self { statement, text: format!(" {} ", fold_command(&rule.replace('`', " "))), code }
    }

    /// Whether the rule demands the command: exactly, or by its program, as in "use `pnpm`". A command
    /// without backticks needs a program and an argument.
    pub fn has(&self, command: &str) -> bool {
        let command = fold_command(command);
        let Some(program) = command.split(' ').next() else { return false };
        if self.code.contains(&command) {
            return self.statement.demands(&format!("`{command}`"));
        }
        let is_spelled_out = command != program && self.has_words(&command);
        is_spelled_out && self.statement.demands(&command)
            || (self.code.contains(program) || self.has_words(program)) && self.statement.chooses(program)
    }

    /// Whether the rule may demand a command at all: it does not only forbid.
    pub fn is_any(&self) -> bool {
        self.statement.is_demand()
    }

    fn has_words(&self, words: &str) -> bool {
        let is_end = |c: char| c.is_whitespace() || ",.;:!?".contains(c);
        let begins = format!(" {words}");
        self.text.match_indices(&begins).any(|(at, _)| self.text[at + begins.len()..].starts_with(is_end))
    }
}

/// Returns the first run of a command that the rule demands, for each conversation that succeeded.
pub fn successful_runs(rule: &str, traces: &[&SessionTrace]) -> Vec<Occurrence> {
    let demanded = DemandedCommands::of(rule);
    let mut support = PatternSupport::default();
    for &trace in traces.iter().filter(|trace| trace.status == SessionStatus::Success) {
        for step in &trace.steps {
            let TracedKind::Passed { command } = &step.kind else { continue };
            if demanded.has(&command.text) {
                let quote = format!("`{}` passed", command.key());
                support.add(trace.conversation, Occurrence::new(trace, step, quote));
                break;
            }
        }
    }
    support.in_order().into_iter().cloned().collect()
}

fn fold_command(text: &str) -> String {
    fold_whitespace(text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::support::test_traces::script;
    use super::*;

    #[test]
    fn a_rule_demands_the_commands_that_it_names() {
        for (rule, command, is_demanded) in [
            ("Run `make fmt` before you commit.", "make fmt", true),
            ("Run make fmt before you commit.", "make fmt", true),
            ("Run `make fmt` before you commit.", "make fmt-check", false),
            ("Run `make fmt` before you commit.", "make fmt -j4", false),
            ("Use pnpm in this project.", "pnpm install", true),
            ("Use `pnpm`, not `npm`.", "pnpm test", true),
            ("Use `pnpm`, not `npm`.", "npm test", false),
            ("Never run `make clean`.", "make clean", false),
            ("Make sure that the tests pass.", "make test", false),
            ("Sort imports.", "make fmt", false),
        ] {
            assert_eq!(DemandedCommands::of(rule).has(command), is_demanded, "{rule}: {command}");
        }
    }

    #[test]
    fn successful_sessions_that_ran_the_command_count_once() {
        let ran = script("a", &["E a.go", "$ make fmt", "$ make fmt"]);
        let failed = SessionTrace { status: SessionStatus::Failure, ..script("b", &["$ make fmt"]) };
        let other = script("c", &["$ make test", "! make fmt | no"]);
        let found = successful_runs("Run `make fmt` first.", &[&ran, &failed, &other, &ran]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].session.as_str(), found[0].quote.as_str()), ("a", "`make fmt` passed"));
    }
}
