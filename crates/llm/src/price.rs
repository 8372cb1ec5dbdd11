//! Prices of models, as set by the user. No price is built in, because a wrong one is worse than
//! none.

use super::request::TokenUsage;

/// Price in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Price of input tokens.
    pub input: f64,
    /// Price of output tokens.
    pub output: f64,
}

/// Prices by model name, in order of the settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices(Vec<(String, Price)>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{line}` is not a valid price: write MODEL INPUT OUTPUT, in dollars per million tokens, such as `gpt-5-mini 0.25 2`"
)]
pub struct InvalidPriceLine {
    pub line: String,
}

impl Price {
    /// Price of models that run locally or are paid for separately: zero.
    pub const NOTHING: Self = Self { input: 0.0, output: 0.0 };

    /// Returns the cost of this token usage in US dollars.
    pub fn of(self, usage: TokenUsage) -> f64 {
        (usage.input as f64 * self.input + usage.output as f64 * self.output) / 1e6
    }

    /// Returns whether the price is zero.
    pub fn is_zero(self) -> bool {
        self == Self::NOTHING
    }
}

impl Prices {
    /// Parses lines such as `openai/gpt-5-mini 0.25 2`: a model, optionally with its provider, and
    /// the prices of a million input and output tokens.
    ///
    /// # Errors
    /// Returns the first invalid line.
    pub fn parse(lines: &[String]) -> Result<Self, InvalidPriceLine> {
        let read = |line: &String| {
            let wrong = || InvalidPriceLine { line: line.clone() };
            let parts: Vec<&str> = line.split_whitespace().collect();
            let [model, input, output] = parts[..] else { return Err(wrong()) };
            let dollars = |text: &str| text.trim_start_matches('$').parse::<f64>().ok();
            let sound = |price: &f64| price.is_finite() && *price >= 0.0;
            match (dollars(input).filter(sound), dollars(output).filter(sound)) {
                (Some(input), Some(output)) => Ok((model.to_owned(), Price { input, output })),
                _ => Err(wrong()),
            }
        };
        lines.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the price of a model, `None` if unknown. A line that names the provider takes
    /// precedence, then the last matching line.
    pub fn of(&self, provider: &str, model: &str) -> Option<Price> {
        let full = format!("{provider}/{model}");
        let find = |name: &str| self.0.iter().rev().find(|(model_name, _)| model_name == name);
        find(&full).or_else(|| find(model)).map(|(_, price)| *price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices(lines: &[&str]) -> Result<Prices, InvalidPriceLine> {
        Prices::parse(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_price_is_found_by_the_model_and_by_the_provider_first() {
        let prices = prices(&["small 1 2", "there/small $0.25 0", "meta/big:7b 0 0"]).unwrap();
        assert_eq!(prices.of("here", "small"), Some(Price { input: 1.0, output: 2.0 }));
        assert_eq!(prices.of("there", "small"), Some(Price { input: 0.25, output: 0.0 }));
        assert!(prices.of("ollama", "meta/big:7b").unwrap().is_zero());
        assert_eq!(prices.of("here", "other"), None);
    }

    #[test]
    fn a_million_tokens_cost_the_price() {
        let price = Price { input: 0.25, output: 2.0 };
        let usage = |input, output| TokenUsage { input, output, is_estimated: false };
        assert_eq!(price.of(usage(1_000_000, 0)), 0.25);
        assert_eq!(price.of(usage(1_000_000, 1_000_000)), 2.25);
        assert_eq!(price.of(usage(1_000, 500)), 0.001_25);
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for line in
            ["", "small", "small 1", "small 1 2 3", "small one 2", "small -1 2", "small inf 2", "small NaN 2"]
        {
            assert_eq!(prices(&["ok 1 1", line]).unwrap_err().line, line);
        }
        insta::assert_snapshot!(prices(&["small 1"]).unwrap_err(), @"`small 1` is not a valid price: write MODEL INPUT OUTPUT, in dollars per million tokens, such as `gpt-5-mini 0.25 2`");
    }
}
