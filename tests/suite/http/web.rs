//! The page for people over real sockets: login, forms, roles, conflicts, hostile notes.

use std::net::TcpStream;
use std::sync::Arc;

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
fn a_draft_is_accepted_by_a_form_and_the_commit_is_taken_back_by_another() {
    let server = linked(AccessRole::Admin);
    let id = draft(&server, "Use pnpm for every package of this workspace.");
    let browser = Browser::of(&server);
    assert!(browser.get("/review").body.contains("Use pnpm for every package"));
    let state = || {
        let got = server.sandbox.cm(&["playbook", "get", &id, "--json"]).ok().json();
        got["state"].as_str().unwrap().to_owned()
    };
    let done = browser.post("/act/review", &[("id", &id), ("decision", "accept"), ("back", "/review")]);
    assert_eq!((done.status, done.header("location")), (303, Some("/review")), "{done:?}");
    assert_eq!(state(), "active");
    // A script that refreshes an open page takes the notice from nobody.
    let refreshing = [("cookie", browser.cookie.as_str()), ("hx-request", "true")];
    assert!(!server.ask("GET", "/review", &refreshing, "").body.contains("Accepted 1 note"));
    let page = browser.get("/review");
    assert!(page.body.contains("Accepted 1 note"), "{}", page.body);
    let commit = value_of(&page.body, "commit");
    assert_eq!(browser.post("/act/undo", &[("commit", &commit), ("back", "/review")]).status, 303);
    assert_eq!(state(), "draft");
}

#[test]
fn several_selected_drafts_are_one_commit_each_and_are_taken_back_together() {
    let server = linked(AccessRole::Admin);
    draft(&server, "Use pnpm for every package of this workspace.");
    draft(&server, "Name every branch after the number of its ticket.");
    let drafts = || {
        let listed = server.sandbox.cm(&["playbook", "list", "--state", "draft", "--json"]).ok().json();
        let ids =
            listed["bullets"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let ids = drafts();
    assert_eq!(ids.len(), 2);
    let browser = Browser::of(&server);
    let fields =
        [("id", ids[0].as_str()), ("id", ids[1].as_str()), ("decision", "accept"), ("back", "/review")];
    assert_eq!(browser.post("/act/review", &fields).status, 303);
    assert!(drafts().is_empty());
    let page = browser.get("/review").body;
    assert!(page.contains("Accepted 2 notes"), "{page}");
    let commits: Vec<&str> = page.split("name=\"commit\" value=\"").skip(1).collect();
    let commits: Vec<&str> = commits.iter().map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(commits.len(), 2, "one commit each");
    let fields = [("commit", commits[0]), ("commit", commits[1])];
    assert_eq!(browser.post("/act/undo", &fields).status, 303);
    assert_eq!(drafts().len(), 2);
}

#[test]
fn a_draft_shows_its_dated_evidence_and_may_replace_a_rule() {
    let server = linked(AccessRole::Admin);
    let rule = |id: &str, state: &str, more: &str, text: &str| {
        let path = format!("playbook/tools/{id}.md");
        let text = format!("---\nid: {id}\ncategory: tools\nstate: {state}\n{more}---\n\n{text}\n");
        server.sandbox.write(&path, text);
    };
    let evidence = "derived_from:\n  evidence:\n    - \"the user in s-7 line 12 on 2026-01-05: pnpm, please\"\nsources:\n  - session: s-7\n    agent: codex\n";
    rule("b-mt2ssunl-000001", "active", "", "Use npm for every package of this workspace.");
    rule("b-mt2ssunl-000002", "draft", evidence, "Install all packages with pnpm, never another tool.");
    server.sandbox.cm(&["commit"]).ok();
    let browser = Browser::of(&server);
    let page = browser.get("/review?section=drafts").body;
    // Nothing is known of the session, so that nothing shows who typed the quote.
    assert!(page.contains("pnpm, please") && page.contains("a person, as the note says, line 12"), "{page}");
    assert!(page.contains("datetime=\"2026-01-05\"") && !page.contains("href=\"/sessions/s-7\""), "{page}");
    assert!(page.contains("by codex, session s-7") && !page.contains("by a person"), "{page}");
    let note = browser.get("/note/b-mt2ssunl-000002").body;
    assert!(note.contains("<code>s-7</code>") && !note.contains("href=\"/sessions/s-7\""), "{note}");
    assert!(page.contains("aria-current=\"true\">Drafts") && page.contains("/act/supersede"), "{page}");
    let fields = [("id", "b-mt2ssunl-000002"), ("other", "b-mt2ssunl-000001"), ("direction", "replaces")];
    assert_eq!(browser.post("/act/supersede", &fields).status, 303);
    let old = server.sandbox.cm(&["playbook", "get", "b-mt2ssunl-000001", "--json"]).ok().json();
    assert_eq!((&old["state"], &old["maturity"]), (&"retired".into(), &"deprecated".into()), "{old}");
    let new = server.sandbox.cm(&["playbook", "get", "b-mt2ssunl-000002", "--json"]).ok().json();
    assert_eq!(new["state"], "active", "{new}");
    let unknown = [("id", "b-mt2ssunl-000002"), ("other", "no-such-rule"), ("direction", "replaces")];
    assert_eq!(browser.post("/act/supersede", &unknown).status, 404);
    let itself = [("id", "b-mt2ssunl-000002"), ("other", "b-mt2ssunl-000002"), ("direction", "replaces")];
    assert_eq!(browser.post("/act/supersede", &itself).status, 400);
}

#[test]
fn the_inbox_names_what_is_hidden_and_what_a_merge_left_over() {
    let server = linked(AccessRole::Admin);
    let fact = |number: usize, text: &str| {
        let id = format!("{number:08}-0000-4000-8000-000000000001");
        let text = format!("---\nid: {id}\ntype: fact\ntitle: Fact {number}\n---\n\n{text}\n");
        server.sandbox.write(&format!("graph/facts/{number}.md"), text);
    };
    fact(1, "Use pass\u{200b}words.");
    fact(2, "<<<<<<< HEAD\nsix\n=======\nseven\n>>>>>>> other");
    let page = Browser::of(&server).get("/review").body;
    assert!(page.contains("Quarantined") && page.contains("pass⟨U+200B⟩words"), "{page}");
    assert!(page.contains("<code>graph/facts/2.md:") && page.contains("/edit/graph/facts/2.md"), "{page}");
}

#[test]
fn a_draft_is_accepted_after_an_edit_and_both_are_taken_back_at_once() {
    let server = linked(AccessRole::Admin);
    let id = draft(&server, "Use pnpm for every package of this workspace.");
    let browser = Browser::of(&server);
    let form = browser.get(&format!("/edit/{id}?then=accept")).body;
    assert!(form.contains("Save and accept"), "{form}");
    let (_, rest) = form.split_once("data-guard>\n").unwrap();
    let text = rest.split("</textarea>").next().unwrap().replace("&#34;", "\"").replace("every", "each");
    let revision = value_of(&form, "revision");
    let fields = [
        ("id", id.as_str()),
        ("revision", &revision),
        ("text", &text),
        ("then", "accept"),
        ("back", "/review"),
    ];
    let done = browser.post("/act/edit", &fields);
    assert_eq!((done.status, done.header("location")), (303, Some("/review")), "{done:?}");
    let rule = || server.sandbox.cm(&["playbook", "get", &id, "--json"]).ok().json();
    assert_eq!(
        (&rule()["state"], &rule()["content"]),
        (&"active".into(), &"Use pnpm for each package of this workspace.".into())
    );
    let page = browser.get("/review").body;
    let commits: Vec<&str> = page.split("name=\"commit\" value=\"").skip(1).collect();
    let commits: Vec<(&str, &str)> =
        commits.iter().map(|rest| ("commit", rest.split('"').next().unwrap())).collect();
    assert_eq!(browser.post("/act/undo", &commits).status, 303);
    assert_eq!(
        (&rule()["state"], &rule()["content"]),
        (&"draft".into(), &"Use pnpm for every package of this workspace.".into())
    );
}

#[test]
fn the_playbook_shows_steps_course_and_forecast_and_its_rules_are_pinned_and_deprecated() {
    let server = linked(AccessRole::Admin);
    let rule = |id: &str, category: &str, keys: &str, text: &str| {
        let text = format!("---\nid: {id}\ncategory: {category}\nstate: active\n{keys}---\n\n{text}\n");
        server.sandbox.write(&format!("playbook/{category}/{id}.md"), text);
    };
    let feedback = "created: 2026-10-01\nmaturity: established\nfeedback:\n  - at: 2026-10-20\n    signal: helpful\n  - at: 2026-11-05\n    signal: helpful\n  - at: 2026-11-15\n    signal: helpful\n";
    rule("b-mt2ssunl-000001", "tools", feedback, "Use pnpm for every package of this workspace.");
    rule("b-mt2ssunl-000002", "testing", "", "Freeze the clock in every test of the calendar.");
    server.sandbox.cm(&["commit"]).ok();
    let browser = Browser::of(&server);
    let page = browser.get("/playbook").body;
    assert!(page.contains("class=\"ladder step2\"") && page.contains("below established in "), "{page}");
    assert!(
        page.contains("class=\"spark\"") && page.contains("aria-label=\"from 0.00 on 2026-10-01 to "),
        "{page}"
    );
    let filtered = browser.get("/playbook?category=tools&maturity=established&tag=").body;
    assert!(filtered.contains("Use pnpm") && !filtered.contains("Freeze the clock"), "{filtered}");
    assert!(filtered.contains("<option value=\"tools\" selected>"), "{filtered}");
    let got = |id: &str| server.sandbox.cm(&["playbook", "get", id, "--json"]).ok().json();
    let id = ("id", "b-mt2ssunl-000002");
    assert_eq!(browser.post("/act/pin", &[id]).status, 303);
    assert_eq!(got(id.1)["pinned"], true);
    assert!(browser.get("/playbook").body.contains("action=\"/act/unpin\""));
    assert_eq!(browser.post("/act/unpin", &[id]).status, 303);
    let fields = [id, ("decision", "deprecate"), ("reason", "we have no calendar")];
    assert_eq!(browser.post("/act/review", &fields).status, 303);
    let deprecated = got(id.1);
    assert_eq!((&deprecated["state"], &deprecated["maturity"]), (&"retired".into(), &"deprecated".into()));
    assert!(browser.get("/playbook").body.contains("Deprecated 1 note"));
}

#[test]
fn the_page_of_core_md_says_what_each_line_costs_and_what_was_left_out() {
    let server = linked(AccessRole::Admin);
    let browser = Browser::of(&server);
    let added = browser.post("/act/add", &[("text", "Tide table\nIt is read at six."), ("type", "fact")]);
    let id = added.header("location").unwrap().strip_prefix("/note/").unwrap().to_owned();
    draft(&server, "Use pnpm for every package of this workspace.");
    let page = browser.get("/core").body;
    let budget = server.sandbox.cm(&["config", "get", "core.max_tokens"]).ok().stdout;
    assert!(page.contains(&format!(" of {} tokens", budget.trim())), "{budget}: {page}");
    let (_, entry) = page.split_once(&format!("data-open href=\"/note/{id}\"")).unwrap();
    let entry = entry.split("</li>").next().unwrap();
    assert!(entry.contains("Tide table") && entry.contains(" tokens"), "{entry}");
    let (_, omitted) = page.split_once("id=\"omitted\"").unwrap();
    assert!(omitted.contains("Use pnpm") && omitted.contains("a draft, or unverified"), "{omitted}");
}

#[test]
fn a_receipt_says_why_a_note_was_shown_and_takes_feedback() {
    let server = linked(AccessRole::Admin);
    let rule = "b-mt2ssunl-000001";
    let text =
        format!("---\nid: {rule}\ncategory: tools\nstate: active\n---\n\nUse pnpm for every package.\n");
    server.sandbox.write(&format!("playbook/tools/{rule}.md"), text);
    server.sandbox.cm(&["commit"]).ok();
    let line = |kind: &str, tokens: usize| {
        format!(
            "{{\"at\":\"2026-11-20T10:00:00Z\",\"session\":\"s-1234567\",\"agent\":\"claude-code\",\"kind\":\"{kind}\",\"tokens\":{tokens},\"ids\":[\"{rule}\"]}}\n"
        )
    };
    let receipts = server.sandbox.private("receipts.jsonl");
    std::fs::create_dir_all(receipts.parent().unwrap()).unwrap();
    let relevant = line("notes", 12).replace("]}", &format!("],\"relevance\":{{\"{rule}\":0.83}}}}"));
    std::fs::write(&receipts, line("briefing", 40) + &relevant).unwrap();
    let browser = Browser::of(&server);
    let list = browser.get("/sessions").body;
    assert!(list.contains("href=\"/sessions/s-1234567\"") && list.contains("52 tokens"), "{list}");
    let page = browser.get("/sessions/s-1234567").body;
    for shown in [
        "Use pnpm for every package.",
        "in the briefing, at the start; fits a prompt",
        "relevance 0.83",
        "52 tokens",
        "claude-code",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    // Feedback about a session without a log would not count, so the form does not name it.
    assert!(page.contains("/act/mark") && !page.contains("name=\"session\""), "{page}");
    let fields = [("id", rule), ("signal", "helpful"), ("back", "/sessions/s-1234567")];
    assert_eq!(browser.post("/act/mark", &fields).status, 303);
    assert!(browser.get("/sessions/s-1234567").body.contains("Marked as helpful"));
    let fields = [("id", rule), ("session", "s-1234567"), ("signal", "harmful")];
    assert_eq!(browser.post("/act/mark", &fields).status, 303);
    let written = server.sandbox.read(&format!("playbook/tools/{rule}.md"));
    assert!(written.contains("session: s-1234567") && written.contains("signal: harmful"), "{written}");
    assert_eq!(browser.get("/sessions/nothing-like-it").status, 404);
}

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
    let server = linked(AccessRole::Reader);
    let id = draft(&server, "Use pnpm for every package of this workspace.");
    let browser = Browser::of(&server);
    let page = browser.get("/review").body;
    assert!(page.contains("Use pnpm") && !page.contains("/act/review"), "{page}");
    let head = server.head();
    assert_eq!(browser.post("/act/review", &[("id", &id), ("decision", "accept")]).status, 403);
    assert_eq!(server.head(), head);
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
    assert!(browser.get("/search?q=a").body.contains("</nav>"));
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
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let reply = server.ask("POST", "/login", &form, &format!("token={token}"));
    let browser = Browser { server: &server, cookie: cookie_of(&reply) };
    let page = browser.get("/core");
    assert!(page.status == 200 && !page.body.contains("action=\"/act/core\""), "{page:?}");
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
    let start = page_for(Visitor::TokenHolder);
    let token = start.token(AccessRole::Writer, 7);
    let server = start.run();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let reply = server.ask("POST", "/login", &form, &format!("token={token}"));
    let browser = Browser { server: &server, cookie: cookie_of(&reply) };
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
