//! Fields of Copilot CLI's events that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, Flag, List, Object, Raw, Text, When};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Envelope<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
    #[serde(borrow, default)]
    pub agent_id: Text<'a>,
    #[serde(borrow, default)]
    pub data: Object<Data<'a>>,
}

/// Data of any event; every kind uses some of the fields.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Data<'a> {
    #[serde(borrow)]
    pub session_id: Text<'a>,
    #[serde(borrow)]
    pub selected_model: Text<'a>,
    #[serde(borrow)]
    pub context: Object<Context<'a>>,
    #[serde(borrow)]
    pub new_model: Text<'a>,
    #[serde(borrow)]
    pub content: Text<'a>,
    #[serde(borrow)]
    pub source: Text<'a>,
    #[serde(borrow)]
    pub model: Text<'a>,
    #[serde(borrow)]
    pub reasoning_text: Text<'a>,
    #[serde(borrow)]
    pub tool_requests: List<ToolRequest<'a>>,
    #[serde(borrow)]
    pub tool_call_id: Text<'a>,
    #[serde(borrow)]
    pub tool_name: Text<'a>,
    #[serde(borrow)]
    pub arguments: Raw<'a>,
    pub success: Flag,
    #[serde(borrow)]
    pub result: Raw<'a>,
    #[serde(borrow)]
    pub error: Object<Failure<'a>>,
    #[serde(borrow)]
    pub message: Text<'a>,
    #[serde(borrow)]
    pub summary_content: Text<'a>,
}

#[derive(Deserialize)]
pub struct Context<'a> {
    #[serde(borrow, default)]
    pub cwd: Text<'a>,
    #[serde(borrow, default)]
    pub branch: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest<'a> {
    #[serde(borrow, default)]
    pub tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub arguments: Raw<'a>,
}

#[derive(Deserialize)]
pub struct Failure<'a> {
    #[serde(borrow, default)]
    pub message: Text<'a>,
    #[serde(borrow, default)]
    pub code: Text<'a>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    content: Text<'a>,
}

impl Data<'_> {
    /// Returns the output of a tool, which is a string or an object that contains one.
    pub fn result_text(&self) -> String {
        let Some(raw) = self.result.get() else { return String::new() };
        let answer: Object<Answer<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        answer.0.and_then(|answer| answer.content.owned()).unwrap_or_else(|| self.result.text())
    }
}

/// A message of the first generation.
#[derive(Deserialize)]
pub struct LegacyMessage<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Part<'a>>,
    #[serde(borrow, default)]
    pub tool_calls: List<LegacyCall<'a>>,
    #[serde(borrow, default)]
    pub tool_call_id: Text<'a>,
}

#[derive(Deserialize)]
pub struct Part<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
}

#[derive(Deserialize)]
pub struct LegacyCall<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub function: Object<LegacyFunction<'a>>,
}

#[derive(Deserialize)]
pub struct LegacyFunction<'a> {
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub arguments: Raw<'a>,
}
