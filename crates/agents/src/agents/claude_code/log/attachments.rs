//! Other input of the agent: queued prompts, hook output, and prompts of subagents.

use super::wire::{Attachment, ClaudeRecord};
use crate::ingest::emitter::Emitter;
use crate::ingest::sink::SkipReason;
use cm_session::event::EventKind;

/// Emits the prompt of a subagent. Its other steps are skipped, because they are in the subagent's
/// own log.
pub fn progress(record: &ClaudeRecord<'_>, out: &mut Emitter<'_>) {
    let data = record.data.0.as_ref();
    let step = data.and_then(|data| data.message.0.as_ref());
    let queued =
        step.filter(|step| step.kind.non_blank() == Some("user")).and_then(|step| step.message.0.as_ref());
    let text =
        queued.map(|queued| queued.content.joined(|block| block.text.0.as_deref())).unwrap_or_default();
    if text.trim().is_empty() {
        let kind = data.map_or("progress", |data| data.kind.or_empty());
        return out.skip(kind, if step.is_some() { SkipReason::Duplicate } else { SkipReason::Bookkeeping });
    }
    out.emit(record.timestamp.0, record.uuid.non_blank(), true, EventKind::Injected { text });
}

/// Emits an attachment: a queued prompt, or context that a hook or the program added.
pub fn attached(record: &ClaudeRecord<'_>, attachment: &Attachment<'_>, out: &mut Emitter<'_>) {
    let (at, id) = (record.timestamp.0, record.uuid.non_blank());
    let kind = attachment.kind.or_empty();
    let text = || {
        let prompt = attachment.prompt.joined(|block| block.text.0.as_deref());
        if prompt.is_empty() { attachment.content.joined(|block| block.text.0.as_deref()) } else { prompt }
    };
    if kind == "queued_command" {
        let origin = attachment.origin.0.as_ref().and_then(|origin| origin.kind.non_blank());
        let by_person = attachment.command_mode.non_blank() == Some("prompt")
            && origin.is_none_or(|origin| origin == "human")
            && !attachment.is_meta.is_set()
            && !record.is_meta.is_set();
        return match by_person {
            true => out.emit_prompt(at, id, &text()),
            false => out.emit(at, id, false, EventKind::Injected { text: text() }),
        };
    }
    let text = text();
    match kind {
        "" => out.count_unknown("attachment"),
        _ if text.trim().is_empty() => out.skip(kind, SkipReason::Bookkeeping),
        _ => out.emit(at, id, false, EventKind::Injected { text }),
    }
}
