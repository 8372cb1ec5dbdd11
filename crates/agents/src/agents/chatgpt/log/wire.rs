//! Fields of the export's conversations that the parser uses.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::ingest::lenient::{
    ContentPiece, LenientBool, LenientList, LenientNumber, LenientObject, LenientText, LenientTime,
};
use cm_note::instant::Instant;

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptConversation<'a> {
    pub title: LenientText<'a>,
    pub create_time: LenientTime,
    pub conversation_id: LenientText<'a>,
    pub id: LenientText<'a>,
    pub current_node: LenientText<'a>,
    pub default_model_slug: LenientText<'a>,
    pub mapping: HashMap<Cow<'a, str>, ChatgptNode<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptNode<'a> {
    pub parent: LenientText<'a>,
    pub message: LenientObject<ChatgptMessage<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptMessage<'a> {
    pub id: LenientText<'a>,
    pub author: LenientObject<Author<'a>>,
    pub create_time: LenientTime,
    pub content: LenientObject<ChatgptContent<'a>>,
    pub metadata: LenientObject<ChatgptMetadata<'a>>,
    pub recipient: LenientText<'a>,
    pub weight: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Author<'a> {
    pub role: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptMetadata<'a> {
    pub model_slug: LenientText<'a>,
    pub is_visually_hidden_from_conversation: LenientBool,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptContent<'a> {
    pub content_type: LenientText<'a>,
    pub text: LenientText<'a>,
    pub parts: LenientList<ContentPiece<'a, ChatgptPart<'a>>>,
    pub thoughts: LenientList<ChatgptThought<'a>>,
    pub content: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptPart<'a> {
    pub text: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct ChatgptThought<'a> {
    pub summary: LenientText<'a>,
    pub content: LenientText<'a>,
}

impl ChatgptContent<'_> {
    /// Returns the text, from all fields that can contain it.
    pub fn text(&self) -> String {
        let mut texts: Vec<&str> = Vec::new();
        texts.extend(self.text.non_blank());
        texts.extend(self.content.non_blank());
        texts.extend(self.parts.0.iter().filter_map(|piece| match piece {
            ContentPiece::Text(text) => Some(text.as_ref()),
            ContentPiece::Block(part) => part.text.non_blank(),
            ContentPiece::Nothing => None,
        }));
        texts.extend(
            self.thoughts
                .0
                .iter()
                .flat_map(|thought| [thought.summary.non_blank(), thought.content.non_blank()])
                .flatten(),
        );
        texts.join("\n")
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
