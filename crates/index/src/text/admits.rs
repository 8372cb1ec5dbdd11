//! Decides whether a query's filters select a note, without using the index.

use super::document::{fact, facts};
use super::translate::path_fits;
use cm_note::note::Note;
use cm_note::query::{BooleanGroup, DateField, LabelField, QueryNode};

/// Whether the node certainly selects the note. Text conditions cannot be evaluated here: neither
/// they nor their negation select a note.
pub fn admits(node: &QueryNode, note: &Note) -> bool {
    selects(node, note) == Some(true)
}

/// Whether the node selects the note; `None` if the answer depends on the note's text or its own
/// frontmatter keys.
fn selects(node: &QueryNode, note: &Note) -> Option<bool> {
    Some(match node {
        QueryNode::Everything => true,
        QueryNode::Nothing => false,
        QueryNode::Text { .. } | QueryNode::Label { label: LabelField::Property, .. } => return None,
        QueryNode::Label { label, value, prefix } => {
            let label_fact = fact(*label, value);
            let mut found = false;
            facts(note, |fact| found |= fact == label_fact || (*prefix && fact.starts_with(&label_fact)));
            found
        }
        QueryNode::Path(pattern) => path_fits(&note.path.as_str().to_lowercase(), pattern),
        QueryNode::Dated { date, from, until } => {
            let date = match date {
                DateField::Created => note.created,
                DateField::Updated => note.updated.or(note.created),
            };
            date.is_some_and(|date| {
                from.is_none_or(|from| date >= from) && until.is_none_or(|until| date < until)
            })
        }
        QueryNode::Importance { least, most } => {
            note.importance.is_some_and(|importance| (*least..=*most).contains(&importance))
        }
        QueryNode::Group(group) => return group_selects(group, note),
    })
}

fn group_selects(group: &BooleanGroup, note: &Note) -> Option<bool> {
    let of = |nodes: &[QueryNode]| nodes.iter().map(|node| selects(node, note)).collect::<Vec<_>>();
    let mut all = [of(&group.must), of(&group.filter)].concat();
    all.extend(of(&group.not).into_iter().map(|excluded| excluded.map(|excluded| !excluded)));
    if group.must.is_empty() && !group.should.is_empty() {
        // One of them is enough: none of them is not.
        all.push(every(of(&group.should).into_iter().map(|one| one.map(|one| !one))).map(|none| !none));
    }
    every(all.into_iter())
}

/// Conjunction of three-valued conditions: `None` if no condition is false but some are undecided.
fn every(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut selected = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            None => selected = None,
            Some(true) => {}
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::instant::Instant;
    use cm_note::note::{RelationTable, TypeTable, read};
    use cm_note::path::NotePath;
    use cm_note::query::Query;

    #[test]
    fn what_a_query_selects_is_admitted_and_nothing_else() {
        let path = NotePath::parse("graph/fixes/pool.md").unwrap();
        let text = "---\nid: 1f0c2a00-0000-4000-8000-000000000001\ntype: fix\ntags: [db/pool]\ncreated: 2026-03-01\nimportance: 0.7\n---\nText.\n";
        let note = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        let now = Instant::parse("2026-11-21").unwrap();
        let admitted = |query: &str| admits(&Query::parse(query, now).bounds().unwrap(), &note);
        for query in
            ["type:fix", "tag:db word", "-type:solution type:fix", "created:>2026-01-01", "path:graph/fixes"]
        {
            assert!(admitted(query), "{query}");
        }
        for query in [
            "type:solution",
            "tag:net",
            "type:fix -tag:db",
            "created:<2026-01-01",
            "type:fix +word",
            "tag:db -word",
        ] {
            assert!(!admitted(query), "{query}");
        }
    }
}
