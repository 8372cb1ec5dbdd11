//! Every link that cm writes can be followed by Obsidian's rule alone, in a vault that only its
//! verbs wrote.

use std::path::Path;

use cm_app::Context;
use cm_app::verbs::{
    add, delete, episode, forget, generate, import, init, mark, observe, pin, playbook_add, relate, rename,
    starters, update,
};
use cm_note::note::FeedbackSignal;

use crate::support::{ObsidianVault, Sandbox, example, request};

/// Types of memories and edges, in turn.
const TYPES: [&str; 14] = [
    "solution",
    "fix",
    "decision",
    "configuration",
    "problem",
    "workflow",
    "code_pattern",
    "error",
    "general",
    "procedure",
    "insight",
    "fact",
    "preference",
    "observation",
];
const EDGES: [&str; 8] =
    ["SOLVES", "CAUSES", "BUILDS_ON", "REQUIRES", "RELATED_TO", "CONTRADICTS", "SUPERSEDES", "DERIVED_FROM"];

/// Number of memories that are added one by one, and of notes that are imported.
const ADDED: usize = 250;
const IMPORTED: usize = 750;

/// A title with signs that links, YAML or file names treat specially; many titles occur twice.
fn title(n: usize) -> String {
    let signs = [
        "",
        " [draft]",
        ": part | two",
        " #3 `code`",
        " \"quoted\"",
        " – größer",
        " (it's) 100%% *bold*",
        " ^up",
    ];
    format!("Station {} sends{}", n / 2, signs[n % signs.len()])
}

fn write_vault(sandbox: &Sandbox, context: &Context) -> Vec<String> {
    let mut ids = Vec::new();
    for n in 0..ADDED {
        let options = add::Options {
            note_type: TYPES[n % TYPES.len()].to_owned(),
            title: title(n),
            tags: vec![format!("area/{}", n % 7)],
            pinned: n % 50 == 49,
            body: (n % 5 != 0).then(|| format!("Value {n} was seen.")),
            ..add::Options::default()
        };
        ids.push(add::add(context, &options).unwrap().id);
    }
    for n in 0..IMPORTED {
        // The same file names in several folders, so that a name alone says little.
        sandbox
            .write(&format!("../source/part {}/Entry {}.md", n % 3, n / 3), format!("Value {n} was read.\n"));
    }
    let options = import::Options { source: "../source".into(), ..import::Options::default() };
    let imported = import::import(context, &options).unwrap().imported;
    assert_eq!(imported.len(), IMPORTED);
    ids.extend(imported.into_iter().map(|file| file.id.unwrap()));
    for n in 0..60 {
        let options = relate::Options {
            from: ids[n * 7].clone(),
            to: ids[n * 11 + 1].clone(),
            relation: Some(EDGES[n % EDGES.len()].to_owned()),
            why: (n % 2 == 0).then(|| "It was measured.".to_owned()),
            ..relate::Options::default()
        };
        relate::relate(context, &options).unwrap();
    }
    for n in 0..30 {
        let memory_id = Some(ids[n * 13].clone());
        let options = episode::Options { title: title(n), memory: memory_id, ..episode::Options::default() };
        episode::episode(context, &options).unwrap();
    }
    ids
}

/// Changes notes that others link to.
fn change_vault(context: &Context, ids: &[String]) {
    for n in 0..8 {
        pin::pin(context, &ids[n * 13]).unwrap();
        rename::rename(context, &ids[n * 7], &format!("Renamed {n}{}", &title(n)[7..]), false).unwrap();
        let options = update::Options { add_tags: vec!["seen".to_owned()], ..update::Options::default() };
        update::update(context, &ids[n * 7], &options).unwrap();
    }
    pin::unpin(context, &ids[13]).unwrap();
    delete::delete(context, &[ids[11 * 21 + 1].clone()], None).unwrap();
    for n in 0..3 {
        let rule = playbook_add::RuleProposal {
            category: "testing".to_owned(),
            content: format!("Run the suite number {n} of the stations before every push."),
            ..playbook_add::RuleProposal::default()
        };
        let added = playbook_add::propose(context, rule, false).unwrap();
        let id = added.id;
        let helpful =
            mark::Options { signal: FeedbackSignal::Helpful, because: None, weight: None, invert: false };
        mark::mark(context, &id, &helpful).unwrap();
        if n == 0 {
            forget::forget(context, &id, "It was wrong.", true).unwrap();
        }
    }
    starters::add(context, "rust", &starters::Options::default()).unwrap();
    let observed = observe::Options {
        content: "The gauges of the harbour lag by a minute.".to_owned(),
        ..observe::Options::default()
    };
    observe::observe(context, &observed).unwrap();
    generate::core(context, false).unwrap();
    generate::reflection(context, false).unwrap();
}

/// Returns a key of a note's frontmatter.
fn key<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}

/// Asserts that the links of each edge file lead to its two ends. Returns the number of edges.
#[track_caller]
fn edges_lead_to_their_ends(vault: &ObsidianVault) -> usize {
    let edges: Vec<_> = vault.notes().iter().filter(|(path, _)| path.starts_with("graph/edges/")).collect();
    let links = vault.links();
    for (path, text) in &edges {
        let ids: Vec<_> = links
            .iter()
            .filter(|link| link.from == **path)
            .map(|link| key(&vault.notes()[vault.follow(path, &link.target).unwrap()], "id"))
            .collect();
        assert!(ids.contains(&key(text, "from_id")) && ids.contains(&key(text, "to_id")), "{path}: {ids:?}");
    }
    edges.len()
}

#[track_caller]
fn all_links_lead_somewhere(root: &Path) -> usize {
    let vault = ObsidianVault::read(root);
    assert_eq!(vault.broken(), Vec::<String>::new());
    vault.links().len()
}

#[test]
fn all_links_of_a_thousand_written_notes_can_be_followed() {
    let sandbox = Sandbox::new();
    let (context, _) = init::init(request(&sandbox, &["init"]), &init::Options::default()).unwrap();
    sandbox.own_identity();
    sandbox.write("cm.toml", "[git]\ncommit = \"manual\"\n");
    let context = Context::open(context.request.clone()).unwrap();
    let ids = write_vault(&sandbox, &context);
    sandbox.commit_all("Written");
    change_vault(&context, &ids);
    assert!(all_links_lead_somewhere(&sandbox.vault()) > 150);
    let vault = ObsidianVault::read(&sandbox.vault());
    assert!(edges_lead_to_their_ends(&vault) >= 55);
    assert!(vault.notes().len() > ADDED + IMPORTED + 60);
    let core: Vec<_> = vault.links().into_iter().filter(|link| link.from == "CORE.md").collect();
    assert!(core.len() > 30, "{} links in CORE.md", core.len());
    let listed = vault.follow("CORE.md", &core[7].target).unwrap();
    rename::rename(&context, listed, "Listed in CORE.md", false).unwrap();
    pin::pin(&context, vault.follow("CORE.md", &core[9].target).unwrap()).unwrap();
    all_links_lead_somewhere(&sandbox.vault());
    assert!(sandbox.read("CORE.md").contains("[Listed in CORE.md]("));
}

#[test]
fn every_link_of_the_example_vault_can_be_followed() {
    let sandbox = example();
    assert!(all_links_lead_somewhere(&sandbox.vault()) > 100);
    edges_lead_to_their_ends(&ObsidianVault::read(&sandbox.vault()));
    for links in ["stem", "path"] {
        sandbox.cm(&["config", "set", "core.links", links]).ok();
        sandbox.cm(&["core"]).ok();
        all_links_lead_somewhere(&sandbox.vault());
    }
}
