//! Words that deny, except, allow no exception or order steps, in the languages that cm reads.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::conflict::lexicon::{CueWord, LEXICON};
use cm_text::language::Language;

/// Function of a word without content of its own in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CueKind {
    Deny,
    /// A verb that forbids what follows: "avoid", "disable".
    Undo,
    /// Introduces what is rejected: "instead of".
    InsteadOf,
    Except,
    Absolute,
    /// Several values may hold at once.
    Open,
    /// The past, or a change.
    Past,
    /// Restricts a statement to what it names.
    Only,
    Silent,
}

const DENY: &str = "never not no none nothing nobody nowhere neither nor without cannot don't dont can't won't \
    nicht kein keine keinen keiner keinem keines nie niemals nichts niemand ohne \
    pas jamais aucun aucune sans rien personne \
    nunca jamás sin ningún ninguna ninguno nada nadie tampoco \
    不 没 没有 无 别 未 勿 禁 非 不要 不能 禁止 不得 切勿 请勿 不会 不可 从不 无法";
const UNDO: &str = "avoid avoids avoided avoiding forbid forbids forbidden prohibit prohibited disallow disallows disallowed ban \
    banned refuse refuses refused reject rejects rejected deny denies denied disable disables disabled disabling \
    stop skip omit prevent prevents exclude excludes excluded lacks lack fails forbidding refrain \
    vermeide vermeiden verboten untersagt deaktiviere deaktiviert evita evitar prohibido prohibida desactiva \
    évite éviter interdit interdite désactive 避免";
const EXCEPT: &str = "except unless excepting excluding besides exempt exception exceptions ausgenommen außer ausser \
    sauf excepté hormis excepto salvo menos 除了 除非 例外 除";
const ABSOLUTE: &str = "always every all each any whole entire entirely everything everyone everybody must \
    immer alle jede jeder jedes jeden sämtliche toujours tous toutes chaque siempre todos todas cada todo 必须 总是 所有 一律 都 每";
const OPEN: &str = "support supports supported compatible works tested allow allows accept accepts or oder ou o \
    unterstützt supporte admite soporta 支持 或";
const PAST: &str = "previously formerly was were had früher vorher war antes era auparavant était 以前 曾";
const ONLY: &str =
    "only solely exclusively nur ausschließlich solo solamente únicamente seulement uniquement";
const SILENT: &str = "please kindly thanks could would should there's it's bitte por favor s'il vous plaît 请 \
    der die das den dem ein eine einen einem einer im am zum zur vom beim und ist sind wird werden wir uns unser unsere man auf in an \
    für mit von zu aus bei durch soll sollen muss müssen darf dürfen kann können hat haben sich es \
    el la los las un una unos unas de del al y en es son se con por para que lo su sus hay debe deben está están \
    le les des du et est sont dans par pour avec sur nous on vous il elle ils ce cette au aux doit doivent être à \
    的 了 在 是 把 被 要 里 着 和 与 于 由 应 会 我 们 用 \
    their his her who whom which where also well too as its this that these those via everybody everywhere just more than most \
    up down out off on";

/// The functions of single words. A word of several lists has the function of the first one.
static CUES: LazyLock<HashMap<&str, CueKind>> = LazyLock::new(|| {
    let lists = [
        (DENY, CueKind::Deny),
        (UNDO, CueKind::Undo),
        (EXCEPT, CueKind::Except),
        (ABSOLUTE, CueKind::Absolute),
        (OPEN, CueKind::Open),
        (PAST, CueKind::Past),
        (ONLY, CueKind::Only),
        (SILENT, CueKind::Silent),
    ];
    let words = |(words, kind): &(&'static str, CueKind)| {
        let kind = *kind;
        words.split_whitespace().map(move |word| (word, kind))
    };
    lists.iter().rev().flat_map(words).collect()
});

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|own| own == word)
}

/// Returns what a word does, given the words around it; `None` for a content word.
pub(super) fn cue(word: &str, negated: bool, before: &str, next: &str) -> Option<CueKind> {
    if negated {
        return Some(CueKind::Deny);
    }
    match (word, next) {
        ("instead" | "rather", "of" | "than") | ("lieu", _) | ("lugar", "de") => {
            return Some(CueKind::InsteadOf);
        }
        ("instead" | "rather", _) => return Some(CueKind::Silent),
        ("statt" | "anstatt" | "anstelle" | "plutôt", _) => return Some(CueKind::InsteadOf),
        ("apart", "from") | ("other", "than") | ("as", "exception") | ("but", "not") => {
            return Some(CueKind::Except);
        }
        ("unless", "told" | "otherwise" | "specified" | "stated") => return Some(CueKind::Silent),
        ("no", "matter" | "later" | "longer" | "more" | "less" | "fewer" | "sooner") => {
            return Some(CueKind::Silent);
        }
        ("not", "only" | "just") => return Some(CueKind::Silent),
        ("but", _) if matches!(before, "nobody" | "nothing" | "none" | "all" | "everyone") => {
            return Some(CueKind::Except);
        }
        ("turn" | "turns" | "switch", "off") => return Some(CueKind::Undo),
        ("off", _) if matches!(before, "is" | "are" | "turned" | "switched" | "flagged") => {
            return Some(CueKind::Undo);
        }
        ("fail" | "fails", "to") => return Some(CueKind::Deny),
        ("used", "to") => return Some(CueKind::Past),
        _ => {}
    }
    let own = CUES.get(word).copied();
    let own = own.or_else(|| Language::is_function_word(word).then_some(CueKind::Silent));
    own.or_else(|| match LEXICON.cue(word)? {
        CueWord::Silent | CueWord::Affirm { .. } | CueWord::Purpose | CueWord::Where | CueWord::Reason => {
            Some(CueKind::Silent)
        }
        CueWord::Only => Some(CueKind::Only),
        CueWord::Deny { .. } => Some(CueKind::Deny),
        CueWord::All => Some(CueKind::Absolute),
        CueWord::Except => Some(CueKind::Except),
        CueWord::Order { .. } => Some(CueKind::Silent),
        CueWord::Do | CueWord::Undo => None,
    })
}

/// Whether the word puts its own clause later (`true`, as "before X" makes X the later step) or
/// first; `None` for words that order nothing.
pub(super) fn order(word: &str, next: &str) -> Option<bool> {
    const BEFORE: &str = "before prior until bevor ehe vor antes avant";
    const AFTER: &str = "after once following nachdem nach sobald tras après";
    match (word, next) {
        // "First X, then Y" orders like "X before Y".
        ("después", "de" | "del") => Some(false),
        ("después" | "then" | "afterwards" | "danach" | "ensuite" | "puis", _) => Some(true),
        // "After ten minutes" is a duration.
        _ if is_measure(next) || matches!(next, "a" | "an" | "half") => None,
        ("as", "soon") => Some(false),
        _ if has(BEFORE, word) => Some(true),
        _ if has(AFTER, word) => Some(false),
        _ => None,
    }
}

const MEASURES: &str = "second seconds minute minutes hour hours day days week weeks month months year years sec secs min mins \
    ms kb mb gb tb kib mib gib megabyte megabytes gigabyte gigabytes kilobyte kilobytes percent times time version versions \
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred thousand \
    single half quarter twice weekly daily monthly nightly fortnight \
    sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate jahr jahre uhr \
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig \
    segundo segundos minuto minutos hora horas día días semana semanas mes meses año años dos tres cuatro cinco seis siete ocho nueve \
    diez doce quince veinte treinta \
    seconde secondes heure heures jour jours semaine semaines mois deux trois quatre cinq sept huit neuf dix douze vingt trente \
    天 秒 分钟 小时 周 月 年 次 号 一 二 三 四 五 六 七 八 九 十 两 百 千";

static MEASURE_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| MEASURES.split_whitespace().collect());

/// Whether the word is a unit or a number, which the quantities describe.
pub(super) fn is_measure(word: &str) -> bool {
    MEASURE_WORDS.contains(word) || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Words that qualify a statement, in order of spelling: "some" and "most", "may", "was", "up".
pub(super) fn qualifiers(text: &str) -> Vec<String> {
    const QUALIFIERS: &str = "some most many few several may might can could sometimes usually often rarely mostly partly was were \
        will up down on off in out manche einige meist meistens oft manchmal kann darf könnte selten \
        parfois souvent quelques peut plupart algunos algunas veces puede podría suele 有时 可能 有些 大多";
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| has(QUALIFIERS, word));
    let mut found: Vec<String> = words.map(str::to_owned).collect();
    found.sort_unstable();
    found
}
