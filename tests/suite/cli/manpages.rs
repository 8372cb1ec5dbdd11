//! `cm manpages`

use crate::support::{Sandbox, everything};

#[test]
fn every_command_gets_a_page_and_nothing_else_is_written() {
    let sandbox = Sandbox::new();
    let ran = sandbox.cm(&["manpages", "--out", "share/man1"]);
    let pages: Vec<String> = everything(&sandbox.vault()).into_keys().collect();
    assert_eq!(
        ran.snapshot(),
        format!(
            "{} manual pages in share/man1
[exit 0]
",
            pages.len()
        )
    );
    for name in ["cm", "cm-add", "cm-config-set", "cm-undo"] {
        assert!(pages.contains(&format!("share/man1/{name}.1")), "{name} is not in {pages:?}");
    }
    assert!(pages.iter().all(|page| page.starts_with("share/man1/cm") && page.ends_with(".1")), "{pages:?}");
    let page = sandbox.read("share/man1/cm-relate.1");
    for part in [".TH", "relate", "RELATED_TO", "cm relate 1f0c2a REQUIRES 77ab01"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}

#[test]
fn the_json_lists_the_pages() {
    let document = Sandbox::new().cm(&["manpages", "--json"]).ok().json();
    assert_eq!(document["folder"], "man");
    assert!(document["pages"].as_array().unwrap().contains(&"cm-relate.1".into()));
}

#[test]
fn a_file_in_the_way_of_the_folder_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("man", "a file");
    let ran = sandbox.cm(&["manpages"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: cannot write the manual pages: File exists (os error 17)
       at: [ROOT]/vault/man
    [exit 1]
    ");
    let ran = sandbox.cm(&["manpages", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "io",
        "message": "cannot write the manual pages: File exists (os error 17)",
        "hint": null,
        "path": "[ROOT]/vault/man"
      }
    }
    [exit 1]
    "#);
    assert_eq!(sandbox.read("man"), "a file");
}
