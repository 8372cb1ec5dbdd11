//! Error responses to text that is not a JSON-RPC 2.0 message.

use rmcp::model::{ErrorData, RequestId};
use serde_json::{Value, json};

/// The error response to invalid text; `None` for notifications and responses. `no_array` is the
/// message for arrays.
pub(super) fn of(text: &[u8], no_array: &'static str) -> Option<Value> {
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        return Some(error(Value::Null, &ErrorData::parse_error("the line is not valid JSON", None)));
    };
    if value.is_array() {
        return Some(error(Value::Null, &ErrorData::invalid_request(no_array, None)));
    }
    let has = |name| value.get(name).is_some();
    if has("result") || has("error") || (has("method") && !has("id")) {
        return None;
    }
    let id = value.get("id").filter(|id| serde_json::from_value::<RequestId>((*id).clone()).is_ok());
    let refused = ErrorData::invalid_request("this is not a JSON-RPC 2.0 request", None);
    Some(error(id.cloned().unwrap_or(Value::Null), &refused))
}

/// An error response; `id` is null if the request has none.
pub(super) fn error(id: Value, error: &ErrorData) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
