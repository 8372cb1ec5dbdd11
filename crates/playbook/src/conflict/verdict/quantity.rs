//! Finds the quantities in a statement: numbers in digits and words of five languages, with units
//! converted to a base, times of day, and versions.
//!
//! Digits inside a name (`S3`, `utf-8`) are no quantity.

use std::collections::HashMap;
use std::sync::LazyLock;

use cm_text::language::is_ideograph;

/// Kind of measure; values of different dimensions cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dimension {
    /// A plain number, or one with an unknown unit.
    Count,
    /// In seconds.
    Time,
    /// In bytes.
    Size,
    /// In minutes after midnight.
    Clock,
    Percent,
    /// A version such as `1.78` or `v2`.
    Version,
}

/// A number of a statement, in the base unit of its dimension.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    pub(super) value: f64,
    pub(super) dimension: Dimension,
    /// The number as written, which tells `3.10` from `3.1`.
    pub(super) written: String,
    /// Whether it is only implied, as by "daily" or "an hour".
    pub(super) is_implied: bool,
}

/// Quantities that two statements share, and those that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct QuantityMatch {
    pub(super) equal: usize,
    /// Pairs with comparable dimensions and different values.
    pub(super) conflicting: usize,
    /// Quantities of one statement without a counterpart in the other.
    pub(super) missing: usize,
}

/// Number words of English, German, Spanish and French with their values.
const NUMBERS: &[(&str, f64)] = &[
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
    ("single", 1.0),
    ("twice", 2.0),
    ("thousand", 1000.0),
    ("dozen", 12.0),
    ("third", 3.0),
    ("fourth", 4.0),
    ("fifth", 5.0),
    ("sixth", 6.0),
    ("seventh", 7.0),
    ("tenth", 10.0),
    ("zwei", 2.0),
    ("drei", 3.0),
    ("vier", 4.0),
    ("fünf", 5.0),
    ("sechs", 6.0),
    ("sieben", 7.0),
    ("acht", 8.0),
    ("neun", 9.0),
    ("zehn", 10.0),
    ("elf", 11.0),
    ("zwölf", 12.0),
    ("fünfzehn", 15.0),
    ("zwanzig", 20.0),
    ("dreißig", 30.0),
    ("vierzig", 40.0),
    ("fünfzig", 50.0),
    ("sechzig", 60.0),
    ("neunzig", 90.0),
    ("hundert", 100.0),
    ("tausend", 1000.0),
    ("zweimal", 2.0),
    ("dreimal", 3.0),
    ("fünfmal", 5.0),
    ("fünften", 5.0),
    ("dos", 2.0),
    ("tres", 3.0),
    ("cuatro", 4.0),
    ("cinco", 5.0),
    ("seis", 6.0),
    ("siete", 7.0),
    ("ocho", 8.0),
    ("nueve", 9.0),
    ("diez", 10.0),
    ("doce", 12.0),
    ("quince", 15.0),
    ("veinte", 20.0),
    ("treinta", 30.0),
    ("cuarenta", 40.0),
    ("cincuenta", 50.0),
    ("sesenta", 60.0),
    ("noventa", 90.0),
    ("cien", 100.0),
    ("mil", 1000.0),
    ("deux", 2.0),
    ("trois", 3.0),
    ("quatre", 4.0),
    ("cinq", 5.0),
    ("sept", 7.0),
    ("huit", 8.0),
    ("neuf", 9.0),
    ("dix", 10.0),
    ("onze", 11.0),
    ("douze", 12.0),
    ("vingt", 20.0),
    ("trente", 30.0),
    ("quarante", 40.0),
    ("cinquante", 50.0),
    ("soixante", 60.0),
    ("cent", 100.0),
    ("mille", 1000.0),
];

/// Units of time, size and share with their value in the base unit.
const UNITS: &[(&str, Dimension, f64)] = &[
    (
        "ms msec millisecond milliseconds millisekunden milisegundos millisecondes 毫秒",
        Dimension::Time,
        0.001,
    ),
    ("s sec secs second seconds sekunde sekunden segundo segundos seconde secondes 秒", Dimension::Time, 1.0),
    ("m min mins minute minutes minuten minuto minutos 分 分钟", Dimension::Time, 60.0),
    ("h hr hrs hour hours stunde stunden hora horas heure heures 小时", Dimension::Time, 3_600.0),
    ("d day days tag tage tagen día días dia dias jour jours 天 日", Dimension::Time, 86_400.0),
    ("week weeks woche wochen semana semanas semaine semaines 周 星期", Dimension::Time, 604_800.0),
    ("month months monat monate monaten mes meses mois 月 个月", Dimension::Time, 2_629_800.0),
    ("year years jahr jahre jahren año años année années 年", Dimension::Time, 31_557_600.0),
    ("b byte bytes", Dimension::Size, 1.0),
    ("kb kib kilobyte kilobytes", Dimension::Size, 1e3),
    ("mb mib megabyte megabytes", Dimension::Size, 1e6),
    ("gb gib gigabyte gigabytes", Dimension::Size, 1e9),
    ("tb tib terabyte terabytes", Dimension::Size, 1e12),
    ("% percent prozent", Dimension::Percent, 1.0),
    ("uhr o'clock am pm a.m p.m 点", Dimension::Clock, 60.0),
];

/// Words that name a period or a quantity on their own.
const PERIODS: &[(&str, f64)] = &[
    ("hourly stündlich", 3_600.0),
    ("daily nightly täglich diariamente quotidien", 86_400.0),
    ("weekly wöchentlich semanal hebdomadaire", 604_800.0),
    ("fortnight fortnightly", 1_209_600.0),
    ("monthly monatlich mensual mensuel", 2_629_800.0),
    ("quarterly", 7_889_400.0),
    ("yearly annually jährlich anual annuel", 31_557_600.0),
];

/// Words before a unit that count one of it: "an hour".
const ONE: &[&str] = &[
    "a", "an", "one", "full", "eine", "einer", "einem", "einen", "ein", "una", "un", "une", "every", "each",
];

fn number_word(word: &str) -> Option<f64> {
    NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

fn unit(word: &str) -> Option<(Dimension, f64)> {
    static BY_WORD: LazyLock<HashMap<&str, (Dimension, f64)>> = LazyLock::new(|| {
        let rows = UNITS.iter().rev();
        rows.flat_map(|(words, dimension, factor)| words.split(' ').map(|word| (word, (*dimension, *factor))))
            .collect()
    });
    BY_WORD.get(word).copied()
}

fn period(word: &str) -> Option<f64> {
    static BY_WORD: LazyLock<HashMap<&str, f64>> = LazyLock::new(|| {
        let rows = PERIODS.iter().rev();
        rows.flat_map(|(words, seconds)| words.split(' ').map(|word| (word, *seconds))).collect()
    });
    BY_WORD.get(word).copied()
}

/// A word or number of a text, in lower case.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    text: String,
    is_number: bool,
    /// Whether the previous character is part of the same word, as in `10MB`.
    is_attached: bool,
    is_name: bool,
}

/// Returns the quantities of a text, in order.
pub(super) fn quantities(text: &str) -> Vec<Quantity> {
    let pieces = Pieces(pieces(text));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < pieces.0.len() {
        let (quantity, length) = pieces.quantity(at);
        found.extend(quantity);
        at += length;
    }
    found
}

/// The words and numbers of a text, in order.
struct Pieces(Vec<Piece>);

impl Pieces {
    /// The text of a piece; empty behind the last one.
    fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |piece| piece.text.as_str())
    }

    fn before(&self, at: usize, by: usize) -> Option<&Piece> {
        self.0.get(at.checked_sub(by)?)
    }

    /// Returns the quantity that begins at a piece, if any, and the number of pieces to move on by, at least 1.
    fn quantity(&self, at: usize) -> (Option<Quantity>, usize) {
        let piece = &self.0[at];
        if let Some((quantity, length)) = self.fraction_of_unit(at) {
            return (Some(quantity), length);
        }
        if let Some(seconds) = period(&piece.text) {
            return (Some(Quantity { written: piece.text.clone(), ..implied(seconds, Dimension::Time) }), 1);
        }
        let value = if piece.is_number { number(&piece.text) } else { number_word(&piece.text) };
        let Some(value) = value else { return (self.single_unit(at), 1) };
        let (quantity, length) = self.share_or_rate(at, value).unwrap_or_else(|| self.measured(at, value));
        (Some(quantity), length)
    }

    /// Reads "half an hour".
    fn fraction_of_unit(&self, at: usize) -> Option<(Quantity, usize)> {
        let (share, by) = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("half", "an" | "a", _) => (0.5, 2),
            ("quarter", "of", "an" | "a") => (0.25, 3),
            ("halbe" | "halben" | "media" | "demi", ..) => (0.5, 1),
            _ => return None,
        };
        let (dimension, factor) = unit(self.word(at + by))?;
        Some((implied(share * factor, dimension), by + 1))
    }

    /// Reads the unit of "an hour", but not that of a rate, as in "four times a minute".
    fn single_unit(&self, at: usize) -> Option<Quantity> {
        let is_one_of = |by: usize, words: &[&str]| {
            self.before(at, by).is_some_and(|before| words.contains(&before.text.as_str()))
        };
        let (dimension, factor) = unit(self.word(at)).filter(|_| is_one_of(1, ONE))?;
        let is_rate = is_one_of(2, &["times", "mal", "veces", "fois", "requests", "per"]);
        let is_time = dimension == Dimension::Time && self.word(at).chars().count() > 2;
        (is_time && !is_rate).then(|| implied(factor, dimension))
    }

    /// Reads "two thirds of an hour" and "four times a minute" after the value of their first word.
    fn share_or_rate(&self, at: usize, value: f64) -> Option<(Quantity, usize)> {
        let (share, by) = match [1, 2, 3].map(|by| self.word(at + by)) {
            ["thirds", "of", "an" | "a"] => (Some(value / 3.0), 4),
            ["quarters", "of", "an" | "a"] => (Some(value / 4.0), 4),
            ["times", "a" | "an" | "per", _] => (None, 3),
            _ => return None,
        };
        let (dimension, factor) = unit(self.word(at + by)).filter(|unit| unit.0 == Dimension::Time)?;
        let value = share.map_or(factor / value, |share| share * factor);
        Some((implied(value, dimension), by + 1))
    }

    /// Reads a number that begins with `value`, with its unit.
    fn measured(&self, at: usize, value: f64) -> (Quantity, usize) {
        let piece = &self.0[at];
        // "a hundred" and "two hundred" are one number.
        let (value, length) = match number_word(self.word(at + 1)) {
            Some(by) if by >= 100.0 && value < 100.0 && !piece.is_number => (value * by, 2),
            Some(ones) if (20.0..100.0).contains(&value) && ones < 10.0 => (value + ones, 2),
            _ => (value, 1),
        };
        let written = piece.text.clone();
        let is_implied =
            matches!(written.as_str(), "single" | "twice" | "third" | "fourth" | "fifth" | "sixth");
        let quantity = |value, dimension| Quantity { value, dimension, written, is_implied };
        if is_clock(&piece.text) {
            return (quantity(clock(&piece.text), Dimension::Clock), length);
        }
        let next = self.word(at + length);
        let is_unit = next.len() > 1
            || matches!(next, "s" | "h")
            || self.0.get(at + length).is_some_and(|next| next.is_attached);
        if let Some((dimension, factor)) = unit(next).filter(|_| is_unit) {
            return (quantity(value * factor, dimension), length + 1);
        }
        let is_version = piece.is_number && self.is_version(at);
        let dimension = if is_version { Dimension::Version } else { Dimension::Count };
        (quantity(value, dimension), length)
    }

    /// Whether the number at a piece, which is no time of day, is a version: `v2`, "version 2", "Node 20", `1.2.3`.
    fn is_version(&self, at: usize) -> bool {
        let piece = &self.0[at];
        let follows_name = self.before(at, 1).is_some_and(|before| {
            before.text == "v" && piece.is_attached || before.text == "version" || before.is_name
        });
        follows_name || piece.text.matches('.').count() > 1
    }
}

fn implied(value: f64, dimension: Dimension) -> Quantity {
    Quantity { value, dimension, written: String::new(), is_implied: true }
}

fn is_clock(text: &str) -> bool {
    text.split_once(':').is_some_and(|(hours, minutes)| hours.len() <= 2 && minutes.len() == 2)
}

fn clock(text: &str) -> f64 {
    let part = |text: &str| text.parse::<f64>().unwrap_or(0.0);
    text.split_once(':').map_or(0.0, |(hours, minutes)| part(hours) * 60.0 + part(minutes))
}

fn number(text: &str) -> Option<f64> {
    if is_clock(text) {
        return Some(clock(text));
    }
    // A separator before three digits is one of thousands.
    let is_thousands = |c: char| {
        text.rsplit_once(c).is_some_and(|(head, tail)| tail.len() == 3 && head.len() <= 3 && head != "0")
    };
    let plain: String = match (text.matches('.').count(), text.matches(',').count()) {
        (0, 0) => text.to_owned(),
        (0, 1) if !is_thousands(',') => text.replace(',', "."),
        (_, 1..) => text.replace(',', ""),
        (1, 0) => text.to_owned(),
        _ => text.split('.').take(2).collect::<Vec<_>>().join("."),
    };
    plain.parse().ok()
}

fn pieces(text: &str) -> Vec<Piece> {
    let chars: Vec<char> = text.chars().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let start = at;
        let is_attached = at > 0 && chars[at - 1].is_alphanumeric();
        if c.is_ascii_digit() {
            while at < chars.len()
                && (chars[at].is_ascii_digit()
                    || matches!(chars[at], '.' | ',' | ':')
                        && chars.get(at + 1).is_some_and(char::is_ascii_digit))
            {
                at += 1;
            }
            let text: String = chars[start..at].iter().collect();
            // `S3`, `utf-8` and `p95` are names; `v2` is a version.
            let head = pieces.last().filter(|_| is_attached);
            let in_name = head.is_some_and(|head| head.text != "v" && !head.text.contains(is_ideograph));
            let hyphen = start > 1
                && matches!(chars[start - 1], '-' | '_' | '/')
                && chars[start - 2].is_alphanumeric();
            pieces.push(Piece { text, is_number: !in_name && !hyphen, is_attached, is_name: false });
        } else if is_ideograph(c) {
            at += ideographs(&chars[at..], &mut pieces);
        } else if c.is_alphabetic() || c == '%' || c == '$' {
            while at < chars.len()
                && (chars[at].is_alphabetic() && !is_ideograph(chars[at]) || matches!(chars[at], '\'' | '’'))
            {
                at += 1;
            }
            at = at.max(start + 1);
            let shown: String = chars[start..at].iter().collect();
            let is_name = start > 0 && shown.chars().any(char::is_uppercase);
            let text = shown.to_lowercase();
            let text =
                text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(&text).to_owned();
            pieces.push(Piece { text, is_number: false, is_attached, is_name });
        } else {
            at += 1;
        }
    }
    pieces
}

/// Reads a Chinese numeral that a measure word follows, or one other character; returns how many
/// characters were read.
fn ideographs(chars: &[char], pieces: &mut Vec<Piece>) -> usize {
    const DIGITS: &str = "零一二三四五六七八九";
    const MEASURES: &str = "天次个小秒分周月年号点楼台条份名人位倍种日季度";
    let digit = |c: char| if c == '两' { Some(2) } else { DIGITS.chars().position(|own| own == c) };
    let (mut value, mut last, mut length) = (0, 0, 0);
    for c in chars {
        match (*c, digit(*c)) {
            (_, Some(own)) => last = own,
            ('十', _) => (value, last) = (value + last.max(1) * 10, 0),
            ('百', _) => (value, last) = (value + last.max(1) * 100, 0),
            ('千', _) => (value, last) = (value + last.max(1) * 1000, 0),
            _ => break,
        }
        length += 1;
    }
    let after = chars.get(length);
    let measured = after.is_some_and(|c| MEASURES.contains(*c) || c.is_ascii_alphabetic());
    if length > 0 && measured && !(length == 1 && last == 1 && after == Some(&'个')) {
        let text = (value + last).to_string();
        pieces.push(Piece { text, is_number: true, is_attached: false, is_name: false });
        return length;
    }
    let pair: String = chars.iter().take(2).collect();
    let (text, read) = if matches!(pair.as_str(), "小时" | "分钟" | "星期" | "毫秒" | "个月") {
        (pair, 2)
    } else {
        (chars[0].to_string(), 1)
    };
    pieces.push(Piece { text, is_number: false, is_attached: false, is_name: false });
    read
}

impl Quantity {
    fn is_comparable(&self, other: &Self) -> bool {
        let loose = |one: Dimension| matches!(one, Dimension::Count | Dimension::Version);
        self.dimension == other.dimension || loose(self.dimension) || loose(other.dimension)
    }

    fn equals(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 0.02 * a.abs().max(b.abs());
        match (self.dimension, other.dimension) {
            (Dimension::Version, Dimension::Version) => {
                self.written.trim_end_matches(".0") == other.written.trim_end_matches(".0")
            }
            (Dimension::Clock, _) | (_, Dimension::Clock) => {
                let minutes =
                    |one: &Self| if one.dimension == Dimension::Clock { one.value } else { one.value * 60.0 };
                (minutes(self) % 720.0 - minutes(other) % 720.0).abs() < 1.0
            }
            (a, b) if a == b => {
                near(self.value, other.value)
                    && (self.value.fract() == 0.0
                        || self.dimension != Dimension::Count
                        || self.written == other.written)
            }
            _ => near(self.value, other.value) || near(self.plain(), other.plain()),
        }
    }

    /// The number as it was written, without its unit.
    fn plain(&self) -> f64 {
        number(&self.written).or_else(|| number_word(&self.written)).unwrap_or(self.value)
    }
}

/// Pairs the quantities of two statements: equal ones first.
pub(super) fn compare(ours: &[Quantity], theirs: &[Quantity]) -> QuantityMatch {
    let mut rest: Vec<&Quantity> = theirs.iter().collect();
    let mut left: Vec<&Quantity> = Vec::new();
    let mut result = QuantityMatch::default();
    for one in ours {
        match rest.iter().position(|other| one.is_comparable(other) && one.equals(other)) {
            Some(at) => {
                rest.remove(at);
                result.equal += 1;
            }
            None => left.push(one),
        }
    }
    for one in left {
        match rest.iter().position(|other| one.is_comparable(other)) {
            Some(at) => {
                rest.remove(at);
                result.conflicting += 1;
            }
            None => result.missing += usize::from(!one.is_implied),
        }
    }
    result.missing += rest.iter().filter(|one| !one.is_implied).count();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(a: &str, b: &str) -> (usize, usize, usize) {
        let QuantityMatch { equal, conflicting, missing } = compare(&quantities(a), &quantities(b));
        (equal, conflicting, missing)
    }

    #[test]
    fn equal_amounts_are_equal_in_other_words_and_units() {
        for (a, b) in [
            ("It expires after a quarter of an hour.", "TTL: 15 min."),
            ("after sixty seconds", "once a minute has gone by"),
            ("larger than ten megabytes", "above 10 MB"),
            ("a limit of 30s", "thirty seconds"),
            ("retrained weekly", "once every seven days"),
            ("版本保存三十天", "kept for 30 days"),
            ("um 17 Uhr", "um fünf Uhr"),
            ("runs version 7.2", "is v7.2"),
            ("Stand-up at 9:30", "Stand-up at 09:30"),
            ("1,200 rows", "1200 rows"),
        ] {
            assert_eq!(compared(a, b), (1, 0, 0), "{a} / {b}: {:?} {:?}", quantities(a), quantities(b));
        }
    }

    #[test]
    fn other_amounts_conflict() {
        for (a, b) in [
            ("5 s", "5 min"),
            ("Python 3.1", "Python 3.10"),
            ("Allow 1.5 GB", "Allow 15 GB"),
            ("重试三次", "重试五次"),
            ("port 7700", "port 7071"),
            ("after twenty minutes", "after an hour"),
        ] {
            assert_eq!(compared(a, b), (0, 1, 0), "{a} / {b}: {:?} {:?}", quantities(a), quantities(b));
        }
    }

    #[test]
    fn digits_in_names_are_no_quantities() {
        assert_eq!(quantities("Keep S3, utf-8 and p95 in eu-west-1"), []);
    }
}
