//! The time of each scheduled job's last run, kept in the user's private files.

use std::collections::BTreeMap;

use crate::context::open::Context;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_store::vault::Vault;

/// Name of the private file with the time of each job's last run.
const FILE: &str = "jobs.json";

/// Returns the time of a job's last run. A job without a record is recorded as run now, so that a
/// server that misses the next scheduled time catches up.
///
/// # Errors
/// Returns an error if the time cannot be stored.
pub fn last(context: &Context, job: &str) -> Result<Instant> {
    let vault = &context.target().vault;
    match read_last_runs(vault)?.remove(job) {
        Some(last) => Ok(last),
        None => keep(vault, job, context.now()).map(|()| context.now()),
    }
}

/// Returns the time of a job's last run, if it is recorded.
pub(crate) fn recorded(context: &Context, job: &str) -> Option<Instant> {
    read_last_runs(&context.target().vault).ok()?.remove(job)
}

/// Reads the last runs by job name; a missing or invalid file counts as empty.
///
/// # Errors
/// Returns an error if the file cannot be read.
fn read_last_runs(vault: &Vault) -> Result<BTreeMap<String, Instant>> {
    Ok(vault.read_private_json(FILE)?.unwrap_or_default())
}

/// Records that a job ran at `now`.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn done(context: &Context, job: &str, now: Instant) -> Result<()> {
    keep(&context.target().vault, job, now)
}

fn keep(vault: &Vault, job: &str, now: Instant) -> Result<()> {
    let mut jobs = read_last_runs(vault)?;
    jobs.insert(job.to_owned(), now);
    Ok(vault.write_private_json(FILE, &jobs)?)
}

/// Whether a job has no recorded run in the last day. A record of the future does not count.
pub(crate) fn is_due_today(context: &Context, job: &str) -> bool {
    let last = recorded(context, job);
    !last.is_some_and(|last| last <= context.now() && last.days_until(context.now()) < 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_job_was_done_is_known_to_the_next_server_and_damage_is_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let home =
            cm_store::vault::PrivateHome { state: folder.path().join("s"), config: folder.path().join("c") };
        let vault = Vault::at(folder.path()).unwrap().prepare(Some(&home));
        assert!(read_last_runs(&vault).unwrap().is_empty());
        keep(&vault, "reflect", Instant::from_unix(60)).unwrap();
        keep(&vault, "decay", Instant::from_unix(120)).unwrap();
        let both = [("decay", 120), ("reflect", 60)];
        let both = both.map(|(name, at)| (name.to_owned(), Instant::from_unix(at)));
        assert_eq!(read_last_runs(&vault).unwrap(), BTreeMap::from(both));
        vault.write_private(FILE, "{").unwrap();
        assert!(read_last_runs(&vault).unwrap().is_empty());
        keep(&vault, "decay", Instant::from_unix(180)).unwrap();
        assert_eq!(read_last_runs(&vault).unwrap().len(), 1);
    }
}
