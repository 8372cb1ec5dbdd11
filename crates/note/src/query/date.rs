//! Date conditions in queries: a day, month, year or age, and comparisons and ranges of them.

use crate::instant::Instant;

/// The time span of a date, from its first instant to the first instant after it.
struct DateSpan {
    from: Instant,
    until: Instant,
    /// Whether it is an age such as `30d`, which on its own means "since then".
    age: bool,
}

/// Bounds of a condition: an inclusive lower and an exclusive upper bound.
pub(super) type DateBounds = (Option<Instant>, Option<Instant>);

/// Parses `2026-11-01`, `2026-11`, `30d`, `>2026-01-01`, `<=2026`, `2026-01..2026-03`, `2026-01..`.
pub(super) fn bounds(text: &str, now: Instant) -> Option<DateBounds> {
    if let Some((from, until)) = text.split_once("..") {
        let side = |text: &str| match text {
            "" => Some(None),
            _ => span(text, now).map(Some),
        };
        let (from, until) = (side(from)?, side(until)?);
        return (from.is_some() || until.is_some()).then(|| (from.map(|s| s.from), until.map(|s| s.until)));
    }
    let operators = [">=", "<=", ">", "<", "="];
    let operator = operators.into_iter().find(|operator| text.starts_with(operator)).unwrap_or("");
    let span = span(&text[operator.len()..], now)?;
    Some(match operator {
        ">=" => (Some(span.from), None),
        ">" => (Some(span.until), None),
        "<" => (None, Some(span.from)),
        "<=" => (None, Some(span.until)),
        _ if span.age => (Some(span.from), None),
        _ => (Some(span.from), Some(span.until)),
    })
}

fn span(text: &str, now: Instant) -> Option<DateSpan> {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let between = |from: String, until: String| {
        Some(DateSpan { from: Instant::parse(&from).ok()?, until: Instant::parse(&until).ok()?, age: false })
    };
    if digits(text, 4) {
        let year: u32 = text.parse().ok()?;
        return between(format!("{year:04}-01-01"), format!("{:04}-01-01", year + 1));
    }
    if let Some((year, month)) = text.split_once('-')
        && digits(year, 4)
        && digits(month, 2)
    {
        let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
        let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        return between(format!("{year:04}-{month:02}-01"), format!("{next_year:04}-{next_month:02}-01"));
    }
    let from = Instant::parse_typed(text, now).ok()?;
    let day = matches!(text, "today" | "yesterday") || text.len() == 10;
    let age = !day && !text.starts_with(|c: char| c.is_ascii_digit() && text.contains('-'));
    let seconds = if day { 86_400 } else { i64::from(!age) };
    Some(DateSpan { from, until: Instant::from_unix(from.unix().saturating_add(seconds)), age })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<(String, String)> {
        let now = Instant::parse("2026-11-21T12:00:00Z").unwrap();
        let side =
            |at: Option<Instant>| at.map_or("-".to_owned(), |at| at.to_string().replace("T00:00:00Z", ""));
        bounds(text, now).map(|(from, until)| (side(from), side(until)))
    }

    #[test]
    fn every_way_to_write_a_time_sets_its_bounds() {
        for (text, from, until) in [
            ("2026-11-01", "2026-11-01", "2026-11-02"),
            ("2026-11", "2026-11-01", "2026-12-01"),
            ("2026-12", "2026-12-01", "2027-01-01"),
            ("2026", "2026-01-01", "2027-01-01"),
            ("30d", "2026-10-22T12:00:00Z", "-"),
            ("yesterday", "2026-11-20", "2026-11-21"),
            (">2026-01-01", "2026-01-02", "-"),
            (">=2026-01-01", "2026-01-01", "-"),
            ("<2026-01", "-", "2026-01-01"),
            ("<=2026-01", "-", "2026-02-01"),
            ("=2026-11-01", "2026-11-01", "2026-11-02"),
            ("2026-01-01..2026-02-01", "2026-01-01", "2026-02-02"),
            ("2026-03..", "2026-03-01", "-"),
            ("..2026-03", "-", "2026-04-01"),
            ("<7d", "-", "2026-11-14T12:00:00Z"),
            ("2026-11-01T10:00:00Z", "2026-11-01T10:00:00Z", "2026-11-01T10:00:01Z"),
        ] {
            assert_eq!(shown(text), Some((from.to_owned(), until.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_sets_none() {
        for text in ["", "..", "soon", "2026-13", "2026-02-30", ">", "9999", "2026-01-01..soon", "é..ü"] {
            assert_eq!(shown(text).filter(|_| text != "9999"), None, "{text}");
        }
    }
}
