//! Decisions of two persons on one leftover: one took the other version, the other kept that of the note.

use cm_note::frontmatter::parse::scalar_text;
use cm_note::note::leftover::{Leftover, LeftoverPart, MERGE};
use yaml_serde::Value;

use super::Heads;
use super::head::Head;
use crate::side::SideName;

/// Decision of a side on a leftover of the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Taken,
    Dropped,
}

impl Heads<'_, '_> {
    /// Returns a leftover for each one of the base that one side took and the other dropped. In the merged note the taken
    /// version stands, since dropping a leftover changes no text; the version that was to stay is left over.
    pub fn opposite_decisions(&self, merged_body: &str) -> Vec<Leftover> {
        let (base, ours, theirs) = (self.rules.base, self.rules.ours, self.rules.theirs);
        let still = [leftovers(ours), leftovers(theirs)].concat();
        let mut reopened = Vec::new();
        for decided in leftovers(base).into_iter().filter(|leftover| !still.contains(leftover)) {
            let decisions = [ours, theirs].map(|side| decision(&decided, base, side));
            let dropped_by = match decisions {
                [Some(Decision::Taken), Some(Decision::Dropped)] => SideName::Theirs,
                [Some(Decision::Dropped), Some(Decision::Taken)] => SideName::Ours,
                _ => continue,
            };
            let (part, value) = match (decided.part, decided.value) {
                (LeftoverPart::Paragraph(dropped), taken) => {
                    let Some(taken) = scalar_text(&taken).filter(|taken| merged_body.contains(taken)) else {
                        continue;
                    };
                    (LeftoverPart::Paragraph(taken), Value::String(dropped))
                }
                (LeftoverPart::Key(key), _) => {
                    let value = base.get(&key).map_or(Value::Null, |chunk| chunk.value.clone());
                    (LeftoverPart::Key(key), value)
                }
                (LeftoverPart::File(_), _) => continue,
            };
            reopened.push(self.leftover(part, value, dropped_by));
        }
        reopened
    }
}

fn leftovers(head: &Head<'_>) -> Vec<Leftover> {
    let items = head.get(MERGE).and_then(|chunk| chunk.value.as_sequence());
    items.into_iter().flatten().filter_map(|item| Leftover::of(item.as_mapping()?)).collect()
}

/// Returns the decision of a side on a leftover; `None` if neither of the two versions stands there.
fn decision(leftover: &Leftover, base: &Head<'_>, side: &Head<'_>) -> Option<Decision> {
    match &leftover.part {
        LeftoverPart::Paragraph(own) => {
            let other = scalar_text(&leftover.value)?;
            let mut versions = [(own.as_str(), Decision::Dropped), (other.as_str(), Decision::Taken)];
            // One may be part of the other.
            versions.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
            versions.into_iter().find(|(text, _)| side.body.contains(text)).map(|(_, decision)| decision)
        }
        LeftoverPart::Key(key) if !leftover.value.is_mapping() => {
            let value = |head: &Head<'_>| head.get(key).map_or(Value::Null, |chunk| chunk.value.clone());
            match value(side) {
                now if now == leftover.value => Some(Decision::Taken),
                now if now == value(base) => Some(Decision::Dropped),
                _ => None,
            }
        }
        LeftoverPart::Key(_) | LeftoverPart::File(_) => None,
    }
}
