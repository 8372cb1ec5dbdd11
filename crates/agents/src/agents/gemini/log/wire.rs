//! Fields of Gemini CLI's records that the parser uses.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::ingest::lenient::{LenientList, LenientObject, LenientText, LenientTime, MessageContent, RawJson};

/// Names of projects, by folder.
#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Projects<'a> {
    pub projects: LenientObject<HashMap<Cow<'a, str>, LenientText<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct GeminiMeta<'a> {
    pub session_id: LenientText<'a>,
    pub start_time: LenientTime,
    pub directories: LenientList<LenientText<'a>>,
    pub kind: LenientText<'a>,
    pub summary: LenientText<'a>,
}

/// A line of a log: a change, a message, or session metadata.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct GeminiLine<'a> {
    #[serde(rename = "$set")]
    pub set: LenientObject<GeminiSet<'a>>,
    #[serde(rename = "$rewindTo")]
    pub rewind_to: LenientText<'a>,
    #[serde(rename = "$patch")]
    pub patch: RawJson<'a>,
    pub id: LenientText<'a>,
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub session_id: LenientText<'a>,
}

/// Value of `$set`: session metadata and optionally the whole list of messages.
#[derive(Deserialize)]
pub struct GeminiSet<'a> {
    #[serde(borrow, default)]
    pub messages: Option<LenientList<GeminiMessage<'a>>>,
    #[serde(flatten, borrow)]
    pub meta: GeminiMeta<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct GeminiMessage<'a> {
    pub id: LenientText<'a>,
    pub timestamp: LenientTime,
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub content: MessageContent<'a, GeminiPart<'a>>,
    pub display_content: MessageContent<'a, GeminiPart<'a>>,
    pub model: LenientText<'a>,
    pub thoughts: LenientList<GeminiThought<'a>>,
    pub tool_calls: LenientList<ToolCall<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct GeminiPart<'a> {
    pub text: LenientText<'a>,
    pub function_call: LenientObject<FunctionCall<'a>>,
    pub function_response: LenientObject<FunctionResponse<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct FunctionCall<'a> {
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub args: RawJson<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct GeminiThought<'a> {
    pub subject: LenientText<'a>,
    pub description: LenientText<'a>,
    pub timestamp: LenientTime,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ToolCall<'a> {
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub args: RawJson<'a>,
    pub status: LenientText<'a>,
    pub timestamp: LenientTime,
    pub result: MessageContent<'a, ResultPart<'a>>,
    pub result_display: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct ResultPart<'a> {
    pub text: LenientText<'a>,
    pub function_response: LenientObject<FunctionResponse<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct FunctionResponse<'a> {
    pub id: LenientText<'a>,
    pub response: LenientObject<Response<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Response<'a> {
    pub output: LenientText<'a>,
    pub error: LenientText<'a>,
}

impl ToolCall<'_> {
    /// Returns the output that the tool sent to the model, else the one shown to the user.
    pub fn output(&self) -> String {
        let text = self.result.joined(|part| {
            let response = part.function_response.0.as_ref().and_then(|answer| answer.response.0.as_ref());
            match response {
                Some(response) => response.output.non_blank().or(response.error.non_blank()),
                None => part.text.0.as_deref(),
            }
        });
        if text.is_empty() { self.result_display.or_empty().to_owned() } else { text }
    }
}
