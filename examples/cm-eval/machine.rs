//! Measures processor time and peak memory of this process, where the platform supports it.

use std::time::Duration;

/// Returns the processor time of all threads of this process so far.
#[cfg(unix)]
pub fn cpu() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(spent.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(spent.tv_nsec).unwrap_or_default())
}

/// Returns the elapsed wall time instead, on platforms without processor time.
#[cfg(not(unix))]
pub fn cpu() -> Duration {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed()
}

/// Resets the peak memory, where the system supports it.
pub fn forget_peak() {
    // Without it the peak is that of the whole run, which is no less.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the peak memory of this process in MB, or `None` if the platform does not report it.
pub fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}

/// Returns the quantile of some durations in milliseconds, or 0 if there are none.
pub fn quantile_ms(times: &[Duration], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let before = cpu();
        let hash = (0..100).fold(blake3::hash(b""), |hash, _| blake3::hash(hash.as_bytes()));
        assert!(cpu() > before, "{hash}");
    }

    #[test]
    fn a_quantile_is_the_value_of_that_rank() {
        let times: Vec<Duration> = (1..=20).rev().map(Duration::from_millis).collect();
        assert_eq!((quantile_ms(&times, 0.5), quantile_ms(&times, 0.95)), (10.0, 19.0));
        assert_eq!((quantile_ms(&times[..1], 0.95), quantile_ms(&[], 0.5)), (20.0, 0.0));
    }
}
