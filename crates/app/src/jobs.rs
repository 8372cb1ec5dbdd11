//! What a server does by itself, day by day and week by week: it learns from sessions, and lets what faded go from CORE.md.
//! When each was last done is kept among the user's private files.

use std::collections::BTreeMap;

use super::decay::{self, decay};
use super::error::{Error, Kind, Result};
use super::generate;
use super::memory::Memory;
use super::reflect::{self, Reflected};
use super::sessions::Shelf;
use super::stop::Stop;
use cm_note::instant::Instant;
use cm_store::vault::{Vault, layout};

/// Where it is kept when jobs were done, among the user's private files.
const FILE: &str = "jobs.json";

/// When a job was last done. One that nobody knows of counts as done now, so that it is missed, and made up for, by a server that
/// never runs at its time.
///
/// # Errors
/// What the system says.
pub fn last(memory: &Memory, job: &str) -> Result<Instant> {
    let vault = &memory.target().vault;
    match kept(vault).remove(job) {
        Some(last) => Ok(last),
        None => keep(vault, job, memory.now()).map(|()| memory.now()),
    }
}

/// By name; a file that is not understood is as none.
fn kept(vault: &Vault) -> BTreeMap<String, Instant> {
    let text = vault.read_private(FILE).ok().flatten().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Keeps that a job was done.
///
/// # Errors
/// What the system says.
pub fn done(memory: &Memory, job: &str, now: Instant) -> Result<()> {
    keep(&memory.target().vault, job, now)
}

fn keep(vault: &Vault, job: &str, now: Instant) -> Result<()> {
    let mut jobs = kept(vault);
    jobs.insert(job.to_owned(), now);
    let text = serde_json::to_string(&jobs)
        .map_err(|error| Error::new(Kind::Failed, "internal", error.to_string()))?;
    Ok(vault.write_private(FILE, &format!("{text}\n"))?)
}

/// Learns from the sessions that nobody has learned from yet, as `cm reflect` does; says how it ended.
///
/// # Errors
/// What ended it before its end, and a run in which something failed.
pub fn reflect(memory: &Memory, stop: &Stop) -> Result<String> {
    let shelf = Shelf::open(memory, &mut |_| {})?;
    let Reflected { run, kind, .. } =
        reflect::reflect(memory, &shelf, &reflect::Options::default(), stop, &|_| {})?;
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
        None | Some(Kind::NothingDone) => Ok(counts),
        Some(kind) => Err(Error::new(kind, "reflect", counts).hint("`cm reflect` says why")),
    }
}

/// Scores how memories fade, as `cm decay` does, and where there is a CORE.md, writes it anew, so that what faded is not told
/// any more; says how many have which status.
///
/// # Errors
/// Those of the two.
pub fn fade(memory: &Memory) -> Result<String> {
    let counts = decay(memory, &decay::Options::default())?.counts;
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let mut said = if counts.is_empty() { "no memories".to_owned() } else { counts.join(", ") };
    if memory.target().vault.stamp_own(layout::CORE)?.is_some() && generate::core(memory, false)?.changed {
        said.push_str("; CORE.md was written anew");
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_job_was_done_is_known_to_the_next_server_and_damage_is_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let home =
            cm_store::vault::PrivateHome { state: folder.path().join("s"), config: folder.path().join("c") };
        let vault = Vault::at(folder.path()).unwrap().ready(Some(&home));
        assert!(kept(&vault).is_empty());
        keep(&vault, "reflect", Instant::from_unix(60)).unwrap();
        keep(&vault, "decay", Instant::from_unix(120)).unwrap();
        let both = [("decay", 120), ("reflect", 60)];
        let both = both.map(|(name, at)| (name.to_owned(), Instant::from_unix(at)));
        assert_eq!(kept(&vault), BTreeMap::from(both));
        vault.write_private(FILE, "{").unwrap();
        assert!(kept(&vault).is_empty());
        keep(&vault, "decay", Instant::from_unix(180)).unwrap();
        assert_eq!(kept(&vault).len(), 1);
    }
}
