//! Text output of `cm diary`.

use super::committed;
use super::style::{DIM, ID, WARN, count, paint, safe, safe_lines};
use cm_app::verbs::diary::{DiaryMethod, WrittenDiary};

/// The path of the file, then the note without frontmatter.
pub fn written(outcome: &WrittenDiary) -> String {
    let how = match (outcome.dry_run, outcome.changed) {
        (true, true) => paint(DIM, "would be written"),
        (true, false) | (false, false) => paint(DIM, "up to date"),
        (false, true) => committed(outcome.commit.as_deref()),
    };
    let mut text = format!("{}  {how}\n", paint(ID, &safe(&outcome.path)));
    if let (DiaryMethod::RulesInstead, Some(why)) = (outcome.made, &outcome.why) {
        text += &format!("{} {}\n", paint(WARN, "extracted by rules, without the model:"), safe(why));
    }
    if outcome.refused > 0 {
        let points = count(outcome.refused, "point");
        text += &format!(
            "{}\n",
            paint(WARN, &format!("{points} from the model dropped: not found in the session"))
        );
    }
    let body = outcome.text.splitn(3, "---\n").nth(2).unwrap_or(&outcome.text);
    text + "\n" + safe_lines(body.trim_start()).trim_end() + "\n"
}
