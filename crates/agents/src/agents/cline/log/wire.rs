//! Fields of Cline's files that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{LenientBool, LenientList, LenientText, LenientTime, MessageContent, RawJson};

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct TaskMetadata<'a> {
    pub cwd: LenientText<'a>,
    pub model_usage: LenientList<ModelUsage<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ModelUsage<'a> {
    pub model_id: LenientText<'a>,
}

/// A message shown to the user: a statement (`say`) or a question (`ask`) of the program.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClineUiMessage<'a> {
    pub ts: LenientTime,
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub say: LenientText<'a>,
    pub ask: LenientText<'a>,
    pub text: LenientText<'a>,
    pub reasoning: LenientText<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ClineRequest<'a> {
    pub cancel_reason: LenientText<'a>,
    pub streaming_failed_message: LenientText<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ToolUse<'a> {
    pub tool: LenientText<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClineQuestion<'a> {
    pub question: LenientText<'a>,
    pub response: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ApiMessage<'a> {
    pub role: LenientText<'a>,
    pub content: MessageContent<'a, ClineBlock<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClineBlock<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub text: LenientText<'a>,
    pub thinking: LenientText<'a>,
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub input: RawJson<'a>,
    pub tool_use_id: LenientText<'a>,
    pub is_error: LenientBool,
    pub content: MessageContent<'a, ClineInnerBlock<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ClineInnerBlock<'a> {
    pub text: LenientText<'a>,
}
