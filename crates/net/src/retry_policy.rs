//! Retry policy of HTTP requests.

use std::time::Duration;

/// Number of retries and the delays between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of retries.
    pub retries: u32,
    /// Delay before the first retry.
    pub pause: Duration,
    /// Factor between consecutive delays.
    pub growth: u32,
    /// Maximum delay. If the server requests a longer one, the request fails.
    pub longest: Duration,
    /// Seed for randomized delays, so that several clients do not retry at the same time; `None`
    /// for exact delays.
    pub jitter: Option<u64>,
    /// Whether to retry after a timeout.
    pub retry_timeouts: bool,
}

impl RetryPolicy {
    /// No retries.
    pub const NONE: Self = Self {
        retries: 0,
        pause: Duration::ZERO,
        growth: 1,
        longest: Duration::ZERO,
        jitter: None,
        retry_timeouts: false,
    };

    /// Returns the delay before retry `nth`, starting at 0. With jitter it is between half and all
    /// of the regular delay.
    pub fn wait(&self, nth: u32) -> Duration {
        let growth = self.growth.checked_pow(nth).unwrap_or(u32::MAX);
        let wait = self.pause.checked_mul(growth).unwrap_or(self.longest).min(self.longest);
        match self.jitter {
            Some(seed) => wait.mul_f64(0.5 + 0.5 * share(seed.wrapping_add(u64::from(nth)))),
            None => wait,
        }
    }
}

/// Hashes a seed to a number from 0 to 1 (the finalizer of splitmix64).
fn share(seed: u64) -> f64 {
    let mut bits = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    // 53 bits are what a float holds exactly.
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STEADY: RetryPolicy = RetryPolicy {
        retries: 3,
        pause: Duration::from_secs(1),
        growth: 2,
        longest: Duration::from_secs(60),
        jitter: None,
        retry_timeouts: true,
    };

    #[test]
    fn waits_grow_up_to_the_longest() {
        let waits: Vec<_> = (0..8).map(|nth| STEADY.wait(nth).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(RetryPolicy::NONE.wait(0), Duration::ZERO);
    }

    #[test]
    fn two_seeds_wait_differently_and_one_seed_always_alike() {
        let wait = |seed| RetryPolicy { jitter: Some(seed), ..STEADY }.wait(2);
        assert_eq!(wait(7), wait(7));
        assert_ne!(wait(7), wait(8));
    }

    proptest! {
        #[test]
        fn jitter_takes_at_most_half_of_a_wait(seed: u64, nth in 0_u32..100, growth: u32) {
            let steady = RetryPolicy { growth, ..STEADY };
            let wait = RetryPolicy { jitter: Some(seed), ..steady }.wait(nth);
            prop_assert!(wait <= steady.wait(nth) && wait * 2 >= steady.wait(nth) - Duration::from_nanos(2));
        }
    }
}
