//! A session with all that happened in it, as its log tells it now.
//!
//! The index knows which session is meant and where its log lies; what happened is read from the log, and its secrets are
//! taken out.

use super::Shelf;
use super::allowed::Allowed;
use super::sources::{path_of, sources};
use crate::ops::error::{Error, Kind, Result};
use crate::ops::logs::{Told, of_source};
use crate::ops::memory::Memory;
use crate::ops::secrets;

/// The session of that id, or the one whose id begins so, without secrets.
///
/// # Errors
/// No such session, or several; a log that is gone, cannot be read, or does not tell the session any more.
pub fn whole(memory: &Memory, shelf: &Shelf, name: &str) -> Result<Told> {
    let listed = shelf.one(name)?;
    let (meta, log) = (&listed.session.meta, listed.session.log.clone().unwrap_or_default());
    let gone = |why: String| {
        Error::new(Kind::NotFound, "no-log", why)
            .hint("what was said in it is still shown by `cm sessions show`, as far as it was read")
    };
    let open = memory.target();
    let (rules, _) = secrets::rules_of_logs(memory, open)?;
    let allowed = Allowed::of(memory, open);
    let sources = sources(memory, meta.workspace.as_deref());
    let source = sources.iter().find(|source| source.agent == meta.agent && path_of(source) == log);
    let Some(source) = source else {
        return Err(gone(format!("the log of session {} is gone: {log}", meta.id)));
    };
    let told = of_source(source)?.into_iter().find(|told| told.meta.id == meta.id);
    told.filter(|told| allowed.allows(&told.meta))
        .map(|told| told.redacted(&rules))
        .ok_or_else(|| gone(format!("{log} does not tell session {} any more", meta.id)))
}
