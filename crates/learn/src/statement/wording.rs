//! Words a statement so that it can be understood without its session.

use std::borrow::Cow;

use super::{Answered, Statement, StatementContext};
use crate::content_words::content_word_count;
use crate::prose::pattern;
use cm_text::language::is_ideograph;
use cm_text::path::last_component;

/// A statement as it is stored.
pub(super) struct Wording {
    pub text: String,
    /// Whether the statement names what it is about; if not, a person has to complete it.
    pub is_complete: bool,
}

pattern!(
    LEAD = r"(?ix)^(?:
        (?:ok(?:ay)?|oh(?:\ (?:dear|boy|man|god|no))?|ah|whoa|wow|a[iï]e|uf+|ugh|argh|jeez|hé|m{2,}|hm+|well|yep|yeah|and|n|also|but|so|hey|btw|fyi|by\ the\ way|p\.?s\.?|one\ (?:more\ )?thing
          |(?:just\ )?so\ you\ know(?:\ that)?|tbh|imh?o|honestly|personally|for\ your\ information|remember\ that|keep\ in\ mind\ that
          |also|ach|hä+|übrigens|und|oui|et|bon|au\ fait|y|oye|por\ cierto
          |from\ now\ on|from\ here\ on|going\ forward|henceforth
          |désormais|dorénavant|à\ partir\ de\ maintenant|a\ partir\ de\ ahora|de\ ahora\ en\ adelante|en\ adelante
          |(?:can|could)\ you|please|pls|plz|bitte|por\ favor|s'il\ te\ plaît|s'il\ vous\ plaît|请)(?:\s*[,.!:;–—…-]+\s*|\s+)
      | (?:new\ |neue\ |nueva\ |nouvelle\ )?(?:rule|decision|convention|policy|regel|entscheidung|regla|decisión|règle|décision)(?:\ (?:then|here|dann|entonces|alors))?\s*:\s+
      | are\ you\ (?:crazy|mad|serious|nuts|kidding(?:\ me)?)\s*[,.!?]+\s+
      | (?:the\ thing\ is|(?:sorry\ )?my\ bad|careful|watch\ out|heads\ up|(?:like|as)\ i\ said|then|vorsicht|achtung|wie\ gesagt|dann|attention|cuidado|ojo|claro|pues|bueno|como\ dije
          |yes|no\ no|no|nope|nah|nee|stop|wait|wrong|actually|sorry|right|alright|great|good|nice|thanks|perfect|cool|again
          |excuse\ me|with\ (?:all\ )?(?:due\ )?respect
        |(?:for\ )?(?:the\ )?next\ time|(?:fürs\ |für\ das\ )?nächste[ns]?\ mal|la\ prochaine\ fois|la\ próxima\ vez
        |nein|doch|halt|danke|gut|non|merci|sinon|sí|si|vale|gracias|looks\ good
          |remember|keep\ in\ mind|merke?\ dir|recuerda|ten\ en\ cuenta|retiens|记住|请记住
          |不|不对|好|好的|对了|另外|从现在开始|从今以后|今后|以后)(?:\s*[,.!:;–—…，。！：；、]+\s*|\s*-+\s+)
    )+"
);
// "From now on they are 90 minutes".
pattern!(
    HENCEFORTH = r"(?ix)\b(?:from\ (?:now|here)\ on|from\ today(?:\ on)?|as\ of\ (?:today|now)|going\ forward|henceforth
      | ab\ (?:jetzt|sofort|heute)|von\ (?:jetzt|nun)\ an|künftig|in\ zukunft
      | a\ partir\ de\ (?:ahora|hoy)|de\ ahora\ en\ adelante|désormais|dorénavant|à\ partir\ (?:de\ maintenant|d['’]aujourd['’]hui))\b | 从现在开始|从今以后|今后"
);
// Reproaches beside an order, answers to the agent, and the task at hand: they say nothing to the order's next reader.
pattern!(
    REPROACH = r"(?ix)(?:^|(?P<end>[.!?])\s+)(?:
      (?:i|we)(?:['’]ve|\s+have|\s+did)?\s+(?:already\s+|just\s+)?(?:told|asked|said)(?:\s+(?:you|claude|codex|cursor|gemini|it|this|that|so|before|twice
        |already|again|last|the|other|in|week|time|month|day|session|yesterday|many|times|\d+))*
    | (?:then\s+|ok(?:ay)?,?\s+)?i(?:['’]ve|\s+have)?\s+changed?\s+my\s+mind
    | (?:with\s+(?:all\s+)?(?:due\s+)?respect,?\s+)?i\s+(?:do\s+not|don['’]?t)\s+agree(?:\s+with\s+\w+)?
    | how\ (?:often|many\ times)\b[^.!?]{0,60}\?
    | (?:again|seriously|come\ on|schon\ wieder)
    | das\ habe?\ ich(?:\s+(?:dir|doch|schon|bereits|einmal|zweimal|letzte|woche))*\s+gesagt
    | ya\ (?:te\ )?lo\ (?:dije|he\ dicho)(?:\s+(?:antes|ayer|dos|veces))*
    | je\ (?:te\ )?l['’]ai\ déjà\ dit(?:\s+(?:hier|avant))*
    )\s*(?:[.!?]+|$)"
);
pattern!(
    ANSWER = r"(?ix)^(?:(?:because|due\ to|weil|wegen|porque|parce\ que)\s+(?:[^\s.!?]+\s+){0,3}|por\ (?:el|la|los|las)\s+)[^\s.!?]+[.!?]\s+"
);
pattern!(
    TASK_AT_HAND = r"(?i),\s*(?:so\s+)?(?:please|pls)\s+\w+\s+(?:that|this|these|those)\s+\w+(?:\s+(?:so|too|now|accordingly))?[.!]?$"
);
// What the person tells to forget, before what holds instead: "forget the thing about squashing, we use merge commits".
pattern!(
    FORGOTTEN = r"(?ix)^(?:
      (?:forget|scratch|scrap|drop|ignore)\s+(?:about\s+)?(?:the|that)\s+(?:thing|bit|part|stuff|business)\s+(?:about|with|on)
    | vergiss\s+(?:das|die\s+sache)\s+mit | olv[ií]da(?:te)?\s+(?:de\s+)?lo\s+de | oublie[zs]?\s+(?:l['’]histoire|le\s+truc)\s+(?:du|de|des|avec)
    )\s+[^,.;:!?]{3,60}?\s*[,;–—]+\s+"
);
pattern!(
    CONDITION =
        r"(?i)^(?:if|when|whenever|before|after|once|wenn|falls|bevor|nachdem|si|cuando|quand|avant|après)\b"
);
// The day of the session, at the end of a clause: "moved to port 6544 yesterday, 5544 is dead".
pattern!(
    PASSED_DAY = r"(?i)\s(?:(?:since|seit|desde|depuis)\s+)?(?:yesterday|last\s+night|this\s+morning|earlier\s+today|gestern|heute\s+(?:früh|morgen)|ayer|esta\s+mañana|ce\s+matin)\s*(?P<end>[,.;:!)]|$)"
);
pattern!(BY_THE_WAY = r"(?i),?\s(?:btw|by\s+the\s+way)\s*(?P<end>[,.;:!)]|$)");
pattern!(
    POINTS = r"(?ix)\b(?:it|its|them|they|those|these|(?:the\ )?same|ones?
        |(?:this|that)(?:[.,!?]|\s+(?:is|was|one|way|again|file|folder|directory|command|thing)\b|$)
        |do(?:es|ing)?\ (?:that|this)|(?:das|so)\ machen|das(?:[.,!?]|$)|dies(?:e[rsmn]?)?|sie|es|damit|dafür|dazu|davon|darauf
        |ça|cela|ceci|celui|celle|ceux|celles|eux
        |eso|esto|esa|ese|esos|esas|estos|estas|ello|ellos|ellas)\b|[它这那]"
);
// "That file is generated": whatever else the statement says, it is about the file before.
pattern!(
    POINTS_AT_KIND = r"(?i)^(?:this|that|diese[rs]?|jene[rs]?|ce|cette|ese|esa|este|esta)\s+(?:file|folder|directory|command|script|datei|ordner|befehl|skript|fichier|dossier|commande|archivo|fichero|carpeta|comando)\b"
);
// "The boxes only compare that one number", "we do that for everything with more than two cases": the sentence before
// says which, or what.
pattern!(
    POINTS_AT_ONE = r"(?i)\b(?:(?:this|that)\s+(?:one|single|very|same)|those\s+(?:two|three|same)|diese[rsnm]?\s+(?:eine[nrsm]?|gleiche[nrsm]?)|es[ea]\s+(?:único|única|mismo|misma)|ce(?:tte)?\s+(?:seule?|même))\s+\w|^(?:we|i|we['’]ll)\s+(?:always\s+)?do\s+(?:that|this)\b|^(?:das|so)\s+machen\s+wir\b|^on\s+fait\s+(?:toujours\s+)?(?:ça|comme\s+ça)\b|^(?:eso|esto)\s+lo\s+hacemos\b"
);
/// Commands that are no everyday words.
const TOOLS: [&str; 32] = [
    "ansible",
    "bash",
    "bun",
    "cargo",
    "composer",
    "curl",
    "docker",
    "dotnet",
    "eslint",
    "gh",
    "git",
    "helm",
    "kubectl",
    "mvn",
    "mypy",
    "npm",
    "npx",
    "pip",
    "pnpm",
    "prettier",
    "psql",
    "pytest",
    "python",
    "python3",
    "rg",
    "ruff",
    "rustc",
    "ssh",
    "terraform",
    "tsc",
    "uv",
    "yarn",
];
/// Number of content words below which a statement hardly names what it is about.
const MIN_SUBJECT_WORDS: usize = 2;
/// Number of words from which a statement with one content word is a whole sentence.
const MIN_SENTENCE_WORDS: usize = 4;
/// Number of content words from which on a statement names what it is about, even if it also points
/// to something.
const MIN_CLEAR_SUBJECT_WORDS: usize = 5;

/// Whether a sentence has a word such as "it" or "those", which may point to the sentence before.
pub(super) fn points_back(text: &str) -> bool {
    POINTS.is_match(text)
}

/// Whether a sentence says that it holds from now on.
pub(super) fn holds_from_now(text: &str) -> bool {
    HENCEFORTH.is_match(text)
}

/// Words a statement; `None` if nothing is left of it.
pub(super) fn standing_alone(
    quote: &str,
    context: StatementContext,
    answers: Option<&Answered>,
    before: Option<&Statement>,
) -> Option<Wording> {
    let lead = LEAD.find(quote).map_or(0, |found| found.end());
    let bare = without_asides(quote[lead..].trim());
    let bare = bare.trim();
    if !bare.chars().any(char::is_alphanumeric) {
        return None;
    }
    let own = as_sentence(bare);
    let (points, says) = (POINTS.find(bare), content_word_count(bare));
    let names_something = bare.contains(['`', '/', '_']) || says >= MIN_CLEAR_SUBJECT_WORDS;
    let points_only = points.is_some_and(|found| found.start() < 12) && !names_something;
    let is_short = says < MIN_SUBJECT_WORDS && bare.split_whitespace().count() < MIN_SENTENCE_WORDS;
    let is_vague = says == 0 || is_short || points_only;
    let object = answers.filter(|object| !mentions(bare, object));
    let names_kind = POINTS_AT_KIND.is_match(bare);
    let refers = says == 0 || points_only || names_kind || says < MIN_SUBJECT_WORDS && points.is_some();
    if let Some(object) = object.filter(|_| context == StatementContext::Refused || refers) {
        let text = match object {
            // A reader sees that the command is none to run.
            Answered::Command(command) => {
                let lead = if context == StatementContext::Refused { "refused:" } else { "about" };
                format!("{own} ({lead} `{}`)", command.replace('`', "'"))
            }
            Answered::File(file) => format!("{own} (about {})", short_path(file)),
        };
        return Some(Wording { text, is_complete: says > 0 });
    }
    let before = before.filter(|before| content_word_count(&before.text) >= MIN_SUBJECT_WORDS);
    match before.filter(|_| points.is_some() && (!names_something || POINTS_AT_ONE.is_match(bare))) {
        Some(before) => {
            // "Holds are 45 minutes. From now on they are 90" needs its first words.
            let own = if holds_from_now(quote) { as_sentence(quote) } else { own };
            let preceding = &before.text[LEAD.find(&before.text).map_or(0, |found| found.end())..];
            Some(Wording { text: format!("{} {own}", as_sentence(preceding)), is_complete: true })
        }
        None => Some(Wording { text: own, is_complete: !is_vague }),
    }
}

/// Removes what only the session's reader needs, unless hardly anything else is there.
fn without_asides(text: &str) -> Cow<'_, str> {
    let mut bare = PASSED_DAY.replace_all(text, "$end");
    if let Cow::Owned(without) = BY_THE_WAY.replace_all(&bare, "$end") {
        bare = Cow::Owned(without);
    }
    let asides = [(&*FORGOTTEN, ""), (&*ANSWER, ""), (&*REPROACH, "$end"), (&*TASK_AT_HAND, "")];
    for (aside, rest) in &asides[..if CONDITION.is_match(text) { 3 } else { 4 }] {
        let without = aside.replace_all(&bare, *rest);
        if without != bare && content_word_count(&without) >= MIN_SUBJECT_WORDS {
            bare = Cow::Owned(without.into_owned());
        }
    }
    bare
}

/// Whether a statement names the program of a command or the file itself.
fn mentions(text: &str, object: &Answered) -> bool {
    let lower = text.to_lowercase();
    let name = match object {
        Answered::Command(command) => command.split_whitespace().next().unwrap_or_default(),
        Answered::File(file) => last_component(file).unwrap_or_default(),
    };
    name.len() > 2 && lower.contains(&name.to_lowercase())
}

/// A path in the workspace as it is; of others the last three parts, without the home folder.
fn short_path(path: &str) -> String {
    if !path.starts_with(['/', '~', '\\']) && path.get(1..2) != Some(":") {
        return path.to_owned();
    }
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    parts[parts.len().saturating_sub(3)..].join("/")
}

/// Formats a clause as a sentence: with a capital letter, unless it begins with code or a command, and a stop.
fn as_sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';', ':']);
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let is_name = TOOLS.contains(&first_word)
        || first_word
            .chars()
            .any(|c| !c.is_alphabetic() && !matches!(c, '\'' | '’' | ',' | '!' | '.' | '?' | ':'));
    let mut chars = text.chars();
    let begin = match chars.next() {
        Some(first) if !is_name => first.to_uppercase().collect::<String>(),
        first => first.map(String::from).unwrap_or_default(),
    };
    let stop = match text.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        true => "",
        false if text.contains(is_ideograph) => "。",
        false => ".",
    };
    format!("{begin}{}{stop}", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::of_prompt;
    use super::*;

    fn worded(quote: &str, context: StatementContext, answers: Option<Answered>) -> (String, bool) {
        let wording = standing_alone(quote, context, answers.as_ref(), None).unwrap();
        (wording.text, wording.is_complete)
    }

    #[test]
    fn the_words_before_the_statement_go_and_a_stop_comes() {
        let (text, complete) =
            worded("no, btw: we use pnpm in this repository", StatementContext::After, None);
        assert_eq!((text.as_str(), complete), ("We use pnpm in this repository.", true));
        let (text, _) = worded("please run the tests of the worker", StatementContext::Plain, None);
        assert_eq!(text, "Run the tests of the worker.");
        let (text, _) = worded("remember: clients are generated", StatementContext::Plain, None);
        assert_eq!(text, "Clients are generated.");
        for since in ["From now on", "ok, from now on please", "Going forward,", "désormais,", "从现在开始，"]
        {
            let (text, _) = worded(&format!("{since} always sort imports"), StatementContext::Plain, None);
            assert_eq!(text, "Always sort imports.", "{since}");
        }
        let (text, _) = worded("ok decision then: no OTA over LoRa", StatementContext::After, None);
        assert_eq!(text, "No OTA over LoRa.");
        let (text, _) = worded("tbh i prefer yaml over json", StatementContext::After, None);
        assert_eq!(text, "I prefer yaml over json.");
        let (text, _) = worded(
            "With respect, I do not agree with him. Splines for all trees.",
            StatementContext::After,
            None,
        );
        assert_eq!(text, "Splines for all trees.");
        let (text, _) = worded("no no, builds run on fly", StatementContext::After, None);
        assert_eq!(text, "Builds run on fly.");
        let (text, _) = worded("no -x ever with pytest", StatementContext::Plain, None);
        assert_eq!(text, "No -x ever with pytest.");
        let (text, _) = worded("no - use the small fixture", StatementContext::Plain, None);
        assert_eq!(text, "Use the small fixture.");
        let (text, _) = worded("careful: we lock the sailing row", StatementContext::Plain, None);
        assert_eq!(text, "We lock the sailing row.");
        let (text, _) = worded("uv run pytest, not pytest!", StatementContext::Plain, None);
        assert_eq!(text, "uv run pytest, not pytest!");
        let (text, _) =
            worded("staging moved to port 6544 yesterday, 5544 is dead", StatementContext::Plain, None);
        assert_eq!(text, "Staging moved to port 6544, 5544 is dead.");
        for (typed, text) in [
            ("uv run pytest, not pytest! I already told you that last week.", "uv run pytest, not pytest!"),
            (
                "Claro, por los floats. En este proyecto los precios van siempre en céntimos.",
                "En este proyecto los precios van siempre en céntimos.",
            ),
            (
                "I prefer early returns to nested ifs, please rewrite that function so",
                "I prefer early returns to nested ifs.",
            ),
            (
                "we stopped using mapbox btw, tiles come from our own server",
                "We stopped using mapbox, tiles come from our own server.",
            ),
            (
                "For next time: an hour of delay is the poller's zone",
                "An hour of delay is the poller's zone.",
            ),
            (
                "Can you stop adding docstrings to private helpers",
                "Stop adding docstrings to private helpers.",
            ),
            ("ok so the thing is, the printer only accepts cp1252", "The printer only accepts cp1252."),
            ("sorry my bad, the port is 8081, not 8080", "The port is 8081, not 8080."),
            ("I told you", "I told you."),
            (
                "I said use pnpm, not npm. npm breaks the lockfile here.",
                "I said use pnpm, not npm. npm breaks the lockfile here.",
            ),
            ("Again, never edit src/gen by hand.", "Never edit src/gen by hand."),
            ("If a test is flaky, please mark that test", "If a test is flaky, please mark that test."),
            (
                "Keep the changelog, please write it in English",
                "Keep the changelog, please write it in English.",
            ),
            ("Die Tests liegen hier, nicht in src.", "Die Tests liegen hier, nicht in src."),
            (
                "Por defecto usa pnpm. Los lockfiles de npm se rompen.",
                "Por defecto usa pnpm. Los lockfiles de npm se rompen.",
            ),
            ("attention heads use fp16 here", "Attention heads use fp16 here."),
        ] {
            assert_eq!(worded(typed, StatementContext::Plain, None).0, text);
        }
        let (text, _) = worded("remember to ask Ana", StatementContext::Plain, None);
        assert_eq!(text, "Remember to ask Ana.");
        assert!(standing_alone("no!", StatementContext::After, None, None).is_none());
    }

    #[test]
    fn a_sentence_without_spaces_names_what_it_is_about() {
        for quote in [
            "今后所有提交信息都用中文写。",
            "请不要直接推送到主分支。",
            "请记住：提交之前一定要运行 make lint。",
        ] {
            let (text, is_complete) = worded(quote, StatementContext::After, None);
            assert!(is_complete, "{text}");
        }
    }

    #[test]
    fn the_object_of_a_refusal_is_quoted() {
        let refused = Some(Answered::Command("npm run db:reset".into()));
        let (text, complete) =
            worded("not before Ana has seen it!", StatementContext::Refused, refused.clone());
        assert_eq!(
            (text.as_str(), complete),
            ("Not before Ana has seen it! (refused: `npm run db:reset`)", true)
        );
        let (text, _) = worded("npm is not used here, take pnpm", StatementContext::Refused, refused);
        assert_eq!(text, "npm is not used here, take pnpm.");
    }

    #[test]
    fn a_sentence_that_points_to_nothing_stands_without_what_the_agent_did_before() {
        let ran = || Some(Answered::Command("cargo test".into()));
        assert_eq!(
            worded("don't use any in typescript.", StatementContext::After, ran()),
            ("Don't use any in typescript.".to_owned(), true)
        );
        assert_eq!(worded("no emojis", StatementContext::After, ran()), ("No emojis.".to_owned(), false));
    }

    #[test]
    fn a_statement_without_its_object_is_incomplete() {
        assert_eq!(
            worded("never do that", StatementContext::After, None),
            ("Never do that.".to_owned(), false)
        );
        let relative = Some(Answered::File("packages/api/src/db/models/user.py".into()));
        let (text, complete) =
            worded("that file is generated, change schema.yaml instead", StatementContext::After, relative);
        assert_eq!(
            (text.as_str(), complete),
            (
                "That file is generated, change schema.yaml instead. (about packages/api/src/db/models/user.py)",
                true
            )
        );
        let file = Some(Answered::File("/home/u/p/src/gen/order.rs".into()));
        let (text, complete) = worded("never edit that", StatementContext::After, file);
        assert_eq!((text.as_str(), complete), ("Never edit that. (about src/gen/order.rs)", true));
    }

    #[test]
    fn what_is_pointed_to_may_stand_in_the_sentence_before() {
        let prompt = of_prompt(
            "The wallet folder holds fixtures. Never edit those.",
            1,
            StatementContext::Plain,
            None,
        );
        let wording = standing_alone(&prompt[1].text, StatementContext::Plain, None, prompt.first()).unwrap();
        assert_eq!(wording.text, "The wallet folder holds fixtures. Never edit those.");
        let prompt = of_prompt(
            "hm, I'd use a table test here. we do that for everything with more than two cases",
            1,
            StatementContext::After,
            None,
        );
        let wording = standing_alone(&prompt[1].text, StatementContext::After, None, prompt.first()).unwrap();
        assert_eq!(
            wording.text,
            "I'd use a table test here. We do that for everything with more than two cases."
        );
    }
}
