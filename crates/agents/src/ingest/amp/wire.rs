//! Fields of Amp's thread files that the parser uses.

use serde::Deserialize;

use crate::ingest::loose::{Content, List, Number, Object, Raw, Text, When};

#[derive(Deserialize, Default)]
pub struct Environment<'a> {
    #[serde(borrow, default)]
    pub initial: Object<Initial<'a>>,
}

#[derive(Deserialize)]
pub struct Initial<'a> {
    #[serde(borrow, default)]
    pub trees: List<Tree<'a>>,
}

#[derive(Deserialize)]
pub struct Tree<'a> {
    #[serde(borrow, default)]
    pub uri: Text<'a>,
    #[serde(borrow, default)]
    pub repository: Object<Repository<'a>>,
}

#[derive(Deserialize)]
pub struct Repository<'a> {
    #[serde(rename = "ref", borrow, default)]
    pub branch: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub role: Text<'a>,
    #[serde(default)]
    pub message_id: Number,
    #[serde(default)]
    pub meta: Object<Sent>,
    #[serde(borrow, default)]
    pub usage: Object<Usage<'a>>,
    #[serde(borrow, default)]
    pub state: Object<State<'a>>,
    #[serde(borrow, default)]
    pub content: Content<'a, Block<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    #[serde(default)]
    pub sent_at: When,
}

#[derive(Deserialize)]
pub struct Usage<'a> {
    #[serde(borrow, default)]
    pub model: Text<'a>,
    #[serde(default)]
    pub timestamp: When,
}

#[derive(Deserialize)]
pub struct State<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Text<'a>,
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
    pub input: Raw<'a>,
    #[serde(rename = "toolUseID", borrow, default)]
    pub tool_use_id: Text<'a>,
    #[serde(borrow, default)]
    pub run: Object<Run<'a>>,
}

#[derive(Deserialize)]
pub struct Run<'a> {
    #[serde(borrow, default)]
    pub status: Text<'a>,
    #[serde(borrow, default)]
    result: Raw<'a>,
    #[serde(borrow, default)]
    error: Raw<'a>,
    #[serde(borrow, default)]
    pub reason: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(default)]
    exit_code: Number,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow, default)]
    message: Text<'a>,
}

impl Run<'_> {
    /// Returns the output of the tool and its exit code; for tools other than commands, the output
    /// is JSON.
    pub fn output(&self) -> (String, Option<i32>) {
        let Some(raw) = self.result.get() else { return (String::new(), None) };
        let answer: Object<Output<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        let code = answer.0.as_ref().and_then(|answer| answer.exit_code.exit_code());
        let text = answer.0.and_then(|answer| answer.output.0.map(std::borrow::Cow::into_owned));
        (text.unwrap_or_else(|| self.result.text()), code)
    }

    /// Returns the error message.
    pub fn error(&self) -> String {
        let Some(raw) = self.error.get() else { return String::new() };
        let failure: Object<Failure<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        failure.0.and_then(|failure| failure.message.owned()).unwrap_or_else(|| self.error.text())
    }
}
