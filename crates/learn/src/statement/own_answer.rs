//! Finds what a person answers to their own reproach: "why did you touch the lockfile? renovate does that". Question and
//! answer together are meant to last.

use super::passing::{is_for_once, is_not_meant};
use super::{KindProbabilities, Statement, StatementContext};
use crate::prose::pattern;

/// Probability that such an answer is meant to last: enough for a draft.
const ANSWER_PROBABILITY: f32 = 0.66;
/// Probability of an answer that the classifier finds likely, too: enough for a rule in use.
const LIKELY_ANSWER_PROBABILITY: f32 = 0.75;
/// Minimum probability by the classifier of such an answer.
const MIN_LIKELY_PROBABILITY: f32 = 0.3;
/// Minimum probability by the classifier of any answer.
const MIN_ANSWER_PROBABILITY: f32 = 0.02;
/// Probability of the question, which joins it with its answer and is not enough by itself.
const QUESTION_PROBABILITY: f32 = 0.4;
/// Number of words of an answer, at least and at most.
const ANSWER_WORDS: std::ops::RangeInclusive<usize> = 2..=25;

// "Why did you bump the version?", "wieso legst du da eine Tabelle an?", "why a new helper?"
pattern!(
    REPROACH = r"(?ix)(?:^|[,.!;–—\s])(?:
      (?:why|how\ come|what\ for)\s+(?:did|do|are|were|would|have|must)\s+(?:you|we)\b
    | why\s+not\s+(?:(?:just|simply)\s+)?(?:use|take|call|run|reuse|extend)\b | (?:warum|wieso)\s+nicht\s | por\ qu[eé]\s+no\s+(?:usas|usaste)\b | pourquoi\s+ne?\s*pas\s
    | why\s+(?:a|an|another|this|these)\s+(?:new|second|own|extra|whole|separate)\b
    | (?:warum|wieso|weshalb|wozu)\s+(?:\S+\s+){1,3}?du\b | (?:warum|wieso|weshalb|wozu)\s+(?:eine?n?|ne|noch)\s
    | por\ qu[eé]\s+(?:(?:me|lo|la|los|las)\s+)?(?:has\b|\w+(?:aste|iste)\b) | para\ qu[eé]\s+\w+(?:aste|iste)\b
    | pourquoi\s+(?:tu\b|as[\s-]tu\b|\w+[\s-]tu\b) | 你为什么|为什么你|干嘛
    )"
);
// A statement about how things are, not an order for this time: "that's generated", "there is one in `src/util`".
pattern!(
    STATES = r"(?ix)^(?:(?:but|well|because|since|aber|weil|denn|pero|porque|mais|parce\ que|car)[,\s]+)?(?:
      (?:that|this|those|these|it|they|there|we|only|the|our|all|such)(?:\ ones?)?\b(?:['’](?:s|re))?
    | (?:das|die|der|den|sowas|so\ was|so\ etwas|es|sie|dafür|dazu|wir|nur|alles)\b
    | (?:eso|esa|ese|esos|esas|est[oae]s?|hay|ya\ hay|lo|la|el|los|las|de\ eso|solo|s[oó]lo)\b
    | (?:ça|c['’]est|ce|on|nous|il\ y\ a|le|la|les|seul\w*)\b | 那|这|已经有|我们
    | `?[\w.:/-]+(?:\(\))?`?\s+(?:gives|has|is|already|covers|exists|returns|knows|can|gibt|hat|kann|ist|liefert|tiene|devuelve|donne|fournit)\b
    ) | \b(?:does|do|makes?|handles?|takes?\ care\ of|writes?|generates?|macht|machen|erledigt|hace|hacen|genera|fait|font|s['’]en\ occupe)\s+(?:that|it|this|those|them|das|eso|ça)\b"
);
// What went wrong here, or what was asked for: it says nothing of later work.
pattern!(
    COMPLAINS = r"(?ix)\b(?:was|were|had|worked|asked|wanted|want|said|told|wrong|broke\w*|fails?|failed|failing|crash\w*|ugly|too|nonsense|unnecessary|overkill|fine|now|again|not\ what|makes?\ no\ sense|doesn['’]?t\ (?:work|make\ sense|help|look)
      | war|waren|hatte|ging|falsch|kaputt|unnötig|unsinn|quatsch|zu\ (?:viel|lang|groß)|wollte|sagte|jetzt|wieder|geht\ nicht|sieht
      | estaba|era|funcionaba|mal|roto|demasiado|pedí|quería|dije|ahora|innecesari\w+|falla
      | était|marchait|faux|cassé\w*|trop|voulais|demandé|maintenant|inutile|marche\ pas)\b | 错|坏"
);

/// Raises the probabilities of a reproachful question and of the person's own answer right after it. `judged` has the
/// probabilities of `statements`, in the same order.
pub fn raise_own_answers(statements: &[Statement], judged: &mut [KindProbabilities]) {
    for at in 1..statements.len().min(judged.len()) {
        let (question, answer) = (&statements[at - 1], &statements[at]);
        let lasting = judged[at].lasting();
        let is_raised = (MIN_ANSWER_PROBABILITY..LIKELY_ANSWER_PROBABILITY).contains(&lasting);
        if !is_raised || !is_answered_reproach(question, answer) {
            continue;
        }
        let probability =
            if lasting >= MIN_LIKELY_PROBABILITY { LIKELY_ANSWER_PROBABILITY } else { ANSWER_PROBABILITY };
        judged[at] = KindProbabilities([1.0 - probability, probability, 0.0, 0.0, 0.0]);
        let before = judged[at - 1].lasting().max(QUESTION_PROBABILITY);
        judged[at - 1] = KindProbabilities([1.0 - before, before, 0.0, 0.0, 0.0]);
    }
}

fn is_answered_reproach(question: &Statement, answer: &Statement) -> bool {
    let text = answer.text.as_str();
    question.line == answer.line
        && question.place + 1 == answer.place
        && answer.context != StatementContext::Plain
        && !answer.is_pasted
        && question.text.ends_with(['?', '？'])
        && REPROACH.is_match(&question.text)
        && ANSWER_WORDS.contains(&text.split_whitespace().count())
        && !text.ends_with(['?', '？', ':', '：'])
        && STATES.is_match(text)
        && !COMPLAINS.is_match(text)
        && !is_for_once(text)
        && !is_not_meant(text)
}

#[cfg(test)]
mod tests {
    use super::super::{lasting, of_prompt};
    use super::*;

    fn learned(prompt: &str) -> Vec<String> {
        let statements = of_prompt(prompt, 1, StatementContext::After, None);
        let mut judged = vec![KindProbabilities([0.9, 0.0, 0.0, 0.1, 0.0]); statements.len()];
        raise_own_answers(&statements, &mut judged);
        lasting(&statements, &judged).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn a_reproach_is_learned_with_the_answer_that_the_person_gives() {
        for (prompt, text) in [
            (
                "wait, why did you touch the lockfile? that one renovate does",
                "Why did you touch the lockfile? that one renovate does.",
            ),
            (
                "why did you bump the version? the release job does that",
                "Why did you bump the version? the release job does that.",
            ),
            ("why are you editing dist/? that's generated", "Why are you editing dist/? that's generated."),
            (
                "hä, wieso legst du da ne neue Tabelle an? sowas geht nur über Flyway",
                "Wieso legst du da ne neue Tabelle an? sowas geht nur über Flyway.",
            ),
            (
                "why a new helper? there is one in src/util/dates.ts",
                "Why a new helper? there is one in src/util/dates.ts.",
            ),
            (
                "why not use the factory? makeStop() gives you a valid one",
                "Why not use the factory? makeStop() gives you a valid one.",
            ),
            (
                "por qué tocaste el lockfile? de eso se encarga renovate",
                "Por qué tocaste el lockfile? de eso se encarga renovate.",
            ),
            (
                "pourquoi tu changes la version ? c'est le job de release qui le fait",
                "Pourquoi tu changes la version ? c'est le job de release qui le fait.",
            ),
        ] {
            assert_eq!(learned(prompt), [text], "{prompt}");
        }
    }

    #[test]
    fn complaints_and_orders_after_a_reproach_are_not_learned() {
        for prompt in [
            "why did you change the colour? it was fine",
            "why did you change the colour? put it back",
            "why did you touch the header? that's wrong",
            "why did you delete the test? I asked for a fix",
            "why not use the factory? it fails here too",
            "why is the lockfile changed? that one renovate does",
            "warum hast du das geändert? das ist jetzt kaputt",
            "why did you add a helper? what is it for?",
        ] {
            assert!(learned(prompt).is_empty(), "{prompt}");
        }
    }
}
