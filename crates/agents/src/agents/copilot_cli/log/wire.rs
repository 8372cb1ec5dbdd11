//! Fields of Copilot CLI's events that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientList, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopilotEnvelope<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(borrow, default)]
    pub agent_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub data: LenientObject<CopilotData<'a>>,
}

/// Data of any event; every kind uses some of the fields.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct CopilotData<'a> {
    #[serde(borrow)]
    pub session_id: LenientText<'a>,
    #[serde(borrow)]
    pub selected_model: LenientText<'a>,
    #[serde(borrow)]
    pub context: LenientObject<CopilotContext<'a>>,
    #[serde(borrow)]
    pub new_model: LenientText<'a>,
    #[serde(borrow)]
    pub content: LenientText<'a>,
    #[serde(borrow)]
    pub source: LenientText<'a>,
    #[serde(borrow)]
    pub model: LenientText<'a>,
    #[serde(borrow)]
    pub reasoning_text: LenientText<'a>,
    #[serde(borrow)]
    pub tool_requests: LenientList<ToolRequest<'a>>,
    #[serde(borrow)]
    pub tool_call_id: LenientText<'a>,
    #[serde(borrow)]
    pub tool_name: LenientText<'a>,
    #[serde(borrow)]
    pub arguments: RawJson<'a>,
    pub success: LenientBool,
    #[serde(borrow)]
    pub result: RawJson<'a>,
    #[serde(borrow)]
    pub error: LenientObject<CopilotFailure<'a>>,
    #[serde(borrow)]
    pub message: LenientText<'a>,
    #[serde(borrow)]
    pub summary_content: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct CopilotContext<'a> {
    #[serde(borrow, default)]
    pub cwd: LenientText<'a>,
    #[serde(borrow, default)]
    pub branch: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest<'a> {
    #[serde(borrow, default)]
    pub tool_call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub arguments: RawJson<'a>,
}

#[derive(Deserialize)]
pub struct CopilotFailure<'a> {
    #[serde(borrow, default)]
    pub message: LenientText<'a>,
    #[serde(borrow, default)]
    pub code: LenientText<'a>,
}

#[derive(Deserialize)]
struct CopilotAnswer<'a> {
    #[serde(borrow, default)]
    content: LenientText<'a>,
}

impl CopilotData<'_> {
    /// Returns the output of a tool, which is a string or an object that contains one.
    pub fn result_text(&self) -> String {
        let Some(raw) = self.result.get() else { return String::new() };
        let answer: LenientObject<CopilotAnswer<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        answer.0.and_then(|answer| answer.content.owned()).unwrap_or_else(|| self.result.text())
    }
}

/// A message of the first generation.
#[derive(Deserialize)]
pub struct LegacyMessage<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, CopilotPart<'a>>,
    #[serde(borrow, default)]
    pub tool_calls: LenientList<LegacyCall<'a>>,
    #[serde(borrow, default)]
    pub tool_call_id: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct CopilotPart<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct LegacyCall<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub function: LenientObject<LegacyFunction<'a>>,
}

#[derive(Deserialize)]
pub struct LegacyFunction<'a> {
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub arguments: RawJson<'a>,
}
