//! What changed between two commits, in words: notes, keys, bodies, edges, scores.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::decay::{score_of, scoring};
use super::error::Result;
use super::history::revision;
use super::log::repository;
use super::memory::{Memory, OpenVault};
use crate::domain::frontmatter::{json, parse, split::Split};
use crate::domain::note::{Kind, Note, read};
use crate::domain::path::NotePath;
use crate::domain::score::Score;
use crate::domain::words;
use crate::git::TreeChange;
use crate::vault::usage::UsageTable;

/// A note that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// What it answers to.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
}

/// A key that changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Field {
    /// Which.
    pub key: String,
    /// Its value before; null where it was absent.
    pub old: Value,
    /// Its value after; null where it is absent.
    pub new: Value,
}

/// A note that changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Changed {
    /// The note, as it is after.
    pub note: Named,
    /// Where it lay before, where it was moved.
    pub moved_from: Option<String>,
    /// Keys that changed.
    pub fields: Vec<Field>,
    /// Words of the body that came.
    pub words_added: usize,
    /// Words of the body that went.
    pub words_removed: usize,
    /// The decay score before and after at the instant of the call, where it changed.
    pub score: Option<(Score, Score)>,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Diffed {
    /// The older commit; null where the newer one is the first.
    pub from: Option<String>,
    /// The newer commit.
    pub to: String,
    /// Notes that came.
    pub added: Vec<Named>,
    /// Notes that went.
    pub removed: Vec<Named>,
    /// Notes that changed.
    pub changed: Vec<Changed>,
    /// Other files that changed.
    pub other: Vec<String>,
}

/// Compares two commits: by default the newest with the one before it.
///
/// # Errors
/// No such commit, no repository, or a repository that cannot be read.
pub fn diff(memory: &Memory, from: Option<&str>, to: Option<&str>) -> Result<Diffed> {
    let open = memory.target();
    let repo = repository(open)?;
    let to = revision(memory, to.unwrap_or("HEAD"))?;
    let from = match from {
        Some(from) => Some(revision(memory, from)?),
        None => repo.commit_info(to)?.parents.first().copied(),
    };
    let mut outcome = Diffed {
        from: from.map(|from| from.to_string()),
        to: to.to_string(),
        added: Vec::new(),
        removed: Vec::new(),
        changed: Vec::new(),
        other: Vec::new(),
    };
    let usage = open.usage().load().0;
    let differences = match from {
        Some(from) => repo.changed_between(from, to)?,
        None => repo.inverse(to)?,
    };
    let (mut came, mut went) = (BTreeMap::new(), BTreeMap::new());
    for TreeChange { path, old, new } in differences {
        if !path.as_str().ends_with(".md") || !path.as_str().contains('/') {
            outcome.other.push(path.into());
            continue;
        }
        if let Some(old) = old {
            let side = Side::of(open, &path, &old);
            went.insert(side.note.key().to_owned(), side);
        }
        if let Some(new) = new {
            let side = Side::of(open, &path, &new);
            came.insert(side.note.key().to_owned(), side);
        }
    }
    for (key, after) in &came {
        match went.remove(key) {
            Some(before) => outcome.changed.push(compare(memory, open, &usage, &before, after)),
            None => outcome.added.push(after.named()),
        }
    }
    outcome.removed.extend(went.values().map(Side::named));
    Ok(outcome)
}

/// A note at one of the commits.
struct Side {
    note: Note,
    text: String,
}

impl Side {
    fn of(open: &OpenVault, path: &NotePath, bytes: &[u8]) -> Self {
        let note = read::read(path, bytes, &open.settings.types, &open.settings.relations).note;
        Self { note, text: String::from_utf8_lossy(bytes).into_owned() }
    }

    fn named(&self) -> Named {
        Named {
            id: self.note.key().to_owned(),
            kind: self.note.kind,
            note_type: self.note.note_type.clone(),
            title: self.note.title.clone(),
            path: self.note.path.to_string(),
        }
    }

    fn fields(&self) -> BTreeMap<String, Value> {
        json::of_fields(&parse::parse(&Split::of(&self.text)).fields).into_iter().collect()
    }
}

fn compare(memory: &Memory, open: &OpenVault, usage: &UsageTable, before: &Side, after: &Side) -> Changed {
    let (old, new) = (before.fields(), after.fields());
    let keys: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value =
        |fields: &BTreeMap<String, Value>, key: &String| fields.get(key).cloned().unwrap_or(Value::Null);
    let fields = keys
        .into_iter()
        .map(|key| Field { key: key.clone(), old: value(&old, key), new: value(&new, key) })
        .filter(|field| field.old != field.new)
        .collect();
    let bodies = [before, after].map(|side| Split::of(&side.text).body().to_owned());
    let pieces = words::diff(&bodies[0], &bodies[1]);
    let count = |kind| -> usize {
        pieces
            .iter()
            .filter(|piece| piece.kind == kind)
            .map(|piece| piece.text.split_whitespace().count())
            .sum()
    };
    let score = |side: &Side| {
        let used = usage.get(side.note.key()).copied().unwrap_or_default();
        score_of(&side.note, used, &open.settings, &scoring(&open.settings), memory.now())
    };
    let scores = (score(before), score(after));
    let told = after.note.kind == Kind::Memory && (scores.0.value() - scores.1.value()).abs() >= 0.0001;
    Changed {
        note: after.named(),
        moved_from: (before.note.path != after.note.path).then(|| before.note.path.to_string()),
        fields,
        words_added: count(words::Kind::Added),
        words_removed: count(words::Kind::Removed),
        score: told.then_some(scores),
    }
}
