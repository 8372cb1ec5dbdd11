//! Rules for dependencies between layers.

use super::code::named;
use super::{Violation, hold, layer_of, planted};

/// Each layer with the layers it may use besides itself. Rows for layers without a folder are
/// allowed.
pub const LAYERS: [(&str, &[&str]); 17] = [
    ("domain", &[]),
    ("curate", &["domain"]),
    ("config", &["domain"]),
    ("vault", &["domain"]),
    ("git", &["domain"]),
    ("index", &["domain"]),
    ("net", &["domain"]),
    ("embed", &["domain", "net"]),
    ("llm", &["domain", "net"]),
    ("ingest", &["domain"]),
    ("ops", &["domain", "curate", "config", "vault", "git", "index", "net", "embed", "llm", "ingest"]),
    ("render", &["domain", "ops"]),
    ("operations", &["domain", "config", "ops", "render"]),
    ("serving", &["domain"]),
    ("mcp", &["domain", "config", "ops", "render", "operations", "serving"]),
    ("http", &["domain", "config", "ops", "render", "operations", "serving"]),
    ("cli", &["domain", "config", "ops", "render", "operations", "mcp", "http"]),
];

fn allowed(layer: &str) -> Option<&'static [&'static str]> {
    LAYERS.iter().find(|(name, _)| *name == layer).map(|(_, allowed)| *allowed)
}

/// Checks that a file uses only layers that its own layer may use.
pub fn naming(path: &str, text: &str) -> Vec<Violation> {
    let Some(layer) = layer_of(path) else { return Vec::new() };
    let violation =
        |line, rule, remedy: &str| Violation { path: path.to_owned(), line, rule, remedy: remedy.to_owned() };
    let Some(allowed) = allowed(layer) else {
        let rule = format!("`{layer}` is no layer");
        return vec![violation(
            0,
            rule,
            "put the file into a layer, or give the new one a row in LAYERS and ARCHITECTURE.md",
        )];
    };
    let depth = path.matches('/').count() - usize::from(path.ends_with("/mod.rs"));
    let mut found = Vec::new();
    for named in named(text) {
        let Some(other) = layer_named(&named.segments, depth) else { continue };
        if other != layer && !allowed.contains(&other) {
            let may = if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") };
            let rule = format!("`{layer}` names `{other}`, and may name {may}");
            let remedy = "pass the value in as an argument, or move the code to a layer that may name both (ops wires them)";
            found.push(violation(named.line, rule, remedy));
        }
    }
    found
}

/// Returns the layer that a path leads to: by `crate::`, or by enough `super::` to reach the crate
/// root from a file at this depth.
fn layer_named(segments: &[String], depth: usize) -> Option<&str> {
    let supers = segments.iter().take_while(|segment| *segment == "super").count();
    let next = match segments.first().map(String::as_str) {
        Some("crate") => segments.get(1)?,
        _ if supers >= depth => segments.get(supers)?,
        _ => return None,
    };
    let known = LAYERS.iter().any(|(name, _)| name == next);
    // The segment after `crate::` must be a layer; `super::` may lead to a sibling file.
    (known || supers == 0).then_some(next.as_str())
}

#[test]
fn every_file_names_only_layers_that_its_own_may_name() {
    hold(naming);
}

#[test]
fn the_map_shows_the_table_that_is_enforced() {
    let map = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    for (layer, allowed) in LAYERS {
        let may = if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") };
        let row = format!("| {layer} | {may} |");
        assert!(map.contains(&row), "ARCHITECTURE.md lacks the row\n{row}");
    }
}

#[test]
fn a_planted_name_of_a_forbidden_layer_is_reported_with_the_rule_and_the_remedy() {
    for (path, text) in [
        ("src/domain/id.rs", "//! x\nuse crate::vault::Vault;\n"),
        ("src/domain/note/read.rs", "//! x\nfn a() { crate::vault::open() }\n"),
        ("src/domain/note/read.rs", "//! x\nuse super::super::super::vault;\n"),
        ("src/domain/note/mod.rs", "//! x\nuse super::super::vault;\n"),
        ("src/domain/id.rs", "//! x\nuse crate::{\ndomain::id, vault};\n"),
    ] {
        let shown = planted(naming, path, text);
        assert!(shown.contains("`domain` names `vault`, and may name nothing of ours"), "{shown}");
        assert!(shown.contains("pass the value in"), "{shown}");
    }
    for (path, text, rule) in [
        ("src/git/repo.rs", "use crate::vault::Vault;", "`git` names `vault`"),
        ("src/ops/add.rs", "use crate::render::text;", "`ops` names `render`"),
        (
            "src/render/json.rs",
            "use crate::vault::Vault;",
            "`render` names `vault`, and may name domain, ops",
        ),
        ("src/cli/mod.rs", "use crate::index::Index;", "`cli` names `index`"),
        ("src/ops/add.rs", "use crate::surprise::X;", "`ops` names `surprise`"),
    ] {
        let shown = planted(naming, path, text);
        assert!(shown.contains(rule), "{shown}");
    }
}

#[test]
fn a_planted_folder_that_is_no_layer_is_reported() {
    let shown = planted(naming, "src/misc/x.rs", "//! x\n");
    assert!(shown.contains("`misc` is no layer") && shown.contains("a row in LAYERS"), "{shown}");
}

#[test]
fn what_is_allowed_passes() {
    for (path, text) in [
        ("src/lib.rs", "pub mod domain; use crate::vault;"),
        ("src/ops/add.rs", "use crate::{domain::id::NoteId, git, index};"),
        ("src/domain/note/read.rs", "/// See [`crate::vault`].\nuse super::types; use crate::domain::id;"),
        ("src/domain/note/read.rs", "use super::super::git;"),
        ("src/domain/id.rs", "use super::git; mod tests { use super::*; }"),
        ("src/vault/write.rs", "pub(crate) fn a() { \"crate::git\" }"),
    ] {
        assert_eq!(naming(path, text), [], "{path}");
    }
}
