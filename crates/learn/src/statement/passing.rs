//! Recognizes sentences that are not meant to last, whatever their probability: jokes, quotations, reports of harm, and what
//! holds for once.

use crate::diary::is_standing;
use crate::prose::pattern;

// "Brilliant, so now we just …": praise of what went wrong.
pattern!(
    IRONIC = r"(?i)^(?:oh,?\s+)?(?:brilliant|fantastic|wonderful|lovely|awesome|great|perfect|wow|nice)\b[,!.…\s]+(?:so|now|then|let['’]?s)\b.*(?:\b(?:(?:we|you|i|let['’]?s)\s+just|apparently|i guess|i suppose|call it)\b|(?:ja){2,}\W*$|(?:ha){2,}\W*$|\blol\W*$|[😂🤣]\W*$)"
);
// Jokes, what would be if something were otherwise, what may come, thoughts, and what others want or ask.
pattern!(
    NOT_MEANT = r"(?ix)\bwho\ needs\b | \bsure,?\s+why\s+not\b | \bwhat\ could\ (?:possibly\ )?go\ wrong\b | \bjust\ (?:venting|kidding|joking|dreaming)\b
      | \bif\ (?:we|i|they)\ ever\b.*(?:['’]d|\bwould|\bcould|\bmight)\b
      | ^always\ (?:fun|nice|love|great|good|something|a\ (?:joy|pleasure))\b | ^(?:always|never)\b.*\b(?:haha\w*|lol|isn['’]?t\ it)\W*$
      | ^(?:what\ i\ think|so|just|sorry|ok)?\b.{0,30}\bthinking\ (?:aloud|out\ loud)\s*[:,] | \bjust\ a\ (?:theory|hunch)\b | ^what\ i\ think\ (?:happens|happened|is\ (?:happening|going\ on))\b
      | \blaut\ gedacht\b | \bpensando\ en\ voz\ alta\b | \bje\ (?:pense|réfléchis)\ tout\ haut\b
      | \b(?:we|i|they)\ (?:might|may)\ (?:\w+\ )?(?:move|switch|migrate|drop|replace|go)\b | \bwants?\ us\ to\b"
);
// "The cloud people ask if we could send protobuf": a report, not an instruction about such questions.
pattern!(
    OTHERS_ASK = r"(?i)^(?:(?:ok|oh|hm+|the|our|some|so|and|btw)[,\s]+)*(?:\w+\s+){0,2}(?:people|guys|folks|team|customers?|clients?|users?|product|support|sales|marketing|management|they|he|she) (?:asks?|asked|wonders?|wants? to know) (?:if|whether)\b"
);
pattern!(CONDITION = r"(?i)^(?:if|when|whenever)\b");
// "You just truncated the holds on staging": a report of harm. What is to be learned of it is said beside it.
pattern!(
    ACCUSES = r"(?ix)^(?:(?:stop|no|wait|hey|oh\ no|wtf|halt|nein|para|arrête)[\s,.!]+)*(?:
        you(?:\s+have|['’]ve)?\s+(?:(?:just|again|simply)\s+)?(?:truncated|deleted|dropped|wiped|erased|overwrote|overwritten|destroyed|killed|emptied|nuked|reset|force-?pushed|reverted|lost)\b
      | du\s+hast\s+(?:(?:gerade|eben|einfach|jetzt|schon\ wieder)\s+)?(?:\S+\s+){1,8}?(?:gelöscht|geleert|überschrieben|zerstört|verworfen|zurückgesetzt)\b
      | (?:me\s+)?(?:acabas\s+de\s+(?:borrar|vaciar|pisar|sobrescribir|eliminar) | has\s+(?:borrado|vaciado|pisado|sobrescrito|eliminado))\b
      | tu\s+(?:viens\s+(?:de|d['’])\s*(?:supprimer|vider|écraser|effacer) | as\s+(?:supprimé|vidé|écrasé|effacé))\b )"
);
// "Raj in the standup: “we should never …”", "the docs say “always …”": the words of another person.
pattern!(
    QUOTES = r#"(?ix)^(?:[^\s:]+\s+){0,7}[^\s:]+:\s*["“„«](?:\S+\s+){4,}\S+["”“»]
      | \b(?:writes?|wrote|says?|said|reads?|states?|claims?|steht|schreibt|schrieb|sagt|sagte|meint|dice|dijo|pone|pon[ií]a|dit|disait|écrit)\b
        [^"“„«]{0,40}["“„«](?:[^"”“»\s]+\s+){4,}[^"”“»]+["”“»]
      | (?:说|写着?|讲)\s*[^"“「]{0,6}["“「][^"”」]{8,}["”」]"#
);
// "No changelog entry this time", "staging is frozen until noon".
pattern!(
    FOR_ONCE = r"(?ix)
      (?:^|[,;.]\s*)this\ (?:one\ )?time\b | \b(?:ignore|skip|leave|drop|omit)\b[^.;]{0,40}\bthis\ time\b | \bthis\ (?:one\ )?time\s*(?:$|[,.;!:)]|\b(?:i|we|you|it|with|without|please)\b)
    | \bthis\ (?:ticket|pr|mr|task|branch|story|issue)\ (?:is|covers|touches)\ (?:only|just)\b
    | \b(?:for|until|till)\ (?:tonight|this\ (?:evening|afternoon|morning|week|release|sprint))\b | \bas\ we\ speak\b
    | \b(?:leave|skip|drop|forget|lass\w*|deja|laisse)\b.{1,40}[,;:–—]\s*\S+\s+(?:does|do|is\ doing|will\ do|takes?|fix(?:es)?|macht|hace|fait)\s+(?:it|that|them|das|es|lo|le|la)\s+(?:on\s+\w+day|today|tonight|tomorrow|later|next\ week|am\s+\w+tag|morgen|heute|später|mañana|luego|hoy|demain|ce\ soir)\b
    | \b(?:leave|skip|drop|forget)\s+(?:it|that)\b.{0,6}[,;:–—]\s*\S+\s+(?:does|do|will\ do|takes?|fix(?:es)?)\s+(?:it|that)\s+(?:on\s+\w+day|today|tonight|tomorrow|later|next\ week)\b
    | [,;:–—]\s*\S+(?:['’]s|\ is|\ ist)\s+(?:already\s+|schon\s+|bereits\s+)?(?:on\ it|looking\ into\ it|working\ on\ it|fixing\ it|dran)\b
    | \b(?:just\ this\ once|(?:just|only)\ (?:for\ )?(?:today|tonight)|for\ this\ (?:one|ticket|pr|branch|task)\ only)\b
    | \b(?:until|till|til|bis|jusqu['’](?:à|au)|hasta)\s+(?:(?:the|zum|el|la|le)\s+)?(?:
        noon | tonight | tomorrow | next\ (?:week|month|monday|tuesday|wednesday|thursday|friday)
      | (?:mon|tues|wednes|thurs|fri|satur|sun)day | end\ of\ (?:the\ )?(?:day|week|month)
      | (?:this\ |the\ )?(?:afternoon|evening) | (?:heute\ )?(?:nachmittag|abend) | morgen | mittag | (?:mon|diens|donners|frei|sams|sonn)tag | mittwoch | nächste\w*\ (?:woche|monat)
      | ce\ soir | cet\ après-midi | demain | midi | lundi | mardi | mercredi | jeudi | vendredi | samedi | dimanche | semaine\ prochaine
      | mañana | mediodía | tarde | noche | esta\ noche | lunes | martes | miércoles | jueves | viernes | sábado | domingo | semana\ que\ viene
      | \d{1,2}(?:st|nd|rd|th) )\b
    | \b(?:can|may|leave|skip|keep|stays?|do\ not|don['’]?t|no|not|without|kein\w*|nicht|lass\w*|bitte|no|deja)\b[^.;:]{0,40}\s(?:today|heute|hoy)\b
    | \b(?:diesmal|dieses\ mal|ausnahmsweise|nur\ heute|heute\ mal)\b
    | \b(?:(?:pour\ )?cette\ fois|juste\ (?:pour\ )?aujourd['’]hui)\b
    | \b(?:(?:por\ )?esta\ vez|s[oó]lo\ (?:por\ )?hoy)\b
    | 这(?:一)?次|下不为例|仅此一次"
);
// "Make me a table of the codes", but not "write me a plan before you edit".
pattern!(
    WRITES_FOR_PERSON = r"(?ix)
    ^(?:(?:can|could|would|will)\s+you\s+)?(?:please\s+)?(?:answer|reply|respond)\ (?:to\ )?(?:the|this|that|his|her|their)\ (?:[\w'’]+\ )?(?:e-?mails?|mails?|message|ticket|question|comment|review)\b
    | ^(?:(?:can|could|would|will)\ you\s+)?(?:please\s+)?(?:make|write|draft|prepare|create|generate)\ (?:me|us)\ (?:a|an|some)\b | ^(?:bitte\s+)?(?:mach|schreib|erstell|bau)e?\ (?:mir|uns)\ (?:bitte\ |mal\ )*(?:kurz\ )?eine?n?\b
    | ^(?:por\ favor\s+)?(?:hac[eé]me|arm[aá]me|escrib[ií]me|prepar[aá]me|hazme|escríbeme|prepárame)\ una?\b | ^(?:fais|écris|prépare)z?-(?:moi|nous)\ une?\b"
);
pattern!(
    AT_EVENT = r"(?i)\b(?:before|after|whenever|when|once|at the end|bevor|nachdem|am ende|wenn|sobald|antes de|después de|al final|cuando|avant d|après|à la fin|quand)\b|\bavant de\b"
);
// "This time it worked, so from now on …", "never deploy from Friday until Monday".
pattern!(
    RECURS = r"(?ix)\b(?:always|from\ (?:now|this\ time)\ on|(?:as\ of|since|starting|from)\ (?:today|now)|(?:ab|seit)\ heute|desde\ hoy|a\ partir\ de\ hoy|in\ (?:the\ )?future|never|every|each|immer|ab\ jetzt|ab\ sofort|künftig|in\ zukunft|nie|niemals|jede\w*|nur\ ausnahmsweise
        |toujours|désormais|jamais|chaque|siempre|a\ partir\ de\ ahora|de\ ahora\ en\ adelante|nunca|cada
        |(?:from|von|ab|du|de|desde)\s\w+\s(?:until|till?|bis|au|jusqu\S*|hasta))\b
      | 以后|总是|每|从这次|必须"
);

/// Whether a sentence is a joke, a quotation or a report of what the agent destroyed.
pub(super) fn is_not_meant(text: &str) -> bool {
    [&IRONIC, &NOT_MEANT, &QUOTES].iter().any(|pattern| pattern.is_match(text))
        || OTHERS_ASK.is_match(text) && !CONDITION.is_match(text)
        || ACCUSES.is_match(text) && !is_standing(text)
}

/// Whether a sentence is about this time only.
pub(super) fn is_for_once(text: &str) -> bool {
    (FOR_ONCE.is_match(text) || WRITES_FOR_PERSON.is_match(text) && !AT_EVENT.is_match(text))
        && !RECURS.is_match(text)
}

/// Whether a sentence is about each time.
pub(super) fn recurs(text: &str) -> bool {
    RECURS.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_once_and_thoughts_are_not_meant_to_last() {
        for text in [
            "The flaky test is TestUpload, ignore it, Sam is on it",
            "Den Fehler im Import bitte nicht anfassen, Jonas ist schon dran",
            "Make me a short table of all fault codes, markdown, for the mail",
            "answer to the agencys mail pls, german, two three sentences",
            "can you make me a short table of all fault codes",
            "Schreib mir bitte eine Liste der Fehler",
            "armame una tabla con los códigos",
            "fais-moi un tableau des codes",
        ] {
            assert!(is_for_once(text), "{text}");
        }
        assert!(!is_for_once("Make me a short summary at the end of every session"));
        assert!(!is_for_once("Write me a plan before you edit anything."));
        assert!(!is_for_once("fais-moi un résumé à la fin"));
        assert!(is_not_meant("What i think happens, thinking aloud: the clock jumps at boot"));
        assert!(is_not_meant("ok so the cloud people ask if we could send protobuf instead of json"));
        assert!(is_not_meant("sure, why not print it on the trams as well"));
        assert!(!is_not_meant("Always ask if the lock file is there."));
        assert!(!is_not_meant("If users ask whether refunds work, link to the policy page."));
    }

    #[test]
    fn a_report_of_harm_states_nothing_and_a_ban_beside_it_does() {
        for text in [
            "You just truncated berth_holds on staging with CASCADE, the whole QA booking set is gone.",
            "STOP! You've deleted the fixtures",
            "Du hast gerade die ganze Tabelle gelöscht",
            "me acabas de borrar la base",
            "tu viens de supprimer la table",
        ] {
            assert!(is_not_meant(text), "{text}");
        }
        for text in ["You just run `make up` before the tests.", "You never deleted rows here, keep it so."] {
            assert!(!is_not_meant(text), "{text}");
        }
    }
}
