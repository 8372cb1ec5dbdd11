//! Times in Chinese text, which does not separate words.

use chrono::{Datelike as _, NaiveDate};

use super::words::{DAY, MONTH, WEEK, YEAR};
use super::{Days, ago, month_of, previous};

/// Expressions with the days from their middle to now, and the days around it.
const EXPRESSIONS: [(&str, f64, f64); 9] = [
    ("前天", 2.0, 1.0),
    ("昨天", 1.0, 1.0),
    ("昨晚", 1.0, 1.0),
    ("今天", 0.0, 1.0),
    ("上周", 7.0, 7.0),
    ("上个星期", 7.0, 7.0),
    ("上星期", 7.0, 7.0),
    ("上个月", 30.0, 30.0),
    ("去年", 365.0, 365.0),
];
const UNITS: [(&str, f64); 8] = [
    ("天前", DAY),
    ("周前", WEEK),
    ("个星期前", WEEK),
    ("星期前", WEEK),
    ("个月前", MONTH),
    ("月前", MONTH),
    ("年前", YEAR),
    ("年以前", YEAR),
];
const FIGURES: &str = "一二三四五六七八九十";

/// Adds the times that a text names, in days since 1970.
pub(super) fn collect(text: &str, today: NaiveDate, found: &mut Vec<Days>) {
    for (name, before, around) in EXPRESSIONS {
        if text.contains(name) {
            found.push(previous(today, before, around));
        }
    }
    for (unit, days) in UNITS {
        for (at, _) in text.match_indices(unit) {
            if let Some(number) = number_before(&text[..at]) {
                found.push(ago(today, number * days, days));
            }
        }
    }
    for (at, _) in text.match_indices('月') {
        // "三个月前" counts months; "三月" names one.
        let is_counted = text[at..].starts_with("月前") || text[..at].ends_with('个');
        let number = number_before(&text[..at]).filter(|_| !is_counted);
        if let Some(month) = number.map(|number| number as u32).filter(|month| (1..=12).contains(month)) {
            let year = if month <= today.month() { today.year() } else { today.year() - 1 };
            found.extend(month_of(year, month));
        }
    }
}

/// Returns the number that ends a text, in figures or characters up to ten.
fn number_before(text: &str) -> Option<f64> {
    let figures = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if let Ok(number) = text[figures..].parse::<u16>() {
        return Some(f64::from(number));
    }
    match text.chars().next_back()? {
        '两' => Some(2.0),
        last => Some(FIGURES.chars().position(|figure| figure == last)? as f64 + 1.0),
    }
}
