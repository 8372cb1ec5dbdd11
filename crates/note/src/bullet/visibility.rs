//! Which bullets an agent may see, and which apply to its project.
//!
//! Relevance to a task and the minimum score are decided by the callers.

use super::{Bullet, Scope};
use crate::finding::{Finding, FindingCode};
use crate::note::Note;

/// Whether an agent may see a bullet, given its note: the bullet is live, and the note has no
/// hidden characters, which a person would not see, and no unresolved merge conflict.
pub fn may_be_shown(bullet: &Bullet, note: &Note) -> bool {
    let is_hidden = |finding: &Finding| finding.code == FindingCode::HiddenCharacter;
    bullet.is_live() && !note.has_conflict() && !note.findings.iter().any(is_hidden)
}

/// Whether two names denote the same project, ignoring case.
pub fn same_project(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

impl Bullet {
    /// Project that the bullet is limited to; `None` if its scope is not a workspace, or does not
    /// name one.
    pub fn project(&self) -> Option<&str> {
        let own = self.workspace.as_deref().or(self.fields.scope_key.as_deref());
        own.filter(|_| self.scope == Scope::Workspace)
    }

    /// Whether the bullet applies to a project: true unless it is limited to another one.
    pub fn applies_to(&self, project: &str) -> bool {
        self.project().is_none_or(|own| same_project(own, project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{RelationTable, TypeTable, read};
    use crate::path::NotePath;

    fn note(keys: &str, text: &str) -> (Bullet, Note) {
        let path = NotePath::parse("playbook/net/a.md").unwrap();
        let text = format!("---\nid: b-mt2ssunl-jq6d8j\ncategory: net\n{keys}\n---\n\n{text}\n");
        let note = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        (Bullet::of(&note).unwrap(), note)
    }

    #[test]
    fn only_what_is_in_use_and_hides_nothing_may_be_shown() {
        let shown = |keys, text| {
            let (bullet, note) = note(keys, text);
            may_be_shown(&bullet, &note)
        };
        assert!(shown("state: active", "Give every request a timeout."));
        assert!(!shown("state: draft", "Give every request a timeout."));
        assert!(!shown("state: active\nmaturity: deprecated", "Give every request a timeout."));
        assert!(!shown("state: active", "Give every re\u{200b}quest a timeout."));
        let conflict = "Give every request a timeout.\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b";
        assert!(!shown("state: active", conflict));
        assert!(!shown("state: active", "Give every request a timeout.\n\n## Why\n\n\u{202e}It hung."));
    }

    #[test]
    fn a_bullet_holds_in_its_own_project_and_one_without_a_project_everywhere() {
        let holds = |keys| note(keys, "Give every request a timeout.").0.applies_to("tidewater");
        assert!(holds("scope: global\nworkspace: other"));
        assert!(holds("scope: workspace"));
        assert!(holds("scope: workspace\nworkspace: Tidewater"));
        assert!(holds("scope: workspace\nscope_key: tidewater"));
        assert!(!holds("scope: workspace\nscope_key: other"));
        assert!(!holds("scope: workspace\nworkspace: other\nscope_key: tidewater"));
    }
}
