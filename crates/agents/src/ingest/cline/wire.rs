//! Fields of Cline's files that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, Flag, List, Raw, Text, When};

#[derive(Deserialize, Default)]
pub struct TaskMetadata<'a> {
    #[serde(borrow, default)]
    pub cwd: Text<'a>,
    #[serde(borrow, default)]
    pub model_usage: List<ModelUsage<'a>>,
}

#[derive(Deserialize)]
pub struct ModelUsage<'a> {
    #[serde(borrow, default)]
    pub model_id: Text<'a>,
}

/// A message shown to the user: a statement (`say`) or a question (`ask`) of the program.
#[derive(Deserialize)]
pub struct Seen<'a> {
    #[serde(default)]
    pub ts: When,
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub say: Text<'a>,
    #[serde(borrow, default)]
    pub ask: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub reasoning: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    #[serde(borrow, default)]
    pub cancel_reason: Text<'a>,
    #[serde(borrow, default)]
    pub streaming_failed_message: Text<'a>,
}

#[derive(Deserialize, Default)]
pub struct ToolUse<'a> {
    #[serde(borrow, default)]
    pub tool: Text<'a>,
}

#[derive(Deserialize, Default)]
pub struct Question<'a> {
    #[serde(borrow, default)]
    pub question: Text<'a>,
    #[serde(borrow, default)]
    pub response: Text<'a>,
}

#[derive(Deserialize)]
pub struct ApiMessage<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
}

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

#[derive(Deserialize)]
pub struct Inner<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
}
