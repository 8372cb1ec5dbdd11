//! Finds rules that a person withdraws: by naming what they are about ("forget the rule about tabs"), or by
//! saying that they are no longer followed ("we no longer use tabs").

use std::collections::BTreeSet;

use super::Statement;
use crate::diary::content_words;
use crate::prose::pattern;
use cm_playbook::conflict::words;

/// A sentence that withdraws a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// What the rule is about, as typed; `None` if the sentence contradicts the rule instead of naming it.
    pub topic: Option<String>,
    /// The sentence as typed.
    pub quote: String,
    /// Line of the prompt in the log, from 1.
    pub line: u64,
    /// Whether the sentence names the rule and says little else.
    pub is_all: bool,
}

pattern!(
    ORDERED = r"(?ix)(?P<negated>(?:n'?t|n’t|\bnot|\bnever|\bnicht|\bnie|\bno|\bnunca|\bpas)\s+(?:ever\s+)?)?(?:
      \b(?:forget|drop|scrap|disregard|withdraw|retire|lift)\s+(?:about\s+)?(?:the|that|this|our|my|your)\s+
        (?:(?:old|previous|earlier)\s+)?rule\s+(?:about|on|for|with|regarding|concerning|against|of|to|that)\s+(?P<en>[^,.;:!?]+)
    | \b(?:vergiss|vergesst|vergessen\ Sie|streich\w*|verwirf)\s+(?:die|unsere|diese)\s+(?:alte\s+)?regel\s+
        (?:über|zu|zum|zur|mit|für|wegen|von|gegen|dass)\s+(?:(?:den|dem|der|die|das)\s+)?(?P<de>[^,.;:!?]+)
    | \b(?:olv[ií]da(?:te\s+de)?|olvide|olv[ií]date\s+de|descarta|retira)\s+la\s+(?:regla|norma)\s+
        (?:del|de|sobre|para|acerca\ de|que)\s+(?:(?:los|las|la|el)\s+)?(?P<es>[^,.;:!?]+)
    | \b(?:oublie[zs]?|laisse[zs]?\s+tomber|abandonne[zs]?)\s+la\s+règle\s+(?:sur|de|du|des|concernant|pour)\s+
        (?:(?:les|la|le)\s+)?(?P<fr>[^,.;:!?]+)
    | (?:忘掉|忘了|废除|作废|不用管)(?:关于|有关)?(?P<zh>[^，。；：！？的]{1,20}?)(?:的)?(?:那条|那个|这条)?(?:规则|规定|约定)
    )"
);
pattern!(
    STATED = r"(?ix)
      \b(?:the|our|that|my|old)\s+rule\s+(?:about|on|for|with|regarding|concerning|against|of|to|that)\s+(?P<en1>[^,.;:!?]+?)
        (?:\s+(?:is|was|has\ been)|:)\s+(?:now\s+)?(?:dead|gone|history|obsolete|outdated|over|lifted|dropped|scrapped|withdrawn|void|off)\b
    | \b(?:the|our|that|my|old)\s+rule\s+(?:about|on|for|with|regarding|concerning|against|of|to|that)\s+(?P<en2>[^,.;:!?]+?)
        \s+(?:no\ longer\ (?:applies|holds|counts)|is\ no\ longer\ (?:valid|in\ force|needed)|does(?:n'?t|n’t|\ not)\ (?:apply|hold|count)\ any\ ?(?:more|longer))
    | \b(?:the|our|that|my|old)\s+(?P<en3>[\w`./+-]+(?:\s[\w`./+-]+){0,2}?)[\s-]rule
        \s+(?:(?:is|was|has\ been)\s+(?:now\s+)?(?:dead|gone|history|obsolete|outdated|over|lifted|dropped|scrapped|withdrawn|void|off)\b
          |no\ longer\ (?:applies|holds|counts)|is\ no\ longer\ (?:valid|in\ force|needed)|does(?:n'?t|n’t|\ not)\ (?:apply|hold|count)\ any\ ?(?:more|longer))
    | \bdie\s+(?:alte\s+)?regel\s+(?:über|zu|zum|zur|mit|für|wegen|von|gegen|dass)\s+(?:(?:den|dem|der|die|das)\s+)?(?P<de1>[^,.;:!?]+?)
        \s+(?:gilt\ (?:ab\ jetzt\ |ab\ sofort\ )?nicht\ mehr|ist\ (?:hinfällig|überholt|gestrichen|aufgehoben|tot|passé|obsolet|vom\ tisch))
    | \bdie\s+(?:alte\s+)?(?P<de2>[\wäöüß]+)-?regel\s+(?:gilt\ (?:ab\ jetzt\ |ab\ sofort\ )?nicht\ mehr|ist\ (?:hinfällig|überholt|gestrichen|aufgehoben|tot|passé|obsolet|vom\ tisch))
    | \bla\s+(?:regla|norma)\s+(?:del|de|sobre|para|que)\s+(?:(?:los|las|la|el)\s+)?(?P<es1>[^,.;:!?]+?)
        \s+(?:ya\ no\ (?:vale|aplica|se\ aplica|rige|cuenta)|queda\ (?:anulada|derogada|sin\ efecto)|está\ (?:derogada|obsoleta|anulada))
    | \bla\s+règle\s+(?:sur|de|du|des|concernant|pour)\s+(?:(?:les|la|le)\s+)?(?P<fr1>[^,.;:!?]+?)
        \s+(?:ne\ (?:vaut|tient|compte|s['’]applique)\ plus|est\ (?:abandonnée|levée|caduque|obsolète|supprimée|morte))
    | (?:关于|有关)?(?P<zh1>[^，。；：！？的\s]{1,20}?)(?:的)?(?:那条|那个|这条)?(?:规则|规定|约定)(?:已经)?(?:作废|取消|废除|不再适用|不用管|过时)"
);
pattern!(
    NO_LONGER = r"(?ix)(?:\b(?:no\ longer|not\ .{0,40}any\ ?more|nicht\ mehr|kein\w*\ .{0,30}mehr|ya\ no|n(?:e\ |['’])\S+\ plus)
        |n['’]t\ .{0,40}any\ ?more)\b | 不再 | 不用.{0,12}了"
);
/// Maximum length of a sentence that says that a rule is no longer followed, in characters.
const LONGEST: usize = 160;
pattern!(
    TAIL = r"(?i)\s+(?:please|from now on|for good|any ?more|any longer|again|now|bitte|por favor|s['’]il te plaît|ab jetzt|a partir de ahora)\s*$"
);

/// Returns what the rule is about that a sentence withdraws; `None` if it withdraws none.
///
/// ```
/// use cm_learn::statement::withdrawn_topic;
/// assert_eq!(withdrawn_topic("ok, forget the rule about squash merges please"), Some("squash merges"));
/// assert_eq!(withdrawn_topic("don't forget the rule about squash merges"), None);
/// ```
pub fn withdrawn_topic(sentence: &str) -> Option<&str> {
    withdrawn(sentence).map(|(topic, _)| topic)
}

/// Returns the topic of the rule that a sentence withdraws, and the part of the sentence that says so.
fn withdrawn(sentence: &str) -> Option<(&str, &str)> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let ordered = ORDERED.captures(sentence).filter(|found| found.name("negated").is_none());
    let found = ordered.or_else(|| STATED.captures(sentence))?;
    let topic = found.iter().skip(1).flatten().last()?.as_str().trim();
    let topic = TAIL.find(topic).map_or(topic, |tail| &topic[..tail.start()]);
    Some((topic, found.get(0)?.as_str()))
}

/// Whether a sentence may say that something is no longer done.
fn says_no_longer(sentence: &str) -> bool {
    sentence.chars().count() <= LONGEST
        && !sentence.ends_with(['?', '？', ':', '：'])
        && NO_LONGER.is_match(sentence)
}

impl Withdrawal {
    /// Returns the withdrawal that a statement makes; what may be pasted makes none.
    pub fn of(statement: &Statement) -> Option<Self> {
        let text = statement.text.as_str();
        let named = withdrawn(text);
        if statement.is_pasted || named.is_none() && !says_no_longer(text) {
            return None;
        }
        Some(Self {
            topic: named.map(|(topic, _)| topic.to_owned()),
            quote: text.to_owned(),
            line: statement.line,
            is_all: named.is_some_and(|(_, part)| part.len() * 3 >= text.len() * 2),
        })
    }

    /// Whether a rule may be the one that is named: it has all content words of the topic, as written or by
    /// their stems.
    pub fn names(&self, rule: &str) -> bool {
        let Some(topic) = self.topic.as_deref() else { return false };
        let has_all =
            |topic: &BTreeSet<String>, rule: &BTreeSet<String>| !topic.is_empty() && topic.is_subset(rule);
        let is_without_spaces = topic.chars().any(|c| c >= '\u{2e80}');
        has_all(&words(topic), &words(rule))
            || has_all(&content_words(topic), &content_words(rule))
            || is_without_spaces && rule.contains(topic)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StatementContext, of_prompt};
    use super::*;

    #[test]
    fn a_withdrawn_rule_is_named_in_each_language() {
        for (sentence, topic) in [
            ("forget the rule about pnpm", "pnpm"),
            ("Drop our rule to squash commits from now on.", "squash commits"),
            ("from now on use tabs, the spaces rule is dead", "spaces"),
            ("The rule about changelog entries no longer applies.", "changelog entries"),
            ("the 80 column rule doesn't apply any more", "80 column"),
            ("Old rule about three parameters: scrapped.", "three parameters"),
            ("Vergiss die Regel über die Tabs bitte", "Tabs"),
            ("die Tabs-Regel gilt nicht mehr", "Tabs"),
            ("Die Regel zu Squash-Commits ist hinfällig.", "Squash-Commits"),
            ("olvida la regla de los tabuladores", "tabuladores"),
            ("la regla sobre npm ya no vale", "npm"),
            ("oublie la règle sur les commits en anglais", "commits en anglais"),
            ("la règle du vendredi ne s'applique plus", "vendredi"),
            ("忘掉关于 yarn 的规则", "yarn"),
            ("pnpm那条规则作废了", "pnpm"),
        ] {
            assert_eq!(withdrawn_topic(sentence), Some(topic), "{sentence}");
        }
    }

    #[test]
    fn reminders_questions_and_rules_of_programs_are_no_withdrawals() {
        for sentence in [
            "don't forget the rule about tabs",
            "Never drop the rule about reviews",
            "is the rule about tabs obsolete?",
            "remove the rule about unused variables from the eslint config",
            "the rule about tabs is important",
            "nicht vergessen: die Regel über Tabs",
        ] {
            assert_eq!(withdrawn_topic(sentence), None, "{sentence}");
        }
        let pasted = format!("{}Forget the rule about tabs.", "The build printed this line.\n\n".repeat(9));
        let statements = of_prompt(&pasted, 1, StatementContext::Plain, None);
        assert!(statements.iter().all(|statement| Withdrawal::of(statement).is_none()));
    }

    #[test]
    fn the_rule_has_all_words_of_the_topic() {
        let of = |topic: &str| Withdrawal {
            topic: Some(topic.into()),
            quote: String::new(),
            line: 1,
            is_all: true,
        };
        assert!(of("squash commits").names("Always squash your commits before merging."));
        assert!(!of("squash commits").names("Sign your commits."));
        assert!(!of("the").names("Sign your commits."));
        assert!(of("tabuladores").names("Usa siempre tabuladores."));
        assert!(of("测试").names("提交前必须跑测试"));
        assert!(!of("tab").names("Keep the API stable."));
    }

    #[test]
    fn a_sentence_may_withdraw_one_rule_and_state_another() {
        let of = |text: &str| Withdrawal::of(&of_prompt(text, 1, StatementContext::Plain, None)[0]).unwrap();
        assert!(of("Forget the rule about pnpm.").is_all);
        assert!(!of("From now on use tabs for all new files, the spaces rule is dead.").is_all);
    }

    #[test]
    fn a_sentence_may_say_that_a_rule_is_no_longer_followed() {
        let of = |text: &str| Withdrawal::of(&of_prompt(text, 1, StatementContext::Plain, None)[0]);
        for text in [
            "we no longer use redis for the queue",
            "We don't squash commits any more.",
            "Wir nutzen Redis nicht mehr.",
            "ya no usamos redis",
            "on n'utilise plus redis",
            "我们不再用 redis",
        ] {
            assert_eq!(of(text).map(|one| one.topic), Some(None), "{text}");
        }
        assert_eq!(of("do we no longer use redis?"), None);
        assert_eq!(of("use redis for the queue"), None);
    }
}
