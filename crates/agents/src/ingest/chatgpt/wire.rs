//! Fields of the export's conversations that the parser uses.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::ingest::loose::{Flag, List, Number, Object, Piece, Text, When};
use cm_note::instant::Instant;

#[derive(Deserialize)]
pub struct Conversation<'a> {
    #[serde(borrow, default)]
    pub title: Text<'a>,
    #[serde(default)]
    pub create_time: When,
    #[serde(borrow, default)]
    pub conversation_id: Text<'a>,
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub current_node: Text<'a>,
    #[serde(borrow, default)]
    pub default_model_slug: Text<'a>,
    #[serde(borrow, default)]
    pub mapping: HashMap<Cow<'a, str>, Node<'a>>,
}

#[derive(Deserialize)]
pub struct Node<'a> {
    #[serde(borrow, default)]
    pub parent: Text<'a>,
    #[serde(borrow, default)]
    pub message: Object<Message<'a>>,
}

#[derive(Deserialize)]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    pub author: Object<Author<'a>>,
    #[serde(default)]
    pub create_time: When,
    #[serde(borrow, default)]
    pub content: Object<Content<'a>>,
    #[serde(borrow, default)]
    pub metadata: Object<Metadata<'a>>,
    #[serde(borrow, default)]
    pub recipient: Text<'a>,
    #[serde(default)]
    pub weight: Number,
}

#[derive(Deserialize)]
pub struct Author<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
}

#[derive(Deserialize)]
pub struct Metadata<'a> {
    #[serde(borrow, default)]
    pub model_slug: Text<'a>,
    #[serde(default)]
    pub is_visually_hidden_from_conversation: Flag,
}

#[derive(Deserialize)]
pub struct Content<'a> {
    #[serde(borrow, default)]
    pub content_type: Text<'a>,
    #[serde(borrow, default)]
    pub text: Text<'a>,
    #[serde(borrow, default)]
    pub parts: List<Piece<'a, Part<'a>>>,
    #[serde(borrow, default)]
    pub thoughts: List<Thought<'a>>,
    #[serde(borrow, default)]
    pub content: Text<'a>,
}

#[derive(Deserialize)]
pub struct Part<'a> {
    #[serde(borrow, default)]
    pub text: Text<'a>,
}

#[derive(Deserialize)]
pub struct Thought<'a> {
    #[serde(borrow, default)]
    pub summary: Text<'a>,
    #[serde(borrow, default)]
    pub content: Text<'a>,
}

impl Content<'_> {
    /// Returns the text, from all fields that can contain it.
    pub fn said(&self) -> String {
        let mut said: Vec<&str> = Vec::new();
        said.extend(self.text.said());
        said.extend(self.content.said());
        said.extend(self.parts.0.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_ref()),
            Piece::Block(part) => part.text.said(),
            Piece::Nothing => None,
        }));
        said.extend(
            self.thoughts
                .0
                .iter()
                .flat_map(|thought| [thought.summary.said(), thought.content.said()])
                .flatten(),
        );
        said.join("\n")
    }
}

impl<'a> Conversation<'a> {
    /// Returns the displayed branch, from its root; if it cannot be followed, all messages ordered
    /// by time.
    pub fn shown(&self) -> Vec<&Node<'a>> {
        let mut branch = Vec::new();
        let mut seen = HashSet::new();
        let mut next = self.current_node.said();
        while let Some((id, node)) = next.and_then(|id| self.mapping.get_key_value(id)) {
            if !seen.insert(id.as_ref()) {
                break;
            }
            branch.push(node);
            next = node.parent.said();
        }
        branch.reverse();
        if branch.is_empty() {
            // By the node's name where neither time nor id tell two apart: a map has no order.
            let mut nodes: Vec<_> = self.mapping.iter().collect();
            nodes.sort_by(|(a, one), (b, other)| when(one).cmp(&when(other)).then_with(|| a.cmp(b)));
            branch = nodes.into_iter().map(|(_, node)| node).collect();
        }
        branch
    }
}

fn when<'n>(node: &'n Node<'_>) -> (Option<Instant>, Option<&'n str>) {
    let message = node.message.0.as_ref();
    (message.and_then(|message| message.create_time.0), message.and_then(|message| message.id.said()))
}
