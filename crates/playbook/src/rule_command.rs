//! The command that a rule names in backticks, and whether the rule forbids it.

/// Words before a command that forbid it.
const FORBIDS: [&str; 20] = [
    "never", "not", "don't", "don’t", "avoid", "avoid:", "stop", "instead", "rather", "nie", "niemals",
    "nicht", "kein", "keine", "statt", "jamais", "pas", "nunca", "no", "evita",
];
/// Words after which a command is a condition of what is forbidden.
const LIFTS: [&str; 9] = ["without", "unless", "before", "until", "except", "ohne", "bevor", "sans", "sin"];

/// A command in a rule's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleCommand<'a> {
    /// The command as written between backticks.
    pub text: &'a str,
    pub is_forbidden: bool,
}

/// Returns the first command that a rule forbids, else the first that it names; `None` if it names
/// none.
///
/// ```
/// use cm_playbook::rule_command::command_of;
/// let command = command_of("Test with `pnpm test`, not with `npm test`.").unwrap();
/// assert_eq!((command.text, command.is_forbidden), ("npm test", true));
/// ```
pub fn command_of(rule: &str) -> Option<RuleCommand<'_>> {
    let mut parts = rule.split('`');
    let mut clause = parts.next()?.to_lowercase();
    let mut first = None;
    while let (Some(code), Some(after)) = (parts.next(), parts.next()) {
        if is_command(code) {
            let command = RuleCommand { text: code.trim(), is_forbidden: forbids(&clause) };
            if command.is_forbidden {
                return Some(command);
            }
            first = first.or(Some(command));
        }
        clause.push(' ');
        clause.push_str(&after.to_lowercase());
    }
    first
}

/// Whether the last clause of the text before a command forbids what follows.
fn forbids(before: &str) -> bool {
    if ["不要", "不能", "别", "禁止"].iter().any(|word| before.contains(word)) {
        return true;
    }
    let clause = before.rsplit([',', ';', '.', '(', '—', '–']).next().unwrap_or(before);
    let mut words = clause.split_whitespace().rev();
    words
        .find(|word| FORBIDS.contains(word) || LIFTS.contains(word))
        .is_some_and(|word| FORBIDS.contains(&word))
}

/// Whether a text in backticks begins with the name of a program.
fn is_command(code: &str) -> bool {
    let program = code.split_whitespace().next().unwrap_or("");
    program.len() > 1
        && program.starts_with(|c: char| c.is_ascii_lowercase())
        && program.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_command_is_told_from_one_that_is_asked_for() {
        let found = |rule| command_of(rule).map(|command| (command.text, command.is_forbidden));
        assert_eq!(found("Never run `db:reset` before Ana has seen it."), Some(("db:reset", true)));
        assert_eq!(found("Use `pnpm` instead of `npm`."), Some(("npm", true)));
        assert_eq!(
            found("AVOID: `git reset --hard`, which discards changes."),
            Some(("git reset --hard", true))
        );
        assert_eq!(found("Nie mit `npm test` testen."), Some(("npm test", true)));
        assert_eq!(found("Don't commit without `cargo fmt`."), Some(("cargo fmt", false)));
        assert_eq!(found("Run `just lint` first."), Some(("just lint", false)));
        assert_eq!(found("Put settings into `Config.toml`, never into `src/main.rs`."), None);
        assert_eq!(found("Keep commits small."), None);
    }
}
