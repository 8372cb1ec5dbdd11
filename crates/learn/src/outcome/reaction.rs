//! Detects the user's reaction to the work before a message.

use crate::prose::{MessageAuthor, Sentence, pattern, sentences};

/// Whether a user's message shows satisfaction with the agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// The user is satisfied with the work.
    Satisfied,
    /// The user is not satisfied with the work.
    Dissatisfied,
}

pattern!(
    BAD = r"(?ix)
    \b(still|again)\s(not|broken|fail\w*|wrong|doesn'?t|does\snot|crash\w*|the\ssame|getting|see(ing)?\sthe)\b
  | \b(doesn'?t|does\snot|didn'?t|did\snot|isn'?t|not|won'?t)\s(even\s)?(work|working|fix\w*|help|compile|build|correct|right)\b
  | ^(no|nope|wrong)\b[,.!:]?\s?(that|this|it|still|wrong|not|$) | ^(that|this|it)('s|\sis)\s(wrong|not\s(right|what|correct)|incorrect|broken)
  | ^(please\s)?(revert|undo|roll\s?back|put\s(it|that|this)\sback)\b | \byou\s(broke|fuck\w*|messed|ruined|deleted)\b
  | ^(tests?|it|the\s(build|tests?|ci))\s(is|are)\s(still\s)?(failing|broken|red)\b | \b(i\sundid|i\sreverted)\b
"
);
pattern!(
    GOOD = r"(?ix)
    ^((ok(ay)?|yes|yep|yeah|great|cool|nice|and)\b[,.!\s]*)*(
        (many\s)?thanks\b | thank\syou | thx\b | perfect\b | awesome\b | excellent\b | lgtm\b | brilliant\b | wonderful\b
      | great\s(job|work)\b | great[!.,]?\s*$ | nice(\s(work|job|one))?[!.,]?\s*$ | well\sdone\b | love\sit\b
      | (that|this|it|everything|all)(\s(all|now))?\s?('s|works|worked|is)\s?(now\s|all\s)?(good|great|fine|perfect|fixed|working)?[\s!.,]*(now|great|fine|perfectly|as\sexpected)?[!.]?$
      | all\s(good|fine|set)[!.]?$ | looks\s(good|great|right|fine)\b | ship\sit\b | merge\sit\b | (tests?\s)?(all\s)?(pass(es|ing)?|green)(\snow)?[!.]?$ )
"
);
pattern!(TAKEN_BACK = r"(?i)\b(but|however|except|still|though|yet|unless|if|when)\b");

/// Classifies a user's message by its first three sentences that are not questions. Complaints take
/// precedence over praise; praise counts only if the message asks no question. `None` if there is
/// neither.
///
/// ```
/// use cm_learn::outcome::reaction::{Reaction, reaction};
/// assert_eq!(reaction("Perfect, thanks!"), Some(Reaction::Satisfied));
/// assert_eq!(reaction("still broken"), Some(Reaction::Dissatisfied));
/// assert_eq!(reaction("Thanks, but the build is failing?"), None);
/// ```
pub fn reaction(words: &str) -> Option<Reaction> {
    let statements = sentences(words, MessageAuthor::Person);
    let own: Vec<&Sentence> =
        statements.iter().filter(|sentence| !sentence.text.ends_with('?')).take(3).collect();
    if own.iter().any(|sentence| BAD.is_match(&sentence.text)) {
        return Some(Reaction::Dissatisfied);
    }
    let asks = statements.len() > own.len();
    let good =
        own.iter().any(|sentence| GOOD.is_match(&sentence.text) && !TAKEN_BACK.is_match(&sentence.text));
    (good && !asks).then_some(Reaction::Satisfied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn praise_is_distinguished_from_what_only_sounds_like_it() {
        for text in [
            "thanks!",
            "ok great, thank you",
            "Perfect.",
            "that works",
            "lgtm, merge it",
            "looks good to me",
            "it works now",
            "Great!",
            "all good",
            "tests pass now",
            "this is fixed",
            "everything is working",
        ] {
            assert_eq!(reaction(text), Some(Reaction::Satisfied), "{text}");
        }
        for text in [
            "great, now add tests for the parser when it fails",
            "is it perfect?",
            "make it look nice in dark mode",
            "add a thank you page",
            "continue",
            "",
            "it is a web server",
            "nice try is a bad name",
        ] {
            assert_eq!(reaction(text), None, "{text}");
        }
    }

    #[test]
    fn discontent_is_distinguished_from_a_task_that_names_a_failure() {
        for text in [
            "still broken",
            "that's not what I asked for",
            "no, that is wrong",
            "It doesn't work",
            "revert that",
            "please undo",
            "you broke the login",
            "nope",
            "tests are failing",
            "still getting the same error",
            "you fucked that up. i undid your changes",
        ] {
            assert_eq!(reaction(text), Some(Reaction::Dissatisfied), "{text}");
        }
        for text in [
            "add a test for wrong passwords",
            "can we undo a commit?",
            "no, use pnpm",
            "why does it not work?",
            "handle the case where git revert fails",
            "implement undo in the editor",
        ] {
            assert_eq!(reaction(text), None, "{text}");
        }
    }
}
