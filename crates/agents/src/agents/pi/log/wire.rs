//! Fields of Pi's entries that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientBool, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

/// Position of an entry in the tree.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PiTreePosition<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub parent_id: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PiEntry<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(borrow, default)]
    pub cwd: LenientText<'a>,
    #[serde(borrow, default)]
    pub parent_session: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientObject<PiMessage<'a>>,
    #[serde(borrow, default)]
    pub model_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, PiBlock<'a>>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub title: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PiMessage<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, PiBlock<'a>>,
    #[serde(borrow, default)]
    pub model: LenientText<'a>,
    #[serde(borrow, default)]
    pub stop_reason: LenientText<'a>,
    #[serde(borrow, default)]
    pub error_message: LenientText<'a>,
    #[serde(borrow, default)]
    pub tool_call_id: LenientText<'a>,
    #[serde(default)]
    pub is_error: LenientBool,
    #[serde(borrow, default)]
    pub command: LenientText<'a>,
    #[serde(borrow, default)]
    pub output: LenientText<'a>,
    #[serde(default)]
    pub exit_code: LenientNumber,
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct PiBlock<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub thinking: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub arguments: RawJson<'a>,
}
