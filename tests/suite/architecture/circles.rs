//! Modules that use each other in a circle are read as one, so a circle has at most three members.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::files_below;

/// Maximum number of members.
const MEMBERS: usize = 3;

type ModulePath = Vec<String>;

/// The modules of one crate with their code, without tests and comments.
fn modules(root: &str) -> BTreeMap<ModulePath, String> {
    let comments = Regex::new("//.*").unwrap();
    let mut modules = BTreeMap::new();
    for (path, text) in files_below(root, ".rs") {
        let name = path[root.len() + 1..].trim_end_matches(".rs");
        let mut parts: ModulePath = name.split('/').map(str::to_owned).collect();
        parts.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
        if parts.iter().any(|part| part == "tests") {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        modules.insert(parts, comments.replace_all(code, "").into_owned());
    }
    modules
}

static GROUP: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\buse\s+((?:crate|super)(?:::\w+)*)::\{([^;]*)\};").unwrap());
static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b(?:crate|super)(?:::\w+)+").unwrap());

/// The paths that a piece of code names, with groups of imports written out.
fn named_paths(code: &str) -> Vec<String> {
    let mut named: Vec<String> = PATH.find_iter(code).map(|found| found.as_str().to_owned()).collect();
    for found in GROUP.captures_iter(code) {
        written_out(&found[1], &found[2], &mut named);
    }
    named
}

fn written_out(prefix: &str, items: &str, named: &mut Vec<String>) {
    let (mut depth, mut begins) = (0, 0);
    for (at, c) in items.char_indices().chain([(items.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let item = items[begins..at].trim();
                match item.split_once("::{") {
                    Some((inner, rest)) => {
                        written_out(&format!("{prefix}::{inner}"), rest.trim_end_matches('}'), named);
                    }
                    None => named.push(format!("{prefix}::{item}")),
                }
                begins = at + 1;
            }
            _ => {}
        }
    }
}

/// The module that a path leads to from `from`; `None` for the crate's own root.
fn target(path: &str, from: &ModulePath, modules: &BTreeMap<ModulePath, String>) -> Option<ModulePath> {
    let parts: Vec<&str> = path.split("::").map(str::trim).collect();
    let supers = parts.iter().take_while(|part| **part == "super").count();
    let mut whole: ModulePath = match supers {
        0 => Vec::new(),
        _ => from[..from.len().saturating_sub(supers)].to_vec(),
    };
    whole.extend(parts.iter().skip(supers.max(1)).map(|part| (*part).to_owned()));
    (1..=whole.len()).rev().map(|length| whole[..length].to_vec()).find(|short| modules.contains_key(short))
}

/// The circles among the modules of each folder with more than [`MEMBERS`] members.
fn circles(modules: &BTreeMap<ModulePath, String>) -> BTreeSet<String> {
    let mut uses: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, code) in modules {
        for to in named_paths(code).iter().filter_map(|path| target(path, from, modules)) {
            let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                let folder = uses.entry(from[..shared].to_vec()).or_default();
                folder.entry(one.clone()).or_default().insert(other.clone());
            }
        }
    }
    uses.iter().flat_map(|(folder, graph)| large_circles(folder, graph)).collect()
}

fn large_circles(folder: &ModulePath, graph: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let reachable = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            let fresh = graph.get(next).into_iter().flatten().filter(|to| seen.insert((*to).clone()));
            open.extend(fresh);
        }
        seen
    };
    let reaches: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|name| (name, reachable(name))).collect();
    let circle = |name: &String| -> BTreeSet<&String> {
        let back = |other: &&String| reaches[name].contains(*other) && reaches[*other].contains(name);
        reaches.keys().copied().filter(back).collect()
    };
    let found: BTreeSet<_> = graph.keys().map(circle).filter(|circle| circle.len() > MEMBERS).collect();
    found.into_iter().map(|circle| format!("{}: {circle:?}", folder.join("::"))).collect()
}

#[test]
fn no_circle_of_modules_has_more_than_three_members() {
    let manifests = files_below("crates", "Cargo.toml");
    assert!(manifests.len() > 10, "the crates are in crates/");
    let crates = manifests.iter().map(|(path, _)| path.replace("/Cargo.toml", "/src"));
    for root in crates.chain(["src".to_owned()]) {
        let found = circles(&modules(&root));
        assert!(found.is_empty(), "{root}: {found:#?}");
    }
}

#[test]
fn a_planted_circle_is_seen() {
    let module = |name: &str, code: &str| (name.split("::").map(str::to_owned).collect(), code.to_owned());
    let circle: BTreeMap<ModulePath, String> = [
        module("a", "use crate::b::{self, Thing};"),
        module("b", "use super::c::Thing;"),
        module("c", "use crate::{d::{Thing, Other}, e};"),
        module("d", "fn f() { crate::a::g() }"),
        module("e", ""),
    ]
    .into();
    let found: Vec<_> = circles(&circle).into_iter().collect();
    assert_eq!(found, [r#": {"a", "b", "c", "d"}"#]);
}
