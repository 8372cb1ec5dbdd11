//! Text of the frontmatter keys that a person adds (`owner: Mara`) and of a procedure's steps, for the text index.

use yaml_serde::Value;

use crate::frontmatter::parse::{FrontmatterField, FrontmatterFields, scalar_text};

/// Keys whose values the index holds in another field, or that only the program and the editor use.
const OTHER_KEYS: [&str; 31] = [
    "agent",
    "alias",
    "aliases",
    "author",
    "category",
    "condensed_into",
    "confidence",
    "created",
    "cssclass",
    "cssclasses",
    "date",
    "feedback",
    "id",
    "importance",
    "last_checked",
    "merge",
    "permalink",
    "pinned",
    "priority",
    "publish",
    "relations",
    "role",
    "session",
    "state",
    "supersedes",
    "tag",
    "tags",
    "title",
    "type",
    "updated",
    "workspace",
];

/// Returns the scalars of all other keys, also those in lists, one per line.
pub(super) fn searchable_text(fields: &FrontmatterFields) -> String {
    let others = fields.iter().filter(|field| !OTHER_KEYS.contains(&field.key.as_str()));
    others.flat_map(scalars).collect::<Vec<_>>().join("\n")
}

/// Returns the keywords of a diary that are to find its session, one per line.
pub(super) fn search_anchors(fields: &FrontmatterFields) -> String {
    fields.get("search_anchors").map(scalars).unwrap_or_default().join("\n")
}

/// Maximum length of a value that a query can select, in bytes.
const MAX_LABEL_BYTES: usize = 100;

/// Returns `key:value` for the scalars of all other keys.
pub(super) fn labels(fields: &FrontmatterFields) -> Vec<String> {
    let others = fields.iter().filter(|field| !OTHER_KEYS.contains(&field.key.as_str()));
    let of_field = |field: &FrontmatterField| {
        let values = scalars(field).into_iter().filter(|value| value.len() <= MAX_LABEL_BYTES);
        values.map(|value| format!("{}:{}", field.key.trim(), value.trim())).collect::<Vec<_>>()
    };
    others.flat_map(of_field).collect()
}

fn scalars(field: &FrontmatterField) -> Vec<String> {
    match &field.value {
        Value::Sequence(items) => items.iter().filter_map(scalar_text).collect(),
        _ => field.text().into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::parse::parse;
    use crate::frontmatter::split::Split;

    #[test]
    fn values_of_own_keys_and_steps_are_searchable_and_those_of_other_fields_are_not_doubled() {
        let text = "---\nid: a\ntitle: Restore\nowner: marabelle\nticket: 4711\nsteps:\n- Stop the writer\n- Copy\nfeedback:\n- {signal: helpful}\n---\n";
        assert_eq!(
            searchable_text(&parse(&Split::of(text)).fields),
            "marabelle\n4711\nStop the writer\nCopy"
        );
        let text = "---\ntitle: A\nstatus: Open\nteams: [net, web]\n---\n";
        assert_eq!(labels(&parse(&Split::of(text)).fields), ["status:Open", "teams:net", "teams:web"]);
    }
}
