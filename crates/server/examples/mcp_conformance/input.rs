//! Tools and a prompt that require input, as of revision 2026-07-28: the client repeats the request
//! with the input and an unmodified state.

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// Names of the tools.
pub const TOOLS: [&str; 8] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

/// Input and state of a request.
struct Sent<'a> {
    inputs: Option<&'a InputResponses>,
    state: Option<&'a str>,
}

impl<'a> Sent<'a> {
    /// Returns the text at this path of the input with this key.
    fn text(&self, key: &str, path: &str) -> Option<&'a str> {
        self.inputs?.get(key)?.pointer(path)?.as_str()
    }

    fn has(&self, key: &str) -> bool {
        self.inputs.is_some_and(|inputs| inputs.get(key).is_some_and(Value::is_object))
    }
}

/// Returns the response of a tool, or `None` for other tools.
pub fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let sent = Sent { inputs: request.input_responses.as_ref(), state: request.request_state.as_deref() };
    let done = |text: String| Ok(Some(CallToolResult::success(vec![ContentBlock::text(text)]).into()));
    let need = |requests: Value, state: Option<&str>| {
        Ok(Some(CallToolResponse::InputRequired(needed(requests, state))))
    };
    let name_asked = || json!({ "user_name": form("What is your name?", "name", "string") });
    match request.name.strip_prefix("test_input_required_result_").unwrap_or(&request.name) {
        "elicitation" => match sent.text("user_name", "/content/name") {
            Some(name) => done(format!("Hello, {name}!")),
            None => need(name_asked(), None),
        },
        "sampling" => match sent.has("capital_question") {
            true => done(sent.text("capital_question", "/content/text").unwrap_or("no text").to_owned()),
            false => need(json!({ "capital_question": sample("What is the capital of France?", 100) }), None),
        },
        "list_roots" => match sent.has("client_roots") {
            true => done(format!(
                "roots: {}",
                sent.inputs.map_or(Value::Null, |inputs| json!(inputs["client_roots"]))
            )),
            false => need(json!({ "client_roots": roots() }), None),
        },
        "request_state" | "tampered_state" => {
            let untouched = sent.state.map(|state| opened(state, "confirm")).transpose()?.is_some();
            match untouched && sent.has("confirm") {
                true => done("state-ok".to_owned()),
                false => need(json!({ "confirm": form("Please confirm", "ok", "boolean") }), Some("confirm")),
            }
        }
        "multiple_inputs" => {
            match ["user_name", "greeting", "client_roots"].iter().all(|key| sent.has(key)) {
                true => done("all there".to_owned()),
                false => {
                    let mut requests = name_asked();
                    requests["greeting"] = sample("Generate a greeting", 50);
                    requests["client_roots"] = roots();
                    need(requests, Some("multiple"))
                }
            }
        }
        "multi_round" => match (sent.state, sent.has("step1"), sent.has("step2")) {
            (Some(state), _, true) => {
                opened(state, "step2").and_then(|()| done("both steps done".to_owned()))
            }
            (Some(state), true, _) => {
                opened(state, "step1")?;
                need(
                    json!({ "step2": form("Step 2: What is your favorite color?", "color", "string") }),
                    Some("step2"),
                )
            }
            _ => {
                need(json!({ "step1": form("Step 1: What is your name?", "name", "string") }), Some("step1"))
            }
        },
        "capabilities" => {
            let able = json!(context.client_capabilities());
            let mut requests = json!({});
            for (capability, key, request) in [
                ("elicitation", "user_name", form("What is your name?", "name", "string")),
                ("sampling", "greeting", sample("Generate a greeting", 50)),
                ("roots", "client_roots", roots()),
            ] {
                if able.get(capability).is_some_and(Value::is_object) && !sent.has(key) {
                    requests[key] = request;
                }
            }
            match requests.as_object().is_some_and(serde_json::Map::is_empty) {
                true => done("nothing is missing".to_owned()),
                false => need(requests, None),
            }
        }
        "test_streaming_elicitation" => match sent.has("user_name") {
            true => done("heard".to_owned()),
            false => need(name_asked(), None),
        },
        "test_missing_capability" => {
            let able = context.client_capabilities().is_some_and(|able| able.sampling.is_some());
            match able {
                true => done("able".to_owned()),
                false => Err(ErrorData::missing_required_client_capability(
                    ClientCapabilities::builder().enable_sampling().build(),
                )),
            }
        }
        _ => Ok(None),
    }
}

/// Returns the response of the prompt, or `None` for other prompts.
pub fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResponse> {
    if request.name != "test_input_required_result_prompt" {
        return None;
    }
    let sent = Sent { inputs: request.input_responses.as_ref(), state: None };
    Some(match sent.text("user_context", "/content/context") {
        Some(context) => {
            let words = format!("In the context of {context}");
            GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)]).into()
        }
        None => {
            let context_form = form("What context should the prompt use?", "context", "string");
            GetPromptResponse::InputRequired(needed(json!({ "user_context": context_form }), None))
        }
    })
}

/// Returns a response that requests this input.
pub fn needed(requests: Value, state: Option<&str>) -> InputRequiredResult {
    let requests = serde_json::from_value(requests).ok();
    InputRequiredResult::new(requests, state.map(sealed))
}

/// Returns a request for one property from the user.
pub fn form(message: &str, property: &str, kind: &str) -> Value {
    json!({ "method": "elicitation/create", "params": {
        "mode": "form", "message": message,
        "requestedSchema": { "type": "object", "properties": { property: { "type": kind } }, "required": [property] },
    } })
}

fn sample(text: &str, most: u32) -> Value {
    json!({ "method": "sampling/createMessage", "params": {
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }], "maxTokens": most,
    } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// Appends a checksum to a state, to detect modification. A production server would sign it
/// instead.
fn sealed(state: &str) -> String {
    format!("{state}.{:x}", mark(state))
}

fn opened(sealed_state: &str, state: &str) -> Result<(), ErrorData> {
    match sealed_state == sealed(state) {
        true => Ok(()),
        false => Err(ErrorData::invalid_params("the requestState is not the one that was sent", None)),
    }
}

fn mark(state: &str) -> u64 {
    state
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |mark, byte| (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
