//! Client for OpenAI's chat completions API, which most servers support: Ollama, llama.cpp, vLLM,
//! LM Studio, Google, Bedrock.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Llm;
use super::dialect::{Cap, Dialect, Form, Known};
use super::error::{Error, KEY_HINT, Result};
use super::estimate::counted;
use super::request::{Reply, Request, Stop};
use cm_net::{Address, Client, reason, shortened};

/// Maximum number of request variants tried: three JSON formats, and another parameter for the
/// length limit.
const WAYS: usize = 4;
/// Maximum length of a quoted error message in characters.
const SHOWN: usize = 200;

/// A model on an OpenAI-compatible server.
#[derive(Debug)]
pub(super) struct OpenAi {
    client: Client,
    provider: &'static str,
    model: String,
    url: String,
    known: Known,
    has_key: bool,
    /// Whether the server only enforces the schema without showing it to the model.
    is_blind: bool,
}

#[derive(Deserialize)]
struct WireAnswer {
    choices: Vec<WireChoice>,
    usage: Option<WireUsage>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct WireChoice {
    message: WireMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<WireContent>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireContent {
    Text(String),
    Parts(Vec<WirePart>),
}

#[derive(Deserialize)]
struct WirePart {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl OpenAi {
    /// Creates a client for a model on a server. OpenAI's own server gets `max_completion_tokens`.
    pub(super) fn new(
        provider: &'static str,
        model: &str,
        address: &Address,
        client: Client,
        has_key: bool,
    ) -> Self {
        let is_blind = !matches!(provider, "openai" | "google");
        let cap = if address.host() == "api.openai.com" { Cap::CompletionTokens } else { Cap::Tokens };
        Self {
            client,
            provider,
            model: model.to_owned(),
            url: address.below("chat/completions"),
            known: Known::new(Dialect { form: Form::Schema, cap }),
            has_key,
            is_blind,
        }
    }

    fn document(&self, request: &Request, dialect: Dialect) -> Value {
        let system = match dialect.form {
            Form::Schema if !self.is_blind => request.system().to_owned(),
            Form::Schema | Form::Object | Form::Plain => request.system_with_shape(),
        };
        let mut messages = vec![json!({ "role": "system", "content": system })];
        messages
            .extend(request.turns().iter().map(|turn| json!({ "role": turn.role, "content": turn.text })));
        let cap = match dialect.cap {
            Cap::Tokens => "max_tokens",
            Cap::CompletionTokens => "max_completion_tokens",
        };
        let mut document = json!({ "model": self.model, "messages": messages, cap: request.max_tokens });
        let format = request.schema.as_ref().and_then(|schema| match dialect.form {
            Form::Schema => {
                let strict = schema.is_strict();
                let schema = json!({ "name": schema.name(), "schema": schema.value(), "strict": strict });
                Some(json!({ "type": "json_schema", "json_schema": schema }))
            }
            Form::Object => Some(json!({ "type": "json_object" })),
            Form::Plain => None,
        });
        if let Some(format) = format {
            document["response_format"] = format;
        }
        document
    }

    fn read(&self, request: &Request, body: &[u8]) -> Result<Reply> {
        let malformed = |why| Error::Malformed { who: self.url.clone(), why };
        let answer: WireAnswer = serde_json::from_slice(body).map_err(|error| {
            let said = reason(body).filter(|_| body.trim_ascii_start().starts_with(b"{\"error\""));
            malformed(said.map_or_else(|| error.to_string(), |said| shortened(&said, SHOWN)))
        })?;
        let choice = answer.choices.into_iter().next();
        let choice = choice.ok_or_else(|| malformed("an answer without a choice".to_owned()))?;
        let text = match choice.message.content {
            Some(WireContent::Text(text)) => text,
            Some(WireContent::Parts(parts)) => parts.into_iter().map(|part| part.text).collect(),
            None => String::new(),
        };
        let stop = match (choice.message.refusal, choice.finish_reason.as_deref()) {
            (Some(why), _) if !why.trim().is_empty() => Stop::Declined(shortened(&why, SHOWN)),
            (_, Some("content_filter")) => Stop::Declined("the provider's filter stopped it".to_owned()),
            (_, Some("length")) => Stop::Length,
            _ => Stop::Done,
        };
        let usage = answer.usage.unwrap_or(WireUsage { prompt_tokens: None, completion_tokens: None });
        let usage = counted(request, usage.prompt_tokens, usage.completion_tokens, &text);
        Ok(Reply { text, stop, usage, model: answer.model.unwrap_or_else(|| self.model.clone()) })
    }

    fn helped(&self, error: Error) -> Error {
        let Error::Refused { url, status, message, wait, .. } = error else { return error };
        let hint = match status {
            401 | 403 if self.has_key => Some("is `llm.key` right?"),
            401 | 403 => Some(KEY_HINT),
            404 if self.provider == "ollama" => Some("`ollama pull` fetches a model; `llm.model` names it"),
            404 => Some("is there such a model, and does `llm.base_url` end as the server's manual says?"),
            _ => None,
        };
        Error::Refused { url, status, message, wait, hint }
    }
}

impl Llm for OpenAi {
    fn provider(&self) -> &str {
        self.provider
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        const FORMS: [Form; 3] = [Form::Schema, Form::Object, Form::Plain];
        let mut dialect = self.known.now();
        let mut ways = 1;
        loop {
            let asked = self.client.post(&self.url, &self.document(request, dialect), request.timeout);
            let error = match asked {
                Ok(body) => {
                    self.known.learn(dialect);
                    return self.read(request, &body);
                }
                Err(error) => Error::from(error),
            };
            match dialect.after(&error, request.schema.is_some(), &FORMS) {
                Some(next) if ways < WAYS => dialect = next,
                _ => return Err(self.helped(error)),
            }
            ways += 1;
        }
    }
}
