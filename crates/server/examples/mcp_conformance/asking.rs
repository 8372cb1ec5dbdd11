//! Tools that call the client while they run, as allowed before revision 2026-07-28: logging,
//! sampling and elicitation.

use std::time::Duration;

use rmcp::model::*;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServiceError};
use serde_json::{Value, json};

fn failed(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// Sends three log messages with pauses.
pub async fn log(context: &RequestContext<RoleServer>, wanted: bool) -> Result<(), ErrorData> {
    for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        if wanted {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
            context.peer.notify_logging_message(message).await.map_err(failed)?;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Returns the client's response, or `None` if the tool does not call the client.
pub async fn answer(
    tool: &str,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<Option<String>, ErrorData> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let answer = match tool {
        "test_sampling" => {
            let messages = vec![SamplingMessage::user_text(argument("prompt"))];
            let request = CreateMessageRequestParams::new(messages, 100);
            let reply = context.peer.create_message(request).await.map_err(failed)?;
            format!("LLM response: {}", json!(reply.message.content))
        }
        "test_elicitation" => {
            let schema = json!({ "type": "object", "properties": {
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            }, "required": ["username", "email"] });
            format!("User response: {}", elicit(context, argument("message"), schema).await?)
        }
        "test_elicitation_sep1034_defaults" => {
            format!("Elicitation completed: {}", elicit(context, "With defaults", defaults()).await?)
        }
        "test_elicitation_sep1330_enums" => {
            format!("Elicitation completed: {}", elicit(context, "With choices", choices()).await?)
        }
        _ => return Ok(None),
    };
    Ok(Some(answer))
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    schema: Value,
) -> Result<String, ErrorData> {
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params =
        serde_json::from_value(params).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    match context.peer.send_request(request).await.map_err(failed)? {
        ClientResult::ElicitResult(answer) => {
            Ok(format!("action={}, content={}", json!(answer.action), json!(answer.content)))
        }
        other => Ok(json!(other).to_string()),
    }
}

fn defaults() -> Value {
    json!({ "type": "object", "properties": {
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    } })
}

fn choices() -> Value {
    let options = ["option1", "option2", "option3"];
    let titled = |word: &str| {
        json!([{ "const": "value1", "title": format!("First {word}") },
            { "const": "value2", "title": format!("Second {word}") },
            { "const": "value3", "title": format!("Third {word}") }])
    };
    json!({ "type": "object", "properties": {
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    } })
}
