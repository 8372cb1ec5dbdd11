//! `cm export`: writes the vault for other tools.

use crate::support::exchange::{ONE, VAULT, files};
use crate::support::vault_of;

#[test]
fn an_export_writes_over_nothing_that_it_did_not_make() {
    let sandbox = vault_of(VAULT);
    sandbox.cm(&["export", "--format", "markdown", "--out", "../copy"]).ok();
    assert_eq!(files(&sandbox, "../copy"), files(&sandbox, "."));
    sandbox.write("../copy/graph/fixes/a.md", "theirs");
    let export = ["export", "--format", "markdown", "--out", "../copy"];
    assert_eq!(sandbox.cm(&export).code, 5);
    assert_eq!(sandbox.read("../copy/graph/fixes/a.md"), "theirs");
    sandbox.cm(&[&export[..], &["--force"]].concat()).ok();
    assert_eq!(files(&sandbox, "../copy"), files(&sandbox, "."));
    assert_eq!(sandbox.cm(&["export", "--format", "markdown", "--out", "inner"]).code, 5);

    sandbox.write("_config.json", "{\"api_key\": \"private\"}");
    let beside = sandbox.cm(&["export", "--format", "claude-memory", "--force", "--json"]).ok().json();
    assert_eq!(beside["left"], serde_json::json!(["_config.json"]));
    assert_eq!(sandbox.read("_config.json"), "{\"api_key\": \"private\"}");
    let document = sandbox.cm(&["export", "--format", "json"]).ok();
    assert_eq!(document.json()["notes"][1]["frontmatter"]["importance"], 0.25);
    assert!(!document.stdout.contains("private"));
}

#[test]
fn memory_md_tells_what_has_proved_itself() {
    let sandbox = super::playbook::playbook();
    sandbox.write("vault/heights.md", "---\nid: 7a7a7a7a-0000-4000-8000-000000000007\ntype: fact\ntitle: Heights are relative\nimportance: 0.9\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\n---\n\n# Heights are relative\n\nTo chart <datum>, not to the sea.\n");
    sandbox.write("graph/facts/faded.md", "---\nid: 8a7a7a7a-0000-4000-8000-000000000007\ntype: fact\ntitle: Faded\nimportance: 0.1\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\n---\n");
    insta::assert_snapshot!(sandbox.cm(&["export", "--format", "memory.md"]).snapshot(), @"
    # Memory, exported

    > Written 2026-11-21 by `cm export --format memory.md`; changes by hand are lost.
    > 2 proven rules and 1 memory in use; 3 left out.

    ## Rules

    - testing: Print the seed of every randomised test before it runs.

    ## Pitfalls

    - network: Retrying a failed request at once.

    ## Preferences & Facts

    - Heights are relative: To chart &lt;datum>, not to the sea.
    [exit 0]
    ");
    sandbox.cm(&["export", "--format", "memory.md", "--out", "../MEMORY.md"]).ok();
    sandbox.cm(&["export", "--format", "memory.md", "--out", "../MEMORY.md", "--now", "2026-11-22"]).ok();
    sandbox.write("../MEMORY.md", "mine");
    assert_eq!(sandbox.cm(&["export", "--format", "memory.md", "--out", "../MEMORY.md"]).code, 5);
    assert_eq!(sandbox.read("../MEMORY.md"), "mine");
}

#[test]
fn a_site_has_relative_links_and_neither_forms_nor_traces_of_the_time() {
    let sandbox = vault_of(VAULT);
    let export = ["export", "--format", "site", "--out", "../site", "--json"];
    let exported = sandbox.cm(&export).ok().json();
    assert_eq!(exported["notes"], 3);
    for file in exported["written"].as_array().unwrap().iter().filter_map(|file| file.as_str()) {
        let Some(html) = file.ends_with(".html").then(|| sandbox.read(&format!("../site/{file}"))) else {
            continue;
        };
        assert!(
            !html.contains("<form") && !html.contains("hx-get") && !html.contains(" ago<"),
            "{file}: {html}"
        );
        for link in html.split(" href=\"").skip(1).chain(html.split(" src=\"").skip(1)) {
            let link = link.split(['"', '?', '#']).next().unwrap();
            let target = std::path::Path::new("../site").join(file).parent().unwrap().join(link);
            let is_there =
                link.is_empty() || link.starts_with("http") || sandbox.vault().join(&target).is_file();
            assert!(is_there && !link.starts_with('/'), "{file}: {link}");
        }
    }
    let alpha = sandbox.read(&format!("../site/note/{ONE}.html"));
    let beta = "href=\"../note/22222222-2222-4222-8222-222222222222.html\"";
    assert!(alpha.contains(beta), "{alpha}");
    // Reading for the site counts as no use, so that the same vault gives the same files.
    assert_eq!(sandbox.cm(&export).ok().json()["written"], serde_json::json!([]));
}

#[test]
fn two_notes_with_one_id_have_a_page_each() {
    let sandbox = vault_of(VAULT);
    sandbox.write("graph/fixes/copy.md", sandbox.read("graph/fixes/a.md"));
    let exported = sandbox.cm(&["export", "--format", "site", "--out", "../site", "--json"]).ok().json();
    let written = exported["written"].as_array().unwrap().iter().map(|file| file.as_str().unwrap());
    let pages: Vec<&str> = written.filter(|file| file.starts_with("note/graph-fixes-")).collect();
    assert_eq!(pages.len(), 2, "{exported}");
}

#[test]
fn a_site_loses_the_pages_of_notes_that_are_gone_and_takes_no_foreign_folder() {
    let sandbox = vault_of(VAULT);
    let export = ["export", "--format", "site", "--out", "../site"];
    sandbox.write("../site/mine.txt", "theirs");
    assert_eq!(sandbox.cm(&export).code, 5);
    assert!(!sandbox.vault().join("../site/index.html").exists());
    std::fs::remove_file(sandbox.vault().join("../site/mine.txt")).unwrap();
    sandbox.cm(&export).ok();
    let page = sandbox.vault().join(format!("../site/note/{ONE}.html"));
    assert!(page.is_file());
    std::fs::remove_file(sandbox.vault().join("graph/fixes/a.md")).unwrap();
    sandbox.cm(&export).ok();
    assert!(!page.exists() && sandbox.vault().join("../site/index.html").is_file());
    assert_eq!(sandbox.cm(&["export", "--format", "site"]).code, 2);
    assert_eq!(sandbox.cm(&["export", "--format", "site", "--out", "inner"]).code, 5);
}

#[test]
fn a_site_has_the_images_of_its_notes_and_no_other_file() {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and the rest";
    let sandbox = vault_of(VAULT);
    sandbox.write("graph/facts/a b.png", PNG);
    sandbox.write("attachments/deep/same.png", PNG);
    sandbox.write("attachments/other.gif", b"GIF89a and the rest");
    sandbox.write("graph/facts/script.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    // The content decides, not the name.
    sandbox.write("graph/facts/page.png", "<!doctype html>");
    sandbox.write("../outside.png", PNG);
    sandbox.write("_state/private.png", PNG);
    sandbox.write("attachments/unused.png", b"\x89PNG\r\n\x1a\n of no note");
    std::os::unix::fs::symlink("../../../outside.png", sandbox.vault().join("graph/facts/link.png")).unwrap();
    let links = [
        "a b.png",
        "same.png",
        "script.svg",
        "page.png",
        "../../../outside.png",
        "../../_state/private.png",
        "link.png",
        "missing.png",
    ];
    let images: Vec<String> = links.iter().map(|link| format!("![of {link}](<{link}>)")).collect();
    let text = format!(
        "---\nid: pictures\ntype: fact\ntitle: Pictures\n---\n\n{}\n\n[[other.gif|as a link]]\n",
        images.join("\n")
    );
    sandbox.write("graph/facts/n.md", text);
    let export = ["export", "--format", "site", "--out", "../site", "--json"];
    let exported = sandbox.cm(&export).ok().json();
    let files: Vec<&str> =
        exported["written"].as_array().unwrap().iter().filter_map(|f| f.as_str()).collect();
    let copied: Vec<&&str> = files.iter().filter(|file| file.starts_with("image/")).collect();
    assert_eq!(copied.len(), 2, "the same content is one file: {copied:?}");
    let page = files.iter().find(|file| sandbox.read(&format!("../site/{file}")).contains("of missing.png"));
    let html = sandbox.read(&format!("../site/{}", page.unwrap()));
    assert_eq!(html.matches("src=\"../image/").count(), 2, "{html}");
    assert!(html.contains("href=\"../image/") && !html.contains("/file/"), "{html}");
    for file in copied {
        let bytes = std::fs::read(sandbox.vault().join("../site").join(file)).unwrap();
        assert!(bytes == PNG || bytes == b"GIF89a and the rest", "{file}");
    }
    std::fs::remove_file(sandbox.vault().join("graph/facts/n.md")).unwrap();
    sandbox.cm(&export).ok();
    assert_eq!(std::fs::read_dir(sandbox.vault().join("../site/image")).map_or(0, Iterator::count), 0);
}

#[test]
fn a_document_is_json_on_request() {
    let sandbox = vault_of(VAULT);
    let exported = sandbox.cm(&["export", "--format", "memory.md", "--json"]).ok().json();
    assert_eq!(exported["format"], "memory.md");
    assert!(exported["document"].as_str().unwrap().starts_with("# Memory, exported\n"));
    assert!(sandbox.cm(&["export", "--format", "json", "--json"]).ok().json()["notes"].is_array());
}
