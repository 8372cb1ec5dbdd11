//! Scheduled jobs of the server and of hooks: learning from sessions, condensing observations, and
//! updating CORE.md after decay.
//! The time of each job's last run is stored in the user's private files.

use std::collections::BTreeMap;

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::SessionAccess;
use crate::verbs::condense;
use crate::verbs::decay::{self, decay};
use crate::verbs::generate;
use crate::verbs::reflect::{self, ReflectResult};
use cm_note::instant::Instant;
use cm_store::config::keys;
use cm_store::vault::{Vault, layout};

/// Name of the private file with the time of each job's last run.
const FILE: &str = "jobs.json";
/// Name of the job that condenses observations.
pub const CONDENSE: &str = "condense";

/// Returns the time of a job's last run. A job without a record is recorded as run now, so that a
/// server that misses the next scheduled time catches up.
///
/// # Errors
/// Returns an error if the time cannot be stored.
pub fn last(memory: &Context, job: &str) -> Result<Instant> {
    let vault = &memory.target().vault;
    match read_last_runs(vault).remove(job) {
        Some(last) => Ok(last),
        None => keep(vault, job, memory.now()).map(|()| memory.now()),
    }
}

/// Reads the last runs by job name; a missing or invalid file counts as empty.
fn read_last_runs(vault: &Vault) -> BTreeMap<String, Instant> {
    let text = vault.read_private(FILE).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Records that a job ran at `now`.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn done(memory: &Context, job: &str, now: Instant) -> Result<()> {
    keep(&memory.target().vault, job, now)
}

fn keep(vault: &Vault, job: &str, now: Instant) -> Result<()> {
    let mut jobs = read_last_runs(vault);
    jobs.insert(job.to_owned(), now);
    let text = serde_json::to_string(&jobs)
        .map_err(|error| Error::new(ErrorKind::Failed, "internal", error.to_string()))?;
    Ok(vault.write_private(FILE, &format!("{text}\n"))?)
}

/// Learns from new sessions, as `cm reflect` does, and returns a summary.
///
/// # Errors
/// An error that ends the run early, or a run with failures.
pub fn reflect(memory: &Context, stop: &Cancellation) -> Result<String> {
    let shelf = SessionAccess::open(memory, &mut |_| {})?;
    let ReflectResult { run, kind, .. } =
        reflect::reflect(memory, &shelf, &reflect::Options::default(), stop, &|_, _| {})?;
    let counts = format!(
        "{}: {} sessions, {} proposed, {} applied, {} refused, {} failed",
        run.ending.name(),
        run.sessions,
        run.proposed,
        run.applied,
        run.refused,
        run.failed
    );
    match kind {
        // That there was nothing to do is as good an end as any.
        None | Some(ErrorKind::NothingDone) => Ok(counts),
        Some(kind) => Err(Error::new(kind, "reflect", counts).hint("`cm reflect` shows why")),
    }
}

/// Computes decay scores, as `cm decay` does, and regenerates CORE.md if it exists. Returns a
/// summary with the number of memories per status.
///
/// # Errors
/// The errors of [`decay()`] and [`generate::core()`].
pub fn fade(memory: &Context) -> Result<String> {
    let counts = decay(memory, &decay::Options::default())?.counts;
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let mut said = if counts.is_empty() { "no memories".to_owned() } else { counts.join(", ") };
    if memory.target().vault.stamp_own(layout::CORE)?.is_some() && generate::core(memory, false)?.changed {
        said.push_str("; CORE.md was rewritten");
    }
    Ok(said)
}

/// Condenses the observations of the target vault, unless `curation.condense` is off. Returns a
/// summary.
///
/// # Errors
/// The errors of [`condense::condense`].
pub fn condense(memory: &Context) -> Result<String> {
    if memory.target().settings.flag(keys::CURATION_CONDENSE) == Some(false) {
        return Ok("`curation.condense` is off".to_owned());
    }
    let done = condense::condense(memory)?;
    Ok(format!("{} observations condensed into {}", done.condensed(), done.memories.len()))
}

/// Condenses the observations of the target vault if the last run was more than a day ago.
///
/// # Errors
/// The errors of [`condense()`]; the next call tries again.
pub(crate) fn condense_daily(memory: &Context) -> Result<()> {
    let (vault, now) = (&memory.target().vault, memory.now());
    let last = read_last_runs(vault).remove(CONDENSE);
    if last.is_some_and(|last| last <= now && last.days_until(now) < 1.0) {
        return Ok(());
    }
    condense(memory)?;
    keep(vault, CONDENSE, now)
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
        assert!(read_last_runs(&vault).is_empty());
        keep(&vault, "reflect", Instant::from_unix(60)).unwrap();
        keep(&vault, "decay", Instant::from_unix(120)).unwrap();
        let both = [("decay", 120), ("reflect", 60)];
        let both = both.map(|(name, at)| (name.to_owned(), Instant::from_unix(at)));
        assert_eq!(read_last_runs(&vault), BTreeMap::from(both));
        vault.write_private(FILE, "{").unwrap();
        assert!(read_last_runs(&vault).is_empty());
        keep(&vault, "decay", Instant::from_unix(180)).unwrap();
        assert_eq!(read_last_runs(&vault).len(), 1);
    }
}
