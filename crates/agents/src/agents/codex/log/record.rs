//! Converts Codex's records into events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::person_command::person_command;
use super::tool_output;
use super::wire::{CodexEnvelope, CodexPayload};
use crate::ingest::emitter::Emitter;
use crate::ingest::lenient::MessageContent;
use crate::ingest::line_reader::LineFormat;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::LogSource;
use cm_note::instant::Instant;
use cm_session::event::EventKind;

/// Parser state between lines.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CodexState {
    #[serde(rename = "met")]
    seen_meta: bool,
    prompt: DuplicateFilter,
    #[serde(rename = "said")]
    turns: DuplicateFilter,
}

/// Recognizes a text that Codex writes as two different records, in either order. Only the hash of
/// the last text is serialized, because a cursor must not contain session text.
#[derive(Debug, Default, Serialize, Deserialize)]
struct DuplicateFilter {
    hash: String,
    #[serde(skip)]
    text: String,
    #[serde(rename = "told_by_item")]
    from_item: bool,
}

impl DuplicateFilter {
    /// Returns whether a record of the other kind has already emitted this text. `by_item` is
    /// whether the current record is an item for the model.
    fn is_duplicate(&mut self, text: &str, by_item: bool) -> bool {
        let text = text.trim();
        if text.is_empty() {
            return false;
        }
        let hash = blake3::hash(text.as_bytes()).to_hex()[..16].to_owned();
        if !self.hash.is_empty() && self.from_item != by_item {
            let (item, message) =
                if by_item { (text, self.text.as_str()) } else { (self.text.as_str(), text) };
            // A record for the model may say more than one for the eye.
            if self.hash == hash || (!message.is_empty() && item.contains(message)) {
                *self = Self::default();
                return true;
            }
        }
        *self = Self { hash, text: text.to_owned(), from_item: by_item };
        false
    }
}

impl LineFormat for CodexState {
    fn begin(source: &LogSource, out: &mut Emitter<'_>) {
        out.begin(source.initial_meta());
    }

    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
        let envelope: CodexEnvelope<'_> = serde_json::from_slice(line)?;
        let at = envelope.timestamp.0;
        let Some(payload) = &envelope.payload.0 else {
            // The first generation of lines had no envelope.
            let item: CodexPayload<'_> = serde_json::from_slice(line)?;
            self.item(at, &item, out);
            return Ok(());
        };
        match envelope.kind.or_empty() {
            "session_meta" if self.seen_meta => out.skip("session_meta", SkipReason::Duplicate),
            "session_meta" => {
                self.seen_meta = true;
                out.extend_time_range(at);
                about(payload, out);
                out.skip("session_meta", SkipReason::Metadata);
            }
            "turn_context" => {
                out.workspace(payload.cwd.or_empty());
                out.model(at, None, payload.model.or_empty());
                out.skip("turn_context", SkipReason::Metadata);
            }
            "response_item" => self.item(at, payload, out),
            "event_msg" => self.message(at, payload, out),
            "compacted" => {
                out.emit(
                    at,
                    None,
                    false,
                    EventKind::Compaction { trigger: None, summary: payload.message.owned() },
                );
            }
            "world_state" | "token_usage_record" | "inter_agent_communication" | "ghost_snapshot" => {
                out.skip(envelope.kind.or_empty(), SkipReason::Bookkeeping);
            }
            other => out.count_unknown(other),
        }
        Ok(())
    }
}

/// Applies session metadata.
pub fn about(payload: &CodexPayload<'_>, out: &mut Emitter<'_>) {
    out.identify(payload.id.non_blank().or(payload.session_id.non_blank()).unwrap_or_default());
    out.workspace(payload.cwd.or_empty());
    if let Some(branch) = payload.git.0.as_ref().and_then(|git| git.branch.non_blank()) {
        out.branch(branch);
    }
    out.instructions(payload.instructions.or_empty());
    out.instructions(&payload.base_instructions.joined(|block| block.text.0.as_deref()));
    let parent = payload.parent_thread_id.non_blank().or(payload.forked_from_id.non_blank());
    let by_agent = payload.source.get().is_some_and(|source| source.get().contains("subagent"));
    let by_program =
        payload.source.get().is_some_and(|source| matches!(source.get(), "\"exec\"" | "\"mcp\""))
            || payload.originator.non_blank() == Some("codex_exec");
    if let Some(meta) = out.meta() {
        meta.headless |= by_program;
        meta.subagent |= by_agent || payload.parent_thread_id.non_blank().is_some();
        if let (Some(parent), None) = (parent, &meta.parent) {
            meta.parent = Some(parent.into());
        }
    }
}

impl CodexState {
    /// Emits the events of an item of the model's input or output.
    pub fn item(&mut self, at: Option<Instant>, item: &CodexPayload<'_>, out: &mut Emitter<'_>) {
        let call = || item.call_id.non_blank().or(item.id.non_blank()).map(Into::into);
        let tool =
            |name: &str, input: Value| EventKind::ToolCall { id: call(), name: name.to_owned(), input };
        let name = item.name.or_empty();
        let kind = match item.kind.or_empty() {
            "message" => return self.message_item(at, item, out),
            "" if item.role.non_blank().is_some() => return self.message_item(at, item, out),
            "" if item.id.non_blank().is_some() && !self.seen_meta => {
                self.seen_meta = true;
                out.extend_time_range(at);
                about(item, out);
                return out.skip("session_meta", SkipReason::Metadata);
            }
            "" if item.record_type.non_blank().is_some() => {
                return out.skip("state", SkipReason::Bookkeeping);
            }
            "reasoning" => {
                let text = item.summary.joined(|block| block.text.0.as_deref());
                EventKind::Thinking { text }
            }
            "function_call" => tool(name, parse_arguments(item.arguments.text())),
            "custom_tool_call" => tool(name, item.input.value()),
            "local_shell_call" => tool("local_shell", item.action.value()),
            "web_search_call" => tool("web_search", item.action.value()),
            "tool_search_call" => tool("tool_search", parse_arguments(item.arguments.text())),
            "image_generation_call" => tool("image_generation", Value::Null),
            "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "tool_search_call_output"
            | "tool_search_output" => tool_output::result(call(), item.output),
            kind @ ("compaction" | "context_compaction" | "compaction_summary" | "ghost_snapshot") => {
                return out.skip(kind, SkipReason::Duplicate);
            }
            other => return out.count_unknown(&format!("response_item/{other}")),
        };
        out.emit(at, item.id.non_blank(), false, kind);
    }

    fn message_item(&mut self, at: Option<Instant>, item: &CodexPayload<'_>, out: &mut Emitter<'_>) {
        let text = match &item.content {
            MessageContent::Nothing => return out.skip("message", SkipReason::Empty),
            content => content.joined(|block| block.text.0.as_deref()),
        };
        let record = item.id.non_blank();
        match item.role.or_empty() {
            "user" => {
                let text = request_in(&text);
                if self.prompt.is_duplicate(text, true) {
                    return out.skip("message/user", SkipReason::Duplicate);
                }
                match person_command(text) {
                    Some(command) => out.emit(at, record, false, command),
                    None => out.emit_prompt(at, record, text),
                }
            }
            "assistant" => {
                if self.turns.is_duplicate(&text, true) {
                    return out.skip("message/assistant", SkipReason::Duplicate);
                }
                out.emit(at, record, false, EventKind::AssistantText { text });
            }
            "developer" | "system" => out.emit(at, record, false, EventKind::Injected { text }),
            other => out.count_unknown(&format!("message/{other}")),
        }
    }

    /// Emits the events of a message for the user interface.
    fn message(&mut self, at: Option<Instant>, payload: &CodexPayload<'_>, out: &mut Emitter<'_>) {
        let text = payload.message.or_empty();
        let kind = payload.kind.or_empty();
        match kind {
            "user_message" => {
                let text = request_in(text);
                if self.prompt.is_duplicate(text, false) {
                    return out.skip(kind, SkipReason::Duplicate);
                }
                out.emit_prompt(at, None, text);
            }
            "agent_message" => {
                if self.turns.is_duplicate(text, false) {
                    return out.skip(kind, SkipReason::Duplicate);
                }
                out.emit(at, None, false, EventKind::AssistantText { text: text.to_owned() });
            }
            "turn_aborted" => match payload.reason.or_empty() {
                "interrupted" => out.emit(at, None, false, EventKind::Interrupt),
                reason => {
                    out.emit(at, None, false, EventKind::System { text: format!("turn aborted: {reason}") })
                }
            },
            // The turns were said all the same, and the agent acted on them.
            "thread_rolled_back" => {
                let turns = payload.num_turns.whole().unwrap_or(1);
                out.emit(at, None, false, EventKind::System { text: format!("{turns} turns rolled back") });
            }
            "error" | "stream_error" | "warning" => {
                out.emit(at, None, false, EventKind::Error { text: text.to_owned() })
            }
            "agent_reasoning"
            | "agent_reasoning_raw_content"
            | "agent_reasoning_section_break"
            | "context_compacted"
            | "exec_command_end"
            | "exec_command_begin"
            | "patch_apply_end"
            | "patch_apply_begin"
            | "mcp_tool_call_end"
            | "mcp_tool_call_begin"
            | "web_search_end"
            | "web_search_begin"
            | "view_image_tool_call"
            | "image_generation_end"
            | "dynamic_tool_call_end" => out.skip(kind, SkipReason::Duplicate),
            "token_count"
            | "task_started"
            | "task_complete"
            | "turn_started"
            | "turn_complete"
            | "entered_review_mode"
            | "exited_review_mode"
            | "session_configured"
            | "thread_name_updated"
            | "plan_update"
            | "turn_diff"
            | "background_event"
            | "thread_settings_applied"
            | "item_completed"
            | "item_started" => out.skip(kind, SkipReason::Bookkeeping),
            other => out.count_unknown(&format!("event_msg/{other}")),
        }
    }
}

/// Returns the user's own text in a prompt to which an editor added context.
fn request_in(text: &str) -> &str {
    const HEAD: &str = "# Context from my IDE setup:";
    const REQUEST: &str = "## My request for Codex:";
    match text.trim_start().starts_with(HEAD).then(|| text.split_once(REQUEST)).flatten() {
        Some((_, request)) => request.trim(),
        None => text,
    }
}

/// Parses arguments that are JSON inside a string.
fn parse_arguments(arguments: String) -> Value {
    serde_json::from_str(&arguments).unwrap_or(Value::String(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_in_two_records_is_emitted_once_and_a_repeated_turn_again() {
        for first in [true, false] {
            let mut twin = DuplicateFilter::default();
            assert!(!twin.is_duplicate("continue", first));
            assert!(twin.is_duplicate("continue", !first));
            assert!(!twin.is_duplicate("continue", first));
            assert!(!twin.is_duplicate("continue", first));
        }
    }

    #[test]
    fn what_an_editor_adds_is_not_the_persons() {
        assert_eq!(
            request_in("# Context from my IDE setup:\n\n## Open\n\n## My request for Codex:\nFix it\n"),
            "Fix it"
        );
        assert_eq!(request_in("Fix it"), "Fix it");
    }
}
