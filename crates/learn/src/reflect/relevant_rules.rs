//! Finds the rules that are relevant to a session.

use std::collections::BTreeSet;

use crate::diary::{Diary, content_words};
use crate::outcome::feedback::RuleRef;
use cm_session::event::{EventKind, SessionEvent};

/// Returns the rules to show with a session, at most `most`: first those that the session cites by
/// id, then those with the largest share of words in the session.
pub fn relevant_rules<'a>(
    rules: &[RuleRef<'a>],
    diary: &Diary,
    events: &[SessionEvent],
    most: usize,
) -> Vec<RuleRef<'a>> {
    let mut words: BTreeSet<String> = content_words(&diary.title);
    for (_, items) in diary.sections() {
        items.iter().for_each(|item| words.extend(content_words(&item.text)));
    }
    let texts: Vec<&str> = events.iter().filter_map(|event| spoken(&event.kind)).collect();
    texts.iter().for_each(|text| words.extend(content_words(text)));
    let is_cited = |rule: &RuleRef<'_>| texts.iter().any(|text| text.contains(rule.id));
    let mut ranked: Vec<(bool, f64, RuleRef<'a>)> = rules
        .iter()
        .map(|rule| (is_cited(rule), share(&content_words(rule.content), &words), *rule))
        .filter(|(is_cited, share, _)| *is_cited || *share > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.id.cmp(b.2.id)));
    ranked.truncate(most);
    ranked.into_iter().map(|(.., rule)| rule).collect()
}

fn spoken(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::UserPrompt { text } | EventKind::AssistantText { text } => Some(text),
        _ => None,
    }
}

/// Returns the share of a rule's words that occur in the session, 0–1.
fn share(rule: &BTreeSet<String>, session: &BTreeSet<String>) -> f64 {
    rule.intersection(session).count() as f64 / rule.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::test_events::*;

    #[test]
    fn rules_that_are_listed_come_first_and_those_that_share_no_word_not_at_all() {
        let rules = [
            RuleRef { id: "b-1", content: "Warm the connection pool." },
            RuleRef { id: "b-2", content: "Spell names in full." },
            RuleRef { id: "b-3", content: "Sort imports." },
        ];
        let events = log_of([person("The connection pool is cold."), agent("Following b-3 here.")]);
        let found = relevant_rules(&rules, &Diary::default(), &events, 5);
        assert_eq!(found.iter().map(|rule| rule.id).collect::<Vec<_>>(), ["b-3", "b-1"]);
        assert_eq!(relevant_rules(&rules, &Diary::default(), &events, 1).len(), 1);
    }
}
