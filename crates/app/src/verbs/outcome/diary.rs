//! Stores an outcome in the diary note of the session, or in a new minimal diary. Other lines of
//! the note are preserved; notes outlive indexes and logs.

use super::Options;
use super::resolve::OutcomeSession;
use crate::context::find::load;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::sessions::diaries::DiaryIndex;
use crate::verbs::note_fields::sharded;
use cm_learn::diary::note::{frontmatter_status, note, outcome};
use cm_learn::diary::{Diary, DiaryOrigin, RecordedOutcome, id};
use cm_learn::outcome::OutcomeVerdict;
use cm_note::change::VaultFileChange;
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::note::name::file_name;
use cm_note::path::NotePath;
use cm_session::status::SessionStatus;

/// How the diary changes when the outcome is recorded: its path, whether it is created, and the
/// former outcome.
#[derive(Debug)]
pub(super) struct PlannedDiary {
    pub before: Option<SessionStatus>,
    pub path: String,
    pub created: bool,
    pub changes: bool,
}

/// Determines how the diary will change, without writing it.
pub(super) fn plan(context: &Context, session: &OutcomeSession, options: &Options) -> Result<PlannedDiary> {
    let changes = changes(context, context.target(), session, options)?;
    let diaries = DiaryIndex::of(context, &[&session.id])?;
    let agent = Some(session.agent.as_str()).filter(|agent| !agent.is_empty());
    let stored = diaries.get(agent, &session.id);
    let before =
        stored.map(|stored| stored.diary.verdict.status).filter(|status| *status != SessionStatus::Unknown);
    let (path, created) = match changes.first() {
        Some(VaultFileChange::Create { path, .. }) => (path.to_string(), true),
        Some(change) => (change.path().to_string(), false),
        None => (stored.map(|stored| stored.path.to_string()).unwrap_or_default(), false),
    };
    Ok(PlannedDiary { before, path, created, changes: !changes.is_empty() })
}

/// Returns the changes that record the outcome; empty if the diary already contains it.
pub(super) fn changes(
    context: &Context,
    open: &OpenVault,
    session: &OutcomeSession,
    options: &Options,
) -> Result<Vec<VaultFileChange>> {
    let caller = &context.request.caller;
    let recorded = RecordedOutcome {
        status: options.status,
        at: Some(context.now()),
        author: caller.actor.clone(),
        agent: caller.agent.clone(),
        reason: caller
            .reason
            .as_deref()
            .map(str::trim)
            .filter(|reason| !reason.is_empty())
            .map(str::to_owned),
    };
    let diaries = DiaryIndex::of(context, &[&session.id])?;
    let agent = Some(session.agent.as_str()).filter(|agent| !agent.is_empty());
    let Some(stored) = diaries.of_level(open.level, agent, &session.id) else {
        return Ok(vec![created(open, session, recorded)?]);
    };
    let is_recorded = stored.diary.recorded_outcome.as_ref().is_some_and(|judged| {
        judged.status == recorded.status && (recorded.reason.is_none() || judged.reason == recorded.reason)
    });
    if is_recorded {
        return Ok(Vec::new());
    }
    let text = load(open, &stored.path)?.text();
    let mut edits: Vec<Edit> = frontmatter_status(recorded.status)
        .map(|status| Edit::set_text("status", status))
        .into_iter()
        .collect();
    edits.push(Edit::Set { key: "outcome".to_owned(), value: outcome(&recorded) });
    edits.extend(with_outcome(Split::of(&text).body(), recorded.status).map(|text| Edit::SetBody { text }));
    Ok(vec![VaultFileChange::edit(stored.path.clone(), edits)])
}

/// Returns the body with an updated line `Outcome: …`; `None` if the line is missing or up to date.
fn with_outcome(body: &str, status: SessionStatus) -> Option<String> {
    const LINE: &str = "Outcome: ";
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.starts_with("## ") {
            return None;
        }
        if let Some(written) = line.strip_prefix(LINE) {
            let written = written.trim_end_matches(['\n', '\r']);
            let (from, to) = (at + LINE.len(), at + LINE.len() + written.len());
            return (written != status.name())
                .then(|| format!("{}{}{}", &body[..from], status.name(), &body[to..]));
        }
        at += line.len();
    }
    None
}

/// A new diary that contains only the outcome.
fn created(open: &OpenVault, session: &OutcomeSession, recorded: RecordedOutcome) -> Result<VaultFileChange> {
    let log = session.log.as_ref().map(|session| &session.meta);
    let title = log.and_then(|log| log.title.clone());
    let title = title.unwrap_or_else(|| format!("Session {}", session.short()));
    let times = log.and_then(|log| log.started.zip(log.ended));
    let duration = times.and_then(|(start, end)| u64::try_from(end.unix().saturating_sub(start.unix())).ok());
    let diary = Diary {
        // The same on every machine, wherever the log lies.
        id: id(&session.agent, session.id.as_bytes()),
        session: session.id.clone(),
        agent: session.agent.clone(),
        workspace: log.and_then(|log| log.workspace.clone()),
        started: log.and_then(|log| log.started),
        duration_s: duration,
        title,
        verdict: OutcomeVerdict { status: recorded.status, signs: Vec::new() },
        recorded_outcome: Some(recorded),
        origin: DiaryOrigin::OutcomeOnly,
        ..Diary::default()
    };
    let id = NoteId::parse(&diary.id)?;
    let path: NotePath = sharded(open, "diary", &file_name(&diary.title, &id), &id)?;
    Ok(VaultFileChange::Create { path, text: note(&diary) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_after_outcome_changes_in_a_body() {
        let body = "\r\n# T\r\n\r\nOutcome: success\r\n- for: x\r\n\r\n## Decisions\r\n\r\nOutcome: y\r\n";
        let expected = body.replacen("success", "failure", 1);
        assert_eq!(with_outcome(body, SessionStatus::Failure), Some(expected));
        assert_eq!(with_outcome(body, SessionStatus::Success), None);
        assert_eq!(with_outcome("# T\n\n## A\nOutcome: success\n", SessionStatus::Failure), None);
    }
}
