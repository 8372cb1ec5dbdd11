//! Differences between servers in how they accept requests for JSON output and for an answer limit.
//!
//! The best variant is tried first. If a server rejects it, a simpler one is tried and used from
//! then on.

use std::sync::atomic::{AtomicU8, Ordering};

use super::error::{LlmError, Result};

/// Ways to request JSON from a server, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum JsonMode {
    /// The server enforces a JSON Schema.
    Schema,
    /// The server enforces valid JSON of any structure; the prompt describes the schema.
    Object,
    /// The server enforces nothing; the prompt asks for JSON and describes the schema.
    Plain,
}

/// Name of the parameter that limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenLimitParameter {
    /// `max_tokens`, accepted by most servers.
    Tokens,
    /// `max_completion_tokens`, required by OpenAI.
    CompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestVariant {
    pub(super) form: JsonMode,
    pub(super) cap: TokenLimitParameter,
}

/// The request variant that a server accepted last, shared between threads.
#[derive(Debug)]
pub(super) struct AcceptedVariant(AtomicU8);

/// Maximum number of variants in which a request is tried: three JSON formats, and another name for
/// the parameter of the length limit.
const MAX_ATTEMPTS: usize = 4;

/// Words in a server's error message which show that it rejects the JSON format: the parameter, its
/// value, or the schema.
const OF_FORM: [&str; 9] = [
    "response_format",
    "response format",
    "output_config",
    "output format",
    "structured output",
    "json_schema",
    "json_object",
    "schema",
    "grammar",
];

impl RequestVariant {
    /// Returns the next variant to try after an error; `None` if the error has another cause.
    /// `shaped` is whether JSON was requested, and `forms` are the JSON modes that the provider
    /// supports.
    pub(super) fn next_after(self, error: &LlmError, shaped: bool, forms: &[JsonMode]) -> Option<Self> {
        let LlmError::Rejected { status, message, .. } = error else { return None };
        if !matches!(status, 400 | 404 | 415 | 422 | 500 | 501) {
            return None;
        }
        let complaint = message.to_lowercase();
        let cap = match self.cap {
            TokenLimitParameter::Tokens => TokenLimitParameter::CompletionTokens,
            TokenLimitParameter::CompletionTokens => TokenLimitParameter::Tokens,
        };
        // A server that knows only the one either names the other or the one that it does not know.
        if complaint.contains("max_completion_tokens")
            || (complaint.contains("max_tokens") && complaint.contains("unsupported"))
        {
            return Some(Self { cap, ..self });
        }
        if !shaped || !OF_FORM.iter().any(|word| complaint.contains(word)) {
            return None;
        }
        let form = forms.iter().copied().find(|form| *form > self.form)?;
        Some(Self { form, ..self })
    }
}

impl AcceptedVariant {
    /// Starts with `dialect` until [`set`](Self::set) stores another variant.
    pub(super) fn new(dialect: RequestVariant) -> Self {
        let accepted = Self(AtomicU8::new(0));
        accepted.set(dialect);
        accepted
    }

    /// Returns the variant that the server accepted last.
    pub(super) fn get(&self) -> RequestVariant {
        let bits = self.0.load(Ordering::Relaxed);
        let form = match bits >> 1 {
            0 => JsonMode::Schema,
            1 => JsonMode::Object,
            _ => JsonMode::Plain,
        };
        RequestVariant {
            form,
            cap: if bits & 1 == 0 {
                TokenLimitParameter::Tokens
            } else {
                TokenLimitParameter::CompletionTokens
            },
        }
    }

    /// Sends a request in the variant that the server accepted last, and while it rejects the variant, in
    /// the one that `next` returns. Stores the variant that is accepted.
    ///
    /// # Errors
    /// The last error of `post`.
    pub(super) fn negotiate(
        &self,
        post: impl Fn(RequestVariant) -> cm_net::Result<Vec<u8>>,
        next: impl Fn(RequestVariant, &LlmError) -> Option<RequestVariant>,
    ) -> Result<Vec<u8>> {
        let (mut variant, mut attempts) = (self.get(), 0);
        loop {
            attempts += 1;
            let error = match post(variant) {
                Ok(body) => {
                    self.set(variant);
                    return Ok(body);
                }
                Err(error) => LlmError::from(error),
            };
            match next(variant, &error) {
                Some(next) if attempts < MAX_ATTEMPTS => variant = next,
                _ => return Err(error),
            }
        }
    }

    /// Stores a variant that the server accepted.
    pub(super) fn set(&self, dialect: RequestVariant) {
        let cap = u8::from(dialect.cap == TokenLimitParameter::CompletionTokens);
        self.0.store((dialect.form as u8) << 1 | cap, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: RequestVariant = RequestVariant { form: JsonMode::Schema, cap: TokenLimitParameter::Tokens };
    const ALL: [JsonMode; 3] = [JsonMode::Schema, JsonMode::Object, JsonMode::Plain];

    fn refused(status: u16, message: &str) -> LlmError {
        let (url, message) = ("http://localhost".to_owned(), message.to_owned());
        LlmError::Rejected { url, status, message, wait: None, hint: None }
    }

    #[test]
    fn a_form_that_is_refused_gives_way_to_a_plainer_one() {
        for message in [
            "This response_format type is unavailable now",
            "does not support 'JSON_SCHEMA' response format",
            "failed to parse grammar",
            "Invalid schema for response_format 'deltas': …",
            r#"[{"loc":["body","response_format"],"type":"extra_forbidden"}]"#,
        ] {
            let next = FIRST.next_after(&refused(400, message), true, &ALL);
            assert_eq!(next, Some(RequestVariant { form: JsonMode::Object, ..FIRST }), "{message}");
        }
        let error = refused(400, "'response_format.type' must be 'json_schema' or 'text'");
        let next = RequestVariant { form: JsonMode::Object, ..FIRST }.next_after(&error, true, &ALL);
        assert_eq!(next.map(|next| next.form), Some(JsonMode::Plain));
        assert_eq!(RequestVariant { form: JsonMode::Plain, ..FIRST }.next_after(&error, true, &ALL), None);
        let two = [JsonMode::Schema, JsonMode::Plain];
        assert_eq!(FIRST.next_after(&error, true, &two).map(|next| next.form), Some(JsonMode::Plain));
    }

    #[test]
    fn other_refusals_are_refusals() {
        for (status, message) in [
            (400, "context length exceeded"),
            (404, "model `m` not found"),
            (401, "no key for response_format"),
            (429, "response_format"),
        ] {
            assert_eq!(FIRST.next_after(&refused(status, message), true, &ALL), None, "{message}");
        }
        assert_eq!(FIRST.next_after(&refused(400, "response_format"), false, &ALL), None);
        assert_eq!(FIRST.next_after(&LlmError::Cancelled, true, &ALL), None);
    }

    #[test]
    fn the_word_for_brevity_is_changed_where_it_is_not_known() {
        let complaint = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        let next = FIRST.next_after(&refused(400, complaint), true, &ALL);
        assert_eq!(next, Some(RequestVariant { cap: TokenLimitParameter::CompletionTokens, ..FIRST }));
        let theirs = RequestVariant { cap: TokenLimitParameter::CompletionTokens, ..FIRST };
        let unknown = refused(422, "extra fields not permitted: max_completion_tokens");
        assert_eq!(theirs.next_after(&unknown, false, &ALL), Some(FIRST));
        assert_eq!(FIRST.next_after(&refused(400, "max_tokens is too large"), false, &ALL), None);
    }

    #[test]
    fn what_was_learned_is_known() {
        for form in ALL {
            for cap in [TokenLimitParameter::Tokens, TokenLimitParameter::CompletionTokens] {
                let known = AcceptedVariant::new(FIRST);
                known.set(RequestVariant { form, cap });
                assert_eq!(known.get(), RequestVariant { form, cap });
            }
        }
    }
}
