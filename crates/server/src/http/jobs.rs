//! Runs the scheduled jobs of the server, one at a time.
//!
//! Jobs do not count against the concurrency limit of requests, because they may wait long for a
//! model. They take the vault's lock like any other process.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::schedule::{JobInterval, JobSchedule};
use super::shutdown::shutdown_requested;
use super::state::ServerState;
use cm_app::Result;
use cm_app::context::cancellation::Cancellation;
use cm_note::instant::Instant;

/// Runs a job; the argument signals shutdown. The returned text is logged, unless it is empty.
pub type JobFn = Arc<dyn Fn(&Cancellation) -> Result<String> + Send + Sync>;

/// A scheduled job.
#[derive(Clone)]
pub struct Job {
    /// Name in logs and metrics.
    pub name: &'static str,
    /// Schedule.
    pub interval: JobInterval,
    /// Time of the last successful run.
    pub last: Option<Instant>,
    pub run: JobFn,
    /// Stores the time of a successful run, for later servers.
    pub done: Arc<dyn Fn(Instant) -> Result<()> + Send + Sync>,
}

/// Runs jobs when they are due, until shutdown.
pub(super) async fn run_jobs(state: Arc<ServerState>, jobs: Vec<Job>, mut stop: watch::Receiver<bool>) {
    let now = || (state.setup.clock)();
    let mut schedule = JobSchedule::of(jobs.iter().map(|job| (job.interval, job.last)), now());
    let flag = Cancellation::default();
    while let Some(wait) = schedule.wait(now()) {
        if *stop.borrow() {
            return;
        }
        if let Some((place, job)) = schedule.due(now()).and_then(|place| Some((place, jobs.get(place)?))) {
            let mut run = tokio::task::spawn_blocking({
                let (job, flag) = (job.clone(), flag.clone());
                move || (job.run)(&flag)
            });
            let outcome = tokio::select! {
                outcome = &mut run => outcome,
                () = shutdown_requested(&mut stop) => {
                    // It gets the time that the server waits, and is told to use it well.
                    flag.terminate();
                    run.await
                }
            };
            // Read once: whoever reads the log may set the clock.
            let ended = now();
            let done = log_result(&state, job, outcome);
            schedule.record_run(place, ended, done);
            if done && let Err(error) = (job.done)(ended) {
                // The next server may do it once more.
                state.notice("job-not-kept", format!("{}: {error}", job.name));
            }
            continue;
        }
        // The clock is looked at anew now and then: it may be set, and the machine may have slept.
        let pause = Duration::from_secs(wait).clamp(Duration::from_millis(1), state.setup.limits.tick);
        tokio::select! {
            () = sleep(pause) => {}
            () = shutdown_requested(&mut stop) => return,
        }
    }
}

/// Logs the result of a job and returns whether it succeeded.
fn log_result(
    state: &ServerState,
    job: &Job,
    outcome: std::result::Result<Result<String>, tokio::task::JoinError>,
) -> bool {
    let (done, words) = match outcome {
        Ok(Ok(summary)) => (true, summary),
        Ok(Err(error)) => (false, error.to_string()),
        Err(_) => (false, "it panicked; see standard error".to_owned()),
    };
    state.metrics.job(job.name, !done);
    if done && words.is_empty() {
        return done;
    }
    state.notice(if done { "job" } else { "job-failed" }, format!("{}: {words}", job.name));
    done
}
