//! Finds what a person asks for because of what happened before: "don't record them anew. Last year a whole screen went
//! blank". Such an order is meant to last.

use super::{KindProbabilities, Statement, StatementContext};
use crate::prose::pattern;

/// Probability that such an order is meant to last.
const ORDER_PROBABILITY: f32 = 0.8;
/// Minimum probability of the order alone.
const MIN_ORDER_PROBABILITY: f32 = 0.05;
/// Minimum number of words of an order.
const MIN_ORDER_WORDS: usize = 4;

pattern!(
    PAST_HARM = r"(?ix)\b(?:
        last\ (?:year|time|month|week|summer|winter|spring|autumn|fall|release)\b.*\b(?:\w+ed|was|were|went|got|broke|lost|fell|took|had|blew|cost|hit|bit)
      | (?:we|i)(?:['’]ve)?\ (?:already\ )?(?:had|saw|seen)\ (?:that|this)\ (?:before|already|once|twice)
      | (?:it|that|this)\ (?:has\ )?(?:already\ )?(?:cost|bit|burn(?:ed|t)|bitten)\ (?:me|us) | (?:i|we)\ (?:once\ )?lost\ (?:a|an|the|two|three|half|all|everything|my|our)\b
      | been\ (?:there|bitten|burned) | the\ hard\ way | had\ (?:an|two|three)\ (?:outages?|incidents?)
      | letzt(?:es|e[nsmr]?)\ (?:jahr|mal|monat|woche|sommer|winter|herbst|frühjahr)\b.*\b(?:hat(?:te)?|war|ist|wurde|ging|haben|gab)
      | hatten\ wir\ (?:ja\ |hier\ |da\ )?(?:schon|bereits) | ist\ (?:uns|mir)\ (?:schon|letzt\w*|neulich|mal)\b | (?:hat|hatte)\ (?:uns|mich)\ (?:schon\ |letzt\w*\ (?:jahr|mal)\ )?\S.{0,40}\ (?:gekostet|geröstet|verhagelt) | ging\ (?:schon\ )?(?:ein)?mal\ schief
      | (?:el\ año|la\ vez|el\ mes|la\ semana)\ pasad[oa]\ | ya\ (?:nos|me)\ pasó | (?:nos|me)\ (?:costó|bloqueó|rompió) | (?:perdí|perdimos)\b
      | (?:l['’](?:an|année)\ derni(?:er|ère)|la\ dernière\ fois)\b.*\b(?:a|ont|est|était)\b | on\ a\ déjà\ eu | ça\ (?:nous|m['’])\s?a\ coûté | (?:on\ a|j['’]ai)\ perdu
      )|上次|去年|吃过亏|踩过坑|出过事"
);
pattern!(
    ORDERS = r"(?i)\b(?:do not|don['’]?t|never|not|no|must|only|always|nicht|kein\w*|nie(?:mals)?|nur|immer|muss|müssen|nunca|jamás|solo|siempre|ne|pas|jamais|toujours|seulement)\b|不要|别|必须|只"
);
// A report of what is the case, not an order.
pattern!(
    REPORTS = r"(?i)\b(?:did(?:n['’]?t| not)|was(?:n['’]?t| not)|were(?:n['’]?t| not)|does(?:n['’]?t| not)|is(?:n['’]?t| not)|no (?:idea|problem|worries|hurry|rush)|not (?:sure|yet|now)|why|warum|por qué|pourquoi)\b"
);

/// Raises the probabilities of orders beside which the person says what happened before, in the same prompt. `judged` has the
/// probabilities of `statements`, in the same order.
pub fn raise_orders_after_harm(statements: &[Statement], judged: &mut [KindProbabilities]) {
    let harmful: Vec<u64> = statements
        .iter()
        .filter(|one| {
            !one.is_pasted && one.context != StatementContext::Plain && PAST_HARM.is_match(&one.text)
        })
        .map(|one| one.line)
        .collect();
    for (statement, judged) in statements.iter().zip(judged) {
        let lasting = judged.lasting();
        let is_raised = (MIN_ORDER_PROBABILITY..ORDER_PROBABILITY).contains(&lasting);
        if is_raised && harmful.contains(&statement.line) && is_order(statement) {
            *judged = KindProbabilities([1.0 - ORDER_PROBABILITY, ORDER_PROBABILITY, 0.0, 0.0, 0.0]);
        }
    }
}

fn is_order(statement: &Statement) -> bool {
    let text = statement.text.as_str();
    !statement.is_pasted
        && !text.ends_with(['?', '？'])
        && text.split_whitespace().count() >= MIN_ORDER_WORDS
        && ORDERS.is_match(text)
        && !REPORTS.is_match(text)
        && !PAST_HARM.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::super::of_prompt;
    use super::*;

    fn raised(prompt: &str) -> usize {
        let statements = of_prompt(prompt, 1, StatementContext::After, None);
        let mut judged = vec![KindProbabilities([0.8, 0.2, 0.0, 0.0, 0.0]); statements.len()];
        raise_orders_after_harm(&statements, &mut judged);
        judged.iter().filter(|judged| judged.lasting() > 0.5).count()
    }

    #[test]
    fn an_order_lasts_if_something_happened_before() {
        for prompt in [
            "Please do not record the images anew before I have seen them. Last year a whole screen went blank.",
            "läuft ja, aber variable.get nicht auf top level. hatten wir schon, da war die db platt.",
            "enum de mariadb no va en las tablas. ya nos pasó en producción.",
            "ne touche pas aux migrations. la dernière fois tout le staging est tombé.",
        ] {
            assert_eq!(raised(prompt), 1, "{prompt}");
        }
        for prompt in [
            "Please do not record the images anew before I have seen them.",
            "The build did not pass. Last week it was green.",
            "Last year it was slow.",
            "no idea why that is. last time it was the cache.",
        ] {
            assert_eq!(raised(prompt), 0, "{prompt}");
        }
    }
}
