//! Tests of the complete transformer model.

use super::super::transformer::FEATURES;
use super::*;

#[test]
fn a_text_without_tokens_means_nothing() {
    let model = MiniLm::builtin();
    assert_eq!(model.embed(&[]).unwrap(), []);
    assert_eq!(model.embed(&["", "\n"]).unwrap(), [Embedding::zero(FEATURES), Embedding::zero(FEATURES)]);
}

#[test]
fn a_text_means_the_same_in_any_company() {
    let model = MiniLm::builtin();
    let long = "a long text of many words ".repeat(60);
    let texts = ["Deploy on Fridays", "", &long, "Never deploy on a Friday", &long];
    let together = model.embed(&texts).unwrap();
    let alone = model.embed_query(texts[3]).unwrap();
    assert!(together[3].cosine(&alone) > 0.99999);
    assert!(together[2].cosine(&together[4]) > 0.99999);
    assert_eq!(together[1], Embedding::zero(FEATURES));
    assert!(together[0].cosine(&together[3]) > together[0].cosine(&together[2]));
}

#[test]
fn no_more_than_the_first_tokens_are_read() {
    let tokens = marked(&"word ".repeat(400));
    assert_eq!(tokens.len(), MAX_TOKENS);
    assert_eq!((tokens[0], tokens[MAX_TOKENS - 1]), (BEGIN, END));
}

#[test]
fn damaged_weights_are_refused_with_the_reason() {
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut weights = MINILM.to_vec();
        change(&mut weights);
        MiniLm::read(weights.leak())
    };
    for (damage, reason) in [
        (changed(|weights| weights.truncate(3)), "4 bytes expected, but only 3 left"),
        (changed(|weights| weights[0] = b'X'), "its header has"),
        (changed(|weights| weights[4] = 0), "its header has"),
        (changed(|weights| weights.truncate(9_000_000)), "bytes expected"),
        (changed(|weights| weights.push(0)), "1 unexpected bytes after its end"),
    ] {
        let Err(Error::Damaged { model, why }) = damage else { panic!("{reason}") };
        assert_eq!(model, NAME);
        assert!(why.contains(reason), "{why}");
    }
}

#[test]
fn weights_that_are_no_numbers_give_an_error_and_no_vector() {
    let mut weights = MINILM.to_vec();
    // What is applied to the sum of the token's and the place's vector comes after the head and these two.
    let norm = 36 + wordpiece::size() * (12 + FEATURES / 2) + 512 * (2 + FEATURES);
    weights[norm..norm + 4].fill(0xFF);
    let model = MiniLm::read(weights.leak()).unwrap();
    let error = model.embed_query("text").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model `builtin/minilm-l6` is damaged: it returned a value that is not a number"
    );
}

#[test]
fn sentences_of_one_wording_are_nearer_by_wording_than_by_subject() {
    let model = MiniLm::builtin();
    let texts = ["Never deploy on a Friday.", "Never commit the lock file.", "Did you deploy on Friday?"];
    let (wording, subject) = (model.embed_wording(&texts).unwrap(), model.embed(&texts).unwrap());
    let lead = |vectors: &[Embedding]| vectors[0].cosine(&vectors[1]) - vectors[0].cosine(&vectors[2]);
    assert!(lead(&wording) > lead(&subject));
    assert_eq!(model.embed_wording(&[""]).unwrap(), [Embedding::zero(FEATURES)]);
}
