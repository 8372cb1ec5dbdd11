//! How much may be spent on models, and whether a call is still within it.
//!
//! A budget that cannot be held is no budget: where the price of a model is not known, dollars bound nothing, and only
//! tokens do.

use super::estimate::Estimate;
use super::ledger::Ledger;
use super::price::Price;
use super::request::Usage;
use cm_note::instant::Instant;

/// What may be spent; 0 stands for a limit that is not set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Tokens of one call, both ways.
    pub call_tokens: u64,
    /// Tokens in a day.
    pub daily_tokens: u64,
    /// Tokens in a month.
    pub monthly_tokens: u64,
    /// US dollars in a day.
    pub daily_usd: f64,
    /// US dollars in a month.
    pub monthly_usd: f64,
}

/// For how long a limit holds, by the calendar in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// From midnight to midnight.
    Day,
    /// From the first of a month to the next.
    Month,
}

/// Why a call is not made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Overdrawn {
    /// No limit is set at all.
    #[error("no budget is set, and a model that may cost something is not asked without one")]
    NoBudget,
    /// Dollars are limited, but not tokens, and nobody knows what a token costs.
    #[error("nobody has said what `{model}` costs, so that a budget in dollars cannot be held")]
    PriceUnknown {
        /// The model.
        model: String,
    },
    /// One call is too large.
    #[error("the call may take {estimate} tokens, and `budget.call_tokens` is {limit}")]
    Call {
        /// What it may take.
        estimate: u64,
        /// What it may at most.
        limit: u64,
    },
    /// The tokens of the day or the month are used up.
    #[error("{spent} tokens were used {}, the call may take {estimate}, and `{}` is {limit}", span.words(), span.tokens())]
    Tokens {
        /// For how long the limit holds.
        span: Span,
        /// What was used in it.
        spent: u64,
        /// What the call may take.
        estimate: u64,
        /// The limit.
        limit: u64,
    },
    /// The dollars of the day or the month are used up.
    #[error(
        "{spent:.2} dollars were spent {}{}, the call may cost {estimate:.4}, and `{}` is {limit}",
        span.words(), beside(*unpriced), span.usd()
    )]
    Dollars {
        /// For how long the limit holds.
        span: Span,
        /// What was spent in it, as far as prices were known.
        spent: f64,
        /// Calls in it whose price was not known.
        unpriced: usize,
        /// What the call may cost.
        estimate: f64,
        /// The limit.
        limit: f64,
    },
}

impl Span {
    /// When it began that `now` lies in.
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

impl Overdrawn {
    /// What the person can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoBudget => "cm config set budget.daily_usd 1 --private, or budget.daily_tokens",
            Self::PriceUnknown { .. } => {
                "add `MODEL INPUT OUTPUT`, in dollars for a million tokens, to `llm.prices` (0 0 where it costs nothing), \
                 or set budget.daily_tokens"
            }
            Self::Call { .. } => "ask with less text, or raise it",
            Self::Tokens { span: Span::Day, .. } | Self::Dollars { span: Span::Day, .. } => {
                "raise it, or go on tomorrow; a day ends at midnight UTC"
            }
            Self::Tokens { span: Span::Month, .. } | Self::Dollars { span: Span::Month, .. } => {
                "raise it, or go on next month"
            }
        }
    }
}

impl Budget {
    /// Whether a call of a model may be made: with what it may take at most, no limit is passed.
    ///
    /// # Errors
    /// The first limit that would be passed, or why none can be held.
    pub fn may_spend(
        &self,
        ledger: &Ledger,
        now: Instant,
        estimate: Estimate,
        (model, price): (&str, Option<Price>),
    ) -> Result<(), Overdrawn> {
        let total = estimate.total();
        if is_set(self.call_tokens) && total > self.call_tokens {
            return Err(Overdrawn::Call { estimate: total, limit: self.call_tokens });
        }
        for (span, limit) in [(Span::Day, self.daily_tokens), (Span::Month, self.monthly_tokens)] {
            let spent = ledger.spent(now, span).tokens;
            if is_set(limit) && spent.saturating_add(total) > limit {
                return Err(Overdrawn::Tokens { span, spent, estimate: total, limit });
            }
        }
        let by_tokens = is_set(self.daily_tokens) || is_set(self.monthly_tokens);
        let by_dollars = self.daily_usd > 0.0 || self.monthly_usd > 0.0;
        match price {
            Some(price) if price.is_nothing() => Ok(()),
            _ if !by_tokens && !by_dollars => Err(Overdrawn::NoBudget),
            Some(price) => self.within_dollars(ledger, now, estimate, price),
            None if by_tokens => Ok(()),
            None => Err(Overdrawn::PriceUnknown { model: model.to_owned() }),
        }
    }

    fn within_dollars(
        &self,
        ledger: &Ledger,
        now: Instant,
        estimate: Estimate,
        price: Price,
    ) -> Result<(), Overdrawn> {
        let usage = Usage { input: estimate.input, output: estimate.output, guessed: true };
        let estimate = price.of(usage);
        for (span, limit) in [(Span::Day, self.daily_usd), (Span::Month, self.monthly_usd)] {
            let spent = ledger.spent(now, span);
            if limit > 0.0 && spent.usd + estimate > limit {
                let (spent, unpriced) = (spent.usd, spent.unpriced);
                return Err(Overdrawn::Dollars { span, spent, unpriced, estimate, limit });
            }
        }
        Ok(())
    }
}

fn is_set(limit: u64) -> bool {
    limit > 0
}

fn beside(unpriced: usize) -> String {
    match unpriced {
        0 => String::new(),
        1 => " beside 1 call of unknown price".to_owned(),
        many => format!(" beside {many} calls of unknown price"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ledger::Entry;
    use super::*;

    const PRICE: Price = Price { input: 1.0, output: 10.0 };
    const CALL: Estimate = Estimate { input: 10_000, output: 1_000 };

    fn now() -> Instant {
        Instant::parse("2026-11-21T12:00:00Z").unwrap()
    }

    /// A ledger of calls of ten thousand tokens each way, at these times.
    fn ledger(calls: &[(&str, Option<Price>)]) -> Ledger {
        let mut ledger = Ledger::default();
        let usage = Usage { input: 10_000, output: 10_000, guessed: false };
        for (at, price) in calls {
            ledger.add(Entry::of(Instant::parse(at).unwrap(), ("p", "m"), usage, *price));
        }
        ledger
    }

    fn refused(budget: Budget, ledger: &Ledger, price: Option<Price>) -> String {
        let refused = budget.may_spend(ledger, now(), CALL, ("m", price)).unwrap_err();
        format!("{refused}\n hint: {}", refused.hint())
    }

    #[test]
    fn nothing_is_spent_without_a_budget_unless_it_costs_nothing() {
        let none = Budget::default();
        insta::assert_snapshot!(refused(none, &ledger(&[]), Some(PRICE)), @"
        no budget is set, and a model that may cost something is not asked without one
         hint: cm config set budget.daily_usd 1 --private, or budget.daily_tokens
        ");
        insta::assert_snapshot!(refused(none, &ledger(&[]), None), @"
        no budget is set, and a model that may cost something is not asked without one
         hint: cm config set budget.daily_usd 1 --private, or budget.daily_tokens
        ");
        assert_eq!(none.may_spend(&ledger(&[]), now(), CALL, ("m", Some(Price::NOTHING))), Ok(()));
    }

    #[test]
    fn a_limit_is_held_before_it_is_passed() {
        let calls = ledger(&[("2026-11-01", Some(PRICE)), ("2026-11-21", Some(PRICE)), ("2026-11-21", None)]);
        let day = Budget { daily_usd: 0.12, ..Budget::default() };
        insta::assert_snapshot!(refused(day, &calls, Some(PRICE)), @"
        0.11 dollars were spent today beside 1 call of unknown price, the call may cost 0.0200, and `budget.daily_usd` is 0.12
         hint: raise it, or go on tomorrow; a day ends at midnight UTC
        ");
        let month = Budget { daily_usd: 0.14, monthly_usd: 0.23, ..Budget::default() };
        insta::assert_snapshot!(refused(month, &calls, Some(PRICE)), @"
        0.22 dollars were spent this month beside 1 call of unknown price, the call may cost 0.0200, and `budget.monthly_usd` is 0.23
         hint: raise it, or go on next month
        ");
        let tokens = Budget { daily_tokens: 50_999, ..Budget::default() };
        insta::assert_snapshot!(refused(tokens, &calls, None), @"
        40000 tokens were used today, the call may take 11000, and `budget.daily_tokens` is 50999
         hint: raise it, or go on tomorrow; a day ends at midnight UTC
        ");
        let call = Budget { call_tokens: 10_999, daily_tokens: 1_000_000, ..Budget::default() };
        insta::assert_snapshot!(refused(call, &calls, Some(Price::NOTHING)), @"
        the call may take 11000 tokens, and `budget.call_tokens` is 10999
         hint: ask with less text, or raise it
        ");
        for enough in [
            Budget { daily_usd: 0.14, monthly_usd: 0.25, ..Budget::default() },
            Budget { call_tokens: 11_000, daily_tokens: 51_000, monthly_tokens: 71_000, ..Budget::default() },
        ] {
            assert_eq!(enough.may_spend(&calls, now(), CALL, ("m", Some(PRICE))), Ok(()));
        }
    }

    #[test]
    fn dollars_bound_nothing_where_the_price_is_unknown() {
        let dollars = Budget { daily_usd: 100.0, ..Budget::default() };
        insta::assert_snapshot!(refused(dollars, &ledger(&[]), None), @"
        nobody has said what `m` costs, so that a budget in dollars cannot be held
         hint: add `MODEL INPUT OUTPUT`, in dollars for a million tokens, to `llm.prices` (0 0 where it costs nothing), or set budget.daily_tokens
        ");
        let both = Budget { daily_tokens: 100_000, ..dollars };
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
            assert_eq!(Span::Month.start(at).to_string(), start);
        }
    }

    proptest! {
        #[test]
        fn calls_that_are_let_through_never_pass_a_limit(
            calls in proptest::collection::vec((0_u64..50_000, 0_u64..5_000), 0..40),
            daily_usd in 0.01..1.0_f64, daily_tokens in 1_u64..200_000,
        ) {
            let budget = Budget { daily_usd, daily_tokens, ..Budget::default() };
            let mut ledger = Ledger::default();
            for (input, output) in calls {
                let estimate = Estimate { input, output };
                if budget.may_spend(&ledger, now(), estimate, ("m", Some(PRICE))).is_ok() {
                    let usage = Usage { input, output, guessed: false };
                    ledger.add(Entry::of(now(), ("p", "m"), usage, Some(PRICE)));
                }
            }
            let spent = ledger.spent(now(), Span::Day);
            prop_assert!(spent.tokens <= daily_tokens && spent.usd <= daily_usd + 1e-6, "{:?}", spent);
        }
    }
}
