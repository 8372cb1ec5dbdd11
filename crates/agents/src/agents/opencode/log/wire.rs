//! Fields of opencode's messages and parts that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize, Default)]
pub struct OpencodeSession<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(rename = "parentID", borrow, default)]
    pub parent_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub directory: LenientText<'a>,
    #[serde(borrow, default)]
    pub title: LenientText<'a>,
    #[serde(default)]
    pub time: LenientObject<OpencodeTime>,
}

#[derive(Deserialize, Default)]
pub struct OpencodeTime {
    #[serde(default)]
    pub created: LenientTime,
    #[serde(default)]
    pub start: LenientTime,
    #[serde(default)]
    pub end: LenientTime,
}

#[derive(Deserialize, Default)]
pub struct OpencodeMessage<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(rename = "modelID", borrow, default)]
    pub model_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub model: LenientObject<OpencodeModel<'a>>,
    #[serde(default)]
    pub time: LenientObject<OpencodeTime>,
    #[serde(borrow, default)]
    pub error: LenientObject<OpencodeFailure<'a>>,
    /// Text of a user or program; only in the second generation, like the fields below.
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, OpencodePart<'a>>,
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
    #[serde(borrow, default)]
    pub command: LenientText<'a>,
    #[serde(borrow, default)]
    pub output: LenientText<'a>,
    #[serde(borrow, default)]
    pub reason: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct OpencodeModel<'a> {
    #[serde(rename = "modelID", alias = "id", borrow, default)]
    pub model_id: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct OpencodeFailure<'a> {
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientText<'a>,
    #[serde(borrow, default)]
    pub data: LenientObject<FailureData<'a>>,
}

#[derive(Deserialize)]
pub struct FailureData<'a> {
    #[serde(borrow, default)]
    pub message: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct OpencodePart<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(default)]
    pub synthetic: LenientBool,
    #[serde(borrow, default)]
    pub tool: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(rename = "callID", borrow, default)]
    pub call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub state: LenientObject<ToolState<'a>>,
    #[serde(default)]
    pub auto: LenientBool,
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
    #[serde(borrow, default)]
    pub error: RawJson<'a>,
}

#[derive(Deserialize)]
pub struct ToolState<'a> {
    #[serde(borrow, default)]
    pub status: LenientText<'a>,
    #[serde(borrow, default)]
    pub input: RawJson<'a>,
    #[serde(borrow, default)]
    output: RawJson<'a>,
    #[serde(borrow, default)]
    error: RawJson<'a>,
    #[serde(borrow, default)]
    content: MessageContent<'a, OpencodeInnerPart<'a>>,
    #[serde(default)]
    pub metadata: LenientObject<ToolMetadata>,
    #[serde(default)]
    pub time: LenientObject<OpencodeTime>,
}

#[derive(Deserialize)]
pub struct ToolMetadata {
    #[serde(default)]
    pub exit: LenientNumber,
}

#[derive(Deserialize)]
pub struct OpencodeInnerPart<'a> {
    #[serde(borrow, default)]
    text: LenientText<'a>,
}

impl ToolState<'_> {
    /// Returns the output of the tool.
    pub fn output(&self) -> String {
        let text = self.output.text();
        if text.is_empty() { self.content.joined(|inner| inner.text.0.as_deref()) } else { text }
    }

    /// Returns the error message.
    pub fn error(&self) -> String {
        let failure: LenientObject<OpencodeFailure<'_>> =
            self.error.get().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        failure.0.and_then(|failure| failure.message.owned()).unwrap_or_else(|| self.error.text())
    }
}
