//! Extracts the message from an error response.

use serde_json::Value;

/// Returns the message of an error response: a field of its JSON, otherwise its text.
pub fn reason(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let said = match serde_json::from_str::<Value>(&text) {
        Ok(document) => in_json(&document)?,
        Err(_) => text.into_owned(),
    };
    (!said.trim().is_empty()).then_some(said)
}

fn in_json(document: &Value) -> Option<String> {
    // Some servers wrap the error in a list of one.
    let document = document.get(0).unwrap_or(document);
    let error = document.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let places = [nested, error, document.get("message"), document.get("detail")];
    let said = places.into_iter().flatten().find_map(Value::as_str).map(str::to_owned);
    // A message that is no text is better shown as it is than not at all.
    let shown = || places.into_iter().flatten().find(|said| !said.is_null()).map(Value::to_string);
    said.or_else(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_text::shorten::short_line;

    #[test]
    fn what_a_server_says_is_one_short_line() {
        let said = |body: &str| reason(body.as_bytes()).map(|text| short_line(&text, 200));
        assert_eq!(said(r#"{"error":{"message":"no\nsuch model"}}"#).as_deref(), Some("no such model"));
        assert_eq!(said(r#"[{"error":{"message":"no such model"}}]"#).as_deref(), Some("no such model"));
        assert_eq!(said(r#"{"error":"busy"}"#).as_deref(), Some("busy"));
        assert_eq!(said(r#"{"detail":"x\u001b[2Jy"}"#).as_deref(), Some("x [2Jy"));
        assert_eq!(
            said(r#"{"detail":[{"loc":["response_format"]}]}"#).as_deref(),
            Some(r#"[{"loc":["response_format"]}]"#)
        );
        assert_eq!(said("<html>Bad\r\n Gateway").as_deref(), Some("<html>Bad Gateway"));
        assert_eq!(said(&"é".repeat(300)).map(|text| text.chars().count()), Some(200));
        assert_eq!((said(""), said(r#"{"data":[]}"#), said("[]")), (None, None, None));
    }
}
