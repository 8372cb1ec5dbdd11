//! Generates the OpenAPI 3.1 document from the table of operations. The output is deterministic.

mod schemas;

use serde_json::{Map, Value, json};

use self::schemas::Schemas;
use super::headers::{AGENT, IDEMPOTENCY_KEY, SESSION};
use crate::operations::{Effect, Endpoint, Method, OperationSpec};

/// Error statuses of operations: code, name and description.
const FAILURES: [(u16, &str, &str); 16] = [
    (400, "BadRequest", "Invalid request."),
    (401, "Unauthorized", "No token, or an unknown, expired or revoked one."),
    (
        403,
        "Forbidden",
        "The token's role is not sufficient, or a web page of another origin sent the request.",
    ),
    (404, "NotFound", "Memory or endpoint not found."),
    (408, "Timeout", "The body did not arrive in time."),
    (409, "Refused", "Refused: blocked, in conflict, or it contains a secret."),
    (413, "TooLong", "The body is too long."),
    (414, "UriTooLong", "The path and query are too long."),
    (415, "MediaType", "The body is not JSON."),
    (421, "Misdirected", "The name in `Host` is not allowed."),
    (422, "NothingDone", "There was nothing to do."),
    (429, "TooOften", "The token or the address exceeds the rate limit."),
    (431, "HeadTooLong", "The request headers are too long; the response has no body."),
    (500, "Failed", "The operation failed."),
    (502, "Provider", "A model or another server did not answer."),
    (503, "Busy", "The server is busy, or another process writes to the vault. Try again later."),
];
/// Statuses that occur only for requests with a body.
const WITH_BODY: [u16; 3] = [408, 413, 415];

/// The OpenAPI document.
pub fn document(table: &[OperationSpec], version: &str) -> Value {
    let mut schemas = Schemas::default();
    schemas.add("Error", error());
    let mut paths: Map<String, Value> = Map::new();
    for operation in table {
        let Some(endpoint) = operation.endpoint else { continue };
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        for method in endpoint.methods {
            let name = match method {
                Method::Get => "get",
                Method::Post => "post",
            };
            path[name] = described(operation, endpoint, *method, &mut schemas);
        }
    }
    own(&mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "cm",
            "version": version,
            "description": "Shared memory of a team's coding agents. Every response is JSON, except metrics. Every error has the same format.",
        },
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "A token of this server." },
            },
            "parameters": { "Agent": header(AGENT.as_str(), "Name of the calling agent, recorded in its changes."),
                "Session": header(SESSION.as_str(), "Session of the agent, recorded in its changes."),
                "IdempotencyKey": header(IDEMPOTENCY_KEY.as_str(), "Chosen by the client: a request that is sent again with the same key and body runs once, and gets the first answer.") },
            "responses": failures(),
            "schemas": schemas.all(),
        },
    })
}

fn described(operation: &OperationSpec, endpoint: Endpoint, method: Method, schemas: &mut Schemas) -> Value {
    let input = schemas.hoisted(operation.name, operation.endpoint_input());
    let output = schemas.hoisted(operation.name, (endpoint.response_schema)());
    let output = schemas.reference(&format!("{}_output", operation.name), output);
    let names =
        json!([{ "$ref": "#/components/parameters/Agent" }, { "$ref": "#/components/parameters/Session" }]);
    let mut parameters = names.as_array().cloned().unwrap_or_default();
    let has_body = method == Method::Post;
    let is_second = endpoint.methods.first() != Some(&method);
    let mut described = json!({
        "operationId": if is_second { format!("{}_post", operation.name) } else { operation.name.to_owned() },
        "summary": operation.title,
        "description": format!("{} Requires the role {}.", operation.description, operation.effect.role()),
        "parameters": [],
    });
    if has_body {
        let input = schemas.reference(&format!("{}_input", operation.name), input);
        if operation.effect != Effect::Reads {
            parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
        }
        described["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": input } } });
    } else {
        parameters.extend(query(&input));
    }
    described["parameters"] = Value::Array(parameters);
    described["responses"] =
        responses(endpoint.success_status, output, |status| has_body || !WITH_BODY.contains(&status));
    described["x-cm-effect"] = json!(match operation.effect {
        Effect::Reads => "reads",
        Effect::Adds => "adds",
        Effect::Changes => "changes",
    });
    described
}

/// The fields of an input as query parameters.
fn query(input: &Value) -> Vec<Value> {
    let required: Vec<&str> = input
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = input.get("properties").and_then(Value::as_object);
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
        let is_required = required.contains(&name.as_str());
        let mut parameter = json!({ "name": name, "in": "query", "required": is_required, "schema": schema });
        if let Some(description) = description {
            parameter["description"] = description;
        }
        parameter
    };
    fields.into_iter().flatten().map(parameter).collect()
}

fn responses(done: u16, output: Value, meets: impl Fn(u16) -> bool) -> Value {
    let mut responses = Map::new();
    let schema = json!({ "application/json": { "schema": output } });
    let what = if done == 201 { "Created." } else { "Done." };
    responses.insert(done.to_string(), json!({ "description": what, "content": schema }));
    for (status, name, _) in FAILURES.iter().filter(|(status, ..)| meets(*status)) {
        let response = json!({ "$ref": format!("#/components/responses/{name}") });
        responses.insert(status.to_string(), response);
    }
    Value::Object(responses)
}

fn failures() -> Value {
    let mut responses = Map::new();
    for (status, name, description) in FAILURES {
        let mut response = json!({ "description": description });
        // What reads the head refuses it before anybody can word it.
        if status != 431 {
            response["content"] =
                json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        }
        if matches!(status, 429 | 503) {
            let schema = json!({ "type": "integer", "minimum": 1 });
            response["headers"] =
                json!({ "Retry-After": { "description": "Seconds to wait.", "schema": schema } });
        }
        responses.insert(name.to_owned(), response);
    }
    Value::Object(responses)
}

/// The endpoints that are not operations.
fn own(paths: &mut Map<String, Value>) {
    let is_own = |status: u16| matches!(status, 400 | 401 | 403 | 414 | 421 | 429 | 431 | 500 | 503);
    let one = |id: &str, summary: &str, description: &str, responses: Value| json!({ "get": { "operationId": id, "summary": summary, "description": description, "responses": responses } });
    let status = json!({ "type": "object", "properties": { "status": { "enum": ["ok", "degraded"] } }, "required": ["status"] });
    let mut health = one(
        "health",
        "Health",
        "Liveness check; with a token, also the state of the server.",
        responses(200, status, is_own),
    );
    health["get"]["security"] = json!([{}, { "bearer": [] }]);
    paths.insert("/health".to_owned(), health);
    let mut metrics = responses(200, json!({}), is_own);
    metrics["200"]["content"] = json!({ "text/plain": { "schema": { "type": "string" } } });
    let description = "Prometheus metrics. Requires the role admin.";
    paths.insert("/metrics".to_owned(), one("metrics", "Figures", description, metrics));
    let contract = responses(200, json!({ "type": "object" }), is_own);
    paths.insert(
        "/openapi.json".to_owned(),
        one("openapi", "This document", "The API description.", contract),
    );
}

fn header(name: &str, description: &str) -> Value {
    let schema =
        json!({ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$" });
    json!({ "name": name, "in": "header", "required": false, "description": description, "schema": schema })
}

fn error() -> Value {
    json!({
        "type": "object",
        "properties": { "error": {
            "type": "object",
            "properties": {
                "code": { "type": "string", "description": "A short name that programs can check." },
                "message": { "type": "string", "description": "What is wrong." },
                "hint": { "type": ["string", "null"], "description": "What to do." },
                "path": { "type": "string", "description": "The file." },
                "line": { "type": "integer", "minimum": 1, "description": "The line in the file." },
                "column": { "type": "integer", "minimum": 1, "description": "The column in the line." },
            },
            "required": ["code", "message", "hint"],
        } },
        "required": ["error"],
    })
}
