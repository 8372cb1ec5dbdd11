//! Fields of Amp's thread files that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientList, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize, Default)]
pub struct Environment<'a> {
    #[serde(borrow, default)]
    pub initial: LenientObject<Initial<'a>>,
}

#[derive(Deserialize)]
pub struct Initial<'a> {
    #[serde(borrow, default)]
    pub trees: LenientList<Tree<'a>>,
}

#[derive(Deserialize)]
pub struct Tree<'a> {
    #[serde(borrow, default)]
    pub uri: LenientText<'a>,
    #[serde(borrow, default)]
    pub repository: LenientObject<Repository<'a>>,
}

#[derive(Deserialize)]
pub struct Repository<'a> {
    #[serde(rename = "ref", borrow, default)]
    pub branch: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AmpMessage<'a> {
    #[serde(borrow, default)]
    pub role: LenientText<'a>,
    #[serde(default)]
    pub message_id: LenientNumber,
    #[serde(default)]
    pub meta: LenientObject<AmpMeta>,
    #[serde(borrow, default)]
    pub usage: LenientObject<AmpUsage<'a>>,
    #[serde(borrow, default)]
    pub state: LenientObject<AmpState<'a>>,
    #[serde(borrow, default)]
    pub content: MessageContent<'a, AmpBlock<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AmpMeta {
    #[serde(default)]
    pub sent_at: LenientTime,
}

#[derive(Deserialize)]
pub struct AmpUsage<'a> {
    #[serde(borrow, default)]
    pub model: LenientText<'a>,
    #[serde(default)]
    pub timestamp: LenientTime,
}

#[derive(Deserialize)]
pub struct AmpState<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: LenientText<'a>,
}

#[derive(Deserialize)]
pub struct AmpBlock<'a> {
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
    pub input: RawJson<'a>,
    #[serde(rename = "toolUseID", borrow, default)]
    pub tool_use_id: LenientText<'a>,
    #[serde(borrow, default)]
    pub run: LenientObject<AmpRun<'a>>,
}

#[derive(Deserialize)]
pub struct AmpRun<'a> {
    #[serde(borrow, default)]
    pub status: LenientText<'a>,
    #[serde(borrow, default)]
    result: RawJson<'a>,
    #[serde(borrow, default)]
    error: RawJson<'a>,
    #[serde(borrow, default)]
    pub reason: LenientText<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AmpOutput<'a> {
    #[serde(borrow, default)]
    output: LenientText<'a>,
    #[serde(default)]
    exit_code: LenientNumber,
}

#[derive(Deserialize)]
struct AmpFailure<'a> {
    #[serde(borrow, default)]
    message: LenientText<'a>,
}

impl AmpRun<'_> {
    /// Returns the output of the tool and its exit code; for tools other than commands, the output
    /// is JSON.
    pub fn output(&self) -> (String, Option<i32>) {
        let Some(raw) = self.result.get() else { return (String::new(), None) };
        let answer: LenientObject<AmpOutput<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        let code = answer.0.as_ref().and_then(|answer| answer.exit_code.exit_code());
        let text = answer.0.and_then(|answer| answer.output.0.map(std::borrow::Cow::into_owned));
        (text.unwrap_or_else(|| self.result.text()), code)
    }

    /// Returns the error message.
    pub fn error(&self) -> String {
        let Some(raw) = self.error.get() else { return String::new() };
        let failure: LenientObject<AmpFailure<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        failure.0.and_then(|failure| failure.message.owned()).unwrap_or_else(|| self.error.text())
    }
}
