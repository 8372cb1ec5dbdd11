//! Client for OpenAI's chat completions API, which most servers support: Ollama, llama.cpp, vLLM,
//! LM Studio, Google, Bedrock.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Llm;
use super::error::{LlmError, Result};
use super::estimate::complete_usage;
use super::request::{ModelReply, ModelRequest, StopReason};
use super::request_variant::{AcceptedVariant, JsonMode, RequestVariant, TokenLimitParameter};
use cm_net::{Client, ServerUrl, reason};
use cm_text::shorten::short_line;

/// Maximum length of a server's error message that is quoted, in characters.
const MAX_QUOTED_CHARS: usize = 200;

/// Client for one model on a server with an OpenAI-compatible API.
#[derive(Debug)]
pub(super) struct OpenAiClient {
    client: Client,
    provider: &'static str,
    model: String,
    url: String,
    variant: AcceptedVariant,
    has_key: bool,
    /// Whether the server enforces the schema without showing it to the model, so that the prompt
    /// must describe it.
    hides_schema: bool,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    choices: Vec<WireChoice>,
    usage: Option<OpenAiUsage>,
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
struct OpenAiUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl OpenAiClient {
    /// Creates a client for a model on a server. OpenAI's own server gets `max_completion_tokens`.
    pub(super) fn new(
        provider: &'static str,
        model: &str,
        address: &ServerUrl,
        client: Client,
        has_key: bool,
    ) -> Self {
        let is_blind = !matches!(provider, "openai" | "google");
        let cap = if address.host() == "api.openai.com" {
            TokenLimitParameter::CompletionTokens
        } else {
            TokenLimitParameter::Tokens
        };
        Self {
            client,
            provider,
            model: model.to_owned(),
            url: address.below("chat/completions"),
            variant: AcceptedVariant::new(RequestVariant { form: JsonMode::Schema, cap }),
            has_key,
            hides_schema: is_blind,
        }
    }

    fn document(&self, request: &ModelRequest, dialect: RequestVariant) -> Value {
        let system = match dialect.form {
            JsonMode::Schema if !self.hides_schema => request.system().to_owned(),
            JsonMode::Schema | JsonMode::Object | JsonMode::Plain => request.system_with_shape(),
        };
        let mut messages = vec![json!({ "role": "system", "content": system })];
        messages
            .extend(request.turns().iter().map(|turn| json!({ "role": turn.role, "content": turn.text })));
        let cap = match dialect.cap {
            TokenLimitParameter::Tokens => "max_tokens",
            TokenLimitParameter::CompletionTokens => "max_completion_tokens",
        };
        let mut document = json!({ "model": self.model, "messages": messages, cap: request.max_tokens });
        let format = request.schema.as_ref().and_then(|schema| match dialect.form {
            JsonMode::Schema => {
                let strict = schema.is_strict();
                let schema = json!({ "name": schema.name(), "schema": schema.value(), "strict": strict });
                Some(json!({ "type": "json_schema", "json_schema": schema }))
            }
            JsonMode::Object => Some(json!({ "type": "json_object" })),
            JsonMode::Plain => None,
        });
        if let Some(format) = format {
            document["response_format"] = format;
        }
        document
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelReply> {
        let malformed = |why| LlmError::Malformed { who: self.url.clone(), why };
        let answer: OpenAiAnswer =
            serde_json::from_slice(body).map_err(|error| {
                let error_text = reason(body).filter(|_| body.trim_ascii_start().starts_with(b"{\"error\""));
                malformed(error_text.map_or_else(
                    || error.to_string(),
                    |error_text| short_line(&error_text, MAX_QUOTED_CHARS),
                ))
            })?;
        let choice = answer.choices.into_iter().next();
        let choice = choice.ok_or_else(|| malformed("a response without a choice".to_owned()))?;
        let text = match choice.message.content {
            Some(WireContent::Text(text)) => text,
            Some(WireContent::Parts(parts)) => parts.into_iter().map(|part| part.text).collect(),
            None => String::new(),
        };
        let stop = match (choice.message.refusal, choice.finish_reason.as_deref()) {
            (Some(why), _) if !why.trim().is_empty() => {
                StopReason::Refused(short_line(&why, MAX_QUOTED_CHARS))
            }
            (_, Some("content_filter")) => {
                StopReason::Refused("the provider's content filter stopped it".to_owned())
            }
            (_, Some("length")) => StopReason::Length,
            _ => StopReason::Done,
        };
        let usage = answer.usage.unwrap_or(OpenAiUsage { prompt_tokens: None, completion_tokens: None });
        let usage = complete_usage(request, usage.prompt_tokens, usage.completion_tokens, &text);
        Ok(ModelReply { text, stop, usage, model: answer.model.unwrap_or_else(|| self.model.clone()) })
    }
}

impl Llm for OpenAiClient {
    fn provider(&self) -> &str {
        self.provider
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        const FORMS: [JsonMode; 3] = [JsonMode::Schema, JsonMode::Object, JsonMode::Plain];
        let post = |variant: RequestVariant| {
            self.client.post(&self.url, &self.document(request, variant), request.timeout)
        };
        let next = |variant: RequestVariant, error: &LlmError| {
            variant.next_after(error, request.schema.is_some(), &FORMS)
        };
        let not_found = match self.provider {
            "ollama" => "`ollama pull` downloads a model; `llm.model` sets its name",
            _ => "check the model name, and that `llm.base_url` ends as the server's manual says",
        };
        let body = self
            .variant
            .negotiate(post, next)
            .map_err(|error| error.with_rejection_hint(self.has_key, not_found))?;
        self.read(request, &body)
    }
}
