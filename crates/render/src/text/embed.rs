//! Text output of `cm embed`.

use super::style::{DIM, STRONG, count, paint};
use cm_app::verbs::embed::{EmbeddingStatus, ModelProgress, ModelRole};

/// One line for each model.
pub fn status(outcome: &EmbeddingStatus) -> String {
    let mut lines: String = outcome.models.iter().map(line).collect();
    if outcome.provider == "none" {
        lines.push_str("embeddings are disabled: search uses words only\n");
    }
    let behind = outcome
        .models
        .iter()
        .any(|model| model.in_use && model.role == ModelRole::Fine && model.done < model.of);
    if behind {
        lines.push_str("`cm embed` embeds the rest\n");
    }
    lines
}

/// The number of embedded passages, then the models.
pub fn read(outcome: &EmbeddingStatus) -> String {
    let ms = paint(DIM, &format!("{} ms", outcome.ms));
    format!("{} embedded  {ms}\n{}", count(outcome.read, "passage"), status(outcome))
}

/// The selected provider, then the models.
pub fn changed(outcome: &EmbeddingStatus) -> String {
    match outcome.provider.as_str() {
        "none" => status(outcome),
        provider => format!("embedding provider: {}\n{}", paint(STRONG, provider), status(outcome)),
    }
}

fn line(of: &ModelProgress) -> String {
    let share = (of.done * 100).checked_div(of.of).unwrap_or(100);
    let role = match (of.in_use, of.role) {
        (false, _) => "not in use",
        (true, ModelRole::Coarse) => "coarse",
        (true, ModelRole::Fine) => "fine",
    };
    let size = of.bytes.div_ceil(1024);
    format!(
        "{}  {} of {} ({share} %)  {}\n",
        paint(STRONG, &of.model),
        of.done,
        count(of.of, "passage"),
        paint(DIM, &format!("{role}, {size} KiB, {} vault", of.vault.name()))
    )
}
