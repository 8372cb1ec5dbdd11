//! Fields of Gemini CLI's records that the parser uses.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::ingest::loose::{Content, List, Object, Raw, Text, When};

/// Names of projects, by folder.
#[derive(Deserialize, Default)]
pub struct Projects<'a> {
    #[serde(borrow, default)]
    pub projects: Object<HashMap<Cow<'a, str>, Text<'a>>>,
}

/// Metadata of a session.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Meta<'a> {
    #[serde(borrow, default)]
    pub session_id: Text<'a>,
    #[serde(default)]
    pub start_time: When,
    #[serde(borrow, default)]
    pub directories: List<Text<'a>>,
    #[serde(borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub summary: Text<'a>,
}

/// A line of a log: a change, a message, or session metadata.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line<'a> {
    #[serde(rename = "$set", borrow, default)]
    pub set: Object<Set<'a>>,
    #[serde(rename = "$rewindTo", borrow, default)]
    pub rewind_to: Text<'a>,
    #[serde(rename = "$patch", borrow, default)]
    pub patch: Raw<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub session_id: Text<'a>,
}

/// Value of `$set`: session metadata and optionally the whole list of messages.
#[derive(Deserialize)]
pub struct Set<'a> {
    #[serde(borrow, default)]
    pub messages: Option<List<Message<'a>>>,
    #[serde(flatten, borrow)]
    pub meta: Meta<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub id: Text<'a>,
    pub timestamp: When,
    #[serde(rename = "type", borrow)]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub display_content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub model: Text<'a>,
    #[serde(borrow)]
    pub thoughts: List<Thought<'a>>,
    #[serde(borrow)]
    pub tool_calls: List<ToolCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub function_call: Object<FunctionCall<'a>>,
    #[serde(borrow, default)]
    pub function_response: Object<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
pub struct FunctionCall<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub args: Raw<'a>,
}

#[derive(Deserialize)]
pub struct Thought<'a> {
    #[serde(borrow, default)]
    pub subject: Text<'a>,
    #[serde(borrow, default)]
    pub description: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub args: Raw<'a>,
    #[serde(borrow, default)]
    pub status: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
    #[serde(borrow, default)]
    pub result: Content<'a, ResultPart<'a>>,
    #[serde(borrow, default)]
    pub result_display: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultPart<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub function_response: Object<FunctionResponse<'a>>,
}

#[derive(Deserialize)]
pub struct FunctionResponse<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub response: Object<Response<'a>>,
}

#[derive(Deserialize)]
pub struct Response<'a> {
    #[serde(borrow, default)]
    pub output: Text<'a>,
    #[serde(borrow, default)]
    pub error: Text<'a>,
}

impl ToolCall<'_> {
    /// Returns the output that the tool sent to the model, else the one shown to the user.
    pub fn output(&self) -> String {
        let text = self.result.joined(|part| {
            let response = part.function_response.0.as_ref().and_then(|answer| answer.response.0.as_ref());
            match response {
                Some(response) => response.output.said().or(response.error.said()),
                None => part.text.0.as_deref(),
            }
        });
        if text.is_empty() { self.result_display.or_empty().to_owned() } else { text }
    }
}
