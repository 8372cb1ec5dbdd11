//! Finds commands that earlier rules recommend and that a person no longer wants: the agent wanted to run one, and the
//! person refused it because something has changed since.

use super::doubt::{MAX_WITHDRAWAL_CHARS, is_for_now, is_unsure};
use super::lifted::restricts;
use super::read::Answered;
use super::{Statement, StatementContext};
use crate::prose::pattern;

/// Minimum number of words of a command for which rules are searched.
const MIN_COMMAND_WORDS: usize = 3;
/// Beginning of the part of a learned rule that names the refused command.
const REFUSED: &str = "(refused: ";

pattern!(
    CHANGED = r"(?ix)\b(?:no\ longer | (?:do|are|does)(?:n['’]t|\ not)\b.{1,60}\bany\s?more | any\ longer | as\ of | (?:by|on|via|through|with)\ .{1,40}\ now | now\ (?:by|on|via|goes?|runs?|happens?|lives?)
      | nicht\ mehr | ab\ sofort | ab\ jetzt | ya\ no\ (?:\w+mos|se\ \w+) | no\ \w+mos\ más | (?:on|nous)\ n['’e]\s?.{1,30}\ plus | désormais )\b
      | 不再 | 现在(?:用|改)"
);
pattern!(
    NOT_YET = r"(?i)\b(?:not (?:now|yet)|(?:right|just) now|at the moment|gerade|ahora mismo|en ce moment|first|wait|later|myself|show|(?:jetzt|noch) nicht|erst|zuerst|selbst|(?:ahora|todavía) no|primero|yo mismo|pas (?:maintenant|encore)|d['’]abord|moi-même)\b|先|自己"
);

/// Returns the command that a person refused because something has changed; `None` for other statements.
pub(super) fn outdated_command(statement: &Statement) -> Option<&str> {
    let text = statement.text.as_str();
    let says_so = statement.context == StatementContext::Refused
        && !statement.is_pasted
        && text.chars().count() <= MAX_WITHDRAWAL_CHARS
        && !text.ends_with(['?', '？'])
        && CHANGED.is_match(text)
        && !NOT_YET.is_match(text)
        && !is_unsure(text)
        && !is_for_now(text);
    match &statement.answers {
        Some(Answered::Command(command)) if says_so => Some(command),
        _ => None,
    }
}

/// Whether a rule or memory recommends a command of at least [`MIN_COMMAND_WORDS`] words.
pub(super) fn recommends(text: &str, command: &str) -> bool {
    let own = text.split(REFUSED).next().unwrap_or_default();
    command.split_whitespace().count() >= MIN_COMMAND_WORDS
        && own
            .split_inclusive(". ")
            .any(|sentence| !restricts(sentence) && plain(sentence).contains(&plain(command)))
}

/// Words parted by single spaces, without quotation marks and the punctuation behind them.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':']));
    let words = words.map(|word| word.trim_matches(['`', '"', '\'']));
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::of_prompt;
    use super::*;

    #[test]
    fn a_command_is_outdated_if_the_person_says_that_something_changed() {
        let outdated = |text: &str, context: StatementContext| {
            let command = Answered::Command("make ship ENV=live".into());
            let statements = of_prompt(text, 1, context, Some(&command));
            outdated_command(&statements[0]).is_some()
        };
        for text in [
            "we deploy by tag now",
            "das machen wir nicht mehr von hier",
            "ya no usamos make desde la máquina",
        ] {
            assert!(outdated(text, StatementContext::Refused), "{text}");
            assert!(!outdated(text, StatementContext::After), "{text}");
        }
        for text in [
            "not now",
            "not today, we deploy by tag now",
            "wait until the tests have passed",
            "why now?",
            "Postgres is dead, start it first.",
            "staging is read only, disk full",
            "I'll do it myself now",
            "ya no, gracias",
            "use the ip, dns is broken on that machine right now",
        ] {
            assert!(!outdated(text, StatementContext::Refused), "{text}");
        }
    }

    #[test]
    fn a_rule_recommends_a_command_that_it_contains() {
        let rule = "Con deployer: `./vendor/bin/sail php vendor/bin/dep deploy staging`.";
        assert!(recommends(rule, "./vendor/bin/sail php vendor/bin/dep deploy staging"));
        assert!(!recommends(rule, "./vendor/bin/sail php vendor/bin/dep deploy staging --force"));
        assert!(!recommends(rule, "./vendor/bin/sail php artisan migrate"));
        assert!(recommends(
            "Push with git push origin HEAD:refs/for/main.",
            "git push origin HEAD:refs/for/main"
        ));
        assert!(!recommends("Push with `git push origin main`.", "git push origin HEAD:refs/for/main"));
        assert!(!recommends("Run make ship.", "make ship"), "too short");
        assert!(!recommends("Never run `make ship ENV=live` from here.", "make ship ENV=live"));
        assert!(!recommends("We deploy by tag. (refused: `make ship ENV=live`)", "make ship ENV=live"));
    }
}
