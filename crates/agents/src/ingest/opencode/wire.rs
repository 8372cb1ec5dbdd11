//! Fields of opencode's messages and parts that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, Flag, Number, Object, Raw, Text, When};

#[derive(Deserialize, Default)]
pub struct Session<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(rename = "parentID", borrow, default)]
    pub parent_id: Text<'a>,
    #[serde(borrow, default)]
    pub directory: Text<'a>,
    #[serde(borrow, default)]
    pub title: Text<'a>,
    #[serde(default)]
    pub time: Object<Time>,
}

#[derive(Deserialize, Default)]
pub struct Time {
    #[serde(default)]
    pub created: When,
    #[serde(default)]
    pub start: When,
    #[serde(default)]
    pub end: When,
}

#[derive(Deserialize, Default)]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(rename = "modelID", borrow, default)]
    pub model_id: Text<'a>,
    #[serde(borrow, default)]
    pub model: Object<Model<'a>>,
    #[serde(default)]
    pub time: Object<Time>,
    #[serde(borrow, default)]
    pub error: Object<Failure<'a>>,
    /// Text of a user or program; only in the second generation, like the fields below.
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Part<'a>>,
    #[serde(borrow, default)]
    pub summary: Text<'a>,
    #[serde(borrow, default)]
    pub command: Text<'a>,
    #[serde(borrow, default)]
    pub output: Text<'a>,
    #[serde(borrow, default)]
    pub reason: Text<'a>,
}

#[derive(Deserialize)]
pub struct Model<'a> {
    #[serde(rename = "modelID", alias = "id", borrow, default)]
    pub model_id: Text<'a>,
}

#[derive(Deserialize)]
pub struct Failure<'a> {
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub message: Text<'a>,
    #[serde(borrow, default)]
    pub data: Object<FailureData<'a>>,
}

#[derive(Deserialize)]
pub struct FailureData<'a> {
    #[serde(borrow, default)]
    pub message: Text<'a>,
}

#[derive(Deserialize)]
pub struct Part<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(default)]
    pub synthetic: Flag,
    #[serde(borrow, default)]
    pub tool: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(rename = "callID", borrow, default)]
    pub call_id: Text<'a>,
    #[serde(borrow, default)]
    pub state: Object<ToolState<'a>>,
    #[serde(default)]
    pub auto: Flag,
    #[serde(borrow, default)]
    pub summary: Text<'a>,
    #[serde(borrow, default)]
    pub error: Raw<'a>,
}

#[derive(Deserialize)]
pub struct ToolState<'a> {
    #[serde(borrow, default)]
    pub status: Text<'a>,
    #[serde(borrow, default)]
    pub input: Raw<'a>,
    #[serde(borrow, default)]
    output: Raw<'a>,
    #[serde(borrow, default)]
    error: Raw<'a>,
    #[serde(borrow, default)]
    content: Content<'a, Inner<'a>>,
    #[serde(default)]
    pub metadata: Object<ToolMetadata>,
    #[serde(default)]
    pub time: Object<Time>,
}

#[derive(Deserialize)]
pub struct ToolMetadata {
    #[serde(default)]
    pub exit: Number,
}

#[derive(Deserialize)]
pub struct Inner<'a> {
    #[serde(borrow, default)]
    text: Text<'a>,
}

impl ToolState<'_> {
    /// Returns the output of the tool.
    pub fn output(&self) -> String {
        let text = self.output.text();
        if text.is_empty() { self.content.joined(|inner| inner.text.0.as_deref()) } else { text }
    }

    /// Returns the error message.
    pub fn error(&self) -> String {
        let failure: Object<Failure<'_>> =
            self.error.get().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        failure.0.and_then(|failure| failure.message.owned()).unwrap_or_else(|| self.error.text())
    }
}
