//! An edit changes only its own key or is refused, without a panic.
#![no_main]

use cm_note::frontmatter::edit::{Edit, apply};
use cm_note::frontmatter::split::Split;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let edits = [
        Edit::Set { key: "title".into(), value: "New: title".into() },
        Edit::Push { key: "tags".into(), item: "new".into() },
        Edit::Pull { key: "tags".into(), item: "new".into() },
        Edit::Remove { key: "title".into() },
    ];
    for edit in edits {
        if let Ok(after) = apply(text, &[edit]) {
            assert_eq!(Split::of(&after).body(), Split::of(text).body(), "an edit of a key leaves the body");
        }
    }
});
