//! Prints each line of standard input as the built-in models read it: what is in another language with its known words in English.
//!
//! Used by `assets/recipe/task_adapter.py`.

use std::io::{BufRead, Write, stdin, stdout};

use cm_text::translation::to_english;

fn main() -> std::io::Result<()> {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let line = line?;
        writeln!(out, "{}", to_english(&line).unwrap_or(line))?;
    }
    Ok(())
}
