//! Text output of `cm handoff`.

use super::style::{DIM, STRONG, count, paint, safe};
use cm_app::verbs::handoff::{HandoffAnswer, WaitingHandoff};

/// The handoff that waits for the next session.
pub fn waiting(answer: &HandoffAnswer) -> String {
    let Some(handoff) = &answer.handoff else { return "no handoff waits in this folder\n".to_owned() };
    let WaitingHandoff { folder, at, agent, text, tokens, .. } = handoff;
    let by = agent.as_deref().map(|agent| format!(" by {}", safe(agent))).unwrap_or_default();
    let head = format!("The next session in {} begins with this", safe(folder));
    let mut lines = format!("{}\n{}", paint(STRONG, &head), safe(text));
    lines += &format!("{}\n", paint(DIM, &format!("written {at}{by}, about {tokens} tokens")));
    if answer.redacted > 0 {
        lines += &format!("{} removed from the text\n", count(answer.redacted, "secret"));
    }
    lines
}

/// What was removed.
pub fn removed(answer: &HandoffAnswer) -> String {
    match &answer.handoff {
        Some(handoff) => format!("removed the handoff of {}\n", handoff.at),
        None => "no handoff waits in this folder\n".to_owned(),
    }
}
