//! ARCHITECTURE.md shows the graph of crates that cargo enforces.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::files_below;

fn manifests() -> Vec<(String, Table)> {
    let found = files_below("crates", "Cargo.toml");
    assert!(found.len() > 10, "the crates are in crates/");
    found.into_iter().map(|(path, text)| (path, text.parse().unwrap())).collect()
}

/// The crates of this project that a manifest depends on, sorted; those of its tests do not count.
fn builds_on(manifest: &Table) -> Vec<&str> {
    let listed = manifest.get("dependencies").and_then(Value::as_table);
    let names = listed.into_iter().flat_map(|table| table.keys());
    names.filter_map(|name| name.strip_prefix("cm-")).collect()
}

#[test]
fn the_map_shows_each_crate_and_those_it_builds_on() {
    let map = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    for (path, manifest) in manifests() {
        let name = path.trim_start_matches("crates/").trim_end_matches("/Cargo.toml");
        let row = format!("| {name} | {} |", builds_on(&manifest).join(", "));
        assert!(map.contains(&row), "ARCHITECTURE.md lacks the row\n{row}");
    }
}

#[test]
fn every_manifest_asks_for_the_same_version_of_a_library() {
    let mut wanted: BTreeMap<String, (String, String)> = BTreeMap::new();
    let root = include_str!("../../../Cargo.toml").parse().unwrap();
    for (path, manifest) in manifests().into_iter().chain([("Cargo.toml".to_owned(), root)]) {
        for section in ["dependencies", "dev-dependencies"] {
            for (name, given) in manifest.get(section).and_then(Value::as_table).into_iter().flatten() {
                let Some(version) = given.as_str().or_else(|| given.get("version")?.as_str()) else {
                    continue;
                };
                let (first, other) =
                    wanted.entry(name.clone()).or_insert_with(|| (version.to_owned(), path.clone()));
                assert_eq!(version, first, "{name} in {path} and in {other}");
            }
        }
    }
}
