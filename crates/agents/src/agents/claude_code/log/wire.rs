//! Fields of Claude Code's records that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{LenientBool, LenientObject, LenientText, LenientTime, MessageContent, RawJson};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeRecord<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub uuid: LenientText<'a>,
    pub session_id: LenientText<'a>,
    pub timestamp: LenientTime,
    pub cwd: LenientText<'a>,
    pub git_branch: LenientText<'a>,
    pub agent_id: LenientText<'a>,
    /// `cli`, or a name that begins with `sdk` for programs and `claude -p`.
    pub entrypoint: LenientText<'a>,
    pub is_sidechain: LenientBool,
    pub is_meta: LenientBool,
    pub is_compact_summary: LenientBool,
    pub is_api_error_message: LenientBool,
    pub forked_from: LenientObject<Fork<'a>>,
    pub origin: LenientObject<ClaudeOrigin<'a>>,
    pub prompt_source: LenientText<'a>,
    pub tool_denial_kind: LenientText<'a>,
    pub message: LenientObject<ClaudeMessage<'a>>,
    pub subtype: LenientText<'a>,
    pub content: MessageContent<'a, ClaudeBlock<'a>>,
    pub error: RawJson<'a>,
    pub compact_metadata: LenientObject<CompactMetadata<'a>>,
    pub attachment: LenientObject<Attachment<'a>>,
    pub summary: LenientText<'a>,
    pub data: LenientObject<ClaudeProgress<'a>>,
    pub title: LenientText<'a>,
    pub ai_title: LenientText<'a>,
    pub custom_title: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct Fork<'a> {
    pub session_id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeOrigin<'a> {
    pub kind: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CompactMetadata<'a> {
    pub trigger: LenientText<'a>,
}

/// Progress report of a tool or subagent.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeProgress<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub message: LenientObject<ClaudeStep<'a>>,
}

/// A subagent's record inside a progress report.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeStep<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub message: LenientObject<ClaudeMessage<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeMessage<'a> {
    pub model: LenientText<'a>,
    pub content: MessageContent<'a, ClaudeBlock<'a>>,
}

/// A content block of any kind: text, thinking, tool call or tool result.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeBlock<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub text: LenientText<'a>,
    pub thinking: LenientText<'a>,
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub input: RawJson<'a>,
    pub tool_use_id: LenientText<'a>,
    pub is_error: LenientBool,
    pub content: MessageContent<'a, ClaudeInnerBlock<'a>>,
}

/// A content block inside a tool result.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClaudeInnerBlock<'a> {
    pub text: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct Attachment<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub command_mode: LenientText<'a>,
    pub prompt: MessageContent<'a, ClaudeBlock<'a>>,
    pub content: MessageContent<'a, ClaudeBlock<'a>>,
    pub origin: LenientObject<ClaudeOrigin<'a>>,
    pub is_meta: LenientBool,
}
