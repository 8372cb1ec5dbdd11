//! Scheduled jobs of the HTTP server.

use std::sync::Arc;

use crate::cli::request_factory::RequestFactory;
use cm_app::context::cancellation::Cancellation;
use cm_app::{Actor, CallerIdentity, Context, ProgressWatch, Result, jobs};
use cm_server::http::Job;
use cm_server::http::schedule::JobInterval;

/// 03:00 UTC.
const REFLECT: JobInterval = JobInterval::Daily { minute_of_day: 3 * 60 };
/// 03:30 UTC, after learning.
const CONDENSE: JobInterval = JobInterval::Daily { minute_of_day: 3 * 60 + 30 };
/// Sundays at 04:30 UTC.
const DECAY: JobInterval = JobInterval::Weekly { weekday: 6, minute_of_day: 4 * 60 + 30 };

/// All jobs. They run as the user that started the server.
///
/// # Errors
/// The vault cannot be opened or written.
pub fn all(requests: &Arc<RequestFactory>) -> Result<Vec<Job>> {
    let context = open(requests, ProgressWatch::default())?;
    let job =
        |name: &'static str, interval, work: fn(&Context, &Cancellation) -> Result<String>| -> Result<Job> {
            let [to_run, to_keep] = [Arc::clone(requests), Arc::clone(requests)];
            Ok(Job {
                name,
                interval,
                last: Some(jobs::last(&context, name)?),
                run: Arc::new(move |stop| work(&open(&to_run, ProgressWatch::cancelled_by(stop))?, stop)),
                done: Arc::new(move |now| jobs::done(&open(&to_keep, ProgressWatch::default())?, name, now)),
            })
        };
    Ok(vec![
        job("reflect", REFLECT, jobs::reflect)?,
        job(jobs::CONDENSE, CONDENSE, |context, _| jobs::condense(context))?,
        job("decay", DECAY, |context, _| jobs::fade(context))?,
    ])
}

/// The job that synchronizes the vault with its remote every so many seconds.
///
/// # Errors
/// The vault cannot be opened.
pub fn sync(requests: &Arc<RequestFactory>, seconds: u32) -> Result<Job> {
    let to_run = Arc::clone(requests);
    Ok(Job {
        name: jobs::SYNC,
        interval: JobInterval::Every { seconds },
        last: None,
        run: Arc::new(move |stop| jobs::synchronize(&open(&to_run, ProgressWatch::cancelled_by(stop))?)),
        // The synchronization records itself.
        done: Arc::new(|_| Ok(())),
    })
}

fn open(requests: &RequestFactory, watch: ProgressWatch) -> Result<Context> {
    requests.open(CallerIdentity { kind: Actor::Job, ..requests.first.caller.clone() }, watch)
}
