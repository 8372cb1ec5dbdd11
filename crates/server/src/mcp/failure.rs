//! Failures as agents meet them: what an operation refuses is a result of the tool, which the model reads;
//! only what is wrong with the request itself is an error of the protocol.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::{Value, json};

use cm_app::Error;
use cm_render::{json as documents, status};

/// A refusal as the result of a tool: the document that every surface answers with, as text. It is no structured
/// content, for that must fit the tool's schema of what it gives.
pub(super) fn of_tool(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(documents::error(error))])
}

/// A refusal where the protocol knows no results that say so: of resources, prompts and completions.
pub(super) fn of_request(error: &Error) -> ErrorData {
    ErrorData::new(ErrorCode(status::json_rpc(error.kind)), error.message.clone(), Some(data(error)))
}

/// What is wrong with a request, with what to do about it.
pub(super) fn of_params(message: impl Into<String>, hint: impl Into<String>) -> ErrorData {
    let error = Error::usage(message).hint(hint);
    ErrorData::invalid_params(error.message.clone(), Some(data(&error)))
}

fn data(error: &Error) -> Value {
    json!({ "code": error.code, "hint": error.hint })
}
