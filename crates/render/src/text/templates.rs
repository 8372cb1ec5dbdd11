//! Text output of `cm new --list`.

use super::style::{DIM, STRONG, one_line, paint};
use cm_app::verbs::templates::TemplateList;

/// The templates by type, each with its questions.
pub fn listed(outcome: &TemplateList) -> String {
    let mut lines = String::new();
    for one in &outcome.templates {
        let origin = one.path.as_deref().unwrap_or("built in");
        lines.push_str(&format!(
            "{}  {}\n",
            paint(STRONG, &one_line(&one.note_type)),
            paint(DIM, &one_line(origin))
        ));
        lines.extend(one.questions.iter().map(|question| format!("  {}\n", one_line(question))));
    }
    lines
}
