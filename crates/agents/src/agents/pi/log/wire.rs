//! Fields of Pi's entries that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

/// Position of an entry in the tree.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct PiTreePosition<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub id: LenientText<'a>,
    pub parent_id: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct PiEntry<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub id: LenientText<'a>,
    pub timestamp: LenientTime,
    pub cwd: LenientText<'a>,
    pub parent_session: LenientText<'a>,
    pub message: LenientObject<PiMessage<'a>>,
    pub model_id: LenientText<'a>,
    pub summary: LenientText<'a>,
    pub content: MessageContent<'a, PiBlock<'a>>,
    pub name: LenientText<'a>,
    pub title: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct PiMessage<'a> {
    pub role: LenientText<'a>,
    pub timestamp: LenientTime,
    pub content: MessageContent<'a, PiBlock<'a>>,
    pub model: LenientText<'a>,
    pub stop_reason: LenientText<'a>,
    pub error_message: LenientText<'a>,
    pub tool_call_id: LenientText<'a>,
    pub is_error: LenientBool,
    pub command: LenientText<'a>,
    pub output: LenientText<'a>,
    pub exit_code: LenientNumber,
    pub summary: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct PiBlock<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub text: LenientText<'a>,
    pub thinking: LenientText<'a>,
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub arguments: RawJson<'a>,
}
