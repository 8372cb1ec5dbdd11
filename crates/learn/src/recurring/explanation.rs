//! Finds where an agent explains why something failed, or what made it work.

use crate::content_words::content_word_count;
use crate::prose::{MessageAuthor, capitalized, pattern, sentences};

/// Maximum length of an explanation, in characters.
pub(super) const MAX_EXPLANATION_CHARS: usize = 280;
/// Minimum number of content words of a sentence that explains something.
const MIN_EXPLANATION_WORDS: usize = 5;
/// Minimum number of content words of one that says what made something work.
const MIN_WORKED_WORDS: usize = 2;

pattern!(
    CAUSE = r"(?ix)
      \b(?:root\ cause | (?:the|its)\ (?:real\ |actual\ )?cause\ (?:is|was) | (?:was|were|is|are)\ caused\ by | because | due\ to
        | the\ (?:real\ |actual\ )?(?:problem|issue|reason|bug|culprit|mistake|failure|error|flake)s?\ (?:is|was|came|comes|were|lies|lay)
        | turn(?:s|ed)\ out | c(?:ame|omes?)\ (?:all\ )?from | th(?:at|is)(?:['’]s|\ is|\ was)\ why | which\ is\ why
        | (?:was|were)\ the\ (?:\w+\ )?(?:cause|culprit) | (?:has|have|had)\ (?:the\ same|one|a\ (?:common|single|simple))\ (?:root\ )?cause
        | since\ (?:\S+\s+){1,2}(?:needs?|expects?|requires?|lacks?|does(?:\ not|n['’]t)|can(?:not|['’]t)))\b
    | \b(?:kommt|kommen|kam|kamen|rührt|rühren)\ (?:vermutlich\ )?daher\b | \b(?:weil|ursache|das\ problem\ (?:ist|war)|(?:lag|liegt)\ (?:es\ )?(?:daran|an|am)|das\ erklärt|der\ grund)\b
    | \b(?:viene|vienen|venía)\ de\ que\b | \b(?:porque|la\ causa|el\ problema\ (?:es|era)|se\ deb(?:e|[ií]a)\ a)\b
    | \b(?:vient|viennent|venait)\ (?:de\ ce\ que|du\ fait)\b | \b(?:parce\ que|la\ cause|le\ problème\ (?:est|était|vient|venait))\b
    | 因为|原因是|问题在于"
);
pattern!(
    GUESS = r"(?i)\b(?:maybe|perhaps|probably|might|may be|could be|seems?|likely|i think|i suspect|(?:my|a|one|first|second|other) (?:guess|hypothesis|idea)|let me|not because|don['’]t know|not sure|whether|unclear|unknown|vermut\w*|wahrscheinlich|ich glaube|vielleicht|quizás|tal vez|creo que|supongo|probablemente|puede que|hipótesis|peut-être|je pense|sans doute|hypothèse)\b|可能|也许"
);

// "None of these settings was the cause", "if the lock was the culprit, …".
pattern!(NO_CAUSE = r"(?i)^(?:none|neither|nothing|if)\b");
pattern!(
    CONNECTS = r"(?ix)(?:[,;:]|^)\s*(?:so|since|as|otherwise|else|sonst|da|also|deshalb|sinon|donc|puisque|comme|si\ no|así\ que|ya\ que)\b
    | \b(?:must|ha(?:s|ve)\ to|need(?:s|ed)?\ to|can\ only|lacks?|ha(?:s|ve)\ no|only\ (?:if|when|while|after|before)|unless|without|if|whenever
        | muss|müssen|nur\ (?:wenn|nach|vor)|ohne|wenn|erst
        | doit|doivent|il\ faut|sans|seulement|si
        | debe|deben|hay\ que|tiene\ que|sin|solo|si)\b"
);
// "Confirmed: …", "The test confirms it. …".
pattern!(
    CONFIRMS = r"(?ix)^(?:(?:ok|yes|so|good)[,.]?\s+)?(?:
        confirmed | verified | the\ (?:\w+\ )?(?:test|check|build|run|benchmark|probe|log|trace|profile)s?\ (?:now\ )?(?:confirms?|proves?)(?:\ (?:it|that|this))?
      | bestätigt | (?:der\ (?:test|lauf|build|versuch)|die\ (?:messung|probe))\ bestätigt\ (?:es|das) | confirmado | (?:el\ (?:test|ensayo)|la\ (?:prueba|medición))\ lo\ confirma | confirmé | (?:le\ test|l['’]essai|la\ mesure)\ le\ confirme | 确认了?
      )\s*(?:[:.,–—：。]\s*|$)"
);
// "With `X=1` in run.sh it passes", "Builds again after `make gen`".
pattern!(
    WORKED = r"(?ix)
      (?:^|[,;:]\s+)(?:with|after|without|using)\s.+\b(?:pass(?:es|ed)?|works?|worked|builds?|runs?|ran|succeed(?:s|ed)?|starts?|connects?|loads?|compiles?|(?:goes|went)\ through|(?:is|are)\ found|comes?\ out\ (?:right|correct))\b
    | ^(?:(?:so|and|now|ok|good)[,\s]+)*(?:(?:it|this|that|everything|all\ of\ it|(?:flash|build|runn|deploy|test|compil|link|start|connect|install|import|load)ing|the\ (?:\S+\s+){1,5}?)\s*)?(?:now\s+)?
        (?:pass(?:es)?|works?|builds?|runs?|succeeds?|starts?|connects?|loads?|compiles?|(?:goes|went|runs|ran)\ through)\s+(?:(?:now|again|fine|through)\s+)*(?:with|after|without|using|once|when|if)\b
    | ^(?:(?:it|everything)\s+)?(?:now\s+)?(?:pass(?:es)?|works?|builds?|runs?|compiles?)\s+(?:in|from)\s+the\s+(?:switch|container|environment|venv|image|shell|profile|directory|folder)\b
    | \b(?:pass(?:es)?|works?|builds?|compiles?)\s+now\s+(?:that|since)\b
    | ^(?:mit|nach|ohne|seit)\s.+\b(?:läuft|laufen|klappt|geht|gehen|passt|baut|funktioniert|startet)\b
    | ^(?:jetzt\ |es\ |das\ )?(?:läuft|klappt|geht|baut|funktioniert|startet)\s+(?:(?:jetzt|wieder|nun)\s+)?(?:mit|nach|ohne|seit)\b
    | ^(?:con|tras|después\ de|sin)\s.+\b(?:funciona|pasan?|compila|arranca|conecta)\b | ^(?:ya\ )?(?:funciona|pasan?|compila|arranca)\s+(?:con|tras|sin)\b
    | ^(?:avec|après|sans)\s.+\b(?:passe(?:nt)?|marche|fonctionne|compile|démarre)\b | ^(?:ça\ )?(?:passe|marche|fonctionne|compile)\s+(?:avec|après|sans)\b"
);
// What has to be done.
pattern!(
    REQUIRES = r"(?ix)\b(?:must|has\ to|have\ to|needs?\ to)\ (?:be|go|come|move|run|match|follow|stay|point|list|name|contain)\b
      | \b(?:muss|müssen)\b.+\b(?:werden|sein|laufen|stehen|passen)\b | \b(?:hay\ que|tienen?\ que|debe[n]?)\ \w+[aei]r\b | \b(?:doi(?:t|vent)|il\ faut)\ \w+(?:er|ir|re)\b"
);
// What the agent did or will do, and what is still to be done.
pattern!(
    OF_AGENT = r"(?i)\b(?:i|i['’](?:ll|m|ve|d)|we|let me|let['’]s|ich|wir|yo|nosotros|je|j['’]\w+|nous)\b|\b(?:still|next|todo|yet|noch|todavía|encore)\b"
);
// A word that names something of the project: code, an option, a path, a setting, an abbreviation.
pattern!(NAMES_THING = r"`|\w\(\)|\w[_/=]\w|--\w|[a-z][A-Z]|\b[A-Z]{3,}\b|\b[A-Z]{2,}\d+\b|\w{2}\.\w{1,4}\b");

/// Whether a word of a text, such as "because", marks a cause.
pub(super) fn marks_cause(text: &str) -> bool {
    CAUSE.is_match(text)
}

/// Whether a sentence connects a condition or a cause with what follows from it.
pub(super) fn connects(text: &str) -> bool {
    CAUSE.is_match(text) || CONNECTS.is_match(text)
}

/// Returns the first sentence of an agent's message that names a cause; without one, the sentence that the agent
/// says was confirmed, or that says what made something work. `None` for a message without any, and for guesses.
pub(super) fn explanation(message: &str) -> Option<String> {
    let all: Vec<String> =
        sentences(message, MessageAuthor::Agent).into_iter().map(|sentence| sentence.text).collect();
    let has_worked = |text: &&String| {
        let names_thing = NAMES_THING.is_match(text) && content_word_count(text) >= MIN_WORKED_WORDS;
        WORKED.is_match(text) && names_thing && !OF_AGENT.is_match(text) && is_certain(text)
    };
    let cause = all.iter().find(|text| CAUSE.is_match(text) && !NO_CAUSE.is_match(text) && is_telling(text));
    let confirmed = || confirmed(&all).map(|at| &all[at]);
    let worked = || all.iter().filter(|text| text.chars().count() <= MAX_EXPLANATION_CHARS).find(has_worked);
    cause.or_else(confirmed).or_else(worked).cloned()
}

/// Returns the first sentence of an agent's message that says what has to be done; `None` for a message without one,
/// and for guesses.
pub(super) fn requirement(message: &str) -> Option<String> {
    let mut all = sentences(message, MessageAuthor::Agent).into_iter().map(|sentence| sentence.text);
    all.find(|text| REQUIRES.is_match(text) && !OF_AGENT.is_match(text) && is_telling(text))
}

/// Whether a text says what has to be done.
pub(super) fn requires(text: &str) -> bool {
    REQUIRES.is_match(text)
}

/// Whether a sentence is certain, and long and short enough for an explanation.
fn is_telling(text: &str) -> bool {
    is_certain(text)
        && text.chars().count() <= MAX_EXPLANATION_CHARS
        && content_word_count(text) >= MIN_EXPLANATION_WORDS
}

/// Returns the place of the sentence that a message says was confirmed: the one with such a word at its beginning, or,
/// if that stands alone, the next one. `None` for a guess and for what the agent did.
pub(super) fn confirmed(sentences: &[String]) -> Option<usize> {
    let at = sentences.iter().position(|text| CONFIRMS.is_match(text))?;
    let stands_alone = CONFIRMS.find(&sentences[at])?.end() == sentences[at].len();
    let at = at + usize::from(stands_alone);
    sentences.get(at).filter(|text| is_telling(text) && !OF_AGENT.is_match(text)).map(|_| at)
}

/// Whether an explanation only says what made something work, so that it needs the error to be understood.
pub(super) fn needs_error(explanation: &str) -> bool {
    WORKED.is_match(explanation) && !CAUSE.is_match(explanation)
}

/// Returns an explanation without "Confirmed:" at its beginning and without the full stop.
pub(super) fn stated(explanation: &str) -> String {
    let text = explanation.trim_end_matches('.');
    let start = CONFIRMS.find(text).map_or(0, |found| found.end());
    if 0 < start && start < text.len() { capitalized(&text[start..]) } else { text.to_owned() }
}

/// Whether a text says that it is a guess.
pub(super) fn is_guess(text: &str) -> bool {
    GUESS.is_match(text)
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
        for (message, expected) in [
            (
                "Confirmed: the index was built before the rows of the second file came in.",
                "Confirmed: the index was built before the rows of the second file came in.",
            ),
            (
                "The test confirms it. The tap ratio of a transformer belongs at the from side.",
                "The tap ratio of a transformer belongs at the from side.",
            ),
            ("With `X=1` in run.sh it passes.", "With `X=1` in run.sh it passes."),
            (
                "Flashing works with `speed 950` in rig.cfg; 4000 kHz is too fast for this cable.",
                "Flashing works with `speed 950` in rig.cfg; 4000 kHz is too fast for this cable.",
            ),
            (
                "Builds in the switch stc-413, the default one has no LLVM bindings.",
                "Builds in the switch stc-413, the default one has no LLVM bindings.",
            ),
            (
                "With `(deps %{bin:stc})` the binary is found.",
                "With `(deps %{bin:stc})` the binary is found.",
            ),
            (
                "Identical. The order of Hashtbl.iter was the cause; globals go through a sorted map.",
                "The order of Hashtbl.iter was the cause; globals go through a sorted map.",
            ),
            (
                "The dates were wrong since read.tucson needs `long = TRUE` for early years.",
                "The dates were wrong since read.tucson needs `long = TRUE` for early years.",
            ),
            (
                "`mise install` brings the pinned Rust; after it the NIF compiles.",
                "`mise install` brings the pinned Rust; after it the NIF compiles.",
            ),
            (
                "It passes now that the FuelParser gets its culture from outside.",
                "It passes now that the FuelParser gets its culture from outside.",
            ),
            (
                "Passes with withoutVite() in tests/Pest.php for all feature tests.",
                "Passes with withoutVite() in tests/Pest.php for all feature tests.",
            ),
            (
                "Mit NODE_OPTIONS=--no-warnings läuft der Build durch.",
                "Mit NODE_OPTIONS=--no-warnings läuft der Build durch.",
            ),
        ] {
            assert_eq!(found(message).as_deref(), Some(expected), "{message}");
        }
        assert_eq!(stated("Confirmed: the index was stale."), "The index was stale");
        assert_eq!(
            requirement("Builds. The ksp version in the catalogue has to be raised with each Kotlin bump.")
                .as_deref(),
            Some("The ksp version in the catalogue has to be raised with each Kotlin bump.")
        );
        assert_eq!(requirement("The changelog of this release still needs to be written by hand."), None);
        for text in [
            "All tests pass.",
            "After the edit I ran the linter in src/app and pushed the branch, which passes.",
            "Once the server starts, open http://localhost:3000/login in the browser.",
            "Verified. I left the other three files of the module as they were before.",
            "Maybe it fails because the port is taken by another process.",
            "Is it because the port is taken by another process?",
            "The cause is unclear.",
            "The table has been empty since the release in March.",
            "None of these three settings was the cause of the failing parser test.",
            "The suite now runs in 12.4 seconds, down from 80 with `make -j`.",
            "Nothing works with `gcc 14` any more.",
            "The page loads in `App.tsx`.",
            "I don't know yet whether the failure is caused by the cache or the network.",
            "```\nfailed because the port is taken by another process\n```",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
