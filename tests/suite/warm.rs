//! Caches of a server do not change results: the next request sees every change to the vault, by
//! whatever means.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cm_app::context::process_cache::{ProcessCache, VaultChange};
use cm_app::verbs::add;
use cm_app::verbs::embed;
use cm_app::verbs::observe;
use cm_app::verbs::search;
use cm_app::{Context, Request};
use cm_render::json;

use crate::support::{Sandbox, harbour, request, vault_of};

/// The caches of a server, and the requests that use them.
struct Server<'a> {
    sandbox: &'a Sandbox,
    warm: Arc<ProcessCache>,
}

impl<'a> Server<'a> {
    fn of(sandbox: &'a Sandbox) -> Self {
        Self { sandbox, warm: Arc::default() }
    }

    fn unwatched(sandbox: &'a Sandbox) -> Self {
        Self { sandbox, warm: Arc::new(ProcessCache::unwatched()) }
    }

    fn search(&self, query: &str) -> String {
        let context = self.warm.open(request(self.sandbox, &[])).unwrap();
        let options = search::Options { query: query.to_owned(), ..search::Options::default() };
        let found = search::search(&context, &options).unwrap();
        assert!(context.take_notices().is_empty());
        json::document(&found)
    }

    /// Returns the titles found, after checking that a command without caches finds the same.
    #[track_caller]
    fn titles(&self, query: &str) -> Vec<String> {
        let answer = self.search(query);
        let printed = self.sandbox.cm(&["search", query, "--json"]).ok();
        assert_eq!(format!("{answer}\n"), printed.stdout, "{query}");
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["title"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Checks that the notes and edges that the server keeps in memory are those of a context that
    /// keeps nothing.
    #[track_caller]
    fn compare_notes(&self, what: &str) {
        let kept = self.warm.open(request(self.sandbox, &[])).unwrap();
        let kept = kept.notes_of(kept.target()).unwrap();
        let read = Context::open(request(self.sandbox, &[])).unwrap();
        let read = read.notes_of(read.target()).unwrap();
        assert_eq!(kept[..], read[..], "{what}");
        assert_eq!(kept.graph().edges(), read.graph().edges(), "{what}");
    }

    /// Returns the titles found by this server alone; no command updates the index before or after.
    fn own_titles(&self, query: &str) -> Vec<String> {
        let answer: serde_json::Value = serde_json::from_str(&self.search(query)).unwrap();
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["title"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn note(title: &str, body: &str) -> String {
    let id =
        uuid::Builder::from_random_bytes(blake3::hash(title.as_bytes()).as_bytes()[..16].try_into().unwrap())
            .into_uuid();
    format!(
        "---\nid: {id}\ntype: fact\ntitle: {title}\nimportance: 0.5\ncreated: 2026-11-01T00:00:00Z\nupdated: 2026-11-01T00:00:00Z\n---\n{body}\n"
    )
}

/// Applies every kind of change to a vault, and checks the result of a search for `quokka` after
/// each.
fn all_that_may_happen(server: &Server<'_>) {
    let sandbox = server.sandbox;
    let vault = sandbox.vault();
    let found = |expected: &[&str], what: &str| {
        let mut titles = server.own_titles("quokka");
        titles.sort();
        assert_eq!(titles, expected, "{what}");
        // Again, without any change.
        let mut again = server.own_titles("quokka");
        again.sort();
        assert_eq!(again, expected, "{what}, asked again");
        server.compare_notes(what);
    };
    found(&[], "before");
    sandbox.write("graph/facts/a.md", note("Alpha", "A quokka."));
    found(&["Alpha"], "a new file");
    sandbox.write("graph/facts/a.md", note("Alpha", "A walrus. See [[first]]."));
    found(&[], "an edit in place");
    sandbox.write("graph/facts/a.md", note("Alpha", "A quokka"));
    found(&["Alpha"], "an edit of the same length, at once");
    fs::rename(vault.join("graph/facts/a.md"), vault.join("graph/facts/z.md")).unwrap();
    found(&["Alpha"], "a rename");
    fs::create_dir_all(vault.join("new/er")).unwrap();
    sandbox.write("new/er/b.md", note("Beta", "Two quokkas."));
    found(&["Alpha", "Beta"], "a file in a new folder");
    sandbox.write("new/er/c.md", note("Gamma", "Three quokkas."));
    found(&["Alpha", "Beta", "Gamma"], "another one there");
    fs::rename(vault.join("new"), vault.join("old")).unwrap();
    sandbox.write("old/er/b.md", note("Beta", "None."));
    found(&["Alpha", "Gamma"], "an edit in a folder that was renamed");
    sandbox.commit_all("All");
    sandbox.git(&["checkout", "--quiet", "-b", "other", "HEAD~1"]);
    found(&[], "the checkout of an earlier commit");
    sandbox.git(&["checkout", "--quiet", "-"]);
    found(&["Alpha", "Gamma"], "and back");
    fs::remove_dir_all(vault.join("old")).unwrap();
    found(&["Alpha"], "a folder that is gone");
    fs::remove_file(vault.join("graph/facts/z.md")).unwrap();
    found(&[], "a file that is gone");
    sandbox.write("graph/facts/d.md", note("Delta", "A quokka."));
    sandbox.cm(&["reindex", "--full"]).ok();
    found(&["Delta"], "an index that somebody else made");
    sandbox.write("cm.toml", "[vault]\nexclude = [\"facts\"]\n");
    found(&[], "a folder that settings leave out");
    sandbox.write("cm.toml", "");
    found(&["Delta"], "and let in again");
    fs::remove_dir_all(vault.join("_index")).unwrap();
    found(&["Delta"], "an index that is gone");
    fs::rename(&vault, sandbox.root().join("aside")).unwrap();
    fs::create_dir(&vault).unwrap();
    sandbox.write("cm.toml", "");
    sandbox.write("graph/facts/e.md", note("Epsilon", "A quokka."));
    found(&["Epsilon"], "another vault in its place");
}

#[test]
fn all_that_happens_to_a_vault_is_seen_by_the_next_call() {
    all_that_may_happen(&Server::of(&vault_of("--- graph/facts/first.md\nText.\n")));
}

#[test]
fn where_nothing_can_be_watched_it_is_seen_all_the_same() {
    all_that_may_happen(&Server::unwatched(&vault_of("--- graph/facts/first.md\nText.\n")));
}

#[test]
fn answers_are_those_of_a_command_that_keeps_nothing() {
    let sandbox = harbour();
    let server = Server::of(&sandbox);
    for query in [
        "connection pool",
        "network tag:network",
        "type:decision",
        "socket",
        "hooks that break a build",
        "socket",
    ] {
        assert!(!server.titles(query).is_empty(), "{query}");
    }
}

#[test]
fn what_a_server_writes_its_next_call_and_another_server_find() {
    let sandbox = vault_of("--- graph/facts/first.md\nText.\n");
    sandbox.own_identity();
    let (one, other) = (Server::of(&sandbox), Server::of(&sandbox));
    for turn in 0..5 {
        for (server, beside) in [(&one, &other), (&other, &one)] {
            let title = format!("Quokka {turn} {}", std::ptr::eq(server, &one));
            let new = request(&sandbox, &[&title]);
            let context = server.warm.open(Request { ..new }).unwrap();
            let options = add::Options {
                note_type: "fact".to_owned(),
                title: title.clone(),
                body: Some(String::new()),
                ..add::Options::default()
            };
            add::add(&context, &options).unwrap();
            assert!(server.own_titles("quokka").contains(&title), "{title}: its own");
            assert!(beside.own_titles("quokka").contains(&title), "{title}: the other's");
        }
    }
}

#[test]
fn many_threads_of_one_server_find_what_others_write() {
    let sandbox = vault_of("--- graph/facts/first.md\nText.\n");
    let server = Server::of(&sandbox);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for turn in 0..8 {
                    let title = format!("Quokka {thread} {turn}");
                    server.sandbox.write(&format!("graph/facts/{thread}-{turn}.md"), note(&title, "Here."));
                    assert!(server.own_titles(&format!("title:\"{title}\"")).contains(&title), "{title}");
                }
            });
        }
    });
    assert_eq!(server.titles("type:fact").len(), 10);
}

/// Clock of the test below, in milliseconds.
static CLOCK: AtomicU64 = AtomicU64::new(0);

#[cfg(target_os = "linux")]
#[test]
fn no_folder_is_walked_while_nothing_happens_and_what_happens_without_a_sound_is_seen_in_time() {
    let sandbox = vault_of("--- graph/facts/a.md\nA walrus.\n");
    let outside = sandbox.root().join("outside.md");
    fs::hard_link(sandbox.vault().join("graph/facts/a.md"), &outside).unwrap();
    let warm: Arc<ProcessCache> = Arc::default();
    let hits = || {
        let clock = || CLOCK.load(Ordering::Relaxed);
        let context = warm.open(Request { clock, ..request(&sandbox, &[]) }).unwrap();
        let options = search::Options { query: "quokka".to_owned(), ..search::Options::default() };
        search::search(&context, &options).unwrap().total
    };
    assert_eq!(hits(), 0);
    assert_eq!(hits(), 0);
    // There is no event for the folder of the other hard link.
    fs::write(&outside, "A quokka.\n").unwrap();
    assert_eq!(hits(), 0, "nobody walks");
    CLOCK.store(10_000, Ordering::Relaxed);
    assert_eq!(hits(), 1, "a quiet folder is not believed for ever");
}

/// Returns the reported paths until there are enough or none arrives for a minute.
fn told(changes: &std::sync::mpsc::Receiver<VaultChange>, until: usize) -> Vec<String> {
    let mut paths = Vec::new();
    while paths.len() < until {
        match changes.recv_timeout(Duration::from_secs(60)) {
            Ok(changed) => paths.extend(changed.paths),
            Err(_) => break,
        }
    }
    paths.sort();
    paths.dedup();
    paths
}

#[test]
fn changed_files_are_told_to_who_listens_whether_or_not_they_can_be_watched() {
    for warm in [Arc::new(ProcessCache::default()), Arc::new(ProcessCache::unwatched())] {
        let sandbox = vault_of("--- graph/facts/first.md\nText.\n--- graph/facts/second.md\nText.\n");
        let context = warm.open(request(&sandbox, &[])).unwrap();
        let changes = warm.changes(&context);
        sandbox.write("graph/facts/first.md", "Other text.\n");
        assert_eq!(told(&changes, 1), ["graph/facts/first.md"]);
        sandbox.write("CORE.md", "Core.\n");
        assert_eq!(told(&changes, 1), ["CORE.md"]);
        fs::rename(sandbox.vault().join("graph/facts"), sandbox.vault().join("graph/fixes")).unwrap();
        let moved = [
            "graph/facts/first.md",
            "graph/facts/second.md",
            "graph/fixes/first.md",
            "graph/fixes/second.md",
        ];
        assert_eq!(told(&changes, 4), moved);
        sandbox.write("graph/fixes/first.md", "A third text.\n");
        assert_eq!(told(&changes, 1), ["graph/fixes/first.md"]);
        drop(warm);
        drop(context);
    }
}

#[test]
fn the_finer_model_reads_beside_the_answers_of_a_server() {
    let sandbox = vault_of("");
    sandbox.write("graph/facts/gauge.md", note("The tide gauge", "It answers late after rain."));
    let server = Server::of(&sandbox);
    server.search("gauge");
    let mut request = request(&sandbox, &[]);
    request.variables.insert("CM_EMBEDDINGS_BUDGET_MS".to_owned(), "250".to_owned());
    embed::read_in_background(&server.warm, &request);
    let read = || {
        let status = embed::status(&server.warm.open(request.clone()).unwrap()).unwrap();
        status.models.iter().all(|model| model.done == model.of && model.of > 0)
    };
    let is_read = (0..3_000).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        read()
    });
    assert!(is_read, "the passages of a vault that nobody changes are read as well");
}

#[cfg(target_os = "linux")]
#[test]
fn an_observation_is_compared_with_those_that_the_index_does_not_have_yet() {
    let sandbox = vault_of("");
    sandbox.own_identity();
    let server = Server::of(&sandbox);
    server.search("gateway");
    let version = || server.warm.open(request(&sandbox, &[])).unwrap().target().index().version().unwrap();
    let observe = |seed: &str, content: &str| {
        let context = server.warm.open(request(&sandbox, &[seed])).unwrap();
        let options = observe::Options { content: content.to_owned(), ..observe::Options::default() };
        observe::observe(&context, &options).unwrap()
    };
    // The first write makes folders.
    observe("0", "The crane lifts two tonnes.");
    server.search("crane");
    let before = version();
    let first = observe("1", "The gateway drops idle sockets after sixty seconds.");
    let second = observe("2", "The gateway drops idle sockets after ninety seconds.");
    assert!(first.added && second.added);
    assert_eq!(version(), before, "nothing was indexed in between");
    assert_eq!(second.neighbours[0].id, first.id);
    assert!(second.neighbours[0].contradicts.is_some(), "{:?}", second.neighbours);
    let again = observe("3", "the gateway drops idle sockets after 60 s");
    assert_eq!((again.id, again.added), (first.id, false));
    sandbox.write("graph/facts/pump.md", note("Heartbeats", "The pump sends two heartbeats per minute."));
    let repeated = observe("4", "the pump sends 2 heartbeats per minute");
    assert_eq!(
        (&*repeated.path, repeated.added),
        ("graph/facts/pump.md", false),
        "changes by others are seen"
    );
}
