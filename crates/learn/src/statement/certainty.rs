//! Decides how certain it is that a statement is meant to last: which probability suffices for it.

use super::gone::gone;
use super::passing::{is_for_once, is_not_meant};
use super::wording;
use super::{KindProbabilities, Statement, StatementContext, StatementKind};
use crate::diary::is_standing;
use crate::prose::pattern;
use cm_text::language::is_ideograph;

/// Minimum probability at which the agent is asked about a statement. It misses little; the agent
/// judges.
pub const THRESHOLD_ASK: f32 = 0.35;
/// Minimum probability at which a statement may be lasting, where the agent judges it as well.
pub const THRESHOLD_MEDIUM: f32 = 0.5;
/// Minimum probability at which a rule counts as certainly lasting.
pub const THRESHOLD_HIGH: f32 = 0.7;
/// Minimum probability of a sentence that belongs to a lasting sentence next to it.
pub(super) const MIN_RELATED_PROBABILITY: f32 = 0.3;
/// Minimum probability of a statement that the person asks to remember.
const MIN_REMEMBER_PROBABILITY: f32 = 0.1;
/// Minimum probability of a preference of one thing over another, so that it is certain.
const MIN_CERTAIN_PREFERENCE_PROBABILITY: f32 = 0.45;
/// Minimum probability of a return to what was given up, or of a change from one tool to another, so that it is
/// certain.
const MIN_RETURN_PROBABILITY: f32 = 0.4;
/// Minimum probability of another number than before.
const MIN_CHANGED_NUMBER_PROBABILITY: f32 = 0.03;
/// Minimum probability of a rule that the person asks to remember, or of a statement whose kind they name, so
/// that it is certain.
const MIN_CERTAIN_REMEMBER_PROBABILITY: f32 = 0.3;
/// Minimum probability of the first sentence of a session, and so that it is certain.
const MIN_OPENER_PROBABILITY: f32 = 0.9;
const MIN_CERTAIN_OPENER_PROBABILITY: f32 = 0.95;
/// Minimum number of words of the first sentence of a session.
const MIN_OPENER_WORDS: usize = 4;
/// Minimum probability of a sentence that reacts to nothing, and so that it is certain.
const MIN_PLAIN_PROBABILITY: f32 = 0.75;
const MIN_CERTAIN_PLAIN_PROBABILITY: f32 = 0.85;
/// Minimum probability of a sentence after the agent acted.
const MIN_REACTION_PROBABILITY: f32 = 0.6;
/// Minimum probability of a sentence typed when a tool call was refused.
const MIN_REFUSAL_PROBABILITY: f32 = 0.4;
/// Added to the minimum probability of a statement that is no rule and that the person did not ask to remember.
const OTHER_KIND_MARGIN: f32 = 0.05;
/// Added to the minimum probability at which a statement of such a kind is certain.
const CERTAIN_OTHER_KIND_MARGIN: f32 = 0.1;
/// Added to it instead where the person reacts to the agent: fewer facts there only describe a problem.
const CERTAIN_OTHER_KIND_REACTION_MARGIN: f32 = 0.05;
/// How certainly a statement is meant to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It may be: a draft.
    Medium,
    /// It is, and it can be understood without its session.
    High,
}
pattern!(
    REMEMBER = r"(?ix)^(?:(?:ok|so|and|und|y|et|please|pls|bitte|por\ favor|请)[,\s]*)?
    (?:remember|memori[sz]e|keep\ in\ mind|bear\ in\ mind|merke?\ dir|merkt\ euch|denke?\ (?:bitte\ )?(?:dran|daran),?|behalte?\ im\ kopf|recuerda|acu[eé]rdate(?:\ de)?|ten\ en\ cuenta|retiens(?:\ bien)?|souviens-toi|记住|牢记)
    (?:\s+(?:that|dass|que)\b|\s+(?:for|für|para|pour)\s+[^:]{1,30}:|\s*[:：,，])
    | ^(?:(?:ok|so|and|but|und|aber|y|pero|et|mais|please|bitte)[,\s]+)*(?:don['’]?t\ forget\ that|vergiss\ (?:bitte\ )?nicht,?\ dass|no\ (?:te\ )?olvides\ que|n['’]oubliez?\ pas\ que)\b"
);
// "Next time without the summary", but not "next time I do it".
pattern!(
    NEXT_TIME = r"(?i)\b(?:next time|(?:das )?nächste(?:s)? mal|la prochaine fois|la próxima vez)\b[,:]?\s+(?P<next>[\w'’]+)|下次"
);
pattern!(
    NOT_ASKED = r"(?i)^(?:i|we|it|he|she|they|around|that|this|there|ich|wir|es|er|sie|je|on|il|elle|nous|yo|nosotros|lo|la|el)$"
);
// "ok decision then: no tabs": the person says what kind of statement it is.
pattern!(
    LABELLED = r"(?ix)^(?:(?:ok(?:ay)?|so|right)[,\s]+)?(?:(?:new|neue|nueva|nouvelle)\s+)?
    (?:decision|rule|convention|policy|entscheidung|regel|decisión|regla|décision|règle)(?:\s+(?:then|here|dann|entonces|alors))?
    \s*:\s*\S"
);
// "Refreshed at 03:30 now, not at 04:00": another value than before.
pattern!(
    CORRECTS = r"(?ix)\bnow\s*,\s*(?:and\s+)?(?:not|no\ longer)\s | \b(?:jetzt|nun)\b[^.;]{0,60},\s*(?:und\s+)?nicht(?:\ mehr)?\s | \bahora\b[^.;]{0,60},\s*(?:y\s+)?(?:ya\s+)?no\s | \bmaintenant\b[^.;]{0,60},\s*(?:et\s+)?(?:pas|plus)\s"
);
// Another number than before: "the limit is 10 now, not 3", "they raised the limit, 10 at a time is fine now".
pattern!(
    CHANGED_NUMBER = r"(?ix)\d[^.;]*\bnow\s*,\s*(?:and\s+)?(?:not|no\ longer)\b[^.;]*\d
    | \b(?:now|since|as\ of|from\ (?:now|today|\w+day))\b[^.;]*\d[^.;]*,\s*(?:it|that|this)\s+(?:was|used\ to\ be|has\ been)\b[^.;]*\d
    | \b(?:raised|lowered|increased|reduced|bumped|doubled|halved)\s+(?:the|our|my|their)\s+(?:\w+\s+){0,2}(?:limit|quota|timeout|budget|maximum|max|minimum|cap|threshold|rate)\b[^.]*\d
    | \b(?:up\ to|at\ most|max(?:imum)?|batches\ of|groups\ of)\s+\d[^.;]*\s(?:is|are)\s+(?:ok(?:ay)?|fine|allowed|possible)\s+now\b
    | \d[^.;]*\bjetzt\b[^.;]*\b(?:statt|und\ nicht\ mehr)\b[^.;]*\d | \bjetzt\b[^.;]*\d[^.;]*\b(?:statt|nicht\ mehr)\b[^.;]*\d
    | \b(?:limit|grenze|quote|maximum|timeout)\b[^.;]*\bauf\s+\d[^.;]*\b(?:erhöht|angehoben|gesenkt|gesetzt|hochgesetzt)\b
    | \bahora\b[^.;]*\d[^.;]*,\s*(?:y\s+)?(?:ya\s+)?no\b[^.;]*\d | \b(?:subieron|bajaron|han\ subido|han\ bajado)\s+(?:el|la)\s+\w+\b[^.]*\d
    | \bmaintenant\b[^.;]*\d[^.;]*,\s*(?:et\s+)?(?:pas|plus)\b[^.;]*\d | \best\ passée?\ (?:de\s+\d[^.;]*\s)?à\s+\d"
);
// "btw the staging db listens on 5544": no task, also at the beginning of a session.
pattern!(
    ASIDE = r"(?ix)^(?:(?:oh|hey|hi|hallo|hola|salut|ok(?:ay)?|and|so)[,!\s]+)*(?:
        btw | by\ the\ way | fyi | for\ (?:your\ information|context|the\ record) | just\ so\ (?:you|u)\ know | heads[\s-]up
      | to\ let\ you\ know | (?:good|useful|important)\ to\ know | (?:please\ )?note\ that | before\ you\ start
      | übrigens | nur\ dass\ du(?:['’]s|\ es)\ weißt | zur\ info | por\ cierto | para\ que\ (?:lo\ )?sepas | au\ fait | pour\ info | à\ savoir
      )\b | ^(?:(?:please\ )?note|ojo)\s*[:,] | ^(?:顺便|另外|提醒一下)"
);
// "I think it is good if all our figures follow this", "dry run comes first".
pattern!(
    HOLDS_FOR_ALL = r"(?i)\bcomes? first\b|\b(?:all|every|each)\s(?:of\s)?(?:our|the|my|these)?\s?\w+\s(?:follows?|(?:should|must) (?:follow|look|be|go|work))\s(?:this|that|like (?:this|that)|the same way)\b"
);
pattern!(
    MUST_NOT = r"(?i)\b(?:must|may|shall) not\b|\bmustn['’]?t\b|\b(?:darf|dürfen)\b.*\b(?:nicht|kein\w*|nie)\b|\bno (?:se )?(?:puede|debe)n?\b|\bne (?:doi|peu)[tx]?(?:vent)? pas\b"
);
// "I prefer composition over inheritance": a preference, whatever it is about, but none for one of two proposals.
pattern!(
    PREFERS = r"(?i)\b(?:i(?:['’]d)?|we)\s+(?:\w+\s+)?(?:prefer|rather|like)\s+(?:\S+\s+){1,6}(?:over|than|better\s+than|rather\s+than)\s+\S|^(?:\w+,?\s+)?prefer\s+(?:\S+\s+){1,6}(?:over|to|than)\s+\S|^(?:\S+\s+){1,3}instead\s+of\s+(?:\S+\s+){1,3}(?:please|pls)\b"
);
// "We're back to yarn": a decision that replaces another one. The sentence before it says why.
pattern!(
    RETURNS = r"(?ix)^(?:(?:ok(?:ay)?|so|and|then|no|nah|non|nein|bueno|donc|also)[,\s]+)*
    (?:(?:we['’]?re|we\ are|we\ went|we\ go)\s+back\s+to | on\s+(?:est\s+)?revien\w*\s+(?:à|au|aux|sur) | nous\s+revenons\s+(?:à|au)
      | wir\s+sind\s+(?:wieder\s+)?zurück\s+(?:bei|zu) | (?:volvimos|volvemos|hemos\ vuelto)\s+a)\s+
    (?P<to>\S+)"
);
pattern!(NO_CHOICE = r"(?i)^(?:square|work|normal|the|this|that|it|you|zero)$");
// "From now on, an ANALYZE after each import, please": asked for at an event that comes again.
pattern!(
    AT_EACH = r"(?i)\b(?:(?:before|after|on|at|with|for|in)\s(?:each|every|any)|(?:vor|nach|bei|mit|in|an)\sjede[mnrs]?|(?:avant|après|à|pour)\schaque|(?:antes\sde|después\sde|en|con|a)\scada)\b|每次"
);
pattern!(POLITE = r"(?i)\b(?:please|pls|plz|bitte|por\sfavor|s['’]il\s(?:te|vous)\spla[iî]t|stp|svp)\b|请");
pub(super) type JudgedStatement<'a> = (&'a Statement, &'a KindProbabilities);

/// Whether the probability of a sentence suffices for this certainty.
///
/// Before the agent has done anything, most sentences are the task; what a person types when they
/// refuse a call mostly lasts. Other kinds than rules need more: reports of errors look like facts,
/// and chat looks like decisions and preferences. "Remember: …" and "never …" need less.
pub(super) fn reaches((statement, judged): &JudgedStatement<'_>, certainty: Certainty) -> bool {
    if is_not_meant(&statement.text) {
        return false;
    }
    // The first sentence of a session mostly is the task, unless it says "always" or "by the way".
    let is_opener = statement.context == StatementContext::Plain
        && statement.place == 0
        && !is_standing(&statement.text)
        && !ASIDE.is_match(&statement.text);
    let is_rule = judged.kind() == StatementKind::Rule;
    let is_remembered = (REMEMBER.is_match(&statement.text)
        || wording::holds_from_now(&statement.text)
        || is_for_next_time(&statement.text))
        && !statement.text.ends_with(['?', '？', ':', '：']);
    let is_asked_for_each_time = is_remembered
        && wording::holds_from_now(&statement.text)
        && AT_EACH.is_match(&statement.text)
        && POLITE.is_match(&statement.text);
    let is_labelled = LABELLED.is_match(&statement.text);
    if is_for_once(&statement.text) && !is_remembered && !is_labelled {
        return false;
    }
    // A sentence that retires rules about a tool is learned as well, else nothing would say what replaced it.
    let is_return = returns(statement)
        || CORRECTS.is_match(&statement.text)
        || gone(&statement.text, "", judged.lasting()).is_some();
    let is_changed_number = CHANGED_NUMBER.is_match(&statement.text)
        && statement.context != StatementContext::Plain
        && !statement.text.ends_with(['?', '？']);
    // "LTIME literals." names the task.
    let is_short = statement.text.split_whitespace().count() < MIN_OPENER_WORDS
        && !statement.text.contains(is_ideograph);
    if is_opener && is_short && !is_remembered && !is_labelled && !is_return {
        return false;
    }
    let is_preference =
        PREFERS.is_match(&statement.text) || !is_opener && HOLDS_FOR_ALL.is_match(&statement.text);
    let least = match (certainty, statement.context) {
        _ if is_labelled => MIN_CERTAIN_REMEMBER_PROBABILITY,
        (Certainty::Medium, _) if is_changed_number => MIN_CHANGED_NUMBER_PROBABILITY,
        (Certainty::Medium, _) if is_return => MIN_RELATED_PROBABILITY,
        (Certainty::High, _) if is_return || is_changed_number => MIN_RETURN_PROBABILITY,
        (Certainty::Medium, _) if is_preference => THRESHOLD_ASK,
        (Certainty::High, _) if is_preference => MIN_CERTAIN_PREFERENCE_PROBABILITY,
        (Certainty::Medium, _) if is_asked_for_each_time => 0.0,
        (Certainty::High, _) if is_asked_for_each_time => MIN_REMEMBER_PROBABILITY,
        (Certainty::Medium, _) if is_remembered => MIN_REMEMBER_PROBABILITY,
        (Certainty::High, _) if is_remembered && is_rule => MIN_CERTAIN_REMEMBER_PROBABILITY,
        (Certainty::Medium, _) if is_rule && is_standing(&statement.text) => THRESHOLD_ASK,
        (Certainty::Medium, StatementContext::After) if is_rule && MUST_NOT.is_match(&statement.text) => {
            THRESHOLD_MEDIUM
        }
        (Certainty::Medium, StatementContext::Plain) if is_opener => MIN_OPENER_PROBABILITY,
        (Certainty::High, StatementContext::Plain) if is_opener => MIN_CERTAIN_OPENER_PROBABILITY,
        (Certainty::Medium, StatementContext::Plain) => MIN_PLAIN_PROBABILITY,
        (Certainty::Medium, StatementContext::After) => MIN_REACTION_PROBABILITY,
        (Certainty::Medium, StatementContext::Refused) => MIN_REFUSAL_PROBABILITY,
        (Certainty::High, StatementContext::Plain) => MIN_CERTAIN_PLAIN_PROBABILITY,
        (Certainty::High, _) => THRESHOLD_HIGH,
    };
    let more = match certainty {
        _ if is_rule || is_remembered || is_labelled || is_return || is_changed_number || is_preference => {
            0.0
        }
        Certainty::Medium => OTHER_KIND_MARGIN,
        Certainty::High if statement.context != StatementContext::Plain => CERTAIN_OTHER_KIND_REACTION_MARGIN,
        Certainty::High => CERTAIN_OTHER_KIND_MARGIN,
    };
    // A colon announces what was pasted below.
    judged.lasting() >= least + more && !statement.text.ends_with([':', '：'])
}

/// Whether a sentence says what to do the next time.
fn is_for_next_time(text: &str) -> bool {
    let found = NEXT_TIME.captures(text);
    found.is_some_and(|found| found.name("next").is_none_or(|next| !NOT_ASKED.is_match(next.as_str())))
}

/// Whether a sentence says that something given up before is chosen again.
pub(super) fn returns(statement: &Statement) -> bool {
    !statement.text.ends_with(['?', '？'])
        && RETURNS.captures(&statement.text).is_some_and(|found| !NO_CHOICE.is_match(&found["to"]))
}

/// Whether a sentence begins as an aside ("by the way …") or asks to remember something, so that it describes no problem
/// of the task.
pub(super) fn is_told_aside(text: &str) -> bool {
    ASIDE.is_match(text) || REMEMBER.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::super::{lasting, of_prompt};
    use super::*;

    fn judged(lasting: &[f32]) -> Vec<KindProbabilities> {
        lasting.iter().map(|last| KindProbabilities([1.0 - last, *last, 0.0, 0.0, 0.0])).collect()
    }

    #[test]
    fn an_aside_at_the_beginning_of_a_session_is_no_task() {
        let lasts = |prompt: &str| {
            let statements = of_prompt(prompt, 1, StatementContext::Plain, None);
            !lasting(&statements, &judged(&[0.8])).is_empty()
        };
        for prompt in ["btw the staging db listens on port 5544", "Übrigens: der Staging-Port ist 5544"] {
            assert!(lasts(prompt), "{prompt}");
        }
        assert!(!lasts("the staging db listens on port 5544, fix the config"));
    }

    #[test]
    fn what_holds_only_once_or_for_some_days_does_not_last() {
        let lasts = |prompt: &str| {
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            !lasting(&statements, &judged(&vec![0.95; statements.len()])).is_empty()
        };
        for prompt in [
            "no changelog entry this time",
            "Leave out metrics here, this ticket is only the queue.",
            "Put nothing into the raw bucket till thursday, it is read only.",
            "Diesmal kein Eintrag ins Changelog.",
            "bis Freitag nichts auf main pushen",
            "docs page can stay as is today, lena is mid rewrite",
            "Lass das Changelog heute bitte weg.",
            "pour cette fois on garde le vieux format",
            "hasta el lunes nadie toca la base",
            "这次不用写测试",
            "hoy no lances la suite, la usa Ana hasta la tarde",
        ] {
            assert!(!lasts(prompt), "{prompt}");
        }
        for prompt in [
            "Never push until the tests pass.",
            "No tabs in this repository as of today.",
            "We moved to uv today, pip stays out.",
            "Never deploy from Friday until Monday.",
            "Deploys sind von Freitag bis Montag gesperrt.",
            "Use this time format everywhere: ISO 8601",
            "Load this once at startup.",
            "Remember: staging is frozen until Friday",
            "this time it worked, so from now on always run it with -j1",
            "Bis zur Abnahme durch das Labor wird kein Wert gerundet.",
        ] {
            assert!(lasts(prompt), "{prompt}");
        }
    }

    #[test]
    fn another_value_from_now_on_needs_little_probability() {
        let texts = |prompt: &str, shares: &[f32]| -> Vec<String> {
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            lasting(&statements, &judged(shares)).into_iter().map(|one| one.text).collect()
        };
        assert_eq!(
            texts(
                "Holds are 45 minutes today. From now on they are 90 minutes, the pilots complained.",
                &[0.05, 0.2]
            ),
            ["Holds are 45 minutes today. From now on they are 90 minutes, the pilots complained."]
        );
        let now = "The staging database is refreshed at 03:30 JST now, not at 04:00.";
        assert_eq!(texts(now, &[0.45]), [now]);
        assert!(texts("The staging database is refreshed at 03:30 JST.", &[0.45]).is_empty());
    }

    #[test]
    fn what_is_asked_for_at_each_event_from_now_on_lasts_and_what_is_only_said_of_the_future_need_not() {
        let certainty = |prompt: &str, share: f32| {
            let statements = of_prompt(prompt, 1, StatementContext::After, None);
            lasting(&statements, &judged(&[share])).first().map(|one| one.certainty)
        };
        for prompt in [
            "ab jetzt bitte nach jedem Import einmal ANALYZE, sonst nimmt er den falschen Join",
            "from now on please an ANALYZE after every import, it picks the wrong join otherwise",
            "à partir de maintenant un ANALYZE après chaque import, s'il te plaît",
            "a partir de ahora un ANALYZE después de cada importación, por favor",
        ] {
            assert_eq!(certainty(prompt, 0.02), Some(Certainty::Medium), "{prompt}");
            assert_eq!(certainty(prompt, 0.2), Some(Certainty::High), "{prompt}");
        }
        for prompt in
            ["brilliant. henceforth every button shall be beige", "from now on it breaks after each start"]
        {
            assert_eq!(certainty(prompt, 0.02), None, "{prompt}");
        }
    }

    #[test]
    fn facts_and_the_first_prompt_need_more_certainty_than_corrections() {
        let certainty = |context, judged: KindProbabilities| {
            let prompt = "Look at the totals. Amounts are decimals in this repository.";
            let statements = of_prompt(prompt, 1, context, None);
            let passing = KindProbabilities([1.0, 0.0, 0.0, 0.0, 0.0]);
            lasting(&statements, &[passing, judged]).first().map(|one| one.certainty)
        };
        let rule = |p: f32| KindProbabilities([1.0 - p, p, 0.0, 0.0, 0.0]);
        let fact = |p: f32| KindProbabilities([1.0 - p, 0.0, 0.0, p, 0.0]);
        let (plain, after) = (StatementContext::Plain, StatementContext::After);
        assert_eq!(certainty(after, rule(0.77)), Some(Certainty::High));
        assert_eq!(certainty(after, fact(0.77)), Some(Certainty::High));
        assert_eq!(certainty(after, fact(0.72)), Some(Certainty::Medium));
        assert_eq!(certainty(plain, rule(0.77)), Some(Certainty::Medium));
        assert_eq!(certainty(plain, fact(0.77)), None);
        assert_eq!(certainty(StatementContext::Refused, rule(0.45)), Some(Certainty::Medium));
        assert_eq!(certainty(after, rule(0.62)), Some(Certainty::Medium));
        assert_eq!(certainty(after, fact(0.62)), None);
        assert_eq!(certainty(plain, rule(0.62)), None);
    }

    #[test]
    fn another_number_than_before_lasts_however_improbable() {
        let is_learned = |text: &str| {
            let statements = of_prompt(text, 1, StatementContext::After, None);
            !lasting(&statements, &judged(&[0.05])).is_empty()
        };
        for text in [
            "importer runs at 5 now, not at 3",
            "the limit is 10 now, not 3",
            "btw they raised the limit, batches of 10 are fine now",
            "up to 10 stations per call are ok now",
            "since today the max upload is 50 MB, it was 20",
            "das Limit wurde auf 10 angehoben",
            "jetzt gehen 10 auf einmal, nicht mehr 3",
            "ahora son 10 por petición, no 3",
            "la limite est passée à 10",
        ] {
            assert!(is_learned(text), "{text}");
        }
        for text in ["it fails now, not before", "line 10 is wrong now", "is it 10 now, not 3?", "run 10 now"]
        {
            assert!(!is_learned(text), "{text}");
        }
    }

    #[test]
    fn what_the_person_asks_to_remember_lasts_and_an_order_for_ever_needs_less() {
        let certainty = |text: &str, share: f32| {
            let statements = of_prompt(text, 1, StatementContext::Plain, None);
            lasting(&statements, &judged(&[share])).first().map(|one| one.certainty)
        };
        assert_eq!(
            certainty("Remember: clients are generated, so edit the schema.", 0.35),
            Some(Certainty::High)
        );
        assert_eq!(certainty("记住：所有接口都要写测试", 0.15), Some(Certainty::Medium));
        for reminder in [
            "und denk dran dass die Haltestellen-IDs Strings sind",
            "don't forget that stop IDs may begin with a zero",
            "no olvides que los IDs son cadenas",
            "n'oublie pas que les identifiants sont du texte",
        ] {
            assert_eq!(certainty(reminder, 0.15), Some(Certainty::Medium), "{reminder}");
        }
        assert_eq!(certainty("don't forget to run the tests", 0.15), None);
        let summary = "nice but next time without the 40 line summary";
        assert_eq!(certainty(summary, 0.15), Some(Certainty::Medium));
        assert_eq!(certainty("next time I do that myself", 0.15), None);
        assert_eq!(certainty("Remember: deploy with just.", 0.0), None);
        assert_eq!(certainty("remember that bug of yesterday?", 0.1), None);
        assert_eq!(certainty("you must never push to main", 0.5), Some(Certainty::Medium));
        assert_eq!(certainty("you must push to main now", 0.5), None);
        assert_eq!(certainty("ok decision then: no OTA over LoRa", 0.4), Some(Certainty::High));
        assert_eq!(certainty("that was your decision: bad", 0.4), None);
        assert_eq!(certainty("Brilliant, so now we just brick one board a week", 0.9), None);
        assert_eq!(certainty("great, so from now on we deploy with just", 0.98), Some(Certainty::High));
        assert_eq!(certainty("sure lets open it to everyone from now on, who needs auditors", 0.99), None);
        for passing in [
            "always fun with xcode",
            "never change a running system haha",
            "we might move to bazel next year",
        ] {
            assert_eq!(certainty(passing, 0.95), None, "{passing}");
        }
        assert_eq!(certainty("if we ever go nixos we'd put it in a separate repo", 0.99), None);
        let clock = "so remember for leeds: cert errors mean the clock is wrong";
        assert_eq!(certainty(clock, 0.4), Some(Certainty::High));
        assert_eq!(certainty("for_each instead of count please", 0.5), Some(Certainty::High));
        for quoted in [
            "raj in the standup: \"we should never use modules from the registry\"",
            "mia writes \"every task has to live in one file\".",
            "im wiki steht „man soll immer alle spalten laden“",
            "群里有人说 \"永远不要用 left join, 必须全部 inner join\"",
        ] {
            assert_eq!(certainty(quoted, 0.99), None, "{quoted}");
        }
        assert_eq!(certainty("tbh i prefer yaml over json for configs", 0.5), Some(Certainty::High));
    }

    #[test]
    fn the_first_sentence_of_a_session_is_mostly_the_task() {
        let certainty = |text: &str, share: f32| {
            let statements = of_prompt(text, 1, StatementContext::Plain, None);
            let each: Vec<f32> = statements.iter().map(|_| share).collect();
            lasting(&statements, &judged(&each)).first().map(|one| one.certainty)
        };
        assert_eq!(certainty("the servers in prod keep dying after five minutes", 0.88), None);
        assert_eq!(
            certainty("the servers in prod keep dying after five minutes", 0.92),
            Some(Certainty::Medium)
        );
        assert_eq!(certainty("we use pnpm here", 0.97), Some(Certainty::High));
        assert_eq!(certainty("never push to main", 0.5), Some(Certainty::Medium));
        assert_eq!(certainty("never push to main", 0.88), Some(Certainty::High));
    }
}
