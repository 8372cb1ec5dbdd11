//! Words of time in English, German, Spanish and French, in lower case.

pub(super) const DAY: f64 = 1.0;
pub(super) const WEEK: f64 = 7.0;
pub(super) const MONTH: f64 = 30.44;
pub(super) const YEAR: f64 = 365.25;

const UNITS: [(f64, &[&str]); 4] = [
    (DAY, &["day", "days", "tag", "tage", "tagen", "día", "días", "dia", "dias", "jour", "jours"]),
    (
        WEEK,
        &[
            "week",
            "weeks",
            "weekend",
            "weekends",
            "woche",
            "wochen",
            "wochenende",
            "semana",
            "semanas",
            "semaine",
            "semaines",
        ],
    ),
    (MONTH, &["month", "months", "monat", "monate", "monaten", "monats", "mes", "meses", "mois"]),
    (
        YEAR,
        &[
            "year", "years", "jahr", "jahre", "jahren", "jahres", "año", "años", "an", "ans", "année",
            "années",
        ],
    ),
];

const NUMBERS: [(f64, &[&str]); 13] = [
    (1.0, &["a", "an", "one", "ein", "einem", "einer", "eine", "un", "una", "uno", "une"]),
    (2.0, &["two", "couple", "zwei", "dos", "deux"]),
    (3.0, &["three", "few", "drei", "paar", "tres", "trois"]),
    (4.0, &["four", "several", "vier", "cuatro", "quatre"]),
    (5.0, &["five", "fünf", "cinco", "cinq"]),
    (6.0, &["six", "sechs", "seis"]),
    (7.0, &["seven", "sieben", "siete", "sept"]),
    (8.0, &["eight", "acht", "ocho", "huit"]),
    (9.0, &["nine", "neun", "nueve", "neuf"]),
    (10.0, &["ten", "zehn", "diez", "dix"]),
    (11.0, &["eleven", "elf", "once", "onze"]),
    (12.0, &["twelve", "zwölf", "doce", "douze"]),
    (0.5, &["half", "halben", "medio", "demi"]),
];

/// Names of the days, from Monday.
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "montag", "lunes", "lundi"],
    &["tuesday", "dienstag", "martes", "mardi"],
    &["wednesday", "mittwoch", "miércoles", "mercredi"],
    &["thursday", "donnerstag", "jueves", "jeudi"],
    &["friday", "freitag", "viernes", "vendredi"],
    &["saturday", "samstag", "sonnabend", "sábado", "samedi"],
    &["sunday", "sonntag", "domingo", "dimanche"],
];

const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner", "enero", "janvier"],
    &["february", "februar", "febrero", "février"],
    &["march", "märz", "marzo", "mars"],
    &["april", "abril", "avril"],
    &["may", "mai", "mayo"],
    &["june", "juni", "junio", "juin"],
    &["july", "juli", "julio", "juillet"],
    &["august", "agosto", "août"],
    &["september", "septiembre", "septembre"],
    &["october", "oktober", "octubre", "octobre"],
    &["november", "noviembre", "novembre"],
    &["december", "dezember", "diciembre", "décembre"],
];

/// Words before a length of time or a day that mean the one before this.
const LAST: [&str; 16] = [
    "last",
    "past",
    "previous",
    "letzte",
    "letzten",
    "letzter",
    "letztes",
    "letztem",
    "vorige",
    "vorigen",
    "voriges",
    "vergangene",
    "vergangenen",
    "vergangenes",
    "últimos",
    "últimas",
];
/// The same behind it.
const LAST_BEHIND: [&str; 10] = [
    "pasado",
    "pasada",
    "pasados",
    "pasadas",
    "dernier",
    "dernière",
    "derniers",
    "dernières",
    "passé",
    "passée",
];
const THIS: [&str; 9] = ["this", "diese", "dieser", "diesen", "dieses", "esta", "este", "cette", "ce"];
/// Words before a month or a year.
const IN: [&str; 28] = [
    "in", "during", "of", "from", "on", "by", "until", "early", "late", "mid", "around", "before", "after",
    "im", "am", "vom", "ab", "bis", "anfang", "ende", "mitte", "en", "de", "durante", "el", "le", "du", "au",
];
const SINCE: [&str; 4] = ["since", "seit", "desde", "depuis"];

fn position<const N: usize>(rows: &[&[&str]; N], word: &str) -> Option<usize> {
    rows.iter().position(|row| row.contains(&word))
}

/// Days of a unit of time.
pub(super) fn unit(word: &str) -> Option<f64> {
    UNITS.iter().find(|(_, words)| words.contains(&word)).map(|(days, _)| *days)
}

/// A number below 1,000, in figures or words.
pub(super) fn number(word: &str) -> Option<f64> {
    if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok();
    }
    NUMBERS.iter().find(|(_, words)| words.contains(&word)).map(|(number, _)| *number)
}

/// Days since Monday.
pub(super) fn weekday(word: &str) -> Option<u32> {
    position(&WEEKDAYS, word).and_then(|day| u32::try_from(day).ok())
}

/// Number of a month, from 1.
pub(super) fn month(word: &str) -> Option<u32> {
    position(&MONTHS, word).and_then(|month| u32::try_from(month + 1).ok())
}

/// A year of four figures.
pub(super) fn year(word: &str) -> Option<i32> {
    let figures = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| figures && (1970..2100).contains(year))
}

pub(super) fn is_last(word: &str) -> bool {
    LAST.contains(&word)
}

pub(super) fn is_last_behind(word: &str) -> bool {
    LAST_BEHIND.contains(&word)
}

pub(super) fn is_this(word: &str) -> bool {
    THIS.contains(&word)
}

pub(super) fn is_in(word: &str) -> bool {
    IN.contains(&word)
}

pub(super) fn is_since(word: &str) -> bool {
    SINCE.contains(&word)
}
