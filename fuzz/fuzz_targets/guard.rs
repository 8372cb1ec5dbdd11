//! Any text is parsed as commands and judged within resource limits.
#![no_main]

use cm_learn::trauma::{PathContext, decide};
use cm_shell::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    assert!(read(text).commands.len() <= 10_000, "the number of commands is bounded");
    let _ = decide(text, &PathContext::new("/home/ada/shop", "/home/ada"), &[], &[]);
});
