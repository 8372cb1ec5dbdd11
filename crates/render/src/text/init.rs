//! Text output of `cm init`.

use super::committed;
use super::style::{STRONG, paint};
use cm_app::init::CreatedVault;

pub fn initialised(outcome: &CreatedVault) -> String {
    let mut lines = format!("{} is a vault\n", paint(STRONG, &outcome.vault));
    if outcome.created.is_empty() {
        lines.push_str("nothing was missing\n");
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
                "each change of a note becomes a commit of the repository {around}, of that note alone;\n\
                 `cm config set git.commit manual` leaves changes to `cm commit`\n"
            ),
            None => "`git.commit` is `manual`: changes stay in the work tree until `cm commit`\n".to_owned(),
        });
    }
    lines
}
