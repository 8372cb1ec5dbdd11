//! Parses the example vault: every note is valid, and all edges and links are found.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "the example vault is files of the project")]

use std::path::{Path, PathBuf};

use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_note::bullet::id::BulletId;
use cm_note::bullet::{Bullet, BulletKind, BulletState, Maturity, Scope, VerifyKind};
use cm_note::frontmatter::edit::{Edit, apply};
use cm_note::instant::Instant;
use cm_note::note::read::read;
use cm_note::note::types::MemoryType;
use cm_note::note::{Note, NoteKind, RelationTable, TypeTable};
use cm_note::path::NotePath;
use cm_note::score::Scoring;
use cm_note::score::bullet::{MaturityChange, effective, silent_days, verdict};

fn texts() -> Vec<(NotePath, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("example-vault");
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                found.push((NotePath::parse(name).unwrap(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

fn notes() -> Vec<Note> {
    let mut types = TypeTable::default();
    types.declare(MemoryType {
        name: "runbook".to_owned(),
        folder: "runbooks".to_owned(),
        weight: 1.2,
        required: vec!["owner".to_owned()],
    });
    let relations = RelationTable::default();
    texts().iter().map(|(path, text)| read(path, text.as_bytes(), &types, &relations).note).collect()
}

#[test]
fn the_example_vault_has_no_findings() {
    let notes = notes();
    assert!(notes.len() > 40, "{}", notes.len());
    for note in &notes {
        assert_eq!(note.findings, [], "{}", note.path);
        assert!(!note.title.is_empty() && !note.summary.is_empty(), "{}", note.path);
        let named = note.id.as_ref().is_none_or(|id| note.path.stem().ends_with(&id.short()));
        assert!(named || matches!(note.kind, NoteKind::Plain), "{}", note.path);
    }
    let count = |kind: NoteKind| notes.iter().filter(|note| note.kind == kind).count();
    for kind in [
        NoteKind::Memory,
        NoteKind::Edge,
        NoteKind::Bullet,
        NoteKind::Blocked,
        NoteKind::Episode,
        NoteKind::Diary,
        NoteKind::Stash,
    ] {
        assert!(count(kind) > 0, "{kind:?}");
    }
    assert!(notes.iter().filter(|note| note.kind == NoteKind::Edge).all(|note| note.edge.is_some()));
    assert!(notes.iter().any(|note| !note.links.is_empty() && !note.feedback.is_empty()));
}

#[test]
fn its_notes_can_be_edited_and_edited_back() {
    let generated = ["CORE.md", "REFLECTION.md"];
    for (path, text) in texts().into_iter().filter(|(path, _)| !generated.contains(&path.as_str())) {
        let set = Edit::Set { key: "zz".to_owned(), value: "x: y".into() };
        let edited = apply(&text, &[set, Edit::Remove { key: "zz".to_owned() }]).unwrap();
        assert_eq!(edited, text, "{path}");
    }
}

fn bullets() -> Vec<Bullet> {
    notes().iter().filter_map(Bullet::of).collect()
}

/// Returns the reference date of the example vault.
fn day() -> Instant {
    Instant::parse("2026-11-21").unwrap()
}

#[test]
fn the_maturity_of_every_bullet_is_what_its_feedback_says() {
    for bullet in bullets() {
        assert_eq!(
            verdict((&bullet).into(), bullet.maturity, false, &Scoring::default()),
            MaturityChange::Unchanged,
            "{}",
            bullet.path
        );
        let given = bullet.feedback.iter().map(|event| event.at);
        assert!(given.clone().is_sorted() && given.max() <= Some(day()), "{}", bullet.path);
        assert!(bullet.updated >= bullet.feedback.iter().map(|event| event.at).max(), "{}", bullet.path);
        let deprecated = bullet.maturity == Maturity::Deprecated;
        assert_eq!(bullet.state == BulletState::Retired, deprecated, "{}", bullet.path);
        assert_eq!(bullet.fields.deprecation_reason.is_some(), deprecated, "{}", bullet.path);
        assert_eq!(bullet.fields.pinned_reason.is_some(), bullet.pinned, "{}", bullet.path);
    }
}

#[test]
fn the_ids_of_its_bullets_tell_when_they_were_made() {
    for bullet in bullets() {
        let id = BulletId::parse(bullet.id.as_str()).unwrap_or_else(|_| panic!("{}", bullet.path));
        let milliseconds = i64::from_str_radix(id.as_str().split('-').nth(1).unwrap(), 36).unwrap();
        assert_eq!(Some(milliseconds / 1000), bullet.created.map(Instant::unix), "{}", bullet.path);
        assert_eq!(bullet.path.folder(), format!("playbook/{}", bullet.category));
    }
}

#[test]
fn its_playbook_shows_every_kind_of_bullet() {
    let bullets = bullets();
    let any = |name: &str, has: &dyn Fn(&Bullet) -> bool| {
        assert!(bullets.iter().any(has), "no rule with {name}");
    };
    for maturity in Maturity::ALL {
        any(maturity.name(), &|bullet| bullet.maturity == maturity);
    }
    for state in BulletState::ALL {
        any(state.name(), &|bullet| bullet.state == state);
    }
    for scope in Scope::ALL {
        any(scope.name(), &|bullet| bullet.scope == scope);
    }
    for kind in BulletKind::ALL {
        any(kind.name(), &|bullet| bullet.fields.kind == kind);
    }
    for kind in VerifyKind::ALL {
        any(kind.name(), &|bullet| bullet.fields.verify.as_ref().is_some_and(|verify| verify.kind == kind));
    }
    any("a half-life of its own", &|bullet| bullet.fields.half_life_days.is_some());
    any("no feedback for ninety days", &|bullet| bullet.is_live() && silent_days(bullet, day()) > 90.0);
    any("more harm than help", &|bullet| {
        bullet.is_live() && effective(bullet, day(), &Scoring::default()).value() < 0.0
    });
    // A replaced note names its successor, and that note names what it supersedes.
    let of = |id: &str| bullets.iter().find(|bullet| bullet.id.as_str() == id);
    for bullet in &bullets {
        for id in bullet.fields.replaced_by.iter().chain(&bullet.fields.supersedes) {
            assert!(of(id).is_some_and(|other| other.id != bullet.id), "{} names {id}", bullet.path);
        }
    }
    let successors = |id: &str| {
        let named = |bullet: &&Bullet| bullet.fields.replaced_by.as_deref() == Some(id);
        bullets.iter().filter(named).count()
    };
    any("two parts that were merged into it", &|bullet| successors(bullet.id.as_str()) == 2);
    any("the tag of an inversion", &|bullet| {
        bullet.is_anti_pattern()
            && bullet.tags.iter().any(|tag| tag == "inverted")
            && bullet.fields.supersedes.is_some()
    });
    let notes = notes();
    for kind in BlockKind::ALL {
        assert!(notes.iter().filter_map(BlockedNote::of).any(|blocked| blocked.kind == kind), "{kind:?}");
    }
}
