//! Fields of Codex's records that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, Number, Object, Raw, Text, When};

#[derive(Deserialize)]
pub struct Envelope<'a> {
    #[serde(default)]
    pub timestamp: When,
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub payload: Object<Payload<'a>>,
}

/// Payload of any record; every kind uses some of the fields.
#[derive(Deserialize)]
pub struct Payload<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub record_type: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub session_id: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
    #[serde(borrow, default)]
    pub cwd: Text<'a>,
    #[serde(borrow, default)]
    pub model: Text<'a>,
    #[serde(borrow, default)]
    pub instructions: Text<'a>,
    #[serde(borrow, default)]
    pub base_instructions: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub source: Raw<'a>,
    #[serde(borrow, default)]
    pub forked_from_id: Text<'a>,
    #[serde(borrow, default)]
    pub parent_thread_id: Text<'a>,
    #[serde(borrow, default)]
    pub git: Object<Git<'a>>,
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub summary: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub message: Text<'a>,
    #[serde(borrow, default)]
    pub reason: Text<'a>,
    #[serde(default)]
    pub num_turns: Number,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub call_id: Text<'a>,
    #[serde(borrow, default)]
    pub arguments: Raw<'a>,
    #[serde(borrow, default)]
    pub input: Raw<'a>,
    #[serde(borrow, default)]
    pub action: Raw<'a>,
    #[serde(borrow, default)]
    pub output: Raw<'a>,
}

#[derive(Deserialize)]
pub struct Git<'a> {
    #[serde(borrow, default)]
    pub branch: Text<'a>,
}

#[derive(Deserialize)]
pub struct Block<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
}

/// An entry of the session name index.
#[derive(Deserialize)]
pub struct IndexEntry<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub thread_name: Text<'a>,
}
