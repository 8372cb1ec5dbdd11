//! Numbers as they are stored and printed.

/// Rounds a score, a share or a strength.
pub fn round_to_four_decimals(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
