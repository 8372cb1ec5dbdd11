//! Finds the name of what is no longer used according to a sentence: "Jenkins is gone since Friday", "precommit is now
//! called check", "we moved from make to just".

use super::doubt::{MAX_WITHDRAWAL_CHARS, has_condition, is_for_now, is_unsure};
use crate::prose::pattern;

/// Minimum probability that a sentence which says that something is gone is meant to last.
const MIN_GONE_PROBABILITY: f32 = 0.1;
/// Minimum probability of such a sentence about the task of a runner, such as "make fmt".
const MIN_TASK_GONE_PROBABILITY: f32 = 0.05;
/// Minimum probability of a sentence which says that something was replaced or is no longer used. Code is replaced, too.
const MIN_REPLACED_PROBABILITY: f32 = 0.25;

/// The pattern of a name: code, a word that up to two words in upper case follow, or the task of a runner such as "make
/// fmt". It is one group.
macro_rules! name {
    () => {
        r"(`[^`]{1,40}`|[\x22“][^\x22“”]{1,40}[\x22”]|['\x22]?\w(?:(?-i:[\w./:@+-])*\w)?['\x22]?(?:\s(?-i:[A-Z0-9][\w.+-]*)){0,2}|\b(?:npm|pnpm|yarn|bun|composer|make|just|task|rake)\s(?:run\s)?[a-z][\w:-]*)"
    };
}

// A name without an article: "the warning is gone" is about something that happened, "Jenkins is gone" about a tool.
pattern!(
    GONE = concat!(
        r"(?ix)
      (?:^|[;–—(，。；]\s*|[,:.]\s+|\b(?:and|und|et|y|so|also|btw|ok|now|jetzt)[,\s]+)
      ",
        name!(),
        r"(?:
        \s+(?:is|are|has\ been|have\ been)\s+(?:now\s+|finally\s+)?(?:gone|history|retired|decommissioned|phased\ out)
      | \s+(?:was|were)\s+(?:retired|decommissioned|phased\ out|closed\s+(?:down\s+)?(?:in|at)\s+the\s+(?:end|beginning)\s+of\s+(?:january|february|march|april|may|june|july|august|september|october|november|december|last\s+\w+|20\d\d)\b)
      | \s+(?:is|are)\s+(?:now\s+|being\s+)?(?:sunset|sunsetted|discontinued|end\ of\ life|eol|no\ more\s*(?:$|[,.;!]))
      | \s+(?:was|were|got|has\ been|have\ been)\s+(?:sunset|sunsetted|discontinued)\b
      | \s+went\s+read[\s-]?only\b | \s+(?:is\ being|are\ being|gets?|will\ be)\s+(?:shut\ down|retired|decommissioned|phased\ out)\b
      | \s+(?:wird|werden)\s+(?:(?:jetzt|nun|ende|anfang|mitte|der|des|im|am|zum|monats|woche|jahres|\w+tags?|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\s+){0,4}(?:abgeschaltet|abgelöst|abgeschafft|stillgelegt)\b
      | \s+se\ (?:va|van|fue|fueron)\s*(?:$|[,.;!]) | \s+no\ (?:va|van)\ más\s*(?:$|[,.;!])
      | \s+(?:est|sont)\ abandonnée?s?\b | \s+dégagent?\s*(?:$|[,.;!]) | \s+(?:fliegt|fliegen)\s+(?:jetzt\s+)?raus\b
      | \s+(?:has\ |have\ )?had\ (?:its|their)\ (?:time|day) | \s+hat\ ausgedient | \s+a\ fait\ son\ temps | \s+ya\ (?:ha\ )?cumplió
      | \s+(?:is|are)\s+now\s+called\s | \s+(?:is|are)\s+called\s+(?:`[^`]+`|\S+)\s+(?:now|since|as\ of|from)\b
      | \s+(?:was|were|got|has\ been|have\ been)\s+renamed\s+(?:to|as)\b
      | \s+(?:no\ longer\ exists?|do(?:es)?(?:n['’]t|\ not)\ exist\ any\ ?(?:more|longer))
      | \s+gibt(?:['’]?s|\ es)\s+(?:(?:hier|jetzt|nun|bei\ uns|ab\ (?:sofort|heute|jetzt)|seit\ heute)\s+)?nicht\ mehr
      | \s+(?:heißt|heisst)\s+(?:jetzt|nun|ab\ jetzt|ab\ sofort)\s
      | \s+(?:ist|sind)\s+(?:(?:jetzt|nun|inzwischen|seit\s\S+)\s+)?(?:weg|geschichte|abgeschafft)\b
      | \s+(?:ya\ no\ existen?|ahora\ se\ llama|se\ llama\ ahora|pasó\ a\ llamarse)\b
      | \s+(?:n['’]existe\ plus|s['’]appelle\ (?:maintenant|désormais)|c['’]est\ fini|a\ disparu)
      | \s*(?:已经?下线|下线了|没了|改名[叫为成])
      )
    | (?:^|[;–—(]\s*|[,:.]\s+|\b(?:and|und|so|also|btw|ok)[,\s]+)(?:
        we(?:['’]ve|\ have)?\s+(?:(?:just|finally|now)\s+)?(?:(?:moved|migrated)\s+(?:away\ from|off(?:\ of)?)|switched\s+away\ from)
      | (?:wir\ sind\ )?weg\ von
      | (?:on\ a\ quitté|nos\ fuimos\ de)
      )\s+",
        name!(),
        r"
      \s*(?:$|[,.;!:)]|\b(?:and|so|in|for|since|to|last|und|seit|et|depuis|y|desde)\b)
    | (?:^|[;–—(]\s*|[,:.]\s+)(?:they|we)(?:['’]ve|\s+have)?\s+(?:(?:just|finally|now)\s+)?(?:switched\s+off|turned\s+off|shut\s+down)\s+",
        name!(),
        r"
      (?:\s+(?:on\s+\w+day|last\s+\w+|yesterday|today))?\s+for\s+good\s*(?:$|[,.;!])"
    )
);
// What was replaced, and what people say they no longer use.
pattern!(
    REPLACED = concat!(
        r"(?ix)
      (?:^|[;–—(，。；]\s*|[,:.]\s+|\b(?:and|und|et|y|so|also|btw|ok|no|because|since)[,\s]+)(?:
        we(?:['’]ve|\ have)?\s+(?:(?:just|finally|now|all)\s+)?
          (?:dropped|ditched|scrapped|abandoned|replaced|retired|killed\s+off|pulled\s+the\s+plug\s+on|said\s+goodbye\s+to|got\ rid\ of|gotten\ rid\ of|stopped\ using|(?:switched|moved|migrated|changed)\s+(?:over\s+)?from|no\ longer\ use)
      | (?:ya\ )?no\ (?:usamos|utilizamos)\ más | ya\ no\ (?:usamos|utilizamos)(?:\ más)?
      | (?:hemos\ )?(?:cambiado|cambiamos|reemplazad[oa]|reemplazamos|sustituido|sustituimos) | (?:pasamos|migramos|hemos\ pasado)\ de | (?:hemos\ dejado|dejamos)\ de\ usar
      | on\ a\ (?:remplacé|abandonné|viré|lâché) | on\ est\ passée?s?\ de | (?:on|nous)\ n['’]utilis(?:e|ons)\ plus
      | 我们(?:现在)?(?:已经)?(?:不再使用|不再用|不用) | (?:把|从)
      )\s*",
        name!(),
        r"
      \s*(?:$|[,.;!:)，。；]|\b(?:and|so|for|with|by|to|in\ favou?r|last|this|since|entirely|completely|por|a|en|par|pour|à|depuis|desde)\b|换成|迁移到|改成|迁到|了)
    | (?:^|[;–—(，。；]\s*|[,:.]\s+|\b(?:and|und|et|y|so|also|btw|ok|no|nah|nee)[,\s]+)
      ",
        name!(),
        r"(?:
        \s+(?:was|were|got|is|are|has\ been|have\ been)\s+(?:(?:just|now|finally|all)\s+)?(?:replaced\s+(?:by|with)|shut\ down|thrown\ out|no\ longer\ (?:used|in\ use))\b
      | \s+(?:did(?:n['’]?t|\ not)\s+work\s+out|hat\ (?:sich\ )?nicht\ (?:funktioniert|geklappt|bewährt)|no\ funcionó|n['’]a\ pas\ marché)\b
      | \s+(?:is|are)\s+(?:dead|out)\s*(?:$|[,.;!–—]|\b(?:since|as\ of|now)\b)
      | \s+(?:is\s+|goes\s+|geht\s+)?(?:out|raus|fuera|dehors)\s*[,;+&]\s*(?:and\s+|und\s+|y\s+|et\s+)?\S+\s+(?:is\s+|comes\s+|kommt\s+)?(?:in|rein|dentro|dedans)\b
      | \s+(?:wurden?|ist|sind)\s+(?:(?:jetzt|nun|inzwischen)\s+)?(?:durch\s.{1,40}?\s(?:ersetzt|abgelöst)|abgeschaltet|rausgeflogen|raus\s*(?:$|[,.;!–—]))
      | \s+haben?\s+wir\s+(?:\S+\s+){0,3}(?:rausgeschmissen|rausgeworfen|abgeschafft|abgeschaltet|ersetzt|abgelöst|aufgegeben)\b
      | \s+(?:be)?(?:nutzen|verwenden|brauchen|nehmen)\s+wir\s+(?:\w+\s+)?nicht\s+mehr\b
      | \s+(?:fue|ha\ sido)\s+(?:reemplazad|sustituid)[oa]\s+por\b
      | \s+ya\ no\ (?:l[oa]s?\s+)?(?:usamos|utilizamos|se\ usa|se\ utiliza)\b
      | \s+(?:a\ été|est)\s+remplacée?\s+par\b
      | \s+on\ (?:ne\ l['’]utilise|n['’]en\ veut)\ plus\b
      | \s*(?:已经)?(?:被.{1,20}(?:取代|替换)|换成|(?:我们)?(?:已经不|不再)(?:使用|用))
      )
    | \b(?:we|nobody)\s+(?:do(?:es)?\ not|don['’]?t|doesn['’]?t)\s+use\s+",
        name!(),
        r"\s+any\s?(?:more|longer)\b
    | \b(?:wir|man)\s+(?:haben|hat|sind|ist)\s+(?:jetzt\s+)?(?:von\s+|den\s+|die\s+|das\s+)?",
        name!(),
        r"\s+
        (?:(?:durch|auf|zu|gegen)\s+.{1,40}?\s+)?(?:ersetzt|abgelöst|umgestiegen|umgestellt|umgezogen|gewechselt|rausgeschmissen|rausgeworfen|abgeschafft|abgeschaltet)\b
    | \b(?:wir|man)\s+(?:be)?(?:nutzen|nutzt|verwenden|verwendet)\s+(?:jetzt\s+)?",
        name!(),
        r"\s+nicht\s+mehr\b
    | ^\S+\s+(?:has\ |have\ |now\ |just\ )?(?:replaced|replaces)\s+",
        name!(),
        r"\s*(?:$|[,.;!])
    | \bnow\b.{0,40}?(?:\binstead\s+of|,\s*not)\s+",
        name!(),
        r"\s*[.!]*$"
    )
);
// Breakage, what is asked to be repaired, plans, hearsay, and what concerns one place or purpose only.
pattern!(
    NOT_GONE = r"(?ix)\b(?:restor\w+|restart\w*|re-?install\w*|revert\w*|undo|(?:bring|put|get|got|is|are)\s(?:\w+\s)?back|fix|broke\w*|again|after\ (?:the|your|my|this|a)|since\ (?:the|your|my|this)
        |by\ mistake|accident\w*|apparently|supposedly|rumou?r\w*|imagine|suppose|say|next\ (?:week|month|year|quarter|sprint)|soon|not\ yet|in\ 20\d\d|in\ this|in\ that|on\ this|in\ my|on\ my|(?:for|in)\ (?:the|our|new)|(?:für|bei)\ (?:die|den|das|unser\w*)|(?:para|en)\ (?:el|la|los|las|nuestr\w+)|(?:pour|dans)\ (?:le|la|les|notre)|just\ to\ see|locally|(?-i:TODO)
        |wieder|nochmal|neu\ starten|starte|seit\ (?:dem|der|deine\w*)|nach\ (?:dem|der)|bald|demnächst|nächste\w*|angeblich|lokal|remets|redémarr\w*|après|bientôt|dans\ ce\w*|reinici\w*|pronto|vuelve|en\ la\ tabla)\b
      | 恢复|重启|内存"
);
// Words that are no name of a tool: pronouns, and what comes and goes, such as errors.
pattern!(
    NO_NAME = r"(?ix)^(?:the|this|that|our|my|der|die|das|dem|den|dies\w*|unser\w*|mein\w*|le|la|les|notre|nos|el|los|las|nuestr[oa]s?)\s
      | ^[`'\x22]?(?:it|its|this|that|these|those|there|here|they|he|she|we|i|you|one|all|any|a|an|each|every|everything|everyone|nothing|what|which|who|both|most|some|no|the|our|my|his|her|their|your
      |(?:pr|mr|issue|ticket)\s?\#?\d+|prs?|tickets?|issues?|branch(?:es)?|commits?|files?|lines?|code|logs?|errors?|warnings?|failures?|bugs?|problems?|issues?|messages?|crash(?:es)?|timeouts?|flakes?|conflicts?|tests?|comments?|changes?|data|output|support|time|power
      |es|das|dies|alles|sie|er|wir|die|der|den|dem|da|was|fehler|warnung(?:en)?|meldung(?:en)?|problem|änderung(?:en)?|daten|strom
      |ça|cela|ce|tout|il|elle|on|le|la|les|un|une|erreurs?|avertissements?|eso|esto|todo|ello|el|los|las|errores|avisos?|problemas?|这|那|它|都|全|错误|问题|警告)[`'\x22]?$"
);
// A negation before the name, in the same clause: the text recommends something else.
pattern!(
    DENIED_BEFORE = r"(?i)(?:\b(?:not|never|no|no longer|without|instead of|rather than|over|from|formerly|nicht|nie|kein\w*|statt|ohne|früher|pas|ancien\w*|jamais|plus de|sans|au lieu de|nunca|sin|antes|en vez de)|n['’]t)[^\w,;:.]+(?:[\w/.-]*[\w/-][^\w,;:.]+){0,2}$|(?:不|别|没)\S{0,2}\s*$"
);
// What is only "gone" may come back, unless the sentence says since when, or what there is instead.
pattern!(
    MAY_COME_BACK = r"(?i)\b(?:gone|weg|disparu|exists?|existen?|gibt(?:['’]?s| es)?|n['’]existe plus|shut down|abgeschaltet|dead|out)\b|没了|下线"
);
pattern!(
    FOR_GOOD = r"(?i)\b(?:since|on \w+day|for good|now|instead|seit|jetzt|nun|ab sofort|ab heute|heißt|stattdessen|endgültig|depuis|maintenant|désormais|tout|desde|ahora|todo|alles|use|its|is at|moved|went to the new)\b|\b(?:out|raus|fuera|dehors)\s*[,;+&].*\b(?:in|rein|dentro|dedans)\b|现在|改用|用"
);
// What ends, or fails for a while: it is gone if the person says what there is instead.
pattern!(
    NEEDS_SUCCESSOR = r"(?i)\b(?:work out|funktioniert|geklappt|bewährt|no funcionó|pas marché|read[\s-]?only|being|gets?|will be|wird|werden|se (?:va|van|fue|fueron)|no (?:va|van) más|fliegt|fliegen|abandonnée?s?|dégagent?)\b"
);
// "Everything is on gitlab now", "alarms go to Teams from now on".
pattern!(
    SUCCESSOR = r"(?i)\b(?:everything|all of it|alles|todo|tout) (?:is|goes|runs|lives|läuft|geht|va|corre|passe|est) (?:on|to|in|at|auf|über|nach|por|a|en|par|sur|chez)\b|\b(?:from now on|instead|use the \w+|ab jetzt|ab sofort|stattdessen|wir nehmen|a partir de ahora|en su lugar|pasamos a|ahora usamos|vamos con|désormais|à la place|dorénavant|on (?:prend|passe))\b|改用|\b(?:we(?:['’]re| are| went| go)|wir (?:sind|gehen)|on est|estamos|volvimos|revenus?) (?:(?:now|jetzt|maintenant|ahora) )?(?:back (?:on|to|with)|(?:wieder|zurück) (?:bei|auf|zu)|a|à|de nuevo con|de vuelta (?:en|con))\b"
);
pattern!(
    FROM_TODAY = r"(?i)\b(?:from|as of|since|starting|ab|seit|desde|a partir de|dès|depuis)\s+(?:today|heute|hoy|aujourd['’]hui)\b"
);
pattern!(RENAMED = r"(?i)\b(?:called|renamed|heißt|heisst|llama|llamarse|appelle)\b|改名");
pattern!(
    SINCE_DAY = r"(?i)\b(?:since|as of|seit|desde|depuis)\s+(?:yesterday|this\s+\w+|gestern|heute\s+\w+|ayer|esta\s+\w+|hier|ce\s+\w+)\b"
);
// "Arq didn't work out, we are back on Celery" does not say that Arq is back.
pattern!(
    BACK_ON = r"(?i)\b(?:we(?:['’]re| are| went| go)|wir (?:sind|gehen)) (?:(?:now|jetzt) )?(?:back (?:on|to|with)|(?:wieder|zurück) (?:bei|auf|zu))\b"
);
pattern!(PERIOD = r"(?i)\b(?:in|at)\s+the\s+(?:end|beginning)\s+of\s+\w+");
// A command of a text: `make flash`, "run make", "with just".
pattern!(
    AS_COMMAND = r"(?i)(?:`|\b(?:run|use|using|with|via|through|call|by|nimm|mit|über|per|usa|con|utilise|avec)\s+`?)$"
);
// What package managers and runners have besides tasks.
pattern!(NO_TASK = r"(?i)^(?:\w+s|cache|daemon|lockfile|registry|server)$");
// The first word of a name such as koinViewModel.
pattern!(CAMEL_CASE = r"\b(?P<first>[a-z]{3,})(?P<rest>[A-Z])");
/// Names of programs that are everyday words, too.
pub(super) const EVERYDAY: [&str; 14] = [
    "make", "just", "go", "task", "next", "express", "node", "rest", "ant", "dart", "rake", "less", "act",
    "mix",
];

/// Returns the name of what is no longer used according to a sentence, which is meant to last with the probability
/// `lasting`. `next` is the sentence after it in the prompt, which may say what there is instead; empty without one.
pub(super) fn gone<'s>(sentence: &'s str, next: &str, lasting: f32) -> Option<&'s str> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let found = GONE.captures(sentence).filter(|found| {
        let least = if name_in(found).is_some_and(is_task) {
            MIN_TASK_GONE_PROBABILITY
        } else {
            MIN_GONE_PROBABILITY
        };
        lasting >= least
    });
    let found =
        found.or_else(|| REPLACED.captures(sentence).filter(|_| lasting >= MIN_REPLACED_PROBABILITY))?;
    let (end, name) = (found.get(0)?, name_in(&found)?);
    // Of a long sentence, the clause says whether it is for good.
    let (from, to) = match sentence.chars().count() <= MAX_WITHDRAWAL_CHARS {
        true => (0, sentence.len()),
        false => {
            let rest = &sentence[end.end()..];
            (end.start(), end.end() + rest.find([',', '.', ';', ':']).unwrap_or(rest.len()))
        }
    };
    let clause = &sentence[from..to];
    if clause.chars().count() > MAX_WITHDRAWAL_CHARS {
        return None;
    }
    let is_lasting = !is_for_now(&FROM_TODAY.replace_all(sentence, ""));
    let predicate = sentence.get(name.end()..end.end()).unwrap_or_default();
    let is_for_good = if NEEDS_SUCCESSOR.is_match(predicate) {
        SUCCESSOR.is_match(clause) || SUCCESSOR.is_match(next)
    } else {
        is_task(name) || !MAY_COME_BACK.is_match(predicate) || FOR_GOOD.is_match(clause)
    };
    // The name itself, as in "composer fix", says nothing of a repair.
    let around = [&sentence[from..name.start()], &sentence[name.end()..to]];
    // A new name since this morning is no breakage.
    let is_renamed = RENAMED.is_match(end.as_str());
    let says_otherwise = |part: &&str| match is_renamed {
        true => NOT_GONE.is_match(&SINCE_DAY.replace_all(part, "")),
        false => NOT_GONE.is_match(&PERIOD.replace_all(&BACK_ON.replace_all(part, ""), "")),
    };
    let is_doubtful = is_unsure(&sentence[from..end.end()]) || has_condition(&sentence[..end.end()]);
    let is_sure = !is_doubtful && !around.iter().any(says_otherwise) && is_lasting && is_for_good;
    (is_sure && !NO_NAME.is_match(name.as_str())).then(|| without_quotes(name.as_str()))
}

fn name_in<'s>(found: &regex::Captures<'s>) -> Option<regex::Match<'s>> {
    found.iter().skip(1).flatten().next()
}

/// Whether a name is the task of a runner, such as "composer fix": one that is gone does not come back, and says
/// nothing of what the session did.
fn is_task(name: regex::Match<'_>) -> bool {
    name.as_str()
        .split_once(' ')
        .is_some_and(|(_, task)| task.starts_with(char::is_lowercase) && !NO_TASK.is_match(task))
}

/// Whether a text contains a name at least once as a whole (ignoring case) without a negation before it, and does not
/// itself say that this is gone.
pub(super) fn speaks_for(text: &str, name: &str) -> bool {
    // koinViewModel is about Koin; GitHub and JavaScript are other tools than Git and Java.
    let written = CAMEL_CASE.replace_all(text, "$first $rest");
    let text = written.as_ref();
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    if gone(&text, "", 1.0).is_some_and(|gone| gone == name) {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || ['_', '-', '/'].contains(&c);
    let is_everyday = EVERYDAY.contains(&name.as_str());
    let is_whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_file = after.strip_prefix('.').is_some_and(|rest| rest.starts_with(is_part));
        (!before.ends_with(is_part) || before.ends_with("/bin/"))
            && !before.ends_with('.')
            && !after.starts_with(is_part)
            && !is_file
            && (!is_everyday || AS_COMMAND.is_match(before))
    };
    let is_without_spaces = name.contains(|c: char| c >= '\u{2e80}');
    text.match_indices(&name)
        .filter(|(at, _)| is_without_spaces || is_whole(*at))
        .any(|(at, _)| !DENIED_BEFORE.is_match(&text[..at]))
}

fn without_quotes(name: &str) -> &str {
    name.trim_matches(['`', '\'', '"', '“', '”'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_longer_exists_is_named_in_each_language() {
        for (sentence, name) in [
            ("jenkins is gone since friday. buildkite now", "jenkins"),
            ("`make ship` is now called `just release`", "make ship"),
            ("btw, Sentry was retired last week", "Sentry"),
            ("Puhti was closed in the end of June.", "Puhti"),
            ("Old Portal is gone for good", "Old Portal"),
            ("They have switched off FARETST on Monday for good, everybody uses the container", "FARETST"),
            ("we moved off npm scripts", "npm scripts"),
            ("composer fix is gone", "composer fix"),
            ("`make qa` now, composer fix is gone", "composer fix"),
            ("new ones in marimo, jupytext had its time", "jupytext"),
            ("we moved off Docker, podman now", "Docker"),
            ("lintcheck is now called qa", "lintcheck"),
            ("`pnpm lint` is called `pnpm check` since this morning, Yuta renamed it.", "pnpm lint"),
            ("lintcheck gibts ab heute nicht mehr, heißt jetzt qa", "lintcheck"),
            ("oh and RTT is gone since Sam's change, the shell is on USB now", "RTT"),
            ("weg von Heroku, ab sofort läuft alles auf fly", "Heroku"),
            ("staging2 ya no existe, ahora es preview", "staging2"),
            ("Heroku c'est fini, on est chez fly", "Heroku"),
            ("另外，jenkins 已下线，用 buildkite", "jenkins"),
            ("gerrit went read only on monday, everything is on gitlab now.", "gerrit"),
            ("Rundeck is being sunset, use the cron host", "Rundeck"),
            ("Rundeck is no more.", "Rundeck"),
            ("cambio de planes con los avisos: twilio se va, pasamos a la cloud api", "twilio"),
            ("mailtrap no va más, ahora usamos mailpit", "mailtrap"),
            ("Mailtrap est abandonné, on prend mailpit", "Mailtrap"),
            ("Mailtrap fliegt raus, wir nehmen mailpit", "Mailtrap"),
        ] {
            assert_eq!(gone(sentence, "", 0.2), Some(name), "{sentence}");
        }
        for sentence in [
            "the warning is gone now",
            "Jenkins died on tuesday, it runs fine now",
            "Postgres went read only on monday, disk was full",
            "main is read only since friday, so push to a branch",
            "ESLint is turned off now for generated code",
            "Python is no more than 3.11 there",
            "and we killed vite to free the port",
            "Prettier wurde eingestellt auf 100 Zeichen",
            "Juan no va más a la oficina desde mayo",
            "redis se fue, ahora vuelvo a levantarlo",
            "NullPointerException fliegt jetzt raus",
            "If the audit goes well and the whole team is fine with what we wrote into the proposal about the new pipelines for the harbour service, jenkins is retired and we only use buildkite.",
            "it is gone",
            "is jenkins gone?",
            "if jenkins is gone, use buildkite",
            "errors are gone, thanks",
            "jenkins is down",
            "staging is gone, can you check?",
            "WLAN ist weg",
            "Der Server ist seit gestern weg",
            "staging is switched off at weekends",
            "we switched off logging",
            "redis is gone now, restart it",
            "node_modules gibts nicht mehr, npm install nochmal",
            "staging is gone since your deploy",
            "src/lib.rs was replaced by src/main.rs in this commit",
            "the file config.yml is gone now",
            "Jenkins is retired next month",
            "postgres a disparu",
            "they switched off Redis in staging, restart it",
            "we turned off Sentry to see if it helps",
            "we switched off strict mode for good",
            "We turned off telemetry for good reason, keep it off.",
            "stdout was closed at the end of main, so the logger crashed.",
            "PR 431 was closed at the end of June.",
            "`parse()` is called twice",
            "jenkins is gone for now",
            "our tests are dead slow",
            "I think heroku is history",
            "gradle daemon is gone",
            "The filesystem went read only, remount it.",
            "replica2 is read-only",
            "se va el lunes",
            "el servidor se va a caer",
            "staging se fue, lo levanto de nuevo",
            "docker containers are gone, start them",
            "go modules are gone",
            "npm packages are gone",
        ] {
            assert_eq!(gone(sentence, "", 0.9), None, "{sentence}");
        }
    }

    #[test]
    fn the_next_sentence_may_say_what_there_is_instead() {
        for (sentence, next, name) in [
            ("btw, gerrit went read only on monday.", "everything is on gitlab now", "gerrit"),
            (
                "ach ja, slack wird ende der woche abgeschaltet (konzern...).",
                "alarme ab jetzt nach teams",
                "slack",
            ),
        ] {
            assert_eq!(gone(sentence, next, 0.2), Some(name), "{sentence}");
            assert_eq!(gone(sentence, "can you restart it?", 0.2), None, "{sentence}");
        }
        let long = "I have given up SwiftFormat for the formatter that comes with the toolchain, and a pre-commit hook runs it, so nobody needs to think of formatting any more and \"just format\" does not exist any longer.";
        assert_eq!(gone(long, "", 0.2), Some("just format"));
    }

    #[test]
    fn what_was_replaced_or_is_no_longer_used_is_named_in_each_language() {
        for (sentence, name) in [
            ("ah yes. rig went to the new lab, rigctl is dead.", "rigctl"),
            ("no, taskrunner was replaced by runfile", "taskrunner"),
            ("we switched from Bazel to Buck2 last week", "Bazel"),
            ("we no longer use redis", "redis"),
            ("Wir nutzen Redis nicht mehr.", "Redis"),
            ("on n'utilise plus redis", "redis"),
            ("我们不再用 redis", "redis"),
            ("ya no usamos más redis desde mayo", "redis"),
            ("no usamos más redis, ahora valkey", "redis"),
            ("we pulled the plug on redis, it's valkey now", "redis"),
            ("we don't use redis any more, it's valkey now", "redis"),
            ("we dropped vendoring", "vendoring"),
            ("we ditched webpack for vite", "webpack"),
            ("we got rid of Sentry, its glitchtip now", "Sentry"),
            ("webpack got shut down on friday, vite does it now", "webpack"),
            ("webpack is dead, use vite", "webpack"),
            ("tomas and me talked: koin out, hilt in", "koin"),
            ("Webpack raus, Vite rein.", "Webpack"),
            ("we ditched docker completely", "docker"),
            ("we dropped yarn entirely", "yarn"),
            ("builds go through vite now instead of webpack", "webpack"),
            ("arq didn't work out, we are back on Celery", "arq"),
            ("Arq hat sich nicht bewährt, wir sind wieder bei Celery", "Arq"),
            ("vite replaced webpack", "webpack"),
            ("webpack haben wir rausgeschmissen, läuft jetzt alles über vite", "webpack"),
            ("webpack ist raus, wir nehmen jetzt vite", "webpack"),
            ("wir sind von webpack auf vite umgestiegen", "webpack"),
            ("webpack benutzen wir nicht mehr", "webpack"),
            ("webpack wurde durch vite ersetzt", "webpack"),
            ("hemos cambiado webpack por vite", "webpack"),
            ("webpack ya no lo usamos, desde mayo va todo con vite", "webpack"),
            ("on est passés de webpack à vite", "webpack"),
            ("webpack 我们已经不用了，现在用 vite", "webpack"),
            ("webpack 换成 vite 了", "webpack"),
        ] {
            assert_eq!(gone(sentence, "", 0.3), Some(name), "{sentence}");
            assert_eq!(gone(sentence, "", 0.2), None, "{sentence}");
        }
        for sentence in [
            "in my branch i replaced webpack with vite, just to see",
            "webpack was down on friday, works again",
            "marek wants us to move from webpack to vite",
            "i replaced the webpack section in the readme by a link",
            "we replaced the webpack section by a link",
            "if webpack gets shut down, vite takes over",
            "should have dropped webpack years ago lol",
            "we should have dropped webpack",
            "we dropped webpack in this branch",
            "we moved from the old office to Berlin",
            "power is out",
            "arq didn't work out of the box",
            "celery didn't work out yesterday, try again",
            "we might switch from webpack to vite",
            "is webpack dead?",
            "we don't use it anymore",
            "PR raus, Ticket rein!",
            "we no longer use redis for the queue",
        ] {
            assert_eq!(gone(sentence, "", 0.9), None, "{sentence}");
        }
    }

    #[test]
    fn a_program_with_an_everyday_name_is_meant_only_as_a_command() {
        assert!(speaks_for("Build with make.", "make"));
        assert!(speaks_for("Take view models with koinViewModel().", "Koin"));
        assert!(!speaks_for("Use Hilt, never koinViewModel().", "Koin"));
        assert!(!speaks_for("Build the Makefile.", "make"));
        assert!(speaks_for("Deploy with `php vendor/bin/dep deploy staging`.", "dep"));
        assert!(!speaks_for("Write JavaScript modules, no JSON.", "Java"));
        assert!(!speaks_for("Releases are drafted on GitHub.", "Git"));
        assert!(speaks_for("`make flash` needs PROBE=jlink.", "make"));
        assert!(!speaks_for("Make sure the tests pass.", "make"));
        assert!(!speaks_for("Builds just work with ninja.", "just"));
    }

    #[test]
    fn a_negation_denies_a_name_in_its_own_clause_only() {
        assert!(speaks_for("Never apply from here, atlantis does the applies.", "atlantis"));
        assert!(speaks_for("We don't apply from laptops, atlantis does that.", "atlantis"));
        assert!(!speaks_for("Never restart atlantis by hand.", "atlantis"));
        assert!(!speaks_for("用 buildkite，不用 jenkins", "jenkins"));
    }
}
