//! Redaction reports ordered positions in any text, and redacting the result again changes nothing.
#![no_main]

use cm_secrets::{RedactionRules, redact, suspects};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let rules = RedactionRules::default();
    let (once, removed) = redact(text, &rules);
    assert!(removed.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "places are in order");
    assert!(removed.iter().all(|secret| text.get(secret.range.clone()).is_some()), "places are of the text");
    let (twice, _) = redact(once.as_str(), &rules);
    assert_eq!(once, twice, "what was redacted stays as it is");
    let _ = suspects(text, &rules);
});
