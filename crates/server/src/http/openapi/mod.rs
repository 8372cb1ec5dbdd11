//! Generates the OpenAPI 3.1 document from the table of operations. The output is deterministic.

mod schemas;

use serde_json::{Map, Value, json};

use self::schemas::Schemas;
use super::bearer::{AGENT, SESSION};
use crate::operations::{Effect, Endpoint, Method, OperationSpec};

/// Error statuses of operations: code, name and description.
const FAILURES: [(u16, &str, &str); 16] = [
    (400, "BadRequest", "The request makes no sense as it stands."),
    (401, "Unauthorized", "No token, or one that is unknown, expired or taken back."),
    (403, "Forbidden", "The token's role does not reach, or a page of another origin asks."),
    (404, "NotFound", "There is no such memory, or no such endpoint."),
    (408, "Timeout", "The body did not come in time."),
    (409, "Refused", "Refused as things stand: blocked, in conflict, or it holds a secret."),
    (413, "TooLong", "The body is longer than allowed."),
    (414, "UriTooLong", "The path and query are longer than is read."),
    (415, "MediaType", "The body is no JSON."),
    (421, "Misdirected", "The server does not answer to the name in `Host`."),
    (422, "NothingDone", "Nothing was done where work was asked for."),
    (429, "TooOften", "The token or the address asks too often."),
    (431, "HeadTooLong", "The head of the request is longer than is read; there is no body."),
    (500, "Failed", "The operation failed."),
    (502, "Provider", "A model or another server that was asked did not answer."),
    (503, "Busy", "Too much to do, or somebody else writes the vault: try again later."),
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
        let method = match endpoint.method {
            Method::Get => "get",
            Method::Post => "post",
        };
        path[method] = described(operation, endpoint, &mut schemas);
    }
    own(&mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "cm",
            "version": version,
            "description": "The memory of a team's coding agents: what was learned, found again. Every answer is JSON but the \
                figures; every failure is the one error document.",
        },
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer", "description": "A token that `cm token add` made." },
            },
            "parameters": { "Agent": header(AGENT.as_str(), "The agent that asks; its changes carry the name."),
                "Session": header(SESSION.as_str(), "The agent's session; its changes carry the name.") },
            "responses": failures(),
            "schemas": schemas.all(),
        },
    })
}

fn described(operation: &OperationSpec, endpoint: Endpoint, schemas: &mut Schemas) -> Value {
    let input = schemas.hoisted(operation.name, operation.endpoint_input());
    let output = schemas.hoisted(operation.name, (endpoint.response_schema)());
    let output = schemas.named(&format!("{}_output", operation.name), output);
    let names =
        json!([{ "$ref": "#/components/parameters/Agent" }, { "$ref": "#/components/parameters/Session" }]);
    let mut parameters = names.as_array().cloned().unwrap_or_default();
    let has_body = endpoint.method == Method::Post;
    let mut described = json!({
        "operationId": operation.name,
        "summary": operation.title,
        "description": format!("{} Takes the role {}.", operation.description, operation.effect.role()),
        "parameters": [],
    });
    if has_body {
        let input = schemas.named(&format!("{}_input", operation.name), input);
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
        let mut schema = schemas::without_null(schema);
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
    let what = if done == 201 { "It was made." } else { "It was done." };
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
        "Whether the server lives; with a token, how it is.",
        responses(200, status, is_own),
    );
    health["get"]["security"] = json!([{}, { "bearer": [] }]);
    paths.insert("/health".to_owned(), health);
    let mut metrics = responses(200, json!({}), is_own);
    metrics["200"]["content"] = json!({ "text/plain": { "schema": { "type": "string" } } });
    let said = "What Prometheus reads. Takes the role admin.";
    paths.insert("/metrics".to_owned(), one("metrics", "Figures", said, metrics));
    let contract = responses(200, json!({ "type": "object" }), is_own);
    paths.insert("/openapi.json".to_owned(), one("openapi", "This document", "The contract.", contract));
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
                "code": { "type": "string", "description": "A short name that programs may select by." },
                "message": { "type": "string", "description": "What is wrong." },
                "hint": { "type": ["string", "null"], "description": "What to do." },
                "path": { "type": "string", "description": "The file." },
                "line": { "type": "integer", "minimum": 1, "description": "The line in it." },
                "column": { "type": "integer", "minimum": 1, "description": "The column in it." },
                "exit": { "type": "integer", "description": "The exit code of the command that does the same." },
            },
            "required": ["code", "message", "hint", "exit"],
        } },
        "required": ["error"],
    })
}
