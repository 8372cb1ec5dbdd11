//! Fields of Claude Code's records that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{LenientBool, LenientObject, LenientText, LenientTime, MessageContent, RawJson};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaudeRecord<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub uuid: LenientText<'a>,
    #[serde(borrow, default)]
    pub session_id: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(borrow, default)]
    pub cwd: LenientText<'a>,
    #[serde(borrow, default)]
    pub git_branch: LenientText<'a>,
    #[serde(borrow, default)]
    pub agent_id: LenientText<'a>,
    #[serde(default)]
    pub is_sidechain: LenientBool,
    #[serde(default)]
    pub is_meta: LenientBool,
    #[serde(default)]
    pub is_compact_summary: LenientBool,
    #[serde(default)]
    pub is_api_error_message: LenientBool,
    #[serde(borrow, default)]
    pub forked_from: LenientObject<Fork<'a>>,
    #[serde(borrow, default)]
    pub origin: LenientObject<ClaudeOrigin<'a>>,
    #[serde(borrow, default)]
    pub prompt_source: LenientText<'a>,
    #[serde(borrow, default)]
    pub tool_denial_kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientObject<ClaudeMessage<'a>>,
    #[serde(borrow, default)]
    pub subtype: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, ClaudeBlock<'a>>,
    #[serde(borrow, default)]
    pub error: RawJson<'a>,
    #[serde(borrow, default)]
    pub compact_metadata: LenientObject<CompactMetadata<'a>>,
    #[serde(borrow, default)]
    pub attachment: LenientObject<Attachment<'a>>,
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
    #[serde(borrow, default)]
    pub data: LenientObject<ClaudeProgress<'a>>,
    #[serde(borrow, default)]
    pub title: LenientText<'a>,
    #[serde(borrow, default)]
    pub ai_title: LenientText<'a>,
    #[serde(borrow, default)]
    pub custom_title: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fork<'a> {
    #[serde(borrow, default)]
    pub session_id: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct ClaudeOrigin<'a> {
    #[serde(borrow, default)]
    pub kind: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct CompactMetadata<'a> {
    #[serde(borrow, default)]
    pub trigger: LenientText<'a>,
}

/// Progress report of a tool or subagent.
#[derive(Deserialize)]
pub struct ClaudeProgress<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientObject<ClaudeStep<'a>>,
}

/// A subagent's record inside a progress report.
#[derive(Deserialize)]
pub struct ClaudeStep<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientObject<ClaudeMessage<'a>>,
}

#[derive(Deserialize)]
pub struct ClaudeMessage<'a> {
    #[serde(borrow, default)]
    pub model: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, ClaudeBlock<'a>>,
}

/// A content block of any kind: text, thinking, tool call or tool result.
#[derive(Deserialize)]
pub struct ClaudeBlock<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub thinking: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub input: RawJson<'a>,
    #[serde(borrow, default)]
    pub tool_use_id: LenientText<'a>,
    #[serde(default)]
    pub is_error: LenientBool,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, ClaudeInnerBlock<'a>>,
}

/// A content block inside a tool result.
#[derive(Deserialize)]
pub struct ClaudeInnerBlock<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub command_mode: LenientText<'a>,
    #[serde(borrow, default)]
    pub prompt: MessageContent<'a, ClaudeBlock<'a>>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, ClaudeBlock<'a>>,
    #[serde(borrow, default)]
    pub origin: LenientObject<ClaudeOrigin<'a>>,
    #[serde(default)]
    pub is_meta: LenientBool,
}
