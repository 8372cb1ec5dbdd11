//! Loads a session with all its events from its log.
//!
//! The index provides the session and the path of its log; the events are read from the log and
//! redacted.

use super::sources::{path_of, sources};
use super::{SessionAccess, access_log};
use crate::context::open::Context;
use crate::context::secrets;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::logs::{ParsedSession, of_source};
use cm_session::SessionMeta;

/// Error code if a log was deleted or no longer contains the requested session.
pub const GONE: &str = "log-gone";

/// Loads a session by its id or a unique prefix of it, redacted.
///
/// # Errors
/// Returns an error if the id matches no session or several, or if the log cannot be read.
pub fn load(context: &Context, access: &SessionAccess, name: &str) -> Result<ParsedSession> {
    let session = access.find(name)?.session;
    load_from_log(context, &session.meta, session.log.as_deref().unwrap_or_default())
}

/// Loads a session from this log, redacted, and logs the access.
///
/// # Errors
/// Returns [`GONE`] if the log was deleted or no longer contains the session, and another error if
/// it cannot be read.
pub fn load_from_log(context: &Context, meta: &SessionMeta, log: &str) -> Result<ParsedSession> {
    let no_log = |why: String| {
        Error::new(ErrorKind::NotFound, GONE, why).hint("`cm sessions show` still shows what was indexed")
    };
    let open = context.target();
    let (rules, _) = secrets::rules_of_logs(context, open)?;
    let sources = sources(context, meta.workspace.as_deref());
    let found = sources.as_ref().map(|sources| sources.find(&[]).sources).unwrap_or_default();
    let source = found.iter().find(|source| source.agent == meta.agent && path_of(source) == log);
    let Some((sources, source)) = sources.as_ref().zip(source) else {
        return Err(no_log(format!("the log of session {} no longer exists: {log}", meta.id)));
    };
    let session = of_source(source)?.into_iter().find(|session| session.meta.id == meta.id);
    let Some(session) = session.filter(|session| sources.allow(source, &session.meta)) else {
        return Err(no_log(format!("{log} no longer contains session {}", meta.id)));
    };
    access_log::record(
        context,
        vec![access_log::SessionRead {
            sessions: vec![meta.id.clone()],
            bytes: session.bytes(),
            ..access_log::SessionRead::of_log(meta.agent, log.to_owned())
        }],
    );
    Ok(session.redacted(&rules))
}
