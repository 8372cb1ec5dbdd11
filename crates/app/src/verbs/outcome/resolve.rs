//! Resolves the session of an outcome: an indexed session, a session with a diary, or an unknown
//! session of an agent.

use super::Options;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::sessions::diaries::DiaryIndex;
use crate::sessions::{SessionAccess, sources};
use cm_index::sessions::Session;
use cm_session::short_id;

/// Maximum length of the ID of a session that is not indexed, in characters.
const MAX_ID_CHARS: usize = 200;

/// The session whose outcome is recorded.
#[derive(Debug, Clone)]
pub(super) struct OutcomeSession {
    pub id: String,
    pub agent: String,
    /// Metadata of the indexed session; `None` if its log was not read.
    pub log: Option<Session>,
}

impl OutcomeSession {
    /// The first eight characters of the ID.
    pub fn short(&self) -> String {
        short_id(&self.id).to_owned()
    }
}

/// Resolves the session. An unknown session is only accepted from an agent and only with rules to
/// credit, because its log may not be written yet or may not be readable. The holder of a token
/// resolves no session of other people.
pub(super) fn resolve_session(
    context: &Context,
    access: &SessionAccess,
    options: &Options,
) -> Result<OutcomeSession> {
    let name = options.session.trim();
    let unknown = match access.find(name) {
        Ok(listed) => {
            let session = listed.session;
            return Ok(OutcomeSession {
                id: session.meta.id.to_string(),
                agent: session.meta.agent.name().to_owned(),
                log: Some(session),
            });
        }
        Err(error) if error.is_not_found() => error,
        Err(error) => return Err(error),
    };
    let diaries = diaries_of(context, name)?;
    if sources::is_of_another_sender(context, name)
        || diaries.sessions().iter().any(|id| is_of_others(context, &diaries, id))
    {
        return Err(unknown);
    }
    if let Some(session) = of_diary(&diaries, name)? {
        return Ok(session);
    }
    let caller = &context.request.caller;
    let sound = name.chars().count() <= MAX_ID_CHARS && !name.chars().any(char::is_control);
    match caller.agent.as_deref().filter(|_| sound && !options.rules.is_empty()) {
        Some(agent) => Ok(OutcomeSession { id: name.to_owned(), agent: agent.to_owned(), log: None }),
        None => Err(unknown.hint(
            "`cm sessions --days 0` lists the indexed sessions; an agent can report another one for the rules it lists with `--agent NAME` and `--rules ID,…`",
        )),
    }
}

/// Loads the diaries of the session with this ID, or of those whose ID starts with it.
fn diaries_of(context: &Context, name: &str) -> Result<DiaryIndex> {
    let diaries = DiaryIndex::of(context, &[name])?;
    if diaries.sessions().is_empty() { DiaryIndex::beginning(context, name) } else { Ok(diaries) }
}

/// Whether the caller has a token and the diary of a session does not come from an outcome that the
/// token's owner reported: then the session is that of another person.
fn is_of_others(context: &Context, diaries: &DiaryIndex, session: &str) -> bool {
    let caller = &context.request.caller;
    let reported = diaries.get(None, session).and_then(|stored| stored.diary.recorded_outcome.as_ref());
    caller.has_token && reported.is_none_or(|outcome| outcome.author != caller.actor)
}

fn of_diary(diaries: &DiaryIndex, name: &str) -> Result<Option<OutcomeSession>> {
    match diaries.sessions().as_slice() {
        [] => Ok(None),
        [id] => {
            let agent = diaries.get(None, id).map(|stored| stored.diary.agent.clone()).unwrap_or_default();
            Ok(Some(OutcomeSession { id: (*id).to_owned(), agent, log: None }))
        }
        several => Err(Error::ambiguous(format!("`{name}` matches several sessions"))
            .hint(format!("use one of {}", several.join(", ")))),
    }
}
