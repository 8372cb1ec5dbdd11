//! Finds what a person allows again: "you can count Leith again", "previews are back in business".

use super::doubt::{MAX_WITHDRAWAL_CHARS, is_for_now, is_unsure};
use crate::prose::pattern;

/// Minimum probability that a sentence which allows something is meant to last.
const MIN_LIFTED_PROBABILITY: f32 = 0.3;

pattern!(
    LIFTS = r"(?ix)(?:^|[,;:.–—]\s+|\b(?:and|so|und|also|y|así\ que|et|donc)\s+)(?:(?:ok(?:ay)?|so|oh|btw|now|jetzt|ahora|maintenant|and|und|y|et)[,\s]+)*(?:
      (?:you|we|they|i|everyone|anyone|agents)\s+(?:can|may)\s+(?:now\s+|all\s+)?(?P<en>[^,.;:!?]{3,60}?)\s+(?:again|once\s+more)\b
    | (?:the\s+|our\s+)?(?P<en_back>[^\s,.;:!?]+(?:\s[^\s,.;:!?]+){0,3}?)\s+(?:is|are)\s+(?:back\s+(?:in\s+(?:business|use|play|action))|(?:allowed|permitted|usable|open|ok|okay|fine)\s+again)\b
    | (?P<en_fair>[^\s,.;!?]+(?:\s[^\s,.;!?]+){0,3}?)\s+(?:is|are)\s+(?:now\s+)?fair\s+game\b
    | (?P<en_allowed>[^\s,.;!?]+(?:\s[^\s,.;!?]+){0,3}?)\s+(?:is|are)\s+(?:now\s+(?:allowed|permitted)|(?:allowed|permitted)\s+(?:now|as\s+of|since))\b
    | (?:[^,.;:!?]*\s)?(?P<de_it>[\w.+\#-]+)\s*,\s*(?:das|die|den|der)\s+(?:dürfen|können)\s+(?:wir|alle|die\ agenten)\s+(?:jetzt|wieder|nun|ab\ jetzt|ab\ sofort)\b
    | (?:(?:du|ihr|wir|man)\s+)?(?:darf|darfst|dürfen|dürft|kannst|könnt|können|kann)\s+(?:(?:du|ihr|wir|man)\s+)?(?:jetzt\s+|ab\s+sofort\s+)?(?:wieder\s+)(?:(?:den|die|das)\s+)?(?P<de>[^,.;:!?]{3,60}?)\s*(?:$|[,.;!])
    | (?:(?:die|der|das)\s+)?(?P<de_back>[^\s,.;:!?]+(?:\s[^\s,.;:!?]+){0,2}?)\s+(?:ist|sind)\s+(?:(?:jetzt|nun|ab\ jetzt|ab\ sofort)\s+)?(?:wieder|doch)\s+(?:erlaubt|freigegeben|nutzbar|im\ einsatz|okay|ok)\b
    | (?:(?:die|der|das)\s+)?(?P<de_allowed>[^\s,.;:!?]+(?:\s[^\s,.;:!?]+){0,2}?)\s+(?:ist|sind)\s+(?:jetzt|nun|ab\ jetzt|ab\ sofort)\s+erlaubt\b
    | ya\s+(?:se\s+puede|puedes|podemos|podéis)\s+(?:volver\s+a\s+)?(?P<es>[^,.;:!?]{3,60}?)\s+(?:otra\s+vez|de\s+nuevo)\b | ya\s+(?:se\s+puede|puedes|podemos|podéis)\s+volver\s+a\s+(?P<es_return>[^,.;:!?]{3,60}?)\s*(?:$|[,.;!])
    | (?:on|tu|vous|nous)\s+(?:peut|peux|pouvez|pouvons)\s+(?:de|à)\s+nouveau\s+(?P<fr>[^,.;:!?]{3,60}?)\s*(?:$|[,.;!])
    )"
);
// "No mocks are allowed now", "only admins …": nothing is lifted, or not for all.
pattern!(
    LIMITED = r"(?i)^(?:not?|only|neither|none|nothing|nobody|hardly|few|just)\b|\b(?:only|except|unless|but not|not all)\b"
);
// What the topic is compared with: "count Leith like any of them".
pattern!(COMPARES = r"(?i)\s+(?:like|as|wie|como|comme)\s.*$");
// A statement that restricts something.
pattern!(
    RESTRICTS = r"(?ix)\b(?:no|not|never|nothing|none|without|avoid|skip|leave|left|out|off|exclude\w*|omit|forbidden|banned|frozen|freeze|crash\w*|broken|wait
      | nicht|nichts|kein\w*|nie|niemals|ohne|raus|weg|verboten|gesperrt | nada|nunca|sin|evita\w*|fuera|prohibid\w* | pas|jamais|sans|aucun\w*|évite\w*|interdit\w*)\b
      | n['’]t\b | \b(?:dont|doesnt|cant|wont)\b"
);

/// Returns what a sentence allows again; `None` if it allows nothing, or only for a while. `lasting` is the probability that
/// it is meant to last, 0–1.
pub(super) fn lifted(sentence: &str, lasting: f32) -> Option<&str> {
    let is_meant = lasting >= MIN_LIFTED_PROBABILITY
        && sentence.chars().count() <= MAX_WITHDRAWAL_CHARS
        && !sentence.ends_with(['?', '？'])
        && !is_for_now(sentence);
    let found = LIFTS.captures(sentence).filter(|_| is_meant)?;
    let topic = found.iter().skip(1).flatten().next()?;
    let before = sentence.get(..topic.start()).unwrap_or_default();
    let end = COMPARES.find(topic.as_str()).map_or(topic.len(), |compared| compared.start());
    let rest = &sentence[topic.start()..];
    (!is_unsure(before) && !LIMITED.is_match(rest)).then_some(&topic.as_str()[..end])
}

/// Whether a statement may be a ban.
pub(super) fn restricts(statement: &str) -> bool {
    RESTRICTS.is_match(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_again_is_named() {
        for (sentence, topic) in [
            (
                "the gauge went back in on tuesday, so you can count leith like any of em again",
                Some("count leith"),
            ),
            ("oh and the previews are back in business, Xcode's sorted", Some("previews")),
            ("Auf der neuen Maschine läuft ein Redis, das dürfen wir jetzt benutzen.", Some("Redis")),
            ("Du kannst wieder die Versionen anheben.", Some("Versionen anheben")),
            ("Squash-Merges sind jetzt doch erlaubt, Lena hat es geklärt", Some("Squash-Merges")),
            ("ya podemos volver a subir versiones", Some("subir versiones")),
            ("on peut à nouveau monter les versions", Some("monter les versions")),
            (
                "gcc 13, so std::expected and std::format are fair game now on target too",
                Some("std::expected and std::format"),
            ),
            ("Generics are allowed now", Some("Generics")),
            ("can we bump versions again?", None),
            ("no mocks are allowed now", None),
            ("unwrap is allowed now in tests only", None),
            ("migrations are fair game, except 001", None),
            ("not all old fixtures are fair game", None),
            ("if the freeze is over we can bump versions again", None),
            ("you can bump versions again today", None),
            ("we can use the cache now", None),
        ] {
            assert_eq!(lifted(sentence, 0.5), topic, "{sentence}");
        }
        assert_eq!(lifted("you can run the tests again", 0.02), None, "a task");
        assert!(restricts("Leith stays out of it.") && !restricts("Run the tests with pnpm."));
    }
}
