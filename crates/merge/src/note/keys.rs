//! Merges the keys of a frontmatter: each by the rule of its kind.

use std::cmp::Ordering;
use std::collections::HashSet;

use cm_note::frontmatter::edit::{Edit, apply};
use cm_note::note::NoteKind;
use cm_note::note::compose::key_order;
use cm_note::note::leftover::MERGE;
use yaml_serde::Value;

use super::head::{Chunk, Head};
use super::{comments, lists};
use crate::side::{Precedence, SideName};
use crate::three_way::{both_lines, one_sided};

/// A value of one side that lost against the other's.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeyLeftover {
    pub key: String,
    /// Null if that side removed the key.
    pub value: Value,
    pub from: SideName,
}

/// The three versions of a frontmatter, and the rules that decide between them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyRules<'h, 'a> {
    pub base: &'h Head<'a>,
    pub ours: &'h Head<'a>,
    pub theirs: &'h Head<'a>,
    pub kind: NoteKind,
    pub precedence: Precedence,
}

/// A key in the three versions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyVersions<'h, 'a> {
    pub key: &'h str,
    pub base: Option<&'h Chunk<'a>>,
    pub ours: Option<&'h Chunk<'a>>,
    pub theirs: Option<&'h Chunk<'a>>,
}

/// The merged lines of a frontmatter between its markers.
#[derive(Debug, Default)]
pub(crate) struct MergedKeys {
    pub yaml: String,
    pub leftovers: Vec<KeyLeftover>,
}

impl<'h, 'a> KeyRules<'h, 'a> {
    /// Merges all keys; `None` if a key cannot be written without changing other lines.
    pub fn merge(&self) -> Option<MergedKeys> {
        let mut merged = MergedKeys::default();
        for key in self.order() {
            let versions = self.versions(&key);
            let text = self.merge_key(versions, &mut merged.leftovers)?;
            let lead = versions.lead();
            if text.is_some() || lead.trim() != versions.base.map_or("", |chunk| chunk.lead).trim() {
                merged.yaml.push_str(&lead);
            }
            merged.yaml.push_str(&text.unwrap_or_default());
        }
        merged.yaml += &both_lines(self.base.tail, self.ours.tail, self.theirs.tail);
        Some(merged)
    }

    fn versions<'k>(&self, key: &'k str) -> KeyVersions<'k, 'a>
    where
        'h: 'k,
    {
        KeyVersions { key, base: self.base.get(key), ours: self.ours.get(key), theirs: self.theirs.get(key) }
    }

    /// Returns the keys of all versions in the order of the result: those of the base in the order
    /// of the side that changed it, with the added keys behind the same keys as on their side.
    fn order(&self) -> Vec<String> {
        let is_base = |key: &str| self.base.get(key).is_some();
        let sequence = |head: &Head<'_>| -> Vec<String> {
            head.chunks.iter().map(|chunk| chunk.key.clone()).filter(|key| is_base(key)).collect()
        };
        let (base, ours, theirs) = (sequence(self.base), sequence(self.ours), sequence(self.theirs));
        let shared = |keys: &[String], other: &[String]| -> Vec<String> {
            keys.iter().filter(|key| other.contains(key)).cloned().collect()
        };
        let is_reordered = shared(&ours, &base) != shared(&base, &ours);
        let (frame, other) = if is_reordered { (&ours, &theirs) } else { (&theirs, &ours) };
        let backbone = inserted(frame, other);
        let gaps = |head: &Head<'_>| added_keys(head, &backbone, &is_base);
        let (ours, theirs) = (gaps(self.ours), gaps(self.theirs));
        let mut all = Vec::new();
        let mut seen = HashSet::new();
        for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let key = at.checked_sub(1).map(|at| backbone[at].clone());
            let keys = key.into_iter().chain(joined(ours, theirs, self.kind));
            all.extend(keys.filter(|key| seen.insert(key.clone())));
        }
        all
    }

    /// Merges one key and the comment on its line; returns its lines, or `None` inside if it is removed.
    fn merge_key(
        &self,
        versions: KeyVersions<'_, 'a>,
        leftovers: &mut Vec<KeyLeftover>,
    ) -> Option<Option<String>> {
        let lines = self.merge_value(versions, leftovers)?;
        Some(lines.map(|lines| comments::merged(lines, versions)))
    }

    fn merge_value(
        &self,
        versions: KeyVersions<'_, 'a>,
        leftovers: &mut Vec<KeyLeftover>,
    ) -> Option<Option<String>> {
        let KeyVersions { key, base, ours, theirs } = versions;
        let text = |chunk: Option<&Chunk<'a>>| chunk.map(|chunk| chunk.text.to_owned());
        let value = |chunk: Option<&Chunk<'a>>| chunk.map(|chunk| chunk.value.clone());
        let side = |name: SideName| if name == SideName::Ours { text(ours) } else { text(theirs) };
        if let Some(one) = one_sided(&text(base), text(ours), text(theirs)) {
            return Some(one);
        }
        if value(ours) == value(theirs) {
            return Some(text(ours).max(text(theirs)));
        }
        if let Some(one) = one_sided(&value(base), value(ours), value(theirs)) {
            return Some(if one == value(ours) { text(ours) } else { text(theirs) });
        }
        let (our_date, their_date) = (self.ours.date(key), self.theirs.date(key));
        let written = [SideName::Ours, SideName::Theirs].map(|side| versions.written(side));
        let winner = |precedence: Precedence| side(precedence.winner(&written[0], &written[1]));
        match key {
            "updated" | "last_checked" | "last_validated_at" => {
                return Some(winner(Precedence::of(our_date, their_date)));
            }
            "created" | "promoted_at" if our_date.is_some() && their_date.is_some() => {
                // The earlier one.
                return Some(winner(Precedence::of(their_date, our_date)));
            }
            // The title of a note at its end, which the note itself has.
            "from_title" | "to_title" if self.kind == NoteKind::Edge => return Some(winner(self.precedence)),
            // The replay of the events decides, see `derived`.
            "maturity" if self.kind == NoteKind::Bullet => return Some(winner(self.precedence)),
            // The same edge or block made twice: one identity is enough.
            "id" if base.is_none() && matches!(self.kind, NoteKind::Edge | NoteKind::Blocked) => {
                return Some(text(ours).min(text(theirs)));
            }
            "deprecation_reason" | "reason" if matches!(self.kind, NoteKind::Bullet | NoteKind::Blocked) => {
                if let Some(reasons) = lists::joined_reasons(versions) {
                    return self.write(versions, &Value::String(reasons)).map(Some);
                }
            }
            _ => {}
        }
        if lists::is_list(versions) {
            return self.merge_list(versions, leftovers);
        }
        if let Some(mapping) = lists::mapping_of_lists(versions) {
            return self.write(versions, &mapping).map(Some);
        }
        let winner = self.winner(versions);
        let loser = match winner {
            SideName::Ours => (theirs, SideName::Theirs),
            SideName::Theirs => (ours, SideName::Ours),
        };
        let value = value(loser.0).unwrap_or_default();
        leftovers.push(KeyLeftover { key: key.to_owned(), value, from: loser.1 });
        Some(side(winner))
    }

    /// Returns the side whose value stands.
    fn winner(&self, versions: KeyVersions<'_, '_>) -> SideName {
        let written = [SideName::Ours, SideName::Theirs].map(|side| versions.written(side));
        let [ours, theirs] = &written;
        let strictness = |chunk: Option<&Chunk<'_>>| match versions.key {
            "state" => match chunk.and_then(|chunk| chunk.value.as_str()) {
                Some("retired" | "deprecated" | "blocked") => 4,
                Some("draft") => 3,
                Some("unverified") => 2,
                Some("active") | None => 1,
                Some(_) => 0,
            },
            // No tool pins or unpins: a pin is a person's word.
            "pinned" => u8::from(chunk.is_some_and(|chunk| chunk.value == Value::Bool(true))),
            _ => 0,
        };
        match strictness(versions.ours).cmp(&strictness(versions.theirs)) {
            Ordering::Greater => SideName::Ours,
            Ordering::Less => SideName::Theirs,
            Ordering::Equal => self.precedence.winner(ours, theirs),
        }
    }

    fn merge_list(
        &self,
        versions: KeyVersions<'_, 'a>,
        leftovers: &mut Vec<KeyLeftover>,
    ) -> Option<Option<String>> {
        let list = lists::merge(versions, self.precedence);
        leftovers.extend(list.leftovers);
        if list.items.is_empty() {
            return Some(None);
        }
        if let Some(text) = lists::written(versions, &list.items, self.precedence) {
            return Some(Some(text));
        }
        let items = list.items.into_iter().map(|item| item.value).collect();
        self.write(versions, &Value::Sequence(items)).map(Some)
    }

    /// Writes a value into the lines of the side that wins; `None` if that changes other lines.
    fn write(&self, versions: KeyVersions<'_, '_>, value: &Value) -> Option<String> {
        let preferred = match self.winner(versions) {
            SideName::Ours => versions.ours.or(versions.theirs),
            SideName::Theirs => versions.theirs.or(versions.ours),
        };
        set(preferred?.text, versions.key, value)
    }
}

impl KeyVersions<'_, '_> {
    /// The lines of a side's value; empty if it has none.
    fn written(&self, side: SideName) -> String {
        let chunk = if side == SideName::Ours { self.ours } else { self.theirs };
        chunk.map_or_else(String::new, |chunk| chunk.text.to_owned())
    }

    /// The merged comments above the key.
    fn lead(&self) -> String {
        let base = self.base.map_or("", |chunk| chunk.lead);
        let [ours, theirs] = [self.ours, self.theirs].map(|chunk| chunk.map_or(base, |chunk| chunk.lead));
        both_lines(base, ours, theirs)
    }
}

/// Replaces a value in the lines of its key.
pub(super) fn set(lines: &str, key: &str, value: &Value) -> Option<String> {
    let edit = Edit::Set { key: key.to_owned(), value: value.clone() };
    let note = apply(&format!("---\n{lines}---\n"), &[edit]).ok()?;
    Some(note.strip_prefix("---\n")?.strip_suffix("---\n")?.to_owned())
}

/// Returns the keys that a side added, for the place before all keys of `backbone` and behind each.
/// Where the side lacks the next keys of the backbone, its keys come behind those.
fn added_keys(head: &Head<'_>, backbone: &[String], is_base: &dyn Fn(&str) -> bool) -> Vec<Vec<String>> {
    let mut gaps = vec![Vec::new(); backbone.len() + 1];
    let behind = |at: usize| {
        let missing = backbone[at..].iter().take_while(|key| head.get(key).is_none()).count();
        at + missing
    };
    let mut place = behind(0);
    for chunk in &head.chunks {
        if !is_base(&chunk.key) {
            gaps[place].push(chunk.key.clone());
        } else if let Some(at) = backbone.iter().position(|key| *key == chunk.key) {
            place = behind(at + 1);
        }
    }
    gaps
}

/// Inserts the items of `other` that `frame` lacks, each behind the item that it follows there.
fn inserted(frame: &[String], other: &[String]) -> Vec<String> {
    let mut all = frame.to_vec();
    for (at, key) in other.iter().enumerate() {
        if !all.contains(key) {
            let before = at.checked_sub(1).and_then(|before| other.get(before));
            let place = before.and_then(|before| all.iter().position(|placed| placed == before));
            all.insert(place.map_or(0, |place| place + 1), key.clone());
        }
    }
    all
}

/// Joins the keys that both sides added at one place, in their usual order.
fn joined(ours: &[String], theirs: &[String], kind: NoteKind) -> Vec<String> {
    if ours.is_empty() || ours == theirs {
        return theirs.to_vec();
    }
    if theirs.is_empty() {
        return ours.to_vec();
    }
    let mut all = [ours, theirs].concat();
    all.sort_by(|a, b| usual_order(a, b, kind));
    all.dedup();
    all
}

/// Compares two keys by the order in which `cm` writes keys; unknown ones follow by name, and the
/// leftovers last.
pub(super) fn usual_order(a: &str, b: &str, kind: NoteKind) -> Ordering {
    let usual = key_order(kind);
    let place = |key: &str| match usual.iter().position(|usual| *usual == key) {
        Some(place) => place,
        None => usual.len() + usize::from(key == MERGE),
    };
    place(a).cmp(&place(b)).then_with(|| a.cmp(b))
}
