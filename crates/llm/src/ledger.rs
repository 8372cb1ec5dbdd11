//! Ledger of model calls, with the format of its append-only file: one JSON line per call.
//!
//! This module does not access files; it formats and parses lines.

use serde::{Deserialize, Serialize};

use super::budget::BudgetPeriod;
use super::price::Price;
use super::request::TokenUsage;
use cm_note::instant::Instant;

/// One model call with its token usage and cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpendingEntry {
    pub at: Instant,
    /// Provider of the model, such as `openai`.
    pub provider: String,
    /// Name of the requested model.
    pub model: String,
    /// Number of input tokens.
    pub input: u64,
    /// Number of output tokens.
    pub output: u64,
    /// Cost in US dollars; null if the price is unknown.
    pub cost_usd: Option<f64>,
    /// Whether the token counts are estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// Whether the call failed; failed calls may still cost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// All recorded model calls, in the order in which they were added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpendingLedger {
    entries: Vec<SpendingEntry>,
}

/// Result of parsing a ledger file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedLedger {
    /// Valid entries.
    pub ledger: SpendingLedger,
    /// Line numbers, from 1, of invalid lines. An incomplete last line is not included.
    pub damaged: Vec<usize>,
    /// Whether the file does not end with a line break; the next entry must then start with one.
    pub lacks_line_break: bool,
}

/// Tokens and dollars spent in a period.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SpentAmount {
    /// Number of input and output tokens.
    pub tokens: u64,
    /// US dollars, without calls of unknown price.
    pub usd: f64,
    /// Number of calls whose price is unknown.
    pub unpriced: usize,
}

impl SpendingEntry {
    /// Creates the entry of a call from its token usage; the cost follows from `price`.
    pub fn of(at: Instant, (provider, model): (&str, &str), usage: TokenUsage, price: Option<Price>) -> Self {
        Self {
            at: at.truncate_to_second(),
            provider: provider.to_owned(),
            model: model.to_owned(),
            input: usage.input,
            output: usage.output,
            // What is less than a billionth of a dollar would only make the file long.
            cost_usd: price.map(|price| (price.of(usage) * 1e9).round() / 1e9),
            guessed: usage.is_estimated,
            failed: false,
        }
    }

    /// Returns the entry as a line of JSON, with a line break.
    pub fn line(&self) -> String {
        // No field of it can fail to be written; a line break alone would be passed over when read.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

impl SpendingLedger {
    /// Parses a ledger file. An incomplete last line, left by an interrupted write, is ignored
    /// unless it is a valid entry.
    pub fn parse(text: &str) -> ParsedLedger {
        let mut read = ParsedLedger {
            lacks_line_break: !text.is_empty() && !text.ends_with('\n'),
            ..ParsedLedger::default()
        };
        let lines: Vec<_> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            match serde_json::from_str::<SpendingEntry>(line) {
                Ok(entry) if entry.is_sound() => read.ledger.entries.push(entry),
                _ if line.trim().is_empty() || (read.lacks_line_break && at + 1 == lines.len()) => {}
                _ => read.damaged.push(at + 1),
            }
        }
        read
    }

    pub fn add(&mut self, entry: SpendingEntry) {
        self.entries.push(entry);
    }

    /// Returns all entries in the order in which they were added.
    pub fn entries(&self) -> &[SpendingEntry] {
        &self.entries
    }

    /// Returns the amount spent in the UTC day or month of `now`, including entries with a later
    /// time.
    pub fn spent(&self, now: Instant, span: BudgetPeriod) -> SpentAmount {
        let start = span.start(now);
        let counted = self.entries.iter().filter(|entry| entry.at >= start);
        counted.fold(SpentAmount::default(), |spent, entry| SpentAmount {
            tokens: spent.tokens.saturating_add(entry.input).saturating_add(entry.output),
            usd: spent.usd + entry.cost_usd.unwrap_or(0.0),
            unpriced: spent.unpriced + usize::from(entry.cost_usd.is_none()),
        })
    }
}

impl SpendingEntry {
    /// Returns whether the cost is a valid number; a negative cost would increase the remaining
    /// budget.
    fn is_sound(&self) -> bool {
        self.cost_usd.is_none_or(|cost| cost.is_finite() && cost >= 0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn entry(at_text: &str, tokens: u64, cost_usd: Option<f64>) -> SpendingEntry {
        let usage = TokenUsage { input: tokens, output: 1, is_estimated: false };
        SpendingEntry { cost_usd, ..SpendingEntry::of(at(at_text), ("openai", "small"), usage, None) }
    }

    #[test]
    fn an_entry_is_one_line() {
        let usage = TokenUsage { input: 1200, output: 345, is_estimated: false };
        let price = Price { input: 0.25, output: 2.0 };
        let entry = SpendingEntry::of(at("2026-11-21T12:00:00.5Z"), ("openai", "small"), usage, Some(price));
        insta::assert_snapshot!(entry.line(), @r#"{"at":"2026-11-21T12:00:00Z","provider":"openai","model":"small","input":1200,"output":345,"cost_usd":0.00099}"#);
        let usage = TokenUsage { is_estimated: true, ..usage };
        let failed = SpendingEntry {
            failed: true,
            ..SpendingEntry::of(at("2026-11-21"), ("cli", "a\nb"), usage, None)
        };
        insta::assert_snapshot!(failed.line(), @r#"{"at":"2026-11-21T00:00:00Z","provider":"cli","model":"a\nb","input":1200,"output":345,"cost_usd":null,"guessed":true,"failed":true}"#);
        assert_eq!(SpendingLedger::parse(&(entry.line() + &failed.line())).ledger.entries(), [entry, failed]);
    }

    #[test]
    fn a_torn_last_line_costs_only_itself_and_a_damaged_one_is_told() {
        let (one, two) = (entry("2026-11-21", 1, None).line(), entry("2026-11-21", 2, Some(0.1)).line());
        for cut in 1..two.len() - 1 {
            let read = SpendingLedger::parse(&format!("{one}{}", &two[..cut]));
            assert_eq!((read.ledger.entries().len(), read.lacks_line_break), (1, true), "{cut}");
            assert!(read.damaged.is_empty());
        }
        let unended = SpendingLedger::parse(&format!("{one}{}", two.trim_end()));
        assert_eq!((unended.ledger.entries().len(), unended.lacks_line_break), (2, true));
        let text = format!("{one}half a li\n\n{{}}\n{}{two}", two.replace("0.1", "-5"));
        let read = SpendingLedger::parse(&text);
        assert_eq!(
            (read.ledger.entries().len(), read.damaged, read.lacks_line_break),
            (2, vec![2, 4, 5], false)
        );
        assert_eq!(SpendingLedger::parse(""), ParsedLedger::default());
    }

    #[test]
    fn a_later_versions_entry_is_an_entry() {
        let line = r#"{"at":"2026-11-21T12:00:00Z","provider":"p","model":"m","input":1,"output":2,"cost_usd":null,"new":[1]}"#;
        assert_eq!(SpendingLedger::parse(line).ledger.entries().len(), 1);
    }

    #[test]
    fn a_day_and_a_month_are_those_of_the_calendar_in_utc() {
        let mut ledger = SpendingLedger::default();
        for (when, tokens, cost) in [
            ("2026-10-31T23:59:59Z", 1000, Some(8.0)),
            ("2026-11-01T00:00:00Z", 100, Some(4.0)),
            ("2026-11-20T23:59:59Z", 10, None),
            ("2026-11-21T00:00:00Z", 1, Some(0.5)),
            ("2026-11-22T00:00:00Z", 1, Some(0.25)),
        ] {
            ledger.add(entry(when, tokens, cost));
        }
        let now = at("2026-11-21T12:00:00Z");
        assert_eq!(ledger.spent(now, BudgetPeriod::Day), SpentAmount { tokens: 4, usd: 0.75, unpriced: 0 });
        assert_eq!(
            ledger.spent(now, BudgetPeriod::Month),
            SpentAmount { tokens: 116, usd: 4.75, unpriced: 1 }
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            provider in ".{0,9}", model in "\\PC{0,9}", input: u64, output: u64, guessed: bool,
            cost in proptest::option::of(0.0..1e6_f64), seconds in 0_i64..4_000_000_000,
        ) {
            let usage = TokenUsage { input, output, is_estimated: guessed };
            let entry = SpendingEntry {
                cost_usd: cost,
                ..SpendingEntry::of(Instant::from_unix(seconds), (&provider, &model), usage, None)
            };
            let read = SpendingLedger::parse(&entry.line());
            prop_assert_eq!(read.ledger.entries(), &[entry][..]);
        }

        #[test]
        fn no_file_is_too_odd(text: String) {
            let read = SpendingLedger::parse(&text);
            prop_assert!(read.ledger.entries().len() + read.damaged.len() <= text.lines().count());
        }
    }
}
