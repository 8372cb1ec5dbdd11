//! Tests with files larger than any valid note.

use std::io::Write as _;

use super::published;

#[test]
fn a_very_long_note_is_found_by_its_beginning_and_a_huge_one_by_its_name() {
    let sandbox = published();
    let file = |name: &str| std::fs::File::create(sandbox.vault().join("graph/facts").join(name)).unwrap();
    let mut long = file("long.md");
    long.write_all(b"# A long note\n\nIt begins with albatross.\n").unwrap();
    let line = b"filler filler filler filler filler filler filler filler filler filler\n";
    (0..(5 << 20) / line.len()).for_each(|_| long.write_all(line).unwrap());
    long.write_all(b"It ends with wolverine.\n").unwrap();
    let mut huge = file("huge-gannet.md");
    huge.write_all(b"It begins with kingfisher.\n").unwrap();
    huge.set_len(65 << 20).unwrap();
    let found = |word: &str| sandbox.cm(&["search", word, "--no-vectors"]).ok().stdout;
    assert!(found("albatross").contains("A long note"), "{}", found("albatross"));
    assert!(!found("wolverine").contains("A long note"));
    assert!(found("gannet").contains("huge-gannet"), "{}", found("gannet"));
    assert!(!found("kingfisher").contains("huge-gannet"));
    let validated = sandbox.cm(&["validate"]);
    for words in ["5 MB; only its first 4 MB are searchable", "65 MB; only its name is searchable"] {
        assert!(validated.stdout.contains(words), "{}", validated.snapshot());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_a_folder_that_is_imported_or_committed_is_never_waited_for() {
    let sandbox = published();
    let folder = sandbox.root().join("home/foreign");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.md"), "# A note\n\nWith a text.\n").unwrap();
    let pipe = |file: std::path::PathBuf| {
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success(), "{}", file.display());
    };
    for name in ["p.md", "AGENTS.md", "CORE.md", "_config.json"] {
        pipe(folder.join(name));
    }
    let ran = sandbox.cm(&["import", folder.to_str().unwrap(), "--json"]);
    assert!(ran.stdout.contains("\"imported\"") || ran.code <= 1, "{}", ran.snapshot());
    for name in ["CORE.md", ".gitignore", ".gitattributes", "graph/facts/pool.md"] {
        let file = sandbox.vault().join(name);
        let _ = std::fs::remove_file(&file);
        pipe(file);
    }
    for command in
        [&["add", "--type", "fact", "--title", "Beside pipes"][..], &["commit"], &["core"], &["doctor"]]
    {
        let ran = sandbox.cm(command);
        assert!(ran.code < 100, "{command:?} {}", ran.snapshot());
    }
}
