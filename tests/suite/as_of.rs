//! A search as of a commit returns the same as in a checkout of that commit, and leaves only a
//! cache behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Sandbox, everything, vault_of};

/// Queries to run for every commit.
const QUERIES: [&str; 6] = [
    "gauge retry",
    "\"connection pool\" -sqlite",
    "type:runbook OR type:fix",
    "tag:net updated:60d OR is:pinned",
    "conn* timeout~1",
    "path:drafts OR path:linked OR path:crlf",
];

fn note(id: &str, title: &str, more: &str, body: &str) -> String {
    format!(
        "---\nid: {id}\ntype: fix\ntitle: {title}\ncreated: 2026-09-01\nupdated: 2026-10-01\n{more}---\n\n{body}\n"
    )
}

/// Creates a history with every kind of change, in a vault at `folder` of its repository. Returns
/// its commits, oldest first.
fn history(folder: &str) -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "--quiet"]);
    let path = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let write = |name: &str, text: &str| sandbox.write(&path(name), text);
    let remove = |name: &str| fs::remove_file(sandbox.vault().join(path(name))).unwrap();
    let mut day = 0;
    let mut commit = |message: &str| {
        day += 1;
        let when = format!("2026-10-{day:02}T09:00:00Z");
        sandbox.git_at(&when, &["add", "--all", "--force"]);
        sandbox.git_at(&when, &["commit", "--quiet", "--allow-empty", "--message", message]);
    };
    let pool = "The connection pool was empty; retry it with a timeout.";
    write("cm.toml", "[search]\nlimit = 20\n");
    write("graph/fixes/pool.md", &note("a0a0a0a0-1", "Empty pool", "tags: [net, db]\n", pool));
    write("graph/fixes/gauge.md", &note("b0b0b0b0-1", "Gauge retry", "", "Retry a gauge with jitter."));
    write(
        "vault/unit.md",
        &note("c0c0c0c0-1", "Units", "", "Connect names with their unit, see [[Empty pool]]."),
    );
    sandbox.write("README.md", "# Outside or inside\n\nA gauge, and no connection pool.\n");
    commit("Begin");
    write(
        "graph/fixes/gauge.md",
        &note("b0b0b0b0-1", "Gauge retry", "tags: [net]\n", "Retry a gauge thrice, thrice."),
    );
    commit("Edit a body and tags");
    remove("graph/fixes/pool.md");
    write(
        "graph/solutions/pool-of-connections.md",
        &note("a0a0a0a0-1", "Empty pool", "tags: [net, db]\n", pool),
    );
    commit("Move a note");
    for name in
        ["graph/.hidden.md", ".trash/pool.md", "node_modules/p/pool.md", "_embeddings/pool.md", "CORE.md"]
    {
        write(name, &note("d0d0d0d0-1", "Hidden pool", "tags: [net]\n", pool));
    }
    write("graph/CORE.md", &note("d1d1d1d1-1", "A pool in a folder", "tags: [net]\n", pool));
    commit("Add what is not a note");
    write("drafts/pool.md", &note("e0e0e0e0-1", "Draft of a pool", "", pool));
    write("graph/deep/drafts/more.md", &note("e1e1e1e1-1", "Deeper draft", "", pool));
    commit("Add drafts");
    write(
        "cm.toml",
        "relations = [\"BLOCKS\"]\n[vault]\nexclude = [\"drafts\"]\n[search]\nlimit = 3\n[types.runbook]\nfolder = \"runbooks\"\nrequired = [\"owner\"]\n",
    );
    write(
        "graph/runbooks/pool.md",
        &note("f0f0f0f0-1", "Refill the pool", "relations:\n- {target: a0a0a0a0-1, type: BLOCKS}\n", pool)
            .replace("type: fix", "type: runbook"),
    );
    commit("Declare a type, a relation and an excluded folder");
    remove("graph/fixes/gauge.md");
    commit("Delete a note");
    let link = |target: &str, name: &str| {
        let link = sandbox.vault().join(path(name));
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
    };
    write("data/pool.txt", "# Text of a pool\n\nA connection pool, linked.\n");
    link("../data/pool.txt", "linked/text.md");
    link("text.md", "linked/again.md");
    link("../graph/solutions/pool-of-connections.md", "linked/twice.md");
    link("/etc/hostname", "linked/out.md");
    link("nowhere.md", "linked/dangling.md");
    link("circle.md", "linked/circle.md");
    link("../graph", "linked/graph");
    link("graph/solutions/pool-of-connections.md", "linked/through.md");
    commit("Add links");
    write(".gitattributes", "*.md text eol=crlf\n");
    write("crlf/pool.md", &note("a5a5a5a5-1", "Lines", "", "A connection\npool over\ntwo lines."));
    commit("Ask for other line ends");
    sandbox.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    write("graph/fixes/side.md", &note("a6a6a6a6-1", "Side", "", "Retry at the side of the pool."));
    commit("Add on a side branch");
    sandbox.git(&["checkout", "--quiet", "main"]);
    write("graph/fixes/gauge.md", &note("b0b0b0b0-1", "Gauge retry", "", "The gauge is back."));
    commit("Bring a note back");
    sandbox.git_at("2026-10-12T09:00:00Z", &["merge", "--quiet", "--no-ff", "--message", "Merge", "side"]);
    let sub = sandbox.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{},{}", sub.trim(), path("sub.md"));
    sandbox.git_at("2026-10-13T09:00:00Z", &["update-index", "--add", "--cacheinfo", &entry]);
    sandbox.git_at("2026-10-13T09:00:00Z", &["commit", "--quiet", "--message", "Add a submodule"]);
    write("cm.toml", "");
    write("graph/fixes/ä pool ☂.md", &note("a7a7a7a7-1", "Rain", "pinned: true\n", "A wet connection pool."));
    sandbox.git(&["add", "--all", "--", &path("cm.toml"), &path("graph")]);
    sandbox.git_at("2026-10-14T09:00:00Z", &["commit", "--quiet", "--message", "Exclude nothing"]);
    let log = sandbox.git(&["log", "--reverse", "--format=%H", "--topo-order"]);
    (sandbox, log.lines().map(str::to_owned).collect())
}

/// Returns the result of a successful search without its `as_of` field.
fn answer(sandbox: &Sandbox, folder: &str, query: &str, more: &[&str]) -> Value {
    let arguments = [&["search", query, "--json"], more].concat();
    let ran = sandbox.run(&arguments).within(folder).go().ok();
    assert_eq!(ran.stderr, "", "{query} {more:?}");
    let mut answer = ran.json();
    let as_of = answer.as_object_mut().unwrap().remove("as_of");
    assert_eq!(as_of.is_some(), more.contains(&"--as-of"));
    answer
}

fn as_in_checkouts(folder: &str) {
    let (sandbox, commits) = history(folder);
    assert_eq!(commits.len(), 14);
    answer(&sandbox, folder, "pool", &[]);
    let untouched = |sandbox: &Sandbox| {
        let mut all = everything(&sandbox.vault());
        all.retain(|path, _| !path.contains("_index/past/"));
        all
    };
    let before = untouched(&sandbox);
    let ask = |commit: &str| {
        QUERIES.map(|query| answer(&sandbox, folder, query, &["--as-of", commit, "--limit", "20"]))
    };
    let answers: Vec<_> = commits.iter().map(|commit| ask(commit)).collect();
    let after = untouched(&sandbox);
    assert_eq!(before, after, "work tree, repository and live index are as they were");
    let past = fs::read_dir(sandbox.vault().join(folder).join("_index/past")).unwrap();
    let kept = past.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(kept, 3, "of the pasts a few are kept");
    let mut distinct = std::collections::BTreeSet::new();
    for (commit, answers) in commits.iter().zip(answers) {
        let place = format!("../checkouts/{commit}");
        sandbox.git(&["worktree", "add", "--quiet", "--detach", &place, commit]);
        let inside = format!("{place}/{folder}");
        // Ages count from the commit that is searched.
        let time = sandbox.git(&["show", "--no-patch", "--format=%cI", commit]).trim().to_owned();
        for (query, past) in QUERIES.iter().zip(answers) {
            let checked_out = answer(&sandbox, &inside, query, &["--limit", "20", "--now", &time]);
            assert_eq!(past, checked_out, "`{query}` as of {commit}");
            distinct.insert(past["hits"].to_string());
        }
        let default = answer(&sandbox, &inside, "pool", &["--now", &time]);
        assert_eq!(
            answer(&sandbox, folder, "pool", &["--as-of", commit]),
            default,
            "the settings of {commit}"
        );
    }
    assert!(distinct.len() > 40, "the commits differ: {}", distinct.len());
}

#[test]
fn every_commit_answers_as_its_checkout_does() {
    as_in_checkouts("");
}

#[test]
fn every_commit_answers_as_its_checkout_does_where_the_vault_is_a_folder_of_the_repository() {
    as_in_checkouts("docs/memory");
}

#[test]
fn a_note_its_neighbours_and_core_md_are_shown_as_of_a_commit() {
    let (sandbox, commits) = history("");
    let first = commits[0].as_str();
    let notes = |sandbox: &Sandbox| sandbox.git(&["status", "--porcelain", "--", "*.md", "cm.toml"]);
    let before = notes(&sandbox);
    let shown = |arguments: &[&str]| sandbox.cm(&[arguments, &["--as-of", first]].concat()).ok().stdout;
    let file = sandbox.git(&["show", &format!("{first}:graph/fixes/pool.md")]);
    assert_eq!(shown(&["get", "Empty pool", "--raw"]), file);
    let related = shown(&["related", "Empty pool"]);
    assert!(related.contains("Units"), "{related}");
    let core = shown(&["core"]);
    assert!(core.contains("Empty pool") && !core.contains("Rain"), "{core}");
    assert_eq!(shown(&["core", "--print"]), core);
    let drawn = shown(&["graph", "--format", "dot"]);
    assert!(drawn.contains("Empty pool") && !drawn.contains("Rain"), "{drawn}");
    sandbox.cm(&["trust"]).ok();
    let briefing = shown(&["context", "retry the empty pool"]);
    assert!(briefing.contains("This is the memory as of 2026-10-01 09:00"), "{briefing}");
    for arguments in [
        &["get", "Empty pool"][..],
        &["related", "Empty pool"],
        &["graph"],
        &["core"],
        &["context", "retry the empty pool"],
    ] {
        let answer = sandbox.cm(&[arguments, &["--as-of", first, "--json"]].concat()).ok().json();
        let (commit, instant) = (&answer["as_of"]["commit"], &answer["as_of"]["instant"]);
        assert_eq!((commit.as_str(), instant.as_str()), (Some(first), Some("2026-10-01T09:00:00Z")));
    }
    assert_eq!(notes(&sandbox), before, "nothing is written");
}

#[test]
fn a_past_answers_from_a_linked_work_tree_and_from_a_clone_too() {
    let (sandbox, commits) = history("");
    sandbox.git(&["worktree", "add", "--quiet", "--detach", "../other", &commits[0]]);
    sandbox.git(&["clone", "--quiet", ".", "../clone"]);
    for commit in [&commits[3], &commits[8]] {
        let here = answer(&sandbox, "", "pool", &["--as-of", commit]);
        for folder in ["../other", "../clone"] {
            assert_eq!(answer(&sandbox, folder, "pool", &["--as-of", commit]), here, "{folder}");
        }
    }
}

#[test]
fn several_processes_ask_for_several_pasts_at_once() {
    let (sandbox, commits) = history("");
    let alone: BTreeMap<&String, Value> = commits
        .iter()
        .map(|commit| (commit, answer(&sandbox, "", "gauge pool", &["--as-of", commit])))
        .collect();
    fs::remove_dir_all(sandbox.vault().join("_index/past")).unwrap();
    let children: Vec<_> = commits
        .iter()
        .take(6)
        .cycle()
        .take(24)
        .map(|commit| {
            let mut command = sandbox.command(&["search", "gauge pool", "--json", "--as-of", commit]);
            (commit, command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        })
        .collect();
    for (commit, child) in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{commit}");
        let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer.as_object_mut().unwrap().remove("as_of");
        assert_eq!(&answer, &alone[commit], "{commit}");
    }
}

/// Returns the files of the cached snapshots.
fn cached(vault: &Path) -> Vec<std::path::PathBuf> {
    let past = vault.join("_index/past");
    everything(&past).into_keys().map(|file| past.join(file)).collect()
}

#[test]
fn a_damaged_past_is_read_anew() {
    let (sandbox, commits) = history("");
    let (vault, commit) = (sandbox.vault(), commits[5].as_str());
    let ask = || {
        let ran = sandbox.cm(&["search", "gauge pool", "--json", "--as-of", commit]).ok();
        assert!(!ran.stderr.contains("panicked"), "{}", ran.snapshot());
        ran.stdout
    };
    let sound = ask();
    let count = cached(&vault).len();
    assert!(count > 5, "{count}");
    for at in 0..count {
        for damage in ["cut", "gone", "other bytes"] {
            let Some(file) = cached(&vault).into_iter().nth(at) else { continue };
            let bytes = fs::read(&file).unwrap();
            match damage {
                "cut" => fs::write(&file, &bytes[..bytes.len() / 2]).unwrap(),
                "gone" => fs::remove_file(&file).unwrap(),
                _ => fs::write(&file, vec![7; bytes.len()]).unwrap(),
            }
            assert_eq!(ask(), sound, "{damage}: {}", file.display());
        }
    }
}

#[test]
fn where_nothing_can_be_kept_a_past_is_answered_all_the_same() {
    let (sandbox, commits) = history("");
    let past = sandbox.vault().join("_index/past");
    let sound = answer(&sandbox, "", "gauge pool", &["--as-of", &commits[5]]);
    fs::remove_dir_all(&past).unwrap();
    fs::write(&past, "in the way\n").unwrap();
    assert_eq!(answer(&sandbox, "", "gauge pool", &["--as-of", &commits[5]]), sound);
    assert_eq!(fs::read_to_string(&past).unwrap(), "in the way\n");
    let left = fs::read_dir(sandbox.root().join("tmp")).unwrap().count();
    assert_eq!(left, 0, "what one call needed goes with it");
}

#[test]
fn the_global_vault_is_as_it_was_at_the_same_instant_or_left_out() {
    let pool = note("a0a0a0a0-1", "Empty pool", "", "A pool.");
    let project = vault_of(&format!("--- graph/fixes/pool.md\n{pool}"));
    let global = Sandbox::new();
    global.write("cm.toml", "");
    global.write("graph/fixes/old.md", note("b0b0b0b0-1", "Old pool", "", "A pool of old."));
    global.git(&["init", "--quiet"]);
    global.git(&["add", "--all"]);
    global.git_at("2026-11-01T09:00:00Z", &["commit", "--quiet", "--message", "Begin"]);
    fs::remove_file(global.vault().join("graph/fixes/old.md")).unwrap();
    global.write("graph/fixes/new.md", note("c0c0c0c0-1", "New pool", "", "A pool of now."));
    global.commit_all("Later");
    let again = project.vault().join("graph/fixes/pool.md");
    fs::write(again, pool.replace("A pool.", "A pool, again.")).unwrap();
    project.git(&["add", "--all"]);
    project.git_at("2026-11-21T12:00:00Z", &["commit", "--quiet", "--message", "Again"]);
    let folder = global.vault().display().to_string();
    let titles = |more: &[&str]| {
        let run = project.run(&[&["search", "pool", "--json"], more].concat());
        let ran = run.env("CM_GLOBAL_VAULT", &folder).go().ok();
        let hits = ran.json()["hits"].as_array().unwrap().clone();
        let mut titles: Vec<String> =
            hits.iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect();
        titles.sort();
        (titles.join(", "), ran.stderr)
    };
    assert_eq!(titles(&[]).0, "Empty pool, New pool");
    assert_eq!(titles(&["--as-of", "HEAD~1"]), ("Empty pool, New pool".to_owned(), String::new()));
    project
        .git_at("2026-11-10T09:00:00Z", &["commit", "--quiet", "--amend", "--no-edit", "--date=2026-11-10"]);
    assert_eq!(titles(&["--as-of", "HEAD"]), ("Empty pool, Old pool".to_owned(), String::new()));
    project
        .git_at("2026-10-10T09:00:00Z", &["commit", "--quiet", "--amend", "--no-edit", "--date=2026-10-10"]);
    let (alone, notice) = titles(&["--as-of", "HEAD"]);
    assert_eq!(alone, "Empty pool");
    assert_eq!(notice, "note: the global vault is skipped: it has no history at 2026-10-10T09:00:00Z\n");
}

#[test]
fn what_reads_through_a_memory_reads_a_past_and_nothing_writes_to_one() {
    use cm_app::verbs::get;
    use cm_app::verbs::pin;
    use cm_app::verbs::related;
    use cm_app::verbs::usage;
    use cm_app::{Context, Request};
    let (sandbox, commits) = history("docs/memory");
    let vault = sandbox.vault().join("docs/memory");
    fs::remove_dir_all(vault.join("graph")).unwrap();
    let request = Request {
        cwd: vault.clone(),
        vault: Some(vault.clone()),
        home: None,
        global: None,
        variables: BTreeMap::from([("CM_EMBEDDINGS_BUDGET_MS".to_owned(), "0".to_owned())]),
        environment: BTreeMap::new(),
        now: cm_note::instant::Instant::parse("2026-11-21").unwrap(),
        now_is_given: true,
        seed: None,
        no_refresh: true,
        for_prompts: false,
        private: Some(sandbox.private_home()),
        caller: Default::default(),
        clock: || 0,
        threads: 1,
        verb: "cm get".to_owned(),
        holder: "test".to_owned(),
        watch: Default::default(),
    };
    let before = everything(&vault);
    let context = Context::open(request).unwrap();
    let past = context.as_of(&commits[5]).unwrap();
    let got = get::get(&past, "a0a0a0a0", None).unwrap();
    assert_eq!(got.title, "Empty pool");
    let sources: Vec<&str> = got.backlinks.iter().map(|link| link.title.as_str()).collect();
    assert_eq!(sources, ["Refill the pool", "Units"]);
    for named in
        ["graph/solutions/pool-of-connections.md", "./graph/../graph/solutions/pool-of-connections.md"]
    {
        assert_eq!(get::get(&past, named, None).unwrap().id, got.id, "{named}");
    }
    let absolute = vault.join("graph/fixes/gauge.md").display().to_string();
    assert_eq!(get::get(&past, &absolute, None).unwrap().title, "Gauge retry");
    let near = related::related(&past, "Units", &related::Options { hops: 2, ..Default::default() }).unwrap();
    assert_eq!(near.notes.len(), 2, "{near:?}");
    assert_eq!(context.as_of(&commits[0]).unwrap().read_at().unwrap().subject, "Begin");
    assert_eq!(pin::pin(&past, "b0b0b0b0").unwrap_err().code, "past");
    assert!(past.for_vault(past.target()).is_err_and(|error| error.code == "past"));
    assert_eq!(usage::usage(&past, &Default::default()).unwrap().accesses, 0, "nothing was counted");
    let mut after = everything(&vault);
    after.retain(|path, _| !path.starts_with("_index/past/"));
    assert_eq!(after, before);
}
