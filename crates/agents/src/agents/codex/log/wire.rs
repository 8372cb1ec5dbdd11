//! Fields of Codex's records that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize)]
pub struct CodexEnvelope<'a> {
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub payload: LenientObject<CodexPayload<'a>>,
}

/// Payload of any record; every kind uses some of the fields.
#[derive(Deserialize)]
pub struct CodexPayload<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
    #[serde(borrow, default)]
    pub record_type: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub session_id: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
    #[serde(borrow, default)]
    pub cwd: LenientText<'a>,
    #[serde(borrow, default)]
    pub model: LenientText<'a>,
    #[serde(borrow, default)]
    pub instructions: LenientText<'a>,
    #[serde(borrow, default)]
    pub base_instructions: MessageContent<'a, CodexBlock<'a>>,
    #[serde(borrow, default)]
    pub source: RawJson<'a>,
    #[serde(borrow, default)]
    pub forked_from_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub parent_thread_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub git: LenientObject<Git<'a>>,
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, CodexBlock<'a>>,
    #[serde(borrow, default)]
    pub summary: MessageContent<'a, CodexBlock<'a>>,
    #[serde(borrow, default)]
    pub message: LenientText<'a>,
    #[serde(borrow, default)]
    pub reason: LenientText<'a>,
    #[serde(default)]
    pub num_turns: LenientNumber,
    #[serde(borrow, default)]
    pub name: LenientText<'a>,
    #[serde(borrow, default)]
    pub call_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub arguments: RawJson<'a>,
    #[serde(borrow, default)]
    pub input: RawJson<'a>,
    #[serde(borrow, default)]
    pub action: RawJson<'a>,
    #[serde(borrow, default)]
    pub output: RawJson<'a>,
}

#[derive(Deserialize)]
pub struct Git<'a> {
    #[serde(borrow, default)]
    pub branch: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct CodexBlock<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
}

/// An entry of the session name index.
#[derive(Deserialize)]
pub struct IndexEntry<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub thread_name: LenientText<'a>,
}
