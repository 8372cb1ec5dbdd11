//! Any text is a valid query, and its tokens are at valid positions.
#![no_main]

use cm_note::instant::Instant;
use cm_note::query::Query;
use cm_text::tokens::Tokenizer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Query::parse(text, Instant::from_unix(1_795_000_000));
    Tokenizer::default().each(text, |token| {
        assert!(text.get(token.from..token.to).is_some(), "a token's place is one of the text");
    });
});
