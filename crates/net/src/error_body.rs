//! Extracts the message from an error response.

use serde_json::Value;

/// Returns the message of an error response: a field of its JSON, otherwise its text.
pub fn reason(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let error_text = match serde_json::from_str::<Value>(&text) {
        Ok(document) => in_json(&document)?,
        Err(_) => text.into_owned(),
    };
    (!error_text.trim().is_empty()).then_some(error_text)
}

/// Returns the field `error.code` of a JSON error response, if it is a short text.
pub fn error_code(body: &[u8]) -> Option<String> {
    const MAX_CODE_BYTES: usize = 64;
    let document: Value = serde_json::from_slice(body).ok()?;
    let code = document.get("error")?.get("code")?.as_str()?;
    (code.len() <= MAX_CODE_BYTES).then(|| code.to_owned())
}

fn in_json(document: &Value) -> Option<String> {
    // Some servers wrap the error in a list of one.
    let document = document.get(0).unwrap_or(document);
    let error = document.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let places = [nested, error, document.get("message"), document.get("detail")];
    let error_text = places.into_iter().flatten().find_map(Value::as_str).map(str::to_owned);
    // A message that is no text is better shown as it is than not at all.
    let shown =
        || places.into_iter().flatten().find(|error_text| !error_text.is_null()).map(Value::to_string);
    error_text.or_else(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_text::shorten::short_line;

    #[test]
    fn what_a_server_says_is_one_short_line() {
        let error_text = |body: &str| reason(body.as_bytes()).map(|text| short_line(&text, 200));
        assert_eq!(error_text(r#"{"error":{"message":"no\nsuch model"}}"#).as_deref(), Some("no such model"));
        assert_eq!(
            error_text(r#"[{"error":{"message":"no such model"}}]"#).as_deref(),
            Some("no such model")
        );
        assert_eq!(error_text(r#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(error_text(r#"{"detail":"x\u001b[2Jy"}"#).as_deref(), Some("x [2Jy"));
        assert_eq!(
            error_text(r#"[{"error":{"message":"no such model"}}]"#).as_deref(),
            Some("no such model")
        );
        assert_eq!(error_text(r#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(error_text(r#"{"detail":"x\u001b[2Jy"}"#).as_deref(), Some("x [2Jy"));
        assert_eq!(
            error_text(r#"{"detail":[{"loc":["response_format"]}]}"#).as_deref(),
            Some(r#"[{"loc":["response_format"]}]"#)
        );
        assert_eq!(error_text("<html>Bad\r\n Gateway").as_deref(), Some("<html>Bad Gateway"));
        assert_eq!(error_text(&"é".repeat(300)).map(|text| text.chars().count()), Some(200));
        assert_eq!((error_text(""), error_text(r#"{"data":[]}"#), error_text("[]")), (None, None, None));
    }
}
