//! Estimates the token usage of a call before it is made.

use super::request::{ModelReply, ModelRequest, StopReason, TokenUsage};

/// Estimated maximum number of tokens that a call uses; tends to be too high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenEstimate {
    pub input: u64,
    /// Maximum number of output tokens.
    pub output: u64,
}

impl TokenEstimate {
    /// Estimates the token usage of a request.
    pub fn of(request: &ModelRequest) -> Self {
        Self { input: tokens(&request.as_text()), output: u64::from(request.max_tokens) }
    }

    /// Returns the sum of input and output tokens.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Estimates the tokens of a text at three bytes per token; English prose has about four, code and
/// other languages fewer.
pub(super) fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(3)
}

/// Estimates the token usage of a request and its answer, if the provider did not report it.
pub(super) fn estimate_usage(request: &ModelRequest, answer: &str) -> TokenUsage {
    TokenUsage { input: TokenEstimate::of(request).input, output: tokens(answer), is_estimated: true }
}

/// Completes the usage with estimates for the counts that the server did not report.
pub(super) fn complete_usage(
    request: &ModelRequest,
    input: Option<u64>,
    output: Option<u64>,
    answer: &str,
) -> TokenUsage {
    let guess = estimate_usage(request, answer);
    TokenUsage {
        input: input.unwrap_or(guess.input),
        output: output.unwrap_or(guess.output),
        is_estimated: input.is_none() || output.is_none(),
    }
}

/// Creates a reply with this text and an estimated token usage.
pub(super) fn estimated_reply(request: &ModelRequest, text: String, model: &str) -> ModelReply {
    let usage = estimate_usage(request, &text);
    ModelReply { text, stop: StopReason::Done, usage, model: model.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::redacted;
    use super::*;

    #[test]
    fn a_guess_covers_the_whole_question_and_the_longest_answer() {
        let mut request = ModelRequest::new("You sum up.", redacted("a".repeat(3000)));
        request.max_tokens = 500;
        let estimate = TokenEstimate::of(&request);
        assert!((1000..1030).contains(&estimate.input), "{estimate:?}");
        assert_eq!((estimate.output, estimate.total()), (500, estimate.input + 500));
        assert!(TokenEstimate::of(&request.repair("x", "y")).input > estimate.input);
    }

    #[test]
    fn what_the_server_counted_is_no_guess() {
        let request = ModelRequest::new("", redacted(String::new()));
        assert_eq!(
            complete_usage(&request, Some(7), Some(2), "abc"),
            TokenUsage { input: 7, output: 2, is_estimated: false }
        );
        assert_eq!(
            complete_usage(&request, Some(7), None, "abc"),
            TokenUsage { input: 7, output: 1, is_estimated: true }
        );
    }
}
