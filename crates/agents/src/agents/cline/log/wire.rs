//! Fields of Cline's files that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{LenientBool, LenientList, LenientText, LenientTime, MessageContent, RawJson};

#[derive(Deserialize, Default)]
pub struct TaskMetadata<'a> {
    #[serde(borrow, default)]
    pub cwd: LenientText<'a>,
    #[serde(borrow, default)]
    pub model_usage: LenientList<ModelUsage<'a>>,
}

#[derive(Deserialize)]
pub struct ModelUsage<'a> {
    #[serde(borrow, default)]
    pub model_id: LenientText<'a>,
}

/// A message shown to the user: a statement (`say`) or a question (`ask`) of the program.
#[derive(Deserialize)]
pub struct ClineUiMessage<'a> {
    #[serde(default)]
    pub ts: LenientTime,
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub say: LenientText<'a>,
    #[serde(borrow, default)]
    pub ask: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub reasoning: LenientText<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct ClineRequest<'a> {
    #[serde(borrow, default)]
    pub cancel_reason: LenientText<'a>,
    #[serde(borrow, default)]
    pub streaming_failed_message: LenientText<'a>,
}

#[derive(Deserialize, Default)]
pub struct ToolUse<'a> {
    #[serde(borrow, default)]
    pub tool: LenientText<'a>,
}

#[derive(Deserialize, Default)]
pub struct ClineQuestion<'a> {
    #[serde(borrow, default)]
    pub question: LenientText<'a>,
    #[serde(borrow, default)]
    pub response: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct ApiMessage<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, ClineBlock<'a>>,
}

#[derive(Deserialize)]
pub struct ClineBlock<'a> {
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
    pub content: MessageContent<'a, ClineInnerBlock<'a>>,
}

#[derive(Deserialize)]
pub struct ClineInnerBlock<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
}
