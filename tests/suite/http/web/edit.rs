//! Notes that are written on the page, and how pages show the texts of notes.

use std::sync::Arc;

use super::{Browser, linked, linked_config, value_of};
use cm_note::token::AccessRole;

#[test]
fn a_preview_shows_the_text_sanitised_and_saves_nothing() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let added = browser.post("/act/add", &[("text", "The tide table\nRead at six."), ("type", "fact")]);
    let id = added.header("location").unwrap().strip_prefix("/note/").unwrap().to_owned();
    let revision = value_of(&browser.get(&format!("/edit/{id}")).body, "revision");
    let head = server.head();
    let text = "---\ntitle: The tide table\n---\n\n**Read** at seven.<script>alert(1)</script>\n";
    let fields = [("id", id.as_str()), ("revision", revision.as_str()), ("text", text)];
    let shown = browser.post("/act/preview", &fields);
    assert_eq!(shown.status, 200, "{shown:?}");
    let (form, preview) = shown.body.split_once("id=\"preview\"").unwrap();
    assert!(form.contains("**Read** at seven.") && value_of(form, "revision") == revision, "{form}");
    assert!(
        preview.contains("<strong>Read</strong> at seven.") && !preview.contains("<script>alert"),
        "{preview}"
    );
    assert_eq!(server.head(), head);
    assert!(server.sandbox.cm(&["get", &id]).ok().stdout.contains("Read at six"));
    assert_eq!(browser.post_with("/act/preview", &fields).status, 403, "a form of another site");
}

#[test]
fn an_edit_of_a_changed_note_loses_neither_text() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let added = browser.post("/act/add", &[("text", "The tide table\nIt is read at six."), ("type", "fact")]);
    let address = added.header("location").unwrap().to_owned();
    let id = address.strip_prefix("/note/").unwrap().to_owned();
    let form = browser.get(&format!("/edit/{id}")).body;
    let revision = value_of(&form, "revision");
    let (_, rest) = form.split_once("data-guard>\n").unwrap();
    let text = rest.split("</textarea>").next().unwrap().replace("&#34;", "\"");
    // Somebody else changes the note meanwhile.
    server.sandbox.cm(&["update", &id, "--append", "Theirs."]).ok();
    let mine = text.replace("six", "seven");
    let fields = [("id", id.as_str()), ("revision", revision.as_str()), ("text", mine.as_str())];
    let conflict = browser.post("/act/edit", &fields);
    assert_eq!(conflict.status, 409, "{conflict:?}");
    assert!(
        conflict.body.contains("Theirs.") && conflict.body.contains("read at seven"),
        "{}",
        conflict.body
    );
    let written = || server.sandbox.cm(&["get", &id]).ok().stdout;
    assert!(written().contains("Theirs.") && written().contains("six"));
    let both = format!("{mine}\nTheirs.\n");
    let newer = value_of(&conflict.body, "revision");
    let fields = [("id", id.as_str()), ("revision", newer.as_str()), ("text", both.as_str())];
    assert_eq!(browser.post("/act/edit", &fields).status, 303);
    assert!(written().contains("Theirs.") && written().contains("seven"));
}

#[test]
fn a_note_keeps_its_line_breaks_when_it_is_edited_in_the_page() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    server.sandbox.write("knowledge/tide.md", "---\r\ntitle: Tide\r\n---\r\nRead at six.\r\n\r\nIn UTC.\r\n");
    let revision = value_of(&browser.get("/edit/tide").body, "revision");
    let text = "---\r\ntitle: Tide\r\n---\r\nRead at seven.\r\n\r\nIn UTC.\r\n";
    let fields = [("id", "tide"), ("revision", revision.as_str()), ("text", text)];
    assert_eq!(browser.post("/act/edit", &fields).status, 303);
    assert_eq!(server.sandbox.read("knowledge/tide.md"), text);
}

#[test]
fn a_new_note_that_is_refused_stays_in_the_form() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let secret =
        format!("The key of the tide service\nIt is ghp_{}.", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let fields = [("text", secret.as_str()), ("type", "fact"), ("tags", "tide, key")];
    let reply = browser.post("/act/add", &fields);
    assert_eq!(reply.status, 409, "{reply:?}");
    let page = &reply.body;
    assert!(page.contains("role=\"alert\"") && page.contains("The key of the tide service"), "{page}");
    assert!(page.contains("<option selected>fact") && page.contains("value=\"tide, key\""), "{page}");
}

#[test]
fn a_change_that_was_refused_is_no_change_in_the_audit_log() {
    let config = linked_config(AccessRole::Admin);
    let audited = Arc::clone(&config.audited);
    let server = config.run();
    let browser = Browser::of(&server);
    server.sandbox.write("knowledge/tide.md", "---\ntitle: Tide\n---\nRead at six.\n");
    let revision = value_of(&browser.get("/edit/tide").body, "revision");
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let edit = |text: &str| {
        browser.post("/act/edit", &[("id", "tide"), ("revision", &revision), ("text", text)]).status
    };
    assert_eq!(browser.post("/act/add", &[("text", &secret), ("type", "fact")]).status, 409);
    assert_eq!(edit(&secret), 409);
    server.sandbox.write("knowledge/tide.md", "---\ntitle: Tide\n---\nRead at noon.\n");
    assert_eq!(edit("---\ntitle: Tide\n---\nRead at seven.\n"), 409);
    let audited = audited.lock().unwrap();
    let changes: Vec<_> = audited.iter().filter(|line| line.starts_with("web /act/")).collect();
    assert_eq!(
        changes,
        ["web /act/add secret", "web /act/edit secret", "web /act/edit conflict"],
        "{audited:?}"
    );
}

#[test]
fn a_plain_note_is_shown_without_warnings_and_with_the_notes_that_it_embeds() {
    let server = linked(AccessRole::Admin);
    server
        .sandbox
        .write("Tide.md", "# Tide\n\nRead at six. %%private%%\n\n![[Harbour]]\n\n## Table\n\nTwice a day.\n");
    let embeds = "# Harbour\n\n![[Tide]]\n\n![[Tide#Table]]\n\n![[Nowhere]]\n\n![[Tide#Nothing]]\n\nSee ![[Tide]] and `<id>` <id>.\n";
    server.sandbox.write("Harbour.md", embeds);
    let browser = Browser::of(&server);
    let page = browser.get("/note/Harbour").body;
    assert!(!page.contains("banner warn") && !page.contains("no id"), "{page}");
    assert_eq!(page.matches("Read at six.").count(), 1, "{page}");
    assert_eq!(page.matches("Twice a day.").count(), 2, "{page}");
    assert!(!page.contains("<h1 id=\"h-tide\">"), "{page}");
    assert!(page.contains("href=\"/note/Nowhere\"") && !page.contains("image: "), "{page}");
    assert!(!page.contains("private") && !page.contains("cm-embedded"), "{page}");
    assert!(page.contains("<code>&lt;id&gt;</code> &lt;id&gt;"), "{page}");
    assert_eq!(page.matches("<h3>links to</h3>").count(), 0, "{page}");
}

#[test]
fn a_text_with_errors_is_not_saved_and_not_lost() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let added = browser.post("/act/add", &[("text", "The tide table"), ("type", "fact")]);
    let id = added.header("location").unwrap().strip_prefix("/note/").unwrap().to_owned();
    let revision = value_of(&browser.get(&format!("/edit/{id}")).body, "revision");
    let broken = "---\ntitle: [unclosed\n---\nMy words.\n";
    let fields = [("id", id.as_str()), ("revision", revision.as_str()), ("text", broken)];
    let reply = browser.post("/act/edit", &fields);
    assert_eq!(reply.status, 409, "{reply:?}");
    assert!(reply.body.contains("My words.") && reply.body.contains("role=\"alert\""));
    assert!(!server.sandbox.cm(&["get", &id]).ok().stdout.contains("My words."));
}

#[test]
fn the_page_of_a_note_shows_its_score_over_time_its_mentions_and_the_origin_of_each_line() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let add = |text: &str| {
        let added = browser.post("/act/add", &[("text", text), ("type", "fact")]);
        added.header("location").unwrap().strip_prefix("/note/").unwrap().to_owned()
    };
    let id = add("Tide table\nIt is read at six.");
    let other = add("Harbour\nThe tide table <b>hangs</b> at the door.");
    server.sandbox.cm(&["--reason", "moved", "update", &id, "--append", "It hangs in the hall."]).ok();
    let page = browser.get(&format!("/note/{id}")).body;
    assert!(page.contains("class=\"past\" points=\"") && page.contains("The same as a table"), "{page}");
    assert!(
        page.contains("The score is ") && page.contains("Without feedback or use, it drops to "),
        "{page}"
    );
    assert!(page.contains(&format!("href=\"/note/{other}\"")) && page.contains("<mark>tide table</mark>"));
    assert!(page.contains(&format!("href=\"/origins/{id}\"")));
    // The commits come after the page; without a script, a link leads to the history.
    let part = format!("hx-get=\"/history/{id}?commits=1\"");
    assert!(
        page.contains(&part) && page.contains(&format!("<a href=\"/history/{id}\">Commits</a>")),
        "{page}"
    );
    let commits = browser.get(&format!("/history/{id}?commits=1")).body;
    assert_eq!((commits.matches("<li>").count(), commits.contains("Add fact")), (2, true), "{commits}");
    let origins = browser.get(&format!("/origins/{id}")).body;
    let (begin, end) = origins.split_once("It is read at six.").unwrap();
    assert!(begin.contains("Add fact") && end.contains("It hangs in the hall."), "{origins}");
    let history = browser.get(&format!("/history/{id}")).body;
    assert!(history.contains("type=\"range\" min=\"1\" max=\"2\"") && history.contains(">older</a>"));
    // A note without a score, such as a diary, has no drawing.
    server.sandbox.write("plain.md", "Only words.\n");
    assert!(!browser.get("/note/plain.md").body.contains("class=\"past\""));
}

#[test]
fn hits_with_one_title_show_their_paths() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    for path in ["boat/Pump.md", "car/Pump.md", "boat/Valve.md"] {
        server.sandbox.write(path, "Zinc anodes.\n");
    }
    let body = browser.get("/search?q=zinc").body;
    assert!(body.contains(">boat/Pump.md<") && body.contains(">car/Pump.md<"), "{body}");
    assert!(!body.contains(">boat/Valve.md<"), "{body}");
}

#[test]
fn markup_in_a_note_becomes_text() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>\n[a](javascript:alert(3)) <b onclick=alert(4)>b</b>";
    let added = browser.post("/act/add", &[("text", hostile), ("type", "fact"), ("tags", "a")]);
    let address = added.header("location").unwrap().to_owned();
    let id = address.strip_prefix("/note/").unwrap().to_owned();
    for target in
        [address.as_str(), "/", "/search?q=alert", "/log", &format!("/history/{id}"), &format!("/edit/{id}")]
    {
        let body = browser.get(target).body.to_lowercase();
        for bad in ["<script>", "<img src=x", "onclick=alert(4)>b</b>", "href=\"javascript:"] {
            assert!(!body.contains(bad), "{bad} in {target}: {body}");
        }
    }
}
