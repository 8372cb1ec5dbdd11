//! A remark about the occasion at the end of a rule: "Write commit messages in English, the last one was German".
//!
//! It is no part of what the rule demands, and its words are often those that the rule forbids.

use super::RuleStatement;

/// Separators between a rule and its remark.
const SEPARATORS: [&str; 6] = [", ", ". ", "; ", ": ", " – ", " — "];
/// Beginnings of remarks, in lower case.
const OCCASIONS: [&str; 17] = [
    "the last ",
    "last time",
    "last week",
    "yesterday",
    "as always",
    "as usual",
    "der letzte ",
    "die letzte ",
    "das letzte ",
    "letztes mal",
    "gestern",
    "wie immer",
    "el último ",
    "la última ",
    "la dernière ",
    "le dernier ",
    "comme toujours",
];
/// Minimum number of words of the rule before a remark.
const MIN_RULE_WORDS: usize = 3;

impl RuleStatement {
    /// Whether the statements are equal but for a remark at the end of one or both.
    pub(super) fn is_same_but_for_remark(&self, other: &Self) -> bool {
        let bare = |statement: &Self| without_remark(statement.text()).map(Self::of);
        match (bare(self), bare(other)) {
            (None, None) => false,
            (one, another) => one.as_ref().unwrap_or(self).is_same(another.as_ref().unwrap_or(other)),
        }
    }
}

/// Returns the rule before the remark; `None` if there is no remark.
fn without_remark(text: &str) -> Option<&str> {
    let (rule, remark) = SEPARATORS
        .iter()
        .filter_map(|separator| text.trim_end_matches(['.', '!']).rsplit_once(separator))
        .min_by_key(|(_, remark)| remark.len())?;
    let remark = remark.to_lowercase();
    let is_remark = OCCASIONS.iter().any(|occasion| remark.starts_with(occasion));
    (is_remark && rule.split_whitespace().count() >= MIN_RULE_WORDS).then_some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(RuleStatement::of);
        assert_eq!(one.is_same_but_for_remark(&other), other.is_same_but_for_remark(&one));
        one.is_same_but_for_remark(&other)
    }

    #[test]
    fn a_rule_with_a_remark_about_the_occasion_is_the_rule() {
        for (one, other) in [
            (
                "Write the commit messages in English, the last one was German.",
                "Write commit messages in English.",
            ),
            ("Never edit generated files, the last edit was lost", "Do not edit generated files."),
            ("Commit-Nachrichten auf Englisch, wie immer!", "Commit-Nachrichten auf Englisch."),
        ] {
            assert!(is_same(one, other), "{one}");
        }
    }

    #[test]
    fn a_condition_or_another_rule_at_the_end_is_no_remark() {
        for (one, other) in [
            ("Use tabs, never spaces.", "Use tabs."),
            ("Run the migrations, the first ones by hand.", "Run the migrations."),
            ("Keep it, the last one wins.", "Keep it."),
        ] {
            assert!(!is_same(one, other), "{one}");
        }
    }
}
