//! Laws of every merge, over the notes of the example vault and odd files with random edits.

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::prelude::*;

use super::sample::{FILES, RandomEdit, SampleFile, edited, edits};
use super::*;

fn file() -> impl Strategy<Value = &'static SampleFile> {
    (0..FILES.len()).prop_map(|at| &FILES[at])
}

fn merge(path: &str, base: &str, ours: &str, theirs: &str, clash: Clash) -> Merged {
    merged(path, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), clash)
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Words that a merge may write itself: keys of leftovers, markers, and what follows from events.
const OWN_WORDS: &str = "merge key value updated author paragraph file ours theirs cm another side set removed list \
    candidate established proven deprecated retired active draft promoted_at maturity state deprecation reason promoted at \
    of its feedback is harm harmful score after true false";

/// Words of either side that neither the base has nor the result; empty unless something was lost.
fn lost<'t>(base: &'t str, ours: &'t str, theirs: &'t str, result: &str) -> Vec<&'t str> {
    let (before, after) = (words(base), words(result));
    let added = words(ours).into_iter().chain(words(theirs)).filter(|word| !before.contains(word));
    added.filter(|word| !after.contains(word)).collect()
}

/// Whether a word is made by the replay of events: `updated` of the earlier side, and what a side
/// says about a retirement that the events of both do not justify.
fn is_derived(word: &str) -> bool {
    let date = word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
        || word.ends_with('Z')
        || word.contains('T') && word.starts_with(|c: char| c.is_ascii_digit());
    date || words(OWN_WORDS).contains(word)
}

proptest! {
    #[test]
    fn nothing_of_either_side_is_lost_and_nothing_is_invented(
        file in file(), ours in edits(), theirs in edits(), markers: bool,
    ) {
        let (path, base) = file;
        // The section of a program in AGENTS.md is written anew.
        prop_assume!(path != "AGENTS.md");
        let (ours, theirs) = (edited(file, &ours, "xa"), edited(file, &theirs, "yb"));
        let clash = if markers { Clash::Markers } else { Clash::Leftover };
        // The text of a leftover may be written with `\n` for its line breaks.
        let result = String::from_utf8(merge(path, base, &ours, &theirs, clash).bytes).unwrap().replace("\\n", "\n");
        let lost: Vec<_> = lost(base, &ours, &theirs, &result).into_iter().filter(|word| !is_derived(word)).collect();
        prop_assert!(lost.is_empty(), "lost {:?}:\n{}\n--- ours\n{}\n--- theirs\n{}", lost, result, ours, theirs);
        let known = [words(base), words(&ours), words(&theirs)].concat_sets();
        let invented: Vec<_> = words(&result)
            .into_iter()
            .filter(|word| !known.contains(word) && !is_derived(word) && word.parse::<f64>().is_err())
            .collect();
        prop_assert!(invented.is_empty(), "invented {:?}:\n{}", invented, result);
    }

    #[test]
    fn lines_that_no_side_touched_stay_as_often_as_they_are(
        file in file(), ours in edits(), theirs in edits(),
    ) {
        let (path, base) = file;
        let grows = |edit: &RandomEdit| matches!(
            edit,
            RandomEdit::AppendParagraph | RandomEdit::AppendFence | RandomEdit::AddTag | RandomEdit::Updated { .. }
        );
        let only_grows = |edits: Vec<RandomEdit>| edits.into_iter().filter(grows).collect::<Vec<_>>();
        let (ours, theirs) = (edited(file, &only_grows(ours), "xa"), edited(file, &only_grows(theirs), "yb"));
        let result = String::from_utf8(merge(path, base, &ours, &theirs, Clash::Leftover).bytes).unwrap();
        let body = |line: &&str| !line.starts_with("tags") && !line.starts_with("updated") && !line.starts_with("  ") && !line.starts_with('{') && !line.trim().is_empty();
        let count = |text: &str, line: &str| text.lines().filter(|other| *other == line).count();
        for line in base.lines().filter(body) {
            prop_assert!(count(&result, line) >= count(base, line), "{:?} in\n{}", line, result);
        }
    }

    #[test]
    fn a_side_is_never_preferred(file in file(), ours in edits(), theirs in edits()) {
        let (path, base) = file;
        let (ours, theirs) = (edited(file, &ours, "xa"), edited(file, &theirs, "yb"));
        let one = merge(path, base, &ours, &theirs, Clash::Leftover);
        prop_assert_eq!(&one, &merge(path, base, &theirs, &ours, Clash::Leftover));
        let created = |ours: &str, theirs: &str| merged(path, None, ours.as_bytes(), theirs.as_bytes(), Clash::Leftover);
        prop_assert_eq!(created(&ours, &theirs), created(&theirs, &ours));
    }

    #[test]
    fn a_change_of_one_side_alone_gives_its_bytes(file in file(), ours in edits(), markers: bool) {
        let (path, base) = file;
        let ours = edited(file, &ours, "xa");
        let clash = if markers { Clash::Markers } else { Clash::Leftover };
        let clean = Merged { bytes: ours.clone().into_bytes(), markers: false };
        prop_assert_eq!(merge(path, base, &ours, base, clash), clean.clone());
        prop_assert_eq!(merge(path, base, base, &ours, clash), clean.clone());
        prop_assert_eq!(merge(path, base, &ours, &ours, clash), clean);
    }

    #[test]
    fn merging_the_result_again_changes_nothing(file in file(), ours in edits(), theirs in edits()) {
        let (path, base) = file;
        let is_unclear =
            |edit: &RandomEdit| matches!(edit, RandomEdit::Line { .. } | RandomEdit::Crlf | RandomEdit::OpenEnd | RandomEdit::RemoveKey { .. });
        let is_clear = !ours.iter().chain(&theirs).any(is_unclear);
        let (ours, theirs) = (edited(file, &ours, "xa"), edited(file, &theirs, "yb"));
        let once = merge(path, base, &ours, &theirs, Clash::Leftover);
        prop_assume!(!once.markers);
        let once = String::from_utf8(once.bytes).unwrap();
        for (before, side) in [(&ours, &theirs), (&theirs, &ours)] {
            prop_assert_eq!(&merge(path, before, &once, before, Clash::Leftover).bytes, once.as_bytes());
            prop_assert_eq!(&merge(path, side, &once, side, Clash::Leftover).bytes, once.as_bytes());
            // As after a cherry-pick: the result already has what the side did. Where lines in the
            // middle or all line breaks changed, a comparison with the old base may pair other equal lines.
            // A key that a side removed and that the feedback sets again looks like a clash to it.
            let content = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
            let again = String::from_utf8(merge(path, base, &once, side, Clash::Leftover).bytes).unwrap();
            prop_assert!(!is_clear || content(&again) == content(&once), "--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}\n--- once\n{once}\n--- again\n{again}");
        }
    }

    #[test]
    fn three_clones_end_with_the_same_events_tags_and_relations_in_any_order(
        file in file(), one in edits(), two in edits(), three in edits(),
    ) {
        let (path, base) = file;
        let is_set = |edit: &RandomEdit| matches!(
            edit,
            RandomEdit::AddTag
                | RandomEdit::RemoveFirstTag
                | RandomEdit::Event { .. }
                | RandomEdit::Relation
                | RandomEdit::UnknownKey { .. }
                | RandomEdit::Updated { .. }
                | RandomEdit::Setting { is_list: true }
                | RandomEdit::Episode { .. }
        );
        let is_episode = path.starts_with("episodes/");
        let sets = |edits: Vec<RandomEdit>| -> Vec<RandomEdit> {
            let fits = |edit: &RandomEdit| is_set(edit) && (is_episode || !matches!(edit, RandomEdit::Episode { .. }));
            let mut edits: Vec<_> = edits.into_iter().filter(fits).collect();
            // A list that was removed and written anew stands at another place.
            if edits.iter().any(|edit| matches!(edit, RandomEdit::RemoveFirstTag)) {
                edits.retain(|edit| !matches!(edit, RandomEdit::AddTag));
            }
            edits
        };
        let sides = [(one, "xa"), (two, "yb"), (three, "zc")].map(|(edits, word)| edited(file, &sets(edits), word));
        let has_markers = Cell::new(false);
        let both = |ours: &str, theirs: &str| {
            let merged = merge(path, base, ours, theirs, Clash::Leftover);
            has_markers.set(has_markers.get() | merged.markers);
            String::from_utf8(merged.bytes).unwrap()
        };
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map(|[a, b, c]| both(&both(&sides[a], &sides[b]), &sides[c]));
        // Text that is no note has no order that does not matter.
        prop_assume!(!has_markers.get());
        // The sides have events by hand, beside a maturity that does not follow from them. How far it is
        // kept depends on the harm that each merge sees.
        let derived = ["maturity:", "state:", "promoted_at:", "deprecation_reason:", "replaced_by:"];
        let without = |text: &str| -> Vec<String> {
            let is_derived = |line: &&str| derived.iter().any(|key| line.starts_with(key));
            let mut lines: Vec<String> = text.lines().filter(|line| !is_derived(line)).map(str::to_owned).collect();
            // New tables and entries of several sides stand in the order in which they met.
            if matches!(path.as_str(), "cm.toml" | ".gitignore" | ".gitattributes") {
                lines.sort();
                lines.dedup();
            }
            lines
        };
        let orders = orders.map(|text| without(&text));
        prop_assert_eq!(&orders[0], &orders[1], "{:#?}", sides);
        prop_assert_eq!(&orders[0], &orders[2], "{:#?}", sides);
    }

    #[test]
    fn any_three_texts_merge_and_no_side_is_preferred(
        base in soup(), ours in soup(), theirs in soup(), path in "(graph/facts|episodes|playbook/x|notes)/a\\.md|cm\\.toml|x\\.txt|\\.gitignore",
    ) {
        let one = merge(&path, &base, &ours, &theirs, Clash::Leftover);
        prop_assert_eq!(&one, &merge(&path, &base, &theirs, &ours, Clash::Leftover));
        merge(&path, &base, &ours, &theirs, Clash::Markers);
    }
}

/// Text that looks like parts of notes.
fn soup() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("---\n"),
        Just("id: a\n"),
        Just("tags: [a, b]\n"),
        Just("tags: c\n"),
        Just("tags:\n  - a\n  - d\n"),
        Just("updated: 2026-11-01\n"),
        Just("updated: 2026-11-02\n"),
        Just("# x\n"),
        Just("## 10:00 - x\n"),
        Just("```\n"),
        Just("\n"),
        Just("a b c\n"),
        Just("a\r\n"),
        Just("| a |\n"),
        Just("- a\n"),
        Just("- [ ] a\n"),
        Just("- [x] a b\n"),
        Just("| a | 1 |\n"),
        Just("k: {a: [1]}\n"),
        Just("k: &x y\n"),
        Just("l: *x\n"),
        Just("feedback: [{at: 2026-11-01, signal: helpful}]\n"),
        Just("\u{feff}"),
        Just("x = 1\n"),
        Just("[t]\n"),
        Just("state: draft\n"),
        Just("state: retired\n"),
        Just("maturity: proven\n"),
        Just("é"),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

trait ConcatSets<'t> {
    fn concat_sets(self) -> BTreeSet<&'t str>;
}

impl<'t, const N: usize> ConcatSets<'t> for [BTreeSet<&'t str>; N] {
    fn concat_sets(self) -> BTreeSet<&'t str> {
        self.into_iter().flatten().collect()
    }
}
