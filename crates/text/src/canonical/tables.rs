//! Tables of words that canonical forms treat alike: spellings, abbreviations, exact synonyms,
//! number words, units.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Negations, in the spelling of a canonical form.
pub(super) const NEGATIONS: &[&str] = &[
    super::NOT,
    "never",
    "no",
    "none",
    "nothing",
    "nobody",
    "nowhere",
    "neither",
    "nor",
    "without",
    "cannot",
    "insteadof",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keiner",
    "nie",
    "niemals",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "sans",
    "aucun",
    "aucune",
    "nunca",
    "sin",
    "ningún",
    "ninguna",
    "不",
    "没",
    "无",
    "别",
    "未",
];

/// Phrases and the word that replaces each; an empty word drops the phrase.
pub(super) const PHRASES: &[(&[&str], &str)] = &[
    (&["make", "sure", "that"], "ensure"),
    (&["make", "sure", "to"], ""),
    (&["make", "sure"], "ensure"),
    (&["be", "sure", "to"], ""),
    (&["remember", "to"], ""),
    (&["prior", "to"], "before"),
    (&["in", "order", "to"], "to"),
    (&["rather", "than"], "insteadof"),
    (&["instead", "of"], "insteadof"),
    (&["at", "all", "times"], "always"),
    (&["every", "time"], "when"),
    (&["pull", "request"], "pr"),
    (&["pull", "requests"], "prs"),
    (&["make", "use", "of"], "use"),
    (&["need", "to"], "should"),
    (&["have", "to"], "should"),
    (&["ought", "to"], "should"),
    (&["has", "to"], "should"),
    (&["force", "push"], "forcepush"),
];

/// Words with the same meaning; the first of a row replaces the others.
const SYNONYMS: &[&str] = &[
    "run execute",
    "runs executes",
    "repository repo",
    "repositories repos",
    "configuration config",
    "configurations configs",
    "database db",
    "databases dbs",
    "directory dir folder",
    "directories dirs folders",
    "environment env",
    "dependency dep",
    "dependencies deps",
    "documentation docs",
    "production prod",
    "administrator admin",
    "administrators admins",
    "application app",
    "applications apps",
    "library lib",
    "libraries libs",
    "parameter param",
    "parameters params",
    "argument arg",
    "arguments args",
    "kubernetes k8s",
    "postgresql postgres",
    "javascript js",
    "typescript ts",
    "all every each",
    "when whenever",
    "must shall",
    "color colour",
    "colors colours",
    "behavior behaviour",
    "behaviors behaviours",
    "favor favour",
    "neighbor neighbour",
    "center centre",
    "catalog catalogue",
    "license licence",
    "gray grey",
    "canceled cancelled",
    "labeled labelled",
    "artifact artefact",
    "artifacts artefacts",
    "analyze analyse",
    "dialog dialogue",
    "program programme",
    "initializ initialis",
    "normaliz normalis",
    "serializ serialis",
    "optimiz optimis",
    "organiz organis",
    "synchroniz synchronis",
    "sanitiz sanitis",
    "customiz customis",
    "minimiz minimis",
    "maximiz maximis",
    "prioritiz prioritis",
    "authoriz authoris",
    "paralleliz parallelis",
    "containeriz containeris",
    "standardiz standardis",
    "summariz summaris",
    "utiliz utilis",
    "initialized initialised",
    "normalized normalised",
    "serialized serialised",
    "optimized optimised",
    "organized organised",
    "synchronized synchronised",
    "sanitized sanitised",
    "customized customised",
    "minimized minimised",
    "authorized authorised",
    "initialization initialisation",
    "normalization normalisation",
    "serialization serialisation",
    "optimization optimisation",
    "organization organisation",
    "synchronization synchronisation",
    "authorization authorisation",
];

const VERBS: &str = "add adopt alert allow annotate apply ask assert assign attach authenticate avoid await back batch begin block \
    break build bump bundle cache call cancel catch chain change check choose clean clear clone close collect commit compare \
    compile compress configure confirm connect convert copy cover create cut debug declare decode define delete deny deploy \
    deprecate describe design detect disable document download drop dump edit emit enable encode encrypt enforce ensure escape \
    evaluate exclude execute expect explain export expose extend extract fail favor fetch filter find fix flag flush follow \
    force forcepush format freeze generate get give group guard handle hash hide hold ignore implement import include increase indent \
    index inherit initialise initialize inject inline insert inspect install introduce invalidate isolate iterate join keep \
    label launch leave limit link lint list load lock log make map mark measure merge migrate minimise minimize mirror mock \
    monitor mount move name normalise normalize notify open optimise optimize organise organize override pack parse pass patch \
    pause perform pick pin place plan poll prefer prefix prepare preserve prevent print profile protect provide prune publish \
    pull purge push put query queue quote raise read rebase rebuild record reduce refactor refresh refuse register reject \
    release reload rely remove rename render repeat replace report request require reset resolve restart restore restrict retry \
    return reuse revert review revoke rewrite roll rotate round route run sanitise sanitize save scale scan schedule scope seed \
    select send separate serialise serialize serve set share ship show sign simplify skip sort specify split squash stage start \
    stop store stream strip submit suppress switch sync tag take target terminate test throw track transform translate treat \
    trim truncate try tune type unlock unset update upgrade upload use validate verify wait warn watch wrap write";

const IRREGULAR: &[(&str, &str)] = &[
    ("kept", "keep"),
    ("written", "write"),
    ("built", "build"),
    ("made", "make"),
    ("sent", "send"),
    ("taken", "take"),
    ("given", "give"),
    ("held", "hold"),
    ("shown", "show"),
    ("hidden", "hide"),
    ("thrown", "throw"),
    ("chosen", "choose"),
    ("broken", "break"),
    ("frozen", "freeze"),
    ("found", "find"),
    ("left", "leave"),
    ("caught", "catch"),
    ("run", "run"),
    ("set", "set"),
    ("put", "put"),
    ("cut", "cut"),
    ("read", "read"),
    ("split", "split"),
    ("reset", "reset"),
    ("rebuilt", "rebuild"),
    ("rewritten", "rewrite"),
    ("overridden", "override"),
];

const CONTRACTIONS: &[(&str, &[&str])] = &[
    ("don't", &["do", "not"]),
    ("dont", &["do", "not"]),
    ("doesn't", &["does", "not"]),
    ("didn't", &["did", "not"]),
    ("isn't", &["is", "not"]),
    ("aren't", &["are", "not"]),
    ("wasn't", &["was", "not"]),
    ("weren't", &["were", "not"]),
    ("can't", &["can", "not"]),
    ("cannot", &["can", "not"]),
    ("won't", &["will", "not"]),
    ("shouldn't", &["should", "not"]),
    ("mustn't", &["must", "not"]),
    ("wouldn't", &["would", "not"]),
    ("couldn't", &["could", "not"]),
    ("hasn't", &["has", "not"]),
    ("haven't", &["have", "not"]),
    ("needn't", &["need", "not"]),
    ("it's", &["it", "is"]),
    ("that's", &["that", "is"]),
    ("we're", &["we", "are"]),
    ("you're", &["you", "are"]),
    ("they're", &["they", "are"]),
];

const NUMBERS: &[(&str, &str)] = &[
    ("0", "zero cero zéro"),
    ("1", "one eins"),
    ("2", "two zwei deux dos"),
    ("3", "three drei trois tres"),
    ("4", "four vier quatre cuatro"),
    ("5", "five fünf cinq cinco"),
    ("6", "six sechs seis"),
    ("7", "seven sieben sept siete"),
    ("8", "eight acht huit ocho"),
    ("9", "nine neun neuf nueve"),
    ("10", "ten zehn dix diez"),
    ("11", "eleven elf onze"),
    ("12", "twelve zwölf douze doce"),
    ("15", "fifteen fünfzehn quinze quince"),
    ("20", "twenty zwanzig vingt veinte"),
    ("30", "thirty dreißig trente treinta"),
    ("40", "forty vierzig quarante cuarenta"),
    ("50", "fifty fünfzig cinquante cincuenta"),
    ("60", "sixty sechzig soixante sesenta"),
    ("90", "ninety neunzig noventa"),
];

const UNITS: &[(&str, &str)] = &[
    ("ns", "ns nanosecond nanoseconds"),
    ("µs", "µs μs us microsecond microseconds"),
    ("ms", "ms msec millisecond milliseconds"),
    ("s", "s sec secs second seconds"),
    ("min", "min mins minute minutes"),
    ("h", "h hr hrs hour hours"),
    ("day", "day days"),
    ("week", "week weeks"),
    ("month", "month months"),
    ("year", "year years"),
    ("kB", "kb KB kB kilobyte kilobytes"),
    ("MB", "mb MB megabyte megabytes"),
    ("GB", "gb GB gigabyte gigabytes"),
    ("TB", "tb TB terabyte terabytes"),
    ("px", "px pixel pixels"),
    ("%", "% percent"),
];

/// Words that identify English.
pub(super) const ENGLISH: &[&str] = &[
    "the", "a", "an", "is", "are", "of", "to", "and", "in", "on", "for", "with", "not", "be", "use", "when",
    "after", "before", "must", "should", "never", "always", "do", "does", "each", "every", "all", "by",
    "from", "it", "has", "was", "your",
];

/// Words that identify German, French, and Spanish with Portuguese, one row a language.
pub(super) const OTHER_LANGUAGES: &[&[&str]] = &[
    &[
        "der", "die", "das", "den", "dem", "ein", "eine", "einen", "ist", "sind", "und", "nicht", "mit",
        "für", "wir", "nur", "immer", "nie", "kein", "keine", "auf", "vor", "nach", "wird", "werden", "zu",
        "im", "bei", "hat",
    ],
    &[
        "le", "la", "les", "un", "une", "des", "du", "de", "est", "sont", "et", "ne", "pas", "nous", "avec",
        "pour", "sur", "dans", "jamais", "toujours", "en", "après", "avant", "tout",
    ],
    &[
        "el", "la", "los", "las", "un", "una", "de", "del", "es", "son", "y", "no", "con", "para", "en",
        "siempre", "nunca", "usar", "se", "sin", "dos",
    ],
];

type Words = HashMap<&'static str, &'static str>;

fn by_word(rows: impl Iterator<Item = (&'static str, &'static str)>) -> Words {
    rows.flat_map(|(first, words)| words.split_whitespace().map(move |word| (word, first))).collect()
}

static SYNONYM: LazyLock<Words> = LazyLock::new(|| {
    by_word(SYNONYMS.iter().filter_map(|words| Some((words.split_whitespace().next()?, *words))))
});
static NUMBER: LazyLock<Words> = LazyLock::new(|| by_word(NUMBERS.iter().copied()));
static UNIT: LazyLock<Words> = LazyLock::new(|| by_word(UNITS.iter().copied()));
static VERB: LazyLock<HashSet<&str>> = LazyLock::new(|| VERBS.split_whitespace().collect());

/// The word that replaces this one, if any.
pub(super) fn synonym(word: &str) -> Option<&'static str> {
    SYNONYM.get(word).copied()
}

/// The digits of a number word.
pub(super) fn number(word: &str) -> Option<&'static str> {
    NUMBER.get(word).copied()
}

/// The canonical spelling of a unit.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    UNIT.get(word).copied()
}

/// Whether an instruction can begin with this word.
pub(super) fn is_verb(word: &str) -> bool {
    VERB.contains(word)
}

/// The verb of an irregular participle.
pub(super) fn irregular(word: &str) -> Option<&'static str> {
    IRREGULAR.iter().find(|(form, _)| *form == word).map(|(_, verb)| *verb)
}

/// The words that a contraction abbreviates.
pub(super) fn contraction(word: &str) -> Option<&'static [&'static str]> {
    CONTRACTIONS.iter().find(|(short, _)| *short == word).map(|(_, parts)| *parts)
}
