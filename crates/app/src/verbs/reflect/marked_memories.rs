//! Records the feedback that a session's markers give on memories. Rules get theirs by curation.

use super::queue::QueuedSession;
use super::session_processor::SessionProcessor;
use crate::context::actor::CallerIdentity;
use crate::context::find::find;
use crate::error::Result;
use crate::sessions::logs;
use crate::verbs::diary::session::SessionTranscript;
use crate::verbs::mark;
use cm_learn::outcome::feedback::{RuleFeedback, RuleRef, marked_notes};
use cm_note::note::{Note, NoteKind};

impl SessionProcessor<'_> {
    /// Records the session's feedback on memories. What cannot be recorded, and the markers that name no note, are
    /// listed in notices: the session's other changes are committed.
    pub(super) fn mark_memories(
        &self,
        transcript: &SessionTranscript,
        rules: &[RuleRef<'_>],
        todo: &QueuedSession,
        notices: &mut Vec<String>,
    ) {
        let is_rule = |id: &str| rules.iter().any(|rule| rule.id.eq_ignore_ascii_case(id));
        let mut unknown: Vec<String> = Vec::new();
        for marked in marked_notes(&transcript.events, &transcript.steps) {
            if is_rule(&marked.id) {
                continue;
            }
            match find(self.context, &marked.id) {
                Ok(found) if found.note.kind == NoteKind::Memory => {
                    let (id, is_new) = (found.note.key().to_owned(), is_new(&found.note, &marked, todo));
                    if is_new && !self.run_options.dry_run {
                        let failed = self.mark_memory(&id, &marked, transcript).err();
                        notices
                            .extend(failed.map(|error| {
                                format!("feedback on {id} was not recorded: {}", error.message)
                            }));
                    }
                }
                // A rule that is out of use gets no feedback.
                Ok(_) => {}
                Err(_) if unknown.contains(&marked.id) => {}
                Err(_) => unknown.push(marked.id),
            }
        }
        if !unknown.is_empty() {
            let ids = logs::text(&unknown.join(", "), &self.reader.rules);
            notices.push(format!("markers of notes that do not exist were dropped: {ids}"));
        }
    }

    fn mark_memory(&self, id: &str, marked: &RuleFeedback, transcript: &SessionTranscript) -> Result<()> {
        let meta = &transcript.meta;
        let caller = CallerIdentity {
            agent: Some(meta.agent.name().to_owned()),
            session: Some(meta.id.to_string()),
            ..self.context.request.caller.clone()
        };
        let because = marked.reason.as_deref().filter(|reason| !reason.trim().is_empty());
        let options = mark::Options {
            signal: marked.signal,
            because: because.map(|reason| logs::text(reason, &self.reader.rules)),
            weight: Some(marked.weight),
            invert: false,
        };
        mark::mark(&self.context.with_actor(caller)?, id, &options).map(drop)
    }
}

/// Whether the memory has no such feedback of the conversation yet.
fn is_new(note: &Note, marked: &RuleFeedback, todo: &QueuedSession) -> bool {
    let is_of_conversation = |session: &str| todo.conversation.iter().any(|(_, id)| id.as_str() == session);
    let mut recorded = note.feedback.iter().filter(|event| event.signal == marked.signal);
    !recorded.any(|event| event.session.as_deref().is_some_and(is_of_conversation))
}
