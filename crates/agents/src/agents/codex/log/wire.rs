//! Fields of Codex's records that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CodexEnvelope<'a> {
    pub timestamp: LenientTime,
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub payload: LenientObject<CodexPayload<'a>>,
}

/// Payload of any record; every kind uses some of the fields.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CodexPayload<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub record_type: LenientText<'a>,
    pub id: LenientText<'a>,
    pub session_id: LenientText<'a>,
    pub timestamp: LenientTime,
    pub cwd: LenientText<'a>,
    pub model: LenientText<'a>,
    pub instructions: LenientText<'a>,
    pub base_instructions: MessageContent<'a, CodexBlock<'a>>,
    pub source: RawJson<'a>,
    pub originator: LenientText<'a>,
    pub forked_from_id: LenientText<'a>,
    pub parent_thread_id: LenientText<'a>,
    pub git: LenientObject<Git<'a>>,
    pub role: LenientText<'a>,
    pub content: MessageContent<'a, CodexBlock<'a>>,
    pub summary: MessageContent<'a, CodexBlock<'a>>,
    pub message: LenientText<'a>,
    pub reason: LenientText<'a>,
    pub num_turns: LenientNumber,
    pub name: LenientText<'a>,
    pub call_id: LenientText<'a>,
    pub arguments: RawJson<'a>,
    pub input: RawJson<'a>,
    pub action: RawJson<'a>,
    pub output: RawJson<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Git<'a> {
    pub branch: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct CodexBlock<'a> {
    pub text: LenientText<'a>,
}

/// An entry of the session name index.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct IndexEntry<'a> {
    pub id: LenientText<'a>,
    pub thread_name: LenientText<'a>,
}
