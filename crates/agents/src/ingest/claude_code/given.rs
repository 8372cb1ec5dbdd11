//! Other input of the agent: queued prompts, hook output, and prompts of subagents.

use super::wire::{Attachment, Record};
use crate::ingest::out::Out;
use crate::ingest::sink::Skip;
use cm_session::event::EventKind;

/// Emits the prompt of a subagent. Its other steps are skipped, because they are in the subagent's
/// own log.
pub fn progress(record: &Record<'_>, out: &mut Out<'_>) {
    let data = record.data.0.as_ref();
    let step = data.and_then(|data| data.message.0.as_ref());
    let asked = step.filter(|step| step.kind.said() == Some("user")).and_then(|step| step.message.0.as_ref());
    let text = asked.map(|asked| asked.content.joined(|block| block.text.0.as_deref())).unwrap_or_default();
    if text.trim().is_empty() {
        let kind = data.map_or("progress", |data| data.kind.or_empty());
        return out.skip(kind, if step.is_some() { Skip::Duplicate } else { Skip::Bookkeeping });
    }
    out.tell(record.timestamp.0, record.uuid.said(), true, EventKind::Injected { text });
}

/// Emits an attachment: a queued prompt, or context that a hook or the program added.
pub fn attached(record: &Record<'_>, attachment: &Attachment<'_>, out: &mut Out<'_>) {
    let (at, id) = (record.timestamp.0, record.uuid.said());
    let kind = attachment.kind.or_empty();
    let text = || {
        let prompt = attachment.prompt.joined(|block| block.text.0.as_deref());
        if prompt.is_empty() { attachment.content.joined(|block| block.text.0.as_deref()) } else { prompt }
    };
    if kind == "queued_command" {
        let origin = attachment.origin.0.as_ref().and_then(|origin| origin.kind.said());
        let by_person = attachment.command_mode.said() == Some("prompt")
            && origin.is_none_or(|origin| origin == "human")
            && !attachment.is_meta.is_set()
            && !record.is_meta.is_set();
        return match by_person {
            true => out.person(at, id, &text()),
            false => out.tell(at, id, false, EventKind::Injected { text: text() }),
        };
    }
    let text = text();
    match kind {
        "" => out.unknown("attachment"),
        _ if text.trim().is_empty() => out.skip(kind, Skip::Bookkeeping),
        _ => out.tell(at, id, false, EventKind::Injected { text }),
    }
}
