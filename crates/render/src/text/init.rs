//! Text output of `cm init`.

use super::committed;
use super::style::{STRONG, paint};
use cm_app::verbs::init::CreatedVault;

pub fn initialised(outcome: &CreatedVault) -> String {
    let mut lines = format!("{} is a vault\n", paint(STRONG, &outcome.vault));
    if outcome.created.is_empty() {
        lines.push_str("already initialized\n");
        return lines;
    }
    lines.push_str(&format!(
        "wrote {}  {}\n",
        outcome.created.join(", "),
        committed(outcome.commit.as_deref())
    ));
    if let Some(around) = outcome.repository.as_ref().filter(|around| **around != outcome.vault) {
        lines.push_str(&match outcome.commit {
            Some(_) => format!(
                "each change is committed to the repository {around}, only the changed note;\nrun `cm config set git.commit manual` to commit with `cm commit` instead\n"
            ),
            None => "`git.commit` is `manual`: changes stay uncommitted until `cm commit`\n".to_owned(),
        });
    }
    lines
}
