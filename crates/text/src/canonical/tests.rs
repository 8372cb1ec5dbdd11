//! Tests of canonical forms: labelled pairs with equal and with different forms, and arbitrary
//! text.

use proptest::prelude::*;

use super::*;

const PAIRS: [&str; 2] = [
    include_str!("../../../../tests/golden/same-pairs.tsv"),
    include_str!("../../../../tests/golden/same-pairs-unseen.tsv"),
];

fn pairs(of: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    of.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let [label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        (label, a, b)
    })
}

#[test]
fn no_two_statements_that_differ_have_one_form() {
    for (label, a, b) in PAIRS.into_iter().flat_map(pairs) {
        let equal = CanonicalForm::of(a) == CanonicalForm::of(b);
        assert!(!equal || label == "same", "{label}: {a} / {b}");
    }
}

#[test]
fn statements_that_say_the_same_mostly_have_one_form() {
    for (half, least) in PAIRS.into_iter().zip([0.9, 0.5]) {
        let same: Vec<_> = pairs(half).filter(|(label, ..)| *label == "same").collect();
        let apart: Vec<_> =
            same.iter().filter(|(_, a, b)| CanonicalForm::of(a) != CanonicalForm::of(b)).collect();
        let found = 1.0 - apart.len() as f64 / same.len() as f64;
        assert!(found >= least, "{found}: {apart:#?}");
    }
}

#[test]
fn a_statement_in_another_order_or_with_a_slip_is_the_same_one_rearranged() {
    let blocked = CanonicalForm::of("Retry a failed gauge request at once, up to five times.");
    for again in [
        "Retry a failed gauge request at once, up to 5 times",
        "Up to five times, retry a failed gauge request at once",
        "Retry a faild gauge requset at once, up to five times",
    ] {
        assert!(blocked.is_rearranged_or_misspelled(&CanonicalForm::of(again)), "{again}");
    }
    for other in [
        "Retry a failed gauge request at once, up to 50 times",
        "Never retry a failed gauge request at once, up to five times",
        "Retry a failed gauge request after a minute, up to five times",
    ] {
        assert!(!blocked.is_rearranged_or_misspelled(&CanonicalForm::of(other)), "{other}");
    }
    let copied = CanonicalForm::of("Copy the files from staging to production");
    assert!(
        !copied.is_rearranged_or_misspelled(&CanonicalForm::of("Copy the files from production to staging"))
    );
}

#[test]
fn numbers_and_negations_are_those_of_the_statement() {
    let form = CanonicalForm::of("Don't wait more than five minutes for v1.2");
    assert_eq!((form.numbers(), form.negations()), (vec!["1.2", "5"], 1));
}

proptest! {
    #[test]
    fn any_text_has_a_form_and_the_same_one_every_time(text in "\\PC{0,80}") {
        let form = CanonicalForm::of(&text);
        prop_assert!(!form.is_rearranged_or_misspelled(&form) || form == CanonicalForm::of(&text));
        prop_assert_eq!(CanonicalForm::of(&text), form);
    }

    #[test]
    fn another_number_is_another_form(a in 0..100_000u32, b in 0..100_000u32) {
        let of = |number: u32| CanonicalForm::of(&format!("Keep the last {number} builds"));
        prop_assert_eq!(of(a) == of(b), a == b);
    }
}

#[test]
fn brackets_of_intervals_and_the_letter_case_of_names_tell_statements_apart() {
    for (one, other) in [
        ("The window is [0, 1)", "The window is [0, 1]"),
        ("Valid values are (0, 5]", "Valid values are [0, 5]"),
        ("The limit is MAX_CONN", "The limit is max_conn"),
        ("Rename `Foo` in the parser", "Rename `foo` in the parser"),
        ("Deploy from feature/A", "Deploy from feature/a"),
        ("The path is in %HOME%", "The path is in $HOME"),
    ] {
        assert_ne!(CanonicalForm::of(one), CanonicalForm::of(other), "{one} / {other}");
    }
    for (one, other) in
        [("Run `pytest` first", "Run pytest first"), ("The range is [0,1)", "The range is [0, 1)")]
    {
        assert_eq!(CanonicalForm::of(one), CanonicalForm::of(other), "{one} / {other}");
    }
}
