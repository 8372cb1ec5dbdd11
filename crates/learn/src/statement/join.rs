//! Joins the lasting sentences of a prompt to statements.

use super::certainty::{
    Certainty, JudgedStatement, MIN_RELATED_PROBABILITY, THRESHOLD_HIGH, is_told_aside, reaches, returns,
};
use super::gone::gone;
use super::passing::{is_for_once, recurs};
use super::taken_back::are_taken_back;
use super::wording::{self, Wording};
use super::{AgentSentence, Answered, KindProbabilities, Statement, StatementKind};
use crate::diary::is_standing;
use crate::prose::pattern;
use cm_text::language::is_ideograph;
use std::collections::HashSet;

/// Maximum length of a joined statement, in characters.
const MAX_JOINED_CHARS: usize = 280;

/// A statement that is meant to last.
#[derive(Debug, Clone, PartialEq)]
pub struct LastingStatement {
    /// The statement so that it can be understood alone: the person's words, with what they refer
    /// to.
    pub text: String,
    /// The words as typed.
    pub quote: String,
    /// Line of the prompt in the log, from 1.
    pub line: u64,
    pub kind: StatementKind,
    pub certainty: Certainty,
    /// Sentences of the agent that a decision answers.
    pub proposals: Vec<AgentSentence>,
}

// "Why does it differ? Find out": what the person states beside it describes the problem.
pattern!(
    INVESTIGATES = r"(?ix)\bfind\ out\s*(?:$|[.!,]|why\b|what['’]?s?\ (?:is\ )?(?:wrong|going\ on)) | \blook\ into\ (?:it|that|this)\b | \bany\ ideas?\b | \bwhat(?:['’]s|\ is)\ (?:wrong|going\ on)\b[^.!]*\?
      | \bwhy(?:['’]s|\ is|\ does|\ do|\ are|\ may|\ could|\ would)\b[^.!]*\?
      | \bfinde?\ (?:es\ )?(?:heraus|raus)\s*(?:$|[.!,]) | \bworan\ liegt\b | \bwarum\ (?:ist|sind|geht|macht|läuft)\b[^.!]*\?
      | \baverigua\s*(?:$|[.!,]|por) | \bpor\ qué\b[^.!]*\? | \btrouve\ pourquoi\b | \bpourquoi\ (?:est|ça)\b[^.!]*\?"
);
pattern!(AT_PLACE = r"(?i)\b(?:there|here|dort|hier|da|allí|ahí|aquí|là|ici)\b|那里|这里");
// "Don't use any. Use unknown.": the short order says what to do instead.
pattern!(
    FORBIDS = r"(?i)^(?:(?:ok|no|hey|please|pls|bitte)[,\s]+)*(?:don['’]?t|do not|never|not|no|stop|avoid|nie|niemals|kein\w*|nicht|nunca|ne|jamais|pas)\b"
);
pattern!(
    INSTEAD = r"(?i)^(?:just\s+)?(?:use|take|prefer|write|call|run|nimm|nutze?|benutze?|verwende|usa|usá|utiliza|utilise|prends)(?:\s+[^\s,;]+){1,4}[.!]?$"
);
pattern!(
    OBJECTS = r"(?ix)^(?:(?:please|pls|and|so|but|bitte|und)[,\s]+)*(?:
        i\s(?:really\s)?(?:don['’]?t|do\snot)\s(?:want|like|need)\s(?:that|this|it|those|these|them)
      | (?:stop|quit)\s(?:that|this|it|(?:doing|with)\s(?:that|this|it))
      | (?:that|this|it)\s(?:has\sto|must|needs\sto)\s(?:change|stop) | (?:that|this|it)(?:['’]s|\sis)\s(?:annoying|not\sok(?:ay)?)
      | (?:das|es)\snervt | lass\sdas | hör\s(?:auf\sdamit|damit\sauf) | das\s(?:will|möchte)\sich\snicht | das\smuss\s(?:aufhören|sich\sändern)
      | no\squiero\seso | deja\sde\shacerlo | arrête(?:\sça)? | je\sne\sveux\spas\sça
    )[.!]*$"
);

/// Returns the lasting ones of a session's statements. `judged` has their probabilities, in the
/// same order. A lasting sentence and the related ones next to it in its prompt become one
/// statement. Statements that the person took back later are left out.
pub fn lasting(statements: &[Statement], judged: &[KindProbabilities]) -> Vec<LastingStatement> {
    let taken = are_taken_back(statements, judged);
    let passing = KindProbabilities([1.0, 0.0, 0.0, 0.0, 0.0]);
    let investigated: HashSet<u64> =
        statements.iter().filter(|one| INVESTIGATES.is_match(&one.text)).map(|one| one.line).collect();
    let is_symptom = |one: &Statement, judged: &KindProbabilities| {
        judged.kind() == StatementKind::Fact && investigated.contains(&one.line) && !is_told_aside(&one.text)
    };
    let both: Vec<JudgedStatement<'_>> = statements
        .iter()
        .zip(judged.iter().zip(taken))
        .map(|(one, (judged, taken))| (one, if taken || is_symptom(one, judged) { &passing } else { judged }))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < both.len() {
        let end = at + count_related(&both[at..]);
        let run = &both[at..end];
        if run.iter().any(|one| reaches(one, Certainty::Medium)) {
            // Words such as "those files" refer to the sentence before.
            let before = at.checked_sub(1).map(|before| both[before].0);
            found.extend(join_run(run, before.filter(|before| follows(before, both[at].0))));
        }
        at = end;
    }
    found
}

/// Returns the number of sentences at the beginning that belong together, at least 1.
fn count_related(all: &[JudgedStatement<'_>]) -> usize {
    let mut length = 0;
    let together = all.iter().enumerate().take_while(|(at, (one, judged))| {
        length += 1 + one.text.chars().count();
        let is_next = *at == 0 || length <= MAX_JOINED_CHARS + 1 && follows(all[at - 1].0, one);
        let is_instead = || *at > 0 && FORBIDS.is_match(&all[at - 1].0.text) && INSTEAD.is_match(&one.text);
        // "You keep writing long docstrings. I don't want that.": without its end it says the opposite.
        let objects = || *at > 0 && OBJECTS.is_match(&one.text);
        let explains = || {
            let next = all.get(*at + 1).map(|(next, _)| *next);
            next.is_some_and(|next| follows(one, next) && returns(next))
        };
        is_next
            && (*at == 0 || !is_for_once(&one.text) && !is_for_once(&all[0].0.text))
            && (judged.lasting() >= MIN_RELATED_PROBABILITY || is_instead() || objects() || explains())
            && (is_instead() || objects() || *at == 0 || !are_two_statements(&all[at - 1], &all[*at]))
    });
    together.count().max(1)
}

/// Whether two sentences state something each: the first certainly a rule, or that something is gone, the second
/// certainly a rule, as an order; or the second certainly a preference, and the first none; or the first nothing that
/// lasts. The second does not point to the first.
fn are_two_statements(first: &JudgedStatement<'_>, second: &JudgedStatement<'_>) -> bool {
    let is_rule = |(_, judged): &JudgedStatement<'_>| {
        judged.kind() == StatementKind::Rule && judged.lasting() >= THRESHOLD_HIGH
    };
    let text = second.0.text.as_str();
    let is_order = is_standing(text) || FORBIDS.is_match(text) || recurs(text);
    let is_gone = || gone(&first.0.text, "", first.1.lasting()).is_some();
    let is_own = !wording::points_back(text);
    // A remark on the task, and how the person likes answers to be.
    let is_preference = second.1.kind() == StatementKind::Preference
        && first.1.kind() != StatementKind::Preference
        && second.1.lasting() >= THRESHOLD_HIGH;
    // What happened is no part of the order that follows from it.
    let is_order_alone = !reaches(first, Certainty::Medium) && !AT_PLACE.is_match(text);
    is_own
        && (is_preference || (is_rule(first) || is_gone() || is_order_alone) && is_rule(second) && is_order)
}

fn follows(first: &Statement, second: &Statement) -> bool {
    first.line == second.line && first.place + 1 == second.place
}

fn join_run(run: &[JudgedStatement<'_>], before: Option<&Statement>) -> Option<LastingStatement> {
    let (first, _) = run.first()?;
    let best = run.iter().max_by(|(_, a), (_, b)| a.lasting().total_cmp(&b.lasting()))?;
    let quote = run.iter().map(|(one, _)| one.text.as_str()).collect::<Vec<_>>().join(" ");
    let answers: Option<&Answered> = first.answers.as_ref();
    let Wording { text, is_complete } = wording::standing_alone(&quote, first.context, answers, before)?;
    let is_high =
        reaches(best, Certainty::High) && is_complete && !first.is_pasted && is_of_trained_language(&text);
    Some(LastingStatement {
        text,
        quote,
        line: first.line,
        kind: best.1.kind(),
        certainty: if is_high { Certainty::High } else { Certainty::Medium },
        proposals: Vec::new(),
    })
}

/// Whether all letters of a text are in use in a language of the training examples: English, German,
/// French, Spanish and Chinese.
fn is_of_trained_language(text: &str) -> bool {
    let is_known = |c: char| c.is_ascii() || "äöüßéèêëàâçîïôùûœæñáíóú".contains(c) || is_ideograph(c);
    text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).all(is_known)
}

#[cfg(test)]
mod tests {
    use super::super::{StatementContext, of_prompt};
    use super::*;

    fn judged(lasting: &[f32]) -> Vec<KindProbabilities> {
        lasting.iter().map(|last| KindProbabilities([1.0 - last, *last, 0.0, 0.0, 0.0])).collect()
    }

    #[test]
    fn a_complaint_keeps_the_sentence_that_objects() {
        let prompt =
            "You keep writing huge docstrings with Args sections. I don't want that. One line says it all.";
        let statements = of_prompt(prompt, 3, StatementContext::After, None);
        let judged = [StatementKind::Rule, StatementKind::Preference, StatementKind::Rule].map(|kind| {
            let mut shares = KindProbabilities([0.1, 0.0, 0.0, 0.0, 0.0]);
            shares.0[kind as usize] = 0.9;
            shares
        });
        let found = lasting(&statements, &judged);
        assert_eq!(
            found[0].text,
            "You keep writing huge docstrings with Args sections. I don't want that. One line says it all."
        );
    }

    #[test]
    fn consecutive_lasting_sentences_are_one_statement() {
        let prompt =
            "Stop. Don't touch anything under src/gen. Those files are generated by buf. Now rename it.";
        let statements = of_prompt(prompt, 3, StatementContext::After, None);
        let found = lasting(&statements, &judged(&[0.1, 0.9, 0.6, 0.2]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "Don't touch anything under src/gen. Those files are generated by buf.");
        assert_eq!((found[0].kind, found[0].certainty), (StatementKind::Rule, Certainty::High));
    }

    #[test]
    fn two_rules_in_a_row_are_two_statements() {
        let texts = |prompt: &str| -> Vec<String> {
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            let each = judged(&vec![0.9; statements.len()]);
            lasting(&statements, &each).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(
            texts("From now on never use npm, always pnpm. Deploy only on Tuesdays, always."),
            ["Never use npm, always pnpm.", "Deploy only on Tuesdays, always."]
        );
        let together = "Keep fixtures in tests/data. Never edit them by hand.";
        assert_eq!(texts(together), [together]);
        let instead = "Don't use any. Use unknown.";
        assert_eq!(texts(instead), [instead]);
    }

    #[test]
    fn a_related_sentence_joins_but_is_no_statement_alone() {
        let texts = |lasting_shares: &[f32]| -> Vec<String> {
            let prompt = "We keep no vendored code. The folder only makes diffs unreadable.";
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            lasting(&statements, &judged(lasting_shares)).into_iter().map(|one| one.text).collect()
        };
        let both = ["We keep no vendored code. The folder only makes diffs unreadable."];
        assert_eq!(texts(&[0.9, 0.4]), both);
        assert_eq!(texts(&[0.4, 0.9]), both);
        assert_eq!(texts(&[0.9, 0.2]), ["We keep no vendored code."]);
        assert!(texts(&[0.4, 0.4]).is_empty());
        let announced = of_prompt("This is what the log says:", 1, StatementContext::After, None);
        assert!(lasting(&announced, &judged(&[0.9])).is_empty());
    }

    #[test]
    fn a_return_to_what_was_given_up_is_told_with_its_reason() {
        let found = |prompt: &str, probabilities: &[f32]| {
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            lasting(&statements, &judged(probabilities))
                .into_iter()
                .map(|one| (one.text, one.certainty))
                .next()
        };
        let back = "Vault got cancelled, licence cost. so we're back to ssm for secrets.";
        assert_eq!(
            found("nah, vault got cancelled, licence cost. so we're back to ssm for secrets", &[0.2, 0.45]),
            Some((back.to_owned(), Certainty::High))
        );
        assert_eq!(found("ok, we're back to square one", &[0.5]), None);
        assert_eq!(found("are we back to yarn?", &[0.5]), None);
    }

    #[test]
    fn a_short_order_after_a_prohibition_says_what_to_do_instead() {
        let texts = |prompt: &str, probabilities: &[f32]| -> Vec<String> {
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            lasting(&statements, &judged(probabilities)).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(texts("Don't use any. Use unknown.", &[0.8, 0.1]), ["Don't use any. Use unknown."]);
        assert_eq!(texts("We dropped any. Use unknown.", &[0.8, 0.1]), ["We dropped any."]);
        assert_eq!(
            texts("Don't use any. Use the time to fix the tests of the parser.", &[0.8, 0.1]),
            ["Don't use any."]
        );
    }

    #[test]
    fn what_was_pasted_or_is_of_a_language_without_examples_is_never_certain() {
        let certainty = |prompt: &str| {
            let statements = of_prompt(prompt, 1, StatementContext::Plain, None);
            let all = lasting(&statements, &judged(&vec![0.95; statements.len()]));
            all.iter().map(|one| one.certainty).collect::<Vec<_>>()
        };
        assert_eq!(certainty("Always run the tests before you push."), [Certainty::High]);
        assert_eq!(certainty("Vždy spusť testy, než odešleš změny."), [Certainty::Medium]);
        let pasted = "The linter runs on each file.\n\n".repeat(9) + "Always run the linter before you push.";
        assert!(certainty(&pasted).iter().all(|one| *one == Certainty::Medium));
    }

    #[test]
    fn what_is_taken_back_later_in_the_session_is_not_lasting() {
        let texts = |prompts: &[&str], probabilities: &[f32]| -> Vec<String> {
            let of = |(line, prompt): (u64, &&str)| of_prompt(prompt, line, StatementContext::After, None);
            let statements: Vec<Statement> = (1..).zip(prompts).flat_map(of).collect();
            lasting(&statements, &judged(probabilities)).into_iter().map(|one| one.text).collect()
        };
        let use_just = "From now on deploy with just.";
        let rule = "Always run the tests first.";
        assert!(texts(&[use_just, "Hm. Never mind, keep it as it is."], &[0.9, 0.1, 0.1]).is_empty());
        assert_eq!(texts(&[rule, use_just, "scratch that"], &[0.9, 0.9, 0.1]), [rule]);
        assert_eq!(texts(&[rule, &format!("{use_just} Oh, forget that.")], &[0.9, 0.9, 0.1]), [rule]);
    }

    #[test]
    fn a_sentence_that_points_to_the_one_before_is_told_with_it() {
        let statements = of_prompt(
            "The wallet folder holds fixtures. Never edit those.",
            1,
            StatementContext::Plain,
            None,
        );
        let found = lasting(&statements, &judged(&[0.2, 0.9]));
        assert_eq!(found[0].text, "The wallet folder holds fixtures. Never edit those.");
        assert_eq!(found[0].quote, "Never edit those.");
    }
}
