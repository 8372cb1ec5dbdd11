//! Fields of the export's conversations that the parser uses.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::ingest::lenient::{
    ContentPiece, LenientBool, LenientList, LenientNumber, LenientObject, LenientText, LenientTime,
};
use cm_note::instant::Instant;

#[derive(Deserialize)]
pub struct ChatgptConversation<'a> {
    #[serde(borrow, default)]
    pub title: LenientText<'a>,
    #[serde(default)]
    pub create_time: LenientTime,
    #[serde(borrow, default)]
    pub conversation_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub current_node: LenientText<'a>,
    #[serde(borrow, default)]
    pub default_model_slug: LenientText<'a>,
    #[serde(borrow, default)]
    pub mapping: HashMap<Cow<'a, str>, ChatgptNode<'a>>,
}

#[derive(Deserialize)]
pub struct ChatgptNode<'a> {
    #[serde(borrow, default)]
    pub parent: LenientText<'a>,
    #[serde(borrow, default)]
    pub message: LenientObject<ChatgptMessage<'a>>,
}

#[derive(Deserialize)]
pub struct ChatgptMessage<'a> {
    #[serde(borrow, default)]
    pub id: LenientText<'a>,
    #[serde(borrow, default)]
    pub author: LenientObject<Author<'a>>,
    #[serde(default)]
    pub create_time: LenientTime,
    #[serde(borrow, default)]
    pub content: LenientObject<ChatgptContent<'a>>,
    #[serde(borrow, default)]
    pub metadata: LenientObject<ChatgptMetadata<'a>>,
    #[serde(borrow, default)]
    pub recipient: LenientText<'a>,
    #[serde(default)]
    pub weight: LenientNumber,
}

#[derive(Deserialize)]
pub struct Author<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct ChatgptMetadata<'a> {
    #[serde(borrow, default)]
    pub model_slug: LenientText<'a>,
    #[serde(default)]
    pub is_visually_hidden_from_conversation: LenientBool,
}

#[derive(Deserialize)]
pub struct ChatgptContent<'a> {
    #[serde(borrow, default)]
    pub content_type: LenientText<'a>,
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
    #[serde(borrow, default)]
    pub parts: LenientList<ContentPiece<'a, ChatgptPart<'a>>>,
    #[serde(borrow, default)]
    pub thoughts: LenientList<ChatgptThought<'a>>,
    #[serde(borrow, default)]
    pub content: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct ChatgptPart<'a> {
    #[serde(borrow, default)]
    pub text: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct ChatgptThought<'a> {
    #[serde(borrow, default)]
    pub summary: LenientText<'a>,
    #[serde(borrow, default)]
    pub content: LenientText<'a>,
}

impl ChatgptContent<'_> {
    /// Returns the text, from all fields that can contain it.
    pub fn text(&self) -> String {
        let mut said: Vec<&str> = Vec::new();
        said.extend(self.text.non_blank());
        said.extend(self.content.non_blank());
        said.extend(self.parts.0.iter().filter_map(|piece| match piece {
            ContentPiece::Text(text) => Some(text.as_ref()),
            ContentPiece::Block(part) => part.text.non_blank(),
            ContentPiece::Nothing => None,
        }));
        said.extend(
            self.thoughts
                .0
                .iter()
                .flat_map(|thought| [thought.summary.non_blank(), thought.content.non_blank()])
                .flatten(),
        );
        said.join("\n")
    }
}

impl<'a> ChatgptConversation<'a> {
    /// Returns the displayed branch, from its root; if it cannot be followed, all messages ordered
    /// by time.
    pub fn displayed_branch(&self) -> Vec<&ChatgptNode<'a>> {
        let mut branch = Vec::new();
        let mut seen = HashSet::new();
        let mut next = self.current_node.non_blank();
        while let Some((id, node)) = next.and_then(|id| self.mapping.get_key_value(id)) {
            if !seen.insert(id.as_ref()) {
                break;
            }
            branch.push(node);
            next = node.parent.non_blank();
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

fn when<'n>(node: &'n ChatgptNode<'_>) -> (Option<Instant>, Option<&'n str>) {
    let message = node.message.0.as_ref();
    (message.and_then(|message| message.create_time.0), message.and_then(|message| message.id.non_blank()))
}
