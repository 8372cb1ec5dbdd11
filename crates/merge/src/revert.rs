//! Takes back one change of a file that later changes touched elsewhere: a three-way merge by lines
//! whose base is the file after the change, and by keys within frontmatter.

use cm_note::frontmatter::split::Split;
use cm_note::note::leftover::MERGE;
use cm_note::path::NotePath;

use crate::note::NoteMerge;
use crate::note::head::Head;
use crate::three_way::one_sided;
use crate::{Clash, Versions, Vocabulary, file_shape, lines};

/// Key of the frontmatter that each change sets, and that a revert therefore leaves as it is now.
const UPDATED: &str = "updated:";
/// Keys that feedback sets, by itself or by what follows from it.
const FEEDBACK_KEYS: [&str; 7] =
    ["feedback", "updated", "maturity", "state", "promoted_at", "deprecation_reason", "last_validated_at"];

/// Returns the file `now` without the change that made `after` of `before`; `None` if a later change
/// touched the same or adjoining lines, or the same key in the frontmatter of a note. Later feedback of a note
/// does not keep feedback from being taken back.
pub fn revert(
    path: &NotePath,
    before: &[u8],
    after: &[u8],
    now: &[u8],
    vocabulary: &Vocabulary<'_>,
) -> Option<Vec<u8>> {
    if now == after || now == before {
        return Some(before.to_vec());
    }
    let versions = Versions { base: Some(after), ours: now, theirs: before };
    let texts = [after, now, before].map(|bytes| std::str::from_utf8(bytes).ok());
    if let ([Some(after), Some(now), Some(before)], true) = (texts, path.file_name() != path.stem()) {
        let reverted = revert_note(after, now, before)
            .or_else(|| revert_feedback(path, [after, now, before], vocabulary));
        return reverted.map(String::into_bytes);
    }
    let merged = lines::merge(&versions, Clash::Markers);
    (!merged.markers).then_some(merged.bytes)
}

fn revert_note(after: &str, now: &str, before: &str) -> Option<String> {
    let files = file_shape::uniform(Some(after), now, before);
    let [after, now, before] = files.texts.each_ref().map(|text| text.split_at(Split::of(text).body_start()));
    let mut text = revert_frontmatter(after.0, now.0, before.0)?;
    let (body, markers) = lines::merge_text(after.1, now.1, before.1, Clash::Markers);
    text.push_str(&body);
    (!markers).then(|| files.shape.restore(&text))
}

/// Takes back exactly the events of feedback that a change added, and computes anew what follows from the rest;
/// `None` if the change did something else as well.
fn revert_feedback(
    path: &NotePath,
    [after, now, before]: [&str; 3],
    vocabulary: &Vocabulary<'_>,
) -> Option<String> {
    let [of_after, of_before] = [Head::of(after)?, Head::of(before)?];
    let text = |head: &Head<'_>, key: &str| head.get(key).map(|chunk| chunk.text.to_owned());
    let keys = of_before.chunks.iter().chain(&of_after.chunks).map(|chunk| chunk.key.as_str());
    let mut changed = keys.filter(|key| text(&of_after, key) != text(&of_before, key));
    if of_after.body != of_before.body || !changed.all(|key| FEEDBACK_KEYS.contains(&key)) {
        return None;
    }
    let merge = NoteMerge { path, vocabulary, clash: Clash::Markers, stamps: [None, None] };
    let (reverted, has_markers) = merge.merge(after, now, before)?;
    let leftovers = |note: &str| Head::of(note).and_then(|head| text(&head, MERGE));
    (!has_markers && leftovers(&reverted) == leftovers(now)).then_some(reverted)
}

fn revert_frontmatter(after: &str, now: &str, before: &str) -> Option<String> {
    let is_updated = |line: &&str| line.starts_with(UPDATED);
    let rest = |text: &str| text.split_inclusive('\n').filter(|line| !is_updated(line)).collect::<String>();
    let Some(reverted) = one_sided(&rest(after), rest(now), rest(before)) else {
        return revert_keys(after, now, before);
    };
    if reverted == rest(now) {
        return Some(now.to_owned());
    }
    let updated = now.split_inclusive('\n').find(is_updated).unwrap_or_default();
    let Some(at) = before.find(&format!("\n{UPDATED}")) else { return Some(with_key(before, updated)) };
    let (head, tail) = before.split_at(at + 1);
    let (_, tail) = tail.split_once('\n')?;
    Some(format!("{head}{updated}{tail}"))
}

/// Takes the keys back that a change set, removed or added, and leaves the others as they are now; `None` if a later change
/// touched one of them.
fn revert_keys(after: &str, now: &str, before: &str) -> Option<String> {
    let [after, now, before] = [Head::of(after)?, Head::of(now)?, Head::of(before)?];
    let text = |head: &Head<'_>, key: &str| head.get(key).map(|chunk| chunk.text.to_owned());
    let is_taken_back = |key: &str| UPDATED != format!("{key}:") && text(&after, key) != text(&before, key);
    let mut keys = before.chunks.iter().chain(&after.chunks).map(|chunk| chunk.key.as_str());
    if keys.any(|key| is_taken_back(key) && text(&now, key) != text(&after, key)) {
        return None;
    }
    let mut chunks: Vec<(&str, String)> = Vec::new();
    for chunk in &now.chunks {
        let value =
            if is_taken_back(&chunk.key) { text(&before, &chunk.key) } else { Some(chunk.text.to_owned()) };
        chunks.extend(value.map(|value| (chunk.key.as_str(), chunk.lead.to_owned() + &value)));
    }
    // Removed keys come back behind the key that they followed.
    for (at, chunk) in before.chunks.iter().enumerate() {
        if is_taken_back(&chunk.key) && now.get(&chunk.key).is_none() {
            let previous = at.checked_sub(1).map(|previous| before.chunks[previous].key.as_str());
            let place =
                chunks.iter().position(|(key, _)| Some(*key) == previous).map_or(0, |place| place + 1);
            // Its comment went with it, unless another key has it now.
            let comment = chunk.lead.trim();
            let is_there = comment.is_empty() || now.chunks.iter().any(|other| other.lead.contains(comment));
            let lead = if is_there { "" } else { chunk.lead };
            chunks.insert(place, (&chunk.key, lead.to_owned() + chunk.text));
        }
    }
    let yaml: String = chunks.into_iter().map(|(_, text)| text).collect();
    let reverted = [now.opening, &yaml, now.tail, now.closing].concat();
    Head::of(&reverted).map(|_| reverted.clone())
}

/// Adds a line at the end of a frontmatter; one without keys is returned unchanged.
fn with_key(frontmatter: &str, line: &str) -> String {
    match frontmatter.trim_end_matches('\n').rfind('\n') {
        Some(end) => format!("{}{line}{}", &frontmatter[..=end], &frontmatter[end + 1..]),
        None => frontmatter.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::note::{RelationTable, TypeTable};
    use cm_note::score::Scoring;

    fn reverted(path: &str, before: &str, after: &str, now: &str) -> Option<String> {
        let path = NotePath::parse(path).unwrap();
        let bytes = revert_bytes(&path, before.as_bytes(), after.as_bytes(), now.as_bytes())?;
        Some(String::from_utf8(bytes).unwrap())
    }

    fn revert_bytes(path: &NotePath, before: &[u8], after: &[u8], now: &[u8]) -> Option<Vec<u8>> {
        let (types, relations, scoring) =
            (TypeTable::default(), RelationTable::default(), Scoring::default());
        let vocabulary = Vocabulary { types: &types, relations: &relations, scoring: &scoring };
        revert(path, before, after, now, &vocabulary)
    }

    #[test]
    fn feedback_goes_alone_whatever_feedback_came_later() {
        let event =
            |signal: &str, day: u32| format!("  - at: 2026-05-{day:02}T08:00:00Z\n    signal: {signal}\n");
        let rule = |day: u32, events: &[String]| {
            let list =
                if events.is_empty() { String::new() } else { format!("feedback:\n{}", events.concat()) };
            note(
                day,
                &format!("type: rule\nstate: active\nmaturity: candidate\n{list}"),
                "\nRun the tests first.\n",
            )
        };
        let (harm, help, more) = (event("harmful", 2), event("helpful", 3), event("helpful", 4));
        let (before, after) = (rule(1, &[]), rule(2, std::slice::from_ref(&harm)));
        let now = rule(4, &[harm.clone(), help.clone(), more.clone()]);
        let expected = rule(4, &[help.clone(), more.clone()]);
        assert_eq!(reverted("playbook/a/b.md", &before, &after, &now).as_deref(), Some(&*expected));
        let other = rule(4, &[harm, help]).replace("first.", "last.");
        let reworded = after.replace("first.", "last.");
        assert_eq!(reverted("playbook/a/b.md", &before, &reworded, &other), None);
    }

    /// A note that was updated on a day of May, with further keys and a body.
    fn note(day: u32, keys: &str, body: &str) -> String {
        format!("---\nid: x\nupdated: 2026-05-{day:02}\n{keys}---\n{body}")
    }

    #[test]
    fn lines_that_later_changes_left_alone_go_back() {
        let after = "see [[New]]\n\nmiddle\n\nend\n";
        assert_eq!(
            reverted(
                "a.md",
                "see [[Old]]\n\nmiddle\n\nend\n",
                after,
                "see [[New]]\n\nmiddle\n\nend, later\n"
            ),
            Some("see [[Old]]\n\nmiddle\n\nend, later\n".to_owned())
        );
        assert_eq!(reverted("a.md", "[[Old]]\n", "[[New]]\n", "[[New]] and more\n"), None);
        assert_eq!(reverted("a.txt", "a\nb\nc\n", "A\nb\nc\n", "A\nb\nC\n"), Some("a\nb\nC\n".to_owned()));
        assert_eq!(reverted("a.txt", "a\n", "b\n", "c\n"), None);
    }

    #[test]
    fn adjoining_lines_are_a_conflict_as_in_git() {
        assert_eq!(reverted("a.md", "a\nb\n", "A\nb\n", "A\nB\n"), None);
    }

    #[test]
    fn a_change_that_is_gone_already_changes_nothing() {
        assert_eq!(reverted("a.md", "a\n", "b\n", "a\n"), Some("a\n".to_owned()));
    }

    #[test]
    fn the_date_of_the_last_change_stays() {
        let (before, after) = (note(1, "", "[[Old]]\n\nend\n"), note(2, "", "[[New]]\n\nend\n"));
        let now = note(3, "", "[[New]]\n\nend, later\n");
        assert_eq!(reverted("a.md", &before, &after, &now), Some(note(3, "", "[[Old]]\n\nend, later\n")));
        let now = note(3, "tags: [a]\n", "[[New]]\n\nend\n");
        assert_eq!(reverted("a.md", &before, &after, &now), Some(note(3, "tags: [a]\n", "[[Old]]\n\nend\n")));
    }

    #[test]
    fn keys_go_back_that_later_changes_left_alone() {
        let (before, after) = (note(1, "title: Old\n", "a\n"), note(2, "title: New\n", "a\n"));
        let now = note(3, "title: New\n", "a\nb\n");
        assert_eq!(reverted("a.md", &before, &after, &now), Some(note(3, "title: Old\n", "a\nb\n")));
        let now = note(3, "title: New\ntags: [a]\n", "a\n");
        let expected = note(3, "title: Old\ntags: [a]\n", "a\n");
        assert_eq!(reverted("a.md", &before, &after, &now), Some(expected));
        let now = note(3, "title: Newer\ntags: [a]\n", "a\n");
        assert_eq!(reverted("a.md", &before, &after, &now), None);
        let (before, after) = (note(1, "a: 1\nb: 2\n", "x\n"), note(2, "a: 1\npinned: true\n", "x\n"));
        let now = note(3, "a: 1\npinned: true\nfeedback: [y]\n", "x\n");
        let expected = note(3, "a: 1\nb: 2\nfeedback: [y]\n", "x\n");
        assert_eq!(reverted("a.md", &before, &after, &now), Some(expected));
    }

    #[test]
    fn a_date_that_the_change_added_is_kept_and_one_that_is_gone_stays_away() {
        let (plain, dated) = ("---\ntitle: Old\n---\na\n", "---\ntitle: New\nupdated: 2026-05-02\n---\na\n");
        let now = "---\ntitle: New\nupdated: 2026-05-03\n---\na\nb\n";
        assert_eq!(
            reverted("a.md", plain, dated, now),
            Some("---\ntitle: Old\nupdated: 2026-05-03\n---\na\nb\n".to_owned())
        );
        let now = "---\ntitle: New\n---\na\nb\n";
        let before = "---\nupdated: 2026-05-01\ntitle: Old\n---\na\n";
        assert_eq!(reverted("a.md", before, dated, now), Some("---\ntitle: Old\n---\na\nb\n".to_owned()));
        assert_eq!(
            reverted("a.md", "a\n", "---\nid: x\n---\na\n", "---\nid: x\n---\na\nb\n"),
            Some("a\nb\n".into())
        );
    }

    #[test]
    fn line_breaks_and_bytes_stay() {
        assert_eq!(
            reverted("a.md", "a\r\n\r\nb\r\n", "A\r\n\r\nb\r\n", "A\r\n\r\nB\r\n"),
            Some("a\r\n\r\nB\r\n".to_owned())
        );
        let path = NotePath::parse("a.md").unwrap();
        assert_eq!(
            revert_bytes(&path, b"\xe9\n\nb\n", b"\xea\n\nb\n", b"\xea\n\nB\n"),
            Some(b"\xe9\n\nB\n".to_vec())
        );
        assert_eq!(revert_bytes(&path, b"a\0", b"b\0", b"c\0"), None);
    }
}
