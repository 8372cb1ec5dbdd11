//! Properties of edits on generated frontmatter, and exact results of single edits.
//!
//! The golden corpus covers hand-written frontmatter.

use proptest::prelude::*;
use yaml_serde::{Mapping, Value};

use super::*;
use crate::frontmatter::layout::YamlLayout;
use crate::frontmatter::parse::parse;

fn set(key: &str, value: impl Into<Value>) -> Edit {
    Edit::Set { key: key.to_owned(), value: value.into() }
}

fn push(key: &str, item: impl Into<Value>) -> Edit {
    Edit::Push { key: key.to_owned(), item: item.into() }
}

fn pull(key: &str, item: impl Into<Value>) -> Edit {
    Edit::Pull { key: key.to_owned(), item: item.into() }
}

fn event() -> Value {
    yaml_serde::from_str("{at: 2026-11-01T09:30:00Z, signal: helpful, weight: 1}").unwrap()
}

#[track_caller]
fn edits(yaml: &str, edit: Edit, expected: &str) {
    let file = |yaml: &str| format!("---\n{yaml}---\nBody");
    assert_eq!(apply(&file(yaml), &[edit]).unwrap(), file(expected));
}

#[test]
fn a_value_changes_between_its_blanks_and_its_comment() {
    edits("a:   1   # c\nb: 2\n", set("a", 7), "a:   7   # c\nb: 2\n");
    edits("a: \"x\"\n", set("a", "y"), "a: \"y\"\n");
    edits("a: 'x'\n", set("a", "y"), "a: 'y'\n");
    edits("a: # todo\n", set("a", "z"), "a: z # todo\n");
    edits("updated: 2026-01-01\n", set("updated", "2026-02-01"), "updated: 2026-02-01\n");
    edits("a: |\n  x\n  y\n# c\nb: 1\n", set("a", "z"), "a: z\n# c\nb: 1\n");
    edits("a: x # c\n", set("a", "p\nq"), "a: |- # c\n  p\n  q\n");
}

#[test]
fn lists_keep_the_way_they_are_written() {
    edits("tags: [a,b] # c\n", push("tags", "x"), "tags: [a,b, x] # c\n");
    edits("tags:\n-   a\n# c\n", push("tags", "x"), "tags:\n-   a\n-   x\n# c\n");
    edits("tags:\n  - a # one\n  # two\n  - b\n", pull("tags", "a"), "tags:\n  # two\n  - b\n");
    edits("tags: [a, b, c]\n", pull("tags", "b"), "tags: [a, c]\n");
    edits("tags: [a]\nb: 1\n", pull("tags", "a"), "b: 1\n");
    edits("tags: a, b\n", push("tags", "c"), "tags: [a, b, c]\n");
    edits("b: 1\n", push("tags", "c: d"), "b: 1\ntags: ['c: d']\n");
    edits("tags:\n  - a\n", set("tags", vec!["x", "z"]), "tags:\n  - x\n  - z\n");
    edits("tags: [a]\n", push("tags", "a"), "tags: [a]\n");
}

#[test]
fn a_removed_key_leaves_nothing_that_would_join_the_block_above() {
    let remove = |key: &str| Edit::Remove { key: key.to_owned() };
    edits("a: |\n  x\nb: 1\n  # about b\n# c\n", remove("b"), "a: |\n  x\n# c\n");
    edits("a: |+\n  x\n\nb: |+\n  y\n\n", remove("b"), "a: |+\n  x\n\n");
    edits("a: 1\nb: 1\n  # kept\n", remove("b"), "a: 1\n  # kept\n");
}

#[test]
fn events_are_pushed_as_compact_items() {
    let item = "  - at: 2026-11-01T09:30:00Z\n    signal: helpful\n    weight: 1\n";
    edits("a: 1\n", push("feedback", event()), &format!("a: 1\nfeedback:\n{item}"));
    edits("feedback: []\n", push("feedback", event()), &format!("feedback:\n{item}"));
    edits("feedback:\n  - at: x\n", push("feedback", event()), &format!("feedback:\n  - at: x\n{item}"));
}

#[test]
fn a_note_without_frontmatter_gets_one() {
    let new = apply("\u{feff}# T\r\n\r\nbody", &[set("id", "x"), set("title", "T")]).unwrap();
    assert_eq!(new, "\u{feff}---\r\nid: x\r\ntitle: T\r\n---\r\n# T\r\n\r\nbody");
    assert_eq!(apply("", &[set("a", 1)]).unwrap(), "---\na: 1\n---\n");
}

#[test]
fn bodies_change_without_the_frontmatter() {
    let body = |text: &str| Edit::SetBody { text: text.to_owned() };
    let more = |text: &str| Edit::AppendBody { text: text.to_owned() };
    let note = "---\r\na: 1 # c\r\n---\r\nold";
    assert_eq!(apply(note, &[body("x\ny\n")]).unwrap(), "---\r\na: 1 # c\r\n---\r\nx\r\ny\r\n");
    assert_eq!(apply(note, &[more("x\n")]).unwrap(), "---\r\na: 1 # c\r\n---\r\nold\r\nx\r\n");
    assert_eq!(apply("---\na: 1\n---", &[more("x")]).unwrap(), "---\na: 1\n---\nx");
    assert_eq!(apply("a\n", &[more("x")]).unwrap(), "a\nx");
    assert_eq!(apply("a\n", &[body("---\na: 1\n---\n")]), Err(EditError::BodyOpensFrontmatter));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_line() {
    let refused = |yaml: &str, edit: Edit| apply(&format!("---\n{yaml}---\n"), &[edit]).unwrap_err();
    assert_eq!(refused("a: &x 1\nb: *x\n", set("a", 2)), EditError::Entangled { key: "a".into(), line: 2 });
    assert_eq!(refused("c: 1\na: {b: 1}\n", push("a", 2)), EditError::NotAList { key: "a".into(), line: 3 });
    assert!(matches!(refused("a: 1\n", set("<<", 2)), EditError::BadKey { .. }));
    assert!(matches!(refused("a: 1\n", set("a\nb", 2)), EditError::BadKey { .. }));
    let error = refused("a: 1\na: 2\n", set("b", 2));
    assert_eq!((error.line(), error.column()), (Some(3), Some(1)));
    assert!(!error.hint().is_empty());
}

const VALUES: &[&str] = &[
    " 1",
    " word",
    " two words # comment",
    "",
    " # comment",
    " 'it''s'",
    " \"a \\\" b: #\"",
    " \"over\n  lines: x\"",
    " plain\n  goes on\n   \"here",
    "\n  on its own line",
    " [a, 'b, c', it's] # c",
    " [\n  a, # c\n  b,\n]",
    " []",
    " {x: 1, y: [2]}",
    " {}",
    "\n  - a\n  - b # c",
    "\n- a\n\n# between\n- b",
    "\n  - x: 1\n    y: |\n      - z\n      \"\n  - x: 2",
    "\n  - - 1\n    - 2\n  - [3, {a: b}]",
    "\n  - \"a\n    b\"\n  -\n    c",
    "\n  x: 1\n  # c\n  y:\n    z: [1,\n  2]",
    " |\n  text\n  # no comment\n\n  more: [",
    " >-\n   folded\n   text",
    " |+\n  kept\n\n",
    " |2-\n    deep\n  x",
    " &anchor word",
    " !!str 12",
    " [[Note]]",
    "\t tab",
    " https://x.y:80/#z",
    " 2026-01-01",
];

const BETWEEN: &[&str] = &["", "", "", "# comment\n", "\n", "  # deep: [ \"\n", "#\n\n# x: y\n"];

fn frontmatter() -> impl Strategy<Value = (Vec<String>, String)> {
    let entry = (prop::sample::select(VALUES), prop::sample::select(BETWEEN));
    let names = ["title", "tags", "a b", "\"q: r\"", "ü", "x-y", "n1", "'s'", "zz", "list"];
    (
        prop::collection::vec(entry, 0..names.len()),
        any::<bool>(),
        any::<bool>(),
        prop::sample::select(BETWEEN),
    )
        .prop_map(move |(entries, crlf, bom, last)| {
            let mut yaml = String::new();
            for (name, (value, between)) in names.iter().zip(&entries) {
                yaml.push_str(&format!("{between}{name}:{value}\n"));
            }
            yaml.push_str(last);
            let mut text = format!("---\n{yaml}---\nBody\n\n---\ntitle: no\n---");
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            if bom {
                text.insert(0, '\u{feff}');
            }
            let keys = names[..entries.len()].iter().map(|name| name.trim_matches(['"', '\'']).to_owned());
            (keys.collect(), text)
        })
}

fn new_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<String>().prop_map(Value::from),
        "[ -~\n]{0,20}".prop_map(Value::from),
        prop::sample::select(VALUES).prop_map(|yaml| {
            let whole: Value = yaml_serde::from_str(&format!("k:{yaml}\n")).unwrap();
            whole["k"].clone()
        }),
        Just(event()),
        prop::collection::vec("[ -~]{0,8}", 0..4).prop_map(|items| items
            .into_iter()
            .map(Value::from)
            .collect::<Vec<_>>()
            .into()),
    ]
}

fn says(text: &str) -> Mapping {
    yaml_serde::from_str(Split::of(text).yaml().unwrap_or("")).unwrap()
}

fn own_bytes<'a>(text: &'a str, without: &str) -> Vec<&'a str> {
    let yaml = Split::of(text).yaml().unwrap_or("");
    let layout = YamlLayout::of(yaml);
    assert!(!layout.broken, "{text:?}");
    let others = layout.entries.into_iter().filter(|entry| entry.key != without);
    others.map(|entry| &yaml[entry.span]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn an_edit_does_what_it_says_and_nothing_else(
        (keys, text) in frontmatter(),
        pick in any::<prop::sample::Index>(),
        value in new_value(),
        how in 0..5,
    ) {
        let before = says(&text);
        let mut choice = keys;
        choice.push("new key".to_owned());
        let key = pick.get(&choice).clone();
        let mut expected = before.clone();
        let old: Option<Vec<Value>> = match before.get(&key) {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::Sequence(items)) => Some(items.clone()),
            Some(_) => None,
        };
        let edit = match (how, old) {
            (0, _) => {
                expected.shift_remove(&key);
                Edit::Remove { key: key.clone() }
            }
            (1, Some(mut items)) => {
                if !items.contains(&value) {
                    items.push(value.clone());
                    expected.insert(key.clone().into(), items.into());
                }
                push(&key, value)
            }
            (2, Some(mut items)) if !items.is_empty() => {
                let item = items[0].clone();
                items.retain(|known| *known != item);
                if items.is_empty() {
                    expected.shift_remove(&key);
                } else {
                    expected.insert(key.clone().into(), items.into());
                }
                pull(&key, item)
            }
            _ => {
                expected.insert(key.clone().into(), value.clone());
                set(&key, value)
            }
        };
        let new = apply(&text, std::slice::from_ref(&edit)).unwrap();
        prop_assert_eq!(says(&new), expected, "{:?}\n{:?}\n{:?}", edit, text, new);
        prop_assert_eq!(Split::of(&new).body(), Split::of(&text).body());
        prop_assert_eq!(own_bytes(&new, &key), own_bytes(&text, &key), "{:?}\n{:?}\n{:?}", edit, text, new);
        prop_assert_eq!(new.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
    }

    #[test]
    fn no_text_makes_it_panic(soup in "(---\n)?([-:#'\"\\[\\]{}|>&*!?,%@ \t\r\n\u{feff}\u{2028}aé1~<]|---\n|\\.\\.\\.\n|a: |b:\n|  - |: \\|\n| # )*", key in "a|b|[a-z ]{0,2}") {
        let split = Split::of(&soup);
        let _ = parse(&split);
        for edit in [set(&key, "x"), set(&key, vec!["y"]), push(&key, "x"), pull(&key, "a"), Edit::Remove { key: key.clone() }] {
            if let Ok(new) = apply(&soup, std::slice::from_ref(&edit)) {
                prop_assert!(new == soup || Split::of(&new).yaml().is_some());
                prop_assert!(new.ends_with(split.body()));
            }
        }
        let _ = apply(&soup, &[Edit::AppendBody { text: soup.clone() }, Edit::SetBody { text: soup.clone() }]);
    }

    #[test]
    fn no_bytes_make_it_panic(text in any::<String>()) {
        let text = format!("---\n{text}\n---\n{text}");
        let _ = parse(&Split::of(&text));
        let _ = apply(&text, &[set("a", 1), push("b", text.clone())]);
    }
}

#[test]
fn replaced_lines_are_found_by_their_text_also_where_other_lines_changed() {
    let edits = line_edits("---\na: 1\n---\nx\r\ny\nx", "---\na: 2\n---\nX\r\ny\nz").unwrap();
    assert_eq!(apply("---\na: 1\n---\nx\r\ny\nx", &edits).unwrap(), "---\na: 2\n---\nX\r\ny\nz");
    assert_eq!(apply("---\nb: 1\na: 1\n---\nnew\nx\n", &edits).unwrap(), "---\nb: 1\na: 2\n---\nnew\nX\n");
    assert_eq!(line_edits("a\n", "a\nb\n"), None);
    let opens = [Edit::ReplaceLine { line: "x".into(), nth: 0, with: "---".into() }];
    assert_eq!(apply("x\na: 1\n---\n", &opens), Err(EditError::BodyOpensFrontmatter));
}

proptest! {
    #[test]
    fn line_edits_turn_one_text_into_the_other(lines in prop::collection::vec(("[ab]{0,2}", "[ab]{0,2}"), 0..8)) {
        let text = |which: fn(&(String, String)) -> &str| lines.iter().map(|pair| format!("{}\n", which(pair))).collect::<String>();
        let (before, after) = (text(|pair| &pair.0), text(|pair| &pair.1));
        prop_assert_eq!(apply(&before, &line_edits(&before, &after).unwrap()).unwrap(), after);
    }
}
