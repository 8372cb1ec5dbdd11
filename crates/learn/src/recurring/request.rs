//! Finds instructions that a person repeats in several sessions, near in meaning.
//!
//! The caller supplies the sentences, their embeddings, and the judgement whether a sentence is an
//! instruction; a task that is requested twice is none.

use std::collections::BTreeSet;

use super::support::Occurrence;
use cm_text::embedding::Embedding;

/// A sentence that a person typed.
#[derive(Debug, Clone)]
pub struct RequestSentence {
    /// Number of the conversation, which forks share.
    pub conversation: u64,
    /// Where it was typed; its quote is the sentence.
    pub place: Occurrence,
    /// Embedding of the sentence.
    pub vector: Embedding,
}

/// Sentences of several conversations that ask for the same.
#[derive(Debug, Clone)]
pub struct RepeatedRequest {
    /// The sentences in the order of time, one a conversation.
    pub places: Vec<Occurrence>,
}

/// Groups the instructions whose cosine with the first of their group is at least `threshold` (0–1),
/// and returns the groups from two or more conversations, in the order of time. Identical texts count
/// once, because prompts are pasted.
pub fn repeated_requests(
    sentences: &[RequestSentence],
    threshold: f64,
    is_instruction: &dyn Fn(&str) -> bool,
) -> Vec<RepeatedRequest> {
    let mut ordered: Vec<&RequestSentence> =
        sentences.iter().filter(|sentence| is_instruction(&sentence.place.quote)).collect();
    ordered.sort_by(|one, other| one.place.cmp(&other.place));
    let mut groups: Vec<Vec<&RequestSentence>> = Vec::new();
    for sentence in ordered {
        let nearest = groups
            .iter_mut()
            .filter_map(|group| {
                let cosine = group.first()?.vector.cosine(&sentence.vector);
                (cosine >= threshold).then_some((cosine, group))
            })
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        match nearest {
            Some((_, group)) => group.push(sentence),
            None => groups.push(vec![sentence]),
        }
    }
    let repeated = groups.into_iter().filter_map(|group| {
        let (mut conversations, mut texts) = (BTreeSet::new(), BTreeSet::new());
        let fresh = |sentence: &&RequestSentence| {
            texts.insert(sentence.place.quote.to_lowercase()) && conversations.insert(sentence.conversation)
        };
        let places: Vec<Occurrence> =
            group.into_iter().filter(fresh).map(|sentence| sentence.place.clone()).collect();
        (places.len() >= 2).then_some(RepeatedRequest { places })
    });
    repeated.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::instant::Instant;

    fn sentence(conversation: u64, text: &str, vector: [f32; 2]) -> RequestSentence {
        let place = Occurrence {
            at: Some(Instant::from_unix(conversation as i64 * 100)),
            agent: "codex".to_owned(),
            session: format!("s{conversation}"),
            line: 1,
            quote: text.to_owned(),
        };
        RequestSentence { conversation, place, vector: Embedding::of(vector.to_vec()).unwrap() }
    }

    #[test]
    fn what_is_requested_in_two_sessions_in_other_words_is_one_request() {
        let sentences = [
            sentence(2, "please run make fmt first", [0.9, 0.1]),
            sentence(1, "always run make fmt", [1.0, 0.0]),
            sentence(3, "add a button", [0.0, 1.0]),
            sentence(3, "ADD a button", [0.0, 1.0]),
            sentence(4, "add a button", [0.0, 1.0]),
        ];
        let all = repeated_requests(&sentences, 0.8, &|_| true);
        assert_eq!(all.len(), 1, "a pasted text counts once");
        let texts: Vec<&str> = all[0].places.iter().map(|place| place.quote.as_str()).collect();
        assert_eq!(texts, ["always run make fmt", "please run make fmt first"]);
        assert!(repeated_requests(&sentences, 0.8, &|text| text.starts_with("add")).is_empty());
    }
}
