//! Fields of Claude Code's records that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, Flag, Object, Raw, Text, When};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub uuid: Text<'a>,
    #[serde(borrow, default)]
    pub session_id: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
    #[serde(borrow, default)]
    pub cwd: Text<'a>,
    #[serde(borrow, default)]
    pub git_branch: Text<'a>,
    #[serde(borrow, default)]
    pub agent_id: Text<'a>,
    #[serde(default)]
    pub is_sidechain: Flag,
    #[serde(default)]
    pub is_meta: Flag,
    #[serde(default)]
    pub is_compact_summary: Flag,
    #[serde(default)]
    pub is_api_error_message: Flag,
    #[serde(borrow, default)]
    pub forked_from: Object<Fork<'a>>,
    #[serde(borrow, default)]
    pub origin: Object<Origin<'a>>,
    #[serde(borrow, default)]
    pub prompt_source: Text<'a>,
    #[serde(borrow, default)]
    pub tool_denial_kind: Text<'a>,
    #[serde(borrow, default)]
    pub message: Object<Message<'a>>,
    #[serde(borrow, default)]
    pub subtype: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub error: Raw<'a>,
    #[serde(borrow, default)]
    pub compact_metadata: Object<CompactMetadata<'a>>,
    #[serde(borrow, default)]
    pub attachment: Object<Attachment<'a>>,
    #[serde(borrow, default)]
    pub summary: Text<'a>,
    #[serde(borrow, default)]
    pub data: Object<Progress<'a>>,
    #[serde(borrow, default)]
    pub title: Text<'a>,
    #[serde(borrow, default)]
    pub ai_title: Text<'a>,
    #[serde(borrow, default)]
    pub custom_title: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fork<'a> {
    #[serde(borrow, default)]
    pub session_id: Text<'a>,
}

#[derive(Deserialize)]
pub struct Origin<'a> {
    #[serde(borrow, default)]
    pub kind: Text<'a>,
}

#[derive(Deserialize)]
pub struct CompactMetadata<'a> {
    #[serde(borrow, default)]
    pub trigger: Text<'a>,
}

/// Progress report of a tool or subagent.
#[derive(Deserialize)]
pub struct Progress<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub message: Object<Step<'a>>,
}

/// A subagent's record inside a progress report.
#[derive(Deserialize)]
pub struct Step<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub message: Object<Message<'a>>,
}

#[derive(Deserialize)]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub model: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
}

/// A content block of any kind: text, thinking, tool call or tool result.
#[derive(Deserialize)]
pub struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub thinking: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub input: Raw<'a>,
    #[serde(borrow, default)]
    pub tool_use_id: Text<'a>,
    #[serde(default)]
    pub is_error: Flag,
    #[serde(borrow, default)]
    pub content: Content<'a, Inner<'a>>,
}

/// A content block inside a tool result.
#[derive(Deserialize)]
pub struct Inner<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub command_mode: Text<'a>,
    #[serde(borrow, default)]
    pub prompt: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub origin: Object<Origin<'a>>,
    #[serde(default)]
    pub is_meta: Flag,
}
