//! Estimates the token usage of a call before it is made.

use super::request::{Reply, Request, Stop, Usage};

/// Estimated maximum token usage of a call; tends to be too high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Input tokens.
    pub input: u64,
    /// Maximum number of output tokens.
    pub output: u64,
}

impl Estimate {
    /// Estimates the token usage of a request.
    pub fn of(request: &Request) -> Self {
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

/// Estimates the usage of an answer if the provider did not report it.
pub(super) fn guessed(request: &Request, answer: &str) -> Usage {
    Usage { input: Estimate::of(request).input, output: tokens(answer), guessed: true }
}

/// Completes the usage with estimates for the counts that the server did not report.
pub(super) fn counted(request: &Request, input: Option<u64>, output: Option<u64>, answer: &str) -> Usage {
    let guess = guessed(request, answer);
    Usage {
        input: input.unwrap_or(guess.input),
        output: output.unwrap_or(guess.output),
        guessed: input.is_none() || output.is_none(),
    }
}

/// Creates a reply from a text, with estimated usage.
pub(super) fn uncounted(request: &Request, text: String, model: &str) -> Reply {
    let usage = guessed(request, &text);
    Reply { text, stop: Stop::Done, usage, model: model.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::clean;
    use super::*;

    #[test]
    fn a_guess_covers_the_whole_question_and_the_longest_answer() {
        let mut request = Request::new("You sum up.", clean("a".repeat(3000)));
        request.max_tokens = 500;
        let estimate = Estimate::of(&request);
        assert!((1000..1030).contains(&estimate.input), "{estimate:?}");
        assert_eq!((estimate.output, estimate.total()), (500, estimate.input + 500));
        assert!(Estimate::of(&request.again("x", "y")).input > estimate.input);
    }

    #[test]
    fn what_the_server_counted_is_no_guess() {
        let request = Request::new("", clean(String::new()));
        assert_eq!(counted(&request, Some(7), Some(2), "abc"), Usage { input: 7, output: 2, guessed: false });
        assert_eq!(counted(&request, Some(7), None, "abc"), Usage { input: 7, output: 1, guessed: true });
    }
}
