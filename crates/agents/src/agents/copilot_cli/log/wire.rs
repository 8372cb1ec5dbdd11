//! Fields of Copilot CLI's events that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientList, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct CopilotEnvelope<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub id: LenientText<'a>,
    pub timestamp: LenientTime,
    pub agent_id: LenientText<'a>,
    pub data: LenientObject<CopilotData<'a>>,
}

/// Data of any event; every kind uses some of the fields.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct CopilotData<'a> {
    pub session_id: LenientText<'a>,
    pub selected_model: LenientText<'a>,
    pub context: LenientObject<CopilotContext<'a>>,
    pub new_model: LenientText<'a>,
    pub content: LenientText<'a>,
    pub source: LenientText<'a>,
    pub model: LenientText<'a>,
    pub reasoning_text: LenientText<'a>,
    pub tool_requests: LenientList<ToolRequest<'a>>,
    pub tool_call_id: LenientText<'a>,
    pub tool_name: LenientText<'a>,
    pub arguments: RawJson<'a>,
    pub success: LenientBool,
    pub result: RawJson<'a>,
    pub error: LenientObject<CopilotFailure<'a>>,
    pub message: LenientText<'a>,
    pub summary_content: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CopilotContext<'a> {
    pub cwd: LenientText<'a>,
    pub branch: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ToolRequest<'a> {
    pub tool_call_id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub arguments: RawJson<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CopilotFailure<'a> {
    pub message: LenientText<'a>,
    pub code: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CopilotAnswer<'a> {
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
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct LegacyMessage<'a> {
    pub role: LenientText<'a>,
    pub content: MessageContent<'a, CopilotPart<'a>>,
    pub tool_calls: LenientList<LegacyCall<'a>>,
    pub tool_call_id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CopilotPart<'a> {
    pub text: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct LegacyCall<'a> {
    pub id: LenientText<'a>,
    pub function: LenientObject<LegacyFunction<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct LegacyFunction<'a> {
    pub name: LenientText<'a>,
    pub arguments: RawJson<'a>,
}
