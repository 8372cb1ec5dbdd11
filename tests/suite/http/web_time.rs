//! The page as of an earlier time, and what was learned since.

use cm_note::token::AccessRole;

use super::web::{Browser, linked};

const FACT: [&str; 5] = ["add", "--type", "fact", "--title", "The tide table"];

#[test]
fn pages_show_the_vault_as_of_a_commit_and_change_nothing_there() {
    let server = linked(AccessRole::Admin);
    let added =
        server.sandbox.cm(&[&FACT[..], &["--body", "It is read at six.", "--json"]].concat()).ok().json();
    let (id, head) = (added["id"].as_str().unwrap(), server.head().trim().to_owned());
    let path = added["path"].as_str().unwrap();
    server.sandbox.write(path, server.sandbox.read(path).replace("at six", "at noon"));
    let browser = Browser::of(&server);
    let address = format!("/note/{id}?as_of={head}");
    let (then, now) = (browser.get(&address).body, browser.get(&format!("/note/{id}")).body);
    assert!(then.contains("read at six") && !then.contains("read at noon"), "{then}");
    assert!(now.contains("read at noon") && now.contains("/act/mark"), "{now}");
    assert!(!then.contains("/act/") && then.contains("Back to now"), "{then}");
    assert!(then.contains(&format!("data-today href=\"/note/{id}\"")), "{then}");
    for target in ["/", "/search?q=tide", "/core", "/graph"] {
        let sign = if target.contains('?') { '&' } else { '?' };
        let reply = browser.get(&format!("{target}{sign}as_of={head}"));
        assert!(reply.status == 200 && reply.body.contains("Back to now"), "{target}: {reply:?}");
        assert!(!reply.body.contains("/act/") && !reply.body.contains("href=\"/new\""), "{target}");
        assert!(reply.body.contains(&format!("href=\"/core?as_of={head}\"")), "{target}: {}", reply.body);
    }
    let data = browser.get(&format!("/graph/near/{id}?as_of={head}"));
    assert!(data.status == 200 && data.body.contains("The tide table"), "{data:?}");
    assert_eq!(browser.get("/core?as_of=never").status, 404);
    assert_eq!(browser.get("/core?as_of=").status, 200);
}

#[test]
fn the_history_of_a_page_is_a_slider_and_a_list_of_links() {
    let server = linked(AccessRole::Reader);
    server.sandbox.cm(&[&FACT[..], &["--body", "It is read at six."]].concat()).ok();
    let head = server.head().trim().to_owned();
    let browser = Browser::of(&server);
    let home = browser.get("/search?q=tide").body;
    assert!(home.contains("hx-get=\"/past?to=%2Fsearch%3Fq%3Dtide\""), "{home}");
    let past = browser.get("/past?to=%2Fsearch%3Fq%3Dtide").body;
    assert!(past.contains("type=\"range\"") && past.contains("name=\"q\" value=\"tide\""), "{past}");
    assert!(past.contains(&format!("href=\"/search?q=tide&#38;as_of={head}\"")), "{past}");
    assert!(!browser.get("/past?to=//evil.example").body.contains("evil.example"));
    let learned = browser.get("/learned").body;
    assert!(learned.contains("The tide table") && learned.contains("Added"), "{learned}");
}
