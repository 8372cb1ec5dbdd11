//! The page of a note: renaming, deleting, and how its text is shown.

use super::web::{Browser, linked, value_of, with_tokens};
use cm_note::token::AccessRole;

#[test]
fn a_note_is_renamed_and_deleted_on_its_page_and_both_are_taken_back() {
    let server = linked(AccessRole::Admin);
    let add = ["add", "--type", "fact", "--title", "Old name", "--body", "Text.", "--json"];
    let id = server.sandbox.cm(&add).ok().json()["id"].as_str().unwrap().to_owned();
    server.sandbox.cm(&["add", "--title", "Other", "--body", "See [[Old name]]."]).ok();
    let browser = Browser::of(&server);
    let page = browser.get(&format!("/note/{id}"));
    assert!(page.body.contains("action=\"/act/rename\"") && page.body.contains("action=\"/act/delete\""));
    let renamed = browser.post("/act/rename", &[("id", &id), ("title", "New name")]);
    assert_eq!((renamed.status, renamed.header("location")), (303, Some(format!("/note/{id}").as_str())));
    let page = browser.get(&format!("/note/{id}")).body;
    assert!(page.contains("<h1>New name</h1>") && page.contains("links changed in 1 file"), "{page}");
    let commit = value_of(&page, "commit");
    browser.post("/act/undo", &[("commit", &commit), ("back", "/log")]);
    assert!(browser.get(&format!("/note/{id}")).body.contains("<h1>Old name</h1>"));
    let deleted = browser.post("/act/delete", &[("id", &id), ("reason", "was never true")]);
    assert_eq!((deleted.status, deleted.header("location")), (303, Some("/")));
    let home = browser.get("/").body;
    assert_eq!(browser.get(&format!("/note/{id}")).status, 404);
    assert_eq!(
        browser.post("/act/undo", &[("commit", &value_of(&home, "commit")), ("back", "/")]).status,
        303
    );
    assert_eq!(browser.get(&format!("/note/{id}")).status, 200);
}

#[test]
fn a_note_is_shown_while_somebody_moves_its_file() {
    let server = linked(AccessRole::Admin);
    let added = server.sandbox.cm(&["add", "--title", "Ports", "--body", "5432.", "--json"]).ok().json();
    let (id, path) = (added["id"].as_str().unwrap(), added["path"].as_str().unwrap());
    let (here, there) = (server.sandbox.vault().join(path), server.sandbox.vault().join("moved.md"));
    let browser = Browser::of(&server);
    std::thread::scope(|threads| {
        let mover = threads.spawn(|| {
            for _ in 0..10 {
                for (from, to) in [(&here, &there), (&there, &here)] {
                    std::fs::rename(from, to).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(200));
                }
            }
        });
        while !mover.is_finished() {
            let page = browser.get(&format!("/note/{id}"));
            assert_eq!(page.status, 200, "{page:?}");
        }
    });
}

#[test]
fn a_note_that_changed_since_it_was_shown_is_not_deleted() {
    let server = linked(AccessRole::Admin);
    let added = server.sandbox.cm(&["add", "--title", "Ports", "--body", "5432.", "--json"]).ok().json();
    let id = added["id"].as_str().unwrap();
    let browser = Browser::of(&server);
    let form = browser.get(&format!("/note/{id}")).body;
    let form = form.split("action=\"/act/delete\"").nth(1).unwrap();
    let revision = value_of(form, "revision");
    server.sandbox.cm(&["update", id, "--append", "And 5433."]).ok();
    let refused = browser.post("/act/delete", &[("id", id), ("revision", &revision)]);
    let shown = (refused.status, refused.body.contains("was changed since it was read"));
    assert_eq!(shown, (409, true), "{refused:?}");
    assert!(browser.get(&format!("/note/{id}")).body.contains("And 5433."));
}

#[test]
fn a_reader_cannot_rename_or_delete() {
    let (server, token) = with_tokens(AccessRole::Reader);
    let id = server.sandbox.cm(&["add", "--title", "A", "--body", "B.", "--json"]).ok().json()["id"].clone();
    let id = id.as_str().unwrap();
    let browser = Browser::with_token(&server, &token);
    let page = browser.get(&format!("/note/{id}")).body;
    assert!(!page.contains("/act/rename") && !page.contains("/act/delete"), "{page}");
    for action in ["/act/rename", "/act/delete"] {
        let refused = browser.post(action, &[("id", id), ("title", "B")]);
        assert_eq!(refused.status, 403, "{refused:?}");
    }
    assert_eq!(browser.get(&format!("/note/{id}")).status, 200);
}

#[test]
fn comments_are_apart_from_the_text_and_links_to_missing_notes_are_marked() {
    let server = linked(AccessRole::Admin);
    server.sandbox.write("there.md", "# There\n");
    server.sandbox.write("plan.md", "# Plan\n\nSeen %%only for me%% text, [[there]] and [[Nowhere]].\n");
    let page = Browser::of(&server).get("/note/plan.md").body;
    assert!(page.contains("<p>Seen  text, "), "{page}");
    assert!(page.contains("<summary>Comments that agents can read</summary>"), "{page}");
    assert!(
        page.contains("<a class=\"missing\" title=\"There is no such note\" href=\"/note/Nowhere\""),
        "{page}"
    );
    assert!(page.contains("<a href=\"/note/there\""), "{page}");
}

#[test]
fn a_change_that_was_undone_and_restored_can_be_undone_again() {
    let server = linked(AccessRole::Admin);
    let commit = |arguments: &[&str]| {
        let done = server.sandbox.cm(&[arguments, &["--json"]].concat()).ok().json();
        done["commit"].as_str().unwrap().to_owned()
    };
    let added = commit(&["add", "--title", "Kept after all", "--body", "Text."]);
    let undone = commit(&["undo", &added]);
    let redone = commit(&["undo", &undone]);
    let log = Browser::of(&server).get("/log").body;
    let offered = |commit: &str| log.contains(&format!("name=\"commit\" value=\"{commit}\""));
    assert_eq!([&added, &undone, &redone].map(|commit| offered(commit)), [true, false, true]);
}
