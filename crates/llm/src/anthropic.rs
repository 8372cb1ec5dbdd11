//! Client for Anthropic's Messages API.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Llm;
use super::dialect::{Cap, Dialect, Form, Known};
use super::error::{Error, KEY_HINT, Result};
use super::estimate::counted;
use super::request::{Reply, Request, Stop};
use cm_net::{Address, Client, reason, shortened};

/// Header with the API version.
pub(super) const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");
/// Maximum length of a quoted error message in characters.
const SHOWN: usize = 200;

/// A model on an Anthropic server.
#[derive(Debug)]
pub(super) struct Anthropic {
    client: Client,
    model: String,
    url: String,
    known: Known,
    has_key: bool,
}

#[derive(Deserialize)]
struct WireAnswer {
    content: Vec<WireBlock>,
    stop_reason: Option<String>,
    usage: Option<WireUsage>,
    model: Option<String>,
}

/// A content block of the answer; thinking blocks have no `text`.
#[derive(Deserialize)]
struct WireBlock {
    #[serde(default)]
    text: String,
}

#[derive(Default, Deserialize)]
struct WireUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl WireUsage {
    /// Returns the number of input tokens, including cached ones.
    fn input(&self) -> Option<u64> {
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens];
        let cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
        self.input_tokens.map(|input| input.saturating_add(cached))
    }
}

impl Anthropic {
    /// Creates a client for a model on a server.
    pub(super) fn new(model: &str, address: &Address, client: Client, has_key: bool) -> Self {
        Self {
            client,
            model: model.to_owned(),
            url: address.below("messages"),
            known: Known::new(Dialect { form: Form::Schema, cap: Cap::Tokens }),
            has_key,
        }
    }

    fn document(&self, request: &Request, form: Form) -> Value {
        let messages: Vec<_> =
            request.turns().iter().map(|turn| json!({ "role": turn.role, "content": turn.text })).collect();
        let system = match form {
            Form::Schema => request.system().to_owned(),
            Form::Object | Form::Plain => request.system_with_shape(),
        };
        let mut document = json!({
            "model": self.model, "max_tokens": request.max_tokens, "system": system, "messages": messages
        });
        if let (Some(schema), Form::Schema) = (&request.schema, form) {
            document["output_config"] =
                json!({ "format": { "type": "json_schema", "schema": schema.value() } });
        }
        document
    }

    fn read(&self, request: &Request, body: &[u8]) -> Result<Reply> {
        let answer: WireAnswer = serde_json::from_slice(body).map_err(|error| {
            let said = reason(body).filter(|_| body.windows(14).any(|part| part == b"\"type\":\"error\""));
            let why = said.map_or_else(|| error.to_string(), |said| shortened(&said, SHOWN));
            Error::Malformed { who: self.url.clone(), why }
        })?;
        let text: String = answer.content.into_iter().map(|block| block.text).collect();
        let stop = match answer.stop_reason.as_deref() {
            Some("refusal") => Stop::Declined(shortened(&text, SHOWN)),
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
            _ => Stop::Done,
        };
        let usage = answer.usage.unwrap_or_default();
        let usage = counted(request, usage.input(), usage.output_tokens, &text);
        Ok(Reply { text, stop, usage, model: answer.model.unwrap_or_else(|| self.model.clone()) })
    }

    fn helped(&self, error: Error) -> Error {
        let Error::Refused { url, status, message, wait, .. } = error else { return error };
        let hint = match status {
            401 | 403 if self.has_key => Some("is `llm.key` right?"),
            401 | 403 => Some(KEY_HINT),
            404 => Some("is there such a model? `llm.model` names it"),
            _ => None,
        };
        Error::Refused { url, status, message, wait, hint }
    }
}

impl Llm for Anthropic {
    fn provider(&self) -> &str {
        "anthropic"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        const FORMS: [Form; 2] = [Form::Schema, Form::Plain];
        let mut dialect = self.known.now();
        loop {
            let asked = self.client.post(&self.url, &self.document(request, dialect.form), request.timeout);
            let error = match asked {
                Ok(body) => {
                    self.known.learn(dialect);
                    return self.read(request, &body);
                }
                Err(error) => Error::from(error),
            };
            match dialect.after(&error, request.schema.is_some(), &FORMS) {
                // There is but one word for brevity here.
                Some(next) if next.form > dialect.form => dialect = next,
                _ => return Err(self.helped(error)),
            }
        }
    }
}
