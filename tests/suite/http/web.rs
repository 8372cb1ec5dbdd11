//! The page for people over real sockets: login, forms, roles, conflicts, hostile notes.

mod edit;
mod review;

use std::net::TcpStream;

use super::support::{Reply, TestServer, TestServerConfig, request};
use cm_app::CallerIdentity;
use cm_note::token::AccessRole;
use cm_server::web::{ChangeFeed, Visitor, WebSetup};

const SECRET: &str = "the-secret-of-the-link";

fn page_for(visitor: Visitor) -> TestServerConfig {
    let web = WebSetup { visitor, changes: ChangeFeed::default(), is_demo: false };
    TestServerConfig { web: Some(web), ..TestServerConfig::default() }
}

/// A server whose page opens with a link, as `cm web` starts it.
pub(super) fn linked(role: AccessRole) -> TestServer {
    linked_config(role).run()
}

fn linked_config(role: AccessRole) -> TestServerConfig {
    let visitor = Visitor::LoginLink { secret: SECRET.to_owned(), caller: CallerIdentity::default(), role };
    TestServerConfig { table: &[], ..page_for(visitor) }
}

/// A server whose page asks for a token, and a token of this role.
pub(super) fn with_tokens(role: AccessRole) -> (TestServer, String) {
    let start = page_for(Visitor::TokenHolder);
    let token = start.token(role, 7);
    (start.run(), token)
}

/// A browser that is logged in.
pub(super) struct Browser<'s> {
    server: &'s TestServer,
    pub(super) cookie: String,
}

impl<'s> Browser<'s> {
    pub(super) fn of(server: &'s TestServer) -> Self {
        let reply = server.ask("GET", &format!("/login?once={SECRET}"), &[], "");
        assert_eq!(reply.status, 303, "{reply:?}");
        Self { server, cookie: cookie_of(&reply) }
    }

    pub(super) fn with_token(server: &'s TestServer, token: &str) -> Self {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let reply = server.ask("POST", "/login", &form, &format!("token={token}"));
        assert_eq!(reply.status, 303, "{reply:?}");
        Self { server, cookie: cookie_of(&reply) }
    }

    pub(super) fn get(&self, target: &str) -> Reply {
        self.server.ask("GET", target, &[("cookie", &self.cookie), ("accept", "text/html")], "")
    }

    /// Sends a form with the token of this login.
    pub(super) fn post(&self, target: &str, fields: &[(&str, &str)]) -> Reply {
        let csrf = self.csrf();
        self.post_with(target, &[&[("csrf", csrf.as_str())], fields].concat())
    }

    fn post_with(&self, target: &str, fields: &[(&str, &str)]) -> Reply {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let headers =
            [("cookie", self.cookie.as_str()), ("content-type", "application/x-www-form-urlencoded")];
        self.server.ask("POST", target, &headers, &form.finish())
    }

    fn csrf(&self) -> String {
        value_of(&self.get("/new").body, "csrf")
    }
}

fn cookie_of(reply: &Reply) -> String {
    reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// The value of a hidden field in a page.
pub(super) fn value_of(html: &str, name: &str) -> String {
    let (_, rest) =
        html.split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{name}: {html}"));
    rest.split('"').next().unwrap().to_owned()
}

fn draft(server: &TestServer, text: &str) -> String {
    let bullet =
        format!("[{{\"type\": \"add\", \"bullet\": {{\"category\": \"tools\", \"content\": \"{text}\"}}}}]");
    server.sandbox.write("../deltas.json", bullet);
    server.sandbox.cm(&["--agent", "claude", "curate", "../deltas.json"]).ok();
    let listed = server.sandbox.cm(&["playbook", "list", "--state", "draft", "--json"]).ok().json();
    listed["bullets"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_login_link_works_once_and_without_it_every_page_leads_to_the_login() {
    let server = linked(AccessRole::Admin);
    for target in ["/", "/note/x", "/review", "/graph"] {
        let reply = server.ask("GET", target, &[("accept", "text/html")], "");
        assert_eq!(reply.status, 303, "{target}: {reply:?}");
        assert!(!reply.body.contains("</nav>"), "{target}");
    }
    let wrong = server.ask("GET", "/login?once=wrong", &[], "");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (403, None));
    let browser = Browser::of(&server);
    let home = browser.get("/");
    assert!(home.status == 200 && home.body.contains("</nav>"), "{home:?}");
    let again = server.ask("GET", &format!("/login?once={SECRET}"), &[], "");
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
}

#[test]
fn every_page_of_a_vault_is_shown_and_protected() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    for target in [
        "/",
        "/search",
        "/search?q=a&explain=1",
        "/review",
        "/playbook",
        "/playbook?state=draft",
        "/sessions",
        "/conflicts",
        "/stale",
        "/core",
        "/log",
        "/checks",
        "/checks?run=1",
        "/past",
        "/learned",
        "/charts",
        "/new",
    ] {
        let reply = browser.get(target);
        assert_eq!(reply.status, 200, "{target}: {reply:?}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("script-src localhost/assets/;") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-frame-options"), Some("deny"), "{target}");
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{target}");
        assert!(!reply.body.contains(" style=") && !reply.body.contains(" onclick="), "{target}");
    }
    let missing = browser.get("/note/there-is-no-such-note");
    assert!(missing.status == 404 && missing.body.contains("</nav>"), "{missing:?}");
}

#[test]
fn assets_are_kept_by_browsers_and_change_their_address_with_their_content() {
    let server = linked(AccessRole::Admin);
    let login = server.ask("GET", "/login", &[], "");
    let (_, rest) = login.body.split_once("href=\"/assets/style.css?v=").unwrap();
    let style = format!("/assets/style.css?v={}", rest.split('"').next().unwrap());
    let reply = server.ask("GET", &style, &[], "");
    assert_eq!(reply.status, 200);
    assert!(reply.header("cache-control").unwrap().contains("immutable"));
    assert_eq!(server.ask("GET", "/assets/no.js", &[], "").status, 404);
}

#[test]
fn a_forged_form_changes_nothing() {
    let server = linked(AccessRole::Admin);
    let id = draft(&server, "Use pnpm for every package of this workspace.");
    let browser = Browser::of(&server);
    let head = server.head();
    let fields = [("id", id.as_str()), ("decision", "accept")];
    assert_eq!(browser.post_with("/act/review", &fields).status, 403);
    let forged = [fields[0], fields[1], ("csrf", "0000")];
    assert_eq!(browser.post_with("/act/review", &forged).status, 403);
    // Without the cookie the token of the form does not help either.
    let other = Browser { server: &server, cookie: "cm_page=0000".to_owned() };
    let stolen = [fields[0], fields[1], ("csrf", &browser.csrf())];
    assert_eq!(other.post_with("/act/review", &stolen).header("location"), Some("/login?next=%2f"));
    let cross = [("cookie", browser.cookie.as_str()), ("origin", "https://evil.example")];
    assert_eq!(server.ask("GET", "/", &cross, "").status, 403);
    let rebound = [("cookie", browser.cookie.as_str()), ("host", "evil.example")];
    assert_eq!(server.ask("GET", "/", &rebound, "").status, 421);
    assert_eq!(server.head(), head);
}

#[test]
fn a_reader_sees_no_buttons_and_is_refused_at_the_operation() {
    let (server, token) = with_tokens(AccessRole::Reader);
    let id = draft(&server, "Use pnpm for every package of this workspace.");
    let browser = Browser::with_token(&server, &token);
    let page = browser.get("/review").body;
    assert!(page.contains("Use pnpm") && !page.contains("/act/review"), "{page}");
    let head = server.head();
    assert_eq!(browser.post("/act/review", &[("id", &id), ("decision", "accept")]).status, 403);
    assert_eq!(server.head(), head);
}

#[test]
fn parts_of_a_page_keep_its_title() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    browser.post("/act/add", &[("text", "The tide table"), ("type", "fact")]);
    for target in ["/", "/search", "/checks", "/core"] {
        let page = browser.get(target).body;
        let swaps = page.matches("hx-swap=").count();
        assert!(swaps > 0 && swaps == page.matches("ignoreTitle:true").count(), "{target}: {page}");
    }
}

#[test]
fn an_address_that_does_not_exist_is_not_found() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let reply = browser.get("/nothing/here");
    assert!(reply.status == 404 && reply.body.contains("</nav>"), "{reply:?}");
    let stranger = server.ask("GET", "/nothing", &[("accept", "text/html")], "");
    assert_eq!(stranger.status, 303, "{stranger:?}");
}

#[test]
fn without_tokens_the_page_says_what_it_cannot_do() {
    let server = page_for(Visitor::TokenHolder).run();
    let id = draft(&server, "Use pnpm for every package of this workspace.");
    let reply = server.ask("GET", "/login", &[("accept", "text/html")], "");
    let browser = Browser { server: &server, cookie: cookie_of(&reply) };
    let page = browser.get("/review").body;
    assert!(page.contains(&id) && !page.contains("/act/review"), "{page}");
    assert!(page.contains("<code>cm web</code>"), "{page}");
}

#[test]
fn on_a_server_with_tokens_the_page_takes_one_and_programs_keep_the_endpoints() {
    let start = page_for(Visitor::TokenHolder);
    let token = start.token(AccessRole::Writer, 7);
    let server = start.run();
    let asked = server.ask("GET", "/login", &[], "");
    assert!(asked.status == 200 && asked.body.contains("name=\"token\""), "{asked:?}");
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let wrong = server.ask("POST", "/login", &form, "token=cm_wrong");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    let reply = server.ask("POST", "/login", &form, &format!("token={token}&next=/log"));
    assert_eq!((reply.status, reply.header("location")), (303, Some("/log")), "{reply:?}");
    let browser = Browser { server: &server, cookie: cookie_of(&reply) };
    let page = browser.get("/search?q=a").body;
    assert!(
        page.contains("</nav>") && page.contains("· writer</span>") && page.contains(">Log out<"),
        "{page}"
    );
    // A cookie is no token: programs send theirs.
    let cookie = [("cookie", browser.cookie.as_str())];
    assert_eq!(server.ask("GET", "/search?q=a", &cookie, "").status, 401);
    assert_eq!(server.get("/search?q=a", &token).json()["query"], "a");
    let out = browser.post("/logout", &[]);
    assert_eq!(out.header("location"), Some("/login"), "{out:?}");
    assert_eq!(browser.get("/log").status, 303);
}

#[test]
fn the_token_of_an_agent_reads_the_page_and_changes_nothing() {
    let start = page_for(Visitor::TokenHolder);
    let made = start.sandbox.cm(&["token", "add", "Build", "--role", "admin", "--json"]).ok().json();
    let token = made["token"].as_str().unwrap().to_owned();
    let server = start.run();
    let head = server.sandbox.git(&["rev-parse", "HEAD"]);
    let browser = Browser::with_token(&server, &token);
    let page = browser.get("/core");
    assert!(page.status == 200 && !page.body.contains("action=\"/act/core\""), "{page:?}");
    let form = browser.get("/new").body;
    assert!(form.contains("token of an agent") && !form.contains("action=\"/act/add\""), "{form}");
    let csrf = browser.csrf();
    for action in ["/act/core", "/act/add", "/act/mark"] {
        let reply = browser.post_with(action, &[("csrf", &csrf), ("text", "Use jitter in retries.")]);
        assert_eq!(reply.status, 403, "{action}: {reply:?}");
        assert!(reply.body.contains("kind person"), "{action}: {reply:?}");
    }
    assert_eq!(server.sandbox.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn a_login_ends_with_its_token() {
    let (server, token) = with_tokens(AccessRole::Writer);
    let browser = Browser::with_token(&server, &token);
    assert_eq!(browser.get("/log").status, 200);
    let listed = server.sandbox.cm(&["token", "list", "--json"]).ok().json();
    let id = listed["tokens"][0]["id"].as_str().unwrap().to_owned();
    server.sandbox.cm(&["token", "revoke", &id]).ok();
    assert_eq!(browser.get("/log").status, 303);
}

#[test]
fn an_open_page_hears_of_a_changed_file_however_long_it_was_open() {
    use std::io::{Read, Write};
    let changes = ChangeFeed::default();
    let visitor = Visitor::Everyone { caller: CallerIdentity::default() };
    let web = WebSetup { visitor, changes: changes.clone(), is_demo: true };
    let mut server = TestServerConfig { web: Some(web), table: &[], ..TestServerConfig::default() }.run();
    let mut stream: TcpStream = server.connect();
    stream.write_all(&request("GET", "/events", &[], b"")).unwrap();
    let mut buffer = [0; 4096];
    let begun = stream.read(&mut buffer).unwrap();
    let mut seen = String::from_utf8_lossy(&buffer[..begun]).into_owned();
    assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
    // Tokens are checked twice a second; this login has none that could end.
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    changes.publish(vec!["graph/a.md".to_owned()]);
    while !seen.contains("graph/a.md") {
        let read = stream.read(&mut buffer).unwrap();
        assert_ne!(read, 0, "the stream goes on: {seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert!(seen.contains("event: change"), "{seen}");
    assert_eq!(server.end().aborted_connections, 0);
}

#[test]
fn everyone_may_read_a_demo_and_nobody_changes_it() {
    let visitor = Visitor::Everyone { caller: CallerIdentity::default() };
    let server = TestServerConfig { table: &[], ..page_for(visitor) }.run();
    let browser = Browser { server: &server, cookie: "a=b".to_owned() };
    let page = browser.get("/log");
    assert!(page.status == 200 && !page.body.contains("/act/"), "{page:?}");
    assert_eq!(browser.post_with("/act/add", &[("text", "x"), ("csrf", "")]).status, 403);
}
