//! Two readers of one session: what the better reader took from a sentence replaces what the
//! classifier took from it, so that no sentence becomes two notes.

use super::draft::ReflectionDraft;
use super::stated::share_a_sentence;
use crate::statement::Certainty;

/// Combines the drafts of a better reader with those of the classifier. Of two drafts from one
/// sentence the reader's remains, unless only the classifier's is certain.
pub fn without_double_reading(
    reader: Vec<ReflectionDraft>,
    classifier: Vec<ReflectionDraft>,
) -> Vec<ReflectionDraft> {
    let is_certain = |draft: &ReflectionDraft| draft.certainty == Some(Certainty::High);
    let is_beaten = |own: &ReflectionDraft| {
        !is_certain(own) && classifier.iter().any(|other| is_certain(other) && is_from_same_words(own, other))
    };
    let mut drafts: Vec<ReflectionDraft> = reader.into_iter().filter(|draft| !is_beaten(draft)).collect();
    let further: Vec<ReflectionDraft> = classifier
        .into_iter()
        .filter(|other| drafts.iter().all(|draft| !is_from_same_words(draft, other)))
        .collect();
    drafts.extend(further);
    drafts
}

/// Whether two drafts propose a new note from the same sentence of a session.
fn is_from_same_words(one: &ReflectionDraft, other: &ReflectionDraft) -> bool {
    let both_new = one.new_text().is_some() && other.new_text().is_some();
    let session = |draft: &ReflectionDraft| draft.origins.first().map(|origin| origin.session.clone());
    let quotes = one.quote.as_deref().zip(other.quote.as_deref());
    both_new && session(one) == session(other) && quotes.is_some_and(|(a, b)| share_a_sentence(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::draft::{DraftChange, DraftOrigin, ProposedMemory};

    fn draft(text: &str, quote: &str, certainty: Option<Certainty>) -> ReflectionDraft {
        let memory = ProposedMemory {
            note_type: "fact",
            text: text.into(),
            observations: 1,
            confidence: 0.4,
            evidence: Vec::new(),
            is_acknowledged: false,
        };
        let origin = DraftOrigin { session: "s".into(), agent: "pi".into(), line: 1 };
        let draft = ReflectionDraft::new(DraftChange::Memory(memory), vec![origin], 1);
        ReflectionDraft { certainty, quote: Some(quote.into()), ..draft }
    }

    fn texts(reader: Vec<ReflectionDraft>, classifier: Vec<ReflectionDraft>) -> Vec<String> {
        let drafts = without_double_reading(reader, classifier);
        drafts.iter().filter_map(ReflectionDraft::new_text).map(str::to_owned).collect()
    }

    #[test]
    fn the_readers_wording_wins_unless_only_the_words_themselves_are_certain() {
        let raw = |certainty| draft("raw", "From now on we always use pnpm here.", Some(certainty));
        let worded = |certainty| draft("worded", "we always use pnpm here", certainty);
        assert_eq!(texts(vec![worded(Some(Certainty::High))], vec![raw(Certainty::High)]), ["worded"]);
        assert_eq!(texts(vec![worded(None)], vec![raw(Certainty::Medium)]), ["worded"]);
        assert_eq!(texts(vec![worded(None)], vec![raw(Certainty::High)]), ["raw"]);
        let other = draft("other", "Staging has 2 GB of memory.", Some(Certainty::High));
        assert_eq!(texts(vec![worded(None)], vec![other]), ["worded", "other"]);
    }
}
