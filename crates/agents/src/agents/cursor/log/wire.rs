//! Fields of Cursor's records that the parser uses. No field can contain a key or token.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientList, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize)]
pub struct CursorWorkspace<'a> {
    #[serde(borrow, default)]
    pub folder: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CursorTrustedFolder<'a> {
    #[serde(borrow, default)]
    pub workspace_path: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct ChatMeta<'a> {
    #[serde(alias = "name", borrow, default)]
    pub title: LenientText<'a>,
}

/// A conversation in the editor.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Composer<'a> {
    #[serde(borrow)]
    pub composer_id: LenientText<'a>,
    #[serde(borrow)]
    pub name: LenientText<'a>,
    pub created_at: LenientTime,
    #[serde(borrow)]
    pub last_updated_at: RawJson<'a>,
    #[serde(borrow)]
    pub model_config: LenientObject<ModelName<'a>>,
    #[serde(borrow)]
    pub full_conversation_headers_only: LenientList<BubbleHeader<'a>>,
    #[serde(borrow)]
    pub conversation: LenientList<Bubble<'a>>,
    #[serde(borrow)]
    pub conversation_map: LenientObject<HashMap<Cow<'a, str>, Bubble<'a>>>,
    #[serde(borrow)]
    pub tabs: LenientList<Tab<'a>>,
    #[serde(borrow)]
    pub workspace_identifier: LenientObject<WorkspaceIdentifier<'a>>,
    pub is_subagent: LenientBool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelName<'a> {
    #[serde(borrow, default)]
    pub model_name: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BubbleHeader<'a> {
    #[serde(borrow, default)]
    pub bubble_id: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct WorkspaceIdentifier<'a> {
    #[serde(borrow, default)]
    pub uri: LenientObject<Uri<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uri<'a> {
    #[serde(borrow, default)]
    pub fs_path: LenientText<'a>,
    #[serde(borrow, default)]
    pub path: LenientText<'a>,
}

/// A message in the editor.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bubble<'a> {
    /// `1` or `user`, `2` or `ai`.
    #[serde(rename = "type", borrow, default)]
    pub kind: RawJson<'a>,
    #[serde(alias = "id", borrow, default)]
    pub bubble_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub raw_text: LenientText<'a>,
    #[serde(default)]
    pub created_at: LenientTime,
    #[serde(borrow, default)]
    pub thinking: LenientObject<Thinking<'a>>,
    #[serde(borrow, default)]
    pub tool_former_data: LenientObject<ToolFormer<'a>>,
    #[serde(borrow, default)]
    pub model_info: LenientObject<ModelName<'a>>,
    #[serde(borrow, default)]
    pub model_type: LenientText<'a>,
    #[serde(borrow, default)]
    pub workspace_project_dir: LenientText<'a>,
    #[serde(default)]
    pub capability_type: LenientNumber,
}

#[derive(Deserialize)]
pub struct Thinking<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFormer<'a> {
    #[serde(default)]
    pub tool: LenientNumber,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub tool_call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub params: RawJson<'a>,
    #[serde(borrow, default)]
    pub raw_args: RawJson<'a>,
    #[serde(borrow, default)]
    pub status: LenientText<'a>,
    #[serde(borrow, default)]
    pub result: RawJson<'a>,
    #[serde(borrow, default)]
    pub user_decision: LenientText<'a>,
}

/// Output fields of a tool result, if present.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnswer<'a> {
    #[serde(borrow)]
    pub output: LenientText<'a>,
    #[serde(borrow)]
    pub contents: LenientText<'a>,
    #[serde(alias = "exitCodeV2")]
    pub exit_code: LenientNumber,
}

/// A conversation of the editor's chat, before it supported agents.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tab<'a> {
    #[serde(borrow, default)]
    pub tab_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub chat_title: LenientText<'a>,
    #[serde(default)]
    pub last_send_time: LenientTime,
    #[serde(borrow, default)]
    pub bubbles: LenientList<Bubble<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Tabs<'a> {
    #[serde(borrow)]
    pub tabs: LenientList<Tab<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct AllComposers<'a> {
    #[serde(borrow)]
    pub all_composers: LenientList<Composer<'a>>,
}

/// A line of a transcript.
#[derive(Deserialize)]
pub struct TranscriptLine<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientObject<TranscriptMessage<'a>>,
}

#[derive(Deserialize)]
pub struct TranscriptMessage<'a> {
    #[serde(borrow, default)]
    pub content: MessageContent<'a, CursorBlock<'a>>,
}

/// A message of a command-line chat.
#[derive(Deserialize)]
pub struct Blob<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, CursorBlock<'a>>,
}

/// A content block of a transcript or a command-line chat.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CursorBlock<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub input: RawJson<'a>,
    #[serde(borrow, default)]
    pub tool_call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub tool_name: LenientText<'a>,
    #[serde(borrow, default)]
    pub args: RawJson<'a>,
    #[serde(borrow, default)]
    pub result: RawJson<'a>,
    #[serde(default)]
    pub is_error: LenientBool,
}
