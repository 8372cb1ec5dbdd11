//! Fields of Pi's entries that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, Flag, Number, Object, Raw, Text, When};

/// Position of an entry in the tree.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub parent_id: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
    #[serde(borrow, default)]
    pub cwd: Text<'a>,
    #[serde(borrow, default)]
    pub parent_session: Text<'a>,
    #[serde(borrow, default)]
    pub message: Object<Message<'a>>,
    #[serde(borrow, default)]
    pub model_id: Text<'a>,
    #[serde(borrow, default)]
    pub summary: Text<'a>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub title: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
    #[serde(borrow, default)]
    pub model: Text<'a>,
    #[serde(borrow, default)]
    pub stop_reason: Text<'a>,
    #[serde(borrow, default)]
    pub error_message: Text<'a>,
    #[serde(borrow, default)]
    pub tool_call_id: Text<'a>,
    #[serde(default)]
    pub is_error: Flag,
    #[serde(borrow, default)]
    pub command: Text<'a>,
    #[serde(borrow, default)]
    pub output: Text<'a>,
    #[serde(default)]
    pub exit_code: Number,
    #[serde(borrow, default)]
    pub summary: Text<'a>,
}

#[derive(Deserialize)]
pub struct Block<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub thinking: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub arguments: Raw<'a>,
}
