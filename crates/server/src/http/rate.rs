//! Rate limiting with token buckets.
//!
//! It has no clock; callers pass the time since the server started.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Sustained rate, in requests per second.
    pub per_second: u32,
    /// Maximum burst size.
    pub burst: u32,
}

/// Error: the rate limit is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitExceeded {
    /// Time until the next permit, in whole seconds, at least 1.
    pub retry_after: u64,
}

/// One bucket per key.
#[derive(Debug)]
pub struct Buckets<K> {
    pace: RateLimit,
    buckets: Mutex<HashMap<K, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    permits: f64,
    at: Duration,
}

/// Maximum number of buckets; limits memory if many addresses send requests.
const MAX_BUCKETS: usize = 20_000;

impl<K: Eq + Hash + Clone> Buckets<K> {
    pub fn new(pace: RateLimit) -> Self {
        Self { pace, buckets: Mutex::new(HashMap::new()) }
    }

    /// Takes a permit.
    ///
    /// # Errors
    /// [`RateLimitExceeded`]; no permit was taken.
    pub fn take(&self, who: &K, now: Duration) -> Result<(), RateLimitExceeded> {
        let (rate, burst) = (f64::from(self.pace.per_second.max(1)), f64::from(self.pace.burst.max(1)));
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(who) {
            // A full bucket says nothing that a new one would not.
            let full = |bucket: &Bucket| filled(*bucket, now, rate, burst) >= burst;
            buckets.retain(|_, bucket| !full(bucket));
            if buckets.len() >= MAX_BUCKETS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(who.clone()).or_insert(Bucket { permits: burst, at: now });
        *bucket = Bucket { permits: filled(*bucket, now, rate, burst), at: now.max(bucket.at) };
        if bucket.permits >= 1.0 {
            bucket.permits -= 1.0;
            return Ok(());
        }
        // At most one second, for the rate is at least one a second; rounded up as the header wants it.
        let missing = (1.0 - bucket.permits).max(0.0) / rate;
        Err(RateLimitExceeded { retry_after: (missing.ceil() as u64).max(1) })
    }
}

fn filled(bucket: Bucket, now: Duration, rate: f64, burst: f64) -> f64 {
    (bucket.permits + now.saturating_sub(bucket.at).as_secs_f64() * rate).min(burst)
}

/// Rate-limit key of an address: IPv4 as is, IPv6 by /64, because one host owns a whole /64.
pub fn rate_limit_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_then_the_pace_holds() {
        let buckets = Buckets::new(RateLimit { per_second: 2, burst: 3 });
        let at = Duration::from_millis;
        for _ in 0..3 {
            assert_eq!(buckets.take(&"ada", at(0)), Ok(()));
        }
        assert_eq!(buckets.take(&"ada", at(0)), Err(RateLimitExceeded { retry_after: 1 }));
        assert_eq!(buckets.take(&"bob", at(0)), Ok(()), "each has a bucket");
        assert!(buckets.take(&"ada", at(499)).is_err());
        assert_eq!(buckets.take(&"ada", at(500)), Ok(()));
        assert!(buckets.take(&"ada", at(400)).is_err(), "a clock that goes back fills nothing");
        assert_eq!(buckets.take(&"ada", at(1000)), Ok(()));
    }

    #[test]
    fn a_flood_of_names_does_not_fill_the_memory() {
        let buckets = Buckets::new(RateLimit { per_second: 1, burst: 1 });
        for who in 0..3 * MAX_BUCKETS {
            let _ = buckets.take(&who, Duration::ZERO);
        }
        assert!(buckets.buckets.lock().len() <= MAX_BUCKETS);
    }

    #[test]
    fn a_host_is_one_whichever_of_its_addresses_it_takes() {
        let of = |text: &str| rate_limit_key(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
