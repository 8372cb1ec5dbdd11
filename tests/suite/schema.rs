//! The JSON Schemas under `schema/` match the types, and notes written by `cm` match them.
//!
//! `CM_BLESS=1 cargo test` rewrites them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "the schemas are files of the project")]

use std::path::{Path, PathBuf};

use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::note::NoteKind;
use cm_note::note::schema::schema;
use cm_note::path::NotePath;
use serde_json::Value;

const KINDS: [NoteKind; 6] = [
    NoteKind::Memory,
    NoteKind::Edge,
    NoteKind::Bullet,
    NoteKind::Blocked,
    NoteKind::Episode,
    NoteKind::Diary,
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn written(kind: NoteKind) -> Value {
    serde_json::to_value(schema(kind).unwrap()).unwrap()
}

#[test]
fn the_schema_files_are_what_the_types_say() {
    for kind in KINDS {
        let file = root().join("schema").join(format!("{}.json", kind.name()));
        let text = format!("{}\n", serde_json::to_string_pretty(&written(kind)).unwrap());
        if std::env::var_os("CM_BLESS").is_some() {
            std::fs::create_dir_all(root().join("schema")).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, text, "{} is not what the types say: CM_BLESS=1 cargo test", file.display());
    }
}

#[test]
fn the_schema_of_delta_files_is_what_the_types_say_and_what_they_read() {
    let schema = cm_playbook::curation::delta::schema();
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    let file = root().join("schema/deltas.json");
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), text, "CM_BLESS=1 cargo test");
    let fits = jsonschema::validator_for(&serde_json::to_value(&schema).unwrap()).unwrap();
    let whole = include_str!("../golden/deltas.json");
    assert!(fits.is_valid(&serde_json::from_str(whole).unwrap()));
    let read = cm_playbook::curation::delta::DeltaFile::parse(whole).unwrap();
    assert_eq!(read.deltas.len(), 9, "one of each kind");
    assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::from_str::<Value>(whole).unwrap());
    for bad in [
        "{}",
        "[]",
        "{\"deltas\": [{\"type\": \"erase\", \"id\": \"b-1\"}]}",
        "{\"deltas\": [{\"type\": \"pin\"}]}",
    ] {
        assert!(!fits.is_valid(&serde_json::from_str(bad).unwrap()), "{bad}");
    }
}

#[test]
fn the_schema_of_settings_is_what_the_keys_say_and_what_files_contain() {
    let schema = cm_store::config::schema::schema();
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    let file = root().join("schema/settings.json");
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), text, "CM_BLESS=1 cargo test");
    let validator = jsonschema::draft202012::new(schema.as_value()).unwrap();
    let fits = |toml: &str| {
        let table: toml::Table = toml.parse().unwrap();
        validator.is_valid(&serde_json::to_value(table).unwrap())
    };
    let template = include_str!("../../templates/vault/cm.toml");
    // The settings that the template offers as comments, below its introduction.
    let (_, offered) = template.split_once("\n\n").unwrap();
    let offered: String =
        offered.lines().filter_map(|line| line.strip_prefix("# ")).map(|line| format!("{line}\n")).collect();
    for (toml, expected) in [
        (include_str!("../../example-vault/cm.toml"), true),
        (template, true),
        (offered.as_str(), true),
        ("search.limit = 7", true),
        ("search.limit = 0", false),
        ("git.commit = \"sometimes\"", false),
        ("[search]\nlimits = 3", false),
        ("colour = \"red\"", false),
    ] {
        assert_eq!(fits(toml), expected, "{toml}");
    }
}

#[test]
fn every_schema_has_an_id_of_its_own() {
    let mut ids = std::collections::BTreeSet::new();
    let folders = ["schema", "schema/json"].map(|folder| std::fs::read_dir(root().join(folder)).unwrap());
    let files = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let name = file.strip_prefix(root().join("schema")).unwrap().with_extension("");
        let name: Vec<_> = name.iter().map(|part| part.to_str().unwrap()).collect();
        assert_eq!(schema["$id"], format!("urn:cm:schema:{}", name.join(":")));
        assert!(ids.insert(schema["$id"].to_string()), "{}", file.display());
    }
    assert!(ids.len() > 80, "{}", ids.len());
}

#[test]
fn the_example_vault_fits_the_schemas() {
    let mut checked = 0;
    for file in notes(&root().join("example-vault")) {
        let path = file.strip_prefix(root().join("example-vault")).unwrap().to_str().unwrap().to_owned();
        let kind = NoteKind::of(&NotePath::parse(&path).unwrap());
        if !KINDS.contains(&kind) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let errors = errors(kind, &frontmatter(&text));
        assert!(errors.is_empty(), "{path}: {errors:?}");
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn what_a_kind_must_not_say_does_not_fit() {
    for (kind, yaml, fits) in [
        (
            NoteKind::Memory,
            "id: a\ntype: fix\ntitle: t\nimportance: 0.5\ncreated: 2026-11-01\nupdated: 2026-11-01",
            true,
        ),
        (
            NoteKind::Memory,
            "id: a\ntype: fix\ntitle: t\nimportance: 5\ncreated: 2026-11-01\nupdated: 2026-11-01",
            false,
        ),
        (
            NoteKind::Memory,
            "id: a\ntype: fix\ntitle: t\nimportance: 0.5\ncreated: soon\nupdated: 2026-11-01",
            false,
        ),
        (NoteKind::Memory, "title: t", false),
        (NoteKind::Edge, "id: a\ntype: SOLVES\nfrom_id: x\nto_id: y\nmine: too", true),
        (NoteKind::Edge, "id: a\ntype: SOLVES\nfrom_id: x", false),
        (NoteKind::Bullet, "id: b-1\nstate: on", false),
        (NoteKind::Bullet, "id: b-1\nstate: active\nhalf_life_days: 30", true),
        (NoteKind::Blocked, "id: a\nkind: toxic", false),
        (NoteKind::Blocked, "id: a\nkind: toxic\npattern: x", true),
        (NoteKind::Episode, "date: 2026-11-01", true),
        (NoteKind::Episode, "date: today", false),
        (NoteKind::Diary, "id: a\nsession: s\nstatus: mixed", true),
        (NoteKind::Diary, "id: a\nsession: s\nstatus: fine", false),
    ] {
        let errors = errors(kind, &frontmatter(&format!("---\n{yaml}\n---\n")));
        assert_eq!(errors.is_empty(), fits, "{kind:?} {yaml:?}: {errors:?}");
    }
}

fn errors(kind: NoteKind, frontmatter: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&written(kind)).unwrap();
    validator.iter_errors(frontmatter).map(|error| error.to_string()).collect()
}

fn frontmatter(text: &str) -> Value {
    let parsed = parse(&Split::of(text));
    assert_eq!(parsed.faults, []);
    let fields = parsed.fields.iter();
    fields.map(|field| (field.key.clone(), serde_json::to_value(&field.value).unwrap())).collect()
}

fn notes(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(notes(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
