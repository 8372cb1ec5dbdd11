//! Fields of Amp's thread files that the parser uses.

use serde::Deserialize;

use crate::ingest::lenient::{
    LenientList, LenientNumber, LenientObject, LenientText, LenientTime, MessageContent, RawJson,
};

#[derive(Deserialize, Default)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Environment<'a> {
    pub initial: LenientObject<Initial<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Initial<'a> {
    pub trees: LenientList<Tree<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Tree<'a> {
    pub uri: LenientText<'a>,
    pub repository: LenientObject<Repository<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Repository<'a> {
    #[serde(rename = "ref")]
    pub branch: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
pub struct AmpMessage<'a> {
    pub role: LenientText<'a>,
    pub message_id: LenientNumber,
    pub meta: LenientObject<AmpMeta>,
    pub usage: LenientObject<AmpUsage<'a>>,
    pub state: LenientObject<AmpState<'a>>,
    pub content: MessageContent<'a, AmpBlock<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AmpMeta {
    pub sent_at: LenientTime,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct AmpUsage<'a> {
    pub model: LenientText<'a>,
    pub timestamp: LenientTime,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct AmpState<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct AmpBlock<'a> {
    #[serde(rename = "type")]
    pub kind: LenientText<'a>,
    pub text: LenientText<'a>,
    pub thinking: LenientText<'a>,
    pub id: LenientText<'a>,
    pub name: LenientText<'a>,
    pub input: RawJson<'a>,
    #[serde(rename = "toolUseID")]
    pub tool_use_id: LenientText<'a>,
    pub run: LenientObject<AmpRun<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct AmpRun<'a> {
    pub status: LenientText<'a>,
    result: RawJson<'a>,
    error: RawJson<'a>,
    pub reason: LenientText<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, bound(deserialize = "'de: 'a"))]
struct AmpOutput<'a> {
    output: LenientText<'a>,
    exit_code: LenientNumber,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct AmpFailure<'a> {
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

    pub fn error(&self) -> String {
        let Some(raw) = self.error.get() else { return String::new() };
        let failure: LenientObject<AmpFailure<'_>> = serde_json::from_str(raw.get()).unwrap_or_default();
        failure.0.and_then(|failure| failure.message.owned()).unwrap_or_else(|| self.error.text())
    }
}
