//! Finds rules, facts and preferences that a person withdraws: by naming what they are about ("forget the rule
//! about tabs", "forget what I said about tabs"), by saying that they no longer hold ("we no longer squash"), or
//! that what they are about is no longer used ("Jenkins is gone since Friday", "we moved from make to just"), or is
//! allowed again, or by refusing a command that they recommend.

use std::collections::BTreeSet;

use super::doubt::{MAX_WITHDRAWAL_CHARS, is_for_now, is_unsure};
use super::gone::{gone, speaks_for};
use super::lifted::{lifted, restricts};
use super::refused_command::{outdated_command, recommends};
use super::{KindProbabilities, Statement};
use crate::content_words::content_words;
use crate::prose::pattern;
use cm_playbook::conflict::words;

/// A sentence that withdraws a rule, fact or preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// What the withdrawn statement is about, as typed; `None` if the sentence contradicts it without naming that.
    pub topic: Option<String>,
    /// The sentence as typed.
    pub quote: String,
    /// Line of the prompt in the log, from 1.
    pub line: u64,
    /// Whether the sentence names the topic and says little else.
    pub is_all: bool,
    pub kind: WithdrawalKind,
}

/// The statements that a withdrawal makes outdated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalKind {
    /// The statement about the topic, or the one that the sentence contradicts.
    Statement,
    /// All that speaks for the topic, which no longer exists.
    Gone,
    /// The ban of the topic, which is allowed again.
    BanLifted,
    /// All that recommends the topic, a command which is no longer run.
    CommandRefused,
}

// At the beginning of a sentence or clause, so that "you always forget the rule about …" is none.
pattern!(
    ORDERED = r"(?ix)(?:^|[,;:.–—]\s+|\b(?:and|und|y|et)\s+)
      (?:(?:ok(?:ay)?|so|also|please|pls|hey|btw|actually|no|then|let['’]?s|you\ can|we\ can|bitte|por\ favor|entonces|alors)[,\s]+)*(?:
      (?:forget|drop|scrap|disregard|withdraw|retire|lift)\s+(?:about\s+)?(?:the|that|this|our|my|your)\s+
        (?:(?:old|previous|earlier)\s+)?(?:rule|convention|decision|policy|preference)\s+
        (?:about|on|for|with|regarding|concerning|against|of|to|that)\s+(?P<en>(?:[^,.;:!?]|\.\S)+)
    | (?:forget|scratch|ignore|disregard)\s+(?:what|everything|all(?:\ that)?)\s+(?:i|we)(?:['’]ve)?\s+(?:(?:just|once|ever)\s+)?(?:said|told\s+you|wrote|agreed)\s+
        (?:about|regarding|concerning)\s+(?:(?:the|our|that)\s+)?(?P<en_said>(?:[^,.;:!?]|\.\S)+)
    | (?:vergiss|vergesst|vergessen\ Sie|streich\w*|verwirf)\s+(?:die|unsere|diese)\s+(?:alte\s+)?(?:regel|konvention|entscheidung|vorgabe)\s+
        (?:über|zu|zum|zur|mit|für|wegen|von|gegen|dass)\s+(?:(?:den|dem|der|die|das)\s+)?(?P<de>(?:[^,.;:!?]|\.\S)+)
    | (?:vergiss|vergesst|ignorier\w*)[,\s]+was\s+(?:ich|wir)\s+(?:dir\s+)?(?:über|zu|zum|zur|von|wegen)\s+(?:(?:den|dem|der|die|das)\s+)?
        (?P<de_said>(?:[^,.;:!?]|\.\S)+?)\s+(?:gesagt|geschrieben|ausgemacht)(?:\s+(?:habe|haben|hab))?
    | (?:olv[ií]da(?:te\s+de)?|olvide|olv[ií]date\s+de|descarta|retira)\s+la\s+(?:regla|norma|convención|decisión|preferencia)\s+
        (?:del|de|sobre|para|acerca\ de|que)\s+(?:(?:los|las|la|el)\s+)?(?P<es>(?:[^,.;:!?]|\.\S)+)
    | (?:olv[ií]da(?:te\s+de)?|olvide|ignora)\s+lo\s+que\s+(?:te\s+)?(?:dije|dijimos|he\ dicho)\s+
        (?:del|de|sobre|acerca\ de)\s+(?:(?:los|las|la|el)\s+)?(?P<es_said>(?:[^,.;:!?]|\.\S)+)
    | (?:oublie|oubliez|laisse[zs]?\s+tomber|abandonne[zs]?)\s+la\s+(?:règle|convention|décision|consigne)\s+(?:sur|de|du|des|concernant|pour)\s+
        (?:(?:les|la|le)\s+)?(?P<fr>(?:[^,.;:!?]|\.\S)+)
    | (?:oublie|oubliez|ignore[zs]?)\s+ce\s+qu(?:e\s+j['’]|['’]on\s+)(?:ai|a)\s+dit\s+(?:sur|de|du|des|concernant|à\ propos\ d[eu]s?)\s+
        (?:(?:les|la|le)\s+)?(?P<fr_said>(?:[^,.;:!?]|\.\S)+))
    | (?:^|[，。；：！,]\s*)(?:那|就|请|把)?(?:忘掉|忘了|废除|作废|不用管)(?:关于|有关)?(?P<zh>[^，。；：！？的]{1,20}?)(?:的)?(?:那条|那个|这条)?(?:规则|规定|约定)
    | (?:^|[，。；：！,]\s*)(?:请)?(?:忘掉|忘了|忽略)我(?:之前|以前)?(?:说过?的?)?(?:关于|有关)(?P<zh_said>[^，。；：！？的]{1,20}?)的(?:话|说法)"
);
// What is given up by its name, and what is chosen instead: "scratch Mailgun, we go with Postmark".
pattern!(
    SWAPPED = r"(?ix)(?:^|[,;:.–—]\s+|\b(?:and|und|y|et)\s+)(?:(?:ok(?:ay)?|so|also|no|then)[,\s]+)*(?:
      (?:scratch|scrap|ditch|forget(?:\s+about)?)\s+([\w./@+-]*\w(?:\s(?-i:[A-Z0-9])[\w.+-]*)?)\s*[,;–—-]+\s*(?:we(?:['’]ll)?\s+(?:go|use|take)|let['’]?s\s+(?:go\s+with|use|take)|use|take)\b
    | (?:forget|scratch|scrap|drop|ignore)\s+(?:about\s+)?(?:the|that)\s+(?:thing|bit|part|stuff|business)\s+(?:about|with|on)\s+(?:the\s+)?([^,.;:!?]{3,60}?)\s*[,;–—-]+\s*
        (?:we|from\s+now\s+on|now|it['’]?s|instead|use)\b
    | vergiss\s+(?:das|die\s+sache)\s+mit\s+(?:(?:dem|der|den)\s+)?([^,.;:!?]{3,60}?)\s*[,;–—-]+\s*(?:wir|ab\s+jetzt|ab\s+sofort|jetzt|stattdessen|nimm)\b
    | olv[ií]da(?:te)?\s+(?:de\s+)?lo\s+de\s+(?:(?:los|las|la|el)\s+)?([^,.;:!?]{3,60}?)\s*[,;–—-]+\s*(?:ahora|a\s+partir|usamos|usa|vamos|mejor)\b
    | oublie[zs]?\s+(?:l['’]histoire|le\s+truc)\s+(?:du|de|des|avec)\s+(?:(?:les|la|le)\s+)?([^,.;:!?]{3,60}?)\s*[,;–—-]+\s*(?:on|maintenant|désormais|utilise)\b
    | vergiss\s+([\w./@+-]*\w(?:\s(?-i:[A-Z0-9])[\w.+-]*)?)\s*[,;–—-]+\s*(?:wir\s+(?:nehmen|nutzen|verwenden)|nimm)\b
    | olv[ií]da(?:te\s+de)?\s+([\w./@+-]*\w(?:\s(?-i:[A-Z0-9])[\w.+-]*)?)\s*[,;–—-]+\s*(?:usamos|usemos|usa|vamos\s+con)\b
    | oublie[zs]?\s+([\w./@+-]*\w(?:\s(?-i:[A-Z0-9])[\w.+-]*)?)\s*[,;–—-]+\s*(?:on\s+(?:prend|utilise|passe)|prends|utilise)\b)"
);
// What is given up for good: "then we drop the row lock on Sailing altogether".
pattern!(
    GIVEN_UP = r"(?ix)(?:^|[,;:.–—]\s+|\b(?:and|und|y|et|so|then|dann)\s+)(?:(?:ok(?:ay)?|so|also|no|then|well|dann|entonces|alors)[,\s]+)*(?:
      (?:we(?:['’]ll)?|let['’]?s)\s+(?:(?:now|just|will)\s+)?(?:drop|ditch|scrap|abandon|give\s+up|stop\s+using|get\s+rid\s+of)\s+
        (?:(?:the|our|that)\s+)?(?P<en>[^,.;:!?]{2,60}?)\s+(?:altogether|entirely|completely|for\s+good|from\s+now\s+on)
    | (?:we(?:['’]ll)?|let['’]?s|let\s+us)\s+(?:now\s+)?(?:abandon|give\s+up|stop\s+using|get\s+rid\s+of|part\s+with)\s+
        (?P<en_for>\w[\w.+-]*\s+(?:for|in)\s+(?:the|our)\s+\w+(?:\s\w+)?)
    | wir\s+verzichten\s+(?:(?:ab\s+jetzt|ab\s+sofort|künftig|jetzt)\s+)?(?:ganz|komplett|völlig|endgültig)\s+auf\s+(?:(?:den|die|das|unser\w*)\s+)?(?P<de1>[^,.;:!?]{2,60}?)
    | (?:(?:den|die|das)\s+)?(?P<de2>[^,.;:!?]{2,60}?)\s+(?:lassen|schmeißen|werfen)\s+wir\s+(?:(?:ab\s+jetzt|ab\s+sofort|jetzt)\s+)?(?:ganz|komplett|endgültig)\s+(?:weg|raus|bleiben)
    | (?:dejamos|dejemos)\s+de\s+usar\s+(?:(?:el|la|los|las)\s+)?(?P<es>[^,.;:!?]{2,60}?)\s+(?:por\s+completo|del\s+todo|definitivamente)
    | on\s+(?:laisse\s+tomber|abandonne|vire)\s+(?:complètement|définitivement)\s+(?:(?:le|la|les)\s+)?(?P<fr>[^,.;:!?]{2,60}?)
    )\s*(?:$|[,.;:!–—]|\b(?:and|since|because|und|weil|y|porque|et)\b)"
);
// "The spline we do not use any more." An order such as "delete the flags we no longer use" withdraws nothing.
pattern!(
    FRONTED = r"(?i)^(?:(?:and|so|also|ok|then)[,\s]+)?(?:the|our)\s+([^,.;:!?]{2,40}?)\s+we\s+(?:no\s+longer\s+use|(?:do\s+not|don['’]?t)\s+use\s+any\s?(?:more|longer))\s*(?:$|[.;!])"
);
// "On overflow, we drop the old message entirely": what a program does.
pattern!(WHEN = r"(?i)(?:^|[;:.]\s*)(?:on|upon|at|in case|after|once|bei|sobald|en cas|dès)\s[^,]{1,60},");
pattern!(DROPS = r"(?i)\bdrop\s+(?:(?:the|our|that)\s+)?$");
// The clause ends behind what became of the rule: "the rule is off by one" withdraws none.
pattern!(
    STATED = r"(?ix)
      \b(?:the|our|that|my|old)\s+(?:
        rule\s+(?:about|on|for|with|regarding|concerning|against|of|to|that)\s+(?P<en1>[^,;:!?]+?)
      | (?P<en2>[\w`./+-]+(?:\s[\w`./+-]+){0,2}?)[\s-]rule
      )(?:(?:\s+(?:is|was|has\ been)|:)\s+(?:now\s+)?(?:dead|gone|history|obsolete|outdated|over|lifted|dropped|scrapped|withdrawn|void|no\ longer\ (?:valid|in\ force|needed))
        | \s+no\ longer\ (?:applies|holds|counts) | \s+does(?:n'?t|n’t|\ not)\ (?:apply|hold|count)\ any\ ?(?:more|longer)
      )(?:\s+(?:now|then|from\ now\ on))?\s*(?:$|[,.;!])
    | \bdie\s+(?:alte\s+)?(?:regel\s+(?:über|zu|zum|zur|mit|für|wegen|von|gegen|dass)\s+(?:(?:den|dem|der|die|das)\s+)?(?P<de1>[^,;:!?]+?)|(?P<de2>[\wäöüß]+)-?regel)
        \s+(?:gilt\ (?:ab\ jetzt\ |ab\ sofort\ )?nicht\ mehr|ist\ (?:hinfällig|überholt|gestrichen|aufgehoben|tot|passé|obsolet|vom\ tisch))\s*(?:$|[,.;!])
    | \bla\s+(?:regla|norma)\s+(?:del|de|sobre|para|que)\s+(?:(?:los|las|la|el)\s+)?(?P<es1>[^,;:!?]+?)
        \s+(?:ya\ no\ (?:vale|aplica|se\ aplica|rige|cuenta)|queda\ (?:anulada|derogada|sin\ efecto)|está\ (?:derogada|obsoleta|anulada))\s*(?:$|[,.;!])
    | \bla\s+règle\s+(?:sur|de|du|des|concernant|pour)\s+(?:(?:les|la|le)\s+)?(?P<fr1>[^,;:!?]+?)
        \s+(?:ne\ (?:vaut|tient|compte|s['’]applique)\ plus|est\ (?:abandonnée|levée|caduque|obsolète|supprimée|morte))\s*(?:$|[,.;!])
    | (?:^|[，。；：！,]\s*)(?:关于|有关)?(?P<zh1>[^，。；：！？的\s]{1,20}?)(?:的)?(?:那条|那个|这条)?(?:规则|规定|约定)(?:已经)?(?:作废|取消|废除|不再适用|不用管|过时)了?\s*(?:$|[，。；！])"
);
// What people no longer do, not what no longer works or can be done.
pattern!(
    NO_LONGER = r"(?ix)
      \b(?:we|nobody|our\ team|the\ team)\s(?:(?:do|are|will|should|must)\s)?no\ longer\b
    | \b(?:we|nobody|our\ team|the\ team)\s(?:do|are|will|should|must)?\s?(?:not|n['’]?t)\b.{1,60}\bany\ ?more\s*(?:$|[,.;!])
    | \b(?:do(?:es)?|we|now)\s(?:\S+\s){1,6}after\ all\s*(?:$|[,.;!])
    | \bno\ longer\ (?:used|allowed|needed|required|necessary|mandatory|forbidden)\b
    | \b(?:wir|man|ihr)\b.{0,60}\b(?:nicht|kein\w*)\b.{0,40}\bmehr\b | \bnicht\ mehr\ (?:benutzt|verwendet|genutzt|erlaubt|nötig|verboten|erforderlich)\b
    | \bya\ no\ (?:\w+[aei]mos|se\ (?:usa|usan|utiliza|utilizan|permite|permiten|necesita|exige)|hace\ falta)\b
    | \b(?:on|nous)\ n(?:e\ |['’])\S+\ plus\b
    | 我们.{0,8}不再 | 不再(?:使用|用|需要|允许)"
);
pattern!(
    CANNOT = r"(?i)\b(?:can|could|able|kann|kannst|könn\w*|schaff\w*|peut|peux|pouvons|arriv\w*|pod\w+|pued\w+|logr\w+)\b|能|无法|不了"
);
// What a sentence may state beside what it withdraws: "forget the rule about X, we use Y".
pattern!(
    STATES = r"(?i)\b(?:use|uses|take|takes|run|runs|we|only|always|never|instead|must|should|now|from now on|nimm|nutzt?|wir|immer|nie|nur|ab jetzt|stattdessen|usa|usamos|siempre|nunca|solo|ahora|utilise|prends|on|toujours|jamais|maintenant)\b|用|总是|现在"
);
/// Minimum probability that such a sentence is meant to last.
const MIN_LASTING_PROBABILITY: f32 = 0.3;
// Words around a topic that do not belong to it.
pattern!(
    TAIL = r"(?i)\s+(?:and|und|y|et)\s.*$|\s+(?:please|from now on|for good|any ?more|any longer|again|now|bitte|por favor|s['’]il te plaît|ab jetzt|a partir de ahora)\s*$"
);
pattern!(
    UNSPECIFIC = r"(?i)^(?:it|its|not|nicht|pas|that|this|these|those|them|all|everything|about|das|es|eso|esto|todo|ça|cela|tout|whole|same|first|last|new|old|other|general|above|这个|那个|这条|那条|你的|我们的?|所有的?)$"
);

/// Returns the topic of the rule that a sentence withdraws, and the length of the part that says so, in bytes;
/// `None` if it withdraws none.
fn withdrawn(sentence: &str) -> Option<(&str, usize)> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let found = ORDERED.captures(sentence).or_else(|| STATED.captures(sentence))?;
    let topic = found.iter().skip(1).flatten().last()?;
    let cut = topic.as_str();
    let cut = TAIL.find(cut).map_or(cut, |tail| &cut[..tail.start()]).trim();
    let length = found.get(0)?.len() - (topic.len() - cut.len());
    let is_sure = !is_unsure(sentence.get(..topic.start()).unwrap_or_default()) && !is_for_now(sentence);
    (is_sure && !cut.is_empty() && !UNSPECIFIC.is_match(cut)).then_some((cut, length))
}

/// Returns what a sentence gives up for something else, or for good.
fn given_up(sentence: &str) -> Option<&str> {
    let found = SWAPPED.captures(sentence).or_else(|| GIVEN_UP.captures(sentence));
    let found = found.or_else(|| FRONTED.captures(sentence));
    let found = found.filter(|_| !sentence.ends_with(['?', '？']))?;
    let name = found.iter().skip(1).flatten().next()?;
    let before = sentence.get(..name.start()).unwrap_or_default();
    let is_sure = !is_unsure(before) && !WHEN.is_match(before) && !is_for_now(sentence);
    // Programs drop messages and frames.
    let is_of_program = DROPS.is_match(before) && content_words(name.as_str()).len() < 2;
    (is_sure && !is_of_program && !UNSPECIFIC.is_match(name.as_str())).then_some(name.as_str())
}

/// Whether a sentence may say that something is no longer done.
fn says_no_longer(sentence: &str) -> bool {
    sentence.chars().count() <= MAX_WITHDRAWAL_CHARS
        && !sentence.ends_with(['?', '？', ':', '：'])
        && NO_LONGER.is_match(sentence)
        && !CANNOT.is_match(sentence)
        && !is_unsure(sentence)
}

impl Withdrawal {
    /// Returns the withdrawal that the statement at this index makes; what may be pasted makes none. `judged` has the
    /// probabilities of `statements`, in the same order.
    pub fn of(statements: &[Statement], judged: &[KindProbabilities], at: usize) -> Option<Self> {
        let (statement, judged) = (statements.get(at)?, judged.get(at)?);
        let next = statements.get(at + 1).filter(|next| next.line == statement.line);
        let next = next.map_or("", |next| next.text.as_str());
        let text = statement.text.as_str();
        let is_lasting = judged.lasting() >= MIN_LASTING_PROBABILITY;
        let abandoned = || given_up(text).filter(|_| is_lasting).map(|topic| (topic, 0));
        let withdrawn_topic = withdrawn(text).or_else(abandoned);
        let gone_tool = gone(text, next, judged.lasting()).filter(|_| withdrawn_topic.is_none());
        let is_named = withdrawn_topic.is_some() || gone_tool.is_some();
        let allowed = lifted(text, judged.lasting()).filter(|_| !is_named);
        let is_withdrawal = is_named || allowed.is_some() || is_lasting && says_no_longer(text);
        if statement.is_pasted || !is_withdrawal {
            return None;
        }
        let kind = match (gone_tool, allowed) {
            (Some(_), _) => WithdrawalKind::Gone,
            (None, Some(_)) => WithdrawalKind::BanLifted,
            (None, None) => WithdrawalKind::Statement,
        };
        Some(Self {
            topic: withdrawn_topic.map(|(topic, _)| topic).or(gone_tool).or(allowed).map(str::to_owned),
            quote: text.to_owned(),
            line: statement.line,
            is_all: withdrawn_topic.is_some_and(|(_, length)| {
                length > 0 && (length * 3 >= text.len() * 2 || !STATES.is_match(text))
            }),
            kind,
        })
    }

    /// Returns the withdrawal that a person makes by refusing a command because something has changed since it was
    /// recommended.
    pub fn of_refusal(statement: &Statement, judged: &KindProbabilities) -> Option<Self> {
        let is_lasting = judged.lasting() >= MIN_LASTING_PROBABILITY;
        let command = outdated_command(statement).filter(|_| is_lasting)?;
        Some(Self {
            topic: Some(command.to_owned()),
            quote: statement.text.clone(),
            line: statement.line,
            is_all: false,
            kind: WithdrawalKind::CommandRefused,
        })
    }

    /// Whether the topic may fit several rules and memories, all of which are outdated.
    pub fn is_of_all(&self) -> bool {
        matches!(self.kind, WithdrawalKind::Gone | WithdrawalKind::CommandRefused)
    }

    /// Whether a rule has at least two content words of the topic and half of them. `false` without a topic.
    pub fn may_name(&self, rule: &str) -> bool {
        let topic = self.topic.as_deref().filter(|_| self.kind != WithdrawalKind::CommandRefused);
        let Some(topic) = topic else { return false };
        let has_half = |topic: &BTreeSet<String>, rule: &BTreeSet<String>| {
            let shared = topic.intersection(rule).count();
            shared >= 2 && shared * 2 >= topic.len()
        };
        has_half(&words(topic), &words(rule)) || has_half(&content_words(topic), &content_words(rule))
    }

    /// Whether the topic fits a rule: the rule has all content words of the topic, as written or by their stems; of a
    /// topic that no longer exists, unless the rule only advises against it; of one that is allowed again, if the rule
    /// may forbid it; of a refused command, if the rule recommends it. `false` without a topic.
    pub fn names(&self, rule: &str) -> bool {
        let Some(topic) = self.topic.as_deref() else { return false };
        match self.kind {
            WithdrawalKind::Gone => return speaks_for(rule, topic),
            WithdrawalKind::CommandRefused => return recommends(rule, topic),
            WithdrawalKind::BanLifted if !restricts(rule) => return false,
            WithdrawalKind::BanLifted | WithdrawalKind::Statement => {}
        }
        let has_all =
            |topic: &BTreeSet<String>, rule: &BTreeSet<String>| !topic.is_empty() && topic.is_subset(rule);
        let is_without_spaces = topic.chars().any(|c| c >= '\u{2e80}');
        has_all(&words(topic), &words(rule))
            || has_all(&content_words(topic), &content_words(rule))
            || is_without_spaces && !words(topic).is_empty() && rule.contains(topic)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{StatementContext, of_prompt};
    use super::*;

    /// The withdrawal that a sentence makes which is meant to last.
    fn withdrawal(text: &str) -> Option<Withdrawal> {
        let statements = of_prompt(text, 1, StatementContext::Plain, None);
        Withdrawal::of(&statements, &[KindProbabilities([0.5, 0.5, 0.0, 0.0, 0.0])], 0)
    }

    #[test]
    fn what_is_given_up_is_named() {
        for (sentence, name) in [
            ("Then we drop the row lock on Sailing altogether.", Some("row lock on Sailing")),
            ("The spline we do not use any more.", Some("spline")),
            ("the cache we don't use, we clear", None),
            ("Delete the old config and the feature flags we no longer use.", None),
            ("Enough, so let us give up YAML for the scenarios.", Some("YAML for the scenarios")),
            ("On overflow, we drop the oldest frame entirely.", None),
            ("we drop the message entirely", None),
            ("we just drop images in the public folder", None),
            ("then we drop tests for the client demo", None),
            ("ok let's stop using feature flags for good, too messy", Some("feature flags")),
            ("Wir verzichten ab jetzt ganz auf die Zeilensperre.", Some("Zeilensperre")),
            ("Den Changelog lassen wir ganz weg, liest keiner", Some("Changelog")),
            ("dejamos de usar los mocks por completo", Some("mocks")),
            ("on laisse tomber définitivement les mocks", Some("mocks")),
            ("if we drop the row lock altogether, the tests fail", None),
            ("should we drop the row lock altogether?", None),
            ("we drop the row lock altogether in this branch", None),
            (
                "And scratch Mailgun, we go with Postmark instead: their EU region can't send.",
                Some("Mailgun"),
            ),
            ("vergiss Mailgun, wir nehmen Postmark", Some("Mailgun")),
            ("forget the thing about squashing, we merge with merge commits now", Some("squashing")),
            ("vergiss das mit dem Squashen, wir machen jetzt Merge-Commits", Some("Squashen")),
            ("olvida lo de squash, ahora hacemos merge commits", Some("squash")),
            ("oublie l'histoire du squash, on fait des merge commits", Some("squash")),
            ("forget the part about the footer, that's for tomorrow", None),
            ("olvida mailgun, usamos postmark", Some("mailgun")),
            ("oublie Mailgun, on prend Postmark", Some("Mailgun")),
            ("forget it, we use Postmark", None),
            ("Forget tests, let's get the demo running", None),
            ("Vergiss nicht, wir nehmen pnpm", None),
        ] {
            assert_eq!(given_up(sentence), name, "{sentence}");
        }
    }

    #[test]
    fn a_withdrawn_rule_is_named_in_each_language() {
        let withdrawn_topic = |sentence| withdrawn(sentence).map(|(topic, _)| topic);
        for (sentence, topic) in [
            ("forget the rule about pnpm", "pnpm"),
            ("Forget the rule about package.json and use workspaces.", "package.json"),
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
            ("scrap the decision about redis", "redis"),
            ("ok, forget what I said about squash merges", "squash merges"),
            ("Vergiss, was ich über Tabs gesagt habe.", "Tabs"),
            ("olvida lo que dije sobre npm", "npm"),
            ("oublie ce que j'ai dit sur les tabulations", "tabulations"),
            ("忘掉我说的关于 yarn 的话", "yarn"),
            ("pnpm那条规则作废了", "pnpm"),
        ] {
            assert_eq!(withdrawn_topic(sentence), Some(topic), "{sentence}");
        }
    }

    #[test]
    fn reminders_questions_and_rules_of_programs_are_no_withdrawals() {
        for sentence in [
            "don't forget the rule about tabs",
            "never forget what I said about tabs",
            "you forget what I said about tabs",
            "did you forget what I said about tabs?",
            "vergiss nicht, was ich über Tabs gesagt habe",
            "drop the policy from the bucket",
            "Never drop the rule about reviews",
            "is the rule about tabs obsolete?",
            "remove the rule about unused variables from the eslint config",
            "the rule about tabs is important",
            "nicht vergessen: die Regel über Tabs",
            "You always forget the rule about tabs",
            "I don't want to drop the rule about reviews",
            "if you forget the rule about tabs, the linter fails",
            "tu oublies la règle du vendredi",
            "siempre se te olvida la regla de los tabuladores",
            "别忘了提交前跑测试的规则",
            "The rounding rule is off by one cent.",
            "the caching rule is gone after the last deploy, restore it",
            "the rule about line length is over 80 characters long",
            "I don't think the rule about tabs is obsolete.",
            "If the rule about squash commits is obsolete, tell me.",
            "Until the code freeze rule is lifted, don't merge.",
            "我们的规则作废了",
            "ignore what I said about timeouts for now",
            "forget the rule about tabs in this PR",
            "ignore everything I said on Friday",
        ] {
            assert_eq!(withdrawn(sentence), None, "{sentence}");
        }
        let pasted = format!("{}Forget the rule about tabs.", "The build printed this line.\n\n".repeat(9));
        let lasting = KindProbabilities([0.0, 1.0, 0.0, 0.0, 0.0]);
        let statements = of_prompt(&pasted, 1, StatementContext::Plain, None);
        let judged = vec![lasting; statements.len()];
        assert!((0..statements.len()).all(|at| Withdrawal::of(&statements, &judged, at).is_none()));
    }

    #[test]
    fn the_rule_has_all_words_of_the_topic() {
        let of = |topic: &str| Withdrawal {
            topic: Some(topic.into()),
            quote: String::new(),
            line: 1,
            is_all: true,
            kind: WithdrawalKind::Statement,
        };
        assert!(of("squash commits").names("Always squash your commits before merging."));
        assert!(!of("squash commits").names("Sign your commits."));
        assert!(!of("the").names("Sign your commits."));
        assert!(of("tabuladores").names("Usa siempre tabuladores."));
        assert!(of("测试").names("提交前必须跑测试"));
        assert!(!of("tab").names("Keep the API stable."));
        let length = of("commit message length");
        let rule = "Keep commit messages under 60 characters.";
        assert!(!length.names(rule) && length.may_name(rule));
        assert!(!length.may_name("Sign each commit."));
    }

    #[test]
    fn only_what_speaks_for_a_name_is_outdated_when_that_is_gone() {
        let of = withdrawal("jenkins is gone since friday, buildkite now").unwrap();
        assert!(of.kind == WithdrawalKind::Gone && !of.is_all);
        assert!(of.names("Builds run on Jenkins, job `api-main`."));
        assert!(!of.names("Use Buildkite, not Jenkins."));
        assert!(!of.names("Prefer Buildkite over Jenkins."));
        assert!(!of.names("Jenkins is gone since friday, builds run on Buildkite."));
        assert!(!of.names("Run jenkins-cli with the token of CI."));
        assert!(!of.names("Never restart jenkins by hand."));
        assert!(!of.names("The jenkinsfile is in ci/."));
    }

    #[test]
    fn a_sentence_may_withdraw_one_rule_and_state_another() {
        let of = |text: &str| withdrawal(text).unwrap();
        assert!(of("Forget the rule about pnpm.").is_all);
        assert!(of("Forget the rule about UUIDv7 primary keys, the warehouse merge is cancelled.").is_all);
        assert!(!of("From now on use tabs for all new files, the spaces rule is dead.").is_all);
        assert!(!of("Forget the rule about tests and use vitest from now on.").is_all);
    }

    #[test]
    fn a_sentence_may_say_that_a_rule_is_no_longer_followed() {
        for text in [
            "we no longer use redis for the queue",
            "We don't squash commits any more.",
            "A second review is no longer required.",
            "Wir nutzen Redis nicht mehr für die Warteschlange.",
            "ya no usamos redis para la cola",
            "on n'utilise plus redis pour la file",
        ] {
            assert_eq!(withdrawal(text).map(|one| one.topic), Some(None), "{text}");
        }
        for text in [
            "do we no longer use redis?",
            "use redis for the queue",
            "the login no longer works",
            "Der Build läuft nicht mehr durch.",
            "la página ya no carga",
            "we can no longer push to main: permission denied",
            "on ne peut plus se connecter à redis",
            "ya no podemos desplegar con make ship",
            "you don't need any more tests",
        ] {
            assert_eq!(withdrawal(text), None, "{text}");
        }
    }
}
