//! Fields of Qwen Code's records that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{LenientBool, LenientList, LenientObject, LenientText, LenientTime, RawJson};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct QwenRecord<'a> {
    pub uuid: LenientText<'a>,
    pub session_id: LenientText<'a>,
    pub timestamp: LenientTime,
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub subtype: LenientText<'a>,
    pub cwd: LenientText<'a>,
    pub git_branch: LenientText<'a>,
    pub model: LenientText<'a>,
    pub message: LenientObject<QwenMessage<'a>>,
    pub tool_call_result: LenientObject<QwenToolResult<'a>>,
    pub system_payload: LenientObject<QwenPayload<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct QwenMessage<'a> {
    pub parts: LenientList<QwenPart<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct QwenPart<'a> {
    pub text: LenientText<'a>,
    pub thought: LenientBool,
    pub function_call: LenientObject<QwenCall<'a>>,
    pub function_response: LenientObject<QwenResponse<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct QwenCall<'a> {
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub args: RawJson<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct QwenResponse<'a> {
    pub id: LenientText<'a>,
    pub response: LenientObject<QwenOutput<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct QwenOutput<'a> {
    pub output: LenientText<'a>,
    pub error: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct QwenToolResult<'a> {
    pub status: LenientText<'a>,
}

/// Details of a system record: a compaction or a title.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct QwenPayload<'a> {
    pub custom_title: LenientText<'a>,
    pub title: LenientText<'a>,
}
