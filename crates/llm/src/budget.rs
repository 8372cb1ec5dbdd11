//! Spending limits for models.
//!
//! A limit in dollars cannot be enforced for a model of unknown price; a token limit can.

use super::estimate::TokenEstimate;
use super::ledger::SpendingLedger;
use super::price::Price;
use super::request::TokenUsage;
use cm_note::instant::Instant;
use cm_text::plural::count;

/// Spending limits for model calls; 0 means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SpendingLimits {
    /// Maximum number of input and output tokens of one call.
    pub call_tokens: u64,
    /// Maximum number of tokens per UTC day.
    pub daily_tokens: u64,
    /// Maximum number of tokens per calendar month, in UTC.
    pub monthly_tokens: u64,
    /// Maximum US dollars per day.
    pub daily_usd: f64,
    /// Maximum US dollars per month.
    pub monthly_usd: f64,
}

/// Period to which a spending limit applies, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BudgetPeriod {
    /// A day, from midnight to midnight.
    Day,
    /// A calendar month.
    Month,
}

/// Why a model call is not allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BudgetError {
    /// No spending limit is set, so no paid call is allowed.
    #[error("no budget is set, and paid models are never called without one")]
    NoBudget,
    /// The budget is limited in dollars only, but the price of the model is unknown.
    #[error("the price of `{model}` is unknown, so a budget in dollars cannot be enforced")]
    PriceUnknown { model: String },
    #[error("the call may take {estimate} tokens, but `budget.call_tokens` is {limit}")]
    /// The call alone would exceed the limit for one call.
    CallTooLarge {
        /// Maximum number of tokens that the call may use.
        estimate: u64,
        /// Value of the limit, `budget.call_tokens`.
        limit: u64,
    },
    /// The call would exceed the token limit of the day or month.
    #[error("{spent} tokens were used {}, the call may take {estimate}, but `{}` is {limit}", span.words(), span.tokens())]
    Tokens {
        span: BudgetPeriod,
        /// Tokens used in the period.
        spent: u64,
        /// Maximum number of tokens that the call may use.
        estimate: u64,
        /// Token limit of the period.
        limit: u64,
    },
    /// The call would exceed the dollar limit of the day or month.
    #[error(
        "{spent:.2} dollars were spent {}{}, the call may cost {estimate:.4}, but `{}` is {limit}",
        span.words(), unpriced_suffix(*unpriced), span.usd()
    )]
    Dollars {
        span: BudgetPeriod,
        /// US dollars spent in the period, without calls of unknown price.
        spent: f64,
        /// Number of calls of unknown price in the period.
        unpriced: usize,
        /// Maximum cost of the call in US dollars.
        estimate: f64,
        /// Dollar limit of the period.
        limit: f64,
    },
}

impl BudgetPeriod {
    /// Returns the first instant of the period that contains `now`.
    pub fn start(self, now: Instant) -> Instant {
        let midnight = now.midnight();
        match self {
            Self::Day => midnight,
            Self::Month => {
                let day = now.day();
                // The day of the month is all that follows the last dash, whatever the year looks like.
                let day: u32 = day.rsplit('-').next().and_then(|day| day.parse().ok()).unwrap_or(1);
                midnight.minus_days(f64::from(day - 1))
            }
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Day => "today",
            Self::Month => "this month",
        }
    }

    fn tokens(self) -> &'static str {
        match self {
            Self::Day => "budget.daily_tokens",
            Self::Month => "budget.monthly_tokens",
        }
    }

    fn usd(self) -> &'static str {
        match self {
            Self::Day => "budget.daily_usd",
            Self::Month => "budget.monthly_usd",
        }
    }
}

impl BudgetError {
    /// Suggests to the user how to solve the problem.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoBudget => {
                "run `cm config set budget.daily_usd 1 --private`, or set `budget.daily_tokens`"
            }
            Self::PriceUnknown { .. } => {
                "add `MODEL INPUT OUTPUT`, in dollars per million tokens, to `llm.prices` (0 0 if it is free), or set budget.daily_tokens"
            }
            Self::CallTooLarge { .. } => "use less text, or raise the limit",
            Self::Tokens { span: BudgetPeriod::Day, .. } | Self::Dollars { span: BudgetPeriod::Day, .. } => {
                "raise the limit, or continue tomorrow; the day ends at midnight UTC"
            }
            Self::Tokens { span: BudgetPeriod::Month, .. }
            | Self::Dollars { span: BudgetPeriod::Month, .. } => "raise the limit, or continue next month",
        }
    }
}

impl SpendingLimits {
    /// Checks whether a call of a model stays within all limits, given its maximum token usage.
    ///
    /// # Errors
    /// Returns the first limit that would be exceeded, or why no limit can be enforced.
    pub fn may_spend(
        &self,
        ledger: &SpendingLedger,
        now: Instant,
        estimate: TokenEstimate,
        (model, price): (&str, Option<Price>),
    ) -> Result<(), BudgetError> {
        let total = estimate.total();
        if is_set(self.call_tokens) && total > self.call_tokens {
            return Err(BudgetError::CallTooLarge { estimate: total, limit: self.call_tokens });
        }
        for (span, limit) in
            [(BudgetPeriod::Day, self.daily_tokens), (BudgetPeriod::Month, self.monthly_tokens)]
        {
            let spent = ledger.spent(now, span).tokens;
            if is_set(limit) && spent.saturating_add(total) > limit {
                return Err(BudgetError::Tokens { span, spent, estimate: total, limit });
            }
        }
        let by_tokens = is_set(self.daily_tokens) || is_set(self.monthly_tokens);
        let by_dollars = self.daily_usd > 0.0 || self.monthly_usd > 0.0;
        match price {
            Some(price) if price.is_zero() => Ok(()),
            _ if !by_tokens && !by_dollars => Err(BudgetError::NoBudget),
            Some(price) => self.within_dollars(ledger, now, estimate, price),
            None if by_tokens => Ok(()),
            None => Err(BudgetError::PriceUnknown { model: model.to_owned() }),
        }
    }

    fn within_dollars(
        &self,
        ledger: &SpendingLedger,
        now: Instant,
        estimate: TokenEstimate,
        price: Price,
    ) -> Result<(), BudgetError> {
        let usage = TokenUsage { input: estimate.input, output: estimate.output, is_estimated: true };
        let estimate = price.of(usage);
        for (span, limit) in [(BudgetPeriod::Day, self.daily_usd), (BudgetPeriod::Month, self.monthly_usd)] {
            let spent = ledger.spent(now, span);
            if limit > 0.0 && spent.usd + estimate > limit {
                let (spent, unpriced) = (spent.usd, spent.unpriced);
                return Err(BudgetError::Dollars { span, spent, unpriced, estimate, limit });
            }
        }
        Ok(())
    }
}

fn is_set(limit: u64) -> bool {
    limit > 0
}

fn unpriced_suffix(unpriced: usize) -> String {
    match unpriced {
        0 => String::new(),
        calls => format!(" plus {} of unknown price", count(calls, "call")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ledger::SpendingEntry;
    use super::*;

    const PRICE: Price = Price { input: 1.0, output: 10.0 };
    const CALL: TokenEstimate = TokenEstimate { input: 10_000, output: 1_000 };

    fn now() -> Instant {
        Instant::parse("2026-11-21T12:00:00Z").unwrap()
    }

    /// Creates a ledger with calls of 10,000 input and 10,000 output tokens at these times.
    fn ledger(calls: &[(&str, Option<Price>)]) -> SpendingLedger {
        let mut ledger = SpendingLedger::default();
        let usage = TokenUsage { input: 10_000, output: 10_000, is_estimated: false };
        for (at, price) in calls {
            ledger.add(SpendingEntry::of(Instant::parse(at).unwrap(), ("p", "m"), usage, *price));
        }
        ledger
    }

    fn refused(budget: SpendingLimits, ledger: &SpendingLedger, price: Option<Price>) -> String {
        let refused = budget.may_spend(ledger, now(), CALL, ("m", price)).unwrap_err();
        format!("{refused}\n hint: {}", refused.hint())
    }

    #[test]
    fn nothing_is_spent_without_a_budget_unless_it_costs_nothing() {
        let none = SpendingLimits::default();
        insta::assert_snapshot!(refused(none, &ledger(&[]), Some(PRICE)), @"
        no budget is set, and paid models are never called without one
         hint: run `cm config set budget.daily_usd 1 --private`, or set `budget.daily_tokens`
        ");
        insta::assert_snapshot!(refused(none, &ledger(&[]), None), @"
        no budget is set, and paid models are never called without one
         hint: run `cm config set budget.daily_usd 1 --private`, or set `budget.daily_tokens`
        ");
        assert_eq!(none.may_spend(&ledger(&[]), now(), CALL, ("m", Some(Price::NOTHING))), Ok(()));
    }

    #[test]
    fn a_limit_is_held_before_it_is_passed() {
        let calls = ledger(&[("2026-11-01", Some(PRICE)), ("2026-11-21", Some(PRICE)), ("2026-11-21", None)]);
        let day = SpendingLimits { daily_usd: 0.12, ..SpendingLimits::default() };
        insta::assert_snapshot!(refused(day, &calls, Some(PRICE)), @"
        0.11 dollars were spent today plus 1 call of unknown price, the call may cost 0.0200, but `budget.daily_usd` is 0.12
         hint: raise the limit, or continue tomorrow; the day ends at midnight UTC
        ");
        let month = SpendingLimits { daily_usd: 0.14, monthly_usd: 0.23, ..SpendingLimits::default() };
        insta::assert_snapshot!(refused(month, &calls, Some(PRICE)), @"
        0.22 dollars were spent this month plus 1 call of unknown price, the call may cost 0.0200, but `budget.monthly_usd` is 0.23
         hint: raise the limit, or continue next month
        ");
        let tokens = SpendingLimits { daily_tokens: 50_999, ..SpendingLimits::default() };
        insta::assert_snapshot!(refused(tokens, &calls, None), @"
        40000 tokens were used today, the call may take 11000, but `budget.daily_tokens` is 50999
         hint: raise the limit, or continue tomorrow; the day ends at midnight UTC
        ");
        let call =
            SpendingLimits { call_tokens: 10_999, daily_tokens: 1_000_000, ..SpendingLimits::default() };
        insta::assert_snapshot!(refused(call, &calls, Some(Price::NOTHING)), @"
        the call may take 11000 tokens, but `budget.call_tokens` is 10999
         hint: use less text, or raise the limit
        ");
        for enough in [
            SpendingLimits { daily_usd: 0.14, monthly_usd: 0.25, ..SpendingLimits::default() },
            SpendingLimits {
                call_tokens: 11_000,
                daily_tokens: 51_000,
                monthly_tokens: 71_000,
                ..SpendingLimits::default()
            },
        ] {
            assert_eq!(enough.may_spend(&calls, now(), CALL, ("m", Some(PRICE))), Ok(()));
        }
    }

    #[test]
    fn dollars_bound_nothing_where_the_price_is_unknown() {
        let dollars = SpendingLimits { daily_usd: 100.0, ..SpendingLimits::default() };
        insta::assert_snapshot!(refused(dollars, &ledger(&[]), None), @"
        the price of `m` is unknown, so a budget in dollars cannot be enforced
         hint: add `MODEL INPUT OUTPUT`, in dollars per million tokens, to `llm.prices` (0 0 if it is free), or set budget.daily_tokens
        ");
        let both = SpendingLimits { daily_tokens: 100_000, ..dollars };
        assert_eq!(both.may_spend(&ledger(&[]), now(), CALL, ("m", None)), Ok(()));
    }

    #[test]
    fn a_month_begins_on_its_first_day() {
        for (at, start) in [
            ("2026-11-21T12:00:00Z", "2026-11-01T00:00:00Z"),
            ("2026-11-01T00:00:00Z", "2026-11-01T00:00:00Z"),
            ("2024-02-29T23:59:59Z", "2024-02-01T00:00:00Z"),
        ] {
            let at = Instant::parse(at).unwrap();
            assert_eq!(BudgetPeriod::Month.start(at).to_string(), start);
        }
    }

    proptest! {
        #[test]
        fn calls_that_are_let_through_never_pass_a_limit(
            calls in proptest::collection::vec((0_u64..50_000, 0_u64..5_000), 0..40),
            daily_usd in 0.01..1.0_f64, daily_tokens in 1_u64..200_000,
        ) {
            let budget = SpendingLimits { daily_usd, daily_tokens, ..SpendingLimits::default() };
            let mut ledger = SpendingLedger::default();
            for (input, output) in calls {
                let estimate = TokenEstimate { input, output };
                if budget.may_spend(&ledger, now(), estimate, ("m", Some(PRICE))).is_ok() {
                    let usage = TokenUsage { input, output, is_estimated: false };
                    ledger.add(SpendingEntry::of(now(), ("p", "m"), usage, Some(PRICE)));
                }
            }
            let spent = ledger.spent(now(), BudgetPeriod::Day);
            prop_assert!(spent.tokens <= daily_tokens && spent.usd <= daily_usd + 1e-6, "{:?}", spent);
        }
    }
}
