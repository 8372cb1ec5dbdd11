//! Finds what a person took back within the same session: "never mind", "scratch that".

use super::withdrawal::{Withdrawal, WithdrawalKind};
use super::{KindProbabilities, Statement, THRESHOLD_MEDIUM};
use crate::prose::pattern;

/// Maximum length of a sentence that takes something back, in characters.
const MAX_RETRACTION_CHARS: usize = 120;

// The object ends the clause: "forget that rule" and "don't forget that …" take nothing back.
pattern!(
    TAKES_BACK = r"(?ix)
    (?:^|[\s,.;:!–—-])(?:
        never\ ?mind | enver\ mind | nvm | vergiss\ (?:es|das) | oublie(?:z)?(?:\ (?:ça|cela))? | laisse\ tomber
        | olv[ií]da(?:lo|\ (?:eso|esto)) | d[ée]jalo
        | (?:scratch|ignore|disregard|forget)\ (?:it|that|this|my\ last(?:\ \w+)?|what\ i\ (?:just\ )?(?:said|wrote))
    )(?:\ (?:please|then|again|sorry|bitte))?(?:$|\s*[.,!;:?…–—-])
    | 算了 | 当我没说"
);
pattern!(
    KEEPS = r"(?i)\b(?:don'?t|don’t|do not|never|not|nicht|pas|no)\s+(?:ever\s+)?(?:scratch|ignore|disregard|forget|vergiss|oublie\w*|olvid\w*)\b"
);

/// Whether a sentence takes back what the person said before.
///
/// ```
/// use cm_learn::statement::takes_back;
/// assert!(takes_back("Actually, never mind."));
/// assert!(!takes_back("Don't forget that the tests need the database."));
/// ```
pub fn takes_back(sentence: &str) -> bool {
    sentence.chars().count() < MAX_RETRACTION_CHARS
        && TAKES_BACK.is_match(sentence)
        && !KEEPS.is_match(sentence)
}

/// Returns for each statement whether it was taken back later in the session: the lasting ones before
/// it in the same prompt, else those of the prompt before. Also what a later statement withdraws by its
/// topic, and a statement that only withdraws.
pub(super) fn are_taken_back(statements: &[Statement], judged: &[KindProbabilities]) -> Vec<bool> {
    let mut taken = are_void(statements, judged);
    for at in 0..statements.len() {
        let Some(withdrawal) = Withdrawal::of(statements, judged, at).filter(|_| !taken[at]) else {
            continue;
        };
        taken[at] = withdrawal.is_all;
        // What the session said about a thing that is gone may be what took its place.
        let earlier = (0..at).filter(|before| {
            withdrawal.kind != WithdrawalKind::Gone && withdrawal.names(&statements[*before].text)
        });
        earlier.for_each(|before| taken[before] = true);
    }
    taken
}

/// Returns the withdrawals of a session's statements that were not taken back later. Those of a topic about
/// which the person stated something lasting earlier in the session are left out, unless all about it is outdated: they
/// take that back.
pub fn withdrawals(statements: &[Statement], judged: &[KindProbabilities]) -> Vec<Withdrawal> {
    let lasts = |judged: &KindProbabilities| judged.lasting() >= THRESHOLD_MEDIUM;
    let void = are_void(statements, judged);
    let mut all = Vec::new();
    for (at, ((statement, own), _)) in
        statements.iter().zip(judged).zip(void).enumerate().filter(|(_, (_, void))| !void)
    {
        let is_of_session = |found: &Withdrawal| {
            let mut before = statements[..at].iter().zip(judged);
            before.any(|(before, judged)| lasts(judged) && found.names(&before.text))
        };
        let found = [Withdrawal::of(statements, judged, at), Withdrawal::of_refusal(statement, own)];
        all.extend(found.into_iter().flatten().filter(|found| found.is_of_all() || !is_of_session(found)));
    }
    all
}

fn are_void(statements: &[Statement], judged: &[KindProbabilities]) -> Vec<bool> {
    let mut void = vec![false; statements.len()];
    let lasts = |at: usize| judged.get(at).is_some_and(|one| one.lasting() >= THRESHOLD_MEDIUM);
    for (at, statement) in statements.iter().enumerate().filter(|(_, one)| takes_back(&one.text)) {
        let own = (0..at).filter(|before| statements[*before].line == statement.line && lasts(*before));
        let mut meant: Vec<usize> = own.collect();
        if meant.is_empty() {
            let previous =
                statements[..at].iter().rev().map(|one| one.line).find(|line| *line != statement.line);
            meant = (0..at).filter(|before| Some(statements[*before].line) == previous).collect();
        }
        meant.into_iter().for_each(|before| void[before] = true);
    }
    void
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_withdrawal_of_what_the_session_stated_concerns_no_other_session() {
        use super::super::{StatementContext, of_prompt};
        let of = |prompts: [&str; 2], lasting: [f32; 2]| {
            let typed = (1..).zip(prompts);
            let statements: Vec<Statement> = typed
                .flat_map(|(line, prompt)| of_prompt(prompt, line, StatementContext::After, None))
                .collect();
            let judged = lasting.map(|lasting| KindProbabilities([1.0 - lasting, lasting, 0.0, 0.0, 0.0]));
            withdrawals(&statements, &judged).len()
        };
        let withdrawn = "Forget what I said about the staging port.";
        assert_eq!(of(["The staging port is 8080.", withdrawn], [0.9, 0.1]), 0);
        assert_eq!(of(["Fix the test of the staging port.", withdrawn], [0.1, 0.1]), 1);
    }

    #[test]
    fn only_words_that_take_something_back_do() {
        for text in [
            "never mind",
            "nvm",
            "Scratch that, use npm.",
            "ok forget what I said.",
            "Ach, vergiss es!",
            "oublie ça",
            "算了，不用了",
        ] {
            assert!(takes_back(text), "{text}");
        }
        for text in [
            "forget that rule about tabs in the old files",
            "never mind the warnings of the linter",
            "don't forget that, it matters",
            "Never ignore this.",
            "ignore this folder in searches",
        ] {
            assert!(!takes_back(text), "{text}");
        }
    }
}
