//! Times that a question names in words: `two weeks ago`, `last Friday`, `since March`.
//!
//! English, German, Spanish, French and Chinese. What is not understood gives no time.

mod chinese;
mod words;

use chrono::{Datelike as _, NaiveDate};

use self::words::{is_in, is_last, is_last_behind, is_since, is_this, month, number, unit, weekday, year};
use crate::instant::Instant;

/// A stretch of time, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    pub from: Instant,
    pub until: Instant,
}

/// First and last day, in days since 1970.
type Days = (f64, f64);

/// Seconds of a day.
const SECONDS_PER_DAY: f64 = 86_400.0;
/// How fast [`fit`] falls outside of a range, as a share of the range's length.
const FIT_FALL: f64 = 0.4;

/// Returns the times that a question names, seen from `now`. They are wider than the words say,
/// because people remember roughly and write down later.
///
/// ```
/// use cm_note::{instant::Instant, query::time_range::time_ranges};
/// let now = Instant::parse("2026-11-21")?;
/// let [range] = time_ranges("What broke two weeks ago?", now)[..] else { panic!() };
/// assert_eq!((range.from.day(), range.until.day()), ("2026-11-03".into(), "2026-11-11".into()));
/// assert!(time_ranges("What may I march on?", now).is_empty());
/// # Ok::<(), cm_note::instant::InvalidDate>(())
/// ```
pub fn time_ranges(question: &str, now: Instant) -> Vec<TimeRange> {
    let today = now.to_chrono().date_naive();
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for at in 0..words.len() {
        let (before, rest) = words.split_at(at);
        let range = relative(rest, before, today)
            .or_else(|| weekday_before(rest, before, today))
            .or_else(|| calendar(rest, before, today));
        found.extend(range);
    }
    chinese::collect(&lower, today, &mut found);
    let instant = |days: f64| Instant::from_unix((days * SECONDS_PER_DAY) as i64);
    let end = |days: f64| Instant::from_unix(((days + 1.0) * SECONDS_PER_DAY) as i64 - 1);
    found.into_iter().map(|(from, until)| TimeRange { from: instant(from), until: end(until) }).collect()
}

/// How well a time fits the ranges: 1 within one of them, falling to 0 outside; 0 without ranges.
pub fn fit(ranges: &[TimeRange], at: Instant) -> f64 {
    let one = |range: &TimeRange| {
        let length = range.from.days_until(range.until).max(1.0);
        let outside = at.days_until(range.from).max(range.until.days_until(at)).max(0.0);
        (-(outside / (FIT_FALL * length)).powi(2)).exp()
    };
    ranges.iter().map(one).fold(0.0, f64::max)
}

fn day_number(day: NaiveDate) -> f64 {
    f64::from(day.num_days_from_ce()) - f64::from(NaiveDate::default().num_days_from_ce())
}

/// The days around a day that is `days` ago; the larger the unit, the more.
fn ago(today: NaiveDate, days: f64, unit: f64) -> Days {
    let around = if unit > 1.0 { unit / 2.0 } else { 1.0 + (days / 7.0).floor().min(3.0) };
    let middle = day_number(today) - days;
    ((middle - around).floor(), (middle + around).ceil())
}

/// The days from `around` before to `around` after the day that is `before` days ago, up to today.
fn previous(today: NaiveDate, before: f64, around: f64) -> Days {
    let today = day_number(today);
    (today - before - around, (today - before + around).min(today))
}

/// The days of a month, with two before it and a week after it.
fn month_of(year: i32, month: u32) -> Option<Days> {
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    let next = first.checked_add_months(chrono::Months::new(1))?;
    Some((day_number(first) - 2.0, day_number(next) + 6.0))
}

/// Times relative to today, that begin with the first word.
fn relative(rest: &[&str], before: &[&str], today: NaiveDate) -> Option<Days> {
    let now = day_number(today);
    let behind = |at: usize, words: &[&str]| rest.get(at).is_some_and(|word| words.contains(word));
    match rest {
        ["yesterday" | "gestern" | "ayer" | "hier", ..] if before.last() == Some(&"before") => {
            Some(previous(today, 2.0, 1.0))
        }
        ["yesterday" | "gestern" | "ayer" | "hier", ..] => Some(previous(today, 1.0, 1.0)),
        ["vorgestern" | "anteayer", ..] => Some(previous(today, 2.0, 1.0)),
        ["today" | "tonight" | "heute" | "hoy" | "aujourd", ..] => Some(previous(today, 0.0, 1.0)),
        [last, count, length, ..] if is_last(last) && number(count).is_some() => {
            Some((now - 1.1 * number(count)? * unit(length)?, now))
        }
        [last, length, ..] if is_last(last) => Some((now - 2.0 * unit(length)?, now)),
        [length, last, ..] if is_last_behind(last) => Some((now - 2.0 * unit(length)?, now)),
        [this, length, ..] if is_this(this) => Some((now - unit(length)?, now)),
        [count, rest @ ..] => {
            let count = number(count)?;
            let rest = rest.strip_prefix(&["of"]).unwrap_or(rest);
            let [length, ..] = rest else { return None };
            let days = unit(length)?;
            let is_ago = rest.get(1) == Some(&"ago")
                || matches!(before, [.., "vor" | "hace"])
                || matches!(before, [.., "y", "a"])
                || matches!(before, [.., "vor" | "hace", "a" | "einem" | "un"]);
            if !is_ago && behind(1, &["derniers", "dernières"]) {
                return Some((now - 1.1 * count * days, now));
            }
            is_ago.then(|| ago(today, count * days, days))
        }
        [] => None,
    }
}

/// The last day of a name before today: `last Friday`, `on Friday`.
fn weekday_before(rest: &[&str], before: &[&str], today: NaiveDate) -> Option<Days> {
    let weekday_number = weekday(rest.first()?)?;
    let is_past = before.last().is_some_and(|word| is_last(word) || matches!(*word, "on" | "am"))
        || rest.get(1).is_some_and(|word| is_last_behind(word));
    let back = (today.weekday().num_days_from_monday() + 7 - weekday_number) % 7;
    let back = if back == 0 { 7 } else { back };
    is_past.then(|| previous(today, f64::from(back), 1.0))
}

/// A month, a day of a month or a year, with a word before it that says that it is one.
fn calendar(rest: &[&str], before: &[&str], today: NaiveDate) -> Option<Days> {
    let since = before.last().is_some_and(|word| is_since(word));
    let range = match rest {
        [name, rest @ ..] if month(name).is_some() => month_in(month(name)?, rest, before, since, today),
        [number, ..] => {
            let is_year = since || before.last().is_some_and(|word| is_in(word) || *word == "jahr");
            let number = year(number).filter(|_| is_year)?;
            let first = NaiveDate::from_ymd_opt(number, 1, 1)?;
            Some((day_number(first), day_number(first) + 365.0))
        }
        [] => None,
    }?;
    Some(if since { (range.0, day_number(today)) } else { range })
}

fn month_in(month: u32, rest: &[&str], before: &[&str], since: bool, today: NaiveDate) -> Option<Days> {
    let day_of = |word: &str| {
        let figures = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        figures.parse::<u32>().ok().filter(|day| (1..=31).contains(day) && figures.len() <= 2)
    };
    let before: &[&str] = match before {
        [before @ .., "de"] if before.last().is_some_and(|word| day_of(word).is_some()) => before,
        before => before,
    };
    let (day, after) = match (rest.first().and_then(|word| day_of(word)), before.last()) {
        (Some(day), _) => (Some(day), rest.get(1)),
        (None, Some(word)) if day_of(word).is_some() => (day_of(word), rest.first()),
        _ => (None, rest.first()),
    };
    let given_year = after.and_then(|word| year(word));
    let is_time = day.is_some()
        || given_year.is_some()
        || since
        || before.last().is_some_and(|word| is_in(word) || is_last(word) || is_this(word));
    if !is_time {
        return None;
    }
    let year = given_year.unwrap_or(if month <= today.month() { today.year() } else { today.year() - 1 });
    match day.and_then(|day| NaiveDate::from_ymd_opt(year, month, day)) {
        Some(day) => Some((day_number(day) - 2.0, day_number(day) + 3.0)),
        None => month_of(year, month),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn days_of(question: &str) -> Vec<(String, String)> {
        // A Saturday.
        let now = Instant::parse("2026-11-21T10:00:00Z").unwrap();
        let ranges = time_ranges(question, now).into_iter();
        ranges.map(|range| (range.from.day(), range.until.day())).collect()
    }

    fn holds(question: &str, day: &str) -> bool {
        days_of(question).iter().any(|(from, until)| from.as_str() <= day && day <= until.as_str())
    }

    #[test]
    fn times_in_five_languages_hold_the_day_that_is_meant() {
        for (question, day) in [
            ("What did we decide two weeks ago?", "2026-11-07"),
            ("what did I buy a couple of months ago", "2026-09-21"),
            ("Who called yesterday?", "2026-11-20"),
            ("the outage last Friday", "2026-11-20"),
            ("the outage on Monday", "2026-11-16"),
            ("What changed last week?", "2026-11-12"),
            ("changes in the past 3 months", "2026-09-01"),
            ("Which trips did I take in March?", "2026-03-15"),
            ("what happened in December", "2025-12-24"),
            ("What did she say on 7 May 2023?", "2023-05-07"),
            ("What did she say on May 7th, 2023?", "2023-05-07"),
            ("everything since June", "2026-10-01"),
            ("the migration in 2024", "2024-08-01"),
            ("Was haben wir vor zwei Wochen entschieden?", "2026-11-07"),
            ("Was war letzten Freitag los?", "2026-11-20"),
            ("Was lief im März schief?", "2026-03-10"),
            ("¿Qué pasó hace tres días?", "2026-11-18"),
            ("¿Qué cambió la semana pasada?", "2026-11-12"),
            ("Qu'avons-nous décidé il y a deux mois ?", "2026-09-21"),
            ("la panne de lundi dernier", "2026-11-16"),
            ("上周发生了什么？", "2026-11-12"),
            ("三个月前我们决定了什么", "2026-08-21"),
            ("3月的故障", "2026-03-15"),
        ] {
            assert!(holds(question, day), "{question}: {:?}", days_of(question));
        }
    }

    #[test]
    fn words_that_only_look_like_times_name_none() {
        for question in [
            "May I march on?",
            "How do I last longer on one tank?",
            "How many days does a release take?",
            "the second item",
            "error 2024 of the driver",
            "run it once a day",
        ] {
            assert_eq!(days_of(question), [], "{question}");
        }
    }

    #[test]
    fn a_time_fits_wholly_within_a_range_and_less_the_further_it_is() {
        let now = Instant::parse("2026-11-21").unwrap();
        let ranges = time_ranges("two weeks ago", now);
        let fit = |day: &str| fit(&ranges, Instant::parse(day).unwrap());
        assert_eq!(fit("2026-11-07"), 1.0);
        assert!(fit("2026-11-13") < 1.0 && fit("2026-11-13") > fit("2026-11-15"));
        assert!(fit("2026-06-01") < 1e-6);
        assert_eq!(super::fit(&[], now), 0.0);
    }

    proptest! {
        #[test]
        fn any_question_gives_ranges_that_end_after_they_begin(question in "(last|in|vor|hace|[0-9]{1,4}|years?|March|\\PC| ){0,12}") {
            for range in time_ranges(&question, Instant::parse("2026-11-21").unwrap()) {
                prop_assert!(range.from <= range.until, "{question}: {range:?}");
            }
        }
    }
}
