//! Computes when jobs are due. It has no clock; `now` is always an argument.

use cm_note::instant::Instant;

const DAY_SECONDS: i64 = 86_400;
const WEEK_SECONDS: i64 = 7 * DAY_SECONDS;
/// Delay before a failed job is retried, in seconds.
const RETRY_SECONDS: i64 = 3_600;

/// When a job runs. Times of day are minutes after midnight in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobInterval {
    /// Every day.
    Daily { minute_of_day: u16 },
    /// Every week; `weekday` is 0 for Monday.
    Weekly { weekday: u8, minute_of_day: u16 },
    /// Some seconds after the last run, successful or not.
    Every { seconds: u32 },
}

impl JobInterval {
    /// The first scheduled time after `after`.
    pub fn next(self, after: Instant) -> Instant {
        let (period, offset) = match self {
            Self::Every { seconds } => return Instant::from_unix(after.unix() + i64::from(seconds)),
            Self::Daily { minute_of_day } => (DAY_SECONDS, i64::from(minute_of_day) * 60),
            // 1970 began on a Thursday, the fourth day of its week.
            Self::Weekly { weekday, minute_of_day } => {
                (WEEK_SECONDS, (i64::from(weekday) - 3) * DAY_SECONDS + i64::from(minute_of_day) * 60)
            }
        };
        let passed = (after.unix() - offset).rem_euclid(period);
        Instant::from_unix(after.unix() - passed + period)
    }
}

/// The schedule of several jobs.
#[derive(Debug, Clone)]
pub struct JobSchedule {
    rows: Vec<ScheduledJob>,
}

#[derive(Debug, Clone, Copy)]
struct ScheduledJob {
    interval: JobInterval,
    due: Instant,
}

impl JobSchedule {
    /// Creates a schedule from intervals and the time of each last run. A missed run is due at
    /// once; a job that never ran waits for its next scheduled time.
    pub fn of(jobs: impl IntoIterator<Item = (JobInterval, Option<Instant>)>, now: Instant) -> Self {
        // A last time in the future is a clock that was wrong.
        let row = |(interval, last): (JobInterval, Option<Instant>)| ScheduledJob {
            interval,
            due: interval.next(last.filter(|last| *last <= now).unwrap_or(now)),
        };
        Self { rows: jobs.into_iter().map(row).collect() }
    }

    /// Index of the job that is due the longest, if any is due.
    pub fn due(&self, now: Instant) -> Option<usize> {
        let due = self.rows.iter().enumerate().filter(|(_, row)| row.due <= now);
        due.min_by_key(|(_, row)| row.due).map(|(place, _)| place)
    }

    /// Records that a job has ended. Missed runs are skipped; a failed job is retried.
    pub fn record_run(&mut self, job: usize, now: Instant, done: bool) {
        if let Some(row) = self.rows.get_mut(job) {
            let next = row.interval.next(now);
            row.due = if done {
                next
            } else {
                next.min(Instant::from_unix(now.unix().saturating_add(RETRY_SECONDS)))
            };
        }
    }

    /// Seconds until the next job is due; `None` without jobs.
    pub fn wait(&self, now: Instant) -> Option<u64> {
        let first = self.rows.iter().map(|row| row.due).min()?;
        Some(u64::try_from(first.unix().saturating_sub(now.unix())).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    const REFLECT: JobInterval = JobInterval::Daily { minute_of_day: 3 * 60 };
    const DECAY: JobInterval = JobInterval::Weekly { weekday: 6, minute_of_day: 4 * 60 + 30 };

    #[test]
    fn the_next_time_is_the_first_one_later() {
        for (interval, after, next) in [
            (REFLECT, "2026-11-22T02:59:59Z", "2026-11-22T03:00:00Z"),
            (REFLECT, "2026-11-22T03:00:00Z", "2026-11-23T03:00:00Z"),
            (REFLECT, "1969-12-31T23:00:00Z", "1970-01-01T03:00:00Z"),
            // 2026-11-22 is a Sunday.
            (DECAY, "2026-11-22T04:29:00Z", "2026-11-22T04:30:00Z"),
            (DECAY, "2026-11-22T04:30:00Z", "2026-11-29T04:30:00Z"),
            (DECAY, "2026-11-25T00:00:00Z", "2026-11-29T04:30:00Z"),
            (JobInterval::Every { seconds: 60 }, "2026-11-25T00:00:30Z", "2026-11-25T00:01:30Z"),
        ] {
            assert_eq!(interval.next(at(after)), at(next), "{interval:?} after {after}");
        }
    }

    #[test]
    fn what_was_missed_is_done_once_and_what_failed_is_tried_again() {
        let start = at("2026-11-22T12:00:00Z");
        let mut schedule =
            JobSchedule::of([(REFLECT, Some(at("2026-11-18T03:00:00Z"))), (DECAY, None)], start);
        assert_eq!(schedule.due(start), Some(0));
        schedule.record_run(0, start, false);
        assert_eq!((schedule.due(start), schedule.wait(start)), (None, Some(3_600)));
        let later = at("2026-11-22T13:00:00Z");
        assert_eq!(schedule.due(later), Some(0));
        schedule.record_run(0, later, true);
        assert_eq!(schedule.due(at("2026-11-23T02:59:59Z")), None);
        assert_eq!(schedule.due(at("2026-11-23T03:00:00Z")), Some(0));
        assert_eq!(schedule.due(at("2026-12-30T00:00:00Z")), Some(0), "the one that waits longest");
        assert_eq!(JobSchedule::of([], start).wait(start), None);
    }

    #[test]
    fn a_clock_that_was_wrong_stops_no_job() {
        let now = at("2026-11-22T12:00:00Z");
        let schedule = JobSchedule::of([(REFLECT, Some(at("2036-01-01")))], now);
        assert_eq!(schedule.due(at("2026-11-23T03:00:00Z")), Some(0));
    }

    proptest! {
        #[test]
        fn the_next_time_is_within_a_period(seconds in -1_000_000_000_i64..10_000_000_000, weekday in 0_u8..7, minute_of_day in 0_u16..1440) {
            let after = Instant::from_unix(seconds);
            for (interval, period) in [(JobInterval::Daily { minute_of_day }, DAY_SECONDS), (JobInterval::Weekly { weekday, minute_of_day }, WEEK_SECONDS)] {
                let next = interval.next(after).unix() - seconds;
                prop_assert!((1..=period).contains(&next));
                prop_assert_eq!((seconds + next).rem_euclid(DAY_SECONDS), i64::from(minute_of_day) * 60);
            }
        }
    }
}
