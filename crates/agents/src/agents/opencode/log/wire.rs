//! Fields of opencode's messages and parts that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct OpencodeSession<'a> {
    pub id: LenientText<'a>,
    #[serde(rename = "parentID")]
    pub parent_id: LenientText<'a>,
    pub directory: LenientText<'a>,
    pub title: LenientText<'a>,
    pub time: LenientObject<OpencodeTime>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct OpencodeTime {
    pub created: LenientTime,
    pub start: LenientTime,
    pub end: LenientTime,
}

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct OpencodeMessage<'a> {
    pub role: LenientText<'a>,
    #[serde(rename = "modelID")]
    pub model_id: LenientText<'a>,
    pub model: LenientObject<OpencodeModel<'a>>,
    pub time: LenientObject<OpencodeTime>,
    pub error: LenientObject<OpencodeFailure<'a>>,
    /// Text of a user or program. This field and those below exist only in the second generation of
    /// the format.
    pub text: LenientText<'a>,
    pub content: MessageContent<'a, OpencodePart<'a>>,
    pub summary: LenientText<'a>,
    pub command: LenientText<'a>,
    pub output: LenientText<'a>,
    pub reason: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct OpencodeModel<'a> {
    #[serde(rename = "modelID", alias = "id")]
    pub model_id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct OpencodeFailure<'a> {
    pub name: LenientText<'a>,
    pub message: LenientText<'a>,
    pub data: LenientObject<FailureData<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct FailureData<'a> {
    pub message: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct OpencodePart<'a> {
    pub id: LenientText<'a>,
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub text: LenientText<'a>,
    pub synthetic: LenientBool,
    pub tool: LenientText<'a>,
    pub name: LenientText<'a>,
    #[serde(rename = "callID")]
    pub call_id: LenientText<'a>,
    pub state: LenientObject<ToolState<'a>>,
    pub auto: LenientBool,
    pub summary: LenientText<'a>,
    pub error: RawJson<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ToolState<'a> {
    pub status: LenientText<'a>,
    pub input: RawJson<'a>,
    output: RawJson<'a>,
    error: RawJson<'a>,
    content: MessageContent<'a, OpencodeInnerPart<'a>>,
    pub metadata: LenientObject<ToolMetadata>,
    pub time: LenientObject<OpencodeTime>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ToolMetadata {
    pub exit: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct OpencodeInnerPart<'a> {
    text: LenientText<'a>,
}

impl ToolState<'_> {
    pub fn output(&self) -> String {
        let text = self.output.text();
        if text.is_empty() { self.content.joined(|inner| inner.text.0.as_deref()) } else { text }
    }

    pub fn error(&self) -> String {
        let failure: LenientObject<OpencodeFailure<'_>> =
            self.error.get().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        failure.0.and_then(|failure| failure.message.owned()).unwrap_or_else(|| self.error.text())
    }
}
