//! Finds the rules that are relevant to a session, by their words and their meaning.

use std::collections::BTreeSet;

use crate::content_words::content_words;
use crate::diary::Diary;
use crate::outcome::feedback::RuleRef;
use crate::statement::statements;
use cm_playbook::embedding_model::EmbeddingModel;
use cm_session::event::{EventKind, SessionEvent};
use cm_text::embedding::Embedding;

/// Minimum cosine of a rule and a sentence of the session's person.
const MIN_NEAR_COSINE: f64 = 0.5;
/// Maximum number of sentences that are compared with each rule.
const MAX_COMPARED_SENTENCES: usize = 200;

/// Returns the rules to show with a session, at most `most`: first those that the session cites by
/// id, then those with the largest share of words in the session, or the closest meaning to a
/// sentence of its person.
pub fn relevant_rules<'a>(
    rules: &[RuleRef<'a>],
    diary: &Diary,
    events: &[SessionEvent],
    most: usize,
    model: &dyn EmbeddingModel,
) -> Vec<RuleRef<'a>> {
    let mut words: BTreeSet<String> = content_words(&diary.title);
    for (_, items) in diary.sections() {
        items.iter().for_each(|item| words.extend(content_words(&item.text)));
    }
    let texts: Vec<&str> = events.iter().filter_map(|event| spoken(&event.kind)).collect();
    texts.iter().for_each(|text| words.extend(content_words(text)));
    let typed = statements(events).into_iter().take(MAX_COMPARED_SENTENCES);
    let typed: Vec<Embedding> = typed.filter_map(|one| model.embedding(&one.text)).collect();
    let nearness = |rule: &RuleRef<'_>| {
        let Some(own) = model.embedding(rule.content).filter(|_| !typed.is_empty()) else { return 0.0 };
        let best = typed.iter().map(|sentence| sentence.cosine(&own)).fold(0.0, f64::max);
        if best >= MIN_NEAR_COSINE { best } else { 0.0 }
    };
    let is_cited = |rule: &RuleRef<'_>| texts.iter().any(|text| text.contains(rule.id));
    let mut ranked: Vec<(bool, f64, RuleRef<'a>)> = rules
        .iter()
        .map(|rule| (is_cited(rule), share(&content_words(rule.content), &words).max(nearness(rule)), *rule))
        .filter(|(is_cited, score, _)| *is_cited || *score > 0.0)
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
    use cm_playbook::embedding_model::NoEmbeddings;

    #[test]
    fn rules_that_are_listed_come_first_and_those_that_share_no_word_not_at_all() {
        let rules = [
            RuleRef { id: "b-1", content: "Warm the connection pool." },
            RuleRef { id: "b-2", content: "Spell names in full." },
            RuleRef { id: "b-3", content: "Sort imports." },
        ];
        let events = log_of([person("The connection pool is cold."), agent("Following b-3 here.")]);
        let of = |most| relevant_rules(&rules, &Diary::default(), &events, most, &NoEmbeddings);
        let found = of(5);
        assert_eq!(found.iter().map(|rule| rule.id).collect::<Vec<_>>(), ["b-3", "b-1"]);
        assert_eq!(of(1).len(), 1);
    }

    /// Texts about packages have one direction, all others another.
    struct ByPackages;

    impl EmbeddingModel for ByPackages {
        fn embedding(&self, text: &str) -> Option<Embedding> {
            let is_near = text.contains("pnpm") || text.contains("dependencies");
            Embedding::of(if is_near { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
        }
    }

    #[test]
    fn a_rule_of_near_meaning_is_listed_although_it_shares_no_word() {
        let rules = [
            RuleRef { id: "b-1", content: "Install dependencies by npm." },
            RuleRef { id: "b-2", content: "Spell names in full." },
        ];
        let events = log_of([person("we take pnpm")]);
        let of = |model: &dyn EmbeddingModel| {
            let found = relevant_rules(&rules, &Diary::default(), &events, 5, model);
            found.iter().map(|rule| rule.id.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(&NoEmbeddings), Vec::<String>::new());
        assert_eq!(of(&ByPackages), ["b-1"]);
    }
}
