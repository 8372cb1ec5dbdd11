//! Text output of `cm propose`.

use super::style::{DIM, STRONG, paint, safe};
use cm_app::verbs::propose::{Neighbour, NeighbourVerdict, ProposalAnswer};

/// The stored proposal and its neighbours.
pub fn proposed(answer: &ProposalAnswer) -> String {
    let ProposalAnswer { id, state, why, neighbours, .. } = answer;
    let mut text = format!("{}: {}\n", paint(STRONG, &format!("{id} {}", state.name())), safe(why));
    let (open, settled): (Vec<&Neighbour>, Vec<_>) =
        neighbours.iter().partition(|neighbour| neighbour.verdict.is_none());
    for neighbour in settled {
        let verdict = match neighbour.verdict {
            Some(NeighbourVerdict::Same) => "the same",
            Some(NeighbourVerdict::Refines) => "refined",
            Some(NeighbourVerdict::Contradicts) => "contradicted",
            Some(NeighbourVerdict::Unrelated) | None => "unrelated",
        };
        text += &format!("- {} {verdict}: {}\n", neighbour.id, safe(&neighbour.text));
    }
    if !open.is_empty() {
        text += "Nearest notes:\n";
        for neighbour in open {
            text += &format!("- {} {}\n", neighbour.id, safe(&neighbour.text));
        }
        let verdicts = "same, refines, contradicts or unrelated";
        text += &format!("{}\n", paint(DIM, &format!("tell how they relate to it: {verdicts}")));
    }
    text
}
