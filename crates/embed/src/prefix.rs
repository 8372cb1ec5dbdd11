//! Instruction prefixes that some models require for questions and passages, by model name.
//!
//! Models that were trained with prefixes find less without them; other models get none.

/// Prefixes for questions and passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefixes {
    /// Prefix of questions.
    pub query: &'static str,
    pub passage: &'static str,
}

const NONE: Prefixes = Prefixes { query: "", passage: "" };
const SENTENCE: &str = "Represent this sentence for searching relevant passages: ";

/// Parts of model names with their prefixes. The first match applies.
const TABLE: [(&str, Prefixes); 10] = [
    ("bge-m3", NONE),
    ("-instruct", NONE),
    ("-zh-", Prefixes { query: "为这个句子生成表示以用于检索相关文章：", passage: "" }),
    ("nomic-embed-text", Prefixes { query: "search_query: ", passage: "search_document: " }),
    ("modernbert-embed", Prefixes { query: "search_query: ", passage: "search_document: " }),
    ("bge-", Prefixes { query: SENTENCE, passage: "" }),
    ("mxbai-embed", Prefixes { query: SENTENCE, passage: "" }),
    ("arctic-embed2", Prefixes { query: "query: ", passage: "" }),
    ("arctic-embed", Prefixes { query: SENTENCE, passage: "" }),
    ("e5-", Prefixes { query: "query: ", passage: "passage: " }),
];

impl Prefixes {
    /// Returns the prefixes of a model, by a name such as `BAAI/bge-small-en-v1.5` or
    /// `nomic-embed-text:latest`.
    pub fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
        TABLE.iter().find(|(part, _)| name.contains(part)).map_or(NONE, |(_, prefixes)| *prefixes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_get_the_words_that_they_were_trained_with() {
        let of = |model| (Prefixes::of(model).query, Prefixes::of(model).passage);
        for model in ["nomic-embed-text:latest", "nomic-ai/nomic-embed-text-v1.5", "nomic-embed-text-v1.5-q"]
        {
            assert_eq!(of(model), ("search_query: ", "search_document: "), "{model}");
        }
        for model in
            ["BAAI/bge-small-en-v1.5", "bge-large:335m", "mxbai-embed-large", "snowflake-arctic-embed:33m"]
        {
            assert_eq!(of(model), (SENTENCE, ""), "{model}");
        }
        for model in ["intfloat/multilingual-e5-small", "e5-base-v2"] {
            assert_eq!(of(model), ("query: ", "passage: "), "{model}");
        }
        assert_eq!(of("bge-small-zh-v1.5").0, "为这个句子生成表示以用于检索相关文章：");
        for model in
            ["all-MiniLM-L6-v2", "bge-m3", "text-embedding-3-small", "e5-mistral-7b-instruct", "bge-x/other"]
        {
            assert_eq!(of(model), ("", ""), "{model}");
        }
    }
}
