//! Templates for the body of new notes, by type; the files are in `templates/note/`.

const TEMPLATES: [(&str, &str); 14] = [
    ("procedure", include_str!("../../../../templates/note/procedure.md")),
    ("decision", include_str!("../../../../templates/note/decision.md")),
    ("insight", include_str!("../../../../templates/note/insight.md")),
    ("solution", include_str!("../../../../templates/note/solution.md")),
    ("code_pattern", include_str!("../../../../templates/note/code_pattern.md")),
    ("configuration", include_str!("../../../../templates/note/configuration.md")),
    ("preference", include_str!("../../../../templates/note/preference.md")),
    ("fact", include_str!("../../../../templates/note/fact.md")),
    ("fix", include_str!("../../../../templates/note/fix.md")),
    ("workflow", include_str!("../../../../templates/note/workflow.md")),
    ("observation", include_str!("../../../../templates/note/observation.md")),
    ("problem", include_str!("../../../../templates/note/problem.md")),
    ("error", include_str!("../../../../templates/note/error.md")),
    ("general", include_str!("../../../../templates/note/general.md")),
];

/// Returns the template for a note type, or that of `general` if the type has none.
pub fn template(note_type: &str) -> &'static str {
    let of = |wanted: &str| TEMPLATES.iter().find(|(name, _)| *name == wanted).map(|(_, text)| *text);
    of(note_type).or_else(|| of("general")).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::outline;
    use crate::note::TypeTable;

    #[test]
    fn every_built_in_type_has_a_skeleton_of_second_level_headings() {
        for known in TypeTable::default().iter() {
            assert!(TEMPLATES.iter().any(|(name, _)| *name == known.name), "{}", known.name);
            let headings = outline(template(&known.name), 1).headings;
            assert!(
                headings.len() >= 2 && headings.iter().all(|heading| heading.level == 2),
                "{}",
                known.name
            );
        }
        assert_eq!(template("runbook"), template("general"));
    }
}
