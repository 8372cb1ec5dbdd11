//! Maps errors to MCP: a failed operation is a tool result, which the model reads; only an invalid
//! request is a protocol error.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::{Value, json};

use crate::operations::worded;
use cm_app::Error;
use cm_note::user_text::{Interface, UserText};
use cm_render::{json as documents, status};

/// An error as a tool result, with the JSON error document as text. Structured content is only what a
/// tool returns when it works.
pub(super) fn of_tool(error: &Error) -> CallToolResult {
    let document = documents::error_value(error, hint(error).as_deref());
    CallToolResult::error(vec![ContentBlock::text(documents::document(&document))])
}

/// An error as a protocol error, for resources, prompts and completions.
pub(super) fn of_request(error: &Error) -> ErrorData {
    ErrorData::new(ErrorCode(status::json_rpc(error.kind)), error.message.clone(), Some(data(error)))
}

/// An error for invalid parameters, with a hint.
pub(super) fn of_params(message: impl Into<String>, hint: impl Into<UserText>) -> ErrorData {
    let error = Error::usage(message).hint(hint);
    ErrorData::invalid_params(error.message.clone(), Some(data(&error)))
}

fn data(error: &Error) -> Value {
    json!({ "code": error.code, "hint": hint(error) })
}

fn hint(error: &Error) -> Option<String> {
    error.hint.as_ref().map(|hint| worded(hint, Interface::Mcp))
}
