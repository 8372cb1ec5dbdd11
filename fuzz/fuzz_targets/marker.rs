//! Markers and ids found in any text are at valid positions.
#![no_main]

use cm_note::bullet::marker::{ids_in, markers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut end = 0;
    for marker in markers(text) {
        let whole = text.get(marker.range.clone()).expect("a marker's place is one of the text");
        assert!(whole.starts_with('[') && whole.ends_with(']') && !marker.ids.is_empty());
        assert!(marker.range.start >= end, "markers do not overlap");
        end = marker.range.end;
    }
    for (range, id) in ids_in(text) {
        let written = text.get(range).expect("an id's place is one of the text");
        assert_eq!(written.to_ascii_lowercase(), id.as_str());
    }
});
