//! Tests for every operator of the query language.

use super::vault::Vault;

fn vault() -> Vault {
    let vault = Vault::of(&[
        (
            "graph/fixes/snake.md",
            "type: fix\ntags: net tcp/ip\nimportance: 0.9\nid: 5ad2e378-29bf\nupdated: 2026-11-20\n\nSet socket_keepalive before connecting.",
        ),
        (
            "graph/fixes/camel.md",
            "type: fix\ntags: net\nimportance: 0.2\nid: 5ad2ffff-0000\nupdated: 2026-10-01\n\nSocketKeepAlive is off by default.",
        ),
        (
            "graph/decisions/words.md",
            "type: decision\nauthor: Ada Lovelace\ncreated: 2026-01-15\nupdated: 2026-02-01\npinned: true\n\nA socket keepalive every minute.",
        ),
        (
            "graph/errors/borrow.md",
            "type: error\nstate: draft\n\n# Mutable twice\nThe compiler says E0502 in std::fs::read of src/index/mod.rs, see #123.",
        ),
        (
            "playbook/cpp/cpp.md",
            "type: rule\nmaturity: proven\ncategory: cpp\n\nIn C++ and node.js call `git commit --no-verify -Wall` with @scope/pkg v1.2.3.",
        ),
        (
            "notes/Connections.md",
            "title: Connections were reset\n\nThe connection reset twice: connecting again helped. Überblick 日本語 🧠",
        ),
    ]);
    vault.refresh();
    vault
}

#[track_caller]
fn finds(vault: &Vault, query: &str, expected: &[&str]) {
    let mut found = vault.search(query);
    found.sort();
    let mut expected: Vec<&str> = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn the_spellings_of_an_identifier_find_each_other() {
    let vault = vault();
    for query in
        ["socket_keepalive", "SocketKeepAlive", "socket keepalive", "socket-keepalive", "socket keep alive"]
    {
        let found = vault.search(query);
        assert_eq!(found.len(), 3, "{query}: {found:?}");
    }
    assert_eq!(vault.search("socket_keepalive")[0], "snake");
    for query in ["socket_keepalive AND set", "\"socket keepalive\" set", "+SocketKeepAlive AND set"] {
        assert_eq!(vault.search(query)[0], "snake", "{query}");
    }
    finds(&vault, "+SocketKeepAlive minute", &["snake", "camel", "words"]);
    finds(&vault, "\"socket keepalive\"", &["snake", "camel", "words"]);
    finds(&vault, "-socket_keepalive", &["borrow", "cpp", "Connections"]);
}

#[test]
fn code_stays_findable_as_it_stands() {
    let vault = vault();
    for (query, stem) in [
        ("E0502", "borrow"),
        ("e0502", "borrow"),
        ("C++", "cpp"),
        ("--no-verify", "cpp"),
        ("\"-Wall\"", "cpp"),
        ("node.js", "cpp"),
        ("nodejs", "cpp"),
        ("std::fs", "borrow"),
        ("std::fs::read", "borrow"),
        ("mod.rs", "borrow"),
        ("src/index/mod.rs", "borrow"),
        ("#123", "borrow"),
        ("@scope/pkg", "cpp"),
        ("v1.2.3", "cpp"),
        ("überblick", "Connections"),
        ("uberblick", "Connections"),
        ("日本", "Connections"),
        ("本", "Connections"),
        ("語", "Connections"),
        ("🧠", "Connections"),
    ] {
        finds(&vault, query, &[stem]);
        finds(&vault, &format!("{query} AND (type:error OR type:rule OR path:connections)"), &[stem]);
    }
    finds(&vault, "v1.2.4 AND node", &[]);
}

#[test]
fn words_phrases_and_operators_select_what_they_say() {
    let vault = vault();
    finds(&vault, "the", &["borrow", "Connections"]);
    finds(&vault, "the compiler", &["borrow"]);
    finds(&vault, "\"connection reset\"", &["Connections"]);
    finds(&vault, "\"reset connection\"", &[]);
    finds(&vault, "minute OR default", &["words", "camel"]);
    finds(&vault, "socket AND minute", &["words"]);
    finds(&vault, "socket NOT minute", &["snake", "camel"]);
    finds(&vault, "keepalive -default", &["snake", "words"]);
    finds(&vault, "(minute OR default) AND type:fix", &["camel"]);
    finds(&vault, "connecti*", &["Connections", "snake"]);
    finds(&vault, "socket_keep*", &["snake", "camel", "words"]);
    finds(&vault, "--no-ver*", &["cpp"]);
    finds(&vault, "conection~1", &["Connections", "snake"]);
    finds(&vault, "keepalvie~", &["snake", "camel", "words"]);
    finds(&vault, "compiller~1", &["borrow"]);
    finds(&vault, "title:connection", &["Connections"]);
    finds(&vault, "title:snake", &["snake"]);
    finds(&vault, "body:snake", &[]);
    finds(&vault, "heading:mutable", &["borrow"]);
    finds(&vault, "\"unclosed minute", &["words"]);
    finds(&vault, "->", &[]);
}

#[test]
fn fields_select_what_they_say() {
    let vault = vault();
    finds(&vault, "type:fix", &["snake", "camel"]);
    finds(&vault, "type:fix,error", &["snake", "camel", "borrow"]);
    finds(&vault, "-type:fix", &["words", "borrow", "cpp", "Connections"]);
    finds(&vault, "tag:net", &["snake", "camel"]);
    finds(&vault, "tag:tcp", &["snake"]);
    finds(&vault, "tag:tcp/ip", &["snake"]);
    finds(&vault, "tag:ne*", &["snake", "camel"]);
    finds(&vault, "kind:bullet", &["cpp"]);
    finds(&vault, "is:pinned", &["words"]);
    finds(&vault, "is:proven OR is:draft", &["cpp", "borrow"]);
    finds(&vault, "folder:graph", &["snake", "camel", "words", "borrow"]);
    finds(&vault, "folder:fixes", &["snake", "camel"]);
    finds(&vault, "folder:graph/errors/", &["borrow"]);
    finds(&vault, "path:FIXES/s", &["snake"]);
    finds(&vault, "path:notes/*.md", &["Connections"]);
    finds(&vault, "path:ote*.md", &[]);
    finds(&vault, "author:\"ada lovelace\"", &["words"]);
    finds(&vault, "category:cpp", &["cpp"]);
    finds(&vault, "id:5ad2", &["snake", "camel"]);
    finds(&vault, "id:5AD2E", &["snake"]);
    finds(&vault, "importance:>0.5", &["snake"]);
    finds(&vault, "importance:0.2", &["camel"]);
    finds(&vault, "updated:30d", &["snake"]);
    finds(&vault, "updated:2026-10", &["camel"]);
    finds(&vault, "updated:<2026-10-01", &["words"]);
    finds(&vault, "updated:2026-02-01..2026-10-01", &["camel", "words"]);
    finds(&vault, "created:>2026-01-01", &["words"]);
    finds(&vault, "socket type:fix -tag:tcp", &["camel"]);
}

#[test]
fn what_only_selects_comes_newest_first() {
    let vault = vault();
    assert_eq!(vault.search("folder:graph")[..3], ["snake", "camel", "words"]);
    assert_eq!(vault.search("").len(), 6);
    assert_eq!(vault.search("-type:fix")[0], "words");
}

#[test]
fn pages_follow_each_other() {
    let notes: Vec<(String, String)> = (0..25)
        .map(|note| (format!("n{note:02}.md"), format!("socket {}", "filler ".repeat(note % 5))))
        .collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let vault = Vault::of(&notes);
    vault.refresh();
    let all = vault.search("socket");
    let page = |offset| {
        let found = vault.index.search(&super::vault::parsed("socket"), offset, 10).unwrap();
        assert_eq!(found.total, 25);
        found.hits.into_iter().map(|hit| hit.note.path.stem().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!([page(0), page(10), page(20), page(30)].concat(), all);
}

#[test]
fn ids_are_found_by_their_beginning_before_and_after_a_refresh() {
    let vault = vault();
    let found = |prefix: &str| -> Vec<String> {
        vault.index.lookup(prefix).unwrap().into_iter().map(|(_, path)| path.stem().to_owned()).collect()
    };
    assert_eq!(found("5ad2"), ["snake", "camel"]);
    assert_eq!(found("5AD2F"), ["camel"]);
    assert_eq!(found("9"), Vec::<String>::new());
    let path = cm_note::path::NotePath::parse("new.md").unwrap();
    let id = cm_note::id::NoteId::parse("99ff").unwrap();
    vault.index.queue(&[(path.clone(), Some(id))]).unwrap();
    assert_eq!(found("9"), ["new"]);
    vault.write("new.md", "id: 99ff\n\nNew.");
    assert_eq!(vault.refresh().added, [path]);
    assert_eq!(found("9"), ["new"]);
}

#[test]
fn a_word_that_occurs_nowhere_is_found_with_a_number_at_its_end() {
    let vault = Vault::of(&[
        ("a.md", "title: Order ids\n\nWe use uuid7 because uuid4 fragments the index."),
        ("b.md", "title: Images\n\nThe base is python3.12-slim and node17."),
        ("c.md", "title: Gateway\n\nThe gateway starts on port 80. See rfc9110 and the rfc."),
        ("d.md", "title: Limits\n\nHTTP rfc9112 says so."),
    ]);
    vault.refresh();
    finds(&vault, "uuid", &["a"]);
    finds(&vault, "uuids", &["a"]);
    finds(&vault, "python", &["b"]);
    finds(&vault, "node", &["b"]);
    finds(&vault, "rfc", &["c"]);
    finds(&vault, "uu", &[]);
}
