//! Relevance of notes that are turns of a conversation.
//!
//! The answer to a question is often in the turn after the one that names the subject. A turn
//! therefore shares the relevance of its neighbours and of its conversation. A person's words weigh
//! more than an agent's, which are longer and repeat them.

use std::collections::HashMap;

use crate::note::turn::{Speaker, Turn};

/// Share of the better neighbour's relevance, one and two turns away.
const NEIGHBOUR_SHARE: f64 = 0.3;
const SECOND_NEIGHBOUR_SHARE: f64 = 0.1;
/// Share of the mean relevance of the conversation's best turns.
const CONVERSATION_SHARE: f64 = 0.7;
/// Number of these turns.
const BEST_TURNS: usize = 3;
/// Divisor that makes the relevance of a turn in a fitting conversation comparable with that of
/// other notes.
const CONVERSATION_DIVISOR: f64 = 1.6;
/// Factor for an agent's turns, unless the question asks for them.
const AGENT_FACTOR: f64 = 0.3;

/// A note's own relevance, and its place in a conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpokenNote {
    /// Relevance without context, 0–1.
    pub relevance: f64,
    pub turn: Option<Turn>,
    pub speaker: Option<Speaker>,
}

/// Computes the relevance of each note in its conversation, in the given order. Notes that are no
/// turns, or the only one of their conversation here, keep their relevance. `asks_agent` says that the question is about what an agent said.
pub fn in_conversation(notes: &[SpokenNote], asks_agent: bool) -> Vec<f64> {
    let own: Vec<f64> = notes.iter().map(|note| note.relevance * weight(note.speaker, asks_agent)).collect();
    let turns: HashMap<Turn, f64> =
        notes.iter().zip(&own).filter_map(|(note, own)| Some((note.turn?, *own))).collect();
    if turns.is_empty() {
        return own;
    }
    let mut conversations: HashMap<u64, Vec<f64>> = HashMap::new();
    for (turn, own) in &turns {
        conversations.entry(turn.conversation()).or_default().push(*own);
    }
    let means: HashMap<u64, f64> = conversations
        .into_iter()
        .filter(|(_, own)| own.len() > 1)
        .map(|(conversation, own)| (conversation, mean_of_best(own)))
        .collect();
    let better = |turn: Turn, steps: i64| {
        let at = |steps| turn.moved(steps).and_then(|turn| turns.get(&turn).copied()).unwrap_or(0.0);
        at(steps).max(at(-steps))
    };
    let relevance = |(note, own): (&SpokenNote, &f64)| {
        let of_turn = note.turn.and_then(|turn| Some((turn, means.get(&turn.conversation())?)));
        of_turn.map_or(*own, |(turn, mean)| {
            let shared = NEIGHBOUR_SHARE * better(turn, 1)
                + SECOND_NEIGHBOUR_SHARE * better(turn, 2)
                + CONVERSATION_SHARE * mean;
            (own + shared) / CONVERSATION_DIVISOR
        })
    };
    notes.iter().zip(&own).map(relevance).collect()
}

fn weight(speaker: Option<Speaker>, asks_agent: bool) -> f64 {
    if speaker == Some(Speaker::Agent) && !asks_agent { AGENT_FACTOR } else { 1.0 }
}

fn mean_of_best(mut own: Vec<f64>) -> f64 {
    own.sort_by(|a, b| b.total_cmp(a));
    own.iter().take(BEST_TURNS).sum::<f64>() / BEST_TURNS as f64
}

/// What a speaker does in a question about an agent's words: `you suggested`, `your advice`.
const SPEAKING: [&str; 16] = [
    "said",
    "say",
    "told",
    "tell",
    "suggest",
    "recommend",
    "mention",
    "gave",
    "give",
    "provid",
    "listed",
    "shared",
    "wrote",
    "explain",
    "describ",
    "propos",
];
const SPOKEN: [&str; 6] = ["suggestion", "recommendation", "advice", "list", "answer", "explanation"];
/// Phrases of such questions, in several languages.
const ABOUT_AGENT: [&str; 13] = [
    "remind me",
    "previous chat",
    "previous conversation",
    "our conversation",
    "our last chat",
    "assistant",
    "hast du gesagt",
    "du mir",
    "me dijiste",
    "me recomendaste",
    "tu m'as",
    "你说",
    "你推荐",
];

/// Phrases of questions about what the person said, also where they name the conversation.
const ABOUT_PERSON: [&str; 6] =
    ["i brought up", "i mention", "i bring up", "i talked", "i discussed", "i asked"];

/// Whether a question is about what an agent said, as in "what did you recommend".
pub fn asks_agent(question: &str) -> bool {
    let question = question.to_lowercase();
    if ABOUT_PERSON.iter().any(|phrase| question.contains(phrase)) {
        return false;
    }
    if ABOUT_AGENT.iter().any(|phrase| question.contains(phrase)) {
        return true;
    }
    let words: Vec<&str> =
        question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| match *word {
        // The verb may come after an adverb: "you also suggested".
        "you" => {
            words[at + 1..].iter().take(2).any(|next| SPEAKING.iter().any(|verb| next.starts_with(verb)))
        }
        "your" => words.get(at + 1).is_some_and(|next| SPOKEN.iter().any(|noun| next.starts_with(noun))),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turn(position: u64) -> Option<Turn> {
        Turn::from_number(7 << 20 | position)
    }

    fn spoken(relevance: f64, position: u64) -> SpokenNote {
        SpokenNote { relevance, turn: turn(position), speaker: None }
    }

    fn note(relevance: f64) -> SpokenNote {
        SpokenNote { relevance, turn: None, speaker: None }
    }

    #[test]
    fn the_turn_after_the_one_that_names_the_subject_is_before_others_of_its_own_relevance() {
        let all = in_conversation(&[spoken(1.0, 5), spoken(0.2, 6), spoken(0.2, 20)], false);
        assert!(all[0] > all[1] && all[1] > all[2], "{all:?}");
    }

    #[test]
    fn notes_that_are_no_turns_keep_their_relevance() {
        assert_eq!(in_conversation(&[note(0.4), note(1.0)], false), [0.4, 1.0]);
        assert_eq!(in_conversation(&[note(0.4), spoken(1.0, 3)], false), [0.4, 1.0]);
        assert_eq!(in_conversation(&[], false), Vec::<f64>::new());
    }

    #[test]
    fn the_words_of_a_person_weigh_more_unless_the_question_asks_for_the_agents() {
        let person = SpokenNote { speaker: Some(Speaker::Person), ..note(0.5) };
        let agent = SpokenNote { speaker: Some(Speaker::Agent), ..note(1.0) };
        let order = |asks| {
            let all = in_conversation(&[person, agent], asks);
            all[0] > all[1]
        };
        assert!(order(false) && !order(true));
    }

    #[test]
    fn a_question_about_what_an_agent_said_is_recognised() {
        for question in [
            "What did you recommend for the trip?",
            "You also suggested a book, which one?",
            "Can you remind me of the name?",
            "Was hast du gesagt?",
        ] {
            assert!(asks_agent(question), "{question}");
        }
        for question in [
            "What did I tell my boss?",
            "Do you know when I moved?",
            "your house or mine",
            "List the order in which I brought up my plans throughout our conversations.",
        ] {
            assert!(!asks_agent(question), "{question}");
        }
    }

    proptest! {
        #[test]
        fn more_relevance_never_lowers_a_turn(
            own in proptest::collection::vec((0.0f64..1.0, 0u64..30), 1..20), more in 0.0f64..0.5, at in 0usize..20,
        ) {
            let mut notes: Vec<SpokenNote> = own.iter().map(|(own, position)| spoken(*own, *position)).collect();
            notes.dedup_by_key(|note| note.turn);
            notes.sort_by_key(|note| note.turn);
            notes.dedup_by_key(|note| note.turn);
            let before = in_conversation(&notes, false);
            let at = at % notes.len();
            notes[at].relevance += more;
            for (before, after) in before.iter().zip(in_conversation(&notes, false)) {
                prop_assert!(after >= before - 1e-9);
            }
        }
    }
}
