//! Input of operations: the JSON Schema generated from a type, reduced to what agents need, and
//! parsing with errors that name the field and show an example.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Effect, Method, OperationSpec};
use cm_app::{Context, Error, Result};
use cm_note::user_text::Interface;
use cm_text::spelling::nearest;

/// The JSON Schema of a type: references inlined, and keywords removed that do not help to fill it
/// in.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    if schema.get("properties").is_none() {
        schema["properties"] = Value::Object(Map::new());
    }
    schema
}

/// Removes titles, formats, defaults and null types: an optional field can be omitted.
pub(super) fn tidy(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for key in ["$schema", "title", "format", "default"] {
        fields.remove(key);
    }
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [one] = kinds.as_slice() {
            let one = one.clone();
            fields.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(ways)) = fields.remove("anyOf") {
        // Only `Option` makes these: something, or null.
        for way in ways.into_iter().filter(|way| way["type"] != "null") {
            if let Value::Object(mut way) = way {
                way.remove("description");
                fields.extend(way);
            }
        }
    }
    if let Some(Value::Array(ways)) = fields.remove("oneOf") {
        // Names of which each is described; the names say enough.
        fields.insert("enum".to_owned(), ways.iter().map(|way| way["const"].clone()).collect());
        fields.insert("type".to_owned(), Value::from("string"));
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for key in ["items", "additionalProperties"] {
        fields.get_mut(key).into_iter().for_each(tidy);
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(tidy);
    }
}

impl OperationSpec {
    /// Prepares a context for this operation: one that only reads does not wait for writers.
    pub fn context(&self, context: Context) -> Context {
        if self.effect == Effect::Reads { context.allow_lag() } else { context }
    }

    /// The input schema for HTTP, where some fields have other names.
    pub fn endpoint_input(&self) -> Value {
        let mut schema = (self.input)();
        if let Some(properties) = schema.get_mut("properties") {
            *properties = self.named_as_http(properties.take());
        }
        for name in schema.get_mut("required").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(own) = name.as_str() {
                *name = Value::from(self.name_in(own, Interface::Http));
            }
        }
        schema
    }

    /// Renames the fields of an input to their names in HTTP.
    pub fn named_as_http(&self, given: Value) -> Value {
        match given {
            Value::Object(fields) => fields
                .into_iter()
                .map(|(own, value)| (self.name_in(&own, Interface::Http).to_owned(), value))
                .collect(),
            other => other,
        }
    }

    /// Parses an input into the type that [`OperationSpec::input`] describes.
    ///
    /// # Errors
    /// The value is not an object, or a field is unknown, missing or invalid. The error names the
    /// field as the caller wrote it or as `interface` calls it, and shows an example.
    pub(super) fn parse<T: DeserializeOwned>(&self, given: Value, interface: Interface) -> Result<T> {
        let refused = |message: String| {
            Error::usage(message).hint(format!("for example: {}", self.example_in(interface)))
        };
        let fields = self.fields(given, interface).map_err(refused)?;
        serde_json::from_value(fields).map_err(|error| refused(error.to_string()))
    }

    /// The fields of an input under their own names, checked against the schema.
    fn fields(&self, given: Value, interface: Interface) -> std::result::Result<Value, String> {
        let schema = (self.input)();
        let GivenFields { fields, written } = self.own_names(given, &schema)?;
        let shown_name = |own: &str| {
            let name = written.iter().find(|(_, field)| field == own).map(|(name, _)| name.clone());
            name.unwrap_or_else(|| self.name_in(own, interface).to_owned())
        };
        validated(&schema, fields, shown_name)
    }

    /// The name of a field at an interface: HTTP uses the last alias.
    fn name_in<'a>(&self, own: &'a str, interface: Interface) -> &'a str {
        let alias = self.field_aliases.iter().rfind(|(_, field)| *field == own).map(|(alias, _)| *alias);
        alias.filter(|_| interface == Interface::Http).unwrap_or(own)
    }

    /// The example input at an interface: the path with its query for an endpoint with `GET`.
    fn example_in(&self, interface: Interface) -> String {
        let (Interface::Http, Some(endpoint)) = (interface, self.endpoint) else {
            return self.example.to_owned();
        };
        let example = self.named_as_http(serde_json::from_str(self.example).unwrap_or_default());
        if endpoint.methods.first() == Some(&Method::Post) {
            return example.to_string();
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in example.as_object().into_iter().flatten() {
            query.append_pair(name, &as_text(value.clone()));
        }
        format!("GET {}?{}", endpoint.path, query.finish()).trim_end_matches('?').to_owned()
    }

    /// Renames aliases to the fields' own names and removes null fields.
    fn own_names(&self, given: Value, schema: &Value) -> std::result::Result<GivenFields, String> {
        let input = match given {
            Value::Null => Map::new(),
            Value::Object(fields) => fields,
            other => return Err(format!("{} must be an object; this is {}", self.name, kind_of(&other))),
        };
        let (mut fields, mut written) = (Map::new(), Vec::new());
        for (key, value) in input.into_iter().filter(|(_, value)| !value.is_null()) {
            let own = self
                .field_aliases
                .iter()
                .find(|(also, _)| *also == key)
                .map(|(_, own)| (*own).to_owned())
                .or_else(|| earlier_name(&key, schema));
            let own = own.unwrap_or_else(|| key.clone());
            if fields.insert(own.clone(), value).is_some() {
                let earlier = written.iter().find(|(_, field)| *field == own).map(|(name, _)| name);
                return Err(format!("`{}` and `{key}` are the same field", earlier.unwrap_or(&own)));
            }
            written.push((key, own));
        }
        Ok(GivenFields { fields, written })
    }
}

/// An input whose fields have their own names.
struct GivenFields {
    fields: Map<String, Value>,
    /// The names that the caller used, as (written name, own name).
    written: Vec<(String, String)>,
}

/// Names of fields in earlier tools, with the names of today.
const EARLIER_NAMES: &[(&str, &str)] = &[
    ("bullet_id", "id"),
    ("memory_id", "id"),
    ("note_id", "id"),
    ("session_id", "session"),
    ("rules_used", "rules"),
    ("content", "body"),
    ("revision", "expected_revision"),
];

/// The field that an earlier tool called `key`: the same name in camelCase, or one of
/// [`EARLIER_NAMES`] in either case. `None` if the input has a field `key` or none for it.
fn earlier_name(key: &str, schema: &Value) -> Option<String> {
    let has = |name: &str| schema["properties"].get(name).is_some();
    if has(key) {
        return None;
    }
    let snake = in_snake_case(key);
    let renamed = EARLIER_NAMES.iter().find(|(earlier, own)| *earlier == snake && has(own));
    renamed.map(|(_, own)| (*own).to_owned()).or_else(|| has(&snake).then_some(snake))
}

/// A name in camelCase, as older clients write fields, with underscores.
pub fn in_snake_case(key: &str) -> String {
    key.chars().fold(String::new(), |mut name, c| {
        if c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
        name
    })
}

/// Checks names and types of the fields against the schema; whole numbers may be written as `3.0`.
/// Errors name fields by `shown_name`. Limits other than the minimum of an integer are checked by the
/// operations, whose errors say more.
fn validated(
    schema: &Value,
    mut fields: Map<String, Value>,
    shown_name: impl Fn(&str) -> String,
) -> std::result::Result<Value, String> {
    let nothing = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&nothing);
    for (key, value) in &mut fields {
        let Some(field) = properties.get(key) else {
            let names: Vec<String> = properties.keys().map(|own| shown_name(own)).collect();
            return Err(match nearest(key, names.iter().map(String::as_str)) {
                Some(nearest_field) => format!("unknown field `{key}`; did you mean `{nearest_field}`?"),
                None if names.is_empty() => format!("unknown field `{key}`; no fields are allowed"),
                None => format!("unknown field `{key}`; allowed fields: {}", names.join(", ")),
            });
        };
        fit(field, value).map_err(|expected| {
            format!("`{}` must be {expected}; this is {}", shown_name(key), shown(value))
        })?;
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match required.into_iter().find(|name| !fields.contains_key(*name)) {
        Some(missing) => Err(format!("`{}` is missing", shown_name(missing))),
        None => Ok(Value::Object(fields)),
    }
}

/// Checks a value against a field's schema; the error describes what is expected.
fn fit(field: &Value, value: &mut Value) -> std::result::Result<(), String> {
    if let Some(names) = field["enum"].as_array() {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let fits = value.as_str().is_some_and(|value| names.contains(&value));
        return if fits { Ok(()) } else { Err(format!("one of {}", names.join(", "))) };
    }
    match field["type"].as_str() {
        Some("string") if !value.is_string() => Err("text".to_owned()),
        Some("boolean") if !value.is_boolean() => Err("true or false".to_owned()),
        Some("number") if !value.is_number() => Err("a number".to_owned()),
        Some("integer") => {
            let least = field["minimum"].as_u64().unwrap_or_default();
            let fits = to_unsigned(value).is_some_and(|number| number >= least);
            fits.then_some(()).ok_or_else(|| format!("a whole number of {least} or more"))
        }
        Some("array") => match value {
            Value::Array(items) => items
                .iter_mut()
                .try_for_each(|item| fit(&field["items"], item))
                .map_err(|of| format!("a list; each item is {of}")),
            _ => Err("a list".to_owned()),
        },
        Some("object") if !value.is_object() => Err("an object".to_owned()),
        _ => Ok(()),
    }
}

/// Converts a number such as `3.0` to an integer of 0 or more, because models write integers this
/// way.
fn to_unsigned(value: &mut Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = u64::try_from(whole_number(value.as_f64()?)?).ok()?;
    *value = Value::from(number);
    Some(number)
}

/// The number as an integer if it has no fraction and every integer up to it is a distinct `f64`.
pub fn whole_number(number: f64) -> Option<i64> {
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER).then_some(number as i64)
}

/// Keys with their values as strings: strings verbatim, other values as JSON, which is also valid
/// YAML.
pub(super) fn pairs(set: Option<Map<String, Value>>) -> Vec<(String, String)> {
    set.into_iter().flatten().map(|(key, value)| (key, as_text(value))).collect()
}

fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A wrong value for an error message: verbatim if at most 40 characters, else its JSON type.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 { text } else { kind_of(value).to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::{TABLE, tool};
    use super::*;

    /// The error message, or the parsed input, of `memory_search` for these arguments.
    fn parse_outcome(given: Value) -> String {
        let fields = tool("memory_search").unwrap().fields(given, Interface::Mcp);
        fields.map_or_else(|error| error, |given| given.to_string())
    }

    #[test]
    fn a_refusal_names_the_field_and_what_it_wants() {
        assert_eq!(parse_outcome(json!([1])), "memory_search must be an object; this is a list");
        assert_eq!(parse_outcome(Value::Null), "`query` is missing");
        assert_eq!(parse_outcome(json!({ "query": 7 })), "`query` must be text; this is 7");
        assert_eq!(
            parse_outcome(json!({ "query": "a", "limti": 7 })),
            "unknown field `limti`; did you mean `limit`?"
        );
        assert_eq!(
            parse_outcome(json!({ "query": "a", "limit": -1 })),
            "`limit` must be a whole number of 1 or more; this is -1"
        );
        assert_eq!(
            parse_outcome(json!({ "query": "a", "limit": 0 })),
            "`limit` must be a whole number of 1 or more; this is 0"
        );
        assert_eq!(
            parse_outcome(json!({ "query": "a", "offset": -1 })),
            "`offset` must be a whole number of 0 or more; this is -1"
        );
        assert_eq!(
            parse_outcome(json!({ "query": "a", "limit": 2.5 })),
            "`limit` must be a whole number of 1 or more; this is 2.5"
        );
        assert_eq!(
            parse_outcome(json!({ "query": "a", "tags": ["b", 1] })),
            "`tags` must be a list; each item is text; this is [\"b\",1]"
        );
        assert_eq!(
            parse_outcome(json!({ "query": "a", "priority": "high" })),
            "`priority` must be one of critical, moderate, ephemeral; this is \"high\""
        );
        assert_eq!(parse_outcome(json!({ "query": "a", "q": "b" })), "`query` and `q` are the same field");
    }

    #[test]
    fn a_refusal_uses_the_names_of_the_caller_and_of_http() {
        let error = |tool_name: &str, given: Value| {
            tool(tool_name).unwrap().fields(given, Interface::Http).unwrap_err()
        };
        assert_eq!(error("memory_search", json!({})), "`q` is missing");
        assert_eq!(error("memory_search", json!({ "q": 7 })), "`q` must be text; this is 7");
        assert_eq!(error("memory_search", json!({ "query": 7 })), "`query` must be text; this is 7");
        assert_eq!(
            error("memory_feedback", json!({ "bulletID": "x" })),
            "unknown field `bulletID`; did you mean `bulletId`?"
        );
        assert_eq!(error("memory_feedback", json!({ "signal": "helpful" })), "`bulletId` is missing");
        let example = |tool_name: &str| tool(tool_name).unwrap().example_in(Interface::Http);
        assert_eq!(example("memory_search"), "GET /search?q=connection+pool&type=fix&limit=5");
        assert_eq!(
            example("memory_feedback"),
            r#"{"bulletId":"b-mt2ssunl","signal":"harmful","note":"wasted_time"}"#
        );
    }

    #[test]
    fn whole_numbers_with_a_point_other_names_and_nulls_are_taken() {
        assert_eq!(
            parse_outcome(json!({ "q": "a", "limit": 3.0, "tags": null })),
            r#"{"query":"a","limit":3}"#
        );
    }

    #[test]
    fn names_of_earlier_tools_and_camel_case_are_taken() {
        for (name, given, own) in [
            ("memory_get", "bulletId", "id"),
            ("memory_get", "memory_id", "id"),
            ("memory_update", "expectedRevision", "expected_revision"),
            ("memory_update", "content", "body"),
            ("memory_context", "maxTokens", "max_tokens"),
            ("memory_outcome", "rulesUsed", "rules"),
            ("memory_feedback", "sessionId", "session"),
        ] {
            let operation = tool(name).unwrap();
            let given_fields = operation.own_names(json!({ given: "x" }), &(operation.input)()).unwrap();
            assert_eq!(given_fields.fields.keys().collect::<Vec<_>>(), [own], "{name} {given}");
        }
        assert_eq!(earlier_name("limti", &json!({ "properties": { "limit": {} } })), None);
    }

    #[test]
    fn http_has_the_same_fields_under_its_own_names() {
        let schema = tool("memory_search").unwrap().endpoint_input();
        assert!(schema["properties"]["q"].is_object() && schema["properties"]["query"].is_null());
        assert_eq!(schema["required"], json!(["q"]));
    }

    /// Names of the keywords below `schema` that [`validated`] does not read and that are not limits.
    fn unread_keywords(schema: &Value, is_field: bool) -> Vec<String> {
        let words =
            ["type", "enum", "items", "description", "required", "properties", "additionalProperties"];
        let limits = ["minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"];
        let mut unread = Vec::new();
        for (word, value) in schema.as_object().unwrap() {
            match word.as_str() {
                "items" => unread.extend(unread_keywords(value, true)),
                "properties" => {
                    for field in value.as_object().unwrap().values() {
                        assert!(!is_field || field["type"] != "integer", "only `fit` converts 3.0: {schema}");
                        unread.extend(unread_keywords(field, true));
                    }
                }
                "type" if !value.is_string() => unread.push(format!("type {value}")),
                word if words.contains(&word) || limits.contains(&word) => {}
                other => unread.push(other.to_owned()),
            }
        }
        unread
    }

    #[test]
    fn input_schemas_have_no_references_choices_or_nulls_and_name_their_type() {
        for operation in TABLE {
            let input = (operation.input)();
            assert_eq!(input["type"], "object");
            assert_eq!(unread_keywords(&input, false), Vec::<String>::new(), "{}", operation.name);
        }
    }

    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,9}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-z]{1,5}", inner, 0..4)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_passes_fits_the_schema_and_nothing_panics(
            at in 0..TABLE.len(),
            values in prop::collection::vec(anything(), 12),
        ) {
            let operation = &TABLE[at];
            let schema = (operation.input)();
            let names: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
            let given: Map<String, Value> = names.into_iter().zip(values).collect();
            if let Ok(fitted) = operation.fields(Value::Object(given), Interface::Mcp) {
                prop_assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&fitted), "{fitted}");
            }
        }
    }
}
