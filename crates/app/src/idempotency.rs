//! Runs a write once, however often a client sends it with one idempotency key.
//!
//! The answers of successful writes are private files of the vault, so that they outlive the server.
//! They are bounded: the oldest are forgotten. A server that is killed between a write and the record
//! of its answer runs a repeated request again; feedback and uploads recognize that by themselves.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::open::Context;
use crate::error::{Error, Result};
use cm_note::instant::Instant;
use cm_store::vault::json_lines::JsonLinesFile;

/// A write with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedRequest {
    /// Hash of the caller, the operation and the key.
    id: String,
    /// Hash of the input: another input under the same key is another request.
    input: String,
}

/// The answer to a request, as one line of the private file.
#[derive(Debug, Serialize, Deserialize)]
struct AnsweredRequest {
    id: String,
    input: String,
    at: Instant,
    answer: Value,
}

/// Makes requests with the same key wait for each other.
#[derive(Debug)]
pub struct RunningRequests([Mutex<()>; 64]);

impl Default for RunningRequests {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl KeyedRequest {
    /// `caller` is the ID of the token, empty without one. The order of the input's keys does not matter.
    #[must_use]
    pub fn new(caller: &str, operation: &str, key: &str, input: &Value) -> Self {
        let mut input = input.clone();
        input.sort_all_objects();
        let hash = |parts: &[&str]| blake3::hash(parts.join("\0").as_bytes()).to_hex()[..32].to_owned();
        Self { id: hash(&[caller, operation, key]), input: hash(&[&input.to_string()]) }
    }
}

impl RunningRequests {
    /// Returns the stored answer to the request, or does the work and stores its answer. Failures are
    /// not stored.
    ///
    /// # Errors
    /// `key-reused` if the key came with another input before; the errors of the work; a private file
    /// that cannot be read.
    pub fn once(
        &self,
        context: &Context,
        request: &KeyedRequest,
        work: impl FnOnce() -> Result<Value>,
    ) -> Result<Value> {
        let slot = request.id.bytes().map(usize::from).sum::<usize>() % self.0.len();
        let _turn = self.0.get(slot).map(|turn| turn.lock());
        let file = JsonLinesFile::of_requests(&context.target().vault)?;
        let found = file.lines_with(&request.id)?.into_iter().rev();
        let earlier: Vec<AnsweredRequest> =
            found.filter(|one: &AnsweredRequest| one.id == request.id).collect();
        if let Some(earlier) = earlier.into_iter().next() {
            if earlier.input == request.input {
                return Ok(earlier.answer);
            }
            return Err(Error::refused("key-reused", "this idempotency key came with another input before")
                .hint("use a new key for each request"));
        }
        let answer = work()?;
        let KeyedRequest { id, input } = request.clone();
        let answered = AnsweredRequest { id, input, at: context.now(), answer: answer.clone() };
        if let Err(error) = file.append(&[answered]) {
            // A failure would make the client repeat what is done.
            context.notice(format!("the answer for a repeated request could not be stored: {error}"));
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_is_of_one_caller_and_one_operation() {
        let of = |caller, operation, key| KeyedRequest::new(caller, operation, key, &json!({})).id;
        let one = of("t1", "feedback", "k");
        assert_eq!(one, of("t1", "feedback", "k"));
        for other in [of("t2", "feedback", "k"), of("t1", "sessions", "k"), of("t1", "feedback", "l")] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn the_order_of_keys_makes_no_other_input_and_the_order_of_a_list_does() {
        let of = |text: &str| KeyedRequest::new("t1", "feedback", "k", &serde_json::from_str(text).unwrap());
        let one = of(r#"{"id": "b", "more": [{"a": 1, "b": 2}, 3]}"#);
        assert_eq!(one, of(r#"{"more": [{"b": 2, "a": 1}, 3], "id": "b"}"#));
        assert_ne!(one, of(r#"{"id": "b", "more": [3, {"a": 1, "b": 2}]}"#));
    }
}
