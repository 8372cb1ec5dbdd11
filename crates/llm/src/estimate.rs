//! How many tokens a call will take, guessed before it is made.

use super::request::{Reply, Request, Stop, Usage};

/// What a call may take: a guess that is rather too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Tokens that the model reads.
    pub input: u64,
    /// Tokens that it may write.
    pub output: u64,
}

impl Estimate {
    /// What asking this may take.
    pub fn of(request: &Request) -> Self {
        Self { input: tokens(&request.as_text()), output: u64::from(request.max_tokens) }
    }

    /// Both together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// A guess at the tokens of a text: prose in English has about four bytes a token, code and other languages fewer.
pub(super) fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(3)
}

/// What an answer took, where nobody counted.
pub(super) fn guessed(request: &Request, answer: &str) -> Usage {
    Usage { input: Estimate::of(request).input, output: tokens(answer), guessed: true }
}

/// Fills in what the server did not count.
pub(super) fn counted(request: &Request, input: Option<u64>, output: Option<u64>, answer: &str) -> Usage {
    let guess = guessed(request, answer);
    Usage {
        input: input.unwrap_or(guess.input),
        output: output.unwrap_or(guess.output),
        guessed: input.is_none() || output.is_none(),
    }
}

/// A reply of which only the text is known.
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
