//! Preview of a change to a settings file.

use similar::TextDiff;

use cm_text::shorten::shorten;

/// Maximum length of a line, in characters.
const MAX_LINE_CHARS: usize = 160;

/// Returns the change as a diff with one line of context; empty if nothing changes. `name` is the
/// displayed file name.
#[must_use]
pub fn summary(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    let mut shown = format!(
        "{name}{}\n",
        if before.is_empty() {
            " (new)"
        } else if after.is_empty() {
            " (removed)"
        } else {
            ""
        }
    );
    for hunk in diff.unified_diff().context_radius(1).iter_hunks() {
        shown.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            shown.push_str(&format!(
                "{}{}\n",
                change.tag(),
                shorten(change.value().trim_end_matches(['\r', '\n']), MAX_LINE_CHARS)
            ));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let shown = summary(
            ".claude/settings.json",
            "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n",
        );
        assert_eq!(
            shown,
            ".claude/settings.json\n@@ -2,3 +2,4 @@\n   \"a\": 1,\n-  \"b\": 2\n+  \"b\": 2,\n+  \"c\": 3\n }\n"
        );
        assert_eq!(summary("x", "{}", "{}"), "");
        assert!(summary("x", "", "{}\n").starts_with("x (new)\n"));
        assert!(summary("x", &"y".repeat(1_000), "").lines().all(|line| line.chars().count() < 200));
    }
}
