//! Folders of Markdown: what tool they are of, and the attachments of their notes.

use std::fs;

use serde_json::json;

use crate::support::exchange::beside;

/// Path and text of each file of a folder.
type Files<'a> = &'a [(&'a str, &'a str)];

/// What a folder with these files is recognized as, and why.
fn recognized(files: Files) -> (String, String) {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let sandbox = beside(&files);
    let found = sandbox.cm(&["import", "../source", "--dry-run", "--json"]).ok().json();
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    (text("from"), text("because"))
}

#[test]
fn each_tool_is_recognized_and_the_reason_is_told() {
    let coffee = "---\ntitle: Coffee\ntype: note\npermalink: drinks/coffee\n---\n- [method] slow #pour\n- requires [[Grinder]]\n";
    let cases: [(Files, &str, &str); 6] = [
        (&[(".obsidian/app.json", "{}"), ("a.md", "[[b]]")], "obsidian", "it has a folder .obsidian"),
        (&[(".foam/templates/new.md", ""), ("a.md", "[[b]]")], "foam", "it has a folder .foam"),
        (
            &[(".vscode/extensions.json", r#"{"recommendations": ["foam.foam-vscode"]}"#), ("a.md", "[[b]]")],
            "foam",
            "its .vscode/extensions.json recommends Foam",
        ),
        (
            &[("Coffee.md", coffee)],
            "basic-memory",
            "its notes have permalinks, and lists of observations or relations",
        ),
        (&[(".zk/config.toml", ""), ("a.md", "b")], "zk", "it has .zk/config.toml"),
        (&[("a.md", "b")], "markdown", "it matches no known tool"),
    ];
    for (files, tool, reason) in cases {
        assert_eq!(recognized(files), (tool.to_owned(), reason.to_owned()));
    }
}

#[test]
fn one_key_alone_makes_no_folder_that_of_another_tool() {
    for note in [
        "---\npermalink: drinks/coffee\n---\nText\n",
        "---\nid: 7\ntype: fact\n---\nText\n",
        "---\ntype: Metric\n---\nText\n",
        "---\nokf_version: '0.2'\n---\nText\n",
        "---\ncssclasses: wide\n---\nText\n",
        "---\nfoam_template: x\n---\nText\n",
        "---\nmemory_file: a\n---\nText\n",
    ] {
        assert_eq!(recognized(&[("index.md", note), ("graph/facts/a.md", "Text\n")]).0, "markdown", "{note}");
    }
    let json = recognized(&[("a.md", "b"), ("_index.json", "{}"), ("_config.json", "{}")]);
    assert_eq!(json.0, "markdown");
}

#[test]
fn attachments_come_along_and_links_stay_valid() {
    let note = "---\ncover: art/cover.jpg\n---\n![[picture.png|300]] [paper](../files/a%20paper.pdf#page=2)\n<img src=\"../art/map.svg\" width=\"80\">\n\n![[gone.png]]\n";
    let sandbox = beside(&[
        (".obsidian/app.json", b"{}"),
        ("notes/harbour.md", note.as_bytes()),
        ("deep/er/picture.png", b"png"),
        ("files/a paper.pdf", b"pdf"),
        ("art/map.svg", b"<svg/>"),
        ("art/cover.jpg", b"jpg"),
        ("art/unused.png", b"png"),
    ]);
    let found = sandbox.cm(&["import", "../source", "--into", "in", "--json"]).ok().json();
    assert_eq!(
        found["copied"],
        json!(["in/art/cover.jpg", "in/art/map.svg", "in/deep/er/picture.png", "in/files/a paper.pdf"])
    );
    assert_eq!(found["attachments"], json!(["art/unused.png"]));
    assert!(sandbox.read("in/notes/harbour.md").ends_with(note.split_once("---\n![[").unwrap().1));
    for (path, bytes) in [("files/a paper.pdf", "pdf"), ("art/map.svg", "<svg/>")] {
        assert_eq!(fs::read(sandbox.vault().join("in").join(path)).unwrap(), bytes.as_bytes());
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");

    let again = sandbox.cm(&["import", "../source", "--into", "in", "--json"]).ok().json();
    assert_eq!((&again["imported"], &again["copied"]), (&json!([]), &json!([])));
    assert_eq!(again["attachments"], json!(["art/unused.png"]));

    sandbox.cm(&["export", "--format", "markdown", "--out", "../copy"]).ok();
    assert_eq!(sandbox.read("../copy/in/files/a paper.pdf"), "pdf");
}

#[test]
fn an_attachment_that_cannot_come_is_named_and_the_notes_come() {
    let secret = format!("<svg><!-- ghp_{} --></svg>", &"aB3dE5gH7j".repeat(4)[..36]);
    let sandbox = beside(&[
        ("a.md", b"![a](secret.svg) ![b](taken.png) ![c](link.png)"),
        ("secret.svg", secret.as_bytes()),
        ("taken.png", b"theirs"),
    ]);
    sandbox.write("../outside.png", "outside");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../outside.png", sandbox.root().join("source/link.png")).unwrap();
    sandbox.write("in/taken.png", "ours");
    let ran = sandbox.cm(&["import", "../source", "--into", "in", "--json"]);
    let found = ran.json();
    assert_eq!((ran.code, found["imported"].as_array().unwrap().len()), (1, 1));
    assert_eq!(found["copied"], json!([]));
    let skipped = found["skipped"].as_array().unwrap();
    let why = |path: &str| skipped.iter().find(|one| one["path"] == path).map(|one| one["why"].clone());
    assert_eq!(why("secret.svg"), Some(json!("secret")));
    assert_eq!(why("taken.png"), Some(json!("path-taken")));
    assert_eq!(why("link.png"), if cfg!(unix) { Some(json!("link")) } else { None });
    assert_eq!(sandbox.read("in/taken.png"), "ours");
    assert!(!sandbox.vault().join("in/secret.svg").exists() && !sandbox.vault().join("in/link.png").exists());
}
