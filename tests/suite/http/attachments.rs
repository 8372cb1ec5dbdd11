//! Attachments of notes over real sockets: what is shown, what is a download, and what is refused.

use std::fs;
use std::path::PathBuf;

use super::support::{Reply, TestServer};
use super::web::{Browser, linked};
use cm_note::token::AccessRole;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and the rest";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
const NOTE: &str = "graph/facts/n.md";

fn at(server: &TestServer, path: &str) -> PathBuf {
    server.sandbox.vault().join(path)
}

fn put(server: &TestServer, path: &str, bytes: &[u8]) {
    server.sandbox.write(path, bytes);
}

/// A note that links to all of these.
fn note(server: &TestServer, links: &[&str]) {
    let links: Vec<String> = links.iter().map(|link| format!("![a](<{link}>)")).collect();
    let text = format!("---\ntype: fact\ntitle: N\n---\n\n{}\n", links.join("\n"));
    put(server, NOTE, text.as_bytes());
}

fn file(browser: &Browser<'_>, path: &str) -> Reply {
    browser.get(&format!("/file/{path}?note={NOTE}"))
}

#[test]
fn an_image_is_shown_in_its_note_and_every_other_file_is_a_download_that_runs_nothing() {
    let server = linked(AccessRole::Reader);
    put(&server, "graph/facts/a b.png", PNG);
    put(&server, "attachments/deep/c.png", PNG);
    put(&server, "graph/facts/d.svg", SVG.as_bytes());
    // The content decides, not the name.
    put(&server, "graph/facts/e.png", b"<!doctype html><script>alert(1)</script>");
    put(&server, "graph/facts/f.pdf", b"%PDF-1.7");
    note(&server, &["a b.png", "d.svg", "e.png", "f.pdf", "c.png"]);
    let browser = Browser::of(&server);
    let page = browser.get(&format!("/note/{NOTE}")).body;
    assert!(page.contains("<img src=\"/file/graph/facts/a%20b.png?note=graph/facts/n.md\""), "{page}");
    assert!(
        page.contains("href=\"/file/graph/facts/d.svg")
            && !page.contains("<img src=\"/file/graph/facts/d.svg")
    );
    let image = file(&browser, "graph/facts/a%20b.png");
    assert_eq!((image.status, image.header("content-type")), (200, Some("image/png")), "{image:?}");
    assert_eq!(image.header("content-disposition"), Some("inline; filename*=utf-8''a%20b.png"));
    // Relative to the note there is none; the name is found elsewhere.
    assert_eq!(file(&browser, "graph/facts/c.png").header("content-type"), Some("image/png"));
    for name in ["d.svg", "e.png", "f.pdf"] {
        let reply = file(&browser, &format!("graph/facts/{name}"));
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/octet-stream")),
            "{name}"
        );
        assert!(reply.header("content-disposition").unwrap().starts_with("attachment;"), "{name}");
    }
    for name in ["a%20b.png", "d.svg", "e.png"] {
        let reply = file(&browser, &format!("graph/facts/{name}"));
        assert_eq!(reply.header("content-security-policy"), Some("sandbox; default-src 'none'"), "{name}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{name}");
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"), "{name}");
        assert_eq!(reply.header("x-frame-options"), Some("deny"), "{name}");
    }
    let tag = image.header("etag").unwrap().to_owned();
    let again = [("cookie", browser.cookie.as_str()), ("if-none-match", tag.as_str())];
    let again = server.ask("GET", &format!("/file/graph/facts/a%20b.png?note={NOTE}"), &again, "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[test]
fn without_a_login_nothing_is_served() {
    let server = linked(AccessRole::Reader);
    put(&server, "graph/facts/a.png", PNG);
    note(&server, &["a.png"]);
    let reply = server.ask("GET", &format!("/file/graph/facts/a.png?note={NOTE}"), &[], "");
    assert!(reply.status == 303 && !reply.body.contains("PNG"), "{reply:?}");
}

#[test]
fn only_what_the_named_note_links_to_is_served() {
    let server = linked(AccessRole::Reader);
    put(&server, "graph/facts/a.png", PNG);
    put(&server, "graph/facts/b.png", PNG);
    put(&server, "graph/facts/keys.txt", b"secret words");
    note(&server, &["a.png", "keys.txt", "../../cm.toml", "n.md"]);
    let browser = Browser::of(&server);
    assert_eq!(file(&browser, "graph/facts/a.png").status, 200);
    for path in
        ["graph/facts/b.png", "graph/facts/keys.txt", "cm.toml", "graph/facts/n.md", "graph/facts", ""]
    {
        let reply = file(&browser, path);
        assert!(reply.status == 404 && !reply.body.contains("secret words"), "{path}: {reply:?}");
    }
    assert_eq!(browser.get("/file/graph/facts/a.png").status, 400);
    assert_eq!(browser.get("/file/graph/facts/a.png?note=other").status, 404);
}

#[test]
fn no_path_leads_out_of_the_vault() {
    let server = linked(AccessRole::Reader);
    let outside = server.sandbox.root().join("outside.png");
    fs::write(&outside, [PNG, b"outside"].concat()).unwrap();
    let absolute = outside.display().to_string();
    note(
        &server,
        &[
            "../../../outside.png",
            "..%2f..%2f..%2foutside.png",
            &absolute,
            "a/../../../../outside.png",
            "x.png",
        ],
    );
    let browser = Browser::of(&server);
    let absolute = absolute.trim_start_matches('/');
    for path in [
        "../outside.png",
        "../../../outside.png",
        "graph/facts/../../../outside.png",
        "%2e%2e/outside.png",
        "..%2foutside.png",
        "%252e%252e%252foutside.png",
        "..%5coutside.png",
        "graph/facts/x.png%00",
        "%2fetc%2fpasswd",
        "/etc/passwd",
        absolute,
        &format!("/{absolute}"),
        "outside.png",
    ] {
        let reply = file(&browser, path);
        assert!(reply.status >= 300 && !reply.body.contains("PNG\r\n"), "{path}: {reply:?}");
        assert_ne!(reply.header("content-type"), Some("image/png"), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_refused() {
    use std::os::unix::fs::symlink;
    let server = linked(AccessRole::Reader);
    let outside = server.sandbox.root().join("outside.png");
    fs::write(&outside, PNG).unwrap();
    put(&server, "graph/facts/in.png", PNG);
    symlink(&outside, at(&server, "graph/facts/out.png")).unwrap();
    symlink(at(&server, "graph/facts/in.png"), at(&server, "graph/facts/alias.png")).unwrap();
    symlink(outside.parent().unwrap(), at(&server, "graph/facts/folder")).unwrap();
    let pipe = at(&server, "graph/facts/pipe.png");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    note(&server, &["out.png", "alias.png", "folder/outside.png", "pipe.png", "in.png"]);
    let browser = Browser::of(&server);
    for name in ["out.png", "alias.png", "folder/outside.png", "pipe.png"] {
        let reply = file(&browser, &format!("graph/facts/{name}"));
        assert!(
            reply.status == 404 && reply.header("content-type") != Some("image/png"),
            "{name}: {reply:?}"
        );
    }
    assert_eq!(file(&browser, "graph/facts/in.png").status, 200);
}

#[test]
fn private_and_excluded_folders_are_refused() {
    let server = linked(AccessRole::Admin);
    server.sandbox.cm(&["config", "set", "vault.exclude", "[\"closed\"]"]).ok();
    let private = [
        "_state/x.png",
        "_index/x.png",
        "_embeddings/x.png",
        ".git/x.png",
        ".hidden/x.png",
        "closed/x.png",
        "repo/x.png",
    ];
    private.iter().for_each(|path| put(&server, path, PNG));
    fs::create_dir_all(at(&server, "repo/.git")).unwrap();
    let links: Vec<String> = private.iter().map(|path| format!("/{path}")).collect();
    let mut links: Vec<&str> = links.iter().map(String::as_str).collect();
    links.extend(["/_STATE/x.png", "/.GIT/x.png"]);
    note(&server, &links);
    let browser = Browser::of(&server);
    for link in links {
        let reply = file(&browser, link.trim_start_matches('/'));
        assert!(
            reply.status == 404 && reply.header("content-type") != Some("image/png"),
            "{link}: {reply:?}"
        );
    }
}
