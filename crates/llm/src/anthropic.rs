//! Client for Anthropic's Messages API.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Llm;
use super::error::{LlmError, Result};
use super::estimate::complete_usage;
use super::request::{ModelReply, ModelRequest, StopReason};
use super::request_variant::{AcceptedVariant, JsonMode, RequestVariant, TokenLimitParameter};
use cm_net::{Client, ServerUrl, reason};
use cm_text::shorten::short_line;

/// HTTP header that selects the version of the Anthropic API.
pub(super) const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");
/// Maximum length of a server's error message that is quoted, in characters.
const MAX_QUOTED_CHARS: usize = 200;

/// Client for one model on a server with the Anthropic API.
#[derive(Debug)]
pub(super) struct AnthropicClient {
    client: Client,
    model: String,
    url: String,
    variant: AcceptedVariant,
    has_key: bool,
}

#[derive(Deserialize)]
struct AnthropicAnswer {
    content: Vec<WireBlock>,
    stop_reason: Option<String>,
    usage: Option<AnthropicUsage>,
    model: Option<String>,
}

/// A content block of the answer; thinking blocks have no `text`.
#[derive(Deserialize)]
struct WireBlock {
    #[serde(default)]
    text: String,
}

#[derive(Default, Deserialize)]
struct AnthropicUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl AnthropicUsage {
    /// Returns the number of input tokens, including cached ones; `None` if the server did not
    /// report it.
    fn input(&self) -> Option<u64> {
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens];
        let cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
        self.input_tokens.map(|input| input.saturating_add(cached))
    }
}

impl AnthropicClient {
    /// Creates a client for a model on a server.
    pub(super) fn new(model: &str, address: &ServerUrl, client: Client, has_key: bool) -> Self {
        Self {
            client,
            model: model.to_owned(),
            url: address.below("messages"),
            variant: AcceptedVariant::new(RequestVariant {
                form: JsonMode::Schema,
                cap: TokenLimitParameter::Tokens,
            }),
            has_key,
        }
    }

    fn document(&self, request: &ModelRequest, form: JsonMode) -> Value {
        let messages: Vec<_> =
            request.turns().iter().map(|turn| json!({ "role": turn.role, "content": turn.text })).collect();
        let system = match form {
            JsonMode::Schema => request.system().to_owned(),
            JsonMode::Object | JsonMode::Plain => request.system_with_shape(),
        };
        let mut document = json!({
            "model": self.model, "max_tokens": request.max_tokens, "system": system, "messages": messages
        });
        if let (Some(schema), JsonMode::Schema) = (&request.schema, form) {
            document["output_config"] =
                json!({ "format": { "type": "json_schema", "schema": schema.value() } });
        }
        document
    }

    fn read(&self, request: &ModelRequest, body: &[u8]) -> Result<ModelReply> {
        let answer: AnthropicAnswer = serde_json::from_slice(body).map_err(|error| {
            let error_text =
                reason(body).filter(|_| body.windows(14).any(|part| part == b"\"type\":\"error\""));
            let why = error_text
                .map_or_else(|| error.to_string(), |error_text| short_line(&error_text, MAX_QUOTED_CHARS));
            LlmError::Malformed { who: self.url.clone(), why }
        })?;
        let text: String = answer.content.into_iter().map(|block| block.text).collect();
        let stop = match answer.stop_reason.as_deref() {
            Some("refusal") => StopReason::Refused(short_line(&text, MAX_QUOTED_CHARS)),
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            _ => StopReason::Done,
        };
        let usage = answer.usage.unwrap_or_default();
        let usage = complete_usage(request, usage.input(), usage.output_tokens, &text);
        Ok(ModelReply { text, stop, usage, model: answer.model.unwrap_or_else(|| self.model.clone()) })
    }
}

impl Llm for AnthropicClient {
    fn provider(&self) -> &str {
        "anthropic"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        const FORMS: [JsonMode; 2] = [JsonMode::Schema, JsonMode::Plain];
        let post = |variant: RequestVariant| {
            self.client.post(&self.url, &self.document(request, variant.form), request.timeout)
        };
        let next = |variant: RequestVariant, error: &LlmError| {
            // There is but one word for brevity here.
            let next = variant.next_after(error, request.schema.is_some(), &FORMS);
            next.filter(|next| next.form > variant.form)
        };
        let body = self.variant.negotiate(post, next).map_err(|error| {
            error.with_rejection_hint(self.has_key, "check the model name in `llm.model`")
        })?;
        self.read(request, &body)
    }
}
