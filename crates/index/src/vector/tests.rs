//! Tests of vector files: cosines, additions and recovery after damage.

use std::fs;

use proptest::prelude::*;

use super::rows::{header, stride};
use super::*;
use cm_note::passage::PassageSet;

fn embedding(parts: &[f32]) -> Embedding {
    Embedding::of(parts.to_vec()).unwrap()
}

fn key(number: u64) -> PassageKey {
    PassageKey::from_number(number)
}

fn write(vectors: &Vectors, rows: &[(u64, Embedding)], complete: Option<&IndexVersion>) {
    let dimension = rows.first().map_or(3, |(_, embedding)| embedding.dimension());
    let mut writer = vectors.writer("m/one", dimension).unwrap().unwrap();
    rows.iter().for_each(|(number, embedding)| writer.push(key(*number), embedding).unwrap());
    writer.finish(complete).unwrap();
}

fn some() -> Vec<(u64, Embedding)> {
    vec![(1, embedding(&[1.0, 0.0, 0.0])), (2, embedding(&[0.0, 1.0, 0.0])), (3, embedding(&[1.0, 1.0, 0.0]))]
}

proptest! {
    #[test]
    fn cosines_from_the_file_are_those_of_the_vectors(
        rows in proptest::collection::vec(proptest::collection::vec(-1.0f32..1.0, 131), 1..12),
        to in proptest::collection::vec(-1.0f32..1.0, 131),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let vectors = Vectors::open(folder.path());
        let rows: Vec<(u64, Embedding)> = rows.iter().zip(0..).map(|(row, at)| (at, embedding(row))).collect();
        write(&vectors, &rows, None);
        let scan = vectors.table("m/one", 131).unwrap().unwrap().scan(&embedding(&to));
        for ((number, row), (found, cosine)) in rows.iter().zip(scan.keys.iter().zip(&scan.cosines)) {
            prop_assert_eq!(*found, key(*number));
            prop_assert!((f64::from(*cosine) - row.cosine(&embedding(&to))).abs() < 0.01);
        }
    }
}

#[test]
fn no_sum_overflows_however_many_parts_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = Vectors::open(folder.path());
    let all = embedding(&vec![1.0; 4096]);
    write(&vectors, &[(7, all.clone())], None);
    let scan = vectors.table("m/one", 4096).unwrap().unwrap().scan(&all);
    assert!((scan.cosines[0] - 1.0).abs() < 0.01, "{:?}", scan.cosines);
}

#[test]
fn rows_are_added_and_the_seal_says_what_they_are_complete_for() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = Vectors::open(folder.path());
    assert!(vectors.table("m/one", 3).unwrap().is_none());
    write(&vectors, &some()[..1], None);
    assert_eq!(vectors.table("m/one", 3).unwrap().unwrap().complete(), None);
    write(&vectors, &some()[1..], Some(&"g1-7".to_owned()));
    let table = vectors.table("m/one", 3).unwrap().unwrap();
    assert_eq!((table.len(), table.complete().map(String::as_str)), (3, Some("g1-7")));
    assert_eq!(table.keys(), PassageSet::from_iter([key(1), key(2), key(3)]));
    let wanted = PassageSet::from_iter([key(3)]);
    assert!(table.vectors(&wanted)[0].1.cosine(&some()[2].1) > 0.999);
}

#[test]
fn vectors_of_one_model_are_never_taken_for_those_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = Vectors::open(folder.path());
    write(&vectors, &some(), None);
    assert!(vectors.table("m-one", 3).unwrap().is_none());
    assert!(vectors.table("m/one", 4).unwrap().is_none());
    assert!(vectors.table("m/one", 3).unwrap().unwrap().scan(&embedding(&[1.0])).keys.is_empty());
    assert_eq!(vectors.dimensions("m/one").len(), 1);
    vectors.forget("m/one").unwrap();
    assert!(vectors.table("m/one", 3).unwrap().is_none());
}

#[test]
fn a_damaged_row_is_left_out_and_cleared_away_by_the_next_writer() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = Vectors::open(folder.path());
    write(&vectors, &some(), None);
    let path = vectors.path("m/one", 3);
    let whole = fs::read(&path).unwrap();
    for length in whole.len() - 18..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(vectors.table("m/one", 3).unwrap().unwrap().len(), 2, "{length}");
    }
    write(&vectors, &some()[2..], None);
    assert_eq!(fs::read(&path).unwrap(), whole);
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        let table = vectors.table("m/one", 3).unwrap();
        let row = at.checked_sub(header("m/one", 3).len()).map(|at| at / stride(3));
        let kept =
            row.map(|row| PassageSet::from_iter((0..3).filter(|at| *at != row).map(|at| key(at as u64 + 1))));
        assert_eq!(table.map(|table| table.keys()), kept, "byte {at}");
        // What is added does not seal the damage with it.
        write(&vectors, &[], None);
        let mended = vectors.table("m/one", 3).unwrap().unwrap();
        assert_eq!(mended.keys(), kept.unwrap_or_default(), "byte {at}");
    }
}

#[test]
fn what_stands_in_the_way_of_its_files_is_cleared_away() {
    let root = tempfile::tempdir().unwrap();
    let vectors = Vectors::open(&root.path().join("vectors"));
    fs::write(root.path().join("vectors"), "no folder").unwrap();
    assert!(vectors.table("m/one", 3).unwrap().is_none());
    write(&vectors, &some(), None);
    for file in ["lock", "m-one-3.vectors", "m-one-3.seal"] {
        let file = root.path().join("vectors").join(file);
        fs::remove_file(&file).unwrap();
        fs::create_dir_all(file.join("inner")).unwrap();
        vectors.table("m/one", 3).unwrap();
        write(&vectors, &some(), None);
        assert_eq!(vectors.table("m/one", 3).unwrap().unwrap().keys().len(), 3);
    }
}

#[test]
fn what_is_no_longer_said_is_cleared_away() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = Vectors::open(folder.path());
    write(&vectors, &some(), None);
    let before = vectors.table("m/one", 3).unwrap().unwrap();
    let writer = vectors.writer("m/one", 3).unwrap().unwrap();
    writer.keep(&|key| key.number() == 2, None).unwrap();
    assert_eq!(vectors.table("m/one", 3).unwrap().unwrap().keys(), PassageSet::from_iter([key(2)]));
    assert_eq!(before.len(), 3, "who had it open still sees what was there");
}
