//! Fields of Gemini CLI's records that the parser uses.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::ingest::lenient::{LenientList, LenientObject, LenientText, LenientTime, MessageContent, RawJson};

/// Names of projects, by folder.
#[derive(Deserialize, Default)]
pub struct Projects<'a> {
    #[serde(borrow, default)]
    pub projects: LenientObject<HashMap<Cow<'a, str>, LenientText<'a>>>,
}

/// Metadata of a session.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct GeminiMeta<'a> {
    #[serde(borrow, default)]
    pub session_id: LenientText<'a>,
    #[serde(default)]
    pub start_time: LenientTime,
    #[serde(borrow, default)]
    pub directories: LenientList<LenientText<'a>>,
    #[serde(borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
}

/// A line of a log: a change, a message, or session metadata.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GeminiLine<'a> {
    #[serde(rename = "$set", borrow, default)]
    pub set: LenientObject<GeminiSet<'a>>,
    #[serde(rename = "$rewindTo", borrow, default)]
    pub rewind_to: LenientText<'a>,
    #[serde(rename = "$patch", borrow, default)]
    pub patch: RawJson<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
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
#[serde(rename_all = "camelCase", default)]
pub struct GeminiMessage<'a> {
    #[serde(borrow)]
    pub id: LenientText<'a>,
    pub timestamp: LenientTime,
    #[serde(rename = "type", borrow)]
    pub kind: LenientText<'a>,
    #[serde(borrow)]
    pub content: MessageContent<'a, GeminiPart<'a>>,
    #[serde(borrow)]
    pub display_content: MessageContent<'a, GeminiPart<'a>>,
    #[serde(borrow)]
    pub model: LenientText<'a>,
    #[serde(borrow)]
    pub thoughts: LenientList<GeminiThought<'a>>,
    #[serde(borrow)]
    pub tool_calls: LenientList<ToolCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GeminiPart<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub function_call: LenientObject<FunctionCall<'a>>,
    #[serde(borrow, default)]
    pub function_response: LenientObject<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
pub struct FunctionCall<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub args: RawJson<'a>,
}

#[derive(Deserialize)]
pub struct GeminiThought<'a> {
    #[serde(borrow, default)]
    pub subject: LenientText<'a>,
    #[serde(borrow, default)]
    pub description: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub args: RawJson<'a>,
    #[serde(borrow, default)]
    pub status: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(borrow, default)]
    pub result: MessageContent<'a, ResultPart<'a>>,
    #[serde(borrow, default)]
    pub result_display: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultPart<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub function_response: LenientObject<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
pub struct FunctionResponse<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub response: LenientObject<Response<'a>>,
}

#[derive(Deserialize)]
pub struct Response<'a> {
    #[serde(borrow, default)]
    pub output: LenientText<'a>,
    #[serde(borrow, default)]
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
