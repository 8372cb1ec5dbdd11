//! Tests of the complete multilingual model.

use super::super::transformer::FEATURES;
use super::*;

#[test]
fn a_text_without_tokens_means_nothing() {
    let model = E5Small::builtin();
    assert_eq!(model.embed(&[]).unwrap(), []);
    assert_eq!(model.embed(&["", "\n"]).unwrap(), [Embedding::zero(FEATURES), Embedding::zero(FEATURES)]);
}

#[test]
fn questions_and_passages_have_their_own_prefixes() {
    let model = E5Small::builtin();
    let words = |prefix, text| unigram::tokens(&model.pieces, &format!("{prefix}: {text}"), 99);
    for (prefix, word) in [(model.prefixes.query, "query"), (model.prefixes.passage, "passage")] {
        let marked = model.marked(prefix, "two words");
        assert_eq!((marked[0], marked.last()), (BEGIN, Some(&END)));
        assert_eq!(marked[1..marked.len() - 1], words(word, "two words"));
    }
}

#[test]
fn no_more_than_the_first_tokens_are_read() {
    let tokens = E5Small::builtin().marked("passage: ", &"word ".repeat(800));
    assert_eq!(tokens.len(), MAX_TOKENS);
    assert_eq!((tokens[0], tokens[MAX_TOKENS - 1]), (BEGIN, END));
}

#[test]
fn a_question_finds_its_answer_in_another_language() {
    let model = E5Small::builtin();
    let notes = ["Die Datenbank läuft voll, weil alte Protokolle bleiben.", "配置文件使用制表符而不是空格。"];
    let notes = model.embed(&notes).unwrap();
    let nearest = |question: &str| {
        let question = model.embed_query(question).unwrap();
        usize::from(question.cosine(&notes[1]) > question.cosine(&notes[0]))
    };
    assert_eq!(nearest("Why is the database full?"), 0);
    assert_eq!(nearest("do we indent with tabs or spaces?"), 1);
}

#[test]
fn damaged_weights_are_refused_with_the_reason() {
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut weights = E5_SMALL.to_vec();
        change(&mut weights);
        E5Small::read(weights.leak(), E5_PIECES)
    };
    for (damage, reason) in [
        (changed(|weights| weights.truncate(3)), "4 bytes expected, but only 3 left"),
        (changed(|weights| weights[12] = 6), "its header has 6, expected 12"),
        (changed(|weights| weights.truncate(9_000_000)), "bytes expected"),
        (changed(|weights| weights.push(0)), "1 unexpected bytes after its end"),
        (E5Small::read(E5_SMALL, &E5_PIECES[..9]), "bytes expected"),
    ] {
        let Err(Error::Damaged { model, why }) = damage else { panic!("{reason}") };
        assert_eq!(model, NAME);
        assert!(why.contains(reason), "{why}");
    }
}
