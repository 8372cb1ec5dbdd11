//! Fields of Cursor's records that the parser uses. No field can contain a key or token.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::ingest::loose::{Content, Flag, List, Number, Object, Raw, Text, When};

#[derive(Deserialize)]
pub struct Workspace<'a> {
    #[serde(borrow, default)]
    pub folder: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trusted<'a> {
    #[serde(borrow, default)]
    pub workspace_path: Text<'a>,
}

#[derive(Deserialize)]
pub struct ChatMeta<'a> {
    #[serde(alias = "name", borrow, default)]
    pub title: Text<'a>,
}

/// A conversation in the editor.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Composer<'a> {
    #[serde(borrow)]
    pub composer_id: Text<'a>,
    #[serde(borrow)]
    pub name: Text<'a>,
    pub created_at: When,
    #[serde(borrow)]
    pub last_updated_at: Raw<'a>,
    #[serde(borrow)]
    pub model_config: Object<ModelName<'a>>,
    #[serde(borrow)]
    pub full_conversation_headers_only: List<Header<'a>>,
    #[serde(borrow)]
    pub conversation: List<Bubble<'a>>,
    #[serde(borrow)]
    pub conversation_map: Object<HashMap<Cow<'a, str>, Bubble<'a>>>,
    #[serde(borrow)]
    pub tabs: List<Tab<'a>>,
    #[serde(borrow)]
    pub workspace_identifier: Object<WorkspaceIdentifier<'a>>,
    pub is_subagent: Flag,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelName<'a> {
    #[serde(borrow, default)]
    pub model_name: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header<'a> {
    #[serde(borrow, default)]
    pub bubble_id: Text<'a>,
}

#[derive(Deserialize)]
pub struct WorkspaceIdentifier<'a> {
    #[serde(borrow, default)]
    pub uri: Object<Uri<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uri<'a> {
    #[serde(borrow, default)]
    pub fs_path: Text<'a>,
    #[serde(borrow, default)]
    pub path: Text<'a>,
}

/// A message in the editor.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bubble<'a> {
    /// `1` or `user`, `2` or `ai`.
    #[serde(rename = "type", borrow, default)]
    pub kind: Raw<'a>,
    #[serde(alias = "id", borrow, default)]
    pub bubble_id: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub raw_text: Text<'a>,
    #[serde(default)]
    pub created_at: When,
    #[serde(borrow, default)]
    pub thinking: Object<Thinking<'a>>,
    #[serde(borrow, default)]
    pub tool_former_data: Object<ToolFormer<'a>>,
    #[serde(borrow, default)]
    pub model_info: Object<ModelName<'a>>,
    #[serde(borrow, default)]
    pub model_type: Text<'a>,
    #[serde(borrow, default)]
    pub workspace_project_dir: Text<'a>,
    #[serde(default)]
    pub capability_type: Number,
}

#[derive(Deserialize)]
pub struct Thinking<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFormer<'a> {
    #[serde(default)]
    pub tool: Number,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    pub params: Raw<'a>,
    #[serde(borrow, default)]
    pub raw_args: Raw<'a>,
    #[serde(borrow, default)]
    pub status: Text<'a>,
    #[serde(borrow, default)]
    pub result: Raw<'a>,
    #[serde(borrow, default)]
    pub user_decision: Text<'a>,
}

/// Output fields of a tool result, if present.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnswer<'a> {
    #[serde(borrow)]
    pub output: Text<'a>,
    #[serde(borrow)]
    pub contents: Text<'a>,
    #[serde(alias = "exitCodeV2")]
    pub exit_code: Number,
}

/// A conversation of the editor's chat, before it supported agents.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tab<'a> {
    #[serde(borrow, default)]
    pub tab_id: Text<'a>,
    #[serde(borrow, default)]
    pub chat_title: Text<'a>,
    #[serde(default)]
    pub last_send_time: When,
    #[serde(borrow, default)]
    pub bubbles: List<Bubble<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Tabs<'a> {
    #[serde(borrow)]
    pub tabs: List<Tab<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct AllComposers<'a> {
    #[serde(borrow)]
    pub all_composers: List<Composer<'a>>,
}

/// A line of a transcript.
#[derive(Deserialize)]
pub struct Line<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(borrow, default)]
    pub message: Object<Message<'a>>,
}

#[derive(Deserialize)]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
}

/// A message of a command-line chat.
#[derive(Deserialize)]
pub struct Blob<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
}

/// A content block of a transcript or a command-line chat.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub input: Raw<'a>,
    #[serde(borrow, default)]
    pub tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    pub tool_name: Text<'a>,
    #[serde(borrow, default)]
    pub args: Raw<'a>,
    #[serde(borrow, default)]
    pub result: Raw<'a>,
    #[serde(default)]
    pub is_error: Flag,
}
