//! CORE.md and REFLECTION.md of the example vault equal the program's output for the vault's
//! reference date.
//!
//! `CM_BLESS=1 cargo test --test suite generated` rewrites them.

use std::path::Path;

use crate::support::example;

/// Reference date of the example vault.
const DAY: &str = "2026-11-21";

#[test]
fn the_generated_files_of_the_example_vault_are_what_the_program_writes() {
    let sandbox = example();
    for (command, name) in [("core", "CORE.md"), ("reflection", "REFLECTION.md")] {
        let written = sandbox.cm(&[command, "--print", "--now", DAY]).ok().stdout;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("example-vault").join(name);
        if std::env::var_os("CM_BLESS").is_some() {
            std::fs::write(&file, &written).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
        assert_eq!(
            kept, written,
            "{name} is not what `cm {command}` writes: CM_BLESS=1 cargo test --test suite generated"
        );
    }
}
