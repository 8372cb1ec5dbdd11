//! Finds what a person asks for because of what happened before: "don't record them anew. Last year a whole screen went
//! blank". Such an order is meant to last.

use super::passing::is_for_once;
use super::{KindProbabilities, Statement, StatementContext};
use crate::prose::pattern;

/// Probability that such an order is meant to last.
const ORDER_PROBABILITY: f32 = 0.8;
/// Minimum probability of the order alone.
const MIN_ORDER_PROBABILITY: f32 = 0.05;
/// Minimum number of words of an order.
const MIN_ORDER_WORDS: usize = 4;

// "Last year a whole screen went blank", "hatten wir schon, da war die db platt".
pattern!(
    BEFORE = r"(?i)\b(?:last (?:year|time|month|week|summer|winter|spring|autumn|fall|release)|(?:had|seen) (?:that|this) (?:before|already|once|twice)|letzt(?:es|e[nsmr]?) (?:jahr|mal|monat|woche|sommer|winter|herbst|frühjahr)|hatten wir (?:ja |hier |da )?(?:schon|bereits)|schon (?:ein)?mal|neulich|(?:el año|la vez|el mes|la semana) pasad[oa]|la última vez|ya (?:nos|me)|l['’](?:an|année) derni(?:er|ère)|la dernière fois|déjà)\b|上次|去年|之前|曾经"
);
pattern!(
    HARM = r"(?i)\b(?:broke\w*|lost|blank|outages?|incidents?|wiped|hours|corrupt\w*|crash\w*|deleted|overwritten|leaked|burn(?:ed|t)|bit|cost|down|platt|kaputt|ausgefallen|weg|verloren|gekostet|geröstet|gelöscht|stunden|schief|pasó|cayó|rompió|perdimos|perdí|costó|bloqueó|borró|horas|tombée?s?|cassée?s?|perdue?s?|planté|heures)\b|挂了|丢了|坏了|事故"
);
// It costs or bites: harm that says itself that it is past.
pattern!(
    COST = r"(?i)\b(?:(?:has |have )?(?:cost|bit|bitten|burned|burnt) (?:me|us)|the hard way|(?:hat|hatte) (?:uns|mich) .{1,50} (?:gekostet|geröstet|verhagelt)|(?:nos|me) (?:costó|bloqueó|rompió)|ça (?:nous|m['’])\s?a coûté)\b|吃过亏|踩过坑|出过事"
);
// An order at the beginning of a sentence or clause.
pattern!(
    ORDERS = r"(?ix)(?:^|[,;:–—]\s*(?:(?:but|and|aber|und|pero|y|mais|et)\s+)?)(?:(?:please|ok|hey|no|and|but|bitte|aber|por\ favor)[,\s]+)*(?:
        (?:please\s+)?(?:do\ not|don['’]?t|never)\s+\S+ | (?:we|you)\ (?:must|never|do\ not|don['’]?t)\b | no\ \S+\ (?:in|on|for|at|without)\b
      | (?:\S+\s+){0,2}(?:nicht|nie|niemals|kein\w*)\ (?:auf|in|an|bei|ohne|direkt|mehr)\b | (?:nie|niemals|kein\w*)\b
      | (?:\S+\s+){0,3}no\ (?:va|van|se)\b | nunca\b | ne\s+\S+\s+(?:pas|jamais)\b | jamais\b )
      | 不要|别"
);
// A report or a wish for now, not an order for later.
pattern!(
    PASSING = r"(?i)\b(?:did(?:n['’]?t| not)|was(?:n['’]?t| not)|does(?:n['’]?t| not)|no (?:idea|problem|worries|hurry|rush)|in this one|i want to look|first|yet|now|heute|erst|ahora|primero|d['’]abord)\b"
);

/// Raises the probabilities of orders beside which the person says what happened before, in the same prompt. `judged` has the
/// probabilities of `statements`, in the same order.
pub fn raise_orders_after_harm(statements: &[Statement], judged: &mut [KindProbabilities]) {
    let harmful: Vec<u64> = statements
        .iter()
        .filter(|one| !one.is_pasted && one.context != StatementContext::Plain && is_past_harm(&one.text))
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

fn is_past_harm(text: &str) -> bool {
    COST.is_match(text) || BEFORE.is_match(text) && HARM.is_match(text)
}

fn is_order(statement: &Statement) -> bool {
    let text = statement.text.as_str();
    !statement.is_pasted
        && !text.ends_with(['?', '？'])
        && text.split_whitespace().count() >= MIN_ORDER_WORDS
        && ORDERS.is_match(text)
        && !PASSING.is_match(text)
        && !is_for_once(text)
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
            "don't commit, I want to look first. Last week I was on holiday.",
            "do not touch the header in this one, just the footer. Last time it worked fine.",
            "do not touch the header. Last time it worked fine.",
            "it never loads the second page. last week it broke too.",
        ] {
            assert_eq!(raised(prompt), 0, "{prompt}");
        }
    }
}
