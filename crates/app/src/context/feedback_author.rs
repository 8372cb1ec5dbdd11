//! Name of the person who gives feedback outside of sessions.
//!
//! Two people can give the same feedback in two clones in the same second. Without their names, a merge
//! would take it for one event that both clones have.

use crate::context::open::Context;

/// Returns the name that the caller gave, else Git's name of the person in a vault with a remote. `None`
/// in a session, which is a voice of its own, for an agent or a job, and in a vault without a remote.
pub(crate) fn feedback_author(context: &Context, session: Option<&str>) -> Option<String> {
    let caller = &context.request.caller;
    if caller.actor.is_some() || session.is_some() || !caller.is_person() {
        return caller.actor.clone();
    }
    let repo = context.target().repo().ok().flatten().filter(|repo| repo.has_remote())?;
    let identity = repo.identity().ok().filter(|identity| !identity.fallback)?;
    Some(identity.name)
}
