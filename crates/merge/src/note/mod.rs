//! Merges a note: its frontmatter by key, its body by paragraph, and what follows from its events.

mod comments;
mod decisions;
mod derived;
pub(crate) mod head;
mod keys;
mod lists;

use cm_note::bullet::{BulletState, Maturity};
use cm_note::frontmatter::edit::{Edit, apply};
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::note::leftover::{Leftover, LeftoverPart, MERGE};
use cm_note::note::{NoteKind, read};
use cm_note::path::NotePath;
use yaml_serde::Value;

use self::derived::RuleVersions;
use self::head::{Chunk, Head};
use self::keys::KeyRules;
use crate::body::{self, BodyMerge, BodyRules};
use crate::side::{ChangeStamp, Precedence, SideName};
use crate::three_way::one_sided;
use crate::{Clash, Vocabulary, episode, lines};

/// A note that is merged.
pub(crate) struct NoteMerge<'a> {
    pub path: &'a NotePath,
    pub vocabulary: &'a Vocabulary<'a>,
    pub clash: Clash,
    /// The newest commits that changed the note, ours first.
    pub stamps: [Option<&'a ChangeStamp>; 2],
}

/// The three heads of a note, and the decisions for its merge.
struct Heads<'h, 'a> {
    rules: KeyRules<'h, 'a>,
    /// The newest commits that changed the note, ours first.
    stamps: [Option<&'h ChangeStamp>; 2],
    leftovers: Vec<Leftover>,
}

impl NoteMerge<'_> {
    /// Merges three texts; returns the result and whether it has conflict markers. `None` if they are
    /// versions of two notes, if one is not well-formed and something clashes, or if the result would not
    /// be well-formed.
    pub fn merge(&self, base: &str, ours: &str, theirs: &str) -> Option<(String, bool)> {
        let heads = (Head::of(base), Head::of(ours), Head::of(theirs));
        let (Some(base_head), Some(our_head), Some(their_head)) = heads else {
            return Some((self.merge_malformed([base, ours, theirs])?, false));
        };
        let [our_head, their_head] = match our_head.opening.is_empty() != their_head.opening.is_empty() {
            true => [our_head, their_head].map(|head| head.with_lost_frontmatter(base).unwrap_or(head)),
            false => [our_head, their_head],
        };
        let kind = NoteKind::of(self.path);
        let precedence =
            Precedence::of(changed_at(&our_head, self.stamps[0]), changed_at(&their_head, self.stamps[1]));
        let rules = KeyRules { base: &base_head, ours: &our_head, theirs: &their_head, kind, precedence };
        let two_notes = base_head.get("id").is_none()
            && !matches!(kind, NoteKind::Edge | NoteKind::Blocked)
            && matches!((our_head.text("id"), their_head.text("id")), (Some(ours), Some(theirs)) if ours != theirs);
        if two_notes {
            return None;
        }
        let mut heads = Heads { rules, stamps: self.stamps, leftovers: Vec::new() };
        let head = heads.merged_head()?;
        let body = self.body(&heads)?;
        heads.note_leftovers(&body);
        heads.leftovers.extend(heads.opposite_decisions(&body.text));
        let mut text = head + &body.text;
        if kind == NoteKind::Bullet {
            text = self.with_derived(&heads.rules, text)?;
        }
        let text = with_leftovers(text, &heads.leftovers)?;
        let text = heads.with_new_keys_in_order(text, &body.text)?;
        Some((text, body.markers))
    }

    /// Merges texts with malformed frontmatter: that by lines, the body by paragraph. `None` if something
    /// clashes.
    fn merge_malformed(&self, texts: [&str; 3]) -> Option<String> {
        let [base, ours, theirs] = texts.map(|text| text.split_at(Split::of(text).body_start()));
        let ids = [texts[1], texts[2]].map(read::id_text);
        let is_one_note = ids[0].is_none() || ids[1].is_none() || ids[0] == ids[1];
        let (head, head_clashes) = lines::merge_text(base.0, ours.0, theirs.0, Clash::Leftover);
        let rules = BodyRules {
            precedence: Precedence::of(None, None),
            clash: Clash::Leftover,
            one_statement: NoteKind::of(self.path) == NoteKind::Bullet,
        };
        let body = body::merge(base.1, ours.1, theirs.1, rules);
        (is_one_note && !head_clashes && body.leftovers.is_empty()).then(|| head + &body.text)
    }

    fn body(&self, heads: &Heads<'_, '_>) -> Option<BodyMerge> {
        let KeyRules { base, ours, theirs, kind, precedence } = heads.rules;
        let rules = BodyRules { precedence, clash: self.clash, one_statement: kind == NoteKind::Bullet };
        let (base, ours, theirs) = (base.body, ours.body, theirs.body);
        if kind == NoteKind::Episode {
            return Some(episode::merge(base, ours, theirs, rules));
        }
        Some(body::merge(base, ours, theirs, rules))
    }

    /// Sets what follows from the feedback of both sides.
    fn with_derived(&self, rules: &KeyRules<'_, '_>, merged: String) -> Option<String> {
        let head = Head::of(&merged)?;
        let inputs = |head: &Head<'_>| INPUTS.map(|key| head.get(key).map(|chunk| chunk.value.clone()));
        let of_merge = inputs(&head);
        if of_merge == inputs(rules.ours) || of_merge == inputs(rules.theirs) {
            return Some(merged);
        }
        let rule = |head: &Head<'_>| read::rule_of(self.path, &head.fields);
        let versions = RuleVersions {
            base: if rules.base.chunks.is_empty() { None } else { rule(rules.base) },
            ours: rule(rules.ours)?,
            theirs: rule(rules.theirs)?,
            merged: rule(&head)?,
        };
        let mut edits = versions.edits(self.vocabulary.scoring);
        edits.retain(|edit| match edit {
            // A word that cm does not know is a person's.
            Edit::Set { key, value } => {
                let written = head.text(key);
                let is_known = match written.as_deref() {
                    Some(word) if key == "state" => BulletState::of(word).is_some(),
                    Some(word) if key == "maturity" => Maturity::of(word).is_some(),
                    _ => true,
                };
                is_known && written.as_deref() != value.as_str()
            }
            Edit::Remove { key } => head.get(key).is_some(),
            _ => true,
        });
        if edits.is_empty() {
            return Some(merged);
        }
        let body = head.body.len();
        let (above, below) = merged.split_at(merged.len() - body);
        Some(apply(above, &edits).ok()? + below)
    }
}

/// Keys that the replay of feedback depends on.
const INPUTS: [&str; 4] = ["feedback", "half_life_days", "pinned", "last_validated_at"];

impl Heads<'_, '_> {
    /// Returns the merged frontmatter with its markers.
    fn merged_head(&mut self) -> Option<String> {
        let KeyRules { base, ours, theirs, .. } = self.rules;
        let keys = self.rules.merge()?;
        let pick = |base: &str, ours: &str, theirs: &str| {
            one_sided(&base, ours, theirs).unwrap_or(ours.max(theirs)).to_owned()
        };
        let mut opening = pick(base.opening, ours.opening, theirs.opening);
        let mut closing = pick(base.closing, ours.closing, theirs.closing);
        if opening.is_empty() && !keys.yaml.is_empty() {
            (opening, closing) = (String::from("---\n"), String::from("---\n"));
        }
        let leftovers = keys
            .leftovers
            .into_iter()
            .map(|lost| self.leftover(LeftoverPart::Key(lost.key), lost.value, lost.from));
        self.leftovers = leftovers.collect();
        Some(opening + &keys.yaml + &closing)
    }

    /// A leftover with the time and the author of a side's change.
    fn leftover(&self, part: LeftoverPart, value: Value, from: SideName) -> Leftover {
        let (head, stamp) = match from {
            SideName::Ours => (self.rules.ours, self.stamps[0]),
            SideName::Theirs => (self.rules.theirs, self.stamps[1]),
        };
        let author = stamp.map(|stamp| stamp.author.clone()).filter(|author| !author.is_empty());
        let author = author.or_else(|| head.text("author"));
        Leftover { part, value, updated: changed_at(head, stamp), author }
    }

    /// Checks that the result is well-formed, and sorts its last keys that the base lacks if the merge
    /// itself added some: these would stand behind the keys of a later merge otherwise.
    fn with_new_keys_in_order(&self, text: String, body: &str) -> Option<String> {
        let KeyRules { base, ours, theirs, kind, .. } = self.rules;
        let head = Head::of(&text).filter(|head| head.body == body)?;
        let is_ours = |chunk: &Chunk<'_>| ours.get(&chunk.key).is_none() && theirs.get(&chunk.key).is_none();
        if !head.chunks.iter().any(is_ours) {
            return Some(text);
        }
        let last =
            head.chunks.iter().rposition(|chunk| base.get(&chunk.key).is_some()).map_or(0, |at| at + 1);
        let (before, after) = head.chunks.split_at(last);
        let mut after = after.to_vec();
        after.sort_by(|a, b| keys::usual_order(&a.key, &b.key, kind));
        let yaml: String =
            before.iter().chain(&after).map(|chunk| [chunk.lead, chunk.text].concat()).collect();
        let sorted = [head.opening, &yaml, head.tail, head.closing, head.body].concat();
        Head::of(&sorted).is_some_and(|head| head.body == body).then_some(sorted)
    }

    fn note_leftovers(&mut self, body: &BodyMerge) {
        let leftovers = body.leftovers.iter().map(|lost| {
            let value = lost.other.clone().map_or(Value::Null, Value::String);
            self.leftover(LeftoverPart::Paragraph(lost.stands.clone()), value, lost.from)
        });
        let leftovers: Vec<Leftover> = leftovers.collect();
        self.leftovers.extend(leftovers);
    }
}

/// When a side changed a note: by `updated`, or by its commit if that is later, since edits by hand leave `updated` as it is.
fn changed_at(head: &Head<'_>, stamp: Option<&ChangeStamp>) -> Option<Instant> {
    head.date("updated").max(stamp.map(|stamp| stamp.at))
}

/// Adds leftovers to the list of a note, in the order of their values.
fn with_leftovers(text: String, leftovers: &[Leftover]) -> Option<String> {
    if leftovers.is_empty() {
        return Some(text);
    }
    let head = Head::of(&text)?;
    let mut items: Vec<Value> =
        head.get(MERGE).and_then(|chunk| chunk.value.as_sequence().cloned()).unwrap_or_default();
    for item in &mut items {
        let Some(earlier) = item.as_mapping().and_then(Leftover::of) else { continue };
        if let Some(part) = leftovers.iter().find_map(|lost| replaced_part(&earlier, lost)) {
            *item = Leftover { part, ..earlier }.item();
        }
    }
    for item in leftovers.iter().map(Leftover::item) {
        if !items.contains(&item) {
            items.push(item);
        }
    }
    // A later merge may have given the key the value that an earlier leftover asks about.
    items.retain(|item| match item.as_mapping().and_then(Leftover::of) {
        Some(Leftover { part: LeftoverPart::Key(key), value, .. }) if !value.is_mapping() => {
            head.get(&key).is_none_or(|chunk| chunk.value != value)
        }
        _ => true,
    });
    items.sort_by(lists::by_value);
    apply(&text, &[Edit::Set { key: MERGE.to_owned(), value: Value::Sequence(items) }]).ok()
}

/// Returns the part that an earlier leftover is about after a merge in which the text that it names lost against another.
fn replaced_part(earlier: &Leftover, lost: &Leftover) -> Option<LeftoverPart> {
    let LeftoverPart::Paragraph(stood) = &earlier.part else { return None };
    (lost.value.as_str() == Some(stood) && lost.part != earlier.part).then(|| lost.part.clone())
}
