//! A point in time, and its text formats.
//!
//! The module does not read the clock; `now` is always an argument.

use std::fmt;

use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point in time in UTC, printed with a precision of seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Instant(DateTime<Utc>);

/// Error: a text is not a date in any accepted form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a date: write 2026-11-01, 2026-11-01T09:30:00Z, or an age such as 7d, 12h or 3w")]
pub struct InvalidDate {
    /// The rejected text.
    pub text: String,
}

impl Instant {
    /// Creates an instant from seconds since 1970, clamped to the range of the calendar.
    pub fn from_unix(seconds: i64) -> Self {
        Self(DateTime::from_timestamp(seconds, 0).unwrap_or(if seconds < 0 {
            DateTime::<Utc>::MIN_UTC
        } else {
            DateTime::<Utc>::MAX_UTC
        }))
    }

    /// Creates an instant from milliseconds since 1970; `None` outside the calendar.
    pub fn from_millis(milliseconds: i64) -> Option<Self> {
        DateTime::from_timestamp_millis(milliseconds).map(Self)
    }

    /// Rounds down to whole seconds, because files store whole seconds and a stored instant must
    /// equal the one read back.
    pub fn truncate_to_second(self) -> Self {
        Self::from_unix(self.unix())
    }

    pub fn plus_second(self) -> Self {
        Self::from_unix(self.unix().saturating_add(1))
    }

    /// Whole seconds since 1970.
    pub fn unix(self) -> i64 {
        self.0.timestamp()
    }

    /// Parses the formats of notes: RFC 3339, a date and time without a zone (taken as UTC), or a
    /// date; also with slashes and the day of the week, as in `2023/10/30 (Mon) 00:58`.
    pub fn parse(text: &str) -> Result<Self, InvalidDate> {
        match Self::parse_dashed(text.trim()) {
            Err(error) if text.contains('/') => {
                let parts = text.split_whitespace().filter(|part| !part.starts_with('('));
                let dashed = parts.collect::<Vec<_>>().join(" ").replace('/', "-");
                Self::parse_dashed(&dashed).map_err(|_| error)
            }
            parsed => parsed,
        }
    }

    fn parse_dashed(text: &str) -> Result<Self, InvalidDate> {
        if let Ok(at) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self(at.with_timezone(&Utc)));
        }
        for form in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"] {
            if let Ok(at) = NaiveDateTime::parse_from_str(text, form) {
                return Ok(Self(at.and_utc()));
            }
        }
        for form in ["%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f %z"] {
            if let Ok(at) = DateTime::parse_from_str(text, form) {
                return Ok(Self(at.with_timezone(&Utc)));
            }
        }
        match NaiveDate::parse_from_str(text, "%Y-%m-%d") {
            Ok(day) => Ok(Self(day.and_time(NaiveTime::MIN).and_utc())),
            Err(_) => Err(InvalidDate { text: text.to_owned() }),
        }
    }

    /// Parses user input: all formats of [`Instant::parse`], an age before `now` such as `90m`,
    /// `12h`, `7d`, `3w` or `1y`, or `today`, `yesterday` and `now`.
    ///
    /// ```
    /// use cm_note::instant::Instant;
    /// let now = Instant::parse("2026-11-21T12:00:00Z")?;
    /// assert_eq!(Instant::parse_typed("7d", now)?.to_string(), "2026-11-14T12:00:00Z");
    /// # Ok::<(), cm_note::instant::InvalidDate>(())
    /// ```
    pub fn parse_typed(text: &str, now: Self) -> Result<Self, InvalidDate> {
        let text = text.trim();
        match text {
            "now" => return Ok(now),
            "today" => return Ok(now.midnight()),
            "yesterday" => return Ok(now.midnight().minus_days(1.0)),
            _ => {}
        }
        let refuse = || InvalidDate { text: text.to_owned() };
        let Some(unit) = text.chars().last().filter(char::is_ascii_alphabetic) else {
            return Self::parse(text);
        };
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            'y' => 31_557_600,
            _ => return Self::parse(text),
        };
        let Ok(count) = text[..text.len() - 1].parse::<u32>() else { return Self::parse(text) };
        let age = Duration::try_seconds(i64::from(count) * seconds).ok_or_else(refuse)?;
        now.0.checked_sub_signed(age).map(Self).ok_or_else(refuse)
    }

    /// Parses a point in the future: all formats of [`Instant::parse`], or a duration after `now`
    /// such as `90d` or `12h`.
    ///
    /// # Errors
    /// Returns [`InvalidDate`] for any other text.
    pub fn parse_ahead(text: &str, now: Self) -> Result<Self, InvalidDate> {
        if let Ok(at) = Self::parse(text) {
            return Ok(at);
        }
        let begins_with_digit = text.trim().starts_with(|c: char| c.is_ascii_digit());
        let refuse = || InvalidDate { text: text.to_owned() };
        let ago = if begins_with_digit { Self::parse_typed(text, now)? } else { return Err(refuse()) };
        let ahead = now.0.checked_add_signed(now.0 - ago.0);
        ahead.map(Self).ok_or_else(refuse)
    }

    /// Like [`Instant::parse_typed`], but a day without a time means its last second.
    pub fn parse_typed_to_end(text: &str, now: Self) -> Result<Self, InvalidDate> {
        let at = Self::parse_typed(text, now)?;
        let text = text.trim();
        let day =
            matches!(text, "today" | "yesterday") || NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok();
        Ok(if day { Self::from_unix(at.unix().saturating_add(86_399)) } else { at })
    }

    /// Days from `self` to `later`; negative if `later` is earlier.
    pub fn days_until(self, later: Self) -> f64 {
        // Milliseconds of the whole calendar fit in 53 bits, so the conversion is exact enough.
        (later.0 - self.0).num_milliseconds() as f64 / 86_400_000.0
    }

    /// Subtracts days; returns `self` if the result is outside the calendar.
    pub fn minus_days(self, days: f64) -> Self {
        let age = Duration::try_milliseconds((days * 86_400_000.0) as i64).unwrap_or_default();
        Self(self.0.checked_sub_signed(age).unwrap_or(self.0))
    }

    /// The start of this instant's day in UTC.
    pub fn midnight(self) -> Self {
        Self(self.0.date_naive().and_time(NaiveTime::MIN).and_utc())
    }

    /// The date, as `2026-11-21`.
    pub fn day(self) -> String {
        self.0.format("%Y-%m-%d").to_string()
    }

    /// The time of day in UTC, as `14:05`.
    pub fn minute(self) -> String {
        self.0.format("%H:%M").to_string()
    }

    /// Date and time of day in UTC, as `2026-11-21 14:05`.
    pub fn date_and_time(self) -> String {
        format!("{} {}", self.day(), self.minute())
    }

    /// Converts to `chrono`'s type, for other libraries.
    pub fn to_chrono(self) -> DateTime<Utc> {
        self.0
    }
}

impl From<DateTime<Utc>> for Instant {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.format("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl Serialize for Instant {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_i64(self.0.timestamp_millis())
        }
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            Self::parse(&text).map_err(D::Error::custom)
        } else {
            let millis = i64::deserialize(deserializer)?;
            DateTime::from_timestamp_millis(millis)
                .map(Self)
                .ok_or_else(|| D::Error::custom("a time outside the calendar"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn a_date_with_slashes_and_a_day_of_the_week_is_read() {
        let read = |text: &str| Instant::parse(text).map(|at| at.to_string()).ok();
        assert_eq!(read("2023/10/30 (Mon) 00:58").as_deref(), Some("2023-10-30T00:58:00Z"));
        assert_eq!(read("2023/10/30").as_deref(), Some("2023-10-30T00:00:00Z"));
        assert_eq!(read("10/30/2023"), None);
    }

    #[test]
    fn every_form_that_notes_use_is_read_as_utc() {
        for text in [
            "2026-11-01T09:30:00Z",
            "2026-11-01T10:30:00+01:00",
            "2026-11-01 09:30:00",
            "2026-11-01T09:30",
            "2026-11-01 10:30:00+01:00",
            "2026-11-01T09:30:00.000",
        ] {
            assert_eq!(at(text).to_string(), "2026-11-01T09:30:00Z", "{text}");
        }
        assert_eq!(at("2026-11-01").to_string(), "2026-11-01T00:00:00Z");
    }

    #[test]
    fn ages_count_back_from_the_given_now() {
        let now = at("2026-11-21T12:00:00Z");
        for (typed, expected) in [
            ("7d", "2026-11-14T12:00:00Z"),
            ("12h", "2026-11-21T00:00:00Z"),
            ("2w", "2026-11-07T12:00:00Z"),
            ("today", "2026-11-21T00:00:00Z"),
            ("yesterday", "2026-11-20T00:00:00Z"),
            ("2026-01-02", "2026-01-02T00:00:00Z"),
        ] {
            assert_eq!(Instant::parse_typed(typed, now).unwrap().to_string(), expected, "{typed}");
        }
    }

    #[test]
    fn an_end_is_a_date_or_so_long_ahead() {
        let now = at("2026-11-21T12:00:00Z");
        for (typed, expected) in [
            ("90d", "2027-02-19T12:00:00Z"),
            ("12h", "2026-11-22T00:00:00Z"),
            ("2027-01-01", "2027-01-01T00:00:00Z"),
        ] {
            assert_eq!(Instant::parse_ahead(typed, now).unwrap().to_string(), expected, "{typed}");
        }
        for typed in ["", "now", "yesterday", "soon", "-1d", "99999999999d", "d"] {
            assert!(Instant::parse_ahead(typed, now).is_err(), "{typed}");
        }
    }

    #[test]
    fn nonsense_is_refused_and_never_panics() {
        for typed in ["", "d", "soon", "99999999999d", "4294967295y", "2026-13-01", "é", "7é"] {
            assert!(Instant::parse_typed(typed, at("2026-11-21")).is_err(), "{typed}");
        }
    }
}
