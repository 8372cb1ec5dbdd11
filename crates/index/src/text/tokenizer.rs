//! Adapts the domain's tokenizer to the search library.

use tantivy::tokenizer::{
    RawTokenizer, TextAnalyzer, Token, TokenStream, Tokenizer as TantivyTokenizer, TokenizerManager,
};

use cm_text::tokens::Tokenizer;

/// Name of the tokenizer for running text.
pub(crate) const TEXT: &str = "text";
/// Name of the tokenizer that leaves values unchanged.
pub(crate) const RAW: &str = "raw";

pub(crate) fn manager() -> TokenizerManager {
    let manager = TokenizerManager::new();
    manager.register(TEXT, TextAnalyzer::builder(TextTokenizer::default()).build());
    // The library asks for it by name for fields that hold no text at all.
    manager.register("default", TextAnalyzer::builder(RawTokenizer::default()).build());
    manager.register(RAW, TextAnalyzer::builder(RawTokenizer::default()).build());
    manager
}

/// Tokenizer for running text.
#[derive(Clone, Default)]
struct TextTokenizer(Tokenizer, Token);

/// Token stream of one text.
struct Stream<'a> {
    tokenizer: &'a mut Tokenizer,
    token: &'a mut Token,
    text: &'a str,
    at: usize,
    /// Position of the first token of the current unit.
    base: usize,
    next: usize,
}

impl TantivyTokenizer for TextTokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        let Self(tokenizer, token) = self;
        tokenizer.clear_unit();
        Stream { tokenizer, token, text, at: 0, base: 0, next: 0 }
    }
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        while self.next >= self.tokenizer.unit().len() {
            self.base += self.tokenizer.unit().width() as usize;
            self.next = 0;
            if self.tokenizer.next_unit(self.text, &mut self.at).is_none() {
                return false;
            }
        }
        let token = self.tokenizer.unit().token(self.next);
        self.token.text.clear();
        self.token.text.push_str(token.text);
        self.token.offset_from = token.from;
        self.token.offset_to = token.to;
        self.token.position = self.base + token.position as usize;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_is_given_the_tokens_of_the_domain() {
        let text = "use SocketKeepAlive, not --no-verify in C++ 日本語.";
        let mut expected = Vec::new();
        Tokenizer::default().each(text, |token| {
            expected.push((token.text.to_owned(), token.from, token.to, token.position as usize));
        });
        let mut analyzer = manager().get(TEXT).unwrap();
        for _ in 0..2 {
            let mut seen = Vec::new();
            analyzer.token_stream(text).process(&mut |token| {
                seen.push((token.text.clone(), token.offset_from, token.offset_to, token.position));
            });
            assert_eq!(seen, expected);
        }
    }
}
