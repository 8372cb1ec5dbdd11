//! Scheduled jobs of the server: learning from sessions, condensing observations, updating CORE.md
//! after decay, and synchronizing with a remote.

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::SessionAccess;
use crate::verbs::condense;
use crate::verbs::decay::{self, decay};
use crate::verbs::generate;
use crate::verbs::reflect::{self, ReflectResult};
use crate::verbs::sync;
use cm_store::vault::layout;
use cm_text::plural::count;

pub use crate::context::last_run::{done, last};
pub use crate::verbs::condense::JOB as CONDENSE;
pub use crate::verbs::sync::JOB as SYNC;

/// Learns from new sessions, as `cm reflect` does, and returns a summary.
///
/// # Errors
/// An error that ends the run early, or a run with failures.
pub fn reflect(context: &Context, stop: &Cancellation) -> Result<String> {
    let access = SessionAccess::open(context, &mut |_| {})?;
    let ReflectResult { run, kind, .. } =
        reflect::reflect(context, &access, &reflect::Options::default(), stop, &|_, _| {})?;
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
pub fn fade(context: &Context) -> Result<String> {
    let counts = decay(context, &decay::Options::default())?.counts;
    let counts: Vec<String> =
        counts.iter().map(|(status, count)| format!("{count} {}", status.name())).collect();
    let mut summary = if counts.is_empty() { "no memories".to_owned() } else { counts.join(", ") };
    if context.target().vault.stamp_own(layout::CORE)?.is_some() && generate::core(context, false)?.changed {
        summary.push_str("; CORE.md was rewritten");
    }
    Ok(summary)
}

/// Synchronizes the target vault with its remote, as `cm sync` does. Returns a summary, empty if
/// nothing changed.
///
/// # Errors
/// The errors of [`sync::sync`].
pub fn synchronize(context: &Context) -> Result<String> {
    let done = sync::sync(context, &sync::Options::default())?;
    if !done.changed {
        return Ok(String::new());
    }
    let both = done.changed_on_both_sides();
    Ok(format!(
        "received {}, sent {}; {} changed here, {both} of them on both sides",
        count(done.received, "commit"),
        done.sent,
        count(done.files.len(), "file")
    ))
}

/// Condenses the observations of the target vault, unless `curation.condense` is off. Returns a
/// summary.
///
/// # Errors
/// The errors of [`condense::condense`].
pub fn condense(context: &Context) -> Result<String> {
    if !condense::is_wanted(context) {
        return Ok("`curation.condense` is off".to_owned());
    }
    let done = condense::condense(context)?;
    Ok(format!("{} observations condensed into {}", done.condensed(), done.memories.len()))
}
