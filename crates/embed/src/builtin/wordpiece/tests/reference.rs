//! Compares the tokens of ten thousand texts with those of the reference tokenizer.

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{Model, NormalizedString, Normalizer, OffsetReferential, OffsetType};
use tokenizers::{PreTokenizedString, PreTokenizer};

use super::super::{Token, tokens};
use crate::builtin::texts::Texts;

/// The tokenizer that the models were trained with.
struct Reference {
    normalizer: BertNormalizer,
    pieces: WordPiece,
}

impl Reference {
    fn new() -> Self {
        let vocabulary = include_bytes!("../../../../../../assets/vocab.txt");
        let vocabulary = WordPiece::read_bytes(vocabulary).unwrap();
        let pieces = WordPiece::builder().vocab(vocabulary).build().unwrap();
        Self { normalizer: BertNormalizer::default(), pieces }
    }

    fn tokens(&self, text: &str) -> Vec<Token> {
        let mut normal = NormalizedString::from(text);
        self.normalizer.normalize(&mut normal).unwrap();
        let mut words = PreTokenizedString::from(normal);
        BertPreTokenizer.pre_tokenize(&mut words).unwrap();
        let words = words.get_splits(OffsetReferential::Normalized, OffsetType::Byte);
        let tokens = words.iter().flat_map(|(word, _, _)| self.pieces.tokenize(word).unwrap());
        tokens.map(|token| token.id as Token).collect()
    }
}

#[test]
fn ten_thousand_texts_of_many_scripts_are_cut_as_the_reference_cuts_them() {
    let reference = Reference::new();
    let (mut known, mut all) = (0, 0);
    for text in Texts::new().take(10_000) {
        let expected = reference.tokens(&text);
        assert_eq!(tokens(&text, usize::MAX), expected, "{text:?}");
        known += expected.iter().filter(|token| **token != super::super::UNKNOWN).count();
        all += expected.len();
    }
    assert!(known * 2 > all && all > 100_000, "the texts hold words that are known: {known} of {all}");
}
