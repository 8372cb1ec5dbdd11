//! Text output of `cm propose`.

use super::style::{DIM, STRONG, paint, safe};
use cm_app::verbs::propose::{NeighbourVerdict, ProposalAnswer};

/// The stored proposal and its neighbours.
pub fn proposed(answer: &ProposalAnswer) -> String {
    let ProposalAnswer { id, state, why, neighbours, .. } = answer;
    let mut text = format!("{}: {}\n", paint(STRONG, &format!("{id} {}", state.name())), safe(why));
    if neighbours.is_empty() {
        return text;
    }
    text += "Nearest notes:\n";
    for neighbour in neighbours {
        let verdict = match neighbour.verdict {
            Some(NeighbourVerdict::Same) => " (same)",
            Some(NeighbourVerdict::Refines) => " (refined)",
            Some(NeighbourVerdict::Contradicts) => " (contradicted)",
            Some(NeighbourVerdict::Unrelated) => " (unrelated)",
            None => "",
        };
        text += &format!("- {}{verdict} {}\n", neighbour.id, safe(&neighbour.text));
    }
    if neighbours.iter().any(|neighbour| neighbour.verdict.is_none()) {
        let verdicts = "same, refines, contradicts or unrelated";
        text += &format!("{}\n", paint(DIM, &format!("tell how they relate to it: {verdicts}")));
    }
    text
}
