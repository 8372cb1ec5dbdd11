//! Decisions on the page: the inbox, the playbook, and receipts.

use super::{Browser, draft, linked, value_of};
use cm_note::token::AccessRole;

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
