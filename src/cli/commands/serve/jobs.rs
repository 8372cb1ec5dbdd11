//! What the team's server does by itself, and when.

use std::sync::Arc;

use crate::cli::calls::Calls;
use cm_server::http::Job;
use cm_server::http::schedule::Rhythm;
use cm_app::stop::Stop;
use cm_app::{Actor, By, Memory, Result, Watch, jobs};

/// At 03:00 UTC.
const REFLECT: Rhythm = Rhythm::Daily { minute: 3 * 60 };
/// On Sundays at 04:30 UTC.
const DECAY: Rhythm = Rhythm::Weekly { weekday: 6, minute: 4 * 60 + 30 };

/// All jobs, in the name of whoever started the server.
///
/// # Errors
/// A vault that cannot be opened or written.
pub fn all(calls: &Arc<Calls>) -> Result<Vec<Job>> {
    let memory = open(calls, Watch::default())?;
    let job = |name: &'static str, rhythm, work: fn(&Memory, &Stop) -> Result<String>| -> Result<Job> {
        let [to_run, to_keep] = [Arc::clone(calls), Arc::clone(calls)];
        Ok(Job {
            name,
            rhythm,
            last: Some(jobs::last(&memory, name)?),
            run: Arc::new(move |stop| work(&open(&to_run, Watch::called_off_by(stop.at_once()))?, stop)),
            done: Arc::new(move |now| jobs::done(&open(&to_keep, Watch::default())?, name, now)),
        })
    };
    Ok(vec![job("reflect", REFLECT, jobs::reflect)?, job("decay", DECAY, |memory, _| jobs::fade(memory))?])
}

fn open(calls: &Calls, watch: Watch) -> Result<Memory> {
    calls.open(By { kind: Actor::Job, ..calls.first.by.clone() }, watch)
}
