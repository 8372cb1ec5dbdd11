//! Finds where an agent explains why something failed.

use crate::diary::content_word_count;
use crate::prose::{MessageAuthor, pattern, sentences};

/// Maximum length of an explanation, in characters.
const LONGEST: usize = 280;
/// Minimum number of content words of a sentence that explains something.
const WORDS: usize = 5;

pattern!(
    CAUSE = r"(?ix)
      \b(?:root\ cause | (?:the|its)\ (?:real\ |actual\ )?cause\ (?:is|was) | (?:was|were|is|are)\ caused\ by | because | due\ to
        | the\ (?:real\ |actual\ )?(?:problem|issue|reason|bug|culprit|mistake|failure|error|flake)s?\ (?:is|was|came|comes|were|lies|lay)
        | turn(?:s|ed)\ out | c(?:ame|omes)\ from | th(?:at|is)(?:['’]s|\ is|\ was)\ why | which\ is\ why)\b
    | \b(?:weil|ursache|das\ problem\ (?:ist|war)|lag\ daran|liegt\ daran|der\ grund)\b
    | \b(?:porque|la\ causa|el\ problema\ (?:es|era)|se\ deb[ei]a?\ a)\b
    | \b(?:parce\ que|la\ cause|le\ problème\ (?:est|était|vient|venait))\b
    | 因为|原因是|问题在于"
);
pattern!(
    GUESS = r"(?i)\b(?:maybe|perhaps|probably|might|may be|could be|seems?|likely|i think|i suspect|let me|vermutlich|vielleicht|quizás|tal vez|peut-être)\b|可能|也许"
);

/// Returns the sentences of an agent's message that say why something failed: the first that names a cause, with
/// the next one where that fits. `None` for a message without one, and for guesses.
pub(super) fn explanation(message: &str) -> Option<String> {
    let all = sentences(message, MessageAuthor::Agent);
    let at = all.iter().position(|one| {
        CAUSE.is_match(&one.text)
            && !GUESS.is_match(&one.text)
            && !one.text.ends_with(['?', '？', ':'])
            && content_word_count(&one.text) >= WORDS
    })?;
    let cause = all[at].text.as_str();
    let both = all.get(at + 1).filter(|next| !GUESS.is_match(&next.text) && !next.text.ends_with(['?', ':']));
    let both = both.map(|next| format!("{cause} {}", next.text));
    both.filter(|text| text.chars().count() <= LONGEST)
        .or_else(|| (cause.chars().count() <= LONGEST).then(|| cause.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_names_the_cause_is_found_and_a_guess_is_not() {
        let found = |text: &str| explanation(text);
        assert_eq!(
            found("Found it. The reset came from flow_tick_cb: a timer callback runs in interrupt context. Works now.").as_deref(),
            Some("The reset came from flow_tick_cb: a timer callback runs in interrupt context. Works now.")
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
            "```\nfailed because the port is taken by another process\n```",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
