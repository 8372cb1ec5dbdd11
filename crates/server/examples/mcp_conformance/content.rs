//! Content of the suite's tools, resources and prompts.

use rmcp::model::*;
use serde_json::{Value, json};

/// PNG image of one red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// WAV file without samples.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

/// Prompts with their arguments.
pub const PROMPTS: [(&str, &[&str]); 5] = [
    ("test_simple_prompt", &[]),
    ("test_prompt_with_arguments", &["arg1", "arg2"]),
    ("test_prompt_with_embedded_resource", &["resourceUri"]),
    ("test_prompt_with_image", &[]),
    ("test_input_required_result_prompt", &[]),
];

/// Returns the content of a tool without side effects.
pub fn of(tool: &str) -> Option<Vec<ContentBlock>> {
    let embedded = |uri: &str, mime: &str, text: &str| {
        ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime))
    };
    Some(match tool {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => {
            vec![embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        }
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ],
        "json_schema_2020_12_tool" | "test_custom_headers" => vec![ContentBlock::text("taken")],
        _ => return None,
    })
}

/// Returns the resource with this URI.
pub fn read(uri: &str) -> Option<ResourceContents> {
    let text = |text: String, mime: &str| Some(ResourceContents::text(text, uri).with_mime_type(mime));
    match uri {
        "test://static-text" => {
            text("This is the content of the static text resource.".to_owned(), "text/plain")
        }
        "test://watched-resource" => text("Watched.".to_owned(), "text/plain"),
        "test://static-binary" => Some(ResourceContents::blob(PNG, uri).with_mime_type("image/png")),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            text(data.to_string(), "application/json")
        }
    }
}

/// Returns the messages of a prompt.
pub fn prompt(name: &str, arguments: &JsonObject) -> Option<Vec<PromptMessage>> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let user = |content: ContentBlock| PromptMessage::new(Role::User, content);
    let text = |text: &str| user(ContentBlock::text(text));
    Some(match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let contents =
                ResourceContents::text("Embedded resource content for testing.", argument("resourceUri"));
            vec![user(ContentBlock::resource(contents)), text("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => {
            vec![user(ContentBlock::image(PNG, "image/png")), text("Please analyze the image above.")]
        }
        _ => return None,
    })
}

/// Schema with keywords of JSON Schema 2020-12 that must be preserved.
pub fn dialect() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Schema with arguments that are also sent as headers.
pub fn headers() -> Value {
    json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "query": { "type": "string" },
    } })
}
