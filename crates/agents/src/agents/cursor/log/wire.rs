//! Fields of Cursor's records that the parser uses. No field can contain a key or token.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientList, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CursorWorkspace<'a> {
    pub folder: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct CursorTrustedFolder<'a> {
    pub workspace_path: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatMeta<'a> {
    #[serde(alias = "name")]
    pub title: LenientText<'a>,
}

/// A conversation in the editor.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct Composer<'a> {
    pub composer_id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub created_at: LenientTime,
    pub last_updated_at: RawJson<'a>,
    pub model_config: LenientObject<ModelName<'a>>,
    pub full_conversation_headers_only: LenientList<BubbleHeader<'a>>,
    pub conversation: LenientList<Bubble<'a>>,
    pub conversation_map: LenientObject<HashMap<Cow<'a, str>, Bubble<'a>>>,
    pub tabs: LenientList<Tab<'a>>,
    pub workspace_identifier: LenientObject<WorkspaceIdentifier<'a>>,
    pub is_subagent: LenientBool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ModelName<'a> {
    pub model_name: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct BubbleHeader<'a> {
    pub bubble_id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct WorkspaceIdentifier<'a> {
    pub uri: LenientObject<Uri<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct Uri<'a> {
    pub fs_path: LenientText<'a>,
    pub path: LenientText<'a>,
}

/// A message in the editor.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct Bubble<'a> {
    /// `1` or `user`, `2` or `ai`.
    #[serde(rename = "type")]
    pub kind: RawJson<'a>,
    #[serde(alias = "id")]
    pub bubble_id: LenientText<'a>,
    pub text: LenientText<'a>,
    pub raw_text: LenientText<'a>,
    pub created_at: LenientTime,
    pub thinking: LenientObject<Thinking<'a>>,
    pub tool_former_data: LenientObject<ToolFormer<'a>>,
    pub model_info: LenientObject<ModelName<'a>>,
    pub model_type: LenientText<'a>,
    pub workspace_project_dir: LenientText<'a>,
    pub capability_type: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Thinking<'a> {
    pub text: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ToolFormer<'a> {
    pub tool: LenientNumber,
    pub name: LenientText<'a>,
    pub tool_call_id: LenientText<'a>,
    pub params: RawJson<'a>,
    pub raw_args: RawJson<'a>,
    pub status: LenientText<'a>,
    pub result: RawJson<'a>,
    pub user_decision: LenientText<'a>,
}

/// Output fields of a tool result, if present.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ToolAnswer<'a> {
    pub output: LenientText<'a>,
    pub contents: LenientText<'a>,
    #[serde(alias = "exitCodeV2")]
    pub exit_code: LenientNumber,
}

/// A conversation of the editor's chat, before it supported agents.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct Tab<'a> {
    pub tab_id: LenientText<'a>,
    pub chat_title: LenientText<'a>,
    pub last_send_time: LenientTime,
    pub bubbles: LenientList<Bubble<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Tabs<'a> {
    pub tabs: LenientList<Tab<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct AllComposers<'a> {
    pub all_composers: LenientList<Composer<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct TranscriptLine<'a> {
    pub role: LenientText<'a>,
    pub message: LenientObject<TranscriptMessage<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct TranscriptMessage<'a> {
    pub content: MessageContent<'a, CursorBlock<'a>>,
}

/// A message of a command-line chat.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Blob<'a> {
    pub id: LenientText<'a>,
    pub role: LenientText<'a>,
    pub content: MessageContent<'a, CursorBlock<'a>>,
}

/// A content block of a transcript or a command-line chat.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct CursorBlock<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub text: LenientText<'a>,
    pub name: LenientText<'a>,
    pub input: RawJson<'a>,
    pub tool_call_id: LenientText<'a>,
    pub tool_name: LenientText<'a>,
    pub args: RawJson<'a>,
    pub result: RawJson<'a>,
    pub is_error: LenientBool,
}
