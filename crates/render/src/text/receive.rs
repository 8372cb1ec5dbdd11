//! Text output for a received session.

use super::style::{ID, paint, safe};
use cm_app::receive::UploadResult;

pub fn received(outcome: &UploadResult) -> String {
    let UploadResult { session, agent, received, known: known_count, redacted } = outcome;
    format!(
        "{}  {agent}  {received} new, {known_count} known, {redacted} secrets removed\n",
        paint(ID, &safe(session))
    )
}
