//! Finds where an agent explains why something failed.

use crate::content_words::content_word_count;
use crate::prose::{MessageAuthor, pattern, sentences};

/// Maximum length of an explanation, in characters.
pub(super) const MAX_EXPLANATION_CHARS: usize = 280;
/// Minimum number of content words of a sentence that explains something.
const MIN_EXPLANATION_WORDS: usize = 5;

pattern!(
    CAUSE = r"(?ix)
      \b(?:root\ cause | (?:the|its)\ (?:real\ |actual\ )?cause\ (?:is|was) | (?:was|were|is|are)\ caused\ by | because | due\ to
        | the\ (?:real\ |actual\ )?(?:problem|issue|reason|bug|culprit|mistake|failure|error|flake)s?\ (?:is|was|came|comes|were|lies|lay)
        | turn(?:s|ed)\ out | c(?:ame|omes?)\ (?:all\ )?from | th(?:at|is)(?:['’]s|\ is|\ was)\ why | which\ is\ why)\b
    | \b(?:weil|ursache|das\ problem\ (?:ist|war)|(?:lag|liegt)\ (?:es\ )?(?:daran|an|am)|das\ erklärt|der\ grund)\b
    | \b(?:porque|la\ causa|el\ problema\ (?:es|era)|se\ deb(?:e|[ií]a)\ a)\b
    | \b(?:parce\ que|la\ cause|le\ problème\ (?:est|était|vient|venait))\b
    | 因为|原因是|问题在于"
);
pattern!(
    GUESS = r"(?i)\b(?:maybe|perhaps|probably|might|may be|could be|seems?|likely|i think|i suspect|let me|not because|don['’]t know|not sure|whether|unclear|unknown|vermutlich|vielleicht|quizás|tal vez|peut-être)\b|可能|也许"
);

pattern!(
    CONNECTS = r"(?ix)(?:[,;:]|^)\s*(?:so|since|as|otherwise|else|sonst|da|also|deshalb|sinon|donc|puisque|comme|si\ no|así\ que|ya\ que)\b
    | \b(?:must|ha(?:s|ve)\ to|need(?:s|ed)?\ to|can\ only|only\ (?:if|when|while|after|before)|unless|without|if|whenever
        | muss|müssen|nur\ (?:wenn|nach|vor)|ohne|wenn|erst
        | doit|doivent|il\ faut|sans|seulement|si
        | debe|deben|hay\ que|tiene\ que|sin|solo|si)\b"
);

/// Whether a sentence connects a condition or a cause with what follows from it.
pub(super) fn connects(text: &str) -> bool {
    CAUSE.is_match(text) || CONNECTS.is_match(text)
}

/// Returns the first sentence of an agent's message that names a cause. `None` for a message without one, and for
/// guesses.
pub(super) fn explanation(message: &str) -> Option<String> {
    let all = sentences(message, MessageAuthor::Agent);
    let is_cause = |text: &String| {
        CAUSE.is_match(text)
            && is_certain(text)
            && text.chars().count() <= MAX_EXPLANATION_CHARS
            && content_word_count(text) >= MIN_EXPLANATION_WORDS
    };
    all.into_iter().map(|one| one.text).find(is_cause)
}

/// Whether a sentence is neither a guess nor a question.
pub(super) fn is_certain(text: &str) -> bool {
    !GUESS.is_match(text) && !text.ends_with(['?', '？', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_names_the_cause_is_found_and_a_guess_is_not() {
        let found = |text: &str| explanation(text);
        assert_eq!(
            found("Found it. The reset came from flow_tick_cb: a timer callback runs in interrupt context. Works now.").as_deref(),
            Some("The reset came from flow_tick_cb: a timer callback runs in interrupt context.")
        );
        assert_eq!(
            found("Passes. The image embeds tzdata now, because the containers have no zone files.")
                .as_deref(),
            Some("The image embeds tzdata now, because the containers have no zone files.")
        );
        for text in [
            "All tests pass.",
            "Maybe it fails because the port is taken by another process.",
            "Is it because the port is taken by another process?",
            "The cause is unclear.",
            "I don't know yet whether the failure is caused by the cache or the network.",
            "```\nfailed because the port is taken by another process\n```",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
